#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# AveragePool with ceil_mode=1 and count_include_pad=1 (kernel 3, stride 2, padding 1 before and after, 6 x 6 ones): the last window extends
# beyond the padding. OpenVINO 2026.4.1 divides it by 9, all cells of the kernel, for opsets 11, 19 and 22. One would expect 6 (and 4 in the
# corner), without the cells beyond the padding: so do ONNX Runtime 1.32.0, onnx 1.23.2's reference evaluator and PyTorch, which exports
# AvgPool2d(3, 2, 1, ceil_mode=True) as this node.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet openvino==2026.4.1 onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnx
import onnxruntime
import openvino
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

x = np.ones((1, 1, 6, 6), np.float32)
for opset in (11, 19, 22):
    node = helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1, count_include_pad=1)
    value = lambda name, size: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1, size, size])
    model = helper.make_model(helper.make_graph([node], "net", [value("x", 6)], [value("y", 4)]), opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    rows = {"onnxruntime": session.run(None, {"x": x})[0], "reference": ReferenceEvaluator(model).run(None, {"x": x})[0], "openvino": compiled(x)[0]}
    # Of ones, a value is the number of cells with a value over the divisor. The last window of a row in the middle has 3 of them.
    divisors = {name: round(3 / float(y[0, 0, 1, -1])) for name, y in rows.items()}
    print(f"opset {opset}: the last window is divided by {divisors}")
    assert divisors == {"onnxruntime": 6, "reference": 6, "openvino": 9}, divisors
PYTHON
