# SPDX-License-Identifier: Apache-2.0
"""Writes an app of pictures.py as a recipe of edgeprobe, if the language can express it."""
import numpy as np

from pictures import RANGES, fill_of, window

KERNELS = {
    "cv_nearest": "nearest, like=opencv", "cv_nearest_exact": "nearest", "cv_linear": "bilinear, like=opencv",
    "cv_area": "area, like=opencv", "cv_cubic": "bicubic, like=opencv", "cv_lanczos4": "lanczos4, like=opencv",
    "pil_nearest": "nearest, like=pillow", "pil_bilinear": "bilinear, like=pillow", "pil_bicubic": "bicubic, like=pillow",
    "pil_lanczos": "lanczos3, like=pillow", "pil_box": "box, like=pillow", "np_bilinear_legacy": "bilinear, align=legacy",
    "np_bilinear_corners": "bilinear, align=corners", "np_nearest_corners": "nearest, align=corners",
    "np_bicubic50": "bicubic, a=-0.5", "np_lanczos3": "lanczos3", "np_bicubic75_corners": "bicubic, align=corners",
    "np_bicubic75_legacy": "bicubic, align=legacy", "np_lanczos3_corners": "lanczos3, align=corners", "np_lanczos3_legacy": "lanczos3, align=legacy"}
TURNS = {0: [], 1: ["rotate(90)"], 2: ["rotate(180)"], 3: ["rotate(270)"], 4: ["flip(horizontal)"],
         5: ["flip(horizontal)", "rotate(90)"], 6: ["flip(horizontal)", "rotate(180)"], 7: ["flip(horizontal)", "rotate(270)"]}


def _number(values):
    values = np.atleast_1d(values).astype(float)
    return "%.12g" % values[0] if len(values) == 1 else "[%s]" % ", ".join("%.12g" % v for v in values)


def _fit(app, sizes):
    """The crop step, [] if there is none; None if no step fits the windows of all frames."""
    if app.fit == "stretch" or app.fit.startswith("letterbox"):
        return []
    known = {"square": "crop(square)", "crop875": "crop(center, 0.875)", "square875": "crop(square, 0.875)"}
    if app.fit in known:
        return [known[app.fit]]
    if app.fit.startswith("crop:"):
        return ["crop(center, %s)" % float(app.fit[5:])]
    windows = {window(app.fit, *size) for size in sizes}
    return ["crop(%d, %d, %dx%d)" % windows.pop()] if len(windows) == 1 and not app.turn else None


def recipe_of(app, sizes):
    """The recipe's text for pictures of these (height, width), or None if no recipe can express it."""
    crop = _fit(app, sizes)
    if crop is None or app.range == "standardize" or app.tone != "none" or app.color not in ("rgb", "bgr", "gray"):
        return None
    if app.color == "gray" and app.round == "float":
        return None  # OpenCV computes gray from whole pixel values.
    if app.layout != "hwc" or app.camera != "none" or app.quant == "xor" or app.decode != "default" or app.channels != 3:
        return None
    kernel = KERNELS[app.kernel]
    if app.round == "float" and "nearest" not in kernel:
        kernel += ", round=float"
    elif app.kernel.startswith("np_") and "nearest" not in kernel:
        kernel += ", round=uint8"
    if app.fit.startswith("letterbox"):
        place = ", place=top_left" if app.fit.endswith("_tl") else ""
        size = ["letterbox(%dx%d, %s, fill=%d%s)" % (app.size, app.size, kernel, fill_of(app.fit), place)]
    else:
        size = ["resize(%dx%d, %s)" % (app.size, app.size, kernel)]
    color = {"rgb": [], "bgr": ["color(bgr)"], "gray": ["gray(3, round=opencv)"]}[app.color]
    mean, std = RANGES[app.range]
    if app.limited:
        mean, std = (np.asarray(mean, float) - 16) * 255 / 219, np.asarray(std, float) * 255 / 219
    plain = np.all(np.asarray(mean) == 0) and np.all(np.asarray(std) == 1)
    levels = [] if plain else ["normalize(mean=%s, std=%s)" % (_number(mean), _number(std))]
    codes = {"float": [], "ok": ["quantize(model)"], "cast": ["cast(%s)" % app.dtype],
             "zp0": ["quantize(scale=%.17g, zero_point=0)" % app.scale]}[app.quant]
    return " | ".join(TURNS[app.turn] + crop + size + color + levels + codes)
