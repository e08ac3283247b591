# SPDX-License-Identifier: Apache-2.0
"""The models that edgeprobe contains. Their frameworks are imported by ``build()``, so that options can be checked without them."""
from __future__ import annotations

import dataclasses
from typing import Any, Literal

from ..plugins.options import option

PICTURE = "resize(224x224, bicubic, like=pillow) | color(rgb) | scale(-1..1) | layout(nhwc)"
#: The head of Kenning's first version.
UNITS, DROPOUT = (1024, 512, 128), 0.5
#: Of batch norms. Keras has 0.999 for these networks: their statistics would be right only after thousands of steps, and validation wrong until then.
MOMENTUM = 0.9


def with_head(keras: Any, features: Any, classes: int, units: "tuple[int, ...]", dropout: float) -> Any:
    """The scores of the classes from a vector of features."""
    values = features
    for size in units:
        values = keras.layers.Dense(size, activation="relu", name=f"head_{size}")(values)
        values = keras.layers.Dropout(dropout, name=f"head_dropout_{size}")(values)
    return keras.layers.Softmax(name="scores")(keras.layers.Dense(classes, name="classes")(values))


class KerasPictures:
    """A network for pictures of keras.applications, built without weights, with the head of Kenning's first version."""

    framework = "keras"
    recipe = PICTURE
    alpha = 1.0

    def network(self, keras: Any, input_shape: "tuple[int, ...]") -> Any:
        raise NotImplementedError

    def build(self, input_shape: "tuple[int, ...]", classes: int) -> Any:
        import keras

        if len(input_shape) != 3 or input_shape[2] != 3 or min(input_shape[:2]) < 32:
            raise ValueError(f"the recipe makes {list(input_shape)}; expected [height, width, 3] of at least 32 pixels a side: end it with layout(nhwc)")
        network = self.network(keras, tuple(input_shape))
        for layer in network.layers:
            if isinstance(layer, keras.layers.BatchNormalization):
                layer.momentum = MOMENTUM
        features = keras.layers.GlobalAveragePooling2D(name="features")(network.output)
        self._backbone = keras.Model(network.input, features, name="backbone")
        return keras.Model(network.input, with_head(keras, features, classes, UNITS, DROPOUT), name=type(self).__name__.lower())

    def backbone(self, model: Any) -> Any:
        return self._backbone


@dataclasses.dataclass
class MobileNetV2(KerasPictures):
    """MobileNetV2 (Keras) with the head of Kenning's first version: 1024, 512 and 128 units, dropout 0.5."""

    alpha: float = option(1.0, "Width of the network", least=0.1, most=2)

    def network(self, keras: Any, input_shape: "tuple[int, ...]") -> Any:
        return keras.applications.MobileNetV2(input_shape=input_shape, alpha=self.alpha, include_top=False, weights=None)


@dataclasses.dataclass
class MobileNetV1(KerasPictures):
    """MobileNet, version 1 (Keras), with the same head."""

    alpha: float = option(1.0, "Width of the network", least=0.1, most=2)

    def network(self, keras: Any, input_shape: "tuple[int, ...]") -> Any:
        return keras.applications.MobileNet(input_shape=input_shape, alpha=self.alpha, include_top=False, weights=None)


@dataclasses.dataclass
class MobileNetV2Torch:
    """MobileNetV2 (PyTorch) with the same head, written here: it needs no torchvision."""

    alpha: float = option(1.0, "Width of the network", least=0.1, most=2)

    framework = "torch"
    recipe = "resize(224x224, bicubic, like=pillow) | color(rgb) | scale(-1..1) | layout(nchw)"

    def build(self, input_shape: "tuple[int, ...]", classes: int) -> Any:
        from .torch_network import Network

        if len(input_shape) != 3 or input_shape[0] != 3 or min(input_shape[1:]) < 32:
            raise ValueError(f"the recipe makes {list(input_shape)}; expected [3, height, width] of at least 32 pixels a side: end it with layout(nchw)")
        return Network(self.alpha, classes, UNITS, DROPOUT)

    def backbone(self, model: Any) -> Any:
        return model.backbone


@dataclasses.dataclass
class Signal:
    """Convolutions over time (Keras), for sound and readings of a sensor: steps x features, as the recipe makes them."""

    width: int = option(32, "Channels of the first convolution; later ones have twice as many", least=4, most=512)
    kernel: int = option(5, "Steps that a convolution covers", least=1, most=64)
    dropout: float = option(0.3, "Share of the features that training leaves out", least=0, most=0.9)
    kind: Literal["plain", "separable"] = option("plain", "Convolutions: plain, or separable into depth and points")

    framework = "keras"
    recipe = ""

    def build(self, input_shape: "tuple[int, ...]", classes: int) -> Any:
        import keras

        shape = [size for size in input_shape if size != 1] or [1]
        if len(shape) > 2 or shape[0] < 8:
            raise ValueError(f"the recipe makes {list(input_shape)}; expected [steps, features] of at least 8 steps")
        steps, features = shape[0], shape[1] if len(shape) > 1 else 1
        inputs = keras.Input(tuple(input_shape), name="signal")
        values = inputs if tuple(input_shape) == (steps, features) else keras.layers.Reshape((steps, features), name="steps")(inputs)
        # Features of a recipe may have any unit: logarithms of energies, metres per second squared.
        values = keras.layers.BatchNormalization(momentum=MOMENTUM, name="norm_input")(values)
        layer = keras.layers.SeparableConv1D if self.kind == "separable" else keras.layers.Conv1D
        for number, channels in enumerate((self.width, 2 * self.width, 2 * self.width)):
            stride = 2 if values.shape[1] >= 8 else 1
            values = layer(channels, self.kernel, strides=stride, padding="same", use_bias=False, name=f"conv_{number}")(values)
            values = keras.layers.BatchNormalization(momentum=MOMENTUM, name=f"norm_{number}")(values)
            values = keras.layers.ReLU(name=f"relu_{number}")(values)
        features = keras.layers.GlobalAveragePooling1D(name="features")(values)
        self._backbone = keras.Model(inputs, features, name="backbone")
        values = keras.layers.Dropout(self.dropout, name="head_dropout")(features)
        return keras.Model(inputs, keras.layers.Softmax(name="scores")(keras.layers.Dense(classes, name="classes")(values)), name="signal")

    def backbone(self, model: Any) -> Any:
        return self._backbone
