# SPDX-License-Identifier: Apache-2.0
"""Plants one fault into a copy of an ONNX model whose operators compute in integers (QLinearConv, QGemm, QLinearMatMul, QLinearAdd, ...): scales,
codes of weights, biases, attributes. It uses the onnx package and no code of edgeprobe.

planted(MODEL, REFERENCE) lists what can be planted; `output` of a fault is the tensor of the float REFERENCE that the operator makes.
"""
import copy

import numpy as np
import onnx

from onnx_faults import Fault, _attribute, _edit, _set

# Inputs of an operator: weights, their scale, bias, scale of the output.
PLACES = {"QLinearConv": (3, 4, 8, 6), "QLinearMatMul": (3, 4, None, 6), "QGemm": (3, 4, 6, 7), "QLinearAdd": (None, None, None, 6),
          "QLinearMul": (None, None, None, 6), "QLinearGlobalAveragePool": (None, None, None, 3), "QLinearAveragePool": (None, None, None, 3)}


def _without_largest(codes):
    largest = int(np.argmax(np.abs(codes.astype(np.int64)).reshape(codes.shape[0], -1).sum(1)))
    codes[largest] = 0
    return codes


def _names(reference):
    """Maps the quantiser's name of an operator's output to the operator's own tensor in the float model, and to the output of the activation that the
    quantiser folded into its range."""
    readers = {}
    for node in reference.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    own, behind = {}, {}
    for node in reference.graph.node:
        name = node.output[0]
        own[name + "_quantized"] = behind[name + "_quantized"] = name
        after = readers.get(name, [])
        if len(after) == 1 and after[0].op_type in ("Relu", "Clip"):
            behind[name + "_quantized"] = after[0].output[0]
    return own, behind


def planted(model, reference):
    """All faults that fit this quantised onnx.ModelProto; `apply` gives the changed copy, or None if it is not a valid model."""
    own, behind = _names(reference)
    stored = {one.name: one for one in model.graph.initializer}
    uses = {}
    for node in model.graph.node:
        for place in {name for name in node.input}:
            uses[place] = uses.get(place, 0) + 1

    def applied(change):
        changed = copy.deepcopy(model)
        change(changed)
        return changed

    faults = []
    def add(name, kind, output, change):
        faults.append(Fault(name, kind, output, lambda: applied(change)))

    for index, node in enumerate(model.graph.node):
        output = node.output[0]
        if node.op_type not in PLACES or output not in own:
            continue
        weights, scale, bias, made = PLACES[node.op_type]
        at = lambda changed, index=index: changed.graph.node[index]
        if weights is not None and node.input[weights] in stored:
            codes, steps = node.input[weights], node.input[scale]
            shape = stored[codes].dims
            add("weight scale doubled", "weights", own[output], lambda m, s=steps: _edit(m, s, lambda v: v * np.float32(2)))
            add("largest channel zero", "weights", own[output], lambda m, c=codes: _edit(m, c, _without_largest))
            add("filters reversed", "weights", own[output], lambda m, c=codes: _edit(m, c, lambda v: v[::-1]))
            if len(shape) == 4 and shape[2] > 1:
                add("filters upside down", "weights", own[output], lambda m, c=codes: _edit(m, c, lambda v: v[:, :, ::-1]))
            if bias is not None and len(node.input) > bias and node.input[bias] in stored:
                add("bias zero", "weights", own[output], lambda m, b=node.input[bias]: _edit(m, b, lambda v: v * 0))
        pads = list(_attribute(node, "pads").ints) if _attribute(node, "pads") else []
        if node.op_type == "QLinearConv" and len(pads) == 4 and sum(pads) > 0:
            before = [min(pads[i] + 1, pads[i] + pads[i + 2]) for i in range(2)]
            shifted = before + [pads[i] + pads[i + 2] - before[i] for i in range(2)]
            if shifted != pads:
                add("padding on the other side", "operator", own[output], lambda m, at=at, p=shifted: _set(at(m), "pads", p))
        for name, factor in (("scale / 4", 1 / 4), ("scale / 8", 1 / 8), ("scale * 16", 16)):
            def change(m, s=node.input[made], factor=factor, readers=output):
                _edit(m, s, lambda v: v * np.float32(factor))
                # As a quantiser writes it: the biases after it are in the steps of their products.
                for one in m.graph.node:
                    slot = PLACES.get(one.op_type, (None, None, None, None))[2]
                    if slot is not None and one.input[0] == readers and len(one.input) > slot and one.input[slot]:
                        _edit(m, one.input[slot], lambda v: np.rint(v / np.float64(factor)))
            add(name, "quantization", behind[output], change)
    return faults
