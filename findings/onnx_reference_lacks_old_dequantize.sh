#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# onnx 1.23.2: the reference evaluator runs no DequantizeLinear of a model of opset 17 (nor any below 19), though onnx.checker passes
# it and ONNX Runtime 1.32.0 runs it. One would expect that the package's own evaluator runs every model that its checker accepts. Quantised
# models of most exporters state opset 13 to 18; version_converter to opset 19 makes them run.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnx
import onnx.reference
import onnx.version_converter
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

graph = helper.make_graph([helper.make_node("DequantizeLinear", ["x", "s", "z"], ["y"])], "net",
                          [helper.make_tensor_value_info("x", TensorProto.INT8, [3])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])],
                          [numpy_helper.from_array(np.asarray(value), name) for name, value in (("s", np.float32(0.5)), ("z", np.int8(1)))])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model, full_check=True)
x = np.array([1, 3, -5], np.int8)
[right] = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": x})
assert right.tolist() == [0, 1, -3], right
try:
    onnx.reference.ReferenceEvaluator(model).run(None, {"x": x})
except RuntimeError as error:
    print(f"onnx {onnx.__version__}: {str(error)[:110]}")
    assert "No implementation for operator 'DequantizeLinear'" in str(error)
else:
    raise SystemExit("the reference evaluator runs it now")
[newer] = onnx.reference.ReferenceEvaluator(onnx.version_converter.convert_version(model, 19)).run(None, {"x": x})
assert newer.tolist() == right.tolist(), newer
PYTHON
