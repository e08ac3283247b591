# SPDX-License-Identifier: Apache-2.0
"""Reads a request, calls the converter for it, answers."""
import importlib
import json
import os
import pathlib
import sys
import types

# Target and kind of the source: the module that converts.
CONVERTERS = {
    ("int8", "onnx"): "onnx_int8",
    ("int8", "tflite"): "tflite_int8",
    ("int8-dynamic", "tflite"): "tflite_int8",
    ("openvino", "onnx"): "openvino_ir",
    ("openvino", "tflite"): "openvino_ir",
    ("tvm", "onnx"): "tvm_module",
    ("tvm", "tflite"): "tvm_module",
    **{(to, source): "keras_tflite" for to in ("tflite", "float16", "int8", "int16x8", "int8-dynamic") for source in ("keras", "saved_model")},
    **{("onnx", source): "keras_onnx" for source in ("keras", "saved_model")},
    ("prune", "keras"): "keras_prune",
    ("prune-channels", "keras"): "keras_channels",
    ("cluster", "keras"): "keras_cluster",
    ("onnx", "pt2"): "torch_onnx",
    ("pte", "pt2"): "torch_pte",
}


def load(name):
    """Loads a module of this folder as part of a package that has no parent: a tool's environment lacks edgeprobe's other packages."""
    if "converters" not in sys.modules:
        package = types.ModuleType("converters")
        package.__path__ = [str(pathlib.Path(__file__).parent)]
        sys.modules["converters"] = package
    return importlib.import_module("converters." + name)


def sentence(error):
    """The first line of a tool's message that contains words."""
    lines = [line.strip() for line in str(error).splitlines() if any(c.isalpha() for c in line)]
    return f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}"[:500]


def main():
    # The output of tools must not mix with the answer on standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    sys.path += request.get("packages", [])
    try:
        for values, name in (("calibration", "frames"), ("train", "examples")):
            if request.get(values):
                request[name] = load("calibration").Frames(request["inputs"], request[values])
        answer = load(CONVERTERS[request["to"], request["format"]]).convert(request)
    except Exception as error:  # A tool may raise any error; its traceback does not help the user.
        answer = {"error": sentence(error)}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
    # Threads and destructors of a tool may hang, so end without them.
    os._exit(1 if "error" in answer else 0)


main()
