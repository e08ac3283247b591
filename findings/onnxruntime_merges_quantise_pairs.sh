#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime 1.32.0, CPU, default optimisation: two consecutive pairs of QuantizeLinear and DequantizeLinear, with the scales 0.1 and
# 0.07, become one pair with the second scale, which reads the unrounded input. One would expect that a file that rounds twice is rounded
# twice. Seen: the codes of 0.12, 0.22, 0.31, 0.53, 1.0 are 2 3 4 8 14 instead of the file's 1 3 4 7 14 (ONNX's reference evaluator).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnx
import onnx.reference
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

constants = {"a": np.float32(0.1), "b": np.float32(0.07), "z": np.int8(0)}
nodes = []
for before, after, scale in (("x", "m", "a"), ("m", "y", "b")):
    nodes += [helper.make_node("QuantizeLinear", [before, scale, "z"], [after + "q"]),
              helper.make_node("DequantizeLinear", [after + "q", scale, "z"], [after])]
graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [5])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [5])],
                          [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
onnx.checker.check_model(model)
x = np.array([0.12, 0.22, 0.31, 0.53, 1.0], np.float32)


def codes(level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return np.rint(session.run(None, {"x": x})[0] / np.float32(0.07)).astype(int).tolist()


levels = onnxruntime.GraphOptimizationLevel
[y] = onnx.reference.ReferenceEvaluator(model).run(None, {"x": x})
right = np.rint(y / np.float32(0.07)).astype(int).tolist()
default, off = codes(levels.ORT_ENABLE_ALL), codes(levels.ORT_DISABLE_ALL)
print(f"onnxruntime {onnxruntime.__version__}: default {default}, without optimisation {off}, reference evaluator {right}")
assert off == right, (off, right)
assert default != right, default
assert default == np.rint(x / np.float32(0.07)).astype(int).tolist(), default
PYTHON
