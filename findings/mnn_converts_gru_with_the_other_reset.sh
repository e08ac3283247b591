#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1, its converter: a GRU of ONNX is computed as if linear_before_reset were 1, whatever the file says. The default of ONNX is 0, in
# which the reset gate acts before the recurrent matrix. One would expect the attribute to be kept, or an error. Seen: the default file gives
# other numbers (difference of 0.01 and more) than ONNX's reference evaluator, without a warning; with linear_before_reset=1 they agree, and
# with --useOriginRNNImpl both do.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet mnn==3.6.1 onnx==1.23.2 numpy==2.4.6
cd "$folder"
venv/bin/python - <<'PYTHON'
import _tools
import MNN
import numpy as np
import onnx
import onnx.reference
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(0)
constants = {"w": random.normal(size=(1, 12, 5)) * .4, "r": random.normal(size=(1, 12, 4)) * .4, "b": random.normal(size=(1, 24)) * .2}
x = random.normal(size=(7, 1, 5)).astype(np.float32)
found = {}
for reset in (0, 1):
    node = helper.make_node("GRU", ["x", "w", "r", "b"], ["all", "y"], hidden_size=4, linear_before_reset=reset)
    graph = helper.make_graph([node], "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [7, 1, 5])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 4])],
                              [numpy_helper.from_array(value.astype(np.float32), name) for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, "net.onnx")
    right = onnx.reference.ReferenceEvaluator(model).run(None, {"x": x})[0].reshape(-1)
    for flag in ([], ["--useOriginRNNImpl"]):
        _tools.mnnconvert(["mnnconvert", "-f", "ONNX", "--modelFile", "net.onnx", "--MNNModel", "net.mnn", "--bizCode", "x", *flag])
        module = MNN.nn.load_module_from_file("net.mnn", ["x"], ["y"])
        [y] = module.forward([MNN.expr.const(x.reshape(-1).tolist(), list(x.shape), MNN.expr.NCHW)])
        found[reset, bool(flag)] = float(np.abs(np.array(y.read()).reshape(-1) - right).max())
for (reset, flag), difference in found.items():
    print(f"MNN {MNN.version()}: linear_before_reset={reset}{' --useOriginRNNImpl' if flag else ''}: largest difference {difference:.1e}")
assert found[0, False] > 0.01, found
assert max(found[0, True], found[1, False], found[1, True]) < 1e-5, found
PYTHON
