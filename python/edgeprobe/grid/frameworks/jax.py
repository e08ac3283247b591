# SPDX-License-Identifier: Apache-2.0
"""JAX, exported by jax2onnx: functions with their weights as constants, in JAX's usual layout (NHWC)."""
from __future__ import annotations

from . import Case, pictures

NAME = "JAX"
PACKAGES = ("jax", "jaxlib", "jax2onnx", "onnx", "protobuf")
MODULES = ("jax", "jax2onnx", "onnx")
_SHAPES = {"densenet201": (1, 224, 224, 3), "mobilenetv2": (1, 224, 224, 3), "resnet50": (1, 224, 224, 3), "vgg16": (1, 224, 224, 3),
           "mlp": (1, 32), "cnn": (1, 30, 34, 3), "pooling": (1, 32, 34, 3), "resize": (1, 31, 37, 3), "lstm": (1, 20, 12), "attention": (1, 16, 32)}
MODELS = tuple(_SHAPES)


def build(model: str, seed: int) -> Case:
    from . import jax_networks

    return Function(jax_networks.network(model, seed, _SHAPES[model]), _SHAPES[model], seed)


class Function(Case):
    def __init__(self, function, shape, seed: int):
        self.function, self.shape = function, shape
        self.samples = pictures(seed, shape)

    def run(self, sample):
        import jax
        import numpy

        return [numpy.asarray(jax.jit(self.function)(sample[0]))]

    def export(self, path):
        import jax2onnx
        import onnx

        onnx.save(jax2onnx.to_onnx(self.function, [self.shape]), path)
