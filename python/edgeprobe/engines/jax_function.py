# SPDX-License-Identifier: Apache-2.0
"""A function of the user's Python file with its parameters, for the engine jax."""
from __future__ import annotations

import dataclasses
import inspect
import os
import pathlib
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from ..plugins.arrays import numpy_dtype
from ..plugins.found import load_functions
from ..plugins.process import TARGET, Refused, one_line, show, where
from ..plugins.tensor import Tensor

Shapes = dict[str, tuple[int, ...]]
Empty = inspect.Parameter.empty


@dataclasses.dataclass
class Program:
    """What the engine runs: ``call(*fixed, *arrays)`` with an array for each input. ``label`` and ``folder`` are those of the code that an error names."""

    call: Callable[..., Any]
    fixed: tuple[Any, ...]
    inputs: list[Tensor]
    label: str
    folder: str = ""
    notes: list[str] = dataclasses.field(default_factory=list)

    def run(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """An error in the user's code names the function and the line."""
        try:
            return call(*arguments)
        except Exception as error:
            show(error)
            raise Refused(TARGET, f"{self.label} raises {one_line(error)}{where(error, self.folder) if self.folder else ''}") from None


def nested(flat: dict[str, Any], separator: str) -> Any:
    """{"a/0": x, "a/1": y} as {"a": [x, y]}: dicts, and lists where the keys are 0, 1, … ValueError if a name is a value and a level."""
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        *above, last = name.split(separator) if separator else [name]
        level = tree
        for key in above:
            level = level.setdefault(key, {})
            if not isinstance(level, dict):
                raise ValueError(f"'{name}' lies below '{key}', which is an array itself; the option separator states what separates levels")
        if last in level:
            raise ValueError(f"'{name}' is an array and has others below it; the option separator states what separates levels")
        level[last] = value
    return _with_lists(tree)


def _with_lists(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    inner = {key: _with_lists(value) for key, value in tree.items()}
    numbers = [str(at) for at in range(len(inner))]
    return [inner[at] for at in numbers] if inner and set(inner) == set(numbers) else inner


def _arrays(file: pathlib.Path) -> dict[str, np.ndarray]:
    try:
        with np.load(file, allow_pickle=False) as held:
            arrays = {name: held[name] for name in held.files}
    except Exception as error:
        raise ValueError(f"'{file.name}' is no .npz of arrays, or is damaged ({one_line(error)})") from None
    for name, array in arrays.items():
        if array.dtype.kind not in "biufc":  # NumPy writes bfloat16 as bytes without a type
            raise ValueError(f"array '{name}' of '{file.name}' has the type {array.dtype}, which a .npz cannot state; store it as float32")
    return arrays


def opened(named: str, reader: str, separator: str, types: str, file: pathlib.Path, shapes: Shapes) -> Program:
    """The function ``named`` FILE.py:FUNCTION, with the parameters in ``file``, which the function ``reader`` of the same file reads if it is not empty."""
    path, _, name = named.rpartition(":")
    if not path.endswith(".py"):
        raise ValueError(f"the option function is '{named}'; expected FILE.py:FUNCTION")
    (function, *readers), folder = load_functions(path, [name, *filter(None, [reader])])
    base = os.path.basename(path)
    program = Program(function, (), [], f"'{name}' of '{base}'", folder)
    has_parameters = not os.path.samefile(path, file)
    if has_parameters:
        if not readers and file.suffix != ".npz":
            raise ValueError(f"'{file.name}' is no .npz; name a function of '{base}' that reads it by the option parameters")
        given = program.run(readers[0], file) if readers else nested(_arrays(file), separator)
        program.fixed = (program.run(lambda: jax.tree.map(jax.numpy.asarray, given)),)
        program.notes += _narrowed("the parameters", [leaf.dtype for leaf in jax.tree.leaves(given) if hasattr(leaf, "dtype")])
    program.inputs = _inputs(program.label, function, has_parameters, types, dict(shapes))
    for one in program.inputs:
        program.notes += _narrowed(f"input '{one.name}'", [numpy_dtype(one.dtype)])
    signature, names, count = inspect.signature(function), [one.name for one in program.inputs], len(program.fixed)

    def call(*arguments: Any) -> Any:
        bound = signature.bind_partial(*arguments[:count])
        bound.arguments.update(nested(dict(zip(names, arguments[count:])), "/"))
        return function(*bound.args, **bound.kwargs)

    program.call = call
    return program


def _inputs(label: str, function: Callable[..., Any], has_parameters: bool, types: str, shapes: Shapes) -> list[Tensor]:
    """The arguments without a default, and those that --input-shape names. "batch/x" is the entry x of a dict."""
    known = [one for one in inspect.signature(function).parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    known = known[1:] if has_parameters and known and known[0].kind is not inspect.Parameter.VAR_POSITIONAL else known
    for one in known:
        if one.kind is inspect.Parameter.VAR_POSITIONAL:
            raise ValueError(f"{label} takes *{one.name}, which have no names; name a function with an argument for each input")
    needed = [one.name for one in known if one.default is Empty]
    if "" in shapes and len(needed) == 1:
        shapes[needed[0]] = shapes.pop("")
    stated = dict(one.rpartition(":")[::2] for one in types.split(",") if one)
    inputs = []
    for one in known:
        names = [name for name in shapes if name.split("/")[0] == one.name]
        if not names and one.name in needed:
            raise ValueError(f"input '{one.name}' of {label} has no size: give one, as --input-shape {one.name}=1x8")
        inputs += [Tensor(name, stated.pop(name, "float32"), tuple(shapes[name])) for name in names]
    if not inputs:
        raise ValueError(f"{label} has no inputs; expected {'f(parameters, x, …)' if has_parameters else 'f(x, …)'}")
    if stated:
        raise ValueError(f"the option types names '{min(stated)}'; the inputs are {', '.join(repr(one.name) for one in inputs)}")
    return inputs


def _narrowed(what: str, dtypes: list[Any]) -> list[str]:
    wide = sorted({dtype.name for dtype in dtypes if dtype.kind in "fiu" and dtype.itemsize == 8})
    return [f"JAX computes {what} of {' and '.join(wide)} in 32 bits; the option x64=true keeps 64"] if wide and not jax.config.jax_enable_x64 else []
