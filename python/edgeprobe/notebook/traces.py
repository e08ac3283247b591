# SPDX-License-Identifier: Apache-2.0
"""Traces and frames as a notebook shows them. Parts that cannot be shown are left out with the reason: displaying never raises."""
from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Protocol

import numpy as np

from .parts import Html, bold, cell, line, listed, table
from .pictures import picture

#: Most pictures of a trace or of several frames, and the longer edge of a picture in pixels.
_PICTURES, _SMALL = 6, 96


class Channel(Protocol):
    """The parts of traces/channel.py that are shown."""

    @property
    def stage(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def scale(self) -> np.ndarray | None: ...
    @property
    def encoding(self) -> str: ...
    @property
    def encoded(self) -> bool: ...


class Frame(Protocol):
    """The parts of traces/frame.py that are shown."""

    number: int

    @property
    def sample(self) -> str | None: ...
    @property
    def label(self) -> int | None: ...
    @property
    def latency_ns(self) -> int | None: ...
    @property
    def variables(self) -> dict[str, Any]: ...
    def channel(self, name: str) -> Channel: ...
    def picture(self) -> np.ndarray: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...


class Trace(Protocol):
    """The parts of traces/trace.py that are shown."""

    path: str
    problems: list[str]
    metadata: dict[str, dict[str, str]]

    @property
    def frames(self) -> Collection[Frame]: ...
    @property
    def channels(self) -> Collection[Channel]: ...
    @property
    def finished(self) -> bool: ...
    @property
    def dropped_frames(self) -> int: ...


def trace_html(trace: Trace) -> str:
    facts: list[tuple[Any, Any]] = [("frames", len(trace.frames))]
    if trace.dropped_frames:
        facts.append(("frames that are not whole", trace.dropped_frames))
    if not trace.finished:
        facts.append(("finished", "no: the recording was cut off"))
    facts += [(key, value) for key, value in trace.metadata.get("edgeprobe.run", {}).items() if key in ("model", "engine", "recipe", "level")]
    return cell(line(bold(trace.path)), table(facts), listed("problems", trace.problems), _pictures(trace.frames), _channels(trace.channels))


def frames_html(frames: Collection[Frame]) -> str:
    rows = [(one.number, one.sample, one.label, _ms(one.latency_ns), len(one)) for one in frames]
    return cell(_pictures(frames), table(rows, ("frame", "sample", "label", "latency", "tensors"), of="frames"))


def frame_html(frame: Frame) -> str:
    facts: list[tuple[Any, Any]] = [("sample", frame.sample), ("label", frame.label), ("latency", _ms(frame.latency_ns))]
    facts += [(f"variable {name}", value) for name, value in _variables(frame)]
    channels = [frame.channel(name) for name in frame]
    return cell(line(bold(f"frame {frame.number}")), table([fact for fact in facts if fact[1] is not None]), _picture(frame), _channels(channels))


def _variables(frame: Frame) -> list[tuple[str, Any]]:
    try:
        return list(frame.variables.items())
    except Exception as error:
        return [("values", f"not readable: {error}")]


def _pictures(frames: Iterable[Frame]) -> Html:
    first = [frame for frame, _ in zip(frames, range(_PICTURES))]
    return Html(f"<div>{''.join(_picture(frame, _SMALL, quiet=True) for frame in first)}</div>")


def _picture(frame: Frame, edge: int = 160, quiet: bool = False) -> Html:
    if not any(name.startswith("raw_input/") for name in frame):
        return Html("")
    try:
        return picture(frame.picture(), frame.sample or f"frame {frame.number}", edge)
    except Exception as error:  # no picture, a damaged one, one beyond Pillow's limits, no Pillow
        return Html("") if quiet else line("no picture is shown:", str(error))


def _channels(channels: Iterable[Channel]) -> Html:
    rows = []
    for one in channels:
        kind = one.encoding if one.encoded else f"{one.dtype} [{', '.join(map(str, one.shape))}]"
        rows.append((one.stage, one.name, kind, "quantised" if one.scale is not None else ""))
    return table(rows, ("stage", "tensor", "values", ""), of="tensors")


def _ms(nanoseconds: int | None) -> str | None:
    return None if nanoseconds is None else f"{nanoseconds / 1e6:.4g} ms"
