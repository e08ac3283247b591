# SPDX-License-Identifier: Apache-2.0
"""Float ONNX -> int8: ONNX Runtime's own quantizer, QDQ form, per channel."""
import os
import pathlib
import tempfile

import numpy as np
import onnx
import onnx.version_converter
import onnxruntime
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process


class Frames(quantization.CalibrationDataReader):
    def __init__(self, request):
        self.names, self.left = [one["name"] for one in request["inputs"]], iter(request["frames"])

    def get_next(self):
        frame = next(self.left, None)
        return None if frame is None else dict(zip(self.names, frame))


def kept(wanted, source, prepared):
    """The names in `prepared` of the nodes that stay in float32. `source` identifies them by name or by an output."""
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
        # If the preparation merged several nodes into one, that node has the output of the last of them.
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
        # ONNX Runtime excludes nodes only by name.
        if not node.name:
            node.name = f"kept_in_float_{k}"
            while node.name in taken:
                node.name += "_"
            taken.add(node.name)
        excluded.append(node.name)
    return excluded


PER_CHANNEL_FROM = 13  # The first opset whose DequantizeLinear has an axis.


def session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def opset_of(model):
    return next((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), 1)


def same_outputs(before, after, request):
    """Whether both models compute the same for the first calibration frame."""
    frame = Frames(request).get_next()
    return all(np.allclose(a, b, rtol=1e-3, atol=1e-5) for a, b in zip(session(before).run(None, frame), session(after).run(None, frame), strict=True))


def raised(source, request, folder, notes):
    """Converts the model to an opset that has scales by channel, if it computes the same there. Returns (file, whether weights may be quantised per
    channel)."""
    opset = opset_of(onnx.load(request["model"], load_external_data=False))
    if opset >= PER_CHANNEL_FROM:
        return source, True
    newer = str(pathlib.Path(folder, "newer.onnx"))
    try:
        onnx.save(onnx.version_converter.convert_version(onnx.load(source), PER_CHANNEL_FROM), newer)
        if same_outputs(source, newer, request):
            notes.append(f"the opset was raised from {opset} to {PER_CHANNEL_FROM}, the first that has weight scales by channel")
            return newer, True
        why = "it computes something else there"
    except Exception as error:  # The onnx package's version converter raises this for operators that it does not know.
        why = f"it could not be raised: {type(error).__name__}"
    notes.append(f"one scale serves all weights of a layer: opset {opset} has none by channel, and {why}; export the model with opset {PER_CHANNEL_FROM} or later")
    return source, False


def convert(request):
    notes = []
    with tempfile.TemporaryDirectory() as folder:
        source = str(pathlib.Path(folder, "prepared.onnx"))
        try:
            quant_pre_process(request["model"], source, skip_symbolic_shape=True)
        except Exception as error:  # This step is optional: it only makes the result faster.
            source = request["model"]
            notes.append(f"the model is quantised as it is, without ONNX Runtime's preparation ({type(error).__name__})")
        source, per_channel = raised(source, request, folder, notes)
        excluded = []
        if request.get("keep_float"):
            prepared = onnx.load(source)
            excluded = kept(request["keep_float"], onnx.load(request["model"], load_external_data=False), prepared)
            source = str(pathlib.Path(folder, "named.onnx"))
            onnx.save(prepared, source)
        quantization.quantize_static(source, request["out"], Frames(request),
                                     quant_format=quantization.QuantFormat.QDQ, per_channel=per_channel,
                                     activation_type=quantization.QuantType.QInt8, weight_type=quantization.QuantType.QInt8,
                                     nodes_to_exclude=excluded)
    try:
        session(request["out"])
    except Exception as error:
        os.unlink(request["out"])
        raise ValueError(f"ONNX Runtime's quantizer wrote a file that ONNX Runtime refuses, so it was removed: {str(error)[:300]}") from error
    kinds = [node.op_type for node in onnx.load(request["out"]).graph.node]
    if not any("Quantize" in kind for kind in kinds):
        raise ValueError("nothing in this model was quantised: it has no operator that ONNX Runtime quantises")
    return {"tool": f"onnxruntime {onnxruntime.__version__}", "notes": notes}
