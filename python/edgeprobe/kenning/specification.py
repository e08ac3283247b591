# SPDX-License-Identifier: Apache-2.0
"""Kenning's specification of inputs and outputs as tensors."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..plugins.process import TARGET, Refused
from ..plugins.tensor import DTYPES, Tensor


def tensors(entries: Sequence[Mapping[str, Any]], kind: str, where: str, asked: Mapping[str, Sequence[int]], real: bool = False) -> list[Tensor]:
    """One tensor for each entry of the list ``kind`` ("input", "processed_output") of a specification; ``where`` names it in errors.

    ``asked`` are the shapes of --input-shape. With ``real``, quantised tensors have the type that they had before (``prequantized_dtype``).
    """
    found = []
    for at, entry in enumerate(entries):
        name = str(entry.get("name") or f"{kind}_{at}")
        if "shape" not in entry:
            raise Refused(TARGET, f"{where} says that {kind} '{name}' is of the type {entry.get('type', 'unknown')}, which is no tensor")
        try:
            shapes = [_shape(one) for one in _alternatives(entry["shape"])]
        except (TypeError, ValueError):
            raise Refused(TARGET, f"{where} says that {kind} '{name}' has the shape {entry['shape']!r}; expected whole numbers") from None
        wanted = asked.get(name, asked.get(""))
        shape = next((one for one in shapes if wanted is not None and Tensor(name, "bool", one).takes(wanted)), shapes[0])
        quantised = "prequantized_dtype" in entry
        dtype = entry["prequantized_dtype"] if quantised and real else entry.get("dtype")
        try:
            dtype = np.dtype(dtype).name if dtype is not None else "unknown"
        except TypeError:
            dtype = str(dtype)
        if dtype not in DTYPES:
            raise Refused(TARGET, f"{where} says that {kind} '{name}' has elements of the type {dtype}; expected one of {', '.join(DTYPES)}")
        scale, zero = (), ()
        if quantised and not real and "scale" in entry:
            scale = tuple(map(float, np.atleast_1d(entry["scale"])))
            zero = tuple(map(int, np.atleast_1d(entry.get("zero_point", 0))))
        found.append(Tensor(name, dtype, shape, scale, zero))
    return found


def _alternatives(shape: Any) -> list[Any]:
    """Kenning lets an input have one shape or a list of shapes."""
    listed = list(shape)
    return listed if listed and isinstance(listed[0], (list, tuple, np.ndarray)) else [listed]


def _shape(dimensions: Any) -> tuple[int, ...]:
    return tuple(-1 if one is None or int(one) < 1 else int(one) for one in dimensions)
