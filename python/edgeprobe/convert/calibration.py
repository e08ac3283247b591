# SPDX-License-Identifier: Apache-2.0
"""The frames of a file of values."""
import numpy as np


class Frames:
    """A list of arrays per frame, one array for each of `inputs`. It can be iterated any number of times."""

    def __init__(self, inputs, file):
        self.forms = [(one["dtype"], one["shape"]) for one in inputs]
        self.sizes = [np.dtype(dtype).itemsize * int(np.prod(shape, dtype=np.int64)) for dtype, shape in self.forms]
        self.values = np.memmap(file["file"], np.uint8, "r").reshape(file["frames"], sum(self.sizes))

    def __getitem__(self, number):
        parts = np.split(np.array(self.values[number]), np.cumsum(self.sizes)[:-1])
        return [part.view(dtype).reshape(shape) for part, (dtype, shape) in zip(parts, self.forms)]

    def __iter__(self):
        return (self[number] for number in range(len(self.values)))
