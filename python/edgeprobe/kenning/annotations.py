# SPDX-License-Identifier: Apache-2.0
"""Ground truth of Kenning's data sets as annotations of docs/reference/trace-format.md."""
from __future__ import annotations

from typing import Any

import numpy as np


def annotations_of(prepared: list[Any], classes: list[str], size: tuple[int, int] | None) -> list[Any]:
    """What prepare_output_samples() gives for each sample -> its annotation; None where it is none that a task here reads.

    ``size`` is that of the pictures that prepare_input_samples() gives, [width, height] in pixels: Kenning's boxes are shares of it.
    """
    truths = [_inner(one) for one in prepared]
    has_boxes = any(_are_objects(one) for one in truths)
    return [_boxes(one, classes, size) if _are_objects(one) or has_boxes and _is_empty(one) else _class_or_text(one, classes) for one in truths]


def _inner(value: Any) -> Any:
    """Without the axes of the outputs and of the batch, which have one element."""
    while isinstance(value, (list, tuple)) and len(value) == 1 and not hasattr(value[0], "xmin"):
        value = value[0]
    if hasattr(value, "shape"):
        array = np.asarray(value)
        while array.ndim > 1 and array.shape[0] == 1:
            array = array[0]
        return array
    return value


def _is_empty(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and not value


def _are_objects(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(hasattr(one, "clsname") and hasattr(one, "xmin") for one in value)


def _boxes(objects: Any, classes: list[str], size: tuple[int, int] | None) -> Any:
    if size is None or any(one.clsname not in classes for one in objects):
        return None
    width, height = size
    rows = []
    for one in objects:
        x, y, w, h = one.xmin * width, one.ymin * height, (one.xmax - one.xmin) * width, (one.ymax - one.ymin) * height
        rows.append([classes.index(one.clsname), *map(float, (x, y, w, h, w * h)), int(bool(one.iscrowd)), one.clsname])
    return {"boxes": {"size": [width, height], "boxes": rows}}


def _class_or_text(value: Any, classes: list[str]) -> Any:
    if isinstance(value, str):
        return {"text": value}
    try:
        array = np.asarray(value)
    except ValueError:  # of rows with different lengths
        return None
    if array.dtype.kind not in "biuf" or not classes:
        return None
    if array.shape == (len(classes),) and len(classes) > 1:
        return int(array.argmax()) if np.count_nonzero(array == 1) == 1 and np.count_nonzero(array) == 1 else None
    if array.size == 1 and float(array.reshape(-1)[0]).is_integer() and 0 <= array.reshape(-1)[0] < len(classes):
        return int(array.reshape(-1)[0])
    return None
