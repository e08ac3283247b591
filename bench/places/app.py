# SPDX-License-Identifier: Apache-2.0
"""Post-processing of segmentation and key-point models as in apps, in NumPy, OpenCV and Pillow, without code of the search.

`mask()` and `points()` take the outputs of one frame, the size of the picture (width, height) and a set of faults by name.
"""
import cv2
import numpy as np
from PIL import Image

TURNS = {"transposed": lambda m: m.swapaxes(0, 1), "mirrored": lambda m: m[:, ::-1], "upside down": lambda m: m[::-1], "turned by 90": lambda m: np.rot90(m),
         "turned by 180": lambda m: np.rot90(m, 2), "turned by 270": lambda m: np.rot90(m, 3), "transposed and turned": lambda m: np.rot90(m.swapaxes(0, 1), 2)}
COCO_FOR_VOC = {2: 16, 3: 17, 8: 18, 12: 19, 15: 1}


def corners(array, width, height):
    """Bilinear with aligned corners of both grids."""
    h, w = array.shape[:2]
    y, x = np.linspace(0, h - 1, height), np.linspace(0, w - 1, width)
    return between(array, y, x)


def legacy(array, width, height):
    h, w = array.shape[:2]
    return between(array, np.arange(height) * (h / height), np.arange(width) * (w / width))


def between(array, y, x):
    h, w = array.shape[:2]
    y0, x0 = np.floor(y).astype(int).clip(0, h - 1), np.floor(x).astype(int).clip(0, w - 1)
    y1, x1 = (y0 + 1).clip(0, h - 1), (x0 + 1).clip(0, w - 1)
    fy, fx = (y - y0)[:, None, None].astype(np.float32), (x - x0)[None, :, None].astype(np.float32)
    rows = array[y0] * (1 - fy) + array[y1] * fy
    return rows[:, x0] * (1 - fx) + rows[:, x1] * fx


def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(np.float32)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def resize_classes(ids, width, height, faults):
    ids = ids.astype(np.int32)
    if "bilinear classes" in faults or "bilinear classes, cut" in faults:
        soft = np.asarray(cv2.resize(ids.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR))
        return np.floor(soft + 1e-6).astype(np.int32) if "bilinear classes, cut" in faults else np.rint(soft).astype(np.int32)
    if "top left" in faults:
        h, w = ids.shape
        return ids[np.arange(height) * h // height][:, np.arange(width) * w // width]
    if "corners" in faults:
        h, w = ids.shape
        return ids[np.floor(np.linspace(0, h - 1, height) + 0.5).astype(int)][:, np.floor(np.linspace(0, w - 1, width) + 0.5).astype(int)]
    return np.asarray(Image.fromarray(ids, "I").resize((width, height), Image.NEAREST))


def resize_scores(scores, width, height, faults):
    scores = np.ascontiguousarray(scores, np.float32)
    if "nearest scores" in faults:
        h, w = scores.shape[:2]
        return scores[((np.arange(height) + 0.5) * h / height).astype(int)][:, ((np.arange(width) + 0.5) * w / width).astype(int)]
    if "corners" in faults:
        return corners(scores, width, height)
    if "top left" in faults:
        return legacy(scores, width, height)
    planes = [cv2.resize(np.ascontiguousarray(scores[:, :, c]), (width, height), interpolation=cv2.INTER_LINEAR) for c in range(scores.shape[2])]
    return np.stack(planes, 2)


def window(cells, picture, model, faults, has_bars):
    """The whole cells that the picture covers."""
    if not has_bars or "bars kept" in faults:
        return cells
    (w, h), (mw, mh) = picture, model
    ratio = min(mw / w, mh / h)
    ih, iw = h * ratio * cells.shape[0] / mh, w * ratio * cells.shape[1] / mw
    top, left = ((0, 0) if "bars below" in faults else ((cells.shape[0] - ih) / 2, (cells.shape[1] - iw) / 2))
    return cells[int(round(top)): int(round(top + ih)), int(round(left)): int(round(left + iw))]


def mask(kind, outputs, quantisation, picture, model, faults):
    """Class numbers [height, width]."""
    width, height = picture
    if "sides exchanged" in faults:
        width, height = height, width
    if "size 257" in faults:
        width, height = 257, 257
    cells = outputs[0][0]
    if kind == "deeplab":
        ids = cells
        for name, turn in TURNS.items():
            ids = turn(ids) if name in faults else ids
        out = ids if "not resized" in faults else resize_classes(ids, width, height, faults)
    else:
        scale, zero = quantisation[0]
        scores = cells.astype(np.float32)
        if scale and "codes" not in faults:
            scores = (scores - zero) * np.float32(scale)
        if kind == "planes":
            scores = scores.reshape(scores.shape[1], scores.shape[2], scores.shape[0]) if "channels last" in faults else scores.transpose(1, 2, 0)
        elif "channels first" in faults:
            scores = scores.reshape(scores.shape[2], *scores.shape[:2]).transpose(1, 2, 0)
        if kind == "selfie" and "no sigmoid" not in faults:
            scores = sigmoid(scores)
        if "sigmoid twice" in faults or ("sigmoid" in faults and kind != "selfie"):
            scores = sigmoid(scores)
        if "softmax" in faults:
            scores = softmax(scores)
        if "over rows" in faults:
            scores = scores.transpose(1, 2, 0)
        if "over columns" in faults:
            scores = scores.transpose(0, 2, 1)
        for name, turn in TURNS.items():
            scores = turn(scores) if name in faults else scores
        scores = window(scores, picture, model, faults, kind == "planes")
        limit = 0.3 if "threshold 0.3" in faults else 0.5

        def decide(s):
            return (s[:, :, 0] >= limit).astype(np.int32) if kind == "selfie" else s.argmax(2)

        first = "decided first" in faults
        if "not resized" in faults:
            out = decide(scores)
        else:
            out = resize_classes(decide(scores), width, height, faults) if first else decide(resize_scores(scores, width, height, faults))
    out = out.astype(np.int32)
    given = out.copy()
    for old, new in (COCO_FOR_VOC if "renamed" in faults else {15: 12, 12: 15} if "exchanged" in faults else {15: 0} if "left out" in faults else
                     {0: 1, 1: 0} if "inverted" in faults else {1: 255} if "255 for 1" in faults else {}).items():
        given[out == old] = new
    return given + ("one too high" in faults) - ("one too low" in faults)


# An app with another model's list: OpenPose's order of MoveNet's first points, then the other points.
OTHER_ORDER = [0, 6, 8, 10, 5, 7, 9, 12, 14, 16, 11, 13, 15, 2, 1, 4, 3]


def points(kind, outputs, picture, model, faults):
    """x, y and score of each point, NaN for those that are not shown."""
    (w, h), (mw, mh) = picture, model
    numbers = outputs[0].reshape(-1, 3 if kind == "movenet" else 5).astype(np.float32)
    if kind == "movenet":
        y, x, s = numbers.T
    else:
        x, y, s = numbers[:, 0] / mw, numbers[:, 1] / mh, numbers[:, 3]
        if "no sigmoid" not in faults:
            s = sigmoid(s)
    if "sigmoid" in faults:
        s = sigmoid(s)
    if "x and y exchanged" in faults:
        x, y = y, x
    if "mirrored" in faults:
        x = 1 - x
    if "upside down" in faults:
        y = 1 - y
    if "turned by 180" in faults:
        x, y = 1 - x, 1 - y
    long = max(w / mw, h / mh)
    fx, fy, left, top = (w, h, 0, 0) if kind == "movenet" else (mw * long, mh * long, (mw * long - w) / 2, (mh * long - h) / 2)
    if "stretched" in faults:
        fx, fy, left, top = w, h, 0, 0
    if "letterbox" in faults:
        fx, fy, left, top = mw * long, mh * long, 0, 0
    if "centred letterbox" in faults:
        fx, fy, left, top = mw * long, mh * long, (mw * long - w) / 2, (mh * long - h) / 2
    if "model pixels" in faults:
        fx, fy, left, top = mw, mh, 0, 0
    if "shares" in faults:
        fx, fy, left, top = 1, 1, 0, 0
    if "sides exchanged" in faults:
        fx, fy, left, top = h, w, 0, 0
    if "shorter side" in faults:
        fx, fy, left, top = min(w / mw, h / mh) * mw, min(w / mw, h / mh) * mh, 0, 0
    if "size 300" in faults:
        fx, fy, left, top = 300, 300, 0, 0
    x, y = x * fx - left, y * fy - top
    if "cut" in faults:
        x, y = np.clip(x, 0, fx if kind == "movenet" else w), np.clip(y, 0, fy if kind == "movenet" else h)
    if "rounded" in faults:  # Not a fault: many apps return whole pixels.
        x, y = np.round(x), np.round(y)
    limit = 0.3 if kind == "movenet" else 0.5
    if "threshold higher" in faults:
        limit += 0.15
    shown = np.ones(len(s), bool) if "no threshold" in faults else s >= np.float32(limit)
    if "scores rounded" in faults:  # Not a fault.
        s = np.round(s, 2)
    out = np.stack([y, x, s] if "y first" in faults else [x, y, s], 1)
    out[~shown, :2] = np.nan
    if "left and right" in faults:
        out = out[[0] + [i + 1 if i % 2 else i - 1 for i in range(1, len(out))]]
    if "reversed" in faults:
        out = out[::-1]
    if "another order" in faults:
        out = out[OTHER_ORDER if len(out) == 17 else list(range(5, len(out))) + list(range(5))]
    return out
