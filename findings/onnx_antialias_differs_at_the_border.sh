#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX's Resize with antialias=1, mode linear and half_pixel (ONNX Runtime 1.32.0, uint8) against Pillow 12.0.0's BILINEAR, the same filter:
# the values inside are equal up to rounding, and those of the outermost rows and columns are up to 10 gray levels apart. One would expect
# equal values everywhere, up to rounding.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6 pillow==12.0.0
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnx
import onnxruntime
import PIL
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], mode="linear", antialias=1, coordinate_transformation_mode="half_pixel")
graph = helper.make_graph([node], "net", [helper.make_tensor_value_info("x", TensorProto.UINT8, [1, 1, 97, 131])],
                          [helper.make_tensor_value_info("y", TensorProto.UINT8, [1, 1, 32, 32])],
                          [numpy_helper.from_array(np.array([1, 1, 32, 32], np.int64), "sizes")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
onnx.checker.check_model(model)
picture = np.random.default_rng(2).integers(0, 256, (97, 131), dtype=np.uint8)
[y] = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": picture[None, None]})
right = np.asarray(Image.fromarray(picture).resize((32, 32), Image.Resampling.BILINEAR))
apart = np.abs(y[0, 0].astype(int) - right.astype(int))
inside = apart[1:-1, 1:-1].max()
border = max(apart[[0, -1]].max(), apart[:, [0, -1]].max())
print(f"onnxruntime {onnxruntime.__version__}, Pillow {PIL.__version__}: inside {inside}, outermost rows and columns {border} levels apart")
assert inside <= 1, inside
assert border >= 5, border
PYTHON
