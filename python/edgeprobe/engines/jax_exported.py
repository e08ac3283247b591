# SPDX-License-Identifier: Apache-2.0
"""An artifact of jax.export, for the engine jax."""
from __future__ import annotations

import pathlib
import re
from typing import Any

import jax
import jax.export

from ..plugins.process import one_line
from ..plugins.tensor import Tensor
from .jax_function import Program, Shapes


def opened(file: pathlib.Path, shapes: Shapes) -> Program:
    if file.suffix in (".npz", ".py"):
        raise ValueError(f"'{file.name}' needs a function: --engine 'jax?function=FILE.py:FUNCTION'")
    try:
        exported = jax.export.deserialize(bytearray(file.read_bytes()))
        text = exported.mlir_module()
    except Exception as error:
        raise ValueError(f"'{file.name}' is no artifact of jax.export that JAX {jax.__version__} reads, or is damaged ({one_line(error)})") from None
    if any(aval.dtype.name.endswith("64") for aval in (*exported.in_avals, *exported.out_avals)):
        jax.config.update("jax_enable_x64", True)  # the file states what the option x64 does for a function
    if back := re.search(r"custom_call @(\w*callback\w*)", text):
        raise ValueError(f"'{file.name}' calls back into Python ({back[1]}) and is refused; name its function by the option function")
    if "cpu" not in exported.platforms:
        raise ValueError(f"'{file.name}' was exported for {', '.join(exported.platforms)}; export it with platforms=['cpu', …]")

    def call(*arguments: Any) -> Any:
        given, named = jax.tree.unflatten(exported.in_tree, arguments)
        return exported.call(*given, **named)

    names = _names(exported, text)
    sizes = _sizes(names, exported.in_avals, shapes)
    inputs = [Tensor(name, aval.dtype.name, size) for name, aval, size in zip(names, exported.in_avals, sizes)]
    return Program(call, (), inputs, f"'{file.name}'")


def _names(exported: Any, text: str) -> list[str]:
    """The function's own names, which the text of the artifact keeps as locations; without them input_0, input_1, …"""
    heads = dict(re.findall(r"func\.func \w+ @(_wrapped_jax_export_main|main)\((.*?)\) ->", text))
    places = re.findall(r'loc\((?:"([^"]*)"|[^)]*)\)', heads.get("_wrapped_jax_export_main") or heads.get("main", ""))
    kept = exported.module_kept_var_idx
    said = dict(zip(kept, places[-len(kept):])) if 0 < len(kept) <= len(places) else {}
    paths = jax.tree_util.tree_flatten_with_path(jax.tree.unflatten(exported.in_tree, range(len(exported.in_avals))))[0]
    names = []
    for at, ((_, which, *inner), _) in enumerate(paths):
        first = re.match(r"\w*", said.get(at, ""))[0] or (which.key if hasattr(which, "key") else f"input_{which.idx}")
        names.append("/".join([first, *filter(None, [jax.tree_util.keystr(tuple(inner), simple=True, separator="/")])]))
    return names


def _sizes(names: list[str], avals: Any, shapes: Shapes) -> list[tuple[int, ...]]:
    """The shapes of --input-shape. A dimension without one has the size of its symbol in another input; the first dimension else 1."""
    asked = [shapes.get(name) or (shapes.get("") if len(names) == 1 else None) for name in names]
    known: dict[str, int] = {}
    for name, aval, shape in zip(names, avals, asked):
        if shape and (len(shape) != aval.ndim or any(isinstance(d, int) and d != s for d, s in zip(aval.shape, shape))):
            raise ValueError(f"the artifact takes '{name}' with the shape {_shown(aval)}, not {list(shape)}")
        known.update((str(d), s) for d, s in zip(aval.shape, shape or ()) if not isinstance(d, int))
    sizes = []
    for name, aval, shape in zip(names, avals, asked):
        usual = [1 if at == 0 and str(d).isidentifier() else None for at, d in enumerate(aval.shape)]
        size = shape or [d if isinstance(d, int) else known.get(str(d), one) for d, one in zip(aval.shape, usual)]
        if None in size:
            raise ValueError(f"input '{name}' has the open shape {_shown(aval)}; give one: --input-shape {name}=" + "x".join(str(d or "N") for d in size))
        sizes.append(tuple(size))
    return sizes


def _shown(aval: Any) -> str:
    return "[" + ", ".join(map(str, aval.shape)) + "]"
