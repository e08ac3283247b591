# SPDX-License-Identifier: Apache-2.0
"""Explains why two dumps of one tensor differ: ``edgeprobe why`` with arrays instead of files (docs/guides/why.md)."""
from __future__ import annotations

import os
import struct
import tempfile
import zlib
from pathlib import Path as FilePath
from typing import Any, TypedDict

import numpy as np

from .verbs import Path, Result, _verb


class WhyOptions(TypedDict, total=False):
    image: Path


def why(app: Path | Any, reference: Path | Any, image: Path | Any | None = None) -> Result:
    """What makes the app's tensor differ from the reference's?

    ``app`` and ``reference`` are arrays, or names of ``.npy``, ``.npz`` and ``.pb`` files. ``image`` is the picture from which both were made: a
    file, or its decoded pixels, uint8 [height, width, 3] in R, G, B order (or [height, width]). The answer has ``headline``, ``causes``, ``facts``,
    ``would_decide`` (docs/reference/why.schema.json) and says ``agrees``, ``differs`` or ``undecided``.
    """
    with tempfile.TemporaryDirectory(prefix="edgeprobe_") as name:
        folder = FilePath(name)
        files = [_file(value, folder / f"{which}.npy") for which, value in (("app", app), ("reference", reference))]
        picture = image if image is None or isinstance(image, (str, os.PathLike)) else _png(image, folder / "image.png")
        return _verb("why", files, WhyOptions, {}, image=picture)


def _file(value: Any, file: FilePath) -> Path:
    if isinstance(value, (str, os.PathLike)):
        return value
    if hasattr(value, "detach"):  # a torch tensor that requires gradients refuses np.asarray
        value = value.detach().cpu()
    np.save(file, np.asarray(value), allow_pickle=False)
    return file


def _png(value: Any, file: FilePath) -> Path:
    pixels = np.asarray(value)
    if pixels.dtype != np.uint8 or not (pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] == 3)) or 0 in pixels.shape:
        raise ValueError(f"image: expected uint8 pixels [height, width, 3 channels] or [height, width], got {pixels.dtype.name} {list(pixels.shape)}")
    rows = np.ascontiguousarray(pixels).reshape(pixels.shape[0], -1)
    filtered = np.concatenate([np.zeros((rows.shape[0], 1), np.uint8), rows], axis=1).tobytes()
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 2 if pixels.ndim == 3 else 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(filtered, 1)), (b"IEND", b""))
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks))
    return file
