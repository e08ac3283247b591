# SPDX-License-Identifier: Apache-2.0
"""The frame of an inference while it is recorded."""
from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from .. import _native
from ..errors import UsageError
from .arguments import (BYTES, FLAG, FLAG_OR_NONE, INT32, NUMBER, NUMBER_OR_NONE, NUMBERS_OR_NONE, TEXT, TEXT_OR_BYTES, TEXT_OR_NONE, TEXTS_OR_NONE, UINT32,
                        explained)
from .assertion import Check, wrong_with
from .values import YUV, answer_parts, as_dense, json_text, number_list, packed_format, uint8_pixels

Stage = Literal["intermediate", "model_input", "layer", "model_output", "embedding", "variable"]
Pixels = Literal["rgb8", "bgr8", "rgba8", "bgra8", "gray8", "nv12", "nv21", "i420", "yv12"]
Numbers: TypeAlias = "float | Sequence[float] | np.ndarray | None"

STAGES: dict[str, int] = {
    "intermediate": _native.STAGE_INTERMEDIATE, "model_input": _native.STAGE_MODEL_INPUT, "layer": _native.STAGE_LAYER,
    "model_output": _native.STAGE_MODEL_OUTPUT, "embedding": _native.STAGE_EMBEDDING, "variable": _native.STAGE_VARIABLE,
}
#: Only for OpenFrame.wants().
_OTHER_STAGES: dict[str, int] = {"raw_input": _native.STAGE_RAW_INPUT, "answer": _native.STAGE_ANSWER}

#: Frames that are open in this thread or task, the innermost last.
open_frames: ContextVar[tuple[OpenFrame, ...]] = ContextVar("edgeprobeopen_frames", default=())


class OffFrame:
    """Replaces a native frame if there is no probe: it accepts every call and does nothing."""

    def __getattribute__(self, name: str) -> Any:
        return _nothing


def _nothing(*_: object) -> int:
    return 0


OFF_FRAME = OffFrame()


class Recording(Protocol):
    """The parts of a recording probe that frames and adapters need."""

    _redact: Callable[..., Any] | None
    _raw_form: threading.local

    @property
    def current(self) -> OpenFrame | None: ...
    def frame(self, sample: str | None = None, label: int | None = None) -> OpenFrame: ...
    def describe(self, **facts: object) -> None: ...
    def _failed(self, error: Exception) -> None: ...


class OpenFrame:
    """One inference. Values are copied before a call returns, so buffers may be used again at once.

    The library copies C-contiguous NumPy arrays of numbers once. Others (transposed, sliced, big-endian, lists, torch tensors) are converted first,
    which costs a second copy, but only if the tensor is recorded.
    """

    __slots__ = ("probe", "_native", "_token", "_ended")

    def __init__(self, probe: Recording, native: Any) -> None:
        self.probe = probe
        self._native = native
        self._token: Any = None
        self._ended = False

    # --- the frame itself --------------------------------------------------------------------------------------

    def __enter__(self) -> OpenFrame:
        self._token = open_frames.set((*open_frames.get(), self))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._token is not None:
            try:
                open_frames.reset(self._token)
            except ValueError:  # ended by another task than the one that began it
                open_frames.set(tuple(frame for frame in open_frames.get() if frame is not self))
            self._token = None
        self.end()

    def end(self) -> None:
        """Writes the record of the frame. A second call does nothing."""
        if self._ended:
            return
        self._ended = True
        try:
            self._native.end()
        except Exception as error:
            self.probe._failed(error)

    @property
    def number(self) -> int:
        """The number of the frame, from 0."""
        return int(self._native.number())

    def sample(self, name: str) -> None:
        """The name of the sample: its path below the data set's folder."""
        try:
            self._native.sample(name)
        except Exception as error:
            self.probe._failed(explained(error, "frame.sample()", name=(name, TEXT)))

    def label(self, label: int) -> None:
        """The index of the true class."""
        try:
            self._native.label(label)
        except Exception as error:
            self.probe._failed(explained(error, "frame.label()", label=(label, INT32)))

    def annotation(self, kind: str, value: Any) -> None:
        """Ground truth that is more than one class: ``frame.annotation("class_set", [3, 17])`` if any of these classes is right. ``value`` becomes
        JSON of at most 12,288 bytes; unknown kinds are kept."""
        try:
            self._native.annotation(kind, json_text(value))
        except Exception as error:
            self.probe._failed(explained(error, "frame.annotation()", kind=(kind, TEXT)))

    def trip(self, reason: str) -> None:
        """Keeps this frame; the reason is recorded as a mark."""
        try:
            self._native.trip(reason)
        except Exception as error:
            self.probe._failed(explained(error, "frame.trip()", reason=(reason, TEXT)))

    def begin_sequence(self) -> None:
        """A sequence begins with this frame: the application resets its recurrent states here."""
        try:
            self._native.begin_sequence()
        except Exception as error:
            self.probe._failed(error)

    def wants(self, stage: Stage | Literal["raw_input", "answer"]) -> bool:
        """True if a tensor of this stage would be recorded now."""
        try:
            return bool(self._native.wants(_OTHER_STAGES.get(stage) or _stage(stage)))
        except Exception as error:
            self.probe._failed(error)
            return False

    # --- tensors -----------------------------------------------------------------------------------------------

    def tensor(self, name: str, array: Any, stage: Stage = "intermediate", *, scale: Numbers = None, zero_point: Numbers = None,
               axis: int = 0, position: int = -1, layer_type: str | None = None) -> None:
        """A named tensor: a step of pre- or post-processing, unless ``stage`` says that it is the model's.

        ``scale``, ``zero_point``: real = scale * (stored - zero_point); one, or one for each index along ``axis``.
        ``position``: index among the model's inputs or outputs, or of the layer.
        """
        try:
            code = STAGES.get(stage) or _stage(stage)
            scales = () if scale is None else number_list(scale, float)
            zero_points = () if zero_point is None else number_list(zero_point, int)
            if self._native.tensor(name, array, code, -1, scales, zero_points, axis, position, layer_type) is False and self._native.wants(code):
                dense, dtype = as_dense(name, array)
                self._native.tensor(name, dense, code, dtype, scales, zero_points, axis, position, layer_type)
        except Exception as error:
            self.probe._failed(explained(error, "frame.tensor()", name=(name, TEXT), stage=(stage, TEXT), scale=(scale, NUMBERS_OR_NONE),
                                         zero_point=(zero_point, NUMBERS_OR_NONE), axis=(axis, INT32), position=(position, INT32),
                                         layer_type=(layer_type, TEXT_OR_NONE)))

    def image(self, name: str, pixels: Any, format: Pixels | None = None, *, rotation: int = 0, mirrored: bool = False,
              width: int = 0, height: int = 0, stride: int = 0, chroma_stride: int = 0, full_range: bool = False,
              bt709: bool = False) -> None:
        """A picture before pre-processing: uint8 [height, width, 3] or [height, width, 4] or [height, width].

        ``format`` is "rgb8", "rgba8" or "gray8" by the shape; use "bgr8" for pictures from OpenCV. Windows of a larger picture are
        recorded without a copy. Camera frames ("nv12", "nv21", "i420", "yv12") are flat buffers with their ``width``,
        ``height`` and strides. ``rotation`` (clockwise degrees that turn the picture upright) and ``mirrored`` are recorded, not applied.
        """
        try:
            if isinstance(pixels, (str, os.PathLike)):
                raise UsageError(f"the picture {name!r} is a path, and frame.image() takes pixels: read the file (Pillow, OpenCV), or log the "
                                 f"file itself: frame.encoded({name!r}, open({os.fspath(pixels)!r}, 'rb').read())")
            if format in YUV:
                data = uint8_pixels(name, pixels)
                data = data if data.flags.c_contiguous else np.ascontiguousarray(data)
                self._form(data.shape, data.dtype)
                self._native.yuv(name, data, YUV[format], width, height, stride, chroma_stride, rotation, mirrored, full_range, bt709)
                return
            data = uint8_pixels(name, pixels)
            code = packed_format(name, data, format)
            self._form(data.shape, data.dtype)
            try:
                self._native.image(name, data, code, rotation, mirrored)
            except BufferError:  # mirrored or channel-first views, whose pixels are not contiguous
                self._native.image(name, np.ascontiguousarray(data), code, rotation, mirrored)
        except Exception as error:
            self.probe._failed(explained(error, "frame.image()", name=(name, TEXT), format=(format, TEXT_OR_NONE), rotation=(rotation, INT32),
                                         mirrored=(mirrored, FLAG), width=(width, UINT32), height=(height, UINT32), stride=(stride, UINT32),
                                         chroma_stride=(chroma_stride, UINT32), full_range=(full_range, FLAG), bt709=(bt709, FLAG)))

    def audio(self, name: str, samples: Any, samples_per_second: int) -> None:
        """Sound before pre-processing: int16 or float32, [samples] or [samples, channels]."""
        try:
            data = np.ascontiguousarray(samples)
            self._form(data.shape, data.dtype)
            self._native.audio(name, data, samples_per_second)
        except Exception as error:
            self.probe._failed(explained(error, "frame.audio()", name=(name, TEXT), samples_per_second=(samples_per_second, UINT32)))

    def readings(self, name: str, values: Any, steps_per_second: float = 0) -> None:
        """Readings of a sensor as it delivered them, before any conversion: numbers, [steps] or [steps, axes]; a rate of 0 means unknown."""
        try:
            data = np.ascontiguousarray(values)
            self._form(data.shape, data.dtype)
            self._native.readings(name, data, steps_per_second)
        except Exception as error:
            self.probe._failed(explained(error, "frame.readings()", name=(name, TEXT), steps_per_second=(steps_per_second, NUMBER)))

    def encoded(self, name: str, data: bytes | bytearray | memoryview) -> None:
        """The bytes of a whole picture file, or any other bytes."""
        try:
            self._form(None, None)
            self._native.encoded(name, data)
        except Exception as error:
            self.probe._failed(explained(error, "frame.encoded()", name=(name, TEXT), data=(data, BYTES)))

    def text(self, name: str, text: str | bytes) -> None:
        """A text before pre-processing. Bytes must be UTF-8."""
        try:
            self._form(None, None)
            self._native.raw_text(name, text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text)
        except Exception as error:
            self.probe._failed(explained(error, "frame.text()", name=(name, TEXT), text=(text, TEXT_OR_BYTES)))

    def answer(self, *, name: str = "answer", labels: Sequence[str] | None = None, classes: Any = None, scores: Any = None, boxes: Any = None,
               mask: Any = None, points: Any = None, vector: Any = None, score: float | None = None, alarm: bool | None = None,
               text: str | None = None) -> None:
        """The application's answer, made from the model's outputs: ``frame.answer(labels=["cat", "lynx"], scores=[0.8, 0.1])``.

        ``labels``, ``classes`` (whole numbers), ``scores`` and ``boxes`` [n, 4] have the same length. ``mask``: [height, width], a class for each
        pixel. ``points``: [n, 3], x, y and score. ``vector``: an embedding. ``score`` and ``alarm``: of an anomaly. ``text``: recognised or generated
        text. An empty list is an answer ("no box"); None means nothing. Numbers are recorded unchanged. If a frame has several answers, ``name``
        each.
        """
        try:
            if self._native.wants(_OTHER_STAGES["answer"]):
                arrays = answer_parts(classes=classes, scores=scores, boxes=boxes, mask=mask, points=points, vector=vector)
                self._native.answer(name, labels=labels if labels is None else _label_list(labels), **arrays, score=score, alarm=alarm, text=text)
        except Exception as error:
            self.probe._failed(explained(error, "frame.answer()", name=(name, TEXT), labels=(labels, TEXTS_OR_NONE), score=(score, NUMBER_OR_NONE),
                                         alarm=(alarm, FLAG_OR_NONE), text=(text, TEXT_OR_NONE)))

    def _form(self, shape: Any, dtype: Any) -> None:
        if self.probe._redact is not None:
            self.probe._raw_form.of_next = (shape, dtype)

    # --- variables and time ------------------------------------------------------------------------------------

    def variable(self, name: str, value: Any) -> None:
        """A variable of the application. A number is a scalar, a list of numbers a vector (both float64), an array keeps its dtype, a str is a text;
        everything else (dict, None, nested lists) is kept as JSON, NaN and infinities in it as null."""
        try:
            native = self._native
            if isinstance(value, str):
                native.text(name, value)
            elif isinstance(value, np.ndarray) or hasattr(value, "__dlpack__") and not isinstance(value, np.generic):
                self.tensor(name, value, "variable")
            elif isinstance(value, (bool, float, np.floating, np.bool_)):
                native.scalar(name, float(value))
            elif isinstance(value, (int, np.integer)):
                if abs(int(value)) <= 1 << 53:
                    native.scalar(name, float(value))
                else:  # float64 would round it
                    self.tensor(name, np.asarray(value), "variable")
            elif isinstance(value, (list, tuple)) and value and all(isinstance(v, (bool, int, float, np.number)) for v in value):
                native.vector(name, [float(v) for v in value])
            elif isinstance(value, (bytes, bytearray, memoryview)):
                raise UsageError(f"the variable {name!r} is {type(value).__name__}; give encoded() raw inputs, or an array of uint8")
            else:
                native.json(name, json_text(value))
        except Exception as error:
            self.probe._failed(explained(error, "frame.variable()", name=(name, TEXT)))

    def assert_that(self, name: str, check: Check) -> bool:
        """Like Probe.assert_that(), for this frame: ``frame.assert_that("exposure", lux > 5)``. It logs nothing."""
        wrong = wrong_with(check)
        try:
            self._native.assert_that(name, wrong)
        except Exception as error:
            self.probe._failed(explained(error, "frame.assert_that()", name=(name, TEXT)))
        return not wrong

    def span(self, name: str) -> Span:
        """``with frame.span("resize"):`` the duration of a named step. Spans may nest."""
        return Span(self, name)

    def inference(self) -> Inference:
        """``with frame.inference():`` around only the model call: its time becomes the frame's latency."""
        return Inference(self)


class Span:
    __slots__ = ("_frame", "_name", "_start")

    def __init__(self, frame: OpenFrame, name: str) -> None:
        self._frame, self._name, self._start = frame, name, 0

    def __enter__(self) -> Span:
        try:
            self._start = self._frame._native.span_begin()
        except Exception as error:
            self._frame.probe._failed(error)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._frame._native.span_end(self._name, self._start)
        except Exception as error:
            self._frame.probe._failed(explained(error, "frame.span()", name=(self._name, TEXT)))


class Inference:
    __slots__ = ("_frame",)

    def __init__(self, frame: OpenFrame) -> None:
        self._frame = frame

    def __enter__(self) -> Inference:
        try:
            self._frame._native.start()
        except Exception as error:
            self._frame.probe._failed(error)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._frame._native.stop()
        except Exception as error:
            self._frame.probe._failed(error)


def _stage(name: str) -> int:
    code = STAGES.get(name)
    if code is None:
        raise UsageError(f"stage={name!r}: expected one of {', '.join(map(repr, STAGES))}")
    return code


def _label_list(labels: Sequence[str]) -> list[str]:
    if isinstance(labels, (str, bytes)):
        raise UsageError(f"frame.answer(): labels is {labels!r}, expected a list of str; give [{labels!r}]")
    return [str(label) if isinstance(label, np.str_) else label for label in labels]
