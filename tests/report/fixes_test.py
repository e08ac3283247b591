# SPDX-License-Identifier: Apache-2.0
"""Runs the Python lines of every fix and compares the result with the recipe's for the same picture:
fixes_test.py PROGRAM."""

import json
import re
import subprocess
import sys

import cv2
import numpy as np
from PIL import Image, ImageOps

# Largest difference, in steps of 255, between the recipe's real values and a library's 8-bit arithmetic.
EIGHT_BIT, PILLOW_LANCZOS = 2.5, 5
CPP = re.compile(r"^(cv::|std::|img\.convertTo|x\.convertTo|img = img\(cv::)")
MODULES = {"cv2": cv2, "np": np, "Image": Image, "ImageOps": ImageOps}


def execute(code, image, dtype):
    """The tensor that the Python lines compute from `image`: the last one assigned of q, x, gray or img."""
    python = [line for line in code.splitlines() if line and not CPP.match(line)]
    names = dict(MODULES, img=image, x=image.astype(np.float32), dtype=dtype)
    before = {name: names[name] for name in ("img", "x")}
    exec("\n".join(python), names)
    for name in ("q", "x", "img", "gray"):  # In this order: img is read on the way to x and q.
        if name in names and names[name] is not before.get(name):
            return names[name]
    return None


def main():
    data = json.loads(subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout)
    image = np.array(data["pixels"], np.uint8).reshape(data["height"], data["width"], 3)
    compared = 0
    for case in data["cases"]:
        expected = np.array(case["values"], np.float64).reshape(case["shape"])[0]
        for api in ("opencv", "numpy"):
            what, code = f"{case['kind']}: {case['step']}: {api}", case["code"].get(api)
            assert code, what
            if "tf." in code:
                print(f"{what}: not run, TensorFlow is not among the test packages")
                continue
            if api == "opencv" and case["kind"] == "channel_order":
                given = image[..., ::-1].copy()  # cv2 reads BGR.
                if case["step"] == "color(bgr)":
                    code = "img = img.copy()"    # "Feed img as it is."
            elif api == "numpy" and case["step"].startswith("resize") and "resized" in code:
                continue
            else:
                given = image.copy()
            if "letterbox" in case["step"] and api == "numpy":
                code = code.replace("canvas[", "resized = cv2.resize(img, (w, h), interpolation=KERNEL)\ncanvas[", 1)
                code = code.replace("KERNEL", "cv2.INTER_AREA" if "area" in case["step"] else "cv2.INTER_LINEAR") + "\nimg = canvas"
            made = execute(code, given, np.dtype(case["dtype"]))
            assert made is not None, what
            made = np.asarray(made, np.float64)
            made = made[0] if made.ndim == 4 else made[..., None] if made.ndim == 2 else made
            assert made.shape == expected.shape, (what, made.shape, expected.shape)
            worst = np.abs(made - expected).max()
            resampled = "resize" in case["step"] or "letterbox" in case["step"]
            # Bicubic and Lanczos overshoot: 8-bit libraries clip to 0..255.
            if resampled:
                worst = np.abs(np.clip(made, 0, 255) - np.clip(expected, 0, 255)).max()
            limit = PILLOW_LANCZOS if "lanczos3" in case["step"] else EIGHT_BIT if resampled else 0.51 if "gray" in case["step"] else 1 if "quantize" in case["step"] else 1e-4
            if "quantize" in case["step"]:  # Ties of rounding only.
                assert np.mean(made != expected) < 0.01, (what, np.mean(made != expected))
            assert worst <= limit, (what, worst, code)
            compared += 1
    assert compared >= 70, compared
    print(f"{compared} pieces of code run")


if __name__ == "__main__":
    main()
