# SPDX-License-Identifier: Apache-2.0
"""Pre-processing as in Keras (load_img, smart_resize, preprocess_input), written with NumPy and Pillow.

Each faulty function has one step that differs from training."""
import numpy as np
from PIL import Image

SIZE = 64


def smart_resize(image, kernel=Image.Resampling.BILINEAR):
    height, width = image.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    square = image[top:top + side, left:left + side]
    return np.asarray(Image.fromarray(square).resize((SIZE, SIZE), kernel), np.float32)


def preprocess_input(pixels, mode="tf"):
    if mode == "tf":
        return pixels / np.float32(127.5) - np.float32(1)
    return pixels[..., ::-1] - np.array([103.939, 116.779, 123.68], np.float32)  # "caffe"


def stages(image, kernel=Image.Resampling.BILINEAR, mode="tf", turned=False):
    loaded = np.rot90(image) if turned else image
    resized = smart_resize(loaded, kernel)
    return {"loaded": loaded, "resized": resized, "input": preprocess_input(resized, mode)[np.newaxis]}


def preprocess(image):
    return stages(image)


def nearest(image):
    return stages(image, kernel=Image.Resampling.NEAREST)


def caffe_mode(image):
    return stages(image, mode="caffe")


def turned(image):
    return stages(image, turned=True)
