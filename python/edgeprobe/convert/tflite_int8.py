# SPDX-License-Identifier: Apache-2.0
"""Float .tflite -> int8: ai-edge-quantizer, static (8-bit weights and activations) or dynamic range."""
import importlib.metadata

import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_quantizer import quantizer, recipe


def signature_of(model):
    """(key, name of its one input)"""
    signatures = litert.Interpreter(model_path=model).get_signature_list()
    if not signatures:
        raise ValueError("the model has no signature, and ai-edge-quantizer calibrates by signature alone")
    key = next(iter(signatures))
    inputs = signatures[key]["inputs"]
    if len(inputs) != 1:
        raise ValueError(f"signature '{key}' has {len(inputs)} inputs; a recipe makes exactly one")
    return key, inputs[0]


def convert(request):
    work = quantizer.Quantizer(request["model"])
    if request["to"] == "int8-dynamic":
        work.load_quantization_recipe(recipe.dynamic_wi8_afp32())
        result = work.quantize()
    else:
        work.load_quantization_recipe(recipe.static_wi8_ai8())
        calibration = request["calibration"]
        key, name = signature_of(request["model"])
        values = np.memmap(calibration["file"], calibration["dtype"], "r").reshape([calibration["frames"], *calibration["shape"]])
        result = work.quantize(work.calibrate({key: [{name: np.array(frame)} for frame in values]}))
    result.export_model(request["out"], overwrite=True)
    return {"tool": f"ai-edge-quantizer {importlib.metadata.version('ai-edge-quantizer')}", "notes": []}
