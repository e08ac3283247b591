# SPDX-License-Identifier: Apache-2.0
"""Reads a request, calls the converter for it, answers."""
import importlib.util
import json
import os
import pathlib
import sys

CONVERTERS = {
    ("int8", "onnx"): "onnx_int8",
    ("int8", "tflite"): "tflite_int8",
    ("int8-dynamic", "tflite"): "tflite_int8",
    ("openvino", "onnx"): "openvino_ir",
    ("openvino", "tflite"): "openvino_ir",
    ("tvm", "onnx"): "tvm_module",
    ("tvm", "tflite"): "tvm_module",
}


def load(name):
    """Loads the converter by its file, so that the converter's environment does not need the parent packages."""
    spec = importlib.util.spec_from_file_location(name, pathlib.Path(__file__).with_name(name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sentence(error):
    """The first line of a tool's message that contains words."""
    lines = [line.strip() for line in str(error).splitlines() if any(c.isalpha() for c in line)]
    return f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}"[:500]


def main():
    # The output of tools must not mix with the answer on standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    try:
        if request["calibration"]:
            request["frames"] = load("calibration").Frames(request)
        answer = load(CONVERTERS[request["to"], request["format"]]).convert(request)
    except Exception as error:  # A tool may raise any error; its traceback does not help the user.
        answer = {"error": sentence(error)}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
    # Threads and destructors of a tool may hang, so end without them.
    os._exit(1 if "error" in answer else 0)


main()
