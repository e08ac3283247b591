# SPDX-License-Identifier: Apache-2.0
"""TensorBoard's log, written without TensorBoard: records of length, masked CRC-32C and a protobuf message ``Event``."""
from __future__ import annotations

import pathlib
import struct

SUFFIX = ".edgeprobe"


def _table() -> "list[int]":
    rows = []
    for row in range(256):
        for _ in range(8):
            row = row >> 1 ^ (0x82F63B78 if row & 1 else 0)
        rows.append(row)
    return rows


_TABLE = _table()


def _masked(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _event(time: float, content: bytes) -> bytes:
    event = b"\x09" + struct.pack("<d", time) + content
    head = struct.pack("<Q", len(event))
    return head + struct.pack("<I", _masked(head)) + event + struct.pack("<I", _masked(event))


class Events:
    """One log file of the whole run: one that continues writes its epochs so far again, and removes the file of before."""

    def __init__(self, folder: pathlib.Path, begin: float) -> None:
        self.path = folder / f"events.out.tfevents.{int(begin)}{SUFFIX}"
        for old in folder.glob("events.out.tfevents.*" + SUFFIX):
            old.unlink()
        self._append(_event(begin, _field(3, b"brain.Event:2")), "wb")

    def _append(self, data: bytes, mode: str = "ab") -> None:
        with open(self.path, mode) as file:
            file.write(data)

    def epoch(self, row: dict) -> None:
        """The numbers of one epoch, a row of the history."""
        values = b"".join(_field(1, _field(1, tag.encode()) + b"\x15" + struct.pack("<f", row[key]))
                          for tag, key in TAGS if row.get(key) is not None)
        self._append(_event(row["time"], b"\x10" + _varint(row["epoch"]) + _field(5, values)))


TAGS = (("train/loss", "loss"), ("train/accuracy", "accuracy"), ("validation/loss", "validation_loss"),
        ("validation/accuracy", "validation_accuracy"), ("learning_rate", "learning_rate"))
