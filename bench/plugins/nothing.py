# SPDX-License-Identifier: Apache-2.0
"""Plug-ins for seam.py that compute nothing. They note when they are called: the time between two calls is all that a sample costs."""
import dataclasses
import pathlib
import time

import numpy as np

from edgeprobe.plugins import Tensor, option


class Clock:
    """Notes `count` times, then writes them; a plug-in's process has no orderly end."""

    def __init__(self, file, count):
        self.file, self.times, self.at = file, np.zeros(count, np.int64), 0

    def tick(self):
        if self.at < len(self.times):
            self.times[self.at] = time.perf_counter_ns()
        self.at += 1
        if self.at == len(self.times):
            np.save(self.file, self.times)


@dataclasses.dataclass
class Nothing:
    """Hands out an array that it made before."""

    times: pathlib.Path = option(help="File for the times")
    count: int = option(help="Number of calls to note")
    dtype: str = "float32"
    shape: str = "1"
    answer: str = option("", "Shape of the output; empty: that of the input")

    def load(self, file):
        shape = tuple(map(int, self.shape.split("x")))
        self.inputs = [Tensor("x", self.dtype, shape)]
        given = shape
        shape = tuple(map(int, self.answer.split("x"))) if self.answer else given
        self.outputs = [Tensor("y", self.dtype, shape)]
        self.made = [np.zeros(shape, self.dtype)]
        self.clock = Clock(self.times, self.count)

    def run(self, inputs):
        self.clock.tick()
        return self.made


@dataclasses.dataclass
class Pictures:
    """The same picture again and again, of 224 x 224 pixels."""

    times: pathlib.Path = option(help="File for the times")
    count: int = option(help="Number of calls to note")
    tensors: bool = option(False, "Hand out the model's input instead of a picture")

    def samples(self):
        self.picture = np.random.default_rng(0).integers(0, 256, (224, 224, 3), np.uint8)
        self.clock = Clock(self.times, self.count)
        return [f"{i:05}" for i in range(self.count)]

    def load(self, name):
        self.clock.tick()
        return {"x": self.picture[None]} if self.tensors else self.picture
