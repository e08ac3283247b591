# SPDX-License-Identifier: Apache-2.0
"""Options of a plug-in: the fields of its dataclass."""
from __future__ import annotations

import dataclasses
import difflib
import json
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
    choices: tuple[Any, ...]
    many: bool = False  #: a list: its values, with commas between
    nullable: bool = False  #: "none" stands for None

    @property
    def required(self) -> bool:
        return self.default is dataclasses.MISSING

    def wanted(self) -> str:
        """The values that it takes, in words."""
        more = (", with commas between several" if self.many else "") + (", or none" if self.nullable else "")
        if self.choices:
            return " or ".join(map(str, self.choices)) + more
        kinds = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "a text", "Path": "a path", "JSON": "JSON"}
        bounds = [f"at least {self.least:g}"] if self.least is not None else []
        bounds += [f"at most {self.most:g}"] if self.most is not None else []
        return kinds[self.type] + (" of " + " and ".join(bounds) if bounds else "") + more

    def read(self, text: str) -> Any:
        """The value that the user's text stands for; ValueError if it stands for none."""
        if self.nullable and text == "none":
            return None
        if self.many:
            return [self._one(part) for part in text.split(",")] if text else []
        return self._one(text)

    def _one(self, text: str) -> Any:
        if self.choices:
            there = [choice for choice in self.choices if str(choice) == text]
            if not there:
                raise ValueError
            return there[0]
        if self.type == "bool":
            known = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
            if text.lower() not in known:
                raise ValueError
            return known[text.lower()]
        value = {"int": int, "float": float, "str": str, "Path": pathlib.Path, "JSON": json.loads}[self.type](text)
        below = self.least is not None and not value >= self.least  # NaN is below every bound
        if below or (self.most is not None and not value <= self.most):
            raise ValueError
        return value

    def _text(self, value: Any) -> str:
        """As a user writes it."""
        return "none" if value is None else ",".join(map(str, value)) if self.many else str(value)

    def described(self) -> dict[str, Any]:
        """As JSON."""
        out: dict[str, Any] = {"name": self.name, "type": f"list of {self.type}" if self.many else self.type, "required": self.required, "help": self.help}
        if not self.required:
            out["default"] = self._text(self.default) if self.default is None or self.many or self.type == "Path" else self.default
        for key in ("least", "most"):
            if getattr(self, key) is not None:
                out[key] = getattr(self, key)
        if self.choices:
            out["choices"] = list(self.choices)
        return out


def options_of(plugin: type, given: "dict[str, str] | None" = None) -> list[Option]:
    """The options of a plug-in's class, in order; ``given`` are the texts of the user, on which they may depend. TypeError for a field whose type no text
    stands for."""
    stated = getattr(plugin, "options_for", None)  # of an adapter to classes that have their own way to state options
    if stated:
        return stated(given or {})
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


def fields_of(plugin: type) -> set[str]:
    """The names of options that are fields of a dataclass: those of an adapter have meanings of their own, so that --precision is not one of them."""
    return {one.name for one in options_of(plugin)} if dataclasses.is_dataclass(plugin) else set()


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
    pairs = pairs_of(text)
    known = {one.name: one for one in options_of(plugin, dict(pairs))}
    values: dict[str, Any] = {}
    for key, value in pairs:
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
