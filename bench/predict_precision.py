# SPDX-License-Identifier: Apache-2.0
"""Predicted precision faults against a model that ONNX Runtime's own tool converted to float16.

Weights of a convolution before a Relu are multiplied, and those of its readers are divided, so that float32 computes the same and the values in
between exceed 65504. The converted file is run by ONNX Runtime with all intermediates as outputs. Counted: the first layer with values that are not
finite, and whether keeping the advised layers in float32 (`node_block_list`) repairs the converted file: to 0.25, or to the figure of the converted
file without the fault.

    .deps/venv/bin/python bench/predict_precision.py build/edgeprobe MODEL.onnx...
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from onnxruntime.transformers.float16 import convert_float_to_float16

import conv_relu

onnxruntime.set_default_logger_severity(3)
MOST_PER_MODEL = 8


def scaled(model, names, factor):
    for one in model.graph.initializer:
        if one.name in names:
            one.CopyFrom(numpy_helper.from_array((numpy_helper.to_array(one) * np.float32(factor)).astype(np.float32), one.name))


def load(path):
    """The model without its constants among the inputs, where some exporters list them."""
    model = onnx.load(path)
    constants = {one.name for one in model.graph.initializer}
    inputs = [one for one in model.graph.input if one.name not in constants]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    return model


def planted(path, factor, most):
    count = len(list(conv_relu.places(load(path))))
    for i in sorted({round(k * (count - 1) / max(1, min(most, count) - 1)) for k in range(min(most, count))}):
        model = load(path)
        node, _, behind = list(conv_relu.places(model))[i]
        scaled(model, set(node.input[1:]), factor)
        scaled(model, {one.input[1] for one in behind}, 1 / factor)
        yield node, model


def outputs(model, frames):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return [session.run(None, frame) for frame in frames]


def with_all(model):
    seen = onnx.ModelProto()
    seen.CopyFrom(model)
    shown = {one.name for one in seen.graph.output}
    seen.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for node in seen.graph.node for name in node.output if name and name not in shown)
    return seen


def frames_for(model, count=3):
    rng = np.random.default_rng(11)
    size = lambda one: [dim.dim_value or 1 for dim in one.type.tensor_type.shape.dim]
    return [{one.name: rng.random(size(one), np.float32) for one in model.graph.input} for _ in range(count)]


def first_not_finite(model, frames):
    """Name of the node whose output is the first that is not finite in any frame."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(with_all(model).SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    bad = set()
    for frame in frames:
        bad |= {name for name, value in zip(names, session.run(None, frame)) if value.dtype.kind == "f" and not np.isfinite(value).all()}
    return next((node.output[0] for node in model.graph.node if set(node.output) & bad), None)


def error(reference, other):
    both = [(a.astype(np.float64), b.astype(np.float64)) for ours, theirs in zip(reference, other) for a, b in zip(ours, theirs)]
    if not all(np.isfinite(b).all() for _, b in both):
        return np.inf
    return np.sqrt(sum(((a - b) ** 2).sum() for a, b in both) / sum(((a - a.mean()) ** 2).sum() for a, _ in both))


def predicted(edgeprobe, path):
    done = subprocess.run([edgeprobe, "predict-precision", path, "--precisions", "float16", "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{path}: {done.stderr}")
    return json.loads(done.stdout)["predictions"][0]


def converted(model, blocked=()):
    model = onnx.shape_inference.infer_shapes(model)
    half = convert_float_to_float16(model, keep_io_types=True, disable_shape_infer=True, op_block_list=[], node_block_list=list(blocked))
    return without_round_trips(half)


def without_round_trips(model):
    """Removes the float16 that the converter puts between two nodes that are kept in float32."""
    nodes = {node.output[0]: node for node in model.graph.node}  # The converter writes some casts twice.
    del model.graph.node[:]
    model.graph.node.extend(nodes.values())
    to = lambda node: next(one.i for one in node.attribute if one.name == "to") if node.op_type == "Cast" else None
    narrowed = {node.output[0]: node.input[0] for node in model.graph.node if to(node) == onnx.TensorProto.FLOAT16}
    instead = {node.output[0]: narrowed[node.input[0]] for node in model.graph.node if to(node) == onnx.TensorProto.FLOAT and node.input[0] in narrowed}
    shown = {one.name for one in model.graph.output}
    for place, node in enumerate(model.graph.node):
        node.name = f"{place}_{node.name}"  # It also writes some names twice.
        for i, name in enumerate(node.input):
            if name in instead and name not in shown:
                node.input[i] = instead[name]
    return model


def main(edgeprobe, *paths):
    counts = dict.fromkeys(("planted", "breaks", "said", "layer", "mended", "healthy", "alarms"), 0)
    with tempfile.TemporaryDirectory() as folder:
        for path in map(pathlib.Path, paths):
            counts["healthy"] += 1
            whole = load(path)
            frames = frames_for(whole)
            floor = error(outputs(whole, frames), outputs(converted(whole), frames))
            counts["alarms"] += predicted(edgeprobe, path)["outcome"]["level"] == "breaks"
            for node, model in planted(path, 1e6, MOST_PER_MODEL):
                for i, one in enumerate(model.graph.node):
                    one.name = one.name or f"node_{i}"
                file = pathlib.Path(folder, "planted.onnx")
                onnx.save(model, file)
                exact = outputs(model, frames)
                first = first_not_finite(converted(model), frames)
                found = predicted(edgeprobe, file)
                counts["planted"] += 1
                counts["breaks"] += first is not None
                level = found["outcome"]["level"]
                counts["said"] += (level == "breaks") == (first is not None)
                makers = [conv_relu.layers(model)[i] for i in (found["first_not_finite"] or {"layers": []})["layers"]]
                right = first is None or any(first in one.output for one in makers)
                counts["layer"] += right
                kept = [conv_relu.layers(model)[i].name for one in found["keep_in_float32"] or [] for i in one["layers"]]
                mended = error(exact, outputs(converted(model, kept), frames)) if kept else np.nan
                counts["mended"] += bool(mended <= max(0.25, 1.1 * floor))
                print(f"{path.name}: {node.output[0]}: first in the converted file {first}; said {level}, layers {[one.output[0] for one in makers]}; kept {len(kept)}, error then {mended:.3g} (of the file without the fault {floor:.3g})", flush=True)
    print(json.dumps(counts))


if __name__ == "__main__":
    main(*sys.argv[1:])
