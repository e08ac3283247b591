#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Keras 3.15.1 on TensorFlow 2.21.0: Model.export(format="onnx") of Dense(8, "gelu") raises nothing and writes a file of opset 15 with the node
# Erfc, which no opset of ONNX has; onnx.checker refuses it and ONNX Runtime 1.32.0 cannot load it. One would expect an error at the export, or
# Erf. TensorFlow computes Keras' gelu by erfc, and tf2onnx 1.17.0 keeps operators that it does not know. Dense(8, "relu") is exported well.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet keras==3.15.1 tensorflow-cpu==2.21.0 tf2onnx==1.17.0 onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
cd "$folder"
TF_CPP_MIN_LOG_LEVEL=3 KERAS_BACKEND=tensorflow "$folder/venv/bin/python" -W ignore - 2> log <<'PYTHON' || { tail -5 log; exit 1; }
import keras
import onnx
import onnxruntime

accepted = {}
for activation in ("relu", "gelu"):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation)])
    model(keras.ops.zeros((1, 4)))
    model.export("net.onnx", format="onnx", verbose=False)
    kinds = [node.op_type for node in onnx.load("net.onnx").graph.node]
    try:
        onnx.checker.check_model("net.onnx")
        onnxruntime.InferenceSession("net.onnx", providers=["CPUExecutionProvider"])
        accepted[activation] = True
    except Exception as error:
        accepted[activation] = False
        print(f"keras {keras.__version__}: {activation} is exported as {kinds}: {str(error).splitlines()[0][:100]}")
        assert "Erfc" in kinds and "Erfc" in str(error), error
assert accepted == {"relu": True, "gelu": False}, accepted
PYTHON
