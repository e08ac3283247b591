# SPDX-License-Identifier: Apache-2.0
"""Keras or SavedModel -> .tflite: TensorFlow's own converter. Float, or quantised after training."""
import tensorflow as tf
from tensorflow.lite.python import schema_py_generated as schema
from tensorflow.lite.tools import flatbuffer_utils

from . import keras_model

OPS = tf.lite.OpsSet
# The float operators are allowed too: without them the converter refuses a model with one operator that has no integer kernel.
INTEGERS = {"int8": [OPS.TFLITE_BUILTINS_INT8, OPS.TFLITE_BUILTINS],
            "int16x8": [OPS.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8, OPS.TFLITE_BUILTINS]}


def named(content, request):
    """The file with the names of the source's inputs and outputs, and a signature."""
    model = flatbuffer_utils.convert_bytearray_to_object(content)
    graph = model.subgraphs[0]
    signature = schema.SignatureDefT()
    signature.signatureKey, signature.subgraphIndex = "serving_default", 0
    for kind, tensors in (("inputs", graph.inputs), ("outputs", graph.outputs)):
        if len(tensors) != len(request[kind]):
            raise ValueError(f"the .tflite has {len(tensors)} {kind} where the model has {len(request[kind])}")
        entries = []
        for one, tensor in zip(request[kind], tensors):
            # One tensor may be two outputs, or both an input and an output: the first name stays.
            if kind == "inputs" or tensor not in list(graph.inputs):
                graph.tensors[tensor].name = one["name"]
            entry = schema.TensorMapT()
            entry.name, entry.tensorIndex = one["name"], int(tensor)
            entries.append(entry)
        setattr(signature, kind, entries)
    model.signatureDefs = [signature]
    return bytes(flatbuffer_utils.convert_object_to_bytearray(model))


def in_order(content):
    """Whether the inputs of the file are those of the function, in its order."""
    names = [one["name"] for one in tf.lite.Interpreter(model_content=content).get_input_details()]
    return names == [f"input_{i}" for i in range(len(names))]


def convert(request):
    function, keep = keras_model.frozen(request)
    to, options = request["to"], request["options"]
    plain = tf.lite.TFLiteConverter.from_concrete_functions([function])
    content = plain.convert() if to == "tflite" or len(request["inputs"]) > 1 else None
    if content is not None and not in_order(content):
        raise ValueError("TensorFlow's converter put the inputs into another order, so their values cannot be told apart")
    if to != "tflite":
        converter = tf.lite.TFLiteConverter.from_concrete_functions([function])
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        if to == "float16":
            converter.target_spec.supported_types = [tf.float16]
        if to in INTEGERS:
            converter.representative_dataset = lambda: iter(request["frames"])
            converter.target_spec.supported_ops = INTEGERS[to]
            converter.inference_input_type = tf.as_dtype(options["inference_input_type"])
            converter.inference_output_type = tf.as_dtype(options["inference_output_type"])
        content = converter.convert()
    with open(request["out"], "wb") as file:
        file.write(named(content, request))
    del keep
    return {"tool": keras_model.TOOL, "notes": []}
