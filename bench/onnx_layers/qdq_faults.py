# SPDX-License-Identifier: Apache-2.0
"""Plants one fault into a copy of a quantised ONNX model (QuantizeLinear, DequantizeLinear): scales, codes of weights, biases, attributes,
operators. It uses the onnx package and no code of edgeprobe.

planted(MODEL, REFERENCE) lists what can be planted; `output` of a fault is the tensor of the float REFERENCE that the operator makes.
"""
import copy

import numpy as np
import onnx
from onnx import numpy_helper

from onnx_faults import Fault, _attribute, _edit, _rename, _set

OPERATORS = ("Conv", "Gemm", "MatMul")


def _largest(codes):
    return int(np.argmax(np.abs(codes.astype(np.int64)).reshape(codes.shape[0], -1).sum(1)))


def _without_largest(codes):
    codes[_largest(codes)] = 0
    return codes


class _Graph:
    def __init__(self, model):
        self.nodes = model.graph.node
        self.maker = {name: node for node in self.nodes for name in node.output}
        self.stored = {one.name: one for one in model.graph.initializer}

    def dequantized(self, name):
        """The DequantizeLinear that makes this tensor from a constant."""
        node = self.maker.get(name)
        return node if node is not None and node.op_type == "DequantizeLinear" and node.input[0] in self.stored else None

    def same_operator(self, name, kind):
        """The output of the nearest operator of this kind at or before a tensor; None if another operator is there."""
        for _ in range(4):
            node = self.maker.get(name)
            if node is None:
                return None
            if node.op_type == kind:
                return name
            name = node.input[0]
        return None


def _of_node(graph, index):
    """(name, kind, change of a copied model) for each fault that fits this operator."""
    node = graph.nodes[index]
    at = lambda changed: changed.graph.node[index]
    weights = graph.dequantized(node.input[1]) if node.op_type in OPERATORS and len(node.input) > 1 else None
    if weights is not None:
        codes, scale = weights.input[0], weights.input[1]
        shape = graph.stored[codes].dims
        yield "weight scale doubled", "weights", lambda m: _edit(m, scale, lambda v: v * np.float32(2))
        yield "largest channel zero", "weights", lambda m: _edit(m, codes, _without_largest)
        yield "filters reversed", "weights", lambda m: _edit(m, codes, lambda v: v[::-1])
        if len(shape) == 4 and shape[2] > 1:
            yield "filters upside down", "weights", lambda m: _edit(m, codes, lambda v: v[:, :, ::-1])
        bias = graph.dequantized(node.input[2]) if len(node.input) > 2 else None
        if bias is not None:
            yield "bias zero", "weights", lambda m: _edit(m, bias.input[0], lambda v: v * 0)
    pads = list(_attribute(node, "pads").ints) if _attribute(node, "pads") else []
    if node.op_type == "Conv" and len(pads) == 4 and sum(pads) > 0:
        before = [min(pads[i] + 1, pads[i] + pads[i + 2]) for i in range(2)]
        shifted = before + [pads[i] + pads[i + 2] - before[i] for i in range(2)]
        if shifted != pads:
            yield "padding on the other side", "operator", lambda m: _set(at(m), "pads", shifted)
    for one, other in (("GlobalAveragePool", "GlobalMaxPool"), ("AveragePool", "MaxPool"), ("MaxPool", "AveragePool")):
        if node.op_type == one:
            yield other + " instead", "operator", lambda m, other=other: _rename(at(m), other)


def _of_scales(graph, float_graph):
    """(name, tensor, change) for each scale of an operator's output. If several tensors share a scale, the first one defined it."""
    seen = set()
    for node in graph.nodes:
        if node.op_type != "QuantizeLinear" or node.input[1] in seen or node.input[0] not in float_graph.maker:
            continue
        seen.add(node.input[1])
        for name, factor in (("scale / 4", 1 / 4), ("scale / 8", 1 / 8), ("scale * 16", 16)):
            yield name, node.input[0], lambda m, node=node, factor=factor: _edit(m, node.input[1], lambda v: v * np.float32(factor))


def planted(model, reference):
    """All faults that fit this quantised onnx.ModelProto; `apply` gives the changed copy, or None if it is not a valid model."""
    graph, float_graph = _Graph(model), _Graph(reference)

    def applied(change):
        changed = copy.deepcopy(model)
        change(changed)
        try:
            onnx.checker.check_model(changed, full_check=True)
        except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
            return None
        return changed

    faults = []
    for index, node in enumerate(graph.nodes):
        for name, kind, change in _of_node(graph, index):
            output = float_graph.same_operator(node.output[0], node.op_type)
            if output is not None:
                faults.append(Fault(name, kind, output, lambda change=change: applied(change)))
    for name, tensor, change in _of_scales(graph, float_graph):
        faults.append(Fault(name, "quantization", tensor, lambda change=change: applied(change)))
    return faults
