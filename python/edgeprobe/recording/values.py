# SPDX-License-Identifier: Apache-2.0
"""Values of an application in the form that the native module reads."""
from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _native
from ..errors import UsageError
from ..traces.dtypes import DTYPES

#: Codes of formats by name: one plane, and luma with chroma beside it.
PACKED: dict[str, int] = {"rgb8": _native.RGB8, "bgr8": _native.BGR8, "rgba8": _native.RGBA8, "bgra8": _native.BGRA8, "gray8": _native.GRAY8}
YUV: dict[str, int] = {"nv12": _native.NV12, "nv21": _native.NV21, "i420": _native.I420, "yv12": _native.YV12}


def as_dense(name: str, value: Any) -> tuple[np.ndarray, int]:
    """Any array as one that the library reads where it is, and the code of its dtype where the array cannot say it (else -1)."""
    if hasattr(value, "detach"):  # a torch tensor that requires gradients refuses np.asarray
        value = value.detach().cpu()
    array = np.asarray(value)
    if array.dtype.name not in DTYPES:
        raise UsageError(f"the tensor {name!r} has the dtype {array.dtype.name}; expected numbers such as float32 or uint8")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if not array.flags.c_contiguous:
        array = np.ascontiguousarray(array)
    if array.dtype.name == "bfloat16":
        return array.view(np.uint16), _native.BFLOAT16
    return array, -1


def uint8_pixels(name: str, pixels: Any) -> np.ndarray:
    """Pixels as uint8. UsageError if they are of another type."""
    data: np.ndarray = np.asarray(pixels) if not isinstance(pixels, (bytes, bytearray, memoryview)) else np.frombuffer(pixels, np.uint8)
    if data.dtype != np.uint8:
        raise UsageError(f"the picture {name!r} is {data.dtype.name}, expected uint8 as the camera or file gave it")
    return data


def packed_format(name: str, data: np.ndarray, given: str | None) -> int:
    """Code of a picture's format: the given one, else by the shape. UsageError if it is none of PACKED."""
    if given is not None:
        if given not in PACKED:
            raise UsageError(f"format={given!r} is none of {', '.join(map(repr, (*PACKED, *YUV)))}")
        return PACKED[given]
    channels = 1 if data.ndim == 2 else data.shape[2] if data.ndim == 3 else 0
    if channels not in (1, 3, 4):
        raise UsageError(f"the picture {name!r} has the shape {data.shape}; expected [height, width, 3], [.., 4], [.., 1] or [height, width]")
    return {1: _native.GRAY8, 3: _native.RGB8, 4: _native.RGBA8}[channels]


def number_list(values: Any, kind: type) -> list[Any]:
    """One number, or several, as a list of plain ones."""
    if isinstance(values, (int, float)):
        return [kind(values)]
    if isinstance(values, (list, tuple)):
        return [kind(v) for v in values]
    return [kind(v) for v in np.asarray(values).ravel().tolist()]


def json_text(value: Any) -> str:
    """Any value as JSON, NaN and infinities in it as null."""
    try:
        return json.dumps(value, default=_plain_value, allow_nan=False)
    except ValueError:  # NaN, which JSON does not have; or a reference to itself, which fails again
        return json.dumps(json.loads(json.dumps(value, default=_plain_value), parse_constant=lambda _: None))


def _plain_value(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return str(value)
