# SPDX-License-Identifier: Apache-2.0
"""Steps other than resizing compared with NumPy, Pillow and OpenCV, and whole pipelines as apps write them."""
import math
import sys

import cv2
import numpy as np
from PIL import Image

from tool import Refused, Tool

RANDOM = np.random.default_rng(9)


def quantised(real, scale, zero_point, dtype):
    """round(x / scale) + zero_point, halves away from zero, in float32 as in TFLite."""
    ratio = real.astype(np.float32) / np.float32(scale)
    limits = np.iinfo(dtype)
    return np.clip(np.copysign(np.floor(np.abs(ratio) + np.float32(0.5)), ratio) + zero_point, limits.min, limits.max).astype(dtype)


def cases(image):
    """(name, recipe, dtype, expected tensor, allowed difference)."""
    height, width, _ = image.shape
    pillow = Image.fromarray(image)
    yield "gray like OpenCV", "gray(round=opencv)", "uint8", cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)[:, :, None], 0
    yield "gray like Pillow", "gray(round=pillow)", "uint8", np.asarray(pillow.convert("L"))[:, :, None], 0
    weights = np.array([0.299, 0.587, 0.114])
    yield "gray in float", "gray", "float32", (image @ weights)[:, :, None], 1e-4
    yield "bgr", "color(bgr)", "uint8", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), 0
    for degrees, code in ((90, cv2.ROTATE_90_CLOCKWISE), (180, cv2.ROTATE_180), (270, cv2.ROTATE_90_COUNTERCLOCKWISE)):
        yield f"rotate {degrees}", f"rotate({degrees})", "uint8", cv2.rotate(image, code), 0
    yield "flip", "flip(horizontal)", "uint8", cv2.flip(image, 1), 0
    yield "flip", "flip(vertical)", "uint8", cv2.flip(image, 0), 0
    mean, deviation = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    yield ("torchvision's normalisation", "scale(0..1) | normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])",
           "float32", (image / 255 - mean) / deviation, 1e-6)
    yield "NCHW", "scale(-1..1) | layout(nchw)", "float32", (image / 127.5 - 1).transpose(2, 0, 1), 1e-6
    yield ("int8", "scale(-1..1) | quantize(scale=0.0078125, zero_point=-1)", "int8",
           quantised((image.astype(np.float64) * (2 / 255) - 1), 0.0078125, -1, np.int8), 0)
    yield "int8 with halves", "quantize(scale=2, zero_point=-100)", "int8", quantised(image, 2, -100, np.int8), 0
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    square = pillow.crop((left, top, left + side, top + side)).resize((32, 32), Image.Resampling.BICUBIC)
    yield "square, then Pillow", "crop(square) | resize(32x32, bicubic, like=pillow)", "uint8", np.asarray(square), 0
    h, w = int(height * 0.875 + 0.5), int(width * 0.875 + 0.5)
    top, left = (height - h) // 2, (width - w) // 2
    middle = cv2.resize(image[top:top + h, left:left + w], (40, 24), interpolation=cv2.INTER_AREA)
    yield "centre, then OpenCV", "crop(center, 0.875) | resize(24x40, area, like=opencv)", "uint8", middle, 0
    # OpenCV's matrices have 14 bits, Pillow uses tables: equal except for the last step.
    chroma = np.array([[0.299, 0.587, 0.114], [0.713 * 0.701, -0.713 * 0.587, -0.713 * 0.114], [-0.564 * 0.299, -0.564 * 0.587, 0.564 * 0.886]])
    yield ("YCrCb", "matrix([%s], offset=[0, 128, 128], round=uint8)" % ", ".join(map(str, chroma.ravel())), "uint8",
           cv2.cvtColor(image, cv2.COLOR_RGB2YCrCb), 1)
    jpeg = "0.299, 0.587, 0.114, -0.168736, -0.331264, 0.5, 0.5, -0.418688, -0.081312"
    yield "YCbCr", f"matrix([{jpeg}], offset=[0, 128, 128], round=uint8)", "uint8", np.asarray(pillow.convert("YCbCr")), 1
    packed = cv2.cvtColor(image, cv2.COLOR_RGB2BGR565).view(np.uint16)[:, :, 0].astype(np.int64)
    red, green, blue = packed >> 11, packed >> 5 & 63, packed & 31
    yield "RGB 5-6-5", "tone(rgb565)", "uint8", np.stack([red << 3, green << 2, blue << 3], 2).astype(np.uint8), 0
    yield ("RGB 5-6-5, filled", "tone(rgb565_filled)", "uint8",
           np.stack([red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2], 2).astype(np.uint8), 0)
    # torchvision.transforms.functional: _compute_resized_output_size() and center_crop(), on PIL images.
    for short, size, kernel, name in ((32, 28, Image.Resampling.BILINEAR, "bilinear"), (36, 32, Image.Resampling.BICUBIC, "bicubic"),
                                      (29, 24, Image.Resampling.LANCZOS, "lanczos3")):
        long = int(short * max(height, width) / min(height, width))
        new_width, new_height = (short, long) if width <= height else (long, short)
        resized = pillow.resize((new_width, new_height), kernel)
        top, left = int(round((new_height - size) / 2.0)), int(round((new_width - size) / 2.0))
        yield (f"torchvision Resize({short}), CenterCrop({size})", f"resize(short={short}, {name}, like=pillow) | crop(center, {size}x{size})",
               "uint8", np.asarray(resized.crop((left, top, left + size, top + size))), 0)
        area = cv2.resize(image, (new_width, new_height), interpolation=cv2.INTER_AREA)
        top, left = (new_height - size) // 2, (new_width - size) // 2
        yield ("the same with OpenCV", f"resize(short={short}, area, like=opencv) | crop(center, {size}x{size}, offset=floor)",
               "uint8", area[top:top + size, left:left + size], 0)
    scale = min(64 / height, 64 / width)
    for whole, sides in ((lambda side: int(side + 0.5), "round"), (math.floor, "floor"), (math.ceil, "ceil")):
        for odd, place in ((0, "last"), (1, "first")):
            h, w = (64 if side * scale > 64 - 1e-9 else max(1, whole(side * scale)) for side in (height, width))
            boxed = np.full((64, 64, 3), 114, np.uint8)
            top, left = (64 - h + odd) // 2, (64 - w + odd) // 2
            boxed[top:top + h, left:left + w] = cv2.resize(image, (w, h), interpolation=cv2.INTER_LINEAR)
            yield f"letterbox, {sides}, {place}", f"letterbox(64x64, bilinear, like=opencv, fill=114, sides={sides}, odd={place})", "uint8", boxed, 0


def main():
    tool, failures, count = Tool(), [], 0
    for height, width in ((48, 64), (61, 37), (97, 131), (5, 9)):
        image = RANDOM.integers(0, 256, (height, width, 3), dtype=np.uint8)
        for name, recipe, dtype, expected, allowed in cases(image):
            count += 1
            try:
                made = tool.tensor(image, expected.shape, dtype, recipe)
            except Refused as refusal:
                failures.append(f"{name} at {height}x{width}: {refusal}")
                continue
            difference = np.abs(made.astype(np.float64) - expected.astype(np.float64)).max()
            if difference > allowed:
                failures.append(f"{name} at {height}x{width}: differs by {difference}")
    tool.close()
    print(f"{count} tensors compared")
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
