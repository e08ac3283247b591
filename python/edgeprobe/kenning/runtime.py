# SPDX-License-Identifier: Apache-2.0
"""A Runtime of Kenning as an engine."""
from __future__ import annotations

import json
import logging
import pathlib
import shutil
import tempfile
import types
from typing import Any

import numpy as np

from ..plugins.options import Option
from ..plugins.process import NOT_FOUND, TARGET, Method, Refused
from .options import made, parameters_of
from .specification import tensors
from .version import version_of

#: The file of the model, which the command line names.
MODEL = ("model_path", "modelpath", "save_model_path")


class RuntimeAdapter:
    """Runs ``load_input()``, ``run()`` and ``extract_output()``: its inputs and outputs are those of the model's file.

    Three states of Kenning differ: since 0.0.3 these are the tensors of the model, in 0.0.2 the runtime quantises and dequantises, and before it
    gets and gives bytes (``prepare_input()``, ``upload_output()``) and has a protocol.
    """

    kenning: type
    base: type
    folder: str
    input_shapes: dict[str, tuple[int, ...]]

    @classmethod
    def version(cls) -> str:
        return version_of(cls.base)

    @classmethod
    def options_for(cls, _given: dict[str, str]) -> list[Option]:
        own = [one.option for one in parameters_of(cls.kenning) if one.parameter not in MODEL]
        more = Option("io_spec", "Path", None, "Kenning's specification of inputs and outputs (default: the model's name with .json behind it, if it is there)",
                      None, None, (), nullable=True)
        return [*own, *([] if any(one.name == more.name for one in own) else [more])]

    def __init__(self, **values: Any) -> None:
        self.call = Method(self.kenning.__name__, self.folder)
        self.specification = values.pop("io_spec", None)
        self.values = values

    def load(self, file: pathlib.Path) -> None:
        path = [one.option.name for one in parameters_of(self.kenning) if one.parameter in MODEL]
        # Older releases write the model that they get to their path: to a copy.
        in_place = path and hasattr(self.base, "prepare_local")
        if not in_place:
            self.kept = tempfile.TemporaryDirectory(prefix="edgeprobe-kenning-")
        place = file if in_place else pathlib.Path(self.kept.name, file.name)
        values = {**self.values, **({path[0]: str(place)} if path else {})}
        stand_in = types.SimpleNamespace(log=logging.getLogger(self.kenning.__name__))  # nothing is sent; the older ones print by it
        self.runtime: Any = self.call("__init__", lambda: made(self.kenning, values, protocol=stand_in))
        said = self._specification(file)
        if said is not None and hasattr(self.runtime, "prepare_io_specification"):
            self._succeed("prepare_io_specification", json.dumps(said).encode())
        if said is not None and not in_place:
            shutil.copy(self.specification or self._beside(file), self._beside(place))
        self._succeed("prepare_model", None if in_place else file.read_bytes())
        self._describe(file, said or {})

    @staticmethod
    def _beside(file: pathlib.Path) -> pathlib.Path:
        return file.with_suffix(file.suffix + ".json")

    def _specification(self, file: pathlib.Path) -> Any:
        path = self.specification or self._beside(file)
        if not path.is_file():
            if self.specification:
                raise Refused(NOT_FOUND, f"option 'io_spec': there is no file '{path}'")
            return None
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise Refused(TARGET, f"'{path.name}' is not JSON ({error}); expected Kenning's specification of inputs and outputs") from None
        if not isinstance(said, dict) or not all(isinstance(said.get(key), list) for key in ("input", "output")):
            raise Refused(TARGET, f"'{path.name}' has no lists 'input' and 'output', as Kenning's specification has")
        return said

    def _succeed(self, method: str, *arguments: Any) -> None:
        if self.call(method, getattr(self.runtime, method), *arguments) is False:
            self.call.fail(method, "returned False")

    def _describe(self, file: pathlib.Path, said: dict[str, Any]) -> None:
        first = getattr(self.runtime, "processed_input_spec", None) or getattr(self.runtime, "input_spec", None) or said.get("processed_input") or said.get("input")
        last = getattr(self.runtime, "output_spec", None) or said.get("output")
        if first is None or last is None:
            raise Refused(NOT_FOUND, f"{self.kenning.__name__} needs Kenning's specification of inputs and outputs: '{self._beside(file).name}' next to the model "
                          "(save_io_specification() of the ModelWrapper writes it), or the option io_spec=FILE.json")
        where = f"the specification of '{file.name}'"
        #: Up to 0.0.2 the runtime itself converts between real and quantised values.
        real = hasattr(self.base, "postprocess_output") or not hasattr(self.base, "extract_output")
        self.inputs = tensors(first, "input", where, self.input_shapes, real)
        self.outputs = tensors(last, "output", where, {}, real)

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        if not hasattr(self.base, "extract_output"):
            return self._run_bytes(inputs)
        self._succeed("load_input", [np.array(one) for one in inputs])  # its own: some keep or change them
        self.call("run", self.runtime.run)
        answer = self.call("extract_output", self.runtime.extract_output)
        return [np.asarray(one) for one in (answer if isinstance(answer, (list, tuple)) else [answer])]

    def _run_bytes(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        self._succeed("prepare_input", b"".join(one.tobytes() for one in inputs))
        self.call("run", self.runtime.run)
        answer = self.call("upload_output", self.runtime.upload_output, b"")
        types_, counts = [np.dtype(one.dtype) for one in self.outputs], [int(np.prod([abs(d) for d in one.shape])) for one in self.outputs]
        sizes = [dtype.itemsize * count for dtype, count in zip(types_, counts)]
        if sum(sizes) != len(answer):
            self.call.fail("upload_output", f"returned {len(answer)} bytes; the outputs of the specification take {sum(sizes)}")
        ends = np.cumsum([0, *sizes])
        return [np.frombuffer(answer, dtype, count, offset).reshape([abs(d) for d in one.shape])
                for one, dtype, count, offset in zip(self.outputs, types_, counts, ends)]
