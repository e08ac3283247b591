# SPDX-License-Identifier: Apache-2.0
"""Serves a dataset plug-in: one object of the user's class is the data of one run."""
from __future__ import annotations

import json
import mmap
import struct
from typing import Any

import numpy as np

from .arrays import little, open_memory, shape_text
from .found import chosen, sha256_of
from .messages import ARENA, OPEN, SAMPLE, SAMPLE_AGAIN, SAMPLES, Channel, Reader, Writer
from .process import TARGET, Refused
from .server import Server
from .tensor import DTYPES, Tensor

PIXELS, FILE, ARRAYS, TEXT = range(4)
ALIGNMENT = 64
#: This number of samples may fail before the data set counts as one that cannot be loaded.
TRIED = 20
MOST_CLASSES = 1_000_000_000


class DatasetServer(Server):
    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self.names: list[str] = []
        self.memory: mmap.mmap | None = None
        self.pending: tuple[list[Any], list[tuple[int, np.ndarray | bytes]], int] = ([], [], 0)
        self.steps = {OPEN: self.open, SAMPLES: self.samples, SAMPLE: self.sample, ARENA: self.attach, SAMPLE_AGAIN: self.again}

    def open(self, given: Reader, _descriptor: int, out: Writer) -> None:
        found, values, self.method = chosen("dataset", given.text())
        self.data = self.method("__init__", lambda: found.plugin(**values))
        out.text(sha256_of(found))

    def samples(self, _given: Reader, _descriptor: int, out: Writer) -> None:
        names = self.method("samples", lambda: list(self.data.samples()))
        wrong = next((n for n in names if not isinstance(n, str) or not n), None)
        if wrong is not None or not names:
            self.method.fail("samples", f"returned the name {wrong!r}, expected a text that is not empty" if names else "returned no sample")
        if len(set(names)) < len(names):
            twice = sorted(names)
            self.method.fail("samples", f"returned the name {next(a for a, b in zip(twice, twice[1:]) if a == b)!r} twice")
        self.names = names
        first = self._first()
        out.pack("Q", len(names))
        annotate = getattr(self.data, "annotation", None)
        sequence = getattr(self.data, "sequence", None)
        before: Any = None
        for at, name in enumerate(names):
            kind, value = self._annotation(name, self.method("annotation", annotate, name)) if annotate else ("", "")
            now = self.method("sequence", sequence, name) if sequence else None
            out.text(name)
            out.text(kind)
            out.text(value)
            out.pack("B", at == 0 or (sequence is not None and now != before))
            before = now
        arrays = first if isinstance(first, dict) else {}
        out.pack("Q", len(arrays))
        for name, array in arrays.items():
            out.tensor(Tensor(name, array.dtype.name, array.shape))

    def _first(self) -> Any:
        """The first sample that can be loaded, whose arrays describe the others. Refused if none of the first ones can."""
        tried = self.names[:TRIED]
        for name in tried:
            try:
                return self._loaded(name)
            except Refused:
                if name == tried[-1]:
                    raise
        return None

    def _annotation(self, name: str, value: Any) -> tuple[str, str]:
        """The kind and the JSON of one annotation, as docs/reference/trace-format.md describes them; "label" for one class."""
        classes = getattr(self.data, "classes", None)

        def number(label: Any) -> int:
            if isinstance(label, str) and classes is not None and label in classes:
                return list(classes).index(label)
            if isinstance(label, (int, np.integer)) and not isinstance(label, bool) and 0 <= label <= MOST_CLASSES:
                return int(label)
            known = f"; 'classes' has {', '.join(map(repr, list(classes)[:10]))}" if classes is not None else "; a class by its name needs an attribute 'classes'"
            return self.method.fail("annotation", f"returned {label!r} for {name!r}, expected the number of a class from 0 on{known}")

        if value is None:
            return "", ""
        if isinstance(value, (set, frozenset, list, tuple)):
            if not value:
                return "", ""
            return "class_set", json.dumps(sorted(number(one) for one in value))
        if isinstance(value, dict):
            if len(value) != 1 or not isinstance(next(iter(value)), str):
                self.method.fail("annotation", f"returned {len(value)} kinds for {name!r}; expected one, such as {{'boxes': …}}")
            kind, content = next(iter(value.items()))
            try:
                return kind, json.dumps(content)
            except (TypeError, ValueError) as error:
                self.method.fail("annotation", f"returned {kind!r} for {name!r}, which is not JSON ({error})")
        return "label", str(number(value))

    def _loaded(self, name: str) -> Any:
        """A sample as bytes, a text, texts, a picture's array, or a dict of arrays."""
        value = self.method("load", self.data.load, name)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(value)
        if isinstance(value, str):
            return (value,)
        if isinstance(value, tuple) and value and all(isinstance(one, str) for one in value):
            return value
        if hasattr(value, "convert") and hasattr(value, "mode"):  # a picture of Pillow
            value = np.asarray(value if value.mode == "L" else value.convert("RGB"))
        if isinstance(value, dict):
            if not value or not all(isinstance(key, str) and key for key in value):
                self.method.fail("load", f"returned a dict without names for {name!r}; expected an array for each input of the model, by its name")
            return {key: self._array(name, key, one) for key, one in value.items()}
        if not isinstance(value, np.ndarray):
            self.method.fail("load", f"returned {type(value).__name__} for {name!r}; expected a picture (uint8 array or Pillow image), the bytes of a file, "
                             "a text, or a dict of arrays by input")
        if value.ndim == 2:
            value = value[..., None]
        if value.dtype != np.uint8 or value.ndim != 3 or value.shape[2] not in (1, 3) or 0 in value.shape:
            self.method.fail("load", f"returned an array {value.dtype} {shape_text(value.shape)} for {name!r}; a picture is uint8 [height,width,3] or "
                             "[height,width,1], and arrays for the model come in a dict by the names of its inputs")
        return value

    def _array(self, sample: str, key: str, value: Any) -> np.ndarray:
        try:
            value = np.asarray(value)
        except Exception as error:
            self.method.fail("load", f"returned {key!r} of {sample!r} as {type(value).__name__}, which is not an array ({error})")
        if value.dtype.name not in DTYPES:
            self.method.fail("load", f"returned {key!r} of {sample!r} as {value.dtype}; expected one of {', '.join(DTYPES)}")
        return little(value)

    def sample(self, given: Reader, _descriptor: int, out: Writer) -> None:
        at = given.unpack("Q")
        if at >= len(self.names):
            raise Refused(TARGET, f"the plug-in has no sample {at}")
        value = self._loaded(self.names[at])
        if isinstance(value, tuple):
            head, contents = [struct.pack("<BQ", TEXT, len(value))], []
            texts = Writer()
            texts.texts(list(value))
            head += texts.parts[1:]
        elif isinstance(value, bytes):
            head, contents = [struct.pack("<B", FILE)], [value]
        elif isinstance(value, dict):
            specs = Writer()
            specs.pack("BQ", ARRAYS, len(value))
            for name, array in value.items():
                specs.tensor(Tensor(name, array.dtype.name, array.shape))
            head, contents = specs.parts, list(value.values())
        else:
            head, contents = [struct.pack("<B3I", PIXELS, *value.shape)], [value]
        places, end = [], 0
        for content in contents:
            places.append((end, content))
            size = len(content) if isinstance(content, bytes) else content.nbytes
            end += -(-size // ALIGNMENT) * ALIGNMENT
        self.pending = (head, places, end)
        self._deliver(out)

    def again(self, _given: Reader, _descriptor: int, out: Writer) -> None:
        self._deliver(out)

    def _deliver(self, out: Writer) -> None:
        """Writes the sample into the shared memory; if that is too small, only says how much it takes."""
        head, places, end = self.pending
        fits = end == 0 or (self.memory is not None and end <= len(self.memory))
        out.pack("BQ", fits, end)
        if not fits:
            return
        out.parts += head
        out.pack("Q", len(places))
        for offset, content in places:
            size = len(content) if isinstance(content, bytes) else content.nbytes
            out.pack("QQ", offset, size)
            if not size:
                continue
            assert self.memory is not None
            if isinstance(content, bytes):
                self.memory[offset:offset + size] = content
            else:
                view = np.frombuffer(self.memory, content.dtype, content.size, offset).reshape(content.shape)
                np.copyto(view, content)

    def attach(self, given: Reader, descriptor: int, _out: Writer) -> None:
        self.memory = open_memory(descriptor, given.unpack("Q"), writable=True)

