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

#: Codes of formats by name: formats with one plane, and formats with separate luma and chroma.
PACKED: dict[str, int] = {"rgb8": _native.RGB8, "bgr8": _native.BGR8, "rgba8": _native.RGBA8, "bgra8": _native.BGRA8, "gray8": _native.GRAY8}
YUV: dict[str, int] = {"nv12": _native.NV12, "nv21": _native.NV21, "i420": _native.I420, "yv12": _native.YV12}


def as_dense(name: str, value: Any) -> tuple[np.ndarray, int]:
    """Converts an array to one that the library can read in place. Also returns the code of its dtype if NumPy cannot express it (else -1)."""
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


#: Parts of an answer: dtype, and dimensions (0: any).
_ANSWER_ARRAYS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "classes": (np.int64, (0,)), "scores": (np.float32, (0,)), "boxes": (np.float32, (0, 4)), "mask": (np.int32, (0, 0)), "points": (np.float32, (0, 3)),
    "vector": (np.float32, (0,)),
}


def answer_parts(**given: Any) -> dict[str, np.ndarray | None]:
    """Arrays of an answer in the form that the library reads; None stays None. UsageError, naming the part, if one cannot be converted."""
    return {part: None if values is None else _answer_array(part, values, *_ANSWER_ARRAYS[part]) for part, values in given.items()}


def _answer_array(part: str, values: Any, dtype: Any, dims: tuple[int, ...]) -> np.ndarray:
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    try:
        array = np.asarray(values)
    except ValueError:  # lists of several lengths
        raise UsageError(f"frame.answer(): {part} has rows of several lengths, expected {_dims_text(dims)} numbers") from None
    if array.size == 0 and array.ndim < 2:
        array = array.reshape(tuple(0 if d == 0 else d for d in dims)).astype(dtype)
    if part == "vector":
        array = array.ravel()
    if array.dtype.kind not in "biuf" and array.dtype.name != "bfloat16":
        raise UsageError(f"frame.answer(): {part} holds {array.dtype.name}, expected numbers")
    if array.ndim != len(dims) or any(d and d != own for d, own in zip(dims, array.shape)):
        raise UsageError(f"frame.answer(): {part} has the shape {array.shape}, expected {_dims_text(dims)}")
    if part == "mask" and array.dtype in (np.bool_, np.uint8, np.uint16):
        return np.ascontiguousarray(array, np.uint16 if array.dtype == np.uint16 else np.uint8)
    with np.errstate(invalid="ignore"):  # NaN as a class is refused below
        whole = np.ascontiguousarray(array, dtype)
    if np.issubdtype(dtype, np.integer) and not np.array_equal(whole, array):
        raise UsageError(f"frame.answer(): {part} must be whole numbers that fit {np.dtype(dtype).name}")
    return whole


def _dims_text(dims: tuple[int, ...]) -> str:
    names = iter(("height", "width") if dims == (0, 0) else ("n",))
    return "[" + ", ".join(str(d) if d else next(names) for d in dims) + "]"


def uint8_pixels(name: str, pixels: Any) -> np.ndarray:
    """Pixels as uint8. UsageError if they are of another type."""
    data: np.ndarray = np.asarray(pixels) if not isinstance(pixels, (bytes, bytearray, memoryview)) else np.frombuffer(pixels, np.uint8)
    if data.dtype != np.uint8:
        raise UsageError(f"the picture {name!r} is {data.dtype.name}, expected uint8 as the camera or file gave it")
    return data


def packed_format(name: str, data: np.ndarray, given: str | None) -> int:
    """Code of a picture's format: the given one, else by the shape. UsageError if it is not one of PACKED."""
    if given is not None:
        if given not in PACKED:
            raise UsageError(f"format={given!r}: expected one of {', '.join(map(repr, (*PACKED, *YUV)))}")
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
