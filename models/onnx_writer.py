# SPDX-License-Identifier: Apache-2.0
"""The signs model as ONNX: the weights of signs_float.tflite, channel-first, one node for each operator (and each fused clip)."""

import numpy as np
import onnx
from ai_edge_litert import schema_py_generated as schema
from onnx import helper, numpy_helper

OPERATORS = {code: name for name, code in vars(schema.BuiltinOperator).items() if isinstance(code, int)}
OPSET, IR_VERSION = 17, 8  # Old enough for every engine, and new enough for all operators used here.


class Builder:
    """Collects nodes and initializers of the one graph."""

    def __init__(self):
        self.nodes, self.initializers = [], []

    def constant(self, name, values):
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, kind, name, inputs, **attributes):
        """The node and its output have the same `name`, because tools show the name of the output."""
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def clipped(self, name):
        """The name for a node whose output is clipped to 0..6 under `name`."""
        return name + "/linear"

    def clip(self, name):
        if not any(i.name == "six" for i in self.initializers):
            self.constant("zero", np.float32(0)), self.constant("six", np.float32(6))
        return self.node("Clip", name, [self.clipped(name), "zero", "six"])

    def model(self, source, side, output, classes, description):
        value = lambda name, shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, "main", [value(source, [1, 3, side, side])], [value(output, [1, classes])], self.initializers)
        made = helper.make_model(graph, producer_name="edgeprobe", doc_string=description, ir_version=IR_VERSION,
                                 opset_imports=[helper.make_opsetid("", OPSET)])
        onnx.checker.check_model(made, full_check=True)
        return made


def _same(size, kernel, stride):
    """TensorFlow's SAME: the odd pixel of padding is at the end."""
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


def from_tflite(data, description):
    """The .tflite that tflite_writer.py makes, as a channel-first ONNX model with the same tensor names."""
    graph = schema.ModelT.InitFromObj(schema.Model.GetRootAs(data, 0))
    codes, buffers, main = graph.operatorCodes, graph.buffers, graph.subgraphs[0]
    name = lambda i: main.tensors[i].name.decode()
    made = Builder()

    def values(index):
        tensor = main.tensors[index]
        return np.frombuffer(bytes(buffers[tensor.buffer].data), np.float32).reshape(tensor.shape)

    def convolution(operator, kind, output):
        options, weights = operator.builtinOptions, values(operator.inputs[1])
        # [out, height, width, in] or, depthwise, [1, height, width, channels] to [out, in / group, height, width].
        weights = weights.transpose((0, 3, 1, 2) if kind == "CONV_2D" else (3, 0, 1, 2))
        sides, stride = main.tensors[operator.inputs[0]].shape[1:3], options.strideH
        (top, bottom), (left, right) = (_same(n, k, stride) for n, k in zip(sides, weights.shape[2:]))
        relu6 = options.fusedActivationFunction == schema.ActivationFunctionType.RELU6
        made.node("Conv", made.clipped(output) if relu6 else output,
                  [name(operator.inputs[0]), made.constant(output + "/weights", weights), made.constant(output + "/bias", values(operator.inputs[2]))],
                  kernel_shape=weights.shape[2:], strides=[stride, stride], pads=[top, left, bottom, right],
                  group=1 if kind == "CONV_2D" else weights.shape[0])
        if relu6:
            made.clip(output)

    for operator in main.operators:
        kind, output, inputs = OPERATORS[codes[operator.opcodeIndex].builtinCode], name(operator.outputs[0]), operator.inputs
        if kind in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            convolution(operator, kind, output)
        elif kind == "ADD":
            made.node("Add", output, [name(inputs[0]), name(inputs[1])])
        elif kind == "MEAN":
            made.node("GlobalAveragePool", output + "/spatial", [name(inputs[0])])
            made.node("Flatten", output, [output + "/spatial"])
        elif kind == "FULLY_CONNECTED":
            made.node("Gemm", output, [name(inputs[0]), made.constant(output + "/weights", values(inputs[1])),
                                       made.constant(output + "/bias", values(inputs[2]))], transB=1)
        elif kind == "SOFTMAX":
            made.node("Softmax", output, [name(inputs[0])], axis=1)
        else:
            raise ValueError(f"{kind} is not an operator of the signs model")
    source, result = main.tensors[main.inputs[0]], main.tensors[main.outputs[0]]
    return made.model(source.name.decode(), int(source.shape[1]), result.name.decode(), int(result.shape[1]), description)
