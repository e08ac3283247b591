# SPDX-License-Identifier: Apache-2.0
"""A tensor that was recorded as sums, histogram and sample instead of its values."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

BINS = 64
LENGTH = 8 + BINS
SAMPLE = 4096
_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Sketch:
    """Of the tensor's real (dequantised) values."""

    shape: tuple[int, ...]    #: dtype of the tensor
    count: int
    nans: int
    infinities: int
    zeros: int
    least: float              #: of finite values, like the next three
    greatest: float
    sum: float
    sum_of_squares: float
    histogram: np.ndarray     #: int64 [64], bins of equal width from ``least`` to ``greatest``
    sample: np.ndarray | None = None      #: up to 4096 values as stored
    sample_at: np.ndarray | None = None   #: their positions in the flattened tensor

    @property
    def mean(self) -> float:
        finite = self.count - self.nans - self.infinities
        return self.sum / finite if finite else math.nan

    @property
    def standard_deviation(self) -> float:
        finite = self.count - self.nans - self.infinities
        return math.sqrt(max(0.0, self.sum_of_squares / finite - self.mean ** 2)) if finite else math.nan

    @property
    def edges(self) -> np.ndarray:
        """float64 [65]: the borders of the bins."""
        return np.linspace(self.least, self.greatest, BINS + 1)


def sketch_of(numbers: np.ndarray, shape: tuple[int, ...], sample: np.ndarray | None, seed: int) -> Sketch:
    """Reads the content of a trace; raises ValueError if it is invalid."""
    if numbers.size != LENGTH:
        raise ValueError(f"a sketch has {numbers.size} numbers, expected {LENGTH}")
    if not (np.isfinite(numbers[:4]).all() and np.isfinite(numbers[8:]).all() and (np.abs(numbers[8:]) < 2**63).all()):
        raise ValueError("its counts are not whole numbers")
    head = [float(v) for v in numbers[:8]]
    at = None if sample is None else sample_places(int(head[0]), seed)
    if sample is not None and at is not None and at.size != sample.size:
        raise ValueError(f"a sketch's sample has {sample.size} values, expected {at.size}")
    return Sketch(shape, int(head[0]), int(head[1]), int(head[2]), int(head[3]), head[4], head[5], head[6], head[7],
                  numbers[8:].astype(np.int64), sample, at)


def sample_places(count: int, seed: int) -> np.ndarray:
    """Indices of the sampled values in a tensor of ``count`` (docs/reference/trace-format.md)."""
    m = min(count, SAMPLE)
    places = np.empty(m, np.int64)
    for k in range(m):
        a, b = k * count // m, (k + 1) * count // m
        places[k] = a + _splitmix64((seed + k) & _MASK) % (b - a)
    return places


def _splitmix64(state: int) -> int:
    z = (state + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)
