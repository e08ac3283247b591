# SPDX-License-Identifier: Apache-2.0
"""Keras on TensorFlow, exported by Model.export, which uses tf2onnx."""
from __future__ import annotations

import os

from . import Case, pictures
from .weights import Weights

NAME = "Keras"
PACKAGES = ("keras", "tensorflow", "tensorflow-cpu", "tf2onnx", "onnx", "protobuf")
MODULES = ("keras", "tensorflow", "tf2onnx", "onnx")
_APPLICATIONS = {"densenet201": "DenseNet201", "mobilenetv2": "MobileNetV2", "resnet50": "ResNet50", "vgg16": "VGG16"}
MODELS = (*_APPLICATIONS, "mlp", "cnn", "pooling", "resize", "lstm", "attention")


def build(model: str, seed: int) -> Case:
    import keras

    layers = keras.layers
    if model in _APPLICATIONS:
        made = getattr(keras.applications, _APPLICATIONS[model])(weights=None, classifier_activation=None)
    elif model == "mlp":
        made = keras.Sequential([keras.Input((32,)), layers.Dense(64, "relu"), layers.Dense(48, "tanh"), layers.Dense(10)])
    elif model == "cnn":
        # Even sizes with stride 2: the padding is not the same on both sides.
        made = keras.Sequential([
            keras.Input((30, 34, 3)), layers.Conv2D(8, 3, 2, "same"), layers.BatchNormalization(), layers.ReLU(), layers.DepthwiseConv2D(3, 2, "same"),
            layers.LeakyReLU(0.1), layers.AveragePooling2D(3, 2, "same"), layers.Conv2DTranspose(6, 3, 2, "same"), layers.Flatten(), layers.Dense(10)])
    elif model == "pooling":
        made = keras.Sequential([keras.Input((32, 34, 3)), layers.Conv2D(8, 3), layers.ReLU(), layers.AveragePooling2D(3, 2, "same"), layers.Conv2D(4, 3),
                                 layers.MaxPooling2D(3, 2, "same"), layers.Flatten(), layers.Dense(10)])
    elif model == "resize":
        made = keras.Sequential([
            keras.Input((31, 37, 3)), layers.Conv2D(6, 3, 1, "same", activation="relu"), layers.Resizing(17, 19), layers.Conv2D(6, 3, 1, "same", activation="relu"),
            layers.Resizing(34, 38, "bicubic"), layers.UpSampling2D(2, interpolation="nearest"), layers.Conv2D(4, 3, 1, "same")])
    elif model == "lstm":
        made = keras.Sequential([keras.Input((20, 12)), layers.LSTM(16, return_sequences=True), layers.GRU(8), layers.Dense(5)])
    else:
        x = given = keras.Input((16, 32))
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8)(x, x))
        x = layers.LayerNormalization()(x + layers.Dense(32)(layers.Dense(64, "gelu")(x)))
        made = keras.Model(given, layers.Dense(7)(layers.GlobalAveragePooling1D()(x)))
    return Network(made, seed)


class Network(Case):
    def __init__(self, model, seed: int):
        weights = Weights(seed)
        for variable in model.weights:
            shape = tuple(variable.shape)
            if variable.dtype != "float32":
                continue
            if variable.name in ("gamma", "moving_variance"):
                variable.assign(weights.scale(shape))
            elif len(shape) < 2 or variable.name in ("beta", "moving_mean", "bias"):
                variable.assign(weights.offset(shape))
            else:
                fan_in = shape[0] * shape[1] if "depthwise" in variable.path else _product(shape[:-1])
                variable.assign(weights.kernel(shape, fan_in))
        self.model = model
        self.samples = pictures(seed, (1, *model.inputs[0].shape[1:]))

    def run(self, sample):
        import numpy

        return [numpy.asarray(self.model(sample[0], training=False))]

    def export(self, path):
        self.model.export(path, format="onnx", verbose=False)

    def save(self, folder):
        self.model.save(os.path.join(folder, "model.keras"))
        return {"model": "model.keras", "engine": "keras"}


def _product(sizes) -> int:
    product = 1
    for size in sizes:
        product *= size
    return product
