# SPDX-License-Identifier: Apache-2.0
"""The records of an MCAP file, damaged and unfinished ones included."""
from __future__ import annotations

import io
import os
import struct
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcap import records as mcap_records
from mcap.data_stream import ReadDataStream
from mcap.stream_reader import breakup_chunk

from ..errors import TraceError

_MAGIC = b"\x89MCAP0\r\n"
_HEAD = 9  # opcode and length of a record
_KINDS = {2: mcap_records.Footer, 4: mcap_records.Channel, 5: mcap_records.Message, 6: mcap_records.Chunk, 12: mcap_records.Metadata}
_LARGEST_CHUNK = 256 << 20  # when decoded, docs/reference/trace-format.md
_CHUNKS_KEPT = 4


@dataclass(frozen=True)
class Place:
    """The position of a record."""

    chunk: int | None    # start of the chunk in the file, or
    offset: int | None   # start of a message outside chunks
    index: int           # among the records of the chunk


class Container:
    """An open file. Only the most recently used chunks stay in memory."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[str] = []  #: one sentence for each problem despite which reading continued
        self.finished = False          #: true if the file has a footer
        self._chunks: OrderedDict[int, list[mcap_records.McapRecord]] = OrderedDict()
        self._file = open(path, "rb")

    def close(self) -> None:
        self._file.close()

    def walk(self, take: Callable[[mcap_records.McapRecord, Place], None]) -> None:
        """Yields each record in the order of the file, including those in chunks. TraceError if the file is not a trace; damaged parts are left out
        and listed as problems."""
        size = os.fstat(self._file.fileno()).st_size
        magic = self._file.read(len(_MAGIC))
        if magic != _MAGIC:
            raise TraceError(f"{self.path!r} is not a trace: its first 8 bytes are {magic!r}, not those of an MCAP file")
        at = len(_MAGIC)
        # Each length is checked first, so a file cannot make this code read or reserve more than the file contains.
        while not self.finished and at + _HEAD <= size:
            self._file.seek(at)
            opcode, length = struct.unpack("<BQ", self._file.read(_HEAD))
            if length > size - at - _HEAD:
                break
            if opcode in _KINDS:
                self._walk_record(_KINDS[opcode], self._file.read(length), at, take)
            at += _HEAD + length
        if not self.finished:
            self.problems.append(f"the recording was cut off or damaged after {at} bytes; the records before are read")

    def _walk_record(self, kind: Any, body: bytes, at: int, take: Callable[[mcap_records.McapRecord, Place], None]) -> None:
        try:
            record = _parsed(kind, body)
            inside = _unpacked(record) if kind is mcap_records.Chunk else None
        except Exception as error:  # checksums, codecs and lengths raise different exceptions
            said = " ".join(str(error).split()) or type(error).__name__
            self.problems.append(f"the {kind.__name__.lower()} at byte {at} is damaged and was left out: {said}")
            return
        if inside is None:
            self.finished |= kind is mcap_records.Footer
            take(record, Place(None, at, 0))
            return
        for index, one in enumerate(inside):
            take(one, Place(at, None, index))

    def data(self, place: Place) -> bytes:
        """The data of the message at this position."""
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
