# SPDX-License-Identifier: Apache-2.0
"""The second converter: makes a float .tflite int8 with only NumPy and the schema, calibrated by LiteRT's interpreter.

    numpy_int8.py FLOAT OUT INPUTS.npy [--per-tensor]
"""
import pathlib
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from common import Model, schema

TIED = ("AVERAGE_POOL_2D", "MAX_POOL_2D", "RESHAPE", "SQUEEZE", "PAD")
KINDS = TIED + ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "ADD", "MEAN", "SOFTMAX")


def ranges(path, inputs):
    """(smallest, largest) of each tensor over the inputs."""
    session = Interpreter(model_path=str(path), experimental_preserve_all_tensors=True,
                          experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    session.allocate_tensors()
    index = session.get_input_details()[0]["index"]
    found = {}
    for values in inputs:
        session.set_tensor(index, values.reshape(session.get_input_details()[0]["shape"]).astype(np.float32))
        session.invoke()
        for one in session.get_tensor_details():
            if one["dtype"] != np.float32 or not one["name"]:
                continue
            try:
                seen = session.get_tensor(one["index"])
            except ValueError:
                continue
            low, high = found.get(one["index"], (0.0, 0.0))  # The range of the codes always includes 0.
            found[one["index"]] = (min(low, float(seen.min())), max(high, float(seen.max())))
    return found


def parameters(scales, zeros, axis=0):
    q = schema.QuantizationParametersT()
    q.scale, q.zeroPoint = np.asarray(scales, np.float32), np.asarray(zeros, np.int64)
    q.quantizedDimension = axis
    return q


def quantise(path, inputs, per_tensor=False):
    model = Model(path)
    unknown = set(model.types) - set(KINDS)
    if unknown:
        raise SystemExit("%s: this converter does not know %s" % (path, ", ".join(sorted(unknown))))
    seen = ranges(path, inputs)

    def activation(tensor, scale=None, zero=None):
        if scale is None:
            low, high = seen[tensor]
            scale = max((high - low) / 255, 1e-6)
            zero = int(np.clip(np.rint(-128 - low / scale), -128, 127))
        model.tensors[tensor].type, model.tensors[tensor].quantization = schema.TensorType.INT8, parameters([scale], [zero])

    def stored(tensor, codes, kind, quantization):
        model.tensors[tensor].type, model.tensors[tensor].quantization = kind, quantization
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(np.ascontiguousarray(codes).tobytes(), np.uint8)
        model._model.buffers.append(buffer)
        model.tensors[tensor].buffer = len(model._model.buffers) - 1

    activation(int(model.graph.inputs[0]))
    for k, kind in enumerate(model.types):
        ins, out = [int(t) for t in model.ops[k].inputs], model.output(k)
        if kind in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"):
            w = model.constant(ins[1]).astype(np.float64)
            axis = 3 if kind == "DEPTHWISE_CONV_2D" else 0
            others = tuple(d for d in range(w.ndim) if d != axis)
            largest = np.abs(w).max(axis=None if per_tensor else others, keepdims=True)
            scales = np.maximum(largest / 127, 1e-12)
            codes = np.clip(np.rint(w / scales), -127, 127).astype(np.int8)
            stored(ins[1], codes, schema.TensorType.INT8, parameters(scales.ravel(), np.zeros(scales.size), axis))
            fed = model.scales(ins[0])[0][0]
            if len(ins) > 2 and ins[2] >= 0:
                bias = model.constant(ins[2]).astype(np.float64)
                steps = fed * np.asarray(model.tensors[ins[1]].quantization.scale, np.float64)
                codes = np.clip(np.rint(bias / steps), -(2**31), 2**31 - 1).astype(np.int32)
                stored(ins[2], codes, schema.TensorType.INT32, parameters(steps, np.zeros(steps.size)))
        if kind in TIED:
            scale, zero = model.scales(ins[0])
            activation(out, scale[0], int(zero[0]))
        elif kind == "SOFTMAX":
            activation(out, 1 / 256, -128)
        else:
            activation(out)
    versions = {"CONV_2D": 3, "DEPTHWISE_CONV_2D": 3, "FULLY_CONNECTED": 4, "ADD": 2, "MEAN": 2, "SOFTMAX": 2, "AVERAGE_POOL_2D": 2, "MAX_POOL_2D": 2}
    for k, kind in enumerate(model.types):
        code = model._model.operatorCodes[model.ops[k].opcodeIndex]
        code.version = max(code.version, versions.get(kind, 1))
    return model


if __name__ == "__main__":
    flags = [a for a in sys.argv[1:] if a.startswith("--")]
    source, out, values = [a for a in sys.argv[1:] if not a.startswith("--")]
    quantise(pathlib.Path(source), np.load(values), "--per-tensor" in flags).save(pathlib.Path(out))
