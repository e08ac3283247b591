# SPDX-License-Identifier: Apache-2.0
"""Element types of tensors."""
from __future__ import annotations

#: Element types that a trace can contain, by NumPy's name.
DTYPES = frozenset(
    "float16 bfloat16 float32 float64 int8 uint8 int16 uint16 int32 uint32 int64 uint64 bool".split())
