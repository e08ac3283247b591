# SPDX-License-Identifier: Apache-2.0
"""Plants one fault into a copy of an ONNX model that is quantised while it runs (ConvInteger, MatMulInteger; quantize_dynamic): codes of weights,
their zero points and scales, biases. It uses the onnx package and no code of edgeprobe.

planted(MODEL, REFERENCE) lists what can be planted; `output` of a fault is the tensor of the float REFERENCE that the operator makes.
"""
import copy

import numpy as np
from onnx import numpy_helper

from onnx_faults import Fault, _edit

OPERATORS = ("ConvInteger", "MatMulInteger")
# Operators between the integer operator and the value that the float model has.
RESCALING = ("Cast", "Mul", "Add")


def _channel(node):
    """The axis of the weights' output channels."""
    return 0 if node.op_type == "ConvInteger" else -1


def _without_largest(codes, zero, axis):
    codes = np.moveaxis(codes.copy(), axis, 0)
    zero = np.broadcast_to(np.asarray(zero).reshape(-1), (len(codes),))
    sizes = np.abs(codes.astype(np.int64).reshape(len(codes), -1) - zero.astype(np.int64)[:, None]).sum(1)
    largest = int(np.argmax(sizes))
    codes[largest] = zero[largest]
    return np.moveaxis(codes, 0, axis)


def _chain(model, node, known):
    """The nodes after an integer operator, up to the value that the float model has."""
    chain, name = [], node.output[0]
    while name not in known:
        readers = [one for one in model.graph.node if name in one.input]
        if len(readers) != 1 or readers[0].op_type not in RESCALING:
            return None
        chain.append(readers[0])
        name = readers[0].output[0]
    # The product without the bias has the name of a MatMul, which in the float model may be part of a Gemm.
    return chain


def planted(model, reference):
    """All faults that fit this quantised onnx.ModelProto; `apply` gives the changed copy."""
    known = {name for node in reference.graph.node for name in node.output}
    stored = {one.name: one for one in model.graph.initializer}
    makers = {name: node for node in model.graph.node for name in node.output}
    found = [(node, chain) for node in model.graph.node if node.op_type in OPERATORS and node.input[1] in stored for chain in [_chain(model, node, known)] if chain]
    scale_of = {}
    for node, chain in found:
        product = next((makers[name] for one in chain if one.op_type == "Mul" for name in one.input if name in makers and makers[name].op_type == "Mul"), None)
        names = [name for name in product.input if name in stored] if product is not None else []
        if len(names) == 1:
            scale_of[node.output[0]] = names[0]

    def applied(change):
        changed = copy.deepcopy(model)
        change(changed)
        return changed

    faults = []
    for index, (node, chain) in enumerate(found):
        output, codes, zero = chain[-1].output[0], node.input[1], node.input[3] if len(node.input) > 3 else ""
        axis = _channel(node)
        def add(name, change):
            faults.append(Fault(name, "weights", output, lambda: applied(change)))

        base = numpy_helper.to_array(stored[zero]) if zero in stored else np.zeros((), np.int8)
        add("largest channel zero", lambda m, c=codes, a=axis, z=base: _edit(m, c, lambda v: _without_largest(v, z, a)))
        add("filters reversed", lambda m, c=codes, a=axis: _edit(m, c, lambda v: np.flip(v, a)))
        if len(stored[codes].dims) == 4 and stored[codes].dims[2] > 1:
            add("filters upside down", lambda m, c=codes: _edit(m, c, lambda v: v[:, :, ::-1]))
        if zero in stored:
            for steps in (4, 16):
                def move(v, steps=steps):
                    limits = np.iinfo(v.dtype)
                    return np.clip(v.astype(np.int64) + steps, limits.min, limits.max)
                add("zero point + %d" % steps, lambda m, z=zero, move=move: _edit(m, z, move))
        scale = scale_of.get(node.output[0])
        if scale:
            add("weight scale doubled", lambda m, s=scale: _edit(m, s, lambda v: v * np.float32(2)))
            if np.prod(stored[scale].dims, dtype=int) > 1:
                add("scales reversed", lambda m, s=scale: _edit(m, s, lambda v: v.reshape(-1)[::-1].reshape(v.shape)))
            other = scale_of.get(found[(index + 1) % len(found)][0].output[0])
            if other and other != scale and list(stored[other].dims) == list(stored[scale].dims):
                # Only the reader of this scale gets another operator's scale, so only this operator is wrong.
                def exchange(m, scale=scale, other=other):
                    for one in m.graph.node:
                        if one.op_type == "Mul" and scale in one.input:
                            one.input[list(one.input).index(scale)] = other
                add("scale of the next operator", exchange)
        for one in chain:
            if one.op_type != "Add":
                continue
            for name in one.input:
                bias = makers[name].input[0] if name in makers and makers[name].op_type == "Reshape" else name
                if bias in stored:
                    add("bias zero", lambda m, b=bias: _edit(m, b, lambda v: v * 0))
    return faults
