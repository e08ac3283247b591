# SPDX-License-Identifier: Apache-2.0
"""Float .tflite -> int8: ai-edge-quantizer, static (8-bit weights and activations) or dynamic range."""
import importlib.metadata
import pathlib
import tempfile

from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.tools import flatbuffer_utils
from ai_edge_quantizer import quantizer, recipe


def signature_of(model):
    """Returns (key of the signature, {name of a tensor: name of that input in the signature})."""
    interpreter = litert.Interpreter(model_path=model)
    signatures = interpreter.get_signature_list()
    if not signatures:
        raise ValueError("the model has no signature, and ai-edge-quantizer calibrates only by signature")
    key = next(iter(signatures))
    details = interpreter.get_signature_runner(key).get_input_details()
    return key, {one["name"]: name for name, one in details.items()}


def with_signature(model, folder):
    """The model, or a copy with a signature: ai-edge-quantizer calibrates only by signature, and older files have none."""
    if litert.Interpreter(model_path=model).get_signature_list():
        return model, []
    content = flatbuffer_utils.read_model(model)
    graph = content.subgraphs[0]

    def entry(kind, number, tensor):
        one = schema.TensorMapT()
        one.name, one.tensorIndex = f"{kind}_{number}", int(tensor)
        return one

    signature = schema.SignatureDefT()
    signature.signatureKey, signature.subgraphIndex = "serving_default", 0
    signature.inputs = [entry("input", i, tensor) for i, tensor in enumerate(graph.inputs)]
    signature.outputs = [entry("output", i, tensor) for i, tensor in enumerate(graph.outputs)]
    content.signatureDefs = [signature]
    path = str(pathlib.Path(folder, "signed.tflite"))
    flatbuffer_utils.write_model(content, path)
    return path, ["the model has no signature, without which ai-edge-quantizer does not calibrate; the result got one"]


def convert(request):
    with tempfile.TemporaryDirectory() as folder:
        return convert_in(request, folder)


def convert_in(request, folder):
    model, notes = with_signature(request["model"], folder)
    work = quantizer.Quantizer(model)
    if request["to"] == "int8-dynamic":
        work.load_quantization_recipe(recipe.dynamic_wi8_afp32())
        result = work.quantize()
    else:
        work.load_quantization_recipe(request.get("keep_float") or recipe.static_wi8_ai8())
        key, known = signature_of(model)
        missing = [one["name"] for one in request["inputs"] if one["name"] not in known]
        if missing and len(known) != 1:
            raise ValueError(f"signature '{key}' has no input '{missing[0]}'")
        names = list(known.values()) if missing else [known[one["name"]] for one in request["inputs"]]
        result = work.quantize(work.calibrate({key: [dict(zip(names, frame)) for frame in request["frames"]]}))
    result.export_model(request["out"], overwrite=True)
    return {"tool": f"ai-edge-quantizer {importlib.metadata.version('ai-edge-quantizer')}", "notes": notes}
