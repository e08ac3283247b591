# SPDX-License-Identifier: Apache-2.0
"""Tiny detectors whose outputs have the form of public heads, and the post-processing of those heads in NumPy.

The post-processing follows its authors' public definitions (Ultralytics' non_max_suppression, YOLOX's demo, the postprocessors of DETR and
RF-DETR, YOLO-NAS's export) in float32; `faults` are mistakes of apps."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIDE, CLASSES, MASKS, STRIDES = 32, 8, 32, (8, 16, 32)
SHAPES = {"yolo8": [1, 4 + CLASSES, 21], "yolo8_rows": [1, 21, 4 + CLASSES], "yolo8_shares": [1, 4 + CLASSES, 21], "yolo8_masks": [1, 4 + CLASSES + MASKS, 21], "yolo5": [1, 21, 5 + CLASSES],
          "yolo5_logits": [1, 21, 5 + CLASSES], "yolox": [1, 21, 5 + CLASSES], "yolo26": [1, 21, 6], "yolo7_end2end": [21, 7], "paddle": [21, 6]}
TWO = ("nas", "detr", "rfdetr", "ssd")  # These have boxes and scores in separate outputs.
THRESHOLDS = {"yolo5": 0.35, "yolo5_logits": 0.35, "yolox": 0.35, "detr": 0.3}  # The others have 0.7.


def cells():
    """Column, row and stride of each of the 21 cells."""
    rows = [(x, y, stride) for stride in STRIDES for y in range(SIDE // stride) for x in range(SIDE // stride)]
    return [np.array(column, np.float32) for column in zip(*rows)]


def anchors():
    """Centres and sides in shares of the input, one for each cell."""
    x, y, stride = cells()
    return np.stack([(x + 0.5) * stride / SIDE, (y + 0.5) * stride / SIDE, 0.5 + 0 * x, 0.6 + 0 * x], 1).astype(np.float32)


def model(path, head, classes=CLASSES, seed=3):
    """A convolution for each map computes the numbers of each cell: the box, the objectness, the scores, and those of a mask."""
    random, nodes, constants = np.random.default_rng(seed), [], {}
    kept, masks = classes + 1, MASKS if head == "yolo8_masks" else 0
    for stride in STRIDES:
        weights = random.normal(0, 0.5, (4 + kept + masks, 3, stride, stride)) / stride
        weights[4:] *= 6
        constants[f"w{stride}"] = (weights - weights.mean(axis=(1, 2, 3), keepdims=True)).astype(np.float32)
        nodes += [helper.make_node("Conv", ["image", f"w{stride}"], [f"c{stride}"], strides=[stride, stride]), helper.make_node("Reshape", [f"c{stride}", "flat"], [f"f{stride}"])]
    constants["flat"] = np.array([1, 4 + kept + masks, -1], np.int64)
    nodes += [helper.make_node("Concat", [f"f{stride}" for stride in STRIDES], ["all"], axis=2), helper.make_node("Transpose", ["all"], ["rows"], perm=[0, 2, 1])]
    at = {"code": (0, 4), "object": (4, 5), "class": (4 if head == "detr" else 5, 4 + kept), "more": (4 + kept, 4 + kept + masks)}
    if not masks:
        del at["more"]
    for name, (first, end) in at.items():
        constants.update({f"{name}_from": np.array([first], np.int64), f"{name}_to": np.array([end], np.int64)})
        nodes.append(helper.make_node("Slice", ["rows", f"{name}_from", f"{name}_to", "axis"], [name]))
    x, y, stride = cells()
    constants.update(axis=np.array([2], np.int64), small=np.float32(0.06), base=anchors()[None] + np.float32([0, 0, 0.1, 0.1]),
                     side=np.float32(SIDE), tenth=np.float32(0.1), grown=np.log(np.stack([1 + 0 * x, 1 + 0 * x, 17 / stride, 19 / stride], 1))[None].astype(np.float32))
    nodes += [helper.make_node("Tanh", ["code"], ["bent"]), helper.make_node("Mul", ["bent", "small"], ["moved"]), helper.make_node("Add", ["moved", "base"], ["shares"]), helper.make_node("Mul", ["shares", "side"], ["pixels"]),
              helper.make_node("Sigmoid", ["class"], ["scores"]), helper.make_node("Sigmoid", ["object"], ["objectness"])]
    concat = lambda *parts, out="output0": helper.make_node("Concat", list(parts), [out], axis=2)
    turned = lambda source: helper.make_node("Transpose", [source], ["output0"], perm=[0, 2, 1])
    if head.startswith("yolo8"):
        boxes = "shares" if head == "yolo8_shares" else "pixels"
        parts = [boxes, "scores"] + (["more"] if head == "yolo8_masks" else [])
        nodes += [concat(*parts)] if head == "yolo8_rows" else [concat(*parts, out="joined"), turned("joined")]
    elif head == "yolo5":
        nodes.append(concat("pixels", "objectness", "scores"))
    elif head == "yolo5_logits":
        nodes.append(concat("pixels", "object", "class"))
    elif head == "yolox":
        nodes += [helper.make_node("Mul", ["bent", "tenth"], ["codes"]), helper.make_node("Add", ["codes", "grown"], ["raw"]), concat("raw", "objectness", "scores")]
    elif head in TWO:
        last = {"nas": "corners", "detr": "shares", "rfdetr": "shares", "ssd": "bent"}[head]
        if head == "nas":
            corners(nodes, constants)
        nodes += [helper.make_node("Identity", [last], ["boxes"]), helper.make_node("Identity", ["class" if "detr" in head else "scores"], ["logits"])]
    else:
        box = corners(nodes, constants)
        constants["one"] = np.zeros((1, 21, 1), np.float32)
        nodes += [helper.make_node("ReduceMax", ["scores"], ["score"], axes=[2]), helper.make_node("ArgMax", ["scores"], ["number"], axis=2), helper.make_node("Cast", ["number"], ["id"], to=TensorProto.FLOAT)]
        if head == "yolo26":
            nodes.append(concat(box, "score", "id"))
        else:
            parts = ("one", box, "id", "score") if head == "yolo7_end2end" else ("id", "score", box)
            constants["rows_only"] = np.array(SHAPES[head], np.int64)
            nodes += [concat(*parts, out="joined"), helper.make_node("Reshape", ["joined", "rows_only"], ["output0"])]
    value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    outputs = [value("boxes", [1, 21, 4]), value("logits", [1, 21, at["class"][1] - at["class"][0]])] if head in TWO else [value("output0", SHAPES[head])]
    used = {name for node in nodes for name in node.input}
    graph = helper.make_graph(nodes, head, [value("image", [1, 3, SIDE, SIDE])], outputs, [numpy_helper.from_array(np.asarray(one), name) for name, one in constants.items() if name in used])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(made)
    onnx.save(made, path)
    return path


def corners(nodes, constants):
    """Corners in pixels, of boxes given in pixels as centre and sides."""
    constants["to_corners"] = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [-0.5, 0, 0.5, 0], [0, -0.5, 0, 0.5]], np.float32)
    nodes.append(helper.make_node("MatMul", ["pixels", "to_corners"], ["corners"]))
    return "corners"


sigmoid = lambda x: 1 / (1 + np.exp(-x))


def of_centres(box):
    return np.concatenate([box[:, :2] - box[:, 2:] / 2, box[:, :2] + box[:, 2:] / 2], 1)


def suppressed(boxes, scores, classes, limit, over_all=False):
    """The remaining rows, best first: a box is dropped if it overlaps a better one of its class by more than the limit."""
    kept = []
    for i in np.argsort(-scores, kind="stable"):
        for j in kept:
            if not over_all and classes[i] != classes[j]:
                continue
            sides = np.minimum(boxes[i, 2:], boxes[j, 2:]) - np.maximum(boxes[i, :2], boxes[j, :2])
            shared = max(sides[0], 0) * max(sides[1], 0)
            if shared / (np.prod(boxes[i, 2:] - boxes[i, :2]) + np.prod(boxes[j, 2:] - boxes[j, :2]) - shared) > limit:
                break
        else:
            kept.append(i)
    return kept


def answer(head, outputs, size, faults=(), limit=0.4):
    """Boxes x1, y1, x2, y2 in pixels of a picture of that size that was letterboxed, with scores and classes."""
    threshold = THRESHOLDS.get(head, 0.7) / (2 if "half the threshold" in faults else 1)
    first, side = outputs[0].astype(np.float32), np.float32(SIDE)
    rows = first.reshape(first.shape[-2:])
    if head.startswith("yolo8") and head != "yolo8_rows":
        rows = rows.reshape(rows.shape[::-1]) if "not transposed" in faults else rows.T
    if head.startswith("yolo8"):
        numbers, table = rows[:, :4] * (side if head == "yolo8_shares" else 1), rows[:, 4:4 + CLASSES]
        if "first class as objectness" in faults:
            table = table[:, 1:] * table[:, :1]
        boxes = of_centres(numbers)
        if "pixels for shares" in faults:
            boxes = boxes * side
        if "centres as corners" in faults:
            boxes = numbers
    elif head in ("yolo5", "yolo5_logits", "yolox"):
        numbers, found, table = rows[:, :4].copy(), rows[:, 4:5], rows[:, 5:]
        if head == "yolo5_logits" and "no sigmoid" not in faults:
            found, table = sigmoid(found), sigmoid(table)
        if "objectness alone" in faults:
            table = np.where(table == table.max(1, keepdims=True), found, 0)
        elif "objectness as class" in faults:
            table = rows[:, 4:]
        elif "no objectness" not in faults:
            table = table * found
        if head == "yolox":
            x, y, stride = cells()
            numbers[:, 0], numbers[:, 1] = (numbers[:, 0] + x) * stride, (numbers[:, 1] + y) * stride
            numbers[:, 2:] = (1 + numbers[:, 2:] if "no exponential" in faults else np.exp(numbers[:, 2:])) * stride[:, None]
        boxes = of_centres(numbers)
    elif head == "nas":
        boxes, table = rows, outputs[1][0]
    elif head == "ssd":
        x, y, width, height = anchors().T
        sides = np.stack([width, height], 1) * np.exp(rows[:, 2:] * 0.2)
        boxes, table = of_centres(np.concatenate([np.stack([x + rows[:, 0] * 0.1 * width, y + rows[:, 1] * 0.1 * height], 1), sides], 1)) * side, outputs[1][0]
    elif head in ("detr", "rfdetr"):
        logits = outputs[1][0].astype(np.float32)
        shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        table = sigmoid(logits) if head == "rfdetr" else shares if "no object counted" in faults else shares[:, 1:] if "first for last" in faults else shares[:, :-1]
        boxes = of_centres(rows) * side
    if head in ("yolo26", "yolo7_end2end", "paddle"):
        box, score, number = {"yolo26": (0, 4, 5), "yolo7_end2end": (1, 6, 5), "paddle": (2, 1, 0)}[head]
        order = np.flatnonzero(rows[:, score] >= threshold)
        boxes, scores, classes = rows[order, box:box + 4], rows[order, score], rows[order, number].astype(int)
        if "centres" in faults:
            boxes = of_centres(boxes)
    elif head == "rfdetr":
        best = np.argsort(-table.ravel(), kind="stable")[:12]
        boxes, scores, classes = boxes[best // table.shape[1]], table.ravel()[best], best % table.shape[1]
        boxes, scores, classes = (one[scores >= threshold] for one in (boxes, scores, classes))
    else:
        scores, classes = table.max(1), table.argmax(1)
        some = scores >= threshold
        boxes, scores, classes = boxes[some], scores[some], classes[some]
        kept = np.argsort(-scores, kind="stable") if head == "detr" else suppressed(boxes, scores, classes, limit, "over all" in faults)
        boxes, scores, classes = boxes[kept], scores[kept], classes[kept]
    width, height = size
    ratio = min(SIDE / width, SIDE / height)
    if "no letterbox" in faults:
        boxes = boxes / side * [width, height, width, height]
    else:
        boxes = (boxes - [(SIDE - width * ratio) / 2, (SIDE - height * ratio) / 2] * 2) / ratio
    return boxes, scores, classes + ("next label" in faults)
