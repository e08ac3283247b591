# SPDX-License-Identifier: Apache-2.0
"""In a healthy model that stores float16, no layer is reported as wrong; a wrong layer still is. float16_test.py EDGEPROBE"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import tool
from tool import verdict_of


class Net:
    """A model written twice: in float32, and with every intermediate value in float16."""

    def __init__(self, seed):
        self.random, self.nodes, self.constants = np.random.default_rng(seed), [], {}

    def constant(self, name, values):
        self.constants[name] = np.asarray(values)
        return name

    def weights(self, name, *shape):
        return self.constant(name, self.random.normal(0, np.prod(shape[1:]) ** -0.5 if len(shape) == 4 else shape[0] ** -0.5, shape).astype(np.float32))

    def add(self, kind, inputs, output, **more):
        self.nodes.append(helper.make_node(kind, inputs, [output], **more))
        return output

    def save(self, path, shape, outputs, half):
        kept = {name: one.astype(np.float16) if half and one.dtype == np.float32 else one for name, one in self.constants.items()}
        nodes = [helper.make_node("Cast", ["x"], ["x_in"], to=TensorProto.FLOAT16 if half else TensorProto.FLOAT), *self.nodes,
                 helper.make_node("Cast", ["y_out"], ["y"], to=TensorProto.FLOAT)]
        value = lambda name, dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
        graph = helper.make_graph(nodes, "g", [value("x", shape)], [value("y", outputs)], [numpy_helper.from_array(one, name) for name, one in kept.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)
        return path


def convolutions():
    net, last = Net(1), "x_in"
    for k, channels in enumerate((16, 24, 24)):
        last = net.add("Conv", [last, net.weights(f"w{k}", channels, (3, 16, 24)[k], 3, 3)], f"c{k}", pads=[1] * 4)
        last = net.add("Relu", [last], f"r{k}")
    last = net.add("Add", [last, "r1"], "sum")
    last = net.add("Flatten", [net.add("GlobalAveragePool", [last], "p")], "f")
    net.add("Softmax", [net.add("MatMul", [last, net.weights("fc", 24, 5)], "l")], "y_out")
    return net, [1, 3, 16, 16], [1, 5]


def attention():
    net, last, width = Net(2), "x_in", 32
    for k in range(2):
        gain, shift = net.constant(f"g{k}", net.random.uniform(0.5, 2, width).astype(np.float32)), net.constant(f"b{k}", net.random.normal(0, 0.2, width).astype(np.float32))
        normal = net.add("LayerNormalization", [last, gain, shift], f"n{k}")
        q, key, v = (net.add("MatMul", [normal, net.weights(f"w{one}{k}", width, width)], f"{one}{k}") for one in "qkv")
        scores = net.add("MatMul", [q, net.add("Transpose", [key], f"t{k}", perm=[0, 2, 1])], f"s{k}")
        scaled = net.add("Div", [scores, net.constant(f"d{k}", np.float32(width ** 0.5))], f"sd{k}")
        mixed = net.add("MatMul", [net.add("Softmax", [scaled], f"p{k}"), v], f"o{k}")
        last = net.add("Add", [last, mixed], f"r{k}")
    last = net.add("ReduceMean", [last, net.constant("axes", np.array([1]))], "m", keepdims=0)
    net.add("Softmax", [net.add("MatMul", [last, net.weights("fc", width, 5)], "l")], "y_out")
    return net, [1, 12, width], [1, 5]


class Float16Test(tool.ToolTest):
    def test_healthy(self):
        for build in (convolutions, attention):
            with self.subTest(net=build.__name__):
                target, reference = self.files(build)
                verdict = verdict_of("check", target, "--reference", reference, "--data", self.folder / "x.npz", expect=0)
                self.assertEqual((verdict["verdict"], verdict["causes"]), ("agrees", []))

    def test_another_weight_in_it(self):
        for build, name, layer in ((convolutions, "w1", "c1"), (attention, "wv1", "v1")):
            with self.subTest(net=build.__name__):
                target, reference = self.files(build, name)
                verdict = verdict_of("check", target, "--reference", reference, "--data", self.folder / "x.npz", expect=3)
                self.assertEqual((verdict["causes"][0]["kind"], verdict["causes"][0]["layer"]), ("weights", layer), verdict["headline"])

    def files(self, build, other=None):
        net, shape, outputs = build()
        reference = net.save(self.folder / "reference.onnx", shape, outputs, False)
        if other:
            net.constants[other] = np.roll(net.constants[other], 1, -1 if net.constants[other].ndim == 2 else 0)
        np.savez(self.folder / "x.npz", x=np.random.default_rng(3).normal(0, 1, (12, *shape[1:])).astype(np.float32))
        return net.save(self.folder / "target.onnx", shape, outputs, True), reference


if __name__ == "__main__":
    tool.main()
