# SPDX-License-Identifier: Apache-2.0
"""The tensors of one frame."""
from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from ..errors import TraceError
from .answer import Answer, answer_from
from .channel import STAGES, Channel
from .container import Container, Place
from .sketch import Sketch, sketch_of

#: Stages in the order in which a name without a stage is looked up.
_ORDER = {stage: rank for rank, stage in enumerate(("model_input", "model_output", "layer", "intermediate", "variable", "raw_input",
                                                    "answer", "span", "sketch", "sketch_sample", "kernel_time"))}
#: Channels of recorded pixels as red, green and blue.
_RGB = {"pixels": (0, 1, 2), "rgba8": (0, 1, 2), "bgr8": (2, 1, 0), "bgra8": (2, 1, 0)}


@dataclass(frozen=True)
class Span:
    """The duration of a named step of a frame."""

    name: str
    start_ns: int     #: since 1970-01-01 UTC
    duration_ns: int


@dataclass(frozen=True)
class Annotation:
    """The kind of an annotation, and its value as parsed from JSON."""

    kind: str
    value: Any


class Frame(Mapping[str, Any]):
    """The tensors of one frame by name, or by ``"stage/name"``. Values are read on access.

    If several stages have the same name, the model's own tensor takes precedence (input, output, layer), then a stage of the pipeline, then a
    variable, then the raw input.
    """

    def __init__(self, file: Container, channels_by_id: Mapping[int, Channel], number: int) -> None:
        self._file = file
        self._channels_by_id = channels_by_id
        self.number = number
        self.record: Mapping[str, Any] = {}  #: ``sample``, ``label``, ``latency_ns``, … as recorded
        self._places: dict[int, Place] = {}

    @property
    def sample(self) -> str | None:
        return self.record.get("sample")

    @property
    def label(self) -> int | None:
        return self.record.get("label")

    @property
    def annotation(self) -> Annotation | None:
        """Ground truth that is more than one class: ``Annotation(kind="class_set", value=[3, 17])``."""
        found = self.record.get("annotation")
        if not isinstance(found, dict) or not isinstance(found.get("kind"), str) or "value" not in found:
            return None
        return Annotation(found["kind"], found["value"])

    def channel(self, name: str) -> Channel:
        """The description of a tensor of this frame. KeyError if there is none of that name."""
        return self._channels_by_id[self._id(name)]

    @property
    def latency_ns(self) -> int | None:
        return self.record.get("latency_ns")

    @property
    def begins_sequence(self) -> bool:
        """True if the app marked this frame as the start of a sequence."""
        return self.record.get("begins_sequence") is True

    @property
    def answer(self) -> Answer | None:
        """The app's answer, or the first of several; None if there is none."""
        for channel in self._channels("answer"):
            return self._answer(channel)
        return None

    @property
    def answers(self) -> dict[str, Answer]:
        """All answers of the frame by name."""
        return {channel.name: self._answer(channel) for channel in self._channels("answer")}

    def _answer(self, channel: Channel) -> Answer:
        found: Answer = self[f"answer/{channel.name}"]
        return found

    @property
    def variables(self) -> dict[str, Any]:
        """The application's variables: scalars as numbers, vectors and tensors as arrays, texts as str, JSON as its value."""
        found = {}
        for channel in self._channels("variable"):
            value = self[f"variable/{channel.name}"]
            found[channel.name] = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
        return found

    @property
    def spans(self) -> list[Span]:
        """Named steps in the order of their start."""
        found = []
        for channel in self._channels("span"):
            value = self[f"span/{channel.name}"]
            if value.shape != (2,):
                raise TraceError(f"frame {self.number}: span/{channel.name} has the shape {value.shape}, expected (2,)")
            found.append(Span(channel.name, int(value[0]), int(value[1])))
        return sorted(found, key=lambda span: span.start_ns)

    def sketch(self, name: str) -> Sketch:
        """The sketch recorded instead of a tensor. ``name`` is the tensor's, or "stage/name". KeyError if there is none."""
        for channel in self._channels("sketch"):
            if name in (channel.name, channel.name.partition("/")[2]):
                break
        else:
            raise KeyError(f"frame {self.number} has no sketch of {name!r}")
        sample_name = f"sketch_sample/{channel.name}"
        sample = self[sample_name] if sample_name in self else None
        try:
            shape = tuple(int(d) for d in channel.metadata.get("of_shape", "").split(",") if d)
            seed = int(self.channel(sample_name).metadata.get("seed", "0")) if sample is not None else 0
            return sketch_of(self[f"sketch/{channel.name}"], shape, sample, seed)
        except (ValueError, OverflowError) as error:
            raise TraceError(f"frame {self.number}: the sketch of {name!r} is damaged: {error}") from None

    def _channels(self, stage: str) -> list[Channel]:
        return [c for c in (self._channels_by_id[i] for i in self._places) if c.stage == stage]

    def __getitem__(self, name: str) -> Any:
        """The stored values as a read-only array; bytes for an encoded picture file, str and JSON values for such variables,
        an Answer for an answer."""
        channel_id = self._id(name)
        channel = self._channels_by_id[channel_id]
        data = self._file.data(self._places[channel_id])
        if channel.encoding == "utf8":
            return data.decode("utf-8", "surrogateescape")
        if channel.encoding == "json":
            try:
                return json.loads(data)
            except (ValueError, RecursionError):
                return data.decode(errors="replace")  # as the application gave it; the probe does not parse
        if channel.stage == "answer":
            try:
                return answer_from(data)
            except ValueError as error:
                raise TraceError(f"frame {self.number}: answer/{channel.name}: {error}") from None
        if channel.encoded:
            return data
        try:
            return channel.array(data)
        except ValueError as error:
            raise TraceError(f"frame {self.number}: {error}") from None

    def real(self, name: str) -> np.ndarray:
        """The values as float32 real numbers; a quantised tensor is dequantised."""
        stored = self[name]
        if not isinstance(stored, np.ndarray):
            raise TypeError(f"{name!r} is an encoded picture file, a text or an answer, and has no real numbers")
        return self.channel(name).real(stored)

    def picture(self) -> np.ndarray:
        """The raw input as [height, width, 3] uint8 RGB. Encoded files are decoded by Pillow."""
        for channel_id in self._places:
            channel = self._channels_by_id[channel_id]
            if channel.stage != "raw_input":
                continue
            value = self[f"raw_input/{channel.name}"]
            if isinstance(value, bytes):
                return decode_picture(value)
            order = _RGB.get(channel.encoding or "pixels")
            if order is None or value.dtype != np.uint8 or value.ndim != 3 or value.shape[2] not in (1, 3, 4):
                kind = channel.encoding if order is None else f"{value.dtype} {value.shape}"
                raise TraceError(f"frame {self.number}: the raw input is {kind}, not pixels that are decoded here")
            if value.shape[2] == 1:
                return np.repeat(value, 3, axis=2)
            return value if value.shape[2] == 3 and order == (0, 1, 2) else np.ascontiguousarray(value[:, :, order])
        raise KeyError(f"frame {self.number} has no raw input")

    def _id(self, name: str) -> int:
        best: tuple[int, int] | None = None
        for channel_id in self._places:
            channel = self._channels_by_id[channel_id]
            if name == f"{channel.stage}/{channel.name}":
                return channel_id
            if name == channel.name and (best is None or _ORDER[channel.stage] < best[0]):
                best = (_ORDER[channel.stage], channel_id)
        if best is None:
            raise KeyError(f"frame {self.number} has no tensor {name!r}; it has {', '.join(self) or 'none'}")
        return best[1]

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and self._id(name) is not None
        except KeyError:
            return False

    def __iter__(self) -> Iterator[str]:
        """Names as "stage/name", in pipeline order."""
        channels = [self._channels_by_id[i] for i in self._places]
        return iter([f"{c.stage}/{c.name}" for c in sorted(channels, key=lambda c: STAGES.index(c.stage))])

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"<Frame {self.number}{f' of {self.sample!r}' if self.sample else ''}: {len(self)} tensors>"

    def _repr_html_(self) -> str:
        from ..notebook.traces import frame_html  # only for notebooks

        return frame_html(self)


class Frames(Sequence[Frame]):
    """Frames in ascending order of their numbers."""

    def __init__(self, frames: list[Frame]) -> None:
        self._frames = frames

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> Frames: ...
    def __getitem__(self, index: int | slice) -> Frame | Frames:
        return Frames(self._frames[index]) if isinstance(index, slice) else self._frames[index]

    def __len__(self) -> int:
        return len(self._frames)

    def _repr_html_(self) -> str:
        from ..notebook.traces import frames_html  # only for notebooks

        return frames_html(self)


def decode_picture(data: bytes) -> np.ndarray:
    """A picture file as [height, width, 3] uint8 RGB, by Pillow. The EXIF orientation is not applied."""
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("decoding recorded pictures needs Pillow: pip install pillow") from None
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB"))
