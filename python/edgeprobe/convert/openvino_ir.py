# SPDX-License-Identifier: Apache-2.0
"""ONNX or .tflite -> OpenVINO IR (.xml and .bin), with unchanged float32 constants."""
import openvino


def convert(request):
    model = openvino.convert_model(request["model"])
    # The default stores constants in float16.
    openvino.save_model(model, request["out"], compress_to_fp16=False)
    return {"tool": f"openvino {openvino.get_version().split('-')[0]}", "notes": []}
