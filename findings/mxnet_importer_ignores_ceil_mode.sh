#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# MXNet 1.9.1's importer (contrib.onnx.import_model, onnx 1.13.1) reads a MaxPool with ceil_mode=1 without an error and computes it with
# ceil_mode=0: of 6 x 6 values, kernel 3, stride 2 and padding 1 it gives 3 x 3 instead of 4 x 4. One would expect 4 x 4, the shape that the file
# itself states, or an error. MXNet's own export of MaxPool2D(ceil_mode=True) writes such a node.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet mxnet==1.9.1 onnx==1.13.1 numpy==1.23.5
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import mxnet as mx
import numpy as np
import onnx
from mxnet.contrib import onnx as importer
from onnx import TensorProto, helper

x = np.random.default_rng(1).normal(size=(1, 1, 6, 6)).astype(np.float32)
shapes = {}
for ceil in (0, 1):
    size = 3 + ceil
    node = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=ceil)
    value = lambda name, size: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1, size, size])
    model = helper.make_model(helper.make_graph([node], "net", [value("x", 6)], [value("y", size)]), opset_imports=[helper.make_opsetid("", 11)], ir_version=3)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, "pool.onnx")
    symbol, _, _ = importer.import_model("pool.onnx")
    shapes[ceil] = symbol.infer_shape(x=x.shape)[1][0]
print(f"mxnet {mx.__version__}: ceil_mode=0 gives {shapes[0]}, ceil_mode=1 gives {shapes[1]}; the second file says (1, 1, 4, 4)")
assert shapes == {0: (1, 1, 3, 3), 1: (1, 1, 3, 3)}, shapes
PYTHON
