# SPDX-License-Identifier: Apache-2.0
"""JAX: functions of a Python file, and artifacts of jax.export."""
from __future__ import annotations

import dataclasses
import os
import pathlib
from typing import Any

import numpy as np

from ..plugins.arrays import trial_of
from ..plugins.options import option
from ..plugins.tensor import DTYPES, Tensor


@dataclasses.dataclass
class Jax:
    """JAX on the CPU: a function of a Python file with its parameters (.npz), or an artifact of jax.export.

    The function f(parameters, x, …) is compiled by jax.jit. Its arguments without a default are the inputs. The parameters are a dict of the file's arrays,
    nested at each separator; a level with the keys 0, 1, … is a list. If the model is the function's own file, all arguments are inputs.
    """

    formats = (".jax_exported", ".jaxexport", ".jax", ".npz", ".py")
    threads: int = option(1, "Threads of an operator", least=1, most=256)
    function: str = option("", "The function, as FILE.py:FUNCTION; without it the model is an artifact of jax.export")
    parameters: str = option("", "A function of the same file that reads the model's path into parameters; needed for files other than .npz")
    separator: str = option("/", "Separates the levels of parameters in the names of a .npz; empty for one level")
    types: str = option("", "Types of the function's inputs, as ids:int32,mask:bool; float32 for those not named")
    x64: bool = option(False, "Compute in 64 bits what is float64 or int64; JAX narrows it to 32 bits")
    jit: bool = option(True, "Compile the function; false: each operation by itself, for a function that jax.jit refuses")

    @staticmethod
    def version() -> str:
        import jax

        return jax.__version__

    def load(self, file: pathlib.Path) -> None:
        # JAX reads both when it starts; the first is all that sets the size of XLA's pools of threads.
        os.environ["NPROC"], os.environ["JAX_PLATFORMS"] = str(self.threads), "cpu"
        import jax

        from . import jax_exported, jax_function

        if self.x64:
            jax.config.update("jax_enable_x64", True)
        if self.function:
            program = jax_function.opened(self.function, self.parameters, self.separator, self.types, file, self.input_shapes)
        else:
            program = jax_exported.opened(file, self.input_shapes)
        self.program, self.inputs, self.notes = program, program.inputs, program.notes
        self.stateful = False if self.jit else None
        self.call = jax.jit(program.call) if self.jit else program.call
        trial = [trial_of(one) for one in self.inputs]
        answer = program.run(lambda: jax.tree_util.tree_flatten_with_path(self.call(*program.fixed, *self._given(trial)))[0])
        if not answer:
            raise ValueError(f"{program.label} returns no array")
        values = [np.asarray(value) for _, value in answer]
        self.outputs = [Tensor(_name(path), value.dtype.name, value.shape) for (path, _), value in zip(answer, values)]
        self.layers: list[Tensor] = []
        if not self.jit:
            self.notes.append("each operation ran by itself, without jit")
        if self.function:
            self._describe_layers(trial)

    def _describe_layers(self, trial: list[np.ndarray]) -> None:
        import jax

        from .jax_results import results

        program, count = self.program, len(jax.tree.leaves(self.program.fixed))
        try:
            closed = jax.make_jaxpr(program.call)(*program.fixed, *trial)
        except Exception:
            if self.jit:
                raise
            self.notes.append(f"JAX cannot trace {program.label}, so it shows no layers")
            return

        def inner(*arguments: Any) -> tuple[list[Any], list[Any]]:
            outputs, found = results(closed, jax.tree.leaves(arguments), count)
            shown = [one for one in found if one.value.dtype.name in DTYPES]
            self.layers = [Tensor(one.name, one.value.dtype.name, tuple(one.value.shape), layer_type=one.primitive) for one in shown]
            return outputs, [one.value for one in shown]

        jax.eval_shape(inner, *program.fixed, *trial)
        if self.capturing:
            self.call = jax.jit(inner) if self.jit else inner

    def _given(self, arrays: list[np.ndarray]) -> list[Any]:
        """Copies: JAX refers to an array of NumPy after the call. Without jit the function gets arrays of JAX."""
        import jax

        return [np.array(one) if self.jit else jax.numpy.array(one) for one in arrays]

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        import jax

        answer = self.program.run(self.call, *self.program.fixed, *self._given(inputs))
        if self.capturing and self.layers:  # of another compilation than the outputs alone, so the program compares the outputs of both
            answer, self.values = answer
        return [np.asarray(value) for value in jax.tree.leaves(answer)]

    def layer_values(self, numbers: list[int]) -> list[np.ndarray]:
        return [np.asarray(self.values[number]) for number in numbers]


def _name(path: tuple[Any, ...]) -> str:
    """ "output" for a single array; else the keys of a dict or the fields of a class, and output_0, output_1, … of a tuple."""
    import jax

    text = jax.tree_util.keystr(path, simple=True, separator="/")
    return ("output_" if hasattr(path[0], "idx") else "") + text if path else "output"
