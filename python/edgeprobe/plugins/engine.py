# SPDX-License-Identifier: Apache-2.0
"""Serves an engine plug-in: one object of the user's class is one loaded model."""
from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import gc
import json
import mmap
import os
import pathlib
import sys
import tempfile
import time
from typing import Any

import numpy as np

from .arrays import dtype_name, little, numpy_dtype, open_memory, shape_text
from .found import Found, chosen, identity, sha256_of
from .messages import ARENA, INFER, LOAD, MEMORY, OPEN, REPEAT, Channel, Reader, Writer
from .options import fields_of
from .process import TARGET, USAGE, Method, Refused
from .server import Server
from .tensor import Tensor
from .threads import Threads

ALIGNMENT = 64
#: Beyond it a wrong shape is more likely than a real tensor (src/engine/inputs.h).
LONGEST_TENSOR = 1 << 31


class Slot:
    """The place of a tensor in the shared memory; length 0 if its size is open."""

    def __init__(self, tensor: Tensor, offset: int) -> None:
        self.tensor, self.offset, self.dtype = tensor, offset, numpy_dtype(tensor.dtype)
        size = self.dtype.itemsize
        for dimension in tensor.shape:
            size *= dimension
        self.is_fixed = -1 not in tensor.shape and size <= LONGEST_TENSOR
        self.length = size if self.is_fixed else 0
        self.owner = ctypes.c_char * self.length

    def end(self) -> int:
        return self.offset + -(-self.length // ALIGNMENT) * ALIGNMENT

    def lend(self, memory: mmap.mmap) -> "tuple[Any, np.ndarray]":
        """The tensor's values in the shared memory. Each array made of them holds a reference to the first object."""
        if not self.length:
            return None, np.empty(self.tensor.shape, self.dtype)
        owner = self.owner.from_buffer(memory, self.offset)
        return owner, np.frombuffer(owner, self.dtype).reshape(self.tensor.shape)


class Session:
    """A loaded model: the user's object and the shared memory of its tensors."""

    def __init__(self, model: Any, method: Method, capture: "list[int]") -> None:
        self.model, self.method = model, method
        self.inputs = [self._sized(one) for one in self._tensors("inputs")]
        self.layers = self._tensors("layers") if hasattr(model, "layers") else []
        for number in capture:
            if not 0 <= number < len(self.layers):
                raise Refused(TARGET, f"{method.name} has no layer {number}")
        self.outputs = self._tensors("outputs") + [self.layers[number] for number in capture]
        self.slots_in, at = self._slots(self.inputs, 0)
        self.slots_out, self.size = self._slots(self.outputs, at)
        self.memory: mmap.mmap | None = None
        self.capture = capture

    def _sized(self, tensor: Tensor) -> Tensor:
        """An input with the size of --input-shape, or of one sample, for its open dimensions."""
        asked = self.model.input_shapes.get(tensor.name, self.model.input_shapes.get(""))
        if -1 not in tensor.shape:
            return tensor
        shape = asked if asked is not None and tensor.takes(asked) else (1, *tensor.shape[1:]) if tensor.shape[0] == -1 else tensor.shape
        if -1 in shape:
            raise Refused(USAGE, f"{self.method.name} leaves input {tensor.name!r} with the open shape {shape_text(tensor.shape)}; give a size: --input-shape "
                          f"{tensor.name}=" + "x".join("N" if d == -1 else str(d) for d in shape))
        return dataclasses.replace(tensor, shape=tuple(shape))

    def _tensors(self, role: str) -> list[Tensor]:
        found = getattr(self.model, role, None)
        if not isinstance(found, (list, tuple)) or not all(isinstance(one, Tensor) for one in found) or (not found and role != "layers"):
            self.method.fail("load", f"leaves {role} as {type(found).__name__}; expected a list of edgeprobe.plugins.Tensor")
        return list(found)

    @staticmethod
    def _slots(tensors: list[Tensor], at: int) -> tuple[list[Slot], int]:
        slots = []
        for tensor in tensors:
            slots.append(Slot(tensor, at))
            at = slots[-1].end()
        return slots, at

    def run(self) -> "tuple[Any, int, list[Any]]":
        """The answer of one inference, its nanoseconds, and the owners of the inputs' memory."""
        if self.memory is None or not all(slot.is_fixed for slot in self.slots_in):
            raise Refused(TARGET, "the plug-in's process was asked to run before it had its memory")
        lent = [slot.lend(self.memory) for slot in self.slots_in]
        arguments = [array for _, array in lent]
        for array in arguments:
            array.flags.writeable = False
        owners = [owner for owner, _ in lent]
        del lent, array
        begin = time.perf_counter_ns()
        answer = self.method("run", self.model.run, arguments)
        return answer, time.perf_counter_ns() - begin, owners

    def check_returned(self, owners: "list[Any]") -> None:
        """Refused if an input is still in use: the next sample would change its values unseen."""
        for collected in (False, True):
            # Two references: of this list and of the call.
            kept = [slot.tensor.name for at, slot in enumerate(self.slots_in) if owners[at] is not None and sys.getrefcount(owners[at]) > 2]
            if not kept:
                return
            if not collected:
                gc.collect()  # a cycle, such as that of an exception, is not in use
        self.method.fail("run", f"keeps input {kept[0]!r} after the call, and the next sample overwrites it; keep a copy: numpy.array(x)")

    def arrays(self, answer: Any) -> list[np.ndarray]:
        """The arrays of an answer in the order of the outputs; Refused if they are not those that load() announced."""
        plain = len(self.outputs) - len(self.capture)
        if isinstance(answer, dict):
            names = [one.name for one in self.outputs[:plain]]
            if set(answer) != set(names):
                self.method.fail("run", f"returned the outputs {', '.join(map(repr, answer)) or 'none'}; load() announced {', '.join(map(repr, names))}")
            answer = [answer[name] for name in names]
        elif isinstance(answer, np.ndarray) and plain == 1:
            answer = [answer]
        if not isinstance(answer, (list, tuple)):
            self.method.fail("run", f"returned {type(answer).__name__}; expected a list of arrays, one for each of {plain} outputs")
        if len(answer) != plain:
            self.method.fail("run", f"returned {len(answer)} outputs; load() announced {plain}")
        answer = list(answer)
        if self.capture:
            captured = self.method("layer_values", self.model.layer_values, self.capture)
            if not isinstance(captured, (list, tuple)) or len(captured) != len(self.capture):
                self.method.fail("layer_values", f"did not return a list of {len(self.capture)} arrays")
            answer += captured
        return [self._array(value, slot, at >= plain) for at, (value, slot) in enumerate(zip(answer, self.slots_out))]

    def _array(self, value: Any, slot: Slot, is_layer: bool) -> np.ndarray:
        method, kind, tensor = ("layer_values", "layer", slot.tensor) if is_layer else ("run", "output", slot.tensor)
        try:
            value = np.asarray(value)
        except Exception as error:
            self.method.fail(method, f"returned {kind} {tensor.name!r} as {type(value).__name__}, which is not an array ({error})")
        value = little(value)
        if value.dtype != slot.dtype:
            self.method.fail(method, f"returned {kind} {tensor.name!r} as {dtype_name(value.dtype)}; load() announced {tensor.dtype}")
        if not tensor.takes(value.shape):
            self.method.fail(method, f"returned {kind} {tensor.name!r} of shape {shape_text(value.shape)}; load() announced {shape_text(tensor.shape)}")
        return value


class EngineServer(Server):
    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self.found: Found | None = None
        self.method: Method | None = None
        self.values: dict[str, Any] = {}
        self.session: Session | None = None
        self.peaks: list[int | None] = [None, None]
        self.temporary = contextlib.ExitStack()
        self.steps = {OPEN: self.open, LOAD: self.load, ARENA: self.attach, INFER: self.infer, REPEAT: self.repeat, MEMORY: self.memory}

    def serve(self) -> None:
        with self.temporary:
            super().serve()

    def open(self, given: Reader, _descriptor: int, out: Writer) -> None:
        self.found, self.values, self.method = chosen("engine", given.text())
        plugin = self.found.plugin
        for text in (*identity(self.found, self.method), self.found.file, sha256_of(self.found)):
            out.text(text)
        known = fields_of(plugin)
        out.texts([text for key, text in (("threads", "threads"), ("precision", "precision")) if key in known]
                  + (["layers"] if callable(getattr(plugin, "layer_values", None)) else []))

    def load(self, given: Reader, descriptor: int, out: Writer) -> None:
        assert self.found and self.method
        label, size, asked = given.text(), given.unpack("Q"), json.loads(given.text())
        self.session = None
        self.temporary.close()
        self.peaks[0] = peak_memory()
        with contextlib.closing(open_memory(descriptor, size)) as memory:
            file = self._file(label, memory, size, asked["folder"])
        model = self.method("__init__", lambda: self.found.plugin(**self.values, **self._settings(asked)))
        model.input_shapes = {name: tuple(shape) for name, shape in asked["input_shapes"]}
        model.capturing = bool(asked.get("capture"))
        self.method("load", model.load, file)
        self.session = Session(model, self.method, asked.get("capture", []))
        self._check_shapes(asked["input_shapes"])
        self.peaks[1] = peak_memory()
        for tensors in (self.session.inputs, self.session.outputs):
            out.pack("Q", len(tensors))
            for tensor in tensors:
                out.tensor(tensor)
        out.pack("Q", 0)  # delegates
        notes = getattr(model, "notes", [])
        if not isinstance(notes, (list, tuple)) or not all(isinstance(n, str) for n in notes):
            self.method.fail("load", "leaves notes that are not a list of texts")
        out.texts(list(notes))
        out.pack("Q", len(self.session.layers))
        for layer in self.session.layers:
            out.tensor(layer)
            out.text(layer.layer_type)
        remembers = getattr(model, "stateful", None)
        out.pack("B", 1 if remembers is None else 2 if remembers else 0)

    def _settings(self, asked: "dict[str, Any]") -> dict[str, Any]:
        """Values of --threads and --precision, for a class with fields of these names."""
        assert self.found and self.method
        known = fields_of(self.found.plugin)
        settings = {}
        for key, usual in (("threads", 1), ("precision", "f32")):
            if key in known and key in self.values and asked[key] != usual:
                raise Refused(USAGE, f"--{key} and the option '{key}' of {self.method.name} say the same: give one")
            if key in known and key not in self.values:
                settings[key] = asked[key]
            elif key not in known and asked[key] != usual:
                raise Refused(USAGE, f"--{key} {asked[key]}: {self.method.name} has no option '{key}'")
        return settings

    def _check_shapes(self, asked: "list[tuple[str, list[int]]]") -> None:
        assert self.session and self.method
        inputs = {one.name: one for one in self.session.inputs}
        for name, shape in asked:
            if not name and len(inputs) == 1:
                name = next(iter(inputs))
            if name not in inputs:
                raise Refused(USAGE, f"--input-shape {name}=…: the model has no such input; its inputs are {', '.join(map(repr, inputs))}")
            if tuple(shape) != inputs[name].shape:
                raise Refused(USAGE, f"--input-shape: {self.method.name}.load left input '{name}' with the shape {shape_text(inputs[name].shape)}, not {shape_text(shape)}")

    def _file(self, label: str, memory: Any, size: int, folder: str) -> pathlib.Path:
        """The model's own path, so that files next to it are found; a copy if the bytes did not come from there."""
        path = pathlib.Path(folder, label) if folder and os.path.basename(label) == label else None
        if path and path.is_file() and path.stat().st_size == size:
            with open(path, "rb") as file:
                at, same = 0, True
                while same and (piece := file.read(1 << 22)):
                    same = memory[at:at + len(piece)] == piece
                    at += len(piece)
            if same and at == size:
                return path
        kept = self.temporary.enter_context(tempfile.TemporaryDirectory(prefix="edgeprobe-model-"))
        copy = pathlib.Path(kept, os.path.basename(label) or "model")
        copy.write_bytes(memory[:size])
        return copy

    def attach(self, given: Reader, descriptor: int, _out: Writer) -> None:
        assert self.session
        size = given.unpack("Q")
        if size != self.session.size:
            os.close(descriptor)
            raise Refused(TARGET, "the shared memory does not fit the model")
        self.session.memory = open_memory(descriptor, size, writable=True)

    def infer(self, _given: Reader, _descriptor: int, out: Writer) -> None:
        session = self._loaded()
        answer, spent, owners = session.run()
        arrays = session.arrays(answer)
        out.pack("qQQQ", spent, 0, 0, 0)  # no times of operators, no pieces, no bytes copied between pieces
        for slot in session.slots_out:
            array = arrays.pop(0)
            out.tensor(slot.tensor, array.shape)
            out.pack("B", slot.is_fixed)
            if slot.is_fixed:
                np.copyto(slot.lend(session.memory)[1], array)
            else:
                out.blob(array.tobytes())
        del answer, array
        session.check_returned(owners)

    def repeat(self, given: Reader, _descriptor: int, out: Writer) -> None:
        session = self._loaded()
        count, duration, scheduling = given.unpack("Q"), given.unpack("q"), given.unpack("B")
        threads = Threads() if scheduling else None
        rows = []
        start = time.perf_counter_ns()
        while len(rows) < count:
            before = threads.read() if threads else None
            begin = time.perf_counter_ns()
            answer, spent, owners = session.run()
            after = threads.read() if threads else None
            if not rows:
                session.arrays(answer)
                del answer
                session.check_returned(owners)
            used = (after[0] - before[0], after[1] - before[1]) if before and after else (None, None)
            rows.append((begin - start, spent, *used))
            if time.perf_counter_ns() - start >= duration:
                break
        out.pack("Q", len(rows))
        for began, spent, cpu, delay in rows:
            out.pack("qq", began, spent)
            out.optional(cpu)
            out.optional(delay)
            out.pack("Q", 0)
        out.pack("B", 0)
        out.text(threads.why if threads else "")

    def memory(self, _given: Reader, _descriptor: int, out: Writer) -> None:
        self._loaded()
        for value in (*self.peaks, peak_memory(), peak_memory("VmRSS"), None):
            out.optional(value, "Q")

    def _loaded(self) -> Session:
        if self.session is None:
            raise Refused(TARGET, "the plug-in's process was asked to run before it loaded a model")
        return self.session


def peak_memory(key: str = "VmHWM") -> "int | None":
    """Bytes of this process's memory."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith(key + ":"):
                    return int(line.split()[1]) << 10
    except (OSError, ValueError):
        pass
    return None
