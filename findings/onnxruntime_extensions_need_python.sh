#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# onnxruntime-extensions 0.15.2: get_library_path() returns the library that an app registers with ONNX Runtime for its custom operators.
# One would expect that an app in C++ or Java can register that file like Python. It cannot: the library of the wheel needs symbols of
# the Python interpreter (PyInstanceMethod_Type and many more) and does not name the library that has them, so the loader refuses it
# in any other process. Such an app needs the library that the project builds without Python.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet onnxruntime-extensions==0.15.2 onnxruntime==1.32.0 numpy==2.4.6
library=$("$folder/venv/bin/python" -c 'import onnxruntime_extensions; print(onnxruntime_extensions.get_library_path())')
"$folder/venv/bin/python" -c "
import onnxruntime
options = onnxruntime.SessionOptions()
options.register_custom_ops_library('$library')
print('in Python it is registered')"
said=$(LD_BIND_NOW=1 LD_PRELOAD=$library /bin/true 2>&1 || true)
echo "elsewhere: ${said##*: undefined}"
case "$said" in *"undefined symbol: Py"*) ;; *) echo "no longer so: $said"; exit 1 ;; esac
