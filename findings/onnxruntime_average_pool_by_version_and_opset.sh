#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# AveragePool with ceil_mode=1 and count_include_pad=1 (kernel 3, stride 2, padding 1 before and after, 4 x 4 ones): the last window extends
# beyond the padding. Its divisor depends on ONNX Runtime and on the opset that the file states: 9 in 1.20.1 (opsets 11 and 19), 9 in 1.22.1
# for opset 11 and 6 for opset 19, 6 in 1.32.0 for both; 6 is PyTorch's. One would expect that a file always means the same. A model that
# was exported again with a newer opset, or run on a newer runtime, changes at its border without a warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
for version in 1.20.1 1.22.1 1.32.0; do
  "$folder/venv/bin/pip" install --quiet onnxruntime==$version onnx==1.23.2 numpy==2.4.6
  "$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnxruntime
from onnx import TensorProto, checker, helper

EXPECTED = {"1.20.1": (9, 9), "1.22.1": (9, 6), "1.32.0": (6, 6)}

def divisor(opset):
    node = helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1, count_include_pad=1)
    value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph([node], "g", [value("x", [1, 1, 4, 4])], [value("y", [1, 1, 3, 3])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    checker.check_model(model)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    [y] = session.run(None, {"x": np.ones((1, 1, 4, 4), np.float32)})
    # The window of row 0 and the last column contains 2 ones: rows 0 and 1 of column 3.
    return round(2 / float(y[0, 0, 0, 2]))

found = tuple(divisor(opset) for opset in (11, 19))
print(f"onnxruntime {onnxruntime.__version__}: the overhanging window is divided by {found[0]} (opset 11), {found[1]} (opset 19)")
assert found == EXPECTED[onnxruntime.__version__], found
PYTHON
done
