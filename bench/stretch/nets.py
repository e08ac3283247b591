# SPDX-License-Identifier: Apache-2.0
"""Networks of many shapes with random weights, for the search of `edgeprobe stretch`: some have long, even branches, some fork and join at each
module, and some have no parallel branches.

    python bench/stretch/nets.py FOLDER [NAME ...]
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference


class Net:
    """One graph that grows layer by layer; tensors are NCHW unless said."""

    def __init__(self, seed=0):
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights, self.count = [], [], 0

    def weight(self, values):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def op(self, kind, inputs, **attributes):
        self.count += 1
        output = f"{kind.lower()}{self.count}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def drawn(self, *shape, fan):
        return self.weight((self.random.standard_normal(shape) * np.sqrt(2 / fan)).astype(np.float32))

    def conv(self, x, inside, out, size=1, stride=1, group=1, relu=True):
        weights = [self.drawn(out, inside // group, size, size, fan=inside // group * size * size), self.weight(np.full(out, 0.01, np.float32))]
        x = self.op("Conv", [x, *weights], strides=[stride, stride], pads=[size // 2] * 4, group=group, kernel_shape=[size, size])
        return self.op("Relu", [x]) if relu else x

    def inverted(self, x, inside, out, stride, expand):
        """The block of MobileNetV2."""
        wide = inside * expand
        y = self.conv(x, inside, wide) if expand > 1 else x
        y = self.conv(y, wide, wide, 3, stride, group=wide)
        y = self.conv(y, wide, out, relu=False)
        return self.op("Add", [x, y]) if stride == 1 and inside == out else y

    def mobilenet(self, x, width):
        """A MobileNetV2 of this width up to its pooled vector, and the vector's length."""
        def channels(n):
            return max(8, int(n * width + 4) // 8 * 8)

        inside = channels(32)
        x = self.conv(x, 3, inside, 3, 2)
        for expand, out, repeat, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2)):
            for i in range(repeat):
                x = self.inverted(x, inside, channels(out), stride if i == 0 else 1, expand)
                inside = channels(out)
        return self.vector(x), inside

    def resnet8(self, x, inside=3, width=16):
        x = self.conv(x, inside, width, 3)
        inside = width
        for out, stride in ((width, 1), (2 * width, 2), (4 * width, 2)):
            y = self.conv(self.conv(x, inside, out, 3, stride), out, out, 3, relu=False)
            x = self.op("Relu", [self.op("Add", [y, x if stride == 1 else self.conv(x, inside, out, 1, stride, relu=False)])])
            inside = out
        return self.vector(x), inside

    def vector(self, x):
        return self.op("Flatten", [self.op("GlobalAveragePool", [x])])

    def dense(self, x, inside, out, relu=False):
        x = self.op("Gemm", [x, self.drawn(inside, out, fan=inside), self.weight(np.zeros(out, np.float32))])
        return self.op("Relu", [x]) if relu else x

    def matmul(self, x, inside, out):
        return self.op("MatMul", [x, self.drawn(inside, out, fan=2 * inside)])

    def model(self, inputs, outputs):
        graph = helper.make_graph(self.nodes, "net", [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs], [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs], self.weights)
        model = shape_inference.infer_shapes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9))
        onnx.checker.check_model(model)
        return model


def towers(width, size):
    """Two MobileNets, one for each of two pictures, and a head that reads both."""
    net = Net()
    (a, n), (b, _) = net.mobilenet("left", width), net.mobilenet("right", width)
    both = net.op("Concat", [a, b], axis=1)
    return net.model([("left", [1, 3, size, size]), ("right", [1, 3, size, size])], [net.dense(net.dense(both, 2 * n, 64, relu=True), 64, 10)])


def ensemble(count, width=16, size=32):
    """Networks with different weights whose outputs are combined."""
    net = Net()
    answers = [net.dense(*net.resnet8("x", width=width), 10) for _ in range(count)]
    return net.model([("x", [1, 3, size, size])], [net.op("Sum", answers)])


def attention(heads, tokens, width, layers=2):
    """Transformer layers whose heads are separate operators, and a feed-forward part in two halves."""
    net = Net()
    x, each = "x", width // heads
    for _ in range(layers):
        outs = []
        for _ in range(heads):
            query, key, value = (net.matmul(x, width, each) for _ in range(3))
            scores = net.op("Softmax", [net.op("MatMul", [query, net.op("Transpose", [key], perm=[0, 2, 1])])], axis=-1)
            outs.append(net.op("MatMul", [scores, value]))
        x = net.op("Add", [x, net.matmul(net.op("Concat", outs, axis=2), width, width)])
        halves = [net.matmul(net.op("Relu", [net.matmul(x, width, 2 * width)]), 2 * width, width) for _ in range(2)]
        x = net.op("Add", [x, net.op("Add", halves)])
    return net.model([("x", [1, tokens, width])], [x])


def inception(size):
    """GoogLeNet's modules: four uneven branches each."""
    net = Net()
    x = net.conv(net.conv("x", 3, 32, 3, 2), 32, 64, 3)
    inside = 64
    for a, b1, b3, c1, c5, d in ((32, 48, 64, 8, 16, 16), (64, 64, 96, 16, 48, 32), (96, 48, 104, 8, 24, 32), (80, 56, 112, 12, 32, 32), (64, 64, 128, 12, 32, 32)):
        pooled = net.op("MaxPool", [x], kernel_shape=[3, 3], pads=[1] * 4, strides=[1, 1])
        x = net.op("Concat", [net.conv(x, inside, a), net.conv(net.conv(x, inside, b1), b1, b3, 3), net.conv(net.conv(x, inside, c1), c1, c5, 5), net.conv(pooled, inside, d)], axis=1)
        inside = a + b3 + c5 + d
    return net.model([("x", [1, 3, size, size])], [net.dense(net.vector(x), inside, 10)])


def squeezenet(size):
    """Fire modules: two small branches each."""
    net = Net()
    x, inside = net.conv("x", 3, 64, 3, 2), 64
    for i, (squeeze, out) in enumerate(((16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192))):
        if i % 2 == 0:
            x = net.op("MaxPool", [x], kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2])
        s = net.conv(x, inside, squeeze)
        x = net.op("Concat", [net.conv(s, squeeze, out), net.conv(s, squeeze, out, 3)], axis=1)
        inside = 2 * out
    return net.model([("x", [1, 3, size, size])], [net.vector(net.conv(x, inside, 10))])


def cells(size, width=32, count=3):
    """NASNet's idea: cells of separable convolutions in pairs, each of which reads the two before."""
    net = Net()
    before = last = net.conv("x", 3, width, 3)

    def separable(x):
        return net.conv(net.conv(x, width, width, 3, group=width, relu=False), width, width)

    for _ in range(count):
        sums = [net.op("Add", [separable(a), separable(b)]) for a, b in ((last, before), (last, last), (before, before))]
        before, last = last, net.conv(net.op("Concat", sums, axis=1), 3 * width, width)
    return net.model([("x", [1, 3, size, size])], [net.dense(net.vector(last), width, 10)])


def detector(size, width=32):
    """A backbone, then two heads of the same work on each of two scales."""
    net = Net()
    x = net.conv("x", 3, 16, 3, 2)
    scales = []
    for i in range(3):
        x = net.conv(net.conv(x, 16 if i == 0 else width, width, 3, 2), width, width, 3)
        scales.append(x)
    outs = []
    for scale in scales[-2:]:
        for answer in (6, 4):
            y = scale
            for _ in range(3):
                y = net.conv(y, width, width, 3)
            outs.append(net.op("Flatten", [net.conv(y, width, answer, 3, relu=False)]))
    return net.model([("x", [1, 3, size, size])], [net.op("Concat", outs, axis=1)])


def chain(width, size):
    """A single MobileNet without parallel branches."""
    net = Net()
    return net.model([("x", [1, 3, size, size])], [net.dense(*net.mobilenet("x", width), 10)])


def gated(count=6, width=64, size=28):
    """Squeeze-and-excite blocks: a gate parallel to each convolution, with almost no work."""
    net = Net()
    x = net.conv("x", 3, width, 3)
    for _ in range(count):
        y = net.conv(x, width, width, 3)
        gate = net.op("Sigmoid", [net.conv(net.conv(net.op("GlobalAveragePool", [y]), width, width // 4), width // 4, width, relu=False)])
        x = net.op("Add", [x, net.op("Mul", [y, gate])])
    return net.model([("x", [1, 3, size, size])], [net.dense(net.vector(x), width, 10)])


def residual(size=56, width=64, count=3):
    """Basic blocks: a shortcut without work parallel to two convolutions."""
    net = Net()
    x = net.conv("x", 3, width, 3)
    for _ in range(count):
        x = net.op("Relu", [net.op("Add", [x, net.conv(net.conv(x, width, width, 3), width, width, 3, relu=False)])])
    return net.model([("x", [1, 3, size, size])], [net.dense(net.vector(x), width, 10)])


def blocks(width, size, count=2):
    """Only basic blocks, as in a stage of ResNet-18: they can be split but do not fork."""
    net = Net()
    x = "x"
    for _ in range(count):
        x = net.op("Relu", [net.op("Add", [net.conv(net.conv(x, width, width, 3), width, width, 3, relu=False), x])])
    return net.model([("x", [1, width, size, size])], [x])


def inverted(width, size, count=4):
    """Only blocks of MobileNetV2, six times as wide inside."""
    net = Net()
    x = "x"
    for _ in range(count):
        x = net.inverted(x, width, width, 1, 6)
    return net.model([("x", [1, width, size, size])], [x])


def feed_forward(width=256, tokens=64, count=2):
    """The dense part of transformer layers, four times as wide inside."""
    net = Net()
    x = "x"
    for _ in range(count):
        x = net.op("Add", [x, net.matmul(net.op("Relu", [net.matmul(x, width, 4 * width)]), 4 * width, width)])
    return net.model([("x", [1, tokens, width])], [x])


def sensors(count=4):
    """Small dense networks, one for each sensor, that meet at the end: microseconds each."""
    net = Net()
    parts = [net.dense(net.dense(f"x{i}", 64, 64, relu=True), 64, 16, relu=True) for i in range(count)]
    return net.model([(f"x{i}", [1, 64]) for i in range(count)], [net.dense(net.op("Concat", parts, axis=1), 16 * count, 4)])


def fork(channels):
    """Two parallel 3 x 3 convolutions with this number of channels: almost nothing to compile for a GPU."""
    net = Net(3)
    sides = [net.conv("x", channels, 12, 3) for _ in range(2)]
    return net.model([("x", [1, channels, 8, 8])], [net.op("Concat", sides, axis=1)])


NETS = {
    "towers_64": lambda: towers(0.35, 64),
    "towers_96": lambda: towers(0.35, 96),
    "towers_128": lambda: towers(0.5, 128),
    "ensemble_2": lambda: ensemble(2),
    "ensemble_4": lambda: ensemble(4),
    "attention_4": lambda: attention(4, 64, 128),
    "attention_8": lambda: attention(8, 32, 128),
    "inception_32": lambda: inception(32),
    "inception_64": lambda: inception(64),
    "squeezenet_112": lambda: squeezenet(112),
    "cells_14": lambda: cells(14),
    "detector_128": lambda: detector(128),
    "chain_96": lambda: chain(0.5, 96),
    "gated": gated,
    "residual": residual,
    "blocks_28": lambda: blocks(64, 28),
    "blocks_14": lambda: blocks(128, 14),
    "blocks_7": lambda: blocks(256, 7),
    "inverted_14": lambda: inverted(96, 14),
    "feed_forward": feed_forward,
    "sensors": sensors,
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or NETS:
        onnx.save(NETS[name](), folder / f"{name}.onnx")
        print(folder / f"{name}.onnx")


if __name__ == "__main__":
    main()
