# SPDX-License-Identifier: Apache-2.0
"""Quantisation faults made by editing an int8 file. Each function returns the edited Model, or None if the fault cannot be planted there.

    quant_faults.py KIND MODEL OP OUT
"""
import pathlib
import sys

import numpy as np

from model_file import WEIGHTED, Model

# Input and output of these operators share their scale, so changing one side would make another operator wrong, too.
TIED = ("AVERAGE_POOL_2D", "MAX_POOL_2D", "RESHAPE", "SQUEEZE", "PAD", "CONCATENATION", "SOFTMAX", "LOGISTIC")
INT32 = 2**31 - 1


def _rescaled(path, op, factor=1.0, zero=0):
    """Stores the output of `op` with another scale and zero point, and adapts the biases of its consumers."""
    model = Model(path)
    tensor, users = model.output(op), model.consumers(model.output(op))
    if model.types[op] in TIED or not users or any(model.types[k] in TIED for k in users) or tensor in list(model.graph.outputs):
        return None
    scales, zeros = model.scales(tensor)
    for k in users:
        inputs = list(model.ops[k].inputs)
        if model.types[k] not in WEIGHTED or factor == 1 or len(inputs) < 3 or inputs[2] < 0:
            continue
        bias = np.rint(model.constant(inputs[2]) / factor)
        if np.abs(bias).max() > INT32:
            return None  # The next layer would also be wrong.
        model.set_constant(inputs[2], bias)
        model.set_scales(inputs[2], model.scales(inputs[2])[0] * factor)
    model.set_scales(tensor, scales[0] * factor, zeros[0] + zero)
    return model


def _zero_point(path, op, step):
    zero = int(Model(path).scales(Model(path).output(op))[1][0])
    return _rescaled(path, op, zero=step if zero + step <= 127 else -step)


def _weights(path, op):
    model = Model(path)
    inputs = list(model.ops[op].inputs)
    if model.types[op] not in WEIGHTED or len(inputs) < 3 or inputs[2] < 0:
        return None
    weights = model.constant(inputs[1])
    shape = [1] * weights.ndim
    shape[model.axis(inputs[1]) if len(model.scales(inputs[1])[0]) > 1 else 0] = -1
    return model, inputs[1], inputs[2], weights.astype(np.float64), shape


def _per_tensor(path, op):
    found = _weights(path, op)
    if not found:
        return None
    model, w, b, weights, shape = found
    scales = model.scales(w)[0]
    if len(scales) < 2 or scales.max() / np.median(scales) < 2:
        return None  # One scale would be enough, so this is not a fault.
    one = scales.max()
    bias_scales = model.scales(b)[0]
    bias = model.constant(b) * bias_scales
    model.set_constant(w, np.clip(np.rint(weights * scales.reshape(shape) / one), -127, 127))
    model.set_scales(w, one)
    model.set_scales(b, bias_scales * one / scales)
    model.set_constant(b, np.rint(bias / (bias_scales * one / scales)))
    return model


def _bias_clipped(path, op):
    found = _weights(path, op)
    if not found:
        return None
    model, _, b, _, _ = found
    scales = model.scales(b)[0]
    bias = model.constant(b) * scales
    limit = 0.3 * np.abs(bias).max()
    model.set_constant(b, np.rint(np.clip(bias, -limit, limit) / scales))
    return model


def _noise(path, op):
    found = _weights(path, op)
    if not found:
        return None
    model, w, _, weights, _ = found
    noise = np.random.default_rng(op).normal(0, 0.3 * weights.std(), weights.shape)
    model.set_constant(w, np.clip(np.rint(weights + noise), -127, 127))
    return model


def _permuted(path, op):
    found = _weights(path, op)
    if not found:
        return None
    model, w, _, weights, shape = found
    axis = shape.index(-1)
    model.set_constant(w, np.take(weights, np.random.default_rng(op).permutation(weights.shape[axis]), axis=axis))
    return model


EDITS = {
    "act_x4": lambda path, op: _rescaled(path, op, 4.0),
    "act_d4": lambda path, op: _rescaled(path, op, 0.25),
    "zp20": lambda path, op: _zero_point(path, op, 20),
    "zp60": lambda path, op: _zero_point(path, op, 60),
    "pertensor": _per_tensor,
    "biassat": _bias_clipped,
    "noisew": _noise,
    "permw": _permuted,
}


def edit(kind, path, op):
    """The edited Model; None if this fault is impossible there."""
    model = Model(path)
    if model.types[op] in ("QUANTIZE", "DEQUANTIZE") or model.scales(model.output(op))[0] is None:
        return None
    return EDITS[kind](path, op)


if __name__ == "__main__":
    edit(sys.argv[1], sys.argv[2], int(sys.argv[3])).save(pathlib.Path(sys.argv[4]))
