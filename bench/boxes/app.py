# SPDX-License-Identifier: Apache-2.0
"""Three detectors as in an app: float32, loops and lists. Shares no code with the search. `faults` is a set of names; every `if "name" in faults` is
a known mistake of apps.
"""
import numpy as np

SIZES = {"coco": (300, 300), "ssd": (300, 300), "faces": (320, 240)}  # width, height


def face_priors(faults):
    priors = []
    for step, sides in zip((8, 16, 32, 64), ((10, 16, 24), (32, 48), (64, 96), (128, 192, 256))):
        rows, columns = int(np.ceil(240 / step)), int(np.ceil(320 / step))
        cells = [(c, r) for c in range(columns) for r in range(rows)] if "columns first" in faults else [(c, r) for r in range(rows) for c in range(columns)]
        middle = 0.0 if "corner of the cell" in faults else 0.5
        for c, r in cells:
            for side in sides:
                priors.append([(c + middle) * step / 320, (r + middle) * step / 240, side / 320, side / 240])
    priors = np.clip(np.array(priors, np.float32), 0, 1)
    return priors[::-1] if "anchors reversed" in faults else priors


def real(array, quantisation, faults):
    scale, zero = quantisation
    if not scale:
        return array.astype(np.float32)
    if "sign confused" in faults:
        array = array.view(np.int8)
    array = array.astype(np.float32)
    if "codes for values" in faults:
        return array
    return (array - np.float32(0 if "no zero point" in faults else zero)) * np.float32(scale)


def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(np.float32)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def activated(scores, usual, faults):
    if usual == "sigmoid" and "no sigmoid" not in faults:
        scores = softmax(scores) if "softmax" in faults else sigmoid(scores)
    if "sigmoid too many" in faults:
        scores = sigmoid(scores)
    if "softmax too many" in faults:
        scores = softmax(scores)
    return scores


def overlaps(box, others, faults):
    one = np.float32(1 / 300 if "one pixel wider" in faults else 0)
    w = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0]) + one
    h = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1]) + one
    common = np.where((w > 0) & (h > 0), w * h, 0)
    area, areas = (box[2] - box[0] + one) * (box[3] - box[1] + one), (others[:, 2] - others[:, 0] + one) * (others[:, 3] - others[:, 1] + one)
    return common / np.maximum(np.minimum(area, areas) if "smaller area" in faults else area + areas - common, 1e-12)


def nms(found, limit, per_class, most, faults):
    if "not sorted" not in faults:
        found = sorted(found, key=lambda f: -f[2])
    if "no nms" in faults:
        return found[:most]
    if "over all classes" in faults:
        per_class = False
    if "per class" in faults:
        per_class = True
    limit = 0.2 if "limit 0.2" in faults else 0.8 if "limit 0.8" in faults else limit
    boxes, classes, kept = np.array([f[0] for f in found], np.float32).reshape(-1, 4), np.array([f[1] for f in found]), []
    for i in range(len(found)):
        rivals = [k for k in kept if not per_class or classes[k] == classes[i]]
        if not rivals or overlaps(boxes[i], boxes[rivals], faults).max() <= limit:
            kept.append(i)
        if len(kept) == most:
            break
    return [found[i] for i in kept]


def decode(codes, priors, order, faults):
    if order == "yx":
        codes = codes[:, [1, 0, 3, 2]]
    if "x and y of codes" in faults:
        codes = codes[:, [1, 0, 3, 2]]
    if "codes for boxes" in faults:
        return codes
    at, size = (1.0, 1.0) if "no variances" in faults else (0.2, 0.1) if "variances exchanged" in faults else (0.1, 0.2)
    centre = priors[:, :2] + codes[:, :2] * np.float32(at) * priors[:, 2:]
    sides = priors[:, 2:] * ((1 + codes[:, 2:] * np.float32(size)) if "sizes without exp" in faults else np.exp(codes[:, 2:] * np.float32(size)))
    if "centre for corner" in faults:
        return np.hstack([centre, centre + sides])
    return np.hstack([centre - sides / 2, centre + sides / 2])


def candidates(boxes, scores, threshold, faults):
    skip = 0 if "background counted" in faults else 2 if "one class too many" in faults else 1
    scores = scores[:, skip:]
    rows, columns = np.nonzero(scores >= threshold)
    if "best class" in faults:
        keep = [i for i in range(len(rows)) if columns[i] == scores[rows[i]].argmax()]
        rows, columns = rows[keep], columns[keep]
    return [(boxes[r], int(c), scores[r, c]) for r, c in zip(rows, columns)]


def to_picture(box, picture, model, faults):
    x1, y1, x2, y2 = (float(v) for v in box)
    (w, h), (mw, mh) = picture, model
    if "mirrored" in faults:
        x1, x2 = 1 - x2, 1 - x1
    if "upside down" in faults:
        y1, y2 = 1 - y2, 1 - y1
    if "turned" in faults:
        x1, y1, x2, y2 = 1 - x2, 1 - y2, 1 - x1, 1 - y1
    if "mirrored corners" in faults:
        x1, x2 = 1 - x1, 1 - x2
    fx, fy, left, top = w, h, 0, 0
    if "letterbox" in faults or "centred letterbox" in faults:
        ratio = min(mw / w, mh / h)
        fx, fy = mw / ratio, mh / ratio
        if "centred letterbox" in faults:
            left, top = (fx - w) / 2, (fy - h) / 2
    if "model pixels" in faults:
        fx, fy = mw, mh
    if "shares" in faults:
        fx, fy = 1, 1
    if "sides exchanged" in faults:
        fx, fy = h, w
    if "size 416" in faults:
        fx, fy = 416, 416
    x1, y1, x2, y2 = x1 * fx - left, y1 * fy - top, x2 * fx - left, y2 * fy - top
    if "cut" in faults:
        x1, x2, y1, y2 = min(max(x1, 0), fx), min(max(x2, 0), fx), min(max(y1, 0), fy), min(max(y2, 0), fy)
    if "reported xywh" in faults:
        return [x1, y1, x2 - x1, y2 - y1]
    if "reported yxyx" in faults:
        return [y1, x1, y2, x2]
    if "reported cxcywh" in faults:
        return [(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1]
    if "rounded" in faults:  # Not a fault: many apps return whole pixels.
        return [round(x1), round(y1), round(x2), round(y2)]
    return [x1, y1, x2, y2]


def answer(kind, outputs, quantisation, picture, faults, anchors=None, names=None):
    """(boxes, scores, class numbers or lines of the names) of one picture."""
    if kind == "coco":
        boxes, classes, scores, count = outputs
        if "scores for classes" in faults:
            classes, scores = scores, classes
        n = len(scores[0]) if "count ignored" in faults else int(count.reshape(-1)[0])
        found = []
        for i in range(n):
            y1, x1, y2, x2 = boxes[0][i]
            if "read as xyxy" in faults:
                x1, y1, x2, y2 = boxes[0][i]
            score = activated(scores[0][i], "none", faults)
            found.append(((x1, y1, x2, y2), int(round(float(classes[0][i]))), score))
        threshold = 0.45 if "threshold 0.45" in faults else 0.3
        found = [f for f in found if f[2] >= threshold]
    elif kind == "ssd":
        boxes = decode(real(outputs[0][0], quantisation[0], faults), (anchors[::-1] if "anchors reversed" in faults else anchors), "yx", faults)
        scores = activated(real(outputs[1][0], quantisation[1], faults), "sigmoid", faults)
        threshold = 0.45 if "threshold 0.45" in faults else 0.25
        found = nms(candidates(boxes, scores, threshold, faults), 0.5, True, 3 if "at most 3" in faults else 20, faults)
    else:
        boxes = decode(outputs[0][0], face_priors(faults), "xy", faults)
        scores = activated(outputs[1][0], "none", faults)
        threshold = 0.9 if "threshold 0.9" in faults else 0.5
        found = nms(candidates(boxes, scores, threshold, faults), 0.3, True, 1 if "at most 1" in faults else 100, faults)
    shift = 1 if "label of the next" in faults else -1 if "label of the one before" in faults else 0
    table = sorted(range(len(names)), key=lambda i: names[i]) if names and "alphabetical" in faults else None
    lines = [table[f[1] + shift] if table else f[1] + shift for f in found]
    out = [float(f[2]) for f in found]
    if "per cent" in faults:
        out = [100 * s for s in out]
    if "scores rounded" in faults:  # Not a fault.
        out = [round(s, 2) for s in out]
    return [to_picture(f[0], picture, SIZES[kind], faults) for f in found], out, lines
