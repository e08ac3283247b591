# SPDX-License-Identifier: Apache-2.0
"""The reference recipe of the signs model in Pillow and NumPy, and the parts for wrong recipes.

    crop(center, 0.875) | resize(64x64, bilinear, antialias=on, align=half_pixel) | color(rgb) | scale(-1..1) | layout(nhwc)

A step takes and returns uint8 (height, width, 3) until `scale`, which returns float32.
"""

import io

import numpy as np
from PIL import Image

SIDE = 64


def decode(source):
    """RGB, uint8, from a path or from bytes."""
    if isinstance(source, bytes):
        source = io.BytesIO(source)
    with Image.open(source) as image:
        return np.asarray(image.convert("RGB"))


def crop_center(image, fraction=0.875):
    """Keeps the central part of each side."""
    height, width = (round(n * fraction) for n in image.shape[:2])
    top, left = (image.shape[0] - height) // 2, (image.shape[1] - width) // 2
    return image[top:top + height, left:left + width]


def crop_square(image, fraction=0.875):
    """Keeps a central square whose side is a part of the shorter side."""
    side = round(min(image.shape[:2]) * fraction)
    top, left = (image.shape[0] - side) // 2, (image.shape[1] - side) // 2
    return image[top:top + side, left:left + side]


def resize_pillow(image, kernel=Image.BILINEAR, height=SIDE, width=SIDE):
    """Pillow's kernels; all but NEAREST widen with the reduction (antialias)."""
    return np.asarray(Image.fromarray(image).resize((width, height), kernel))


def letterbox(image, fill=114):
    """Keeps the aspect, fills the rest with grey."""
    scale = SIDE / max(image.shape[:2])
    height, width = (max(1, round(n * scale)) for n in image.shape[:2])
    out = np.full((SIDE, SIDE, 3), fill, np.uint8)
    top, left = (SIDE - height) // 2, (SIDE - width) // 2
    out[top:top + height, left:left + width] = resize_pillow(image, height=height, width=width)
    return out


def _apply(image, rows, columns):
    """Separable resize by two weight matrices (out, in), rounded once."""
    out = np.einsum("yh,xw,hwc->yxc", rows, columns, image.astype(np.float64), optimize=True)
    return np.clip(np.floor(out + 0.5), 0, 255).astype(np.uint8)


def _bilinear_matrix(source, target):
    center = (np.arange(target) + 0.5) * source / target - 0.5
    low = np.floor(center).astype(int)
    matrix = np.zeros((target, source))
    for step, weight in ((0, 1 - (center - low)), (1, center - low)):
        np.add.at(matrix, (np.arange(target), np.clip(low + step, 0, source - 1)), weight)
    return matrix


def _area_matrix(source, target):
    edges = np.arange(target + 1) * source / target
    low, high = edges[:-1, None], edges[1:, None]
    pixel = np.arange(source)[None]
    return np.clip(np.minimum(high, pixel + 1) - np.maximum(low, pixel), 0, None) * target / source


def resize_bilinear_plain(image):
    """Two taps per axis at half-pixel centres, without antialiasing: the default of OpenCV and TensorFlow."""
    return _apply(image, _bilinear_matrix(image.shape[0], SIDE), _bilinear_matrix(image.shape[1], SIDE))


def resize_area(image):
    """The mean over each output pixel's exact footprint."""
    return _apply(image, _area_matrix(image.shape[0], SIDE), _area_matrix(image.shape[1], SIDE))


def scale(image):
    """0..255 to -1..1."""
    return image.astype(np.float32) / np.float32(127.5) - np.float32(1)


def reference_pixels(image):
    """The recipe up to the last 8-bit step: uint8 (64, 64, 3)."""
    return resize_pillow(crop_center(image))


def reference(image):
    """The whole recipe: float32 (64, 64, 3) in -1..1."""
    return scale(reference_pixels(image))
