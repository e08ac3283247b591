# SPDX-License-Identifier: Apache-2.0
"""Plants one fault into a copy of an ONNX model: constants, attributes, operators, wiring. It uses the onnx package and no code of edgeprobe.

planted(MODEL) lists what can be planted; onnx_layers.py runs them all.
"""
import collections
import copy

import numpy as np
import onnx
from onnx import helper, numpy_helper

# `name` of the fault, the `kind` that the verdict must name, and an output of the faulty node.
Fault = collections.namedtuple("Fault", "name kind output apply")


def _attribute(node, name):
    return next((one for one in node.attribute if one.name == name), None)


def _set(node, name, value):
    old = _attribute(node, name)
    if old is not None:
        node.attribute.remove(old)
    node.attribute.append(helper.make_attribute(name, value))


def _edit(model, name, change):
    tensor = next(one for one in model.graph.initializer if one.name == name)
    values = numpy_helper.to_array(tensor)
    changed = np.asarray(change(values.copy())).astype(values.dtype)
    tensor.CopyFrom(numpy_helper.from_array(changed.reshape(values.shape) if values.ndim == 0 else np.ascontiguousarray(changed), name))


def _retype(node, kind, **attributes):
    node.op_type = kind
    del node.input[1:]
    del node.attribute[:]
    for name, value in attributes.items():
        _set(node, name, value)


def _rename(node, kind):
    node.op_type = kind


def _swap_inputs(node):
    first, second, *rest = node.input
    del node.input[:]
    node.input.extend([second, first, *rest])


def _limit(model, index, highest):
    model.graph.initializer.append(numpy_helper.from_array(np.float32(highest), "planted_highest"))
    model.graph.node[index].input[2] = "planted_highest"


def _of_node(model, index):
    """(name, kind, change of a copied model) for each fault that fits this node."""
    node = model.graph.node[index]
    stored = {one.name for one in model.graph.initializer}
    inputs = [name if name in stored else None for name in node.input] + [None] * 4
    at = lambda changed: changed.graph.node[index]
    kind = node.op_type
    if kind in ("Conv", "Gemm", "MatMul") and inputs[1]:
        yield "weights doubled", "weights", lambda m: _edit(m, inputs[1], lambda v: v * 2)
        yield "filters reversed", "weights", lambda m: _edit(m, inputs[1], lambda v: v[::-1])
        yield "weights rolled", "weights", lambda m: _edit(m, inputs[1], lambda v: np.roll(v, 1, axis=-1))
    if kind in ("Conv", "Gemm") and inputs[2]:
        yield "bias zero", "weights", lambda m: _edit(m, inputs[2], lambda v: v * 0)
        yield "bias times 4", "weights", lambda m: _edit(m, inputs[2], lambda v: v * 4)
    pads = list(_attribute(node, "pads").ints) if _attribute(node, "pads") else []
    if kind == "Conv" and sum(pads) > 0:
        half = len(pads) // 2
        before = [min(pads[i] + 1, pads[i] + pads[i + half]) for i in range(half)]
        shifted = before + [pads[i] + pads[i + half] - before[i] for i in range(half)]
        if shifted != pads:
            yield "padding on the other side", "operator", lambda m: _set(at(m), "pads", shifted)
    if kind == "Conv" and pads == [1, 1, 1, 1] and max(_attribute(node, "kernel_shape").ints) == 3:
        def dilate(m):
            _set(at(m), "dilations", [2, 2])
            _set(at(m), "pads", [2, 2, 2, 2])
        yield "dilation 2", "operator", dilate
    if kind == "Clip" and len(node.input) > 2:
        yield "clipped at 1", "operator", lambda m: _limit(m, index, 1.0)
    if kind in ("Clip", "Relu"):
        yield "LeakyRelu instead", "operator", lambda m: _retype(at(m), "LeakyRelu", alpha=0.3)
        yield "no activation", "operator", lambda m: _retype(at(m), "Identity")
    for one, other in (("GlobalAveragePool", "GlobalMaxPool"), ("AveragePool", "MaxPool"), ("MaxPool", "AveragePool")):
        if kind == one:
            yield other + " instead", "operator", lambda m, other=other: _rename(at(m), other)
    if kind == "AveragePool" and sum(pads) > 0:
        counted = _attribute(node, "count_include_pad")
        yield "padding counted otherwise", "operator", lambda m: _set(at(m), "count_include_pad", 0 if counted and counted.i else 1)
    if kind == "Add" and not inputs[1]:
        yield "Sub instead", "operator", lambda m: _rename(at(m), "Sub")
    if kind == "BatchNormalization" and inputs[3]:
        yield "epsilon 0.5", "operator", lambda m: _set(at(m), "epsilon", 0.5)
        yield "mean zero", "weights", lambda m: _edit(m, inputs[3], lambda v: v * 0)
    if kind == "Gemm":
        yield "alpha 0.4", "operator", lambda m: _set(at(m), "alpha", 0.4)
    if kind == "LeakyRelu":
        yield "alpha 0.9", "operator", lambda m: _set(at(m), "alpha", 0.9)
    if kind == "Softmax":
        yield "axis 0", "operator", lambda m: _set(at(m), "axis", 0)
    if kind == "Concat" and len(node.input) > 1:
        yield "inputs exchanged", "operator", lambda m: _swap_inputs(at(m))


def planted(model):
    """All faults that can be planted into this onnx.ModelProto; `apply` gives the changed copy, or None if it is not a valid model."""
    def applied(change):
        changed = copy.deepcopy(model)
        change(changed)
        try:
            onnx.checker.check_model(changed, full_check=True)
        except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
            return None
        return changed

    return [Fault(name, kind, model.graph.node[index].output[0], lambda change=change: applied(change))
            for index in range(len(model.graph.node)) for name, kind, change in _of_node(model, index)]
