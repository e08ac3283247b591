# SPDX-License-Identifier: Apache-2.0
"""The wrong recipes that evaluate.py measures: each is the reference recipe with one typical mistake of apps. FAULTS: (kind, description, function
from pixels to the float tensor of the model input). Kinds are those of `edgeprobe diagnose`.
"""

import numpy as np
from PIL import Image

import preprocess as pre

IMAGENET_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
IMAGENET_STD = np.array([0.229, 0.224, 0.225], np.float32)


def _after_resize(change):
    """A fault on the 8-bit picture that the reference crop and resize made."""
    return lambda image: pre.scale(change(pre.reference_pixels(image)))


def _ranged(scale):
    return lambda image: scale(pre.reference_pixels(image).astype(np.float32)).astype(np.float32)


def _framed(crop):
    return lambda image: pre.scale(crop(image))


def _kernel(resize):
    return lambda image: pre.scale(resize(pre.crop_center(image)))


def _gray(pixels):
    luma = np.rint(pixels @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)
    return np.repeat(luma[..., None], 3, axis=2)


def _gamma(pixels):
    return np.rint(255 * (pixels / 255.0) ** 2.2).astype(np.uint8)


def _planar(tensor_of):
    """Channel-first memory handed to a channel-last input."""
    return lambda image: np.ascontiguousarray(tensor_of(image).transpose(2, 0, 1)).reshape(pre.SIDE, pre.SIDE, 3)


FAULTS = [
    ("channel_order", "BGR instead of RGB", _after_resize(lambda p: p[..., ::-1])),
    ("channel_order", "gray, three times", _after_resize(_gray)),
    ("value_range", "0..1 instead of -1..1", _ranged(lambda v: v / 255)),
    ("value_range", "0..255 instead of -1..1", _ranged(lambda v: v)),
    ("value_range", "ImageNet mean and std", _ranged(lambda v: (v / 255 - IMAGENET_MEAN) / IMAGENET_STD)),
    ("value_range", "-0.5..0.5 instead of -1..1", _ranged(lambda v: v / 255 - 0.5)),
    ("value_range", "gamma 2.2 applied", _after_resize(_gamma)),
    ("orientation", "rotated by 90 degrees", _after_resize(lambda p: np.rot90(p, -1))),
    ("orientation", "rotated by 180 degrees", _after_resize(lambda p: np.rot90(p, 2))),
    ("orientation", "rotated by 270 degrees", _after_resize(lambda p: np.rot90(p, 1))),
    ("orientation", "flipped left to right", _after_resize(lambda p: p[:, ::-1])),
    ("orientation", "flipped top to bottom", _after_resize(lambda p: p[::-1])),
    ("crop", "no crop: whole picture stretched", _framed(pre.resize_pillow)),
    ("crop", "whole picture letterboxed", _framed(pre.letterbox)),
    ("crop", "central square of 0.875", _framed(lambda i: pre.resize_pillow(pre.crop_square(i)))),
    ("crop", "central square of the full side", _framed(lambda i: pre.resize_pillow(pre.crop_square(i, 1.0)))),
    ("crop", "0.75 instead of 0.875", _framed(lambda i: pre.resize_pillow(pre.crop_center(i, 0.75)))),
    ("resize", "nearest", _kernel(lambda i: pre.resize_pillow(i, Image.NEAREST))),
    ("resize", "bilinear without antialias", _kernel(pre.resize_bilinear_plain)),
    ("resize", "area", _kernel(pre.resize_area)),
    ("resize", "bicubic (Pillow)", _kernel(lambda i: pre.resize_pillow(i, Image.BICUBIC))),
    ("resize", "Lanczos (Pillow)", _kernel(lambda i: pre.resize_pillow(i, Image.LANCZOS))),
    ("layout", "channel-first data as channel-last", _planar(pre.reference)),
]

# Mistakes with the input of an int8 model: (description, function from uint8 pixels and the right codes to int8 codes).
INPUT_CODE_FAULTS = [
    ("bytes 0..255 reinterpreted as int8", lambda pixels, codes: pixels.view(np.int8)),
    ("bytes 0..255 saturated at 127", lambda pixels, codes: np.minimum(pixels, 127).astype(np.int8)),
    ("0..1 cast to integer", lambda pixels, codes: (pixels // 255).astype(np.int8)),
    ("-1..1 cast to integer", lambda pixels, codes: np.trunc(pre.scale(pixels)).astype(np.int8)),
]
