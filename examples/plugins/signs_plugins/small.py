# SPDX-License-Identifier: Apache-2.0
import dataclasses

from edgeprobe.plugins import option


@dataclasses.dataclass
class Small:
    """Two convolutions, to train with `edgeprobe train`."""

    width: int = option(16, "Channels of the first convolution", least=1)
    recipe = "resize(48x48, bilinear, like=pillow) | color(rgb) | scale(-1..1) | layout(nhwc)"

    def build(self, input_shape, classes):
        import keras

        inputs = keras.Input(input_shape)
        values = keras.layers.Conv2D(self.width, 3, strides=2, activation="relu")(inputs)
        values = keras.layers.Conv2D(2 * self.width, 3, strides=2, activation="relu")(values)
        features = keras.layers.GlobalAveragePooling2D()(values)
        self.convolutions = keras.Model(inputs, features)
        scores = keras.layers.Dense(classes)(features)
        return keras.Model(inputs, keras.layers.Softmax()(scores))

    def backbone(self, model):
        return self.convolutions
