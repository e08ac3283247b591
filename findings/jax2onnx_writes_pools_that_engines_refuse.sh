#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jax2onnx 0.17.1 (JAX 0.10.2) exports lax.reduce_window with lax.max over a picture of NHWC, the usual max pooling in plain JAX, as a MaxPool with a
# window of four dimensions (1, 3, 3, 1) over a tensor of six. onnx.checker accepts the file, and ONNX Runtime 1.32.0 loads it and refuses to run it:
# "Unsupported pooling size". One would expect a window of two dimensions between two transpositions, as jax2onnx writes for a convolution.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet jax==0.10.2 jaxlib==0.10.2 jax2onnx==0.17.1 onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6
JAX_PLATFORMS=cpu "$folder/venv/bin/python" -W ignore - <<'PYTHON'
import jax.numpy as jnp
import jax2onnx
import numpy as np
import onnx
import onnxruntime
from jax import lax

def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")

model = jax2onnx.to_onnx(pool, [(1, 8, 8, 3)])
onnx.checker.check_model(model, full_check=True)
[node] = [node for node in model.graph.node if node.op_type == "MaxPool"]
window = next(list(one.ints) for one in node.attribute if one.name == "kernel_shape")
onnxruntime.set_default_logger_severity(4)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
try:
    session.run(None, {session.get_inputs()[0].name: np.zeros((1, 8, 8, 3), np.float32)})
except Exception as error:
    print(f"window {window}: {str(error)[:160]}")
    assert window == [1, 3, 3, 1] and "Unsupported pooling size" in str(error), error
else:
    raise SystemExit("ONNX Runtime runs it now")
PYTHON
