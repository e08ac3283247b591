# SPDX-License-Identifier: Apache-2.0
"""Recorded pictures through a user's own pre-processing, as a trace."""
from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from mcap.writer import CompressionType, Writer

from ..traces.frame import Frame, decode_picture
from ..traces.names import escape
from ..traces.trace import Trace, load
from .answers import INPUT, OUTPUT, BadAnswer, arrays_of, takes_bytes

if TYPE_CHECKING:
    from .verbs import ReplayOptions, Result


@overload
def replay(trace: str | os.PathLike[str] | Trace, function: Callable[[Any], Any], out: str | os.PathLike[str],
           *, data: str | os.PathLike[str] | None = None, replace: bool = False) -> int: ...
@overload
def replay(trace: str | os.PathLike[str] | Trace, function: str | os.PathLike[str] | None, out: str | os.PathLike[str],
           *, data: str | os.PathLike[str] | None = None, replace: bool = False, **options: Unpack[ReplayOptions]) -> Result: ...
def replay(trace: str | os.PathLike[str] | Trace, function: Callable[[Any], Any] | str | os.PathLike[str] | None,
           out: str | os.PathLike[str], *, data: str | os.PathLike[str] | None = None, replace: bool = False,
           **options: Any) -> int | Result:
    """Runs every recorded picture through ``function`` and writes its results as a trace.

    You can pass the path of a model file instead of a function: then ``edgeprobe replay`` runs it, with ``recipe=`` or ``pipeline=`` and the other
    flags of that verb as keywords, and returns its Result. The rest is about functions.

    ``function`` receives the picture as a writable [height, width, 3] uint8 RGB array, or the encoded file if its first parameter is annotated
    ``bytes``. It returns the model input as an array; or a dict of named stages, one of them called ``"input"`` (and ``"output"``, or
    ``"output/NAME"`` for several, if it also runs the model); or it yields pairs (name, array). Stages may have any shape and one of the dtypes bool,
    (u)int8 to 64, float16 to 64, bfloat16.

    Raw inputs come from the trace, else from the files below ``data`` by the sample's name. Frames with neither are skipped. Frame numbers, samples
    and labels are the trace's, so the two can be compared frame by frame.

    Returns:
        The number of frames written. ``out`` appears only when all of them are complete.

    Raises:
        TraceError: ``trace`` is not a trace, or a tensor of it is damaged.
        FileExistsError: ``out`` exists and ``replace`` is false.
        ValueError: the function returned something other than an array (the message names frame and stage), or there is no raw input.
        ImportError: pictures must be decoded and Pillow is missing. Exceptions of ``function`` are passed on.

    The command line does the same, optionally followed by a model, with ``edgeprobe replay --pipeline FILE.py:FUNCTION``. There edgeprobe decodes
    pictures, here Pillow does: for JPEG files some pixels may differ by one gray level.
    """
    if not callable(function):
        from .verbs import replay_model

        return replay_model(trace.path if isinstance(trace, Trace) else trace, function, out, data, replace, options)
    if options:
        raise TypeError(f"a function takes no option {next(iter(options))!r}; models do")
    out = Path(out)
    if out.exists() and not replace:
        raise FileExistsError(f"{str(out)!r} exists; give replace=True to overwrite it")
    source = trace if isinstance(trace, Trace) else load(trace)
    partial = out.with_name(f"{out.name}.{os.getpid()}.part")  # two processes may write at once; the last one wins
    wants_bytes = takes_bytes(function)
    done = 0
    try:
        with open(partial, "wb") as file:
            target = _TraceWriter(file, function)
            for frame in source.frames:
                given = _raw(frame, Path(data) if data is not None else None, wants_bytes)
                if given is None:
                    continue
                answer = function(given)
                try:
                    arrays = arrays_of(answer)
                except BadAnswer as error:
                    of = f" ({frame.sample!r})" if frame.sample else ""
                    raise ValueError(f"frame {frame.number}{of}: {error}") from None
                target.frame(frame, arrays)
                done += 1
            target.finish()
        if done == 0:
            raise ValueError(f"{source.path!r} contains no raw inputs; name the folder of the pictures with data=")
        os.replace(partial, out)
    finally:
        partial.unlink(missing_ok=True)
        if source is not trace:
            source.close()
    return done


def _raw(frame: Frame, data: Path | None, wants_bytes: bool) -> Any:
    raw = [name for name in frame if name.startswith("raw_input/")]
    if raw:
        value = frame[raw[0]]
        if wants_bytes:
            if not isinstance(value, bytes):
                raise ValueError(f"frame {frame.number}: the function takes the encoded file, but only pixels were recorded")
            return value
        return frame.picture().copy()
    if data is None or not frame.sample:
        return None
    file = data / frame.sample
    # A name in a trace is not trusted to stay below the folder.
    if not file.resolve().is_relative_to(data.resolve()) or not file.is_file():
        return None
    content = file.read_bytes()
    if wants_bytes:
        return content
    return decode_picture(content).copy()


class _TraceWriter:
    def __init__(self, file: Any, function: Callable[..., Any]) -> None:
        self._writer = Writer(file, compression=CompressionType.NONE)
        self._writer.start(profile="edgeprobe", library="edgeprobe for Python")
        self._writer.add_metadata("edgeprobe.trace", {"version": "1"})
        self._writer.add_metadata("edgeprobe.run", {
            "tool": "edgeprobe for Python", "level": "io", "pipeline": getattr(function, "__qualname__", type(function).__name__)})
        self._channels: dict[tuple[str, str, str, tuple[int, ...]], int] = {}
        self._records = self._writer.register_channel("/frame", "json", 0, {})
        self._wall_ahead = time.time_ns() - time.monotonic_ns()  # later times follow the monotonic clock, which does not jump

    def frame(self, frame: Frame, arrays: list[tuple[str, np.ndarray]]) -> None:
        now = self._wall_ahead + time.monotonic_ns()
        positions = {"intermediate": 0, "model_input": 0, "model_output": 0}
        for name, array in arrays:
            stage = "model_input" if name == INPUT else \
                "model_output" if name == OUTPUT or name.startswith(OUTPUT + "/") else "intermediate"
            shown = name.removeprefix(OUTPUT + "/") if stage == "model_output" else name
            key = (stage, shown, array.dtype.name, array.shape)
            if key not in self._channels:
                self._channels[key] = self._writer.register_channel(f"/{stage}/{escape(shown)}", "x-tensor", 0, {
                    "dtype": array.dtype.name, "shape": ",".join(map(str, array.shape)), "position": str(positions[stage])})
            positions[stage] += 1
            self._writer.add_message(self._channels[key], log_time=now, publish_time=now, sequence=frame.number, data=array.tobytes())
        known = {k: frame.record[k] for k in ("sample", "sha256", "label", "annotation") if frame.record.get(k) is not None}
        if "sample" in known:
            known["sample"] = escape(known["sample"])
        self._writer.add_message(self._records, log_time=now, publish_time=now, sequence=frame.number,
                                 data=json.dumps(known).encode())

    def finish(self) -> None:
        self._writer.finish()  # type: ignore[no-untyped-call]
