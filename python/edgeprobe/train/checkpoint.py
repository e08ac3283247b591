# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: a file is whole or not there, holds its own hash, and the one before it stays."""
from __future__ import annotations

import hashlib
import io
import json
import os
import pathlib
import re

import numpy as np

MAGIC = b"edgeprobe training checkpoint 1\n"
KEPT = 2


class Damaged(Exception):
    """A checkpoint whose bytes are not what was written."""


class Checkpoints:
    """The checkpoints of one folder, each named by its number of steps."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder

    def files(self) -> "list[pathlib.Path]":
        """Newest first."""
        found = [path for path in self.folder.glob("step-*.checkpoint") if re.fullmatch(r"step-\d+\.checkpoint", path.name)]
        return sorted(found, key=lambda path: int(path.stem[5:]), reverse=True)

    def write(self, step: int, state: dict, arrays: "dict[str, np.ndarray]") -> None:
        """OSError, after which those before are still there."""
        path = self.folder / f"step-{step:09d}.checkpoint"
        write_whole(path, packed(state, arrays))
        for old in self.files()[KEPT:]:
            old.unlink()

    def newest(self) -> "tuple[dict, dict[str, np.ndarray], list[str]] | None":
        """State and arrays of the newest sound checkpoint, and sentences on damaged ones; None without one that is sound."""
        notes = []
        for path in self.files():
            try:
                state, arrays = unpacked(path.read_bytes())
                return state, arrays, notes
            except (Damaged, OSError) as error:
                notes.append(f"checkpoint '{path.name}' is damaged ({error}) and is not used")
        return ({}, {}, notes) if notes else None

    def remove(self) -> None:
        for path in self.files():
            path.unlink()


def packed(state: dict, arrays: "dict[str, np.ndarray]") -> bytes:
    content = io.BytesIO()
    np.savez(content, **{f"array/{name}": value for name, value in arrays.items()}, state=np.frombuffer(json.dumps(state).encode(), np.uint8))
    body = content.getvalue()
    return MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def unpacked(data: bytes) -> "tuple[dict, dict[str, np.ndarray]]":
    if not data.startswith(MAGIC):
        raise Damaged("it does not begin like one")
    at = len(MAGIC) + 65
    if hashlib.sha256(data[at:]).hexdigest().encode() + b"\n" != data[len(MAGIC):at]:
        raise Damaged("its hash differs")
    with np.load(io.BytesIO(data[at:]), allow_pickle=False) as content:
        arrays = {name[6:]: content[name] for name in content.files if name.startswith("array/")}
        return json.loads(content["state"].tobytes()), arrays


def write_whole(path: pathlib.Path, data: bytes) -> None:
    """Writes the file or nothing, also if the power fails: a temporary file, flushed to the disk, then a rename."""
    part = path.with_name(path.name + ".part")
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
