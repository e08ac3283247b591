#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime 1.22.1, 1.23.2, 1.24.4, 1.31.1 and 1.32.0: the newest file that each reads, tested with files of one Neg. One would expect
# that the version of the file format (IR) and that of the operators rise together, release by release. They do not: 1.23 reads IR 11, 1.24
# skips to IR 13 and from operators 23 to 25, and 1.25 to 1.31 stay at IR 13 and operators 26. A file of IR 12 or of operators 24 is
# therefore refused by 1.23 and read by 1.24, whichever exporter wrote it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
for version in 1.22.1 1.23.2 1.24.4 1.31.1 1.32.0; do
  "$folder/venv/bin/pip" install --quiet onnxruntime==$version onnx==1.23.2 numpy==2.4.6
  "$folder/venv/bin/python" - <<'PYTHON'
import onnxruntime
from onnx import TensorProto, helper

onnxruntime.set_default_logger_severity(4)
EXPECTED = {"1.22.1": (10, 22), "1.23.2": (11, 23), "1.24.4": (13, 25), "1.31.1": (13, 26), "1.32.0": (14, 28)}

def reads(ir, opset):
    value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1])
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", [value("x")], [value("y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = ir
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception:
        return False
    return True

found = (max(ir for ir in range(7, 16) if reads(ir, 13)), max(opset for opset in range(18, 30) if reads(7, opset)))
print(f"onnxruntime {onnxruntime.__version__}: IR up to {found[0]}, operators up to {found[1]}")
assert found == EXPECTED[onnxruntime.__version__], found
PYTHON
done
