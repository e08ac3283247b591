# SPDX-License-Identifier: Apache-2.0
"""Serves a compiler plug-in: one object of the user's class makes the file of one model."""
from __future__ import annotations

import inspect
import json
import os
import pathlib
import time
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from ..convert.calibration import Frames
from .arrays import numpy_dtype
from .found import chosen, identity, sha256_of
from .messages import OPEN, SAMPLE, Channel, Reader, Writer
from .options import options_of
from .process import USAGE, Refused
from .server import Server

#: A file system's clock may be behind that of the program by this number of nanoseconds.
CLOCK_STEP = 20_000_000


class Calibration:
    """The samples that calibrate: a dict of arrays by the model's inputs for each. It can be iterated any number of times."""

    def __init__(self, asked: "dict[str, Any]") -> None:
        for one in asked["inputs"]:
            numpy_dtype(one["dtype"])  # Refused without the package that holds bfloat16
        self.names, self.frames = [one["name"] for one in asked["inputs"]], Frames(asked["inputs"], asked["calibration"])

    def __len__(self) -> int:
        return len(self.frames.values)

    def __iter__(self) -> "Iterator[dict[str, np.ndarray]]":
        for arrays in self.frames:
            yield dict(zip(self.names, arrays))


class CompilerServer(Server):
    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self.steps = {OPEN: self.open, SAMPLE: self.compile}

    def open(self, given: Reader, _descriptor: int, out: Writer) -> None:
        found, values, self.method = chosen("compiler", given.text())
        plugin = found.plugin
        formats, result = self._extensions(plugin)
        parameters = inspect.signature(plugin.compile).parameters
        self.calibrates = "calibration" in parameters
        try:
            inspect.signature(plugin.compile).bind(None, None, None, **{"calibration": None} if self.calibrates else {})
        except TypeError:
            raise Refused(USAGE, f"{plugin.__name__}.compile has the parameters {', '.join(parameters)}; expected compile(self, model, out), and "
                          "'calibration' if it takes samples") from None
        code = getattr(inspect.unwrap(plugin.compile), "__code__", None)
        self.place = f" ({os.path.basename(code.co_filename)} line {code.co_firstlineno})" if code else ""
        name, version = identity(found, self.method)
        self.compiler = self.method("__init__", lambda: plugin(**values))
        options = {one.name: text_of(values.get(one.name, one.default)) for one in options_of(plugin)}
        out.text(json.dumps({"name": name, "version": version, "method": f"{plugin.__name__}.compile", "place": self.place, "sha256": sha256_of(found),
                             "formats": formats, "result": result, "calibrates": self.calibrates, "options": options}))

    @staticmethod
    def _extensions(plugin: type) -> "tuple[list[str], str]":
        """The attributes ``formats`` and ``result``; without them any file is taken, and the result has the model's own extension."""
        formats, result = getattr(plugin, "formats", ()), getattr(plugin, "result", "")
        for name, value in (("formats", formats), ("result", (result,) if result else ())):
            if not isinstance(value, (tuple, list)) or not all(isinstance(one, str) and one.startswith(".") and "/" not in one for one in value):
                shown = getattr(plugin, name)
                raise Refused(USAGE, f"{plugin.__name__}.{name} is {shown!r}; expected " + ("extensions such as ('.onnx', '.tflite')" if name == "formats" else
                              "an extension such as '.tflite'"))
        return list(formats), result

    def compile(self, given: Reader, _descriptor: int, out: Writer) -> None:
        asked = json.loads(given.text())
        model, result = pathlib.Path(asked["model"]), pathlib.Path(asked["out"])
        before, begin = state_of(model), time.time_ns() - CLOCK_STEP
        calibration = {"calibration": Calibration(asked)} if self.calibrates else {}
        notes = self.method("compile", lambda: self.compiler.compile(model, result, **calibration))
        if state_of(model) != before:
            self._fail(f"changed the model that it reads, '{model.name}'; it has to write only the file that 'out' names")
        self._check(result, model, begin)
        out.texts(self._notes(notes))

    def _check(self, result: pathlib.Path, model: pathlib.Path, begin: int) -> None:
        """Fails unless the result is a file that is not empty, and all files next to it belong to it by their names."""
        if not result.exists():
            self._fail(f"wrote no '{result.name}'" + written_instead(result, [model.parent, pathlib.Path.cwd()], begin)
                       + "; it has to write the file that 'out' names")
        for path in sorted(result.parent.iterdir()):
            if path.is_symlink() or not path.is_file():
                self._fail(f"left {'a link' if path.is_symlink() else 'a folder'} '{path.name}'; expected the file '{result.name}'")
            if not path.name.startswith(result.stem):
                self._fail(f"left '{path.name}' next to '{result.name}'; the name of a file that belongs to the result has to begin with '{result.stem}'")
        if not result.stat().st_size:
            self._fail(f"wrote an empty '{result.name}'")

    def _notes(self, notes: Any) -> "list[str]":
        notes = [] if notes is None else [notes] if isinstance(notes, str) else notes
        if not isinstance(notes, (list, tuple)) or not all(isinstance(one, str) for one in notes):
            self._fail(f"returned {type(notes).__name__}; expected nothing, a sentence, or a list of sentences")
        return list(notes)

    def _fail(self, what: str) -> NoReturn:
        self.method.fail("compile", what + self.place)


def text_of(value: Any) -> str:
    """The value of an option as a user gives it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def state_of(file: pathlib.Path) -> "tuple[int, int, int] | None":
    """Changes if the file is written."""
    try:
        state = file.stat()
    except OSError:
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns


def written_instead(result: pathlib.Path, others: "list[pathlib.Path]", begin: int) -> str:
    """A file that was written since ``begin``, as a part of a sentence; "" if there is none. In folders that other programs may use, one with a name or an
    extension like that of the result."""
    for folder in (result.parent, *others):
        for path in sorted(folder.iterdir()):
            is_like_it = folder == result.parent or path.suffix == result.suffix or path.name.startswith(result.stem)
            try:
                if is_like_it and path.is_file() and path.stat().st_mtime_ns >= begin:
                    return f", but '{path.name}'" + ("" if folder == result.parent else f" in '{folder}'")
            except OSError:
                continue
    return ""
