# SPDX-License-Identifier: Apache-2.0
"""Networks with branches and random weights as .tflite, for `edgeprobe stretch` on LiteRT and its GPU accelerator."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "engine"))
import small_tflite  # noqa: E402


class Net(small_tflite.Graph):
    """One graph over a picture `x` of NHWC that grows layer by layer; tensors keep its height and width until they are pooled."""

    def __init__(self, size, channels, seed=5):
        super().__init__()
        self.random, self.size, self.count = np.random.default_rng(seed), size, 0
        self.x = self.tensor("x", [1, size, size, channels])

    def named(self, kind, *shape):
        self.count += 1
        return self.tensor(f"{kind}{self.count}", shape)

    def conv(self, x, inside, out):
        """3 x 3, with its ReLU."""
        weights = self.tensor(f"weights{self.count}", values=(self.random.standard_normal((out, 3, 3, inside)) / np.sqrt(4.5 * inside)).astype(np.float32))
        bias = self.tensor(f"bias{self.count}", values=self.random.standard_normal(out).astype(np.float32))
        y = self.named("conv", 1, self.size, self.size, out)
        self.op("CONV_2D", [x, weights, bias], [y], options="Conv2DOptions", strideH=1, strideW=1, dilationHFactor=1, dilationWFactor=1, fusedActivationFunction=1)
        return y

    def pool(self, x, inside):
        y = self.named("mean", 1, self.size // 2, self.size // 2, inside)
        self.op("AVERAGE_POOL_2D", [x], [y], options="Pool2DOptions", strideH=2, strideW=2, filterHeight=2, filterWidth=2, padding=1)
        return y

    def reshape(self, x, *shape):
        y = self.named("shaped", *shape)
        self.op("RESHAPE", [x, self.tensor(f"shape{self.count}", values=np.array(shape, np.int32))], [y], options="ReshapeOptions")
        return y

    def joined(self, parts, *shape):
        """Concatenates in the last dimension."""
        y = self.named("joined", *shape)
        self.op("CONCATENATION", parts, [y], options="ConcatenationOptions", axis=len(shape) - 1)
        return y


def fork(size, width, depth, channels=4):
    """Two chains of convolutions of one picture, each pooled at its end; the net and its output."""
    net = Net(size, channels)
    means = []
    for _ in range(2):
        y = net.x
        for i in range(depth):
            y = net.conv(y, channels if i == 0 else width, width)
        means.append(net.pool(y, width))
    return net, net.joined(means, 1, size // 2, size // 2, 2 * width)
