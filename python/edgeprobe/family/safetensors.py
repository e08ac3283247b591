# SPDX-License-Identifier: Apache-2.0
"""Files in the safetensors format: the length of a JSON header as 8 bytes, the header, the values. Reading one runs no code."""
from __future__ import annotations

import json
import math
import pathlib
from typing import Any

import numpy as np

#: The format's own limit of a header.
MOST_HEADER = 100_000_000
DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1", "U8": "|u1", "BOOL": "|b1"}


class Broken(Exception):
    """The file is not in the format; the sentence says where."""


def read(path: "str | pathlib.Path") -> "dict[str, np.ndarray]":
    """Values by name; bfloat16 as float32. Broken, OSError."""
    data = pathlib.Path(path).read_bytes()
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > min(MOST_HEADER, len(data) - 8):
        raise Broken("its header is longer than the file")
    try:
        header = json.loads(data[8:8 + size], object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        raise Broken(f"its header is no JSON: {error}") from None
    if not isinstance(header, dict):
        raise Broken("its header is no object")
    header.pop("__metadata__", None)
    body = memoryview(data)[8 + size:]
    places = {name: _place(name, told, len(body)) for name, told in header.items()}
    at = 0
    for name, (begin, end) in sorted(places.items(), key=lambda one: one[1]):
        if begin != at:
            raise Broken(f"tensor '{name}' begins at byte {begin}, and the one before it ends at {at}")
        at = end
    if at != len(body):
        raise Broken(f"{len(body) - at} bytes at its end belong to no tensor")
    return {name: _values(body[begin:end], header[name]) for name, (begin, end) in places.items()}


def packed(arrays: "dict[str, np.ndarray]") -> bytes:
    """The file of these float32 values, in their order."""
    header, at = {}, 0
    for name, value in arrays.items():
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [at, at + value.size * 4]}
        at += value.size * 4
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(np.ascontiguousarray(value, "<f4").tobytes() for value in arrays.values())


def _without_doubles(pairs: "list[tuple[str, Any]]") -> "dict[str, Any]":
    out = dict(pairs)
    if len(out) != len(pairs):
        raise Broken("its header has a name twice")
    return out


def _place(name: str, told: Any, size: int) -> "tuple[int, int]":
    """First byte and the one after the last."""
    def is_whole(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    shape, place = (told.get("shape"), told.get("data_offsets")) if isinstance(told, dict) else (None, None)
    if not isinstance(told, dict) or told.get("dtype") not in DTYPES:
        raise Broken(f"tensor '{name}' is of type {told.get('dtype') if isinstance(told, dict) else told!r}; expected one of {', '.join(DTYPES)}")
    if not isinstance(shape, list) or not all(map(is_whole, shape)) or not isinstance(place, list) or len(place) != 2 or not all(map(is_whole, place)):
        raise Broken(f"tensor '{name}' has no shape or no data_offsets")
    wanted = math.prod(shape) * np.dtype(DTYPES[told["dtype"]]).itemsize
    if not place[0] <= place[1] <= size or place[1] - place[0] != wanted:
        raise Broken(f"tensor '{name}' {shape} needs {wanted} bytes and has bytes {place[0]} to {place[1]} of {size}")
    return place[0], place[1]


def _values(body: memoryview, told: "dict[str, Any]") -> np.ndarray:
    values = np.frombuffer(body, DTYPES[told["dtype"]])
    if told["dtype"] == "BF16":
        values = (values.astype("<u4") << 16).view("<f4")
    return values.reshape(told["shape"])
