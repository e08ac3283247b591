# SPDX-License-Identifier: Apache-2.0
"""Event streams of a trace: sensors, marks and level changes (docs/reference/trace-format.md)."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas

LARGEST_MESSAGE = 65_536


@dataclass(frozen=True)
class Mark:
    """An event named by the application."""

    time_ns: int        #: since 1970-01-01 UTC
    frame: int | None   #: the newest frame at that time
    name: str
    text: str = ""


@dataclass(frozen=True)
class LevelStep:
    """A change of the recording level by a budget."""

    time_ns: int
    frame: int | None
    from_level: str
    to_level: str
    reason: str = ""


@dataclass(frozen=True)
class Absence:
    """A time at which a sensor had no value."""

    time_ns: int
    frame: int | None
    reason: str


@dataclass
class Series:
    """The values of one sensor over time."""

    name: str
    unit: str = ""
    absences: list[Absence] = field(default_factory=list)
    _times: list[int] = field(default_factory=list, repr=False)
    _frames: list[int] = field(default_factory=list, repr=False)
    _values: list[list[float]] = field(default_factory=list, repr=False)

    @property
    def times_ns(self) -> np.ndarray:
        """int64 [n], nanoseconds since 1970-01-01 UTC."""
        return np.array(self._times, np.int64)

    @property
    def frames(self) -> np.ndarray:
        """int64 [n]: the newest frame at each time, -1 before the first one."""
        return np.array(self._frames, np.int64)

    @property
    def values(self) -> np.ndarray:
        """float64 [n, k]. If the number of a sensor's values changed, missing ones are NaN."""
        width = max(map(len, self._values), default=0)
        table = np.full((len(self._values), width), np.nan)
        for row, values in zip(table, self._values):
            row[:len(values)] = values
        return table

    def __len__(self) -> int:
        return len(self._values)

    def to_pandas(self) -> pandas.DataFrame:
        """Indexed by time (UTC): ``frame`` and one column for each value."""
        import pandas

        values = self.values
        names = [self.name] if values.shape[1] == 1 else [f"{self.name}[{i}]" for i in range(values.shape[1])]
        table = pandas.DataFrame(values, columns=names, index=pandas.to_datetime(self.times_ns, utc=True).rename("time"))
        table.insert(0, "frame", self.frames)
        return table

    def _add(self, time_ns: int, said: dict[str, Any]) -> None:
        frame = _frame(said)
        self.unit = str(said.get("unit", self.unit))
        values = said["values"]
        if values is None:
            self.absences.append(Absence(time_ns, frame, str(said.get("reason", ""))))
            return
        if not isinstance(values, list):
            raise TypeError("its values are not a list")
        self._values.append([float("nan") if v is None else float(v) for v in values])
        self._times.append(time_ns)
        self._frames.append(-1 if frame is None else frame)


class AllSeries:
    """Collects the messages of a trace that do not belong to a frame."""

    def __init__(self) -> None:
        self.sensors: dict[str, Series] = {}
        self.marks: list[Mark] = []
        self.levels: list[LevelStep] = []

    def add(self, kind: str, name: str, time_ns: int, data: bytes) -> None:
        """Raises ValueError, TypeError, KeyError or OverflowError if the message is invalid."""
        if time_ns >= 1 << 63:
            raise ValueError(f"its time {time_ns} is after the year 2262")
        if len(data) > LARGEST_MESSAGE:
            raise ValueError(f"it has {len(data)} bytes, the limit is {LARGEST_MESSAGE}")
        said = json.loads(data)
        if not isinstance(said, dict):
            raise TypeError("it is not a JSON object")
        if kind == "sensor":
            self.sensors.setdefault(name, Series(name))._add(time_ns, said)
        elif kind == "mark":
            self.marks.append(Mark(time_ns, _frame(said), name, str(said.get("text") or "")))
        else:
            self.levels.append(LevelStep(time_ns, _frame(said), str(said["from"]), str(said["to"]), str(said.get("reason", ""))))


def kind_of(topic: str, encoding: str) -> tuple[str, str] | None:
    """The kind and name of a channel's topic, for example ("sensor", "lux"); None if it is not a series."""
    if encoding != "json":
        return None
    if topic == "/level":
        return "level", ""
    for kind in ("sensor", "mark"):
        if topic.startswith(f"/{kind}/"):
            return kind, topic[len(kind) + 2:]
    return None


def _frame(said: dict[str, Any]) -> int | None:
    frame = said.get("frame")
    return frame if isinstance(frame, int) and 0 <= frame < 1 << 32 else None
