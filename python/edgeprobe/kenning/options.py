# SPDX-License-Identifier: Apache-2.0
"""The parameters of a class of Kenning as options, and an object made of them.

Releases since May 2022 describe parameters by ``arguments_structure``, from which Kenning itself makes a JSON schema; older ones by the parser that
``form_argparse()`` returns. An option has the name that it has in a scenario file of Kenning.
"""
from __future__ import annotations

import argparse
import dataclasses
import inspect
import pathlib
from typing import Any

from ..plugins.options import Option

#: JSON's types -> types of options.
TYPES = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "object": "JSON"}


@dataclasses.dataclass(frozen=True)
class Parameter:
    """An option, and the name of the constructor's parameter that gets it."""

    option: Option
    parameter: str


def parameters_of(kenning: type) -> list[Parameter]:
    """All parameters of a class, in its own order."""
    if hasattr(kenning, "form_parameterschema"):
        return _of_schema(kenning.form_parameterschema())
    return [_of_action(one) for one in kenning.form_argparse()[0]._actions]


def _of_schema(schema: dict[str, Any]) -> list[Parameter]:
    needed = schema.get("required", [])
    found = []
    for name, said in schema.get("properties", {}).items():
        types = said.get("type", "string")
        types = [types] if isinstance(types, str) else list(types)
        many, nullable = "array" in types, "null" in types
        items = said.get("items", {})
        kinds = items.get("type", "string") if many else [one for one in types if one != "null"]
        kinds = [kinds] if isinstance(kinds, str) else list(kinds)
        kind = TYPES.get(kinds[0], "str") if len(kinds) == 1 else "float" if set(kinds) == {"integer", "number"} else "str"
        if kind == "str" and said.get("convert-type") is pathlib.Path:
            kind = "Path"
        default = dataclasses.MISSING if name in needed else _plain(said.get("default"))
        choices = tuple(said.get("enum") or items.get("enum") or ())
        found.append(Parameter(Option(name, kind, default, said.get("description", ""), None, None, choices, many, nullable), said.get("real_name", name)))
    return found


def _plain(value: Any) -> Any:
    """A default as JSON has it: some are paths."""
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, (bool, int, float, str, dict)) else str(value)


def _of_action(action: argparse.Action) -> Parameter:
    name = action.dest
    many = action.nargs in ("+", "*") or isinstance(action.nargs, int) and action.nargs > 1
    kind = {int: "int", float: "float", pathlib.Path: "Path"}.get(action.type, "str")
    if action.nargs == 0:  # a switch
        kind = "bool"
    default = dataclasses.MISSING if action.required else action.default
    return Parameter(Option(name, kind, default, action.help or "", None, None, tuple(action.choices or ()), many), name)


def inside(option: str, options: list[Option]) -> list[Option]:
    """Those of an object that an option names, as OPTION.NAME."""
    return [dataclasses.replace(one, name=f"{option}.{one.name}") for one in options]


def taken(option: str, values: dict[str, Any]) -> dict[str, Any]:
    """Removes the values of such an object from ``values``."""
    return {name.removeprefix(option + "."): values.pop(name) for name in list(values) if name.startswith(option + ".")}


def made(kenning: type, values: dict[str, Any], **more: Any) -> Any:
    """The object with these values, by the names of options. ``more`` are arguments of its constructor that no file states, for releases that have them."""
    plain = {name: str(value) if isinstance(value, pathlib.Path) else value for name, value in values.items()}
    if hasattr(kenning, "form_parameterschema"):
        return kenning.from_json(json_dict=plain, **_known(kenning.from_json, more))
    told = argparse.Namespace()
    for action in kenning.form_argparse()[0]._actions:
        value = plain.get(action.dest, action.default)
        # As argparse does, which converts texts.
        setattr(told, action.dest, action.type(value) if isinstance(value, str) and callable(action.type) else value)
    return kenning.from_argparse(args=told, **_known(kenning.from_argparse, more))


def _known(function: Any, more: dict[str, Any]) -> dict[str, Any]:
    names = inspect.signature(function).parameters
    return {name: value for name, value in more.items() if name in names}
