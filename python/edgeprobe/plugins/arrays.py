# SPDX-License-Identifier: Apache-2.0
"""Element types, shapes and shared memory."""
from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Sequence

import numpy as np

from .process import CORRUPT, UNSUPPORTED, Refused
from .tensor import DTYPES, Tensor


def numpy_dtype(name: str) -> np.dtype:
    if name == "bfloat16":
        try:
            import ml_dtypes
        except ImportError:
            raise Refused(UNSUPPORTED, f"{sys.executable} cannot import ml_dtypes, which holds bfloat16 values; install it there") from None
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name).newbyteorder("<")


def dtype_name(dtype: np.dtype) -> str:
    return dtype.name if dtype.name in DTYPES else str(dtype)


def little(array: np.ndarray) -> np.ndarray:
    """The same values with the order of bytes that messages have."""
    return array if array.dtype.byteorder in "<=|" else array.astype(array.dtype.newbyteorder("<"))


def shape_text(shape: Sequence[int]) -> str:
    return "[" + ",".join(map(str, shape)) + "]"


def trial_of(tensor: Tensor) -> np.ndarray:
    """Values for a first run, which shows what a model does: noise, or zeros of a whole number, which are valid indices."""
    dtype = numpy_dtype(tensor.dtype)
    return np.zeros(tensor.shape, dtype) if dtype.kind in "biu" else np.random.default_rng(0).normal(size=tensor.shape).astype(dtype)


def open_memory(descriptor: int, size: int, writable: bool = False) -> mmap.mmap:
    """Memory that the program shares; mmap refuses to map nothing."""
    try:
        if size == 0:
            return mmap.mmap(-1, 1)
        if os.fstat(descriptor).st_size < size:
            raise Refused(CORRUPT, "the shared memory is shorter than announced")
        return mmap.mmap(descriptor, size, access=mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ)
    finally:
        os.close(descriptor)
