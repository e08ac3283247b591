"""Reading a trace (docs/trace-format.md) as NumPy arrays."""
from __future__ import annotations

import importlib
import io
import json
import os
import struct
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from mcap import records as mcap_records
from mcap.data_stream import ReadDataStream
from mcap.stream_reader import breakup_chunk

from .errors import TraceError
from .series import AllSeries, LevelStep, Mark, Series, kind_of
from .sketch import Sketch, sketch_of

if TYPE_CHECKING:
    import pandas

STAGES = ("raw_input", "intermediate", "model_input", "layer", "model_output", "kernel_time", "variable", "span", "sketch",
          "sketch_sample")
#: Where a name alone is looked up first.
_ORDER = {stage: rank for rank, stage in enumerate(("model_input", "model_output", "layer", "intermediate", "variable", "raw_input",
                                                    "span", "sketch", "sketch_sample", "kernel_time"))}
#: Channels of recorded pixels as red, green and blue.
_RGB = {"pixels": (0, 1, 2), "rgba8": (0, 1, 2), "bgr8": (2, 1, 0), "bgra8": (2, 1, 0)}
_MAGIC = b"\x89MCAP0\r\n"
_HEAD = 9  # opcode and length of a record
_KINDS = {2: mcap_records.Footer, 4: mcap_records.Channel, 5: mcap_records.Message, 6: mcap_records.Chunk, 12: mcap_records.Metadata}
_LARGEST_CHUNK = 256 << 20  # when decoded, docs/trace-format.md
_CHUNKS_KEPT = 4


@dataclass(frozen=True)
class Channel:
    """One tensor of every frame."""

    stage: str
    name: str
    dtype: str
    shape: tuple[int, ...]
    scale: np.ndarray | None = None       #: quantisation: real = scale * (stored - zero_point)
    zero_point: np.ndarray | None = None
    axis: int = 0                         #: that the scales run along
    metadata: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def encoding(self) -> str:
        """"encoded", "bgr8", "audio", "utf8", … (docs/trace-format.md); empty for plain tensors."""
        return self.metadata.get("encoding", "")

    @property
    def encoded(self) -> bool:
        """Whether messages are whole files or texts instead of arrays."""
        return self.encoding in ("encoded", "utf8", "json") or self.shape == (-1,)

    @property
    def embedding(self) -> bool:
        """Whether the application logged this layer as the model's embedding."""
        return self.metadata.get("embedding") == "true"

    @property
    def sample_rate(self) -> int | None:
        """Of sound: samples per second."""
        rate = self.metadata.get("sample_rate", "")
        return int(rate) if rate.isdecimal() else None

    def real(self, stored: np.ndarray) -> np.ndarray:
        """Stored values as float32 real numbers."""
        if self.dtype == "bfloat16" and stored.dtype == np.uint16:  # without ml_dtypes
            stored = (stored.astype(np.uint32) << 16).view(np.float32)
        elif self.dtype == "int4":  # two a byte, low nibble first
            nibbles = np.stack([stored.ravel() & 15, stored.ravel() >> 4], axis=1).ravel().astype(np.int8)
            count = int(np.prod(self.shape, dtype=np.int64))
            stored = np.where(nibbles > 7, nibbles - 16, nibbles)[:count].reshape(self.shape)
        if self.scale is None:
            return stored.astype(np.float32)
        zero = self.zero_point if self.zero_point is not None else np.zeros(1, np.int64)
        if self.scale.size > 1:
            along = [1] * stored.ndim
            along[self.axis] = -1
            scale, zero = self.scale.reshape(along), (zero.reshape(along) if zero.size > 1 else zero)
        else:
            scale = self.scale
        return (scale * (stored.astype(np.float64) - zero)).astype(np.float32)


@dataclass(frozen=True)
class _Place:
    chunk: int | None    # start of the chunk in the file, or
    offset: int | None   # start of a message outside chunks
    index: int           # among the records of the chunk


@dataclass(frozen=True)
class Span:
    """How long a named step of a frame took."""

    name: str
    start_ns: int     #: since 1970-01-01 UTC
    duration_ns: int


class Frame(Mapping[str, Any]):
    """The tensors of one frame by name, or by ``"stage/name"``. Values are read when they are asked for.

    A name that several stages have means the model's own tensor first (input, output, layer), then a stage of the
    pipeline, then a variable, then the raw input.
    """

    def __init__(self, trace: Trace, number: int) -> None:
        self._trace = trace
        self.number = number
        self.record: Mapping[str, Any] = {}  #: ``sample``, ``label``, ``latency_ns``, … as recorded
        self._places: dict[int, _Place] = {}

    @property
    def sample(self) -> str | None:
        return self.record.get("sample")

    @property
    def label(self) -> int | None:
        return self.record.get("label")

    def channel(self, name: str) -> Channel:
        """What is known of a tensor of this frame. KeyError when there is none of that name."""
        return self._trace.channels_by_id[self._id(name)]

    @property
    def latency_ns(self) -> int | None:
        return self.record.get("latency_ns")

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
        """Named steps in the order in which they began."""
        found = []
        for channel in self._channels("span"):
            value = self[f"span/{channel.name}"]
            if value.shape != (2,):
                raise TraceError(f"frame {self.number}: span/{channel.name} has the shape {value.shape}, expected (2,)")
            found.append(Span(channel.name, int(value[0]), int(value[1])))
        return sorted(found, key=lambda span: span.start_ns)

    def sketch(self, name: str) -> Sketch:
        """What was recorded in the place of a tensor. ``name`` is the tensor's, or "stage/name". KeyError when there is none."""
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
        return [c for c in (self._trace.channels_by_id[i] for i in self._places) if c.stage == stage]

    def __getitem__(self, name: str) -> Any:
        """The stored values as a read-only array; bytes for an encoded picture file, str and JSON values for such variables."""
        channel_id = self._id(name)
        channel = self._trace.channels_by_id[channel_id]
        data = self._trace._data(self._places[channel_id])
        if channel.encoding == "utf8":
            return data.decode("utf-8", "surrogateescape")
        if channel.encoding == "json":
            try:
                return json.loads(data)
            except (ValueError, RecursionError):
                return data.decode(errors="replace")  # as the application gave it; the probe does not parse
        if channel.encoded:
            return data
        if channel.dtype == "int4":
            return np.frombuffer(data, np.uint8)
        values = np.frombuffer(data, _dtype(channel.dtype))
        if values.size != int(np.prod(channel.shape, dtype=np.int64)):
            raise TraceError(f"frame {self.number}: {channel.stage}/{channel.name} has {values.size} values, "
                             f"which do not fit its shape {channel.shape}")
        return values.reshape(channel.shape)

    def real(self, name: str) -> np.ndarray:
        """The values as float32 real numbers: dequantised when the tensor is quantised."""
        stored = self[name]
        if not isinstance(stored, np.ndarray):
            raise TypeError(f"{name!r} is an encoded picture file or a text, and has no real numbers")
        return self.channel(name).real(stored)

    def picture(self) -> np.ndarray:
        """The raw input as [height, width, 3] uint8 RGB. Encoded files are decoded by Pillow."""
        for channel_id in self._places:
            channel = self._trace.channels_by_id[channel_id]
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
            channel = self._trace.channels_by_id[channel_id]
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
        channels = [self._trace.channels_by_id[i] for i in self._places]
        return iter([f"{c.stage}/{c.name}" for c in sorted(channels, key=lambda c: STAGES.index(c.stage))])

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"<Frame {self.number}{f' of {self.sample!r}' if self.sample else ''}: {len(self)} tensors>"


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


class Trace:
    """An open trace. Opening walks the file once; values are read when they are asked for, chunk by chunk."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.channels_by_id: dict[int, Channel] = {}
        self.metadata: dict[str, dict[str, str]] = {}
        self.problems: list[str] = []  #: what was met and survived, one sentence each
        self.finished = False          #: False: the recording was cut off
        self._chunks: OrderedDict[int, list[mcap_records.McapRecord]] = OrderedDict()
        self._frame_channels: set[int] = set()
        self._series_channels: dict[int, tuple[str, str]] = {}
        self._series = AllSeries()
        self._by_number: dict[int, Frame] = {}
        self._file = open(self.path, "rb")
        try:
            self._walk()
        except BaseException:
            self._file.close()
            raise
        self.frames = Frames([self._by_number[n] for n in sorted(self._by_number)])

    @property
    def channels(self) -> list[Channel]:
        return list(self.channels_by_id.values())

    @property
    def series_names(self) -> list[str]:
        """What ``series()`` knows: "sensor/lux", …"""
        return [f"sensor/{name}" for name in self._series.sensors]

    def series(self, name: str) -> Series:
        """The values of a sensor over time: ``trace.series("sensor/accelerometer")``. KeyError lists what there is."""
        found = self._series.sensors.get(name.removeprefix("sensor/"))
        if found is None:
            raise KeyError(f"no series {name!r}; it has {', '.join(self.series_names) or 'none'}")
        return found

    @property
    def marks(self) -> list[Mark]:
        """Moments that the application named, in the order of the file."""
        return self._series.marks

    @property
    def levels(self) -> list[LevelStep]:
        """Steps of the level of recording that a budget made."""
        return self._series.levels

    def stack(self, name: str, real: bool = False) -> np.ndarray:
        """One tensor of all frames that have it, as an array with frames first. ValueError when its shape changes."""
        found = [frame for frame in self.frames if name in frame]
        if not found:
            raise KeyError(f"no frame has a tensor {name!r}")
        return np.stack([frame.real(name) if real else frame[name] for frame in found])

    def to_pandas(self) -> pandas.DataFrame:
        """One row a frame, indexed by its number: ``sample``, ``label``, ``latency_ns``, scalar and text variables by their names,
        and ``span/NAME`` in nanoseconds. Values that a frame lacks are missing."""
        from .tables import frames_table

        return frames_table(self)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Trace {self.path!r}: {len(self.frames)} frames, {len(self.channels_by_id)} tensors>"

    def _walk(self) -> None:
        size = os.fstat(self._file.fileno()).st_size
        magic = self._file.read(len(_MAGIC))
        if magic != _MAGIC:
            raise TraceError(f"{self.path!r} is no trace: its first 8 bytes are {magic!r}, not those of an MCAP file")
        at = len(_MAGIC)
        # Record by record with a length that was checked: a file cannot make this read, or reserve, more than it holds.
        while not self.finished and at + _HEAD <= size:
            self._file.seek(at)
            opcode, length = struct.unpack("<BQ", self._file.read(_HEAD))
            if length > size - at - _HEAD:
                break
            if opcode in _KINDS:
                self._walk_record(_KINDS[opcode], self._file.read(length), at)
            at += _HEAD + length
        if not self.finished:
            self.problems.append(f"the recording was cut off or damaged behind {at} bytes; what is before counts")

    def _walk_record(self, kind: Any, body: bytes, at: int) -> None:
        try:
            record = _parsed(kind, body)
            inside = _unpacked(record) if kind is mcap_records.Chunk else None
        except Exception as error:  # checksums, codecs and lengths all fail in their own way
            said = " ".join(str(error).split()) or type(error).__name__
            self.problems.append(f"the {kind.__name__.lower()} at byte {at} is damaged and was left out: {said}")
            return
        if inside is None:
            self._add(record, None, at, 0)
            return
        for index, one in enumerate(inside):
            self._add(one, at, None, index)

    def _add(self, record: mcap_records.McapRecord, chunk: int | None, offset: int | None, index: int) -> None:
        if isinstance(record, mcap_records.Message):
            self._add_message(record, _Place(chunk, offset, index))
        elif isinstance(record, mcap_records.Channel):
            self._add_channel(record)
        elif isinstance(record, mcap_records.Metadata):
            group = {k: v for k, v in record.metadata.items() if k != "crc32"}
            self.metadata.setdefault(record.name, {}).update(group)
            if record.name == "edgeprobe.trace" and group.get("version", "1") != "1":
                raise TraceError(f"{self.path!r} is a trace of version {group['version']}; this package reads version 1")
        elif isinstance(record, mcap_records.Footer):
            self.finished = True

    def _add_channel(self, record: mcap_records.Channel) -> None:
        if record.id in self.channels_by_id or record.id in self._frame_channels:
            return
        if record.topic == "/frame" and record.message_encoding == "json":
            self._frame_channels.add(record.id)
            return
        series = kind_of(record.topic, record.message_encoding)
        if series is not None:
            self._series_channels.setdefault(record.id, (series[0], _unescape(series[1])))
            return
        stage, _, name = record.topic.removeprefix("/").partition("/")
        if record.message_encoding != "x-tensor" or stage not in STAGES:
            return
        m = record.metadata
        try:
            shape = tuple(int(d) for d in m["shape"].split(",")) if m["shape"] else ()
            _dtype(m["dtype"])
            scale = _numbers(m.get("scale"), np.float32)
            self.channels_by_id[record.id] = Channel(stage, _unescape(name), m["dtype"], shape, scale,
                                                     _numbers(m.get("zero_point"), np.int64), int(m.get("axis", 0)), dict(m))
        except (KeyError, ValueError, TypeError) as error:
            self.problems.append(f"tensor {record.topic!r} is not described as it must be ({error}) and was left out")

    def _add_message(self, message: mcap_records.Message, place: _Place) -> None:
        if message.channel_id in self._frame_channels:
            frame = self._frame(message.sequence)
            try:
                record = json.loads(message.data)
                frame.record = {**record, "sample": _unescape(record["sample"])} if "sample" in record else {**record}
            except (ValueError, TypeError, RecursionError):
                self.problems.append(f"the record of frame {message.sequence} is no JSON object")
        elif message.channel_id in self._series_channels:
            kind, name = self._series_channels[message.channel_id]
            try:
                self._series.add(kind, name, message.log_time, message.data)
            except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
                self.problems.append(f"a message of /{kind}{'/' + name if name else ''} is not as it must be ({error}) and was left out")
        elif message.channel_id in self.channels_by_id:
            self._frame(message.sequence)._places.setdefault(message.channel_id, place)

    def _frame(self, number: int) -> Frame:
        return self._by_number.setdefault(number, Frame(self, number))

    def _data(self, place: _Place) -> bytes:
        if place.chunk is None:
            return bytes(self._read_record(place.offset or 0, mcap_records.Message).data)
        inside = self._chunks.get(place.chunk)
        if inside is None:
            inside = _unpacked(self._read_record(place.chunk, mcap_records.Chunk), validate_crc=False)
            self._chunks[place.chunk] = inside
            while len(self._chunks) > _CHUNKS_KEPT:
                self._chunks.popitem(last=False)
        self._chunks.move_to_end(place.chunk)
        record = inside[place.index]
        assert isinstance(record, mcap_records.Message)
        return record.data

    def _read_record(self, start: int, kind: Any) -> Any:
        self._file.seek(start)
        _, length = struct.unpack("<BQ", self._file.read(_HEAD))
        return _parsed(kind, self._file.read(length))


def _parsed(kind: Any, body: bytes) -> Any:
    stream = ReadDataStream(io.BytesIO(body))
    return kind.read(stream, len(body)) if kind is mcap_records.Message else kind.read(stream)


def _unpacked(chunk: mcap_records.Chunk, validate_crc: bool = True) -> list[mcap_records.McapRecord]:
    if chunk.uncompressed_size > _LARGEST_CHUNK:
        raise ValueError(f"it claims {chunk.uncompressed_size} bytes, the limit is {_LARGEST_CHUNK}")
    return breakup_chunk(chunk, validate_crc=validate_crc)


def load(path: str | os.PathLike[str]) -> Trace:
    """Opens a trace: ``load("t.mcap").frames[0]["image"]`` is an array. TraceError when the file is none."""
    return Trace(path)


def decode_picture(data: bytes) -> np.ndarray:
    """A picture file as [height, width, 3] uint8 RGB, by Pillow. Pixels are not turned by an EXIF orientation."""
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("decoding recorded pictures needs Pillow: pip install pillow") from None
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB"))


def _dtype(name: str) -> np.dtype[Any]:
    if name == "bfloat16":
        try:
            bfloat16: np.dtype[Any] = np.dtype(importlib.import_module("ml_dtypes").bfloat16)
        except ImportError:
            return np.dtype(np.uint16)
        return bfloat16
    if name == "int4":
        return np.dtype(np.uint8)
    dtype: np.dtype[Any] = np.dtype(name)
    little: np.dtype[Any] = dtype.newbyteorder("<")
    return little


def _numbers(text: str | None, kind: type) -> np.ndarray | None:
    return np.array([kind(part) for part in text.split(",")], kind) if text else None


def _unescape(text: str) -> str:
    """Escape rule E of docs/trace-format.md; bytes that are no UTF-8 come back as surrogate escapes."""
    if "%" not in text:
        return text
    raw, out, at = text.encode("utf-8"), bytearray(), 0
    while at < len(raw):
        pair = raw[at + 1:at + 3]
        if raw[at:at + 1] == b"%" and len(pair) == 2 and all(c in b"0123456789ABCDEFabcdef" for c in pair):
            out.append(int(pair, 16))
            at += 3
        else:
            out.append(raw[at])
            at += 1
    return out.decode("utf-8", "surrogateescape")


def escape(text: str) -> str:
    """The inverse: any name as plain UTF-8 without control characters."""
    out = []
    for character in text:
        code = ord(character)
        if 0xDC80 <= code <= 0xDCFF:
            out.append(f"%{code - 0xDC00:02X}")
        elif code < 0x20 or code == 0x7F or character == "%":
            out.append(f"%{code:02X}")
        else:
            out.append(character)
    return "".join(out)
