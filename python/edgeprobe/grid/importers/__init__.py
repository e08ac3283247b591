# SPDX-License-Identifier: Apache-2.0
"""What computes an .onnx: importers of frameworks, and engines of edgeprobe.

A module has run(request, samples), which returns the outputs of each sample, in the file's order, and the seconds of reading the file."""
from __future__ import annotations

#: Importer -> title, its module, and the framework whose Python has it (None: the Python that exported, which has NumPy).
IMPORTERS = {
    "onnx2torch": ("onnx2torch", "onnx2torch", "pytorch"),
    "mxnet": ("MXNet", "mxnet", "mxnet"),
    "onnxruntime": ("ONNX Runtime", "engine", None),
    "openvino": ("OpenVINO", "engine", None),
    "tvm": ("TVM", "tvm", None),
}
#: Importer -> its distributions, whose versions are shown; of an engine, edgeprobe says the version.
PACKAGES = {"onnx2torch": ("onnx2torch", "torch", "onnx"), "mxnet": ("mxnet", "onnx", "numpy", "protobuf")}
#: Framework -> the importer that is its own; the others have none that is maintained.
OF_FRAMEWORK = {"pytorch": "onnx2torch", "mxnet": "mxnet"}
