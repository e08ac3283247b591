#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime 1.32.0: if the name of an open dimension occurs twice (in one input, or in two), the two sizes may still differ. It accepts a
# 3 x 5 tensor for ['n', 'n'], and inputs of 3 and 5 for ['n'] and ['n'], and runs. From the text of ONNX ("a dimension with the same name
# is the same size") one would expect a refusal. Paddle's exporter names every open side '?', so that its models with a height and a width
# rely on it; a tool that requires equal sizes for equal names refuses models that the runtime accepts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnxruntime
from onnx import TensorProto, checker, helper

def run(shapes, arrays):
    names = [f"x{i}" for i in range(len(shapes))]
    nodes = [helper.make_node("Neg", [name], ["y" + name]) for name in names]
    value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "g", [value(n, s) for n, s in zip(names, shapes)], [value("y" + n, s) for n, s in zip(names, shapes)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model, full_check=True)
    onnxruntime.set_default_logger_severity(4)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return [y.shape for y in session.run(None, dict(zip(names, arrays)))]

ones = lambda *shape: np.ones(shape, np.float32)
one, two = run([["n", "n"]], [ones(3, 5)]), run([["n"], ["n"]], [ones(3), ones(5)])
print(f"onnxruntime {onnxruntime.__version__}: ['n', 'n'] takes {one[0]}; ['n'] and ['n'] take {two[0]} and {two[1]}")
assert one == [(3, 5)] and two == [(3,), (5,)]
PYTHON
