# SPDX-License-Identifier: Apache-2.0
"""Convolutions of an .onnx model whose output can be scaled: a Relu reads it, and further convolutions read that."""


def layers(model):
    """The nodes in the program's numbers: a Constant node is a constant, not a layer."""
    return [node for node in model.graph.node if node.op_type != "Constant"]


def places(model):
    """(convolution, its Relu, the convolutions that read nothing else): all in terms of nodes."""
    constants = {one.name for one in model.graph.initializer}
    readers = {}
    for node in model.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    for node in model.graph.node:
        if node.op_type != "Conv" or not set(node.input[1:]) <= constants:
            continue
        after = readers.get(node.output[0], [])
        if len(after) != 1 or after[0].op_type != "Relu":
            continue
        behind = readers.get(after[0].output[0], [])
        if behind and all(one.op_type == "Conv" and one.input[1] in constants for one in behind):
            yield node, after[0], behind
