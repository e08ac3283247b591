#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# OpenVINO 2026.4.1, CPU: Softmax of ONNX's opset 11 over axis 1 of a tensor [1,3,4] sums to 1 in each of the 4 columns, so all
# probabilities together sum to 4. The standard flattens the axes from 1 on before opset 13, so that they sum to 1; ONNX Runtime
# 1.32.0 does. One would expect that a converter follows the opset that the file states.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet onnxruntime==1.32.0 openvino==2026.4.1 onnx==1.23.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnx
import onnxruntime
import openvino
from onnx import TensorProto, helper

graph = helper.make_graph([helper.make_node("Softmax", ["x"], ["y"], axis=1)], "net",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 4])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3, 4])])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=6)
onnx.checker.check_model(model)
x = np.arange(12, dtype=np.float32).reshape(1, 3, 4) / 4
bytes_of_model = model.SerializeToString()
[by_runtime] = onnxruntime.InferenceSession(bytes_of_model, providers=["CPUExecutionProvider"]).run(None, {"x": x})
core = openvino.Core()
by_openvino = core.compile_model(core.read_model(bytes_of_model), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(x)[0]
print(f"sums: onnxruntime {onnxruntime.__version__} {by_runtime.sum():.3f}, openvino {openvino.__version__.split('-')[0]} {by_openvino.sum():.3f}")
flat = np.exp(x - x.max())
assert np.allclose(by_runtime, flat / flat.sum(), atol=1e-6)
assert np.allclose(by_openvino.sum(axis=1), 1, atol=1e-5), by_openvino
PYTHON
