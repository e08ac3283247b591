# SPDX-License-Identifier: Apache-2.0
"""The probe inside an application: it records a model's inputs, layers and outputs.

    with edgeprobe.Probe("app.mcap", level="io") as probe:
        with probe.frame(sample="cat/0001.png") as frame:
            frame.tensor("input", array, "model_input")
"""
from __future__ import annotations

import logging
import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np

from .. import _native
from ..errors import Error, UsageError
from .arguments import (FLAG, FUNCTION, INT32_OR_NONE, NUMBER, NUMBERS_OR_NONE, PATH, PATTERNS, TEXT, TEXT_OR_NONE, UINT32, UINT64,
                        explained)
from .assertion import Check, wrong_with
from .open_frame import OFF_FRAME, OpenFrame, open_frames

Engine = TypeVar("Engine")
Function = TypeVar("Function", bound=Callable[..., Any])
Level = Literal["none", "io", "embedding", "layers"]
Raw = Literal["sample", "none", "all"]
Sampling = Literal["every", "random", "trigger"]
#: Receives the name of a raw input and a private copy of it; overwrites sensitive values (or returns other values).
Redact = Callable[[str, np.ndarray], "np.ndarray | None"]

_LEVELS: dict[str, int] = {"none": _native.LEVEL_NONE, "io": _native.LEVEL_IO, "embedding": _native.LEVEL_EMBEDDING,
                           "layers": _native.LEVEL_LAYERS}
_RAW: dict[str, int] = {"sample": _native.RAW_SAMPLE, "none": _native.RAW_NONE, "all": _native.RAW_ALL}
_SAMPLING: dict[str, int] = {"every": _native.SAMPLE_EVERY, "random": _native.SAMPLE_RANDOM, "trigger": _native.SAMPLE_TRIGGER}
_LEVEL_NAMES = {value: name for name, value in _LEVELS.items()}

_log = logging.getLogger("edgeprobe")


@dataclass(frozen=True)
class Statistics:
    """Counters of a probe."""

    level: str                #: the current level; a budget may have lowered it
    frames: int = 0           #: frames that were begun
    recorded_frames: int = 0  #: frames whose tensors were recorded
    dropped_frames: int = 0   #: frames dropped because the disk was too slow
    tensors: int = 0
    bytes: int = 0            #: bytes of values
    time_ns: int = 0          #: time spent in calls of the library


class Probe:
    """A trace that is being recorded. Options are those of edgeprobe_options in edgeprobe.h, with its defaults.

    ``strict=True``: errors raise exceptions (``edgeprobe.Error``). ``strict=False``: no call raises, not even opening; ``error`` has the last
    message, and the logger "edgeprobe" warns of the first one. Use strict mode in development and ``strict=False`` in production.

    Any thread may call; one frame belongs to one thread or task at a time. In a forked child a probe does nothing.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, level: Level = "io", include: str | Sequence[str] | None = None,
        exclude: str | Sequence[str] | None = None, sampling: Sampling = "every", every: int = 1, seed: int = 0, before: int = 0,
        below_confidence: float = 0.0, raw: Raw = "sample", raw_frames: int = 32, raw_bytes: int = 64_000_000, sketch: bool = False,
        time_share: float = 0.0, bytes_per_second: int = 0, total_bytes: int = 4_000_000_000, part_bytes: int = 0, newest_parts: int = 0,
        own_outputs: int = 0, flush_ms: int = 1000, wait_when_full: bool = False, redact: Redact | None = None, strict: bool = True,
    ) -> None:
        self.strict = strict
        self.error: str | None = None  #: the last error, in one sentence
        self.failures = 0              #: number of failed calls
        self._redact = redact
        self._raw_form = threading.local()
        self._native: _native.Probe | None = None
        try:
            self._native = native = _native.Probe(
                os.fspath(path), level=_choice("level", level, _LEVELS), include=_patterns(include), exclude=_patterns(exclude),
                sampling=_choice("sampling", sampling, _SAMPLING), every=every, seed=seed, before=before,
                below_confidence=below_confidence, raw=_choice("raw", raw, _RAW), raw_frames=raw_frames, raw_bytes=raw_bytes,
                sketch=sketch, time_share=time_share, bytes_per_second=bytes_per_second, total_bytes=total_bytes,
                part_bytes=part_bytes, newest_parts=newest_parts, own_outputs=own_outputs, flush_ms=flush_ms,
                wait_when_full=wait_when_full,
                redact=None if redact is None else _redactor(redact, self._raw_form))
            # The file is finished even if the application forgets to close the probe.
            self._finalizer = weakref.finalize(self, _close_own, native, os.getpid())
        except Exception as error:
            self._failed(explained(
                error, "Probe()", path=(path, PATH), level=(level, TEXT), include=(include, PATTERNS), exclude=(exclude, PATTERNS),
                sampling=(sampling, TEXT), every=(every, UINT32), seed=(seed, UINT64), before=(before, UINT32),
                below_confidence=(below_confidence, NUMBER), raw=(raw, TEXT), raw_frames=(raw_frames, UINT32), raw_bytes=(raw_bytes, UINT64),
                sketch=(sketch, FLAG), time_share=(time_share, NUMBER), bytes_per_second=(bytes_per_second, UINT64),
                total_bytes=(total_bytes, UINT64), part_bytes=(part_bytes, UINT64), newest_parts=(newest_parts, UINT32),
                own_outputs=(own_outputs, UINT32), flush_ms=(flush_ms, UINT32), wait_when_full=(wait_when_full, FLAG),
                redact=(redact, FUNCTION)))

    # --- about the recording -----------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        return self._native is not None and self._finalizer.alive

    def statistics(self) -> Statistics:
        """Counters so far; after close(), of the whole recording."""
        try:
            if self._native is not None:
                return _statistics(self._native.statistics())
        except Exception as error:
            self._failed(error)
        return Statistics("none")

    def describe(self, **facts: object) -> None:
        """Facts about the deployment: ``probe.describe(model="net.tflite", threads=2, recipe=text)``; keys as in docs/reference/trace-format.md,
        record ``edgeprobe.run``. Only the file name of a model's path is kept."""
        try:
            if self._native is not None:
                for key, value in facts.items():
                    text = os.path.basename(os.fspath(value)) if key == "model" else str(value)  # type: ignore[call-overload]
                    self._native.describe(key, text)
        except Exception as error:
            self._failed(error)

    def flush(self) -> None:
        """Returns when everything logged before is in the file. It takes milliseconds, so do not call it for every frame."""
        try:
            if self._native is not None:
                self._native.flush()
        except Exception as error:
            self._failed(error)

    def close(self) -> Statistics:
        """Finishes the file and ends open frames. A second call does nothing."""
        try:
            if self._native is not None:
                self._finalizer.detach()
                return _statistics(self._native.close())
        except Exception as error:
            self._failed(error)
        return self.statistics()

    def __enter__(self) -> Probe:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- recording ---------------------------------------------------------------------------------------------

    def frame(self, sample: str | None = None, label: int | None = None) -> OpenFrame:
        """One inference: ``with probe.frame(sample="cat/0001.png", label=3) as frame:``. Without ``with``, call its end()."""
        native: Any = OFF_FRAME
        try:
            if self._native is not None:
                native = _native.Frame(self._native, sample, label)
        except Exception as error:
            self._failed(explained(error, "probe.frame()", sample=(sample, TEXT_OR_NONE), label=(label, INT32_OR_NONE)))
            native = self._bare_frame()
        return OpenFrame(self, native)

    def _bare_frame(self) -> Any:
        """For a quiet probe: an invalid sample or label does not lose the frame."""
        try:
            return _native.Frame(self._native, None, None) if self._native is not None else OFF_FRAME
        except Exception:
            return OFF_FRAME

    @property
    def current(self) -> OpenFrame | None:
        """The innermost frame of this probe that this thread or task has opened with ``with``."""
        for frame in reversed(open_frames.get()):
            if frame.probe is self:
                return frame
        return None

    def wrap(self, engine: Engine, *, prefix: str = "", model: str | os.PathLike[str] | None = None) -> Engine:
        """``edgeprobe.wrap(engine, probe)``; as a decorator, ``@probe.wrap`` records each call of a function as an inference."""
        from .adapters.wrap import wrap

        return wrap(engine, self, prefix=prefix, model=model)

    def stage(self, name: str) -> Callable[[Function], Function]:
        """A decorator for a step of pre- or post-processing: within an open frame, the time of each call becomes a span and its result a tensor, both
        called ``name``."""
        from .adapters.function import stage_of

        return lambda function: stage_of(function, self, name)  # type: ignore[return-value]

    def mark(self, name: str, text: str | None = None) -> None:
        """Records an event, such as "camera restarted"."""
        try:
            if self._native is not None:
                self._native.mark(name, text)
        except Exception as error:
            self._failed(explained(error, "probe.mark()", name=(name, TEXT), text=(text, TEXT_OR_NONE)))

    def assert_that(self, name: str, check: Check) -> bool:
        """Checks once, for example when the application starts: ``probe.assert_that("labels", len(labels) == 1001)``. Returns whether it holds.
        ``check`` is a truth value, a text that describes the problem, or a function that returns one of these or asserts; if it raises, the assertion
        fails. The logger "edgeprobe" warns of a failure, and `edgeprobe contract check` judges it.
        """
        wrong = wrong_with(check)
        try:
            if self._native is not None:
                self._native.assert_that(name, wrong)
        except Exception as error:
            self._failed(explained(error, "probe.assert_that()", name=(name, TEXT)))
        if wrong:
            _log.warning("assertion %r does not hold: %s", name, wrong)
        return not wrong

    def sensor(self, name: str, values: float | Sequence[float] | np.ndarray | None, unit: str = "", *, reason: str = "absent") -> None:
        """Values of a sensor now; None with a reason if there are none."""
        try:
            if self._native is None:
                return
            if values is None:
                self._native.sensor_absent(name, unit, reason)
            else:
                self._native.sensor(name, np.asarray(values, np.float64).ravel().tolist(), unit)
        except Exception as error:
            self._failed(explained(error, "probe.sensor()", name=(name, TEXT), values=(values, NUMBERS_OR_NONE), unit=(unit, TEXT),
                                   reason=(reason, TEXT)))

    # --- errors ------------------------------------------------------------------------------------------------

    def _failed(self, error: Exception) -> None:
        """Called in an except block: raises the exception again, or keeps its message."""
        self.failures += 1
        self.error = " ".join(str(error).split()) or type(error).__name__
        if self.strict:
            raise error
        if self.failures == 1:
            _log.warning("%s (said once; see Probe.error)", self.error)

    def __repr__(self) -> str:
        return f"<Probe {'open' if self.is_open else 'closed' if self._native is not None else 'off'}>"


def _close_own(native: _native.Probe, process: int) -> None:
    if os.getpid() == process:
        try:
            native.close()
        except Error:
            pass  # at the end of the program or of the last reference, no caller can receive an exception


def _statistics(values: tuple[int, ...]) -> Statistics:
    return Statistics(_LEVEL_NAMES.get(values[0], "none"), *values[1:])


def _choice(what: str, given: str, values: Mapping[str, int]) -> int:
    if given not in values:
        raise UsageError(f"{what}={given!r}: expected one of {', '.join(map(repr, values))}")
    return values[given]


def _patterns(given: str | Sequence[str] | None) -> str | None:
    return given if given is None or isinstance(given, str) else " ".join(given)


def _redactor(redact: Redact, form: threading.local) -> Callable[[str, bytearray], None]:
    if not callable(redact):
        raise TypeError(f"redact must be callable, got {type(redact).__name__}")

    def call(name: str, memory: bytearray) -> None:
        values = np.frombuffer(memory, np.uint8)
        shape, dtype = getattr(form, "of_next", (None, None))
        if shape is not None and dtype is not None and int(np.prod(shape)) * dtype.itemsize == values.size:
            values = values.view(dtype).reshape(shape)
        other = redact(name, values)
        if other is not None:
            values[...] = other

    return call
