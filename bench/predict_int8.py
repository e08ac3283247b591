# SPDX-License-Identifier: Apache-2.0
"""Predicted int8 against models that ONNX Runtime's quantize_static and ai-edge-quantizer really quantised.

.onnx: quantised by ONNX Runtime's own Python with the frames that predict-precision calibrates with, run by ONNX Runtime. The worst single layer is
found by quantising one node at a time; the advised layers are kept by `nodes_to_exclude`. Faults: one output channel of a convolution before a Relu
is multiplied, and the weights of its readers are divided, so that float32 computes the same. .tflite: by `edgeprobe convert` (ai-edge-quantizer), run
by LiteRT's interpreter.

    .deps/venv/bin/python bench/predict_int8.py build/edgeprobe WORK [NAME,...]
"""
import json
import logging
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper, version_converter
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "requantized"))
import common  # noqa: E402
import conv_relu  # noqa: E402

onnxruntime.set_default_logger_severity(4)
logging.getLogger().setLevel(logging.ERROR)
MODELS = common.ROOT / "models"
SIGNS = ["--data", MODELS / "data" / "test"]
NCHW, FRAMES, BREAKS = (MODELS / "signs_nchw.recipe").read_text().strip(), 24, 0.25
ULTRAFACE = common.SHARED / "models" / "ultraface" / "version-RFB-320_without_postprocessing"
ONNX = {"signs": (MODELS / "signs_float.onnx", NCHW), "inception": (MODELS / "inception_like.onnx", NCHW),
        "ultraface": (ULTRAFACE.with_suffix(".onnx"), "resize(240x320) | normalize(mean=127, std=128) | layout(nchw)")}
TFLITE = {"resnet": (common.FLOATS["resnet"], common.RECIPES["resnet"]), "vww": (common.FLOATS["vww"], common.RECIPES["vww"]),
          "signs.tflite": (common.FLOATS["signs"], common.RECIPES["signs"]),
          "mobilenet": (common.SHARED / "models" / "tflite_support" / "mobilenet_v1_0.25_224_1_default_1.tflite", "crop(square) | resize(224x224, area) | scale(-1..1)")}


class Frames(quantization.CalibrationDataReader):
    def __init__(self, name, inputs):
        self.name, self.left = name, iter(inputs)

    def get_next(self):
        frame = next(self.left, None)
        return None if frame is None else {self.name: frame}


def load(path):
    model = onnx.load(path)
    if model.opset_import[0].version < 13:  # The first opset with scales by channel.
        model = version_converter.convert_version(model, 13)
    constants = {one.name for one in model.graph.initializer}
    inputs = [one for one in model.graph.input if one.name not in constants]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    for i, node in enumerate(model.graph.node):
        node.name = node.name or f"node_{i}"
    return model


def logits(model):
    """The input of a final Softmax, else the outputs."""
    makers = {out: node for node in model.graph.node for out in node.output}
    names = []
    for one in model.graph.output:
        node = makers.get(one.name)
        while node is not None and node.op_type in ("DequantizeLinear", "QuantizeLinear"):
            node = makers.get(node.input[0])
        names.append(node.input[0] if node is not None and node.op_type == "Softmax" else one.name)
    return names


def shown(model, names):
    seen = onnx.ModelProto()
    seen.CopyFrom(model)
    have = {one.name for one in seen.graph.output}
    seen.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in names if name not in have)
    return seen


def outputs(path, names, inputs, as_written=False, exact_products=False):
    """Values of the tensors `names`, by default of logits(). `exact_products`: without this option x86 without VNNI saturates sums of two products at
    16 bits. `as_written`: every QuantizeLinear and DequantizeLinear runs by itself, with real numbers between them."""
    names = names or logits(onnx.load(path))
    options = onnxruntime.SessionOptions()
    if exact_products:
        options.add_session_config_entry("session.x64quantprecision", "1")
    if as_written:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(shown(onnx.load(path), names).SerializeToString(), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return [session.run(names, {name: one}) for one in inputs]


def error(exact, made):
    """Root of the mean over tensors of MSE over variance."""
    all = []
    for a, b in zip(zip(*exact), zip(*made)):
        a, b = np.concatenate([x.ravel() for x in a]).astype(np.float64), np.concatenate([x.ravel() for x in b]).astype(np.float64)
        all.append(((a - b) ** 2).mean() / max(a.var(), 1e-30))
    return float(np.sqrt(np.mean(all)))


def same(exact, made):
    return float(np.mean([a[0].ravel().argmax() == b[0].ravel().argmax() for a, b in zip(exact, made)]))


def quantise(path, out, inputs, **options):
    name = load(path).graph.input[0].name
    quantization.quantize_static(str(path), str(out), Frames(name, inputs), per_channel=True, activation_type=quantization.QuantType.QInt8,
                                 weight_type=quantization.QuantType.QInt8, **options)
    return out


def predict(program, path, recipe, data):
    found = json.loads(common.call(program, "predict-precision", path, "--recipe", recipe, *data, "--frames", FRAMES, "--precisions", "int8", "--json"))
    return found, found["predictions"][0]


def fed(program, path, recipe, data, work):
    trace = work / "inputs.mcap"
    common.call(program, "run", path, "--recipe", recipe, *data, "--frames", FRAMES, "--level", "io", "--trace", trace, "--force")
    return [one.reshape(1, *one.shape[-3:]).astype(np.float32) for one in common.fed(program, trace, work)]


def plantable(model):
    """conv_relu.places() whose readers have one group: a channel can be taken back in them."""
    grouped = lambda one: any(a.name == "group" and a.i != 1 for a in one.attribute)
    return [place for place in conv_relu.places(model) if not any(grouped(one) for one in place[2])]


def planted(path, place, factor, out, exact_inputs):
    """One channel of a convolution's output, times `factor`; its readers take it back."""
    model = load(path)
    node, relu, behind = plantable(model)[place]
    constants = {one.name: one for one in model.graph.initializer}

    def scale(name, axis, channel, by):
        values = numpy_helper.to_array(constants[name]).copy()
        values[(slice(None),) * axis + (channel,)] *= np.float32(by)
        constants[name].CopyFrom(numpy_helper.from_array(values, name))

    # A channel that is active on these pictures.
    made = outputs(path, [relu.output[0]], exact_inputs)
    spread = np.max([np.abs(one[0]).max(axis=(0, 2, 3)) for one in made], axis=0)
    channel = int(np.argsort(spread)[len(spread) // 2 + len(spread) // 4])
    scale(node.input[1], 0, channel, factor)
    if len(node.input) > 2:
        scale(node.input[2], 0, channel, factor)
    for one in behind:
        scale(one.input[1], 1, channel, 1 / factor)
    onnx.save(model, out)
    return node, relu, behind


def judge_onnx(program, label, path, recipe, data, work, fault=None):
    inputs = fed(program, path, recipe, data, work)
    prepared = work / "prepared.onnx"
    onnx.save(load(path), work / "float.onnx")
    try:
        quant_pre_process(str(work / "float.onnx"), str(prepared), skip_symbolic_shape=True)
    except Exception:
        onnx.save(load(path), prepared)
    model = load(prepared)
    onnx.save(model, prepared)
    names = None  # The input of Softmax in each file, dequantised if it has codes.
    exact = outputs(prepared, names, inputs)
    made = outputs(quantise(prepared, work / "int8.onnx", inputs), names, inputs)
    found, one = predict(program, path, recipe, data)
    row = {"model": label, "real": error(exact, made), "same": same(exact, made), "predicted": one["outcome"]["logit_nrmse"],
           "predicted_same": one["outcome"]["answer_agreement"]}
    row["as_written"] = error(exact, outputs(work / "int8.onnx", names, inputs, as_written=True))
    row["unsaturated"] = error(exact, outputs(work / "int8.onnx", names, inputs, exact_products=True))
    row["said"] = (row["unsaturated"] > BREAKS) == (one["outcome"]["level"] == "breaks")
    source = load(path)
    out_of = lambda layers: {out for i in layers for out in conv_relu.layers(source)[i].output}
    if one["outcome"]["level"] == "breaks" and row["unsaturated"] > BREAKS:
        worst = {}
        for node in model.graph.node:
            if node.op_type not in ("Constant", "Softmax", "Shape"):
                try:
                    alone = outputs(quantise(prepared, work / "one.onnx", inputs, nodes_to_quantize=[node.name]), names, inputs, exact_products=True)
                    worst[node.output[0]] = error(exact, alone)
                except Exception:  # Quantising only this node may give an invalid file.
                    continue
        most = max(worst.values())
        told = out_of(one["worst_alone"]["layers"])
        row["worst"] = max(worst, key=worst.get)
        row["worst_told"] = sorted(told)[0]
        row["layer"] = any(worst.get(name, 0) >= 0.8 * most for name in told)
        if fault:
            node, relu, behind = fault
            row["planted_told"] = bool(told & {node.output[0], relu.output[0], *(b.output[0] for b in behind)}) or any(
                out in told for b in behind for n in source.graph.node if n.input and n.input[0] == b.output[0] for out in n.output)
        kept = one["keep_in_float32"]
        if kept:
            wanted = [out_of(k["layers"]) for k in kept]
            nodes = lambda sets: [n.name for n in model.graph.node if any(set(n.output) & s for s in sets)]
            mended = outputs(quantise(prepared, work / "kept.onnx", inputs, nodes_to_exclude=nodes(wanted)), names, inputs, exact_products=True)
            row |= {"kept": len(kept), "real_kept": error(exact, mended), "same_kept": same(exact, mended), "predicted_kept": one["with_kept"]["logit_nrmse"]}
            fewer = [error(exact, outputs(quantise(prepared, work / "fewer.onnx", inputs, nodes_to_exclude=nodes(wanted[:i] + wanted[i + 1:])), names, inputs, exact_products=True))
                     for i in range(len(wanted))] if len(wanted) > 1 else []
            row["smallest"] = all(e > BREAKS for e in fewer)
    return row


def run_tflite(path, inputs):
    from ai_edge_litert.interpreter import Interpreter
    session = Interpreter(model_path=str(path), experimental_preserve_all_tensors=True)
    session.allocate_tensors()
    source, result = session.get_input_details()[0], session.get_output_details()[0]
    details = {one["index"]: one for one in session.get_tensor_details()}
    last = next((op for op in session._get_ops_details() if result["index"] in op["outputs"] and op["op_name"] in ("SOFTMAX", "LOGISTIC")), None)
    seen = details[int(last["inputs"][0])] if last else result
    if seen["dtype"] == np.float32 and last is None and result["dtype"] == np.float32:
        seen = result
    real = lambda one, values: (values.astype(np.float64) - one["quantization"][1]) * one["quantization"][0] if one["dtype"] != np.float32 else values
    found = []
    for values in inputs:
        if source["dtype"] != np.float32:
            scale, zero = source["quantization"]
            values = np.clip(np.rint(values / scale) + zero, np.iinfo(source["dtype"]).min, np.iinfo(source["dtype"]).max)
        session.set_tensor(source["index"], values.reshape(source["shape"]).astype(source["dtype"]))
        session.invoke()
        found.append([real(seen, session.get_tensor(seen["index"]))])
    return found


def judge_tflite(program, label, path, recipe, data, work):
    signed = work / (label.replace(".", "_") + "_signed.tflite")
    common.with_signature(path, signed)
    out = work / "int8.tflite"
    pathlib.Path(out).unlink(missing_ok=True)
    common.call(program, "convert", signed, "--to", "int8", "--recipe", recipe, *data, "--frames", FRAMES, "-o", out)
    inputs = fed(program, path, recipe, data, work)
    exact, made = run_tflite(path, inputs), run_tflite(out, inputs)
    _, one = predict(program, path, recipe, data)
    real = error(exact, made)
    return {"model": label, "real": real, "same": same(exact, made), "predicted": one["outcome"]["logit_nrmse"], "predicted_same": one["outcome"]["answer_agreement"],
            "said": (real > BREAKS) == (one["outcome"]["level"] == "breaks")}


def main(program, work, names=""):
    program, work = pathlib.Path(program).resolve(), pathlib.Path(work).resolve()
    photos = ["--data", common.crops(work / "photos", each=4)]
    wanted, rows = names.split(",") if names else [], []
    chosen = lambda name: not wanted or name in wanted
    for name, (path, recipe) in ONNX.items():
        if not chosen(name) or not path.exists():
            continue
        data = SIGNS if path.parent == MODELS else photos
        rows.append(judge_onnx(program, name, path, recipe, data, work))
        print(json.dumps(rows[-1]), flush=True)
        # Skipped if the file itself breaks: there would be two faults at once.
        places = len(plantable(load(path))) if rows[-1]["unsaturated"] <= BREAKS else 0
        inputs = fed(program, path, recipe, data, work)
        for i in sorted({round(k * (places - 1) / 5) for k in range(6)} if places else ()):
            for factor in (100, 3000):
                fault = planted(path, i, factor, work / "planted.onnx", inputs)
                rows.append(judge_onnx(program, f"{name} x{factor} {fault[0].output[0]}", work / "planted.onnx", recipe, data, work, fault))
                print(json.dumps(rows[-1]), flush=True)
    for name, (path, recipe) in TFLITE.items():
        if chosen(name) and path.exists():
            rows.append(judge_tflite(program, name, path, recipe, SIGNS if path.parent == MODELS else photos, work))
            print(json.dumps(rows[-1]), flush=True)
    count = lambda key: "%d of %d" % (sum(bool(r[key]) for r in rows if key in r), sum(key in r for r in rows))
    print("level as measured", count("said"), "- worst layer", count("layer"), "- planted layer", count("planted_told"), "- mended by the set",
          "%d of %d" % (sum(r.get("real_kept", 9) <= BREAKS for r in rows), sum("real_kept" in r for r in rows)), "- no layer to spare", count("smallest"))


if __name__ == "__main__":
    main(*sys.argv[1:])
