#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# OpenVINO 2026.4.1 reads an ONNX Resize with antialias=1, and one with exclude_outside=1, without an error, and computes both as if the
# attribute were 0: bit for bit the outputs of the file without it. One would expect the outputs of ONNX Runtime 1.32.0, which inside the
# picture are those of Pillow 12.0.0's BILINEAR, or an error. PyTorch writes the first for interpolate(antialias=True), tf2onnx the second for
# Keras' bicubic Resizing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet openvino==2026.4.1 onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6 pillow==12.0.0
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnx
import onnxruntime
import openvino
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

x = np.random.default_rng(1).normal(size=(1, 1, 31, 37)).astype(np.float32)

def outputs(size, **attributes):
    node = helper.make_node("Resize", ["x", "", "", "size"], ["y"], coordinate_transformation_mode="half_pixel", **attributes)
    value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph([node], "net", [value("x", x.shape)], [value("y", [1, 1, *size])], [numpy_helper.from_array(np.array([1, 1, *size]), "size")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return session.run(None, {"x": x})[0][0, 0], compiled(x)[0][0, 0]

def distance(a, b):
    return float(np.abs(a - b).max())

right, found = outputs((17, 19), mode="linear", antialias=1)
_, plain = outputs((17, 19), mode="linear")
pillow = np.asarray(Image.fromarray(x[0, 0]).resize((19, 17), Image.BILINEAR))
inside = np.s_[1:-1, 1:-1]
print(f"openvino {openvino.__version__[:8]}, antialias=1: {distance(found, right):.2f} from onnxruntime {onnxruntime.__version__}, which inside is "
      f"{distance(right[inside], pillow[inside]):.0e} from Pillow; {distance(found, plain):g} from antialias=0")
assert distance(right[inside], pillow[inside]) < 1e-5 and distance(found, right) > 1 and distance(found, plain) == 0
right, found = outputs((34, 38), mode="cubic", cubic_coeff_a=-0.5, exclude_outside=1)
_, plain = outputs((34, 38), mode="cubic", cubic_coeff_a=-0.5)
print(f"exclude_outside=1: {distance(found, right):.2f} from onnxruntime; {distance(found, plain):g} from exclude_outside=0")
assert distance(found, right) > 0.01 and distance(found, plain) == 0
PYTHON
