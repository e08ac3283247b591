# SPDX-License-Identifier: Apache-2.0
"""Serves a metric plug-in: one object of the user's class computes a figure over the answers to many frames."""
from __future__ import annotations

import json
import math
import mmap
from typing import Any

import numpy as np

from ..traces.answer import answer_from
from .arrays import open_memory
from .found import chosen
from .messages import ARENA, FIGURE, FRAME, OPEN, Channel, Reader, Writer
from .process import USAGE, Refused
from .server import Server

BETTER = ("higher", "lower")


class MetricServer(Server):
    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self.frames: list[Any] = []
        self.memory: mmap.mmap | None = None
        self.steps = {OPEN: self.open, ARENA: self.attach, FRAME: self.frame, FIGURE: self.figure}

    def open(self, given: Reader, _descriptor: int, out: Writer) -> None:
        found, values, self.method = chosen("metric", given.text())
        plugin = found.plugin
        self.metric = self.method("__init__", lambda: plugin(**values))
        # Of the object: an option may decide them.
        name, better = getattr(self.metric, "name", plugin.__name__), getattr(self.metric, "better", None)
        if better not in BETTER:
            raise Refused(USAGE, f"metric plug-in: {plugin.__name__}.better is {better!r}; expected 'higher' or 'lower', the better direction")
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise Refused(USAGE, f"metric plug-in: {plugin.__name__}.name is {name!r}; expected a text of one line")
        out.text(name)
        out.pack("B", better == "higher")

    def attach(self, given: Reader, descriptor: int, _out: Writer) -> None:
        self.memory = open_memory(descriptor, given.unpack("Q"))

    def frame(self, given: Reader, _descriptor: int, out: Writer) -> None:
        outputs = {}
        for _ in range(given.unpack("Q")):
            name, rank = given.text(), given.unpack("Q")
            shape = tuple(given.unpack("q") for _ in range(rank))
            offset, count = given.unpack("Q"), math.prod(shape)
            # A copy, because the next frame replaces the memory.
            outputs[name] = np.frombuffer(self.memory, np.float32, count, offset).reshape(shape).copy() if count else np.zeros(shape, np.float32)
        annotation = _annotation(given.text(), given.text())
        answer = given.blob()
        # Only for who reads it, since a mask takes long to decode.
        more = {"answer": answer_from(answer) if answer else None} if self.method.takes(self.metric.frame, "answer") else {}
        value = self.method("frame", lambda: self.metric.frame(outputs, annotation, **more))
        out.pack("B", value is not None)
        if value is not None:
            out.pack("I", len(self.frames))
            self.frames.append(value)

    def figure(self, given: Reader, _descriptor: int, out: Writer) -> None:
        frames = self.frames
        chosen = [frames[i] for i in np.frombuffer(given.blob(), "<u4")]
        figure = getattr(self.metric, "figure", None)
        value = self.method("figure", figure, chosen) if figure else self._mean(chosen)
        try:
            if isinstance(value, (str, bytes)):
                raise TypeError
            number = float("nan") if value is None else float(value)
        except (TypeError, ValueError, OverflowError):
            self.method.fail("figure", f"returned {type(value).__name__}, expected a number (NaN or None if the frames do not define it)")
        out.pack("d", number)

    def _mean(self, chosen: list[Any]) -> float:
        """The figure of a class that has no method for it."""
        try:
            return float(np.mean(np.asarray(chosen, np.float64))) if chosen else float("nan")
        except (TypeError, ValueError):
            self.method.fail("frame", f"returned {type(chosen[0]).__name__}; without a method 'figure', which combines the frames, it returns a number for each")


def _annotation(kind: str, value: str) -> Any:
    """An annotation as data sets return it: the number of a class, a set of numbers, or a dict with one entry."""
    if not kind:
        return None
    content = json.loads(value)
    return content if kind == "label" else set(content) if kind == "class_set" else {kind: content}
