# SPDX-License-Identifier: Apache-2.0
"""Tiny detectors with key points, with rotated boxes, and with outputs that the graph does not decode; and the post-processing of each in NumPy.

The post-processing follows its authors' public definitions (Ultralytics' pose, OBB and DFL; InsightFace's SCRFD; OpenCV's FaceDetectorYN; NanoDet;
PaddleDetection's PicoDet; CenterNet), cell by cell and box by box; `faults` are mistakes of apps."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIDE, CLASSES, POINTS = 64, 3, 17
# For each output of a map: the numbers of a box, by their meaning.
MAPS = {"yolo8_raw": ([8, 16, 32], [["bins16", "logit"]]), "yolo8_pose_raw": ([8, 16, 32], [["bins16", "logit", "point"]]), "yolo8_six": ([8, 16, 32], [["bins16"], ["logit"]]), "nanodet": ([8, 16, 32], [["score"], ["bins8"]]),
        "nanodet_plus": ([8, 16, 32, 64], [["score", "bins8"]]), "picodet": ([8, 16, 32, 64], [["score"], ["bins8"]]), "scrfd": ([8, 16, 32], [["score"], ["edge"], ["mark"]]),
        "yunet": ([8, 16, 32], [["score"], ["object"], ["code"], ["mark"]]), "centernet": ([4], [["logit"], ["size"], ["moved"]])}
EACH = {"scrfd": 2}
FACES = ("scrfd", "yunet", "yolo8_pose_raw")
BY_COLUMNS = ("yolo8_raw", "yolo8_pose_raw", "yolo8_six", "centernet")
THRESHOLDS = {"pose": 0.85, "pose_end2end": 0.85, "obb": 0.85, "centernet": 0.93, "yunet": 0.75}  # The others have 0.9.


def cells(strides, each=1):
    """Column, row and stride of each box, cell by cell."""
    rows = [(x, y, stride) for stride in strides for y in range(SIDE // stride) for x in range(SIDE // stride) for _ in range(each)]
    return [np.array(column, np.float32) for column in zip(*rows)]


def classes_of(head):
    return 1 if head in FACES or head.startswith("pose") else CLASSES


def model(path, head, seed=5):
    random, nodes, constants, outputs = np.random.default_rng(seed), [], {}, []

    def node(kind, inputs, name, **more):
        nodes.append(helper.make_node(kind, inputs, [name], **more))
        return name

    def constant(name, value):
        constants[name] = np.asarray(value, np.int64 if name.endswith(("shape", "flat", "from", "to", "axis")) else np.float32)
        return name

    def conv(name, channels, stride, scale):
        weights = random.normal(0, 0.5, (channels, 3, stride, stride)) / stride
        constant(f"{name}_w", scale * (weights - weights.mean(axis=(1, 2, 3), keepdims=True)))
        return node("Conv", ["image", f"{name}_w"], f"{name}_c", strides=[stride, stride])

    def shaped(name, source, kind):
        """Numbers of that kind, as the real model's graph returns them."""
        if kind in ("score", "object"):
            return node("Sigmoid", [source], name)
        if kind in ("logit", "bins16", "bins8", "point"):
            return node("Identity", [source], name)
        bent = node("Tanh", [source], f"{name}_t")
        by, base = {"edge": (1, 1.6), "mark": (1, 0.3), "code": (0.5, 0.4), "size": (2, 4), "moved": (0.5, 0.5), "shift": (1, 0)}[kind]
        return node("Add", [node("Mul", [bent, constant(f"{name}_by", by)], f"{name}_m"), constant(f"{name}_base", base)], name)

    width = {"bins16": 64, "bins8": 32, "logit": classes_of(head), "score": classes_of(head), "object": 1, "edge": 4, "code": 4, "mark": 10, "point": 15, "size": 2, "moved": 2}
    if head in MAPS:
        strides, lists = MAPS[head]
        each = EACH.get(head, 1)
        parts = {}
        for k, kinds in enumerate(lists):
            for stride in strides:
                name = f"o{k}_{stride}"
                maps = [shaped(f"{name}_{kind}", conv(f"{name}_{kind}", each * width[kind], stride, 12 if kind in ("score", "logit", "object") else 2), kind) for kind in kinds]
                joined = maps[0] if len(maps) == 1 else node("Concat", maps, f"{name}_all", axis=1)
                parts[name] = (joined, sum(width[kind] for kind in kinds), stride)
        for name, (joined, channels, stride) in parts.items():
            side = SIDE // stride
            if head in BY_COLUMNS:
                outputs.append((node("Identity", [joined], name), [1, each * channels, side, side]))
            else:
                rows = node("Transpose", [joined], f"{name}_rows", perm=[0, 2, 3, 1])
                outputs.append((node("Reshape", [rows, constant(f"{name}_shape", [1, each * side * side, channels])], name), [1, each * side * side, channels]))
        if head == "nanodet_plus":
            outputs = [(node("Concat", [name for name, _ in outputs], "output", axis=1), [1, sum(shape[1] for _, shape in outputs), width["score"] + 32])]
    else:
        x, y, stride = cells([8, 16, 32])
        tail = {"pose": 3 * POINTS, "pose_end2end": 3 * POINTS, "obb": 1}[head]
        flat = []
        for s in (8, 16, 32):
            maps = [conv(f"b{s}", 4, s, 2), conv(f"s{s}", classes_of(head), s, 12), conv(f"t{s}", tail, s, 2)]
            flat.append(node("Reshape", [node("Concat", maps, f"all{s}", axis=1), constant(f"{s}_flat", [1, 4 + classes_of(head) + tail, -1])], f"flat_{s}"))
        whole = node("Concat", flat, "whole", axis=2)
        part = lambda name, first, end: node("Slice", [whole, constant(f"{name}_from", [first]), constant(f"{name}_to", [end]), constant(f"{name}_axis", [1])], name)
        centre = np.stack([(x + 0.5) * stride, (y + 0.5) * stride])
        base = np.concatenate([centre, np.stack([20 + 0 * x, 12 + 0 * x])])[None]
        boxes = node("Add", [node("Mul", [node("Tanh", [part("box", 0, 4)], "box_t"), constant("box_by", np.float32(6))], "box_m"), constant("box_base", base)], "boxes")
        scores = node("Sigmoid", [part("class", 4, 4 + classes_of(head))], "scores")
        rest = part("rest", 4 + classes_of(head), 4 + classes_of(head) + tail)
        if head == "obb":
            more = node("Mul", [node("Tanh", [rest], "rest_t"), constant("rest_by", np.float32(0.7))], "angle")
        else:
            by, add = np.tile([[12], [12], [0.5]], (POINTS, 1))[None], np.concatenate([np.concatenate([centre, 0.5 + 0 * x[None]])] * POINTS)[None]
            more = node("Add", [node("Mul", [node("Tanh", [rest], "rest_t"), constant("rest_by", by)], "rest_m"), constant("rest_base", add)], "points")
        if head == "pose_end2end":
            to = constant("sides", np.array([[1, 0, 1, 0], [0, 1, 0, 1], [-0.5, 0, 0.5, 0], [0, -0.5, 0, 0.5]]).T)
            rows = node("Concat", [node("MatMul", [to, boxes], "corners"), scores, node("Mul", [scores, constant("zero", np.float32(0))], "class_number"), more], "joined", axis=1)
            outputs = [(node("Transpose", [rows], "output0", perm=[0, 2, 1]), [1, 84, 6 + tail])]
        else:
            outputs = [(node("Concat", [boxes, scores, more], "output0", axis=1), [1, 4 + classes_of(head) + tail, 84])]
    value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, head, [value("image", [1, 3, SIDE, SIDE])], [value(*one) for one in outputs], [numpy_helper.from_array(one, name) for name, one in constants.items()])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(made)
    onnx.save(made, path)
    return path


sigmoid = lambda x: 1 / (1 + np.exp(-x.astype(np.float64)))


def flat(maps, head):
    """Rows of all strides, concatenated."""
    if head in BY_COLUMNS:
        maps = [one.reshape(one.shape[-3], -1).T for one in maps]
    return np.concatenate([one.reshape(-1, one.shape[-1]) for one in maps]).astype(np.float64)


def edges(bins, count, faults):
    """Distances of the four edges from the cell, in cells."""
    bins = bins.reshape(len(bins), 4, count)
    if "largest bin" in faults:
        return bins.argmax(2).astype(np.float64)
    share = np.exp(bins - bins.max(2, keepdims=True))
    return (share / share.sum(2, keepdims=True)) @ np.arange(count)


def overlap(a, b, pixel=0):
    sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]) + pixel
    shared = max(sides[0], 0) * max(sides[1], 0)
    return shared / (np.prod(a[2:] - a[:2] + pixel) + np.prod(b[2:] - b[:2] + pixel) - shared)


def likeness(a, b):
    """Similarity of two boxes (cx, cy, w, h, angle) as Gaussians, by covariance matrices: 1 - Hellinger distance."""
    def covariance(box):
        turn = np.array([[np.cos(box[4]), -np.sin(box[4])], [np.sin(box[4]), np.cos(box[4])]])
        return turn @ np.diag(box[2:4] ** 2 / 12) @ turn.T

    p, q, apart = covariance(a), covariance(b), a[:2] - b[:2]
    mean = (p + q) / 2
    distance = apart @ np.linalg.inv(mean) @ apart / 8 + np.log(np.linalg.det(mean) / np.sqrt(np.linalg.det(p) * np.linalg.det(q))) / 2
    return 1 - np.sqrt(max(1 - np.exp(-distance), 0))


def suppressed(boxes, scores, classes, limit, alike=overlap, by_all=False):
    kept, before = [], []
    for i in np.argsort(-scores, kind="stable"):
        if not any(classes[i] == classes[j] and alike(boxes[i], boxes[j]) > limit for j in (before if by_all else kept)):
            kept.append(i)
        before.append(i)
    return kept


def decoded(head, outputs, faults):
    """Corners in pixels of the model's input, scores of all classes, and points x, y, score in pixels (or corners of rotated boxes)."""
    if head in MAPS:
        strides, lists = MAPS[head]
        x, y, stride = (one.astype(np.float64) for one in cells(strides, EACH.get(head, 1)))
        count = len(strides)
        groups = [flat(outputs, head)] if head == "nanodet_plus" else [flat(outputs[k * count:(k + 1) * count], head) for k in range(len(lists))]
        at = {"nanodet_plus": 0, "scrfd": 0}.get(head, 0.5)
        at = {"centre": 0.5, "corner": 0}.get(next((one for one in faults if one in ("centre", "corner")), None), at)
        cx, cy = (x + at) * stride, (y + at) * stride
        if head == "nanodet":
            cx, cy = x * stride + 0.5 * (stride - 1), y * stride + 0.5 * (stride - 1)
        points = None
        if head == "centernet":
            heat, size, moved = groups
            scores = sigmoid(heat)
            side = SIDE // 4
            for k in range(CLASSES if "no pooling" not in faults else 0):
                one = np.pad(scores[:, k].reshape(side, side), 1)
                pooled = np.max([one[i:i + side, j:j + side] for i in range(3) for j in range(3)], 0).ravel()
                scores[:, k] = np.where(pooled == scores[:, k], scores[:, k], 0)
            cx, cy = (x + moved[:, 0]) * 4, (y + moved[:, 1]) * 4
            boxes = np.stack([cx - size[:, 0] * 2, cy - size[:, 1] * 2, cx + size[:, 0] * 2, cy + size[:, 1] * 2], 1)
        elif head == "yunet":
            score, found, code, mark = groups
            product = score.clip(0, 1) * found.clip(0, 1)
            scores = score if "no objectness" in faults else product if "no root" in faults else np.sqrt(product)
            cx, cy, w, h = (x + code[:, 0]) * stride, (y + code[:, 1]) * stride, np.exp(code[:, 2]) * stride, np.exp(code[:, 3]) * stride
            boxes = np.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], 1)
            points = np.stack([mark[:, 0::2] + x[:, None], mark[:, 1::2] + y[:, None]], 2) * stride[:, None, None]
        else:
            if head == "scrfd":
                scores, distance, mark = groups
                home = np.stack([cx, cy], 1)[:, None] * (0 if "points without cells" in faults else 1)
                points = mark.reshape(len(mark), 5, 2) * stride[:, None, None] + home
            elif head == "yolo8_pose_raw":
                distance, scores, mark = edges(groups[0][:, :64], 16, faults), sigmoid(groups[0][:, 64:65]), groups[0][:, 65:].reshape(-1, 5, 3)
                points = np.concatenate([(mark[..., :2] * 2 + np.stack([x, y], 1)[:, None]) * stride[:, None, None], sigmoid(mark[..., 2:])], 2)
            elif head == "yolo8_raw":
                distance, scores = edges(groups[0][:, :64], 16, faults), sigmoid(groups[0][:, 64:])
            elif head == "yolo8_six":
                distance, scores = edges(groups[0], 16, faults), sigmoid(groups[1])
            elif head == "nanodet_plus":
                scores, distance = groups[0][:, :CLASSES], edges(groups[0][:, CLASSES:], 8, faults)
            else:
                scores, distance = groups[0], edges(groups[1], 8, faults)
            distance = distance * stride[:, None]
            boxes = np.stack([cx - distance[:, 0], cy - distance[:, 1], cx + distance[:, 2], cy + distance[:, 3]], 1)
        if points is not None and points.shape[2] == 2:
            points = np.concatenate([points, np.ones_like(points[..., :1])], 2)
        return boxes, scores, points, None
    rows = outputs[0][0].astype(np.float64)
    if head == "pose_end2end":
        return rows[:, :4], rows[:, 4:5], rows[:, 6:].reshape(len(rows), POINTS, 3), None
    rows = rows.T
    count = classes_of(head)
    if head == "pose":
        return np.concatenate([rows[:, :2] - rows[:, 2:4] / 2, rows[:, :2] + rows[:, 2:4] / 2], 1), rows[:, 4:5], rows[:, 5:].reshape(len(rows), POINTS, 3), None
    angle = rows[:, 4 + count] * (0 if "no angle" in faults else -1 if "other way" in faults else 1)
    turned = np.concatenate([rows[:, :4], angle[:, None]], 1)
    return None, rows[:, 4:4 + count], None, turned


def corners(turned):
    cx, cy, w, h, angle = turned.T
    out = []
    for right, down in ((1, 1), (1, -1), (-1, -1), (-1, 1)):
        dx, dy = right * w / 2, down * h / 2
        out.append([cx + dx * np.cos(angle) - dy * np.sin(angle), cy + dx * np.sin(angle) + dy * np.cos(angle), np.ones_like(cx)])
    return np.array(out).transpose(2, 0, 1)


def answer(head, outputs, size, faults=(), limit=0.4):
    """Boxes x1, y1, x2, y2, scores, classes and points (the same number for each box), in pixels of a picture that was letterboxed."""
    boxes, table, points, turned = decoded(head, outputs, faults)
    threshold = THRESHOLDS.get(head, 0.9)
    if head == "centernet":
        some = np.argwhere(table >= threshold)
        some = some[np.argsort(-table[tuple(some.T)], kind="stable")]
        rows, classes = some.T
        scores = table[rows, classes]
    else:
        scores, classes = table.max(1), table.argmax(1)
        rows = np.flatnonzero(scores >= threshold)
        if head == "obb":
            alike = likeness if "upright" not in faults else lambda a, b: overlap(np.concatenate([a[:2] - a[2:4] / 2, a[:2] + a[2:4] / 2]), np.concatenate([b[:2] - b[2:4] / 2, b[:2] + b[2:4] / 2]))
            rows = rows[suppressed(turned[rows], scores[rows], classes[rows], limit, alike, by_all=True)]
        elif head != "pose_end2end":
            rows = rows[suppressed(boxes[rows], scores[rows], classes[rows], limit)]
        scores, classes = scores[rows], classes[rows]
    if head == "obb":
        points = corners(turned)
        boxes = np.concatenate([points[..., :2].min(1), points[..., :2].max(1)], 1)
    boxes, points = boxes[rows], None if points is None else points[rows].copy()
    width, height = size
    ratio = min(SIDE / width, SIDE / height)
    bar = np.array([(SIDE - width * ratio) / 2, (SIDE - height * ratio) / 2])
    boxes = (boxes - np.tile(bar, 2)) / ratio
    if points is not None:
        if "points in model pixels" not in faults:
            points[..., :2] = (points[..., :2] - bar) / ratio
        if "left for right" in faults:
            points = points[:, [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15]]
        if "y first" in faults:
            points = points[..., [1, 0, 2]]
        if "hidden" in faults:
            points[points[..., 2] < 0.5, :2] = 0
    return boxes, scores, classes, points
