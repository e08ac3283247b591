# SPDX-License-Identifier: Apache-2.0
"""Options of a plug-in: the fields of its dataclass."""
from __future__ import annotations

import dataclasses
import difflib
import pathlib
import typing
import urllib.parse
from typing import Any

KEY = "edgeprobe"


def option(default: Any = dataclasses.MISSING, help: str = "", *, least: float | None = None, most: float | None = None) -> Any:
    """A field of a plug-in's dataclass, with help and a range: ``threads: int = option(1, "Threads of the engine", least=1)``.

    The annotation is ``bool``, ``int``, ``float``, ``str``, ``pathlib.Path``, or a ``Literal`` of texts. Without ``default`` the user must give it.
    """
    return dataclasses.field(default=default, metadata={KEY: {"help": help, "least": least, "most": most}})


class BadOption(ValueError):
    """The user's text does not fit an option."""


@dataclasses.dataclass(frozen=True)
class Option:
    """One option, as ``edgeprobe help NAME`` shows it."""

    name: str
    type: str
    default: Any
    help: str
    least: float | None
    most: float | None
    choices: tuple[str, ...]

    @property
    def required(self) -> bool:
        return self.default is dataclasses.MISSING

    def wanted(self) -> str:
        """The values that it takes, in words."""
        if self.choices:
            return " or ".join(self.choices)
        kinds = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "a text", "Path": "a path"}
        bounds = [f"at least {self.least:g}"] if self.least is not None else []
        bounds += [f"at most {self.most:g}"] if self.most is not None else []
        return kinds[self.type] + (" of " + " and ".join(bounds) if bounds else "")

    def read(self, text: str) -> Any:
        """The value that the user's text stands for; ValueError if it stands for none."""
        if self.choices:
            if text not in self.choices:
                raise ValueError
            return text
        if self.type == "bool":
            known = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
            if text.lower() not in known:
                raise ValueError
            return known[text.lower()]
        value = {"int": int, "float": float, "str": str, "Path": pathlib.Path}[self.type](text)
        below = self.least is not None and not value >= self.least  # NaN is below every bound
        if below or (self.most is not None and not value <= self.most):
            raise ValueError
        return value

    def described(self) -> dict[str, Any]:
        """As JSON."""
        out: dict[str, Any] = {"name": self.name, "type": self.type, "required": self.required, "help": self.help}
        if not self.required:
            out["default"] = str(self.default) if self.type == "Path" else self.default
        for key in ("least", "most"):
            if getattr(self, key) is not None:
                out[key] = getattr(self, key)
        if self.choices:
            out["choices"] = list(self.choices)
        return out


def options_of(plugin: type) -> list[Option]:
    """The options of a plug-in's class, in order. TypeError for a field whose type no text stands for."""
    if not dataclasses.is_dataclass(plugin):
        return []
    hints = typing.get_type_hints(plugin)
    found = []
    for field in dataclasses.fields(plugin):
        if not field.init:
            continue
        hint, choices = hints[field.name], ()
        if typing.get_origin(hint) is typing.Literal:
            hint, choices = str, typing.get_args(hint)
        if hint not in (bool, int, float, str, pathlib.Path) or not all(isinstance(c, str) for c in choices):
            raise TypeError(f"option '{field.name}' is annotated {hint!r}; expected bool, int, float, str, pathlib.Path or a Literal of texts")
        default = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
        stated = field.metadata.get(KEY, {})
        found.append(Option(field.name, hint.__name__, default, stated.get("help", ""), stated.get("least"), stated.get("most"), tuple(choices)))
    return found


def pairs_of(text: str) -> list[tuple[str, str]]:
    """``"a=1&b=x%26y"`` as pairs; a percent sign with two hexadecimal digits is a character."""
    pairs = []
    for part in text.split("&") if text else []:
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise BadOption(f"'{part}' is not an option; expected NAME=VALUE, with & between several")
        pairs.append((key, urllib.parse.unquote(value)))
    return pairs


def values_of(plugin: type, text: str) -> dict[str, Any]:
    """The arguments for the class that the user's ``a=1&b=x`` gives. BadOption names what does not fit."""
    known = {one.name: one for one in options_of(plugin)}
    values: dict[str, Any] = {}
    for key, value in pairs_of(text):
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            raise BadOption(f"{plugin.__name__} has no option '{key}'" + (f"; did you mean '{near[0]}'?" if near else
                            f"; it has {', '.join(known)}" if known else "; it has none"))
        if key in values:
            raise BadOption(f"option '{key}' is given twice")
        try:
            values[key] = known[key].read(value)
        except ValueError:
            raise BadOption(f"option '{key}' is '{value}'; expected {known[key].wanted()}") from None
    for one in known.values():
        if one.required and one.name not in values:
            raise BadOption(f"{plugin.__name__} needs option '{one.name}' ({one.wanted()})" + (f": {one.help}" if one.help else ""))
    return values
