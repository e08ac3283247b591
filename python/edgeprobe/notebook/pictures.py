# SPDX-License-Identifier: Apache-2.0
"""Small pictures within HTML."""
from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from .parts import Html, shown

#: Most pixels of the longer edge.
EDGE = 160


def picture(pixels: np.ndarray, name: str = "", edge: int = EDGE) -> Html:
    """[height, width, 3] RGB as an <img>; larger ones by every n-th pixel."""
    step = max(1, -(-max(pixels.shape[:2]) // edge))
    data = base64.b64encode(png(pixels[::step, ::step])).decode()
    return Html(f"<img alt='{shown(name)}' title='{shown(name)}' src='data:image/png;base64,{data}'>")


def png(pixels: np.ndarray) -> bytes:
    """[height, width, 3] uint8 as a PNG file: Pillow need not be installed."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows.tobytes())) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
