# SPDX-License-Identifier: Apache-2.0
"""Float ONNX -> int8: ONNX Runtime's own quantizer, QDQ form, per channel."""
import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process


class Frames(quantization.CalibrationDataReader):
    def __init__(self, calibration):
        self.values = np.memmap(calibration["file"], calibration["dtype"], "r").reshape([calibration["frames"], *calibration["shape"]])
        self.name, self.at = calibration["name"], 0

    def get_next(self):
        if self.at == len(self.values):
            return None
        self.at += 1
        return {self.name: np.array(self.values[self.at - 1])}


def kept(wanted, source, prepared):
    """Names in `prepared` of the nodes of `source` that are wanted in float32, by their name or that of an output."""
    nodes = list(source.graph.node)
    chosen = {i for i, node in enumerate(nodes) if node.name and node.name in wanted or set(node.output) & set(wanted)}
    known = {text for i in chosen for text in [nodes[i].name, *nodes[i].output]}
    missing = [name for name in wanted if name not in known]
    if missing:
        raise ValueError(f"no node of the model is called '{missing[0]}', and none makes a tensor of that name")
    made = {name for node in prepared.graph.node for name in node.output}
    by_name = {node.name for node in prepared.graph.node if node.name}
    names, outputs = set(), set()
    for i in chosen:
        if nodes[i].name in by_name:
            names.add(nodes[i].name)
            continue
        # What the preparation merged into one node makes the output of the last of them.
        ahead, seen = [i], set()
        while ahead:
            k = ahead.pop()
            if k in seen:
                continue
            seen.add(k)
            node = nodes[k]
            outputs.update(set(node.output) & made)
            if not set(node.output) & made:
                ahead += [j for j, other in enumerate(nodes) if set(other.input) & set(node.output)]
    taken, excluded = set(by_name), []
    for k, node in enumerate(prepared.graph.node):
        if not node.name in names and not set(node.output) & outputs:
            continue
        # ONNX Runtime leaves out by name alone.
        if not node.name:
            node.name = f"kept_in_float_{k}"
            while node.name in taken:
                node.name += "_"
            taken.add(node.name)
        excluded.append(node.name)
    return excluded


def convert(request):
    notes = []
    with tempfile.TemporaryDirectory() as folder:
        source = str(pathlib.Path(folder, "prepared.onnx"))
        try:
            quant_pre_process(request["model"], source, skip_symbolic_shape=True)
        except Exception as error:  # Not needed for a right answer, only for a faster one.
            source = request["model"]
            notes.append(f"the model is quantised as it is, without ONNX Runtime's preparation ({type(error).__name__})")
        excluded = []
        if request.get("keep_float"):
            prepared = onnx.load(source)
            excluded = kept(request["keep_float"], onnx.load(request["model"], load_external_data=False), prepared)
            source = str(pathlib.Path(folder, "named.onnx"))
            onnx.save(prepared, source)
        quantization.quantize_static(source, request["out"], Frames(request["calibration"]),
                                     quant_format=quantization.QuantFormat.QDQ, per_channel=True,
                                     activation_type=quantization.QuantType.QInt8, weight_type=quantization.QuantType.QInt8,
                                     nodes_to_exclude=excluded)
    kinds = [node.op_type for node in onnx.load(request["out"]).graph.node]
    if not any("Quantize" in kind for kind in kinds):
        raise ValueError("nothing in this model was quantised: it has no operator that ONNX Runtime quantises")
    return {"tool": f"onnxruntime {onnxruntime.__version__}", "notes": notes}
