# SPDX-License-Identifier: Apache-2.0
"""MXNet 1.9, the last release of a project that has ended, exported by mxnet.onnx."""
from __future__ import annotations

import os
import shutil
import tempfile

from . import Case, pictures
from .weights import Weights

NAME = "MXNet"
PACKAGES = ("mxnet", "onnx", "numpy", "protobuf")
MODULES = ("mxnet", "onnx")
_ZOO = {"densenet201": "densenet201", "mobilenetv2": "mobilenet_v2_1_0", "resnet50": "resnet50_v1", "vgg16": "vgg16"}
MODELS = (*_ZOO, "mlp", "cnn", "pooling")


def build(model: str, seed: int) -> Case:
    from mxnet.gluon import nn

    if model in _ZOO:
        from mxnet.gluon.model_zoo import vision

        return Network(getattr(vision, _ZOO[model])(), (1, 3, 224, 224), seed)
    made = nn.HybridSequential()
    if model == "mlp":
        made.add(nn.Dense(64, "relu"), nn.Dense(48, "tanh"), nn.Dense(10))
        return Network(made, (1, 32), seed)
    if model == "pooling":
        made.add(nn.Conv2D(8, 3), nn.Activation("relu"), nn.AvgPool2D(3, 2, 1, ceil_mode=True), nn.Conv2D(4, 3), nn.MaxPool2D(3, 2, 1, ceil_mode=True),
                 nn.Flatten(), nn.Dense(10))
        return Network(made, (1, 3, 32, 34), seed)
    made.add(nn.Conv2D(8, 3, 2, 1), nn.BatchNorm(), nn.Activation("relu"), nn.Conv2D(8, 3, 2, 1, groups=8), nn.LeakyReLU(0.1),
             nn.AvgPool2D(3, 2, 1, count_include_pad=False), nn.Conv2DTranspose(6, 3, 2, 1, output_padding=1), nn.Flatten(), nn.Dense(10))
    return Network(made, (1, 3, 30, 34), seed)


class Network(Case):
    def __init__(self, model, shape, seed: int):
        import mxnet as mx

        self.model, self.shape = model, shape
        self.samples = pictures(seed, shape)
        model.initialize(mx.init.Xavier())
        model.hybridize()
        model(mx.nd.array(self.samples[0][0])).wait_to_read()
        weights = Weights(seed)
        for name, value in model.collect_params().items():
            size = value.shape
            if name.endswith(("gamma", "running_var")):
                new = weights.scale(size)
            elif len(size) < 2:
                new = weights.offset(size)
            else:
                inputs = 1
                for one in size[1:]:
                    inputs *= one
                new = weights.kernel(size, inputs)
            value.set_data(mx.nd.array(new))

    def run(self, sample):
        import mxnet as mx

        return [self.model(mx.nd.array(sample[0])).asnumpy()]

    def export(self, path):
        import mxnet as mx
        import numpy

        folder = tempfile.mkdtemp()
        try:
            stem = os.path.join(folder, "model")
            self.model.export(stem)
            mx.onnx.export_model(stem + "-symbol.json", stem + "-0000.params", [self.shape], numpy.float32, path)
        finally:
            shutil.rmtree(folder)
