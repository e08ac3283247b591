# SPDX-License-Identifier: Apache-2.0
"""ExecuTorch programs, by the runtime of the package executorch."""
from __future__ import annotations

import dataclasses
import importlib.metadata
import pathlib
from typing import Any

import numpy as np
import torch
from executorch.runtime import Runtime, Verification

from ..plugins.options import option
from ..plugins.tensor import Tensor

#: Names of ScalarType in the order of its numbers.
SCALARS = {"Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64", "Half": "float16", "Float": "float32", "Double": "float64",
           "Bool": "bool", "BFloat16": "bfloat16"}


@dataclasses.dataclass
class Executorch:
    """ExecuTorch (.pte), with the kernels and backends of the package executorch: portable, optimised, quantised and XNNPACK.

    Its runtime chooses the number of threads by itself, and shows no layers.
    """

    formats = (".pte",)
    method: str = option("forward", "The method of the program")

    @staticmethod
    def version() -> str:
        return importlib.metadata.version("executorch")

    def load(self, file: pathlib.Path) -> None:
        self.program = Runtime.get().load_program(file, verification=Verification.Minimal)
        if self.method not in self.program.method_names:
            raise ValueError(f"the program has no method '{self.method}'; it has {', '.join(sorted(self.program.method_names))}")
        self.loaded = self.program.load_method(self.method)
        described = self.loaded.metadata
        self.inputs = [self._described(f"input_{i}", described.input_tensor_meta(i)) for i in range(described.num_inputs())]
        self.outputs = [self._described(f"output_{i}", described.output_tensor_meta(i)) for i in range(described.num_outputs())]

    @staticmethod
    def _described(name: str, info: Any) -> Tensor:
        kind = str(info).partition("dtype=")[2].partition(",")[0]
        if kind not in SCALARS:
            raise ValueError(f"'{name}' has the type {kind}, which edgeprobe does not record")
        return Tensor(name, SCALARS[kind], tuple(int(d) for d in info.sizes()))

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        answer = self.loaded.execute([torch.from_numpy(np.array(array)) for array in inputs])
        # The runtime writes the next answer into the same memory; edgeprobe copies before that.
        return [one.numpy() for one in answer]
