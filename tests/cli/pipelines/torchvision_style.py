# SPDX-License-Identifier: Apache-2.0
"""Pre-processing as in torchvision (Resize, CenterCrop, ToTensor, Normalize), written with NumPy and Pillow.

The model takes NHWC, so the last step moves the channels back, as a converter would."""
import numpy as np
from PIL import Image

MEAN = STD = (0.5, 0.5, 0.5)


def resize(image, size):
    """The shorter side becomes `size`."""
    height, width = image.shape[:2]
    scale = size / min(height, width)
    to = (size, int(width * scale)) if height < width else (int(height * scale), size)
    return np.asarray(Image.fromarray(image).resize((to[1], to[0]), Image.Resampling.BILINEAR))


def center_crop(image, size, shift=0):
    top, left = (round((side - size) / 2) for side in image.shape[:2])
    return image[top + shift:top + shift + size, left:left + size]


def run(image, shift=0, bgr=False, mean=MEAN, std=STD):
    resized = resize(image, 73)
    yield "resized", resized
    cropped = center_crop(resized, 64, shift)
    yield "cropped", cropped
    tensor = np.moveaxis(cropped[..., ::-1] if bgr else cropped, 2, 0).astype(np.float32) / np.float32(255)
    yield "to_tensor", tensor
    normalized = (tensor - np.array(mean, np.float32)[:, None, None]) / np.array(std, np.float32)[:, None, None]
    yield "normalized", normalized
    yield "input", np.moveaxis(normalized, 0, 2)[np.newaxis]


def preprocess(image):
    return run(image)


def bgr(image):
    return run(image, bgr=True)


def imagenet_statistics(image):
    return run(image, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225))


def shifted(image):
    return run(image, shift=-4)
