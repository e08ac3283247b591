# SPDX-License-Identifier: Apache-2.0
"""Reads the values that the program prepared with the recipe (src/cli/train/store.h)."""
from __future__ import annotations

import json
import mmap
import pathlib

import numpy as np

#: Mapped bytes that may stay in this process before they are given back; the kernel keeps them cached.
MOST_RESIDENT = 64 << 20


class Store:
    """Inputs and labels, sample after sample: training, validation, test. Values are float32, or 8-bit codes of a table."""

    def __init__(self, folder: str) -> None:
        self.folder = pathlib.Path(folder)
        self.about = json.loads((self.folder / "store.json").read_text())
        self.inputs = np.load(self.folder / "inputs.npy", mmap_mode="r")
        self.labels = np.load(self.folder / "labels.npy")
        table = self.folder / "table.npy"
        self.table = np.load(table) if self.inputs.dtype == np.uint8 else None  # [1 or channels, 256]
        self.shape = self.inputs.shape[1:]
        self.channel_axis: "int | None" = self.about["channel_axis"]
        self._resident = 0

    def rows(self, part: str) -> np.ndarray:
        """Numbers of the samples of "train", "validation" or "test"."""
        begin, end = self.about["parts"][part]
        return np.arange(begin, end)

    def batch(self, rows: np.ndarray, change=None) -> np.ndarray:
        """The recipe's values of these samples, float32 [samples, ...]; ``change(codes, row)`` moves values of one sample first."""
        taken = self.inputs[rows] if change is None else np.stack([change(self.inputs[row], row) for row in rows])
        self._give_back(taken.nbytes)
        return self.values_of(taken)

    def values_of(self, taken: np.ndarray) -> np.ndarray:
        if self.table is None:
            return np.ascontiguousarray(taken)
        if len(self.table) == 1:
            return self.table[0].take(taken)
        out = np.empty(taken.shape, np.float32)
        axis = self.channel_axis + 1  # of the batch
        for channel, values in enumerate(self.table):
            at = (slice(None),) * axis + (channel,)
            out[at] = values.take(taken[at])
        return out

    def _give_back(self, size: int) -> None:
        self._resident += size
        if self._resident > MOST_RESIDENT:
            self.inputs._mmap.madvise(mmap.MADV_DONTNEED)
            self._resident = 0
