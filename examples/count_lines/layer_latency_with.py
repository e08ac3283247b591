# SPDX-License-Identifier: Apache-2.0
"""How long does each layer take? With edgeprobe, which also reports the cost of measuring."""
import subprocess
import sys

from app import MODELS

# begin
import edgeprobe

subprocess.run([edgeprobe.executable(), "bench", MODELS / "signs_float.onnx", "--layers", "--runs", "200"], check=True)
# end
