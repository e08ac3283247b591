# SPDX-License-Identifier: Apache-2.0
"""ExecuTorch programs, by the runtime of the package executorch."""
from __future__ import annotations

import dataclasses
import importlib.metadata
import pathlib
from typing import Any

import numpy as np
from executorch.runtime import Runtime, Verification

from ..plugins.arrays import trial_of
from ..plugins.options import option
from ..plugins.tensor import Tensor
from .torch import array_of, tensor_of

#: Names of ScalarType in the order of its numbers.
SCALARS = {"Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64", "Half": "float16", "Float": "float32", "Double": "float64",
           "Bool": "bool", "BFloat16": "bfloat16"}


IDENTIFIER = b"ET12"
#: Bytes of a debug buffer; a program whose results take more shows no layers.
LARGEST = 2 << 30


@dataclasses.dataclass
class Executorch:
    """ExecuTorch (.pte), with the kernels and backends of the package executorch: portable, optimised, quantised and XNNPACK.

    Its runtime chooses the number of threads by itself. Layers are what its ETDump holds, of programs without a state, branches and
    16-bit floats.
    """

    formats = (".pte",)
    method: str = option("forward", "The method of the program")
    etdump: bool = option(True, "Show layers, which a traced run describes when the program is loaded; false: for a program that the tracer does not take")

    @staticmethod
    def version() -> str:
        return importlib.metadata.version("executorch")

    def load(self, file: pathlib.Path) -> None:
        self._open(file)
        described = self.loaded.metadata
        try:
            self.inputs = [self._described(f"input_{i}", described.input_tensor_meta(i)) for i in range(described.num_inputs())]
        except RuntimeError:
            raise ValueError(f"method '{self.method}' takes an argument that is not a tensor; export it with the argument fixed") from None
        for at, tensor in enumerate(self.inputs):
            asked = self.input_shapes.get(tensor.name) or (self.input_shapes.get("") if len(self.inputs) == 1 else None)
            if asked:  # of an open dimension the file states the largest size
                self.inputs[at] = dataclasses.replace(tensor, shape=tuple(asked))
        self.layers: list[Tensor] = []
        trial = [trial_of(one) for one in self.inputs]
        try:
            values, again = [[value.copy() for value in self.run(trial)] for _ in range(2)]
        except RuntimeError as error:
            stated = "; ".join(f"it takes '{one.name}' with the shape {list(described.input_tensor_meta(i).sizes())} at most" for i,
                               one in enumerate(self.inputs))
            raise ValueError(f"'{file.name}' does not run ({error}); {stated}") from None
        self.outputs = [Tensor(f"output_{i}", value.dtype.name, value.shape) for i, value in enumerate(values)]
        self._open(file)  # the runs above may have changed a state
        if self.etdump and _bytes(values) == _bytes(again):  # the tracer reads one run after a start, so not the later ones of a program with a state
            self._describe_layers(file, trial)

    def _describe_layers(self, file: pathlib.Path, trial: list[np.ndarray]) -> None:
        from .executorch_layers import steps_of, traced

        steps, size = steps_of(file.read_bytes(), self.method)
        if steps and size <= LARGEST:
            self.traced = lambda inputs: traced(file, self.method, steps, inputs, size)
            self.layers = [Tensor(name, value.dtype.name, value.shape, layer_type=kind) for name, kind, value in self.traced(trial).results]

    def _open(self, file: pathlib.Path) -> None:
        with open(file, "rb") as opened:
            # The identifier of the schema, which the runtime compares only after it has read other fields.
            if opened.read(8)[4:] != IDENTIFIER:
                raise ValueError(f"'{file.name}' is no program of ExecuTorch: it does not have the identifier {IDENTIFIER.decode()}")
        try:
            self.program = Runtime.get().load_program(file, verification=Verification.InternalConsistency)
        except Exception as error:
            raise ValueError(f"'{file.name}' is no program of ExecuTorch, or is damaged ({' '.join(str(error).split())})") from None
        if self.method not in self.program.method_names:
            raise ValueError(f"the program has no method '{self.method}'; it has {', '.join(sorted(self.program.method_names))}")
        self.loaded = self.program.load_method(self.method)

    @staticmethod
    def _described(name: str, info: Any) -> Tensor:
        kind = str(info).partition("dtype=")[2].partition(",")[0]
        if kind not in SCALARS:
            raise ValueError(f"'{name}' has the type {kind}, which edgeprobe does not record")
        return Tensor(name, SCALARS[kind], tuple(int(d) for d in info.sizes()))

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        if self.capturing and self.layers:
            traced = self.traced(inputs)
            self.values = [value for _, _, value in traced.results]
            return traced.answer
        answer = self.loaded.execute([tensor_of(array) for array in inputs])
        # The runtime writes the next answer into the same memory; edgeprobe copies before that.
        return [array_of(one) for one in answer]

    def layer_values(self, numbers: list[int]) -> list[np.ndarray]:
        return [self.values[number] for number in numbers]


def _bytes(arrays: list[np.ndarray]) -> list[bytes]:
    return [one.tobytes() for one in arrays]
