# SPDX-License-Identifier: Apache-2.0
"""An app's answer for a frame (docs/reference/trace-format.md, "Answers")."""
from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

VERSION = 1
_TEXTS = 255
_DTYPES = {0: "<f4", 4: "i1", 5: "u1", 6: "<i2", 7: "<u2", 8: "<i4", 9: "<u4", 10: "<i8", 12: "u1"}
_FLOAT, _WHOLE, _FLAG = {0}, {4, 5, 6, 7, 8, 9, 10, 12}, {5, 12}
#: Parts of an answer by number: name, dtypes, dimensions (0: any).
_PARTS: dict[int, tuple[str, set[int], tuple[int, ...]]] = {
    1: ("labels", {_TEXTS}, (0,)), 2: ("classes", _WHOLE, (0,)), 3: ("scores", _FLOAT, (0,)), 4: ("boxes", _FLOAT, (0, 4)),
    5: ("mask", _WHOLE - {9, 10}, (0, 0)), 6: ("points", _FLOAT, (0, 3)), 7: ("vector", _FLOAT, (0,)), 8: ("score", _FLOAT, ()),
    9: ("alarm", _FLAG, ()), 10: ("text", {_TEXTS}, (1,)),
}


@dataclass(frozen=True)
class Answer:
    """An omitted part is None; an empty part is an answer: "no box"."""

    labels: list[str] | None = None
    classes: np.ndarray | None = None  #: int64 [n]
    scores: np.ndarray | None = None   #: float32 [n]
    boxes: np.ndarray | None = None    #: float32 [n, 4], in the app's own form
    mask: np.ndarray | None = None     #: int32 [height, width]
    points: np.ndarray | None = None   #: float32 [n, 3]: x, y, score
    vector: np.ndarray | None = None   #: float32 [n]
    score: float | None = None
    alarm: bool | None = None
    text: str | None = None


def answer_from(message: bytes) -> Answer:
    """The answer in a message. ValueError, naming the part, if it is not an answer."""
    if not message or message[0] != VERSION:
        raise ValueError(f"its layout has the version {message[0] if message else 'of no byte'}, expected {VERSION}")
    found: dict[str, Any] = {}
    at = 1
    while at < len(message):
        if len(message) - at < 8:
            raise ValueError("its last part is cut off in its head")
        kind, dtype, rank, _, size = struct.unpack_from("<BBBBI", message, at)
        at += 8
        if size > len(message) - at:
            raise ValueError(f"a part says {size} bytes, {len(message) - at} are left")
        body, at = message[at:at + size], at + size
        if kind not in _PARTS:  # a part of a later version
            continue
        name, dtypes, expected = _PARTS[kind]
        if name in found:
            raise ValueError(f"{name} come twice")
        if dtype not in dtypes or rank != len(expected) or size < 4 * rank:
            raise ValueError(f"{name} have the dtype {dtype} and the rank {rank}, which they may not have")
        dims = struct.unpack_from(f"<{rank}I", body)
        if any(e and e != d for e, d in zip(expected, dims)):
            raise ValueError(f"{name} have the shape {dims}, which they may not have")
        found[name] = _texts(name, dims[0], body[4:]) if dtype == _TEXTS else _numbers(name, dtype, dims, body[4 * rank:])
    return _checked(found)


def _texts(name: str, count: int, data: bytes) -> list[str]:
    texts, at = [], 0
    for _ in range(count):
        length = struct.unpack_from("<I", data, at)[0] if len(data) - at >= 4 else len(data)
        at += 4
        if length > len(data) - at:
            raise ValueError(f"a text of {name} is longer than the part")
        try:
            texts.append(data[at:at + length].decode())
        except UnicodeDecodeError:
            raise ValueError(f"a text of {name} is not UTF-8") from None
        at += length
    if at != len(data):
        raise ValueError(f"{name} have bytes after their last text")
    return texts


def _numbers(name: str, dtype: int, dims: tuple[int, ...], data: bytes) -> np.ndarray:
    kind = np.dtype(_DTYPES[dtype])
    count = 1
    for dim in dims:
        count *= dim
    if count * kind.itemsize != len(data):
        raise ValueError(f"{name} have {len(data)} bytes of values, which do not fit the shape {dims}")
    return np.frombuffer(data, kind).reshape(dims)


def _checked(found: dict[str, Any]) -> Answer:
    counts = {name: len(found[name]) for name in ("labels", "classes", "boxes", "scores") if name in found}
    if len(set(counts.values())) > 1:
        raise ValueError("there are " + ", ".join(f"{count} {name}" for name, count in counts.items()) + "; one for each was expected")
    for name, dtype in (("classes", np.int64), ("mask", np.int32)):
        if name in found:
            found[name] = found[name].astype(dtype)
    if "score" in found:
        found["score"] = float(found["score"])
    if "alarm" in found:
        if found["alarm"] > 1:
            raise ValueError(f"alarm is {found['alarm']}, expected 0 or 1")
        found["alarm"] = bool(found["alarm"])
    if "text" in found:
        found["text"] = found["text"][0]
    return Answer(**found)
