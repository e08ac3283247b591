# SPDX-License-Identifier: Apache-2.0
"""The frames of a calibration file."""
import numpy as np


class Frames:
    """Yields one list of arrays per frame, one array for each of request["inputs"]. It can be iterated any number of times."""

    def __init__(self, request):
        inputs, file = request["inputs"], request["calibration"]
        self.forms = [(one["dtype"], one["shape"]) for one in inputs]
        self.sizes = [np.dtype(dtype).itemsize * int(np.prod(shape, dtype=np.int64)) for dtype, shape in self.forms]
        self.values = np.memmap(file["file"], np.uint8, "r").reshape(file["frames"], sum(self.sizes))

    def __iter__(self):
        for frame in self.values:
            parts = np.split(np.array(frame), np.cumsum(self.sizes)[:-1])
            yield [part.view(dtype).reshape(shape) for part, (dtype, shape) in zip(parts, self.forms)]
