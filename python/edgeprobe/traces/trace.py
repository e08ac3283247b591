# SPDX-License-Identifier: Apache-2.0
"""Reading a trace (docs/reference/trace-format.md) as NumPy arrays."""
from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import numpy as np
from mcap import records as mcap_records

from ..errors import TraceError
from .channel import Channel, channel_from
from .container import Container, Place
from .frame import Frame, Frames
from .names import unescape
from .series import AllSeries, LevelStep, Mark, Series, kind_of

if TYPE_CHECKING:
    import pandas


class Trace:
    """An open trace. Opening scans the file once; values are read on access, chunk by chunk."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._file = Container(self.path)
        self.channels_by_id: dict[int, Channel] = {}
        self.metadata: dict[str, dict[str, str]] = {}
        self.problems = self._file.problems  #: one sentence for each problem despite which reading continued
        self._frame_channels: set[int] = set()
        self._series_channels: dict[int, tuple[str, str]] = {}
        self._series = AllSeries()
        self._by_number: dict[int, Frame] = {}
        try:
            self._file.walk(self._add)
        except BaseException:
            self._file.close()
            raise
        self.frames = Frames([self._by_number[n] for n in sorted(self._by_number)])

    @property
    def finished(self) -> bool:
        """False: the recording was cut off."""
        return self._file.finished

    @property
    def dropped_frames(self) -> int:
        """Number of incomplete frames, because the disk was too slow or the line of a microcontroller lost data."""
        return self._dropped("frames")

    @property
    def dropped_tensors(self) -> int:
        """Number of tensors and records lost in these frames."""
        return self._dropped("messages")

    def _dropped(self, key: str) -> int:
        count = self.metadata.get("edgeprobe.dropped", {}).get(key, "")
        return int(count) if count.isascii() and count.isdecimal() and len(count) < 20 else 0

    @property
    def channels(self) -> list[Channel]:
        return list(self.channels_by_id.values())

    @property
    def series_names(self) -> list[str]:
        """Names for ``series()``: "sensor/lux", …"""
        return [f"sensor/{name}" for name in self._series.sensors]

    def series(self, name: str) -> Series:
        """The values of a sensor over time: ``trace.series("sensor/accelerometer")``. KeyError lists the available names."""
        found = self._series.sensors.get(name.removeprefix("sensor/"))
        if found is None:
            raise KeyError(f"no series {name!r}; it has {', '.join(self.series_names) or 'none'}")
        return found

    @property
    def marks(self) -> list[Mark]:
        """Events named by the application, in the order of the file."""
        return self._series.marks

    @property
    def levels(self) -> list[LevelStep]:
        """Changes of the recording level by a budget."""
        return self._series.levels

    def stack(self, name: str, real: bool = False) -> np.ndarray:
        """One tensor of all frames that have it, as an array with frames first. ValueError if its shape changes."""
        found = [frame for frame in self.frames if name in frame]
        if not found:
            raise KeyError(f"no frame has a tensor {name!r}")
        return np.stack([frame.real(name) if real else frame[name] for frame in found])

    def to_pandas(self) -> pandas.DataFrame:
        """One row per frame, indexed by its number: ``sample``, ``label``, ``latency_ns``, scalar and text variables by their names,
        and ``span/NAME`` in nanoseconds. Values that a frame lacks are missing."""
        from .tables import frames_table

        return frames_table(self.frames)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        dropped = f", {self.dropped_frames} dropped" if self.dropped_frames else ""
        cut = "" if self.finished else ", not finished"
        return f"<Trace {self.path!r}: {len(self.frames)} frames{dropped}{cut}, {len(self.channels_by_id)} tensors>"

    def _repr_html_(self) -> str:
        from ..notebook.traces import trace_html  # only for notebooks

        return trace_html(self)

    def _add(self, record: mcap_records.McapRecord, place: Place) -> None:
        if isinstance(record, mcap_records.Message):
            self._add_message(record, place)
        elif isinstance(record, mcap_records.Channel):
            self._add_channel(record)
        elif isinstance(record, mcap_records.Metadata):
            group = {k: v for k, v in record.metadata.items() if k != "crc32"}
            self.metadata.setdefault(record.name, {}).update(group)
            if record.name == "edgeprobe.trace" and group.get("version", "1") != "1":
                raise TraceError(f"{self.path!r} is a trace of version {group['version']}; this package reads version 1")

    def _add_channel(self, record: mcap_records.Channel) -> None:
        if record.id in self.channels_by_id or record.id in self._frame_channels:
            return
        if record.topic == "/frame" and record.message_encoding == "json":
            self._frame_channels.add(record.id)
            return
        series = kind_of(record.topic, record.message_encoding)
        if series is not None:
            self._series_channels.setdefault(record.id, (series[0], unescape(series[1])))
            return
        if record.message_encoding != "x-tensor":
            return
        try:
            channel = channel_from(record.topic, record.metadata)
        except (KeyError, ValueError, TypeError) as error:
            self.problems.append(f"tensor {record.topic!r} is not described as it must be ({error}) and was left out")
            return
        if channel is not None:
            self.channels_by_id[record.id] = channel

    def _add_message(self, message: mcap_records.Message, place: Place) -> None:
        if message.channel_id in self._frame_channels:
            frame = self._frame(message.sequence)
            try:
                record = json.loads(message.data)
                frame.record = {**record, "sample": unescape(record["sample"])} if "sample" in record else {**record}
            except (ValueError, TypeError, RecursionError):
                self.problems.append(f"the record of frame {message.sequence} is not a JSON object")
        elif message.channel_id in self._series_channels:
            kind, name = self._series_channels[message.channel_id]
            try:
                self._series.add(kind, name, message.log_time, message.data)
            except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
                self.problems.append(f"a message of /{kind}{'/' + name if name else ''} is not as it must be ({error}) and was left out")
        elif message.channel_id in self.channels_by_id:
            self._frame(message.sequence)._places.setdefault(message.channel_id, place)

    def _frame(self, number: int) -> Frame:
        return self._by_number.setdefault(number, Frame(self._file, self.channels_by_id, number))


def load(path: str | os.PathLike[str]) -> Trace:
    """Opens a trace: ``load("t.mcap").frames[0]["image"]`` is an array. TraceError if the file is not a trace."""
    return Trace(path)
