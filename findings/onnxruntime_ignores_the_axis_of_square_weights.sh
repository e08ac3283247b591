#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime 1.32.0: a quantised Conv with as many input as output channels whose weights have a scale for each input channel
# (DequantizeLinear with axis 1, which the checker accepts). With ORT_DISABLE_ALL and ORT_ENABLE_BASIC the result is that of the file, equal
# to NumPy's. With ORT_ENABLE_EXTENDED and ORT_ENABLE_ALL, the default, the pair is fused to QLinearConv, which uses the scales for output
# channels (axis 0): the result is 3.2 off on average, at an output scale of .05. One would expect that no level changes the meaning of the
# file, or that such a file is refused. A converter that writes the layout of its own weights into the axis gets wrong results without a
# warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnxruntime
from onnx import TensorProto, checker, helper, numpy_helper

random = np.random.default_rng(1)
C = 8
codes = random.integers(-127, 128, (C, C, 3, 3), dtype=np.int8)
scales = np.geomspace(.0005, .02, C).astype(np.float32)
f = lambda name, array: numpy_helper.from_array(np.asarray(array), name)
constants = [f("w", codes), f("ws", scales), f("wz", np.zeros(C, np.int8)), f("xs", np.float32(.02)), f("xz", np.uint8(128)), f("ys", np.float32(.05)), f("yz", np.uint8(128))]
node = helper.make_node
nodes = [node("QuantizeLinear", ["x", "xs", "xz"], ["xq"]), node("DequantizeLinear", ["xq", "xs", "xz"], ["xf"]),
         node("DequantizeLinear", ["w", "ws", "wz"], ["wf"], axis=1), node("Conv", ["xf", "wf"], ["c"], pads=[1, 1, 1, 1]),
         node("QuantizeLinear", ["c", "ys", "yz"], ["cq"]), node("DequantizeLinear", ["cq", "ys", "yz"], ["y"])]
value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, C, 9, 9])
model = helper.make_model(helper.make_graph(nodes, "g", [value("x")], [value("y")], constants), opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
checker.check_model(model, full_check=True)
x = random.uniform(-2, 2, (1, C, 9, 9)).astype(np.float32)
xf = (np.clip(np.rint(x / .02) + 128, 0, 255) - 128) * np.float32(.02)

def conv(weights):
    padded = np.pad(xf, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return sum(np.einsum("oi,nihw->nohw", weights[:, :, i, j], padded[:, :, i:i + 9, j:j + 9]) for i in range(3) for j in range(3))

def written(axis):
    shape = [1] * 4
    shape[axis] = C
    c = conv(codes * scales.reshape(shape).astype(np.float64))
    return (np.clip(np.rint(c / .05) + 128, 0, 255) - 128) * .05

found = {}
for name in ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL"):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    [y] = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    found[name] = tuple(float(np.abs(y - written(axis)).mean()) for axis in (1, 0))
    wrong = name in ("ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL")
    assert found[name][wrong] < 1e-3 < 1 < found[name][not wrong], found
    print(f"onnxruntime {onnxruntime.__version__} {name}: mean distance {found[name][0]:.4f} from axis 1 (the file), {found[name][1]:.4f} from axis 0")
PYTHON
