# SPDX-License-Identifier: Apache-2.0
"""Networks in plain JAX: ResNet (He et al. 2015), VGG (Simonyan and Zisserman 2014), MobileNetV2 (Sandler et al. 2018), DenseNet (Huang et al. 2017), and small
ones. Each layer draws its weights when it is first called, so a network is run once before it is used."""
from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from .weights import Weights


class Layers:
    """Layers whose weights are kept in the order of their calls."""

    def __init__(self, seed: int):
        self._weights, self._kept, self._next = Weights(seed), [], 0

    def start(self) -> None:
        self._next = 0

    def _keep(self, make):
        if self._next == len(self._kept):
            self._kept.append(make())
        self._next += 1
        return self._kept[self._next - 1]

    def kernel(self, shape, inputs: int):
        return self._keep(lambda: self._weights.kernel(shape, inputs))

    def offset(self, *shape):
        return self._keep(lambda: self._weights.offset(shape))

    def scale(self, *shape):
        return self._keep(lambda: self._weights.scale(shape))

    def dense(self, x, size: int):
        return x @ self.kernel((x.shape[-1], size), x.shape[-1]) + self.offset(size)

    def conv(self, x, size: int, kernel: int = 3, stride: int = 1, groups: int = 1, bias: bool = False):
        inside = x.shape[-1] // groups
        made = lax.conv_general_dilated(x, self.kernel((kernel, kernel, inside, size), kernel * kernel * inside), (stride, stride), "SAME",
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups)
        return made + self.offset(size) if bias else made

    def norm(self, x):
        """Batch normalisation with fixed statistics."""
        size = x.shape[-1]
        mean, variance, gamma, beta = self.offset(size), self.scale(size), self.scale(size), self.offset(size)
        return (x - mean) * lax.rsqrt(variance + 1e-5) * gamma + beta

    def layer_norm(self, x):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * self.scale(x.shape[-1]) + self.offset(x.shape[-1])

    def conv_norm(self, x, size, kernel=3, stride=1, groups=1):
        return self.norm(self.conv(x, size, kernel, stride, groups))


def pool(x, size: int, stride: int, largest: bool, padding: str = "SAME"):
    window, strides = (1, size, size, 1), (1, stride, stride, 1)
    if largest:
        return lax.reduce_window(x, -jnp.inf, lax.max, window, strides, padding)
    return lax.reduce_window(x, 0.0, lax.add, window, strides, padding) / (size * size)


def resnet50(layers: Layers, x):
    x = pool(jax.nn.relu(layers.conv_norm(x, 64, 7, 2)), 3, 2, largest=True)
    for size, blocks, first in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            stride = first if block == 0 else 1
            y = jax.nn.relu(layers.conv_norm(x, size, 1, stride))
            y = layers.conv_norm(jax.nn.relu(layers.conv_norm(y, size)), 4 * size, 1)
            x = jax.nn.relu(y + (layers.conv_norm(x, 4 * size, 1, stride) if block == 0 else x))
    return layers.dense(x.mean((1, 2)), 1000)


def vgg16(layers: Layers, x):
    for size, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(count):
            x = jax.nn.relu(layers.conv(x, size, bias=True))
        x = pool(x, 2, 2, largest=True, padding="VALID")
    x = x.reshape(x.shape[0], -1)
    for _ in range(2):
        x = jax.nn.relu(layers.dense(x, 4096))
    return layers.dense(x, 1000)


def mobilenetv2(layers: Layers, x):
    x = jax.nn.relu6(layers.conv_norm(x, 32, 3, 2))
    for factor, size, blocks, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for block in range(blocks):
            y, inside = x, x.shape[-1] * factor
            if factor > 1:
                y = jax.nn.relu6(layers.conv_norm(y, inside, 1))
            y = jax.nn.relu6(layers.conv_norm(y, inside, 3, first if block == 0 else 1, groups=inside))
            y = layers.conv_norm(y, size, 1)
            x = y if block == 0 else x + y
    return layers.dense(jax.nn.relu6(layers.conv_norm(x, 1280, 1)).mean((1, 2)), 1000)


def densenet201(layers: Layers, x):
    x = pool(jax.nn.relu(layers.conv_norm(x, 64, 7, 2)), 3, 2, largest=True)
    for stage, blocks in enumerate((6, 12, 48, 32)):
        if stage:
            x = pool(layers.conv(jax.nn.relu(layers.norm(x)), x.shape[-1] // 2, 1), 2, 2, largest=False)
        for _ in range(blocks):
            y = layers.conv(jax.nn.relu(layers.norm(x)), 128, 1)
            x = jnp.concatenate([x, layers.conv(jax.nn.relu(layers.norm(y)), 32)], -1)
    return layers.dense(jax.nn.relu(layers.norm(x)).mean((1, 2)), 1000)


def mlp(layers: Layers, x):
    return layers.dense(jnp.tanh(layers.dense(jax.nn.relu(layers.dense(x, 64)), 48)), 10)


def cnn(layers: Layers, x):
    # Even sizes with stride 2: the padding is not the same on both sides.
    x = jax.nn.relu(layers.norm(layers.conv(x, 8, 3, 2)))
    x = pool(jax.nn.leaky_relu(layers.conv(x, 8, 3, 2, groups=8), 0.1), 3, 2, largest=False)
    return layers.dense(x.reshape(x.shape[0], -1), 10)


def pooling(layers: Layers, x):
    x = pool(jax.nn.relu(layers.conv(x, 8, bias=True)), 3, 2, largest=False)
    x = pool(layers.conv(x, 4, bias=True), 3, 2, largest=True)
    return layers.dense(x.reshape(x.shape[0], -1), 10)


def resize(layers: Layers, x):
    # jax.image.resize smooths when it makes a picture smaller.
    x = jax.image.resize(jax.nn.relu(layers.conv(x, 6, bias=True)), (x.shape[0], 17, 19, 6), "bilinear")
    x = jax.image.resize(jax.nn.relu(layers.conv(x, 6, bias=True)), (x.shape[0], 34, 38, 6), "bicubic")
    return layers.conv(jax.image.resize(x, (x.shape[0], 68, 76, 6), "nearest"), 4, bias=True)


def lstm(layers: Layers, x):
    inside, size = x.shape[-1], 16
    given, carried, bias = layers.kernel((inside, 4 * size), inside), layers.kernel((size, 4 * size), size), layers.offset(4 * size)

    def step(state, now):
        hidden, cell = state
        i, f, g, o = jnp.split(now @ given + hidden @ carried + bias, 4, axis=-1)
        cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
        hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
        return (hidden, cell), hidden

    zeros = jnp.zeros((x.shape[0], size), jnp.float32)
    (hidden, _), _ = lax.scan(step, (zeros, zeros), jnp.swapaxes(x, 0, 1))
    return layers.dense(hidden, 5)


def attention(layers: Layers, x):
    heads, depth = 4, x.shape[-1] // 4

    def split(y):
        return y.reshape(y.shape[0], y.shape[1], heads, depth).transpose(0, 2, 1, 3)

    queries, keys, values = (split(layers.dense(x, x.shape[-1])) for _ in range(3))
    mixed = jax.nn.softmax(queries @ keys.transpose(0, 1, 3, 2) / depth**0.5, -1) @ values
    x = layers.layer_norm(x + layers.dense(mixed.transpose(0, 2, 1, 3).reshape(x.shape), x.shape[-1]))
    x = layers.layer_norm(x + layers.dense(jax.nn.gelu(layers.dense(x, 64)), x.shape[-1]))
    return layers.dense(x.mean(1), 7)


_NETWORKS = {"densenet201": densenet201, "mobilenetv2": mobilenetv2, "resnet50": resnet50, "vgg16": vgg16, "mlp": mlp, "cnn": cnn, "pooling": pooling, "resize": resize, "lstm": lstm,
             "attention": attention}


def network(model: str, seed: int, shape):
    """A function of one array, whose weights exist already."""
    layers = Layers(seed)

    def call(x):
        layers.start()
        return _NETWORKS[model](layers, x)

    jax.eval_shape(call, jax.ShapeDtypeStruct(shape, jnp.float32))
    return call
