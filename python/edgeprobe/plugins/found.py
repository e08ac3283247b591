# SPDX-License-Identifier: Apache-2.0
"""Finds a plug-in: ``FILE.py:CLASS``, the name of an entry point of an installed package, or ``kenning:CLASS`` for a class of Kenning itself."""
from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import os
import pathlib
import re
import sys
import types
from collections.abc import Callable
from typing import Any

from .installed import GROUPS, entry_points, packages
from .own import OWN
from .options import BadOption, values_of
from .process import NOT_FOUND, USAGE, Method, Refused, one_line, show, where

#: The kinds, each with the methods that its class has to have.
METHODS: dict[str, tuple[str, ...]] = {
    "engine": ("load", "run"),
    "dataset": ("samples", "load"),
    "metric": ("frame",),
    "compiler": ("compile",),
    "model": ("build",),
}


#: The packages whose classes run through an adapter: Kenning, and its name before.
KENNING = ("kenning", "edge_ai_tester")

#: The name under which the user's file is imported.
MODULE = "edgeprobe_user_plugin"


class Found:
    """A plug-in's class, its file and the folder of its own code."""

    def __init__(self, plugin: type, file: str) -> None:
        self.plugin, self.file, self.folder = plugin, os.path.abspath(file), os.path.dirname(os.path.abspath(file))


def find(kind: str, what: str) -> Found:
    """The plug-in of this kind. Refused says why there is none."""
    file, colon, name = what.rpartition(":")
    found = _served(_in_file(file, name) if colon and file.endswith(".py") else _installed(kind, what))
    missing = [m for m in METHODS[kind] if not callable(getattr(found.plugin, m, None))]
    if missing:
        raise Refused(USAGE, f"{found.plugin.__name__} in '{os.path.basename(found.file)}' has no method '{missing[0]}'; {kind} plug-ins have "
                      + " and ".join(METHODS[kind]))
    return found


def chosen(kind: str, text: str) -> "tuple[Found, dict[str, Any], Method]":
    """The plug-in of this kind that ``FILE.py:CLASS?OPTION=VALUE`` names, the values of its options, and what calls its methods. Refused says why there is
    none."""
    what, _, options = text.removeprefix("python:").partition("?")
    found = find(kind, what)
    try:
        values = values_of(found.plugin, options)
    except (BadOption, TypeError) as error:
        raise Refused(USAGE, f"{kind} plug-in '{what}': {error}") from None
    return found, values, Method(found.plugin.__name__, found.folder)


def identity(found: Found, method: Method) -> tuple[str, str]:
    """Name and version that the class states, by attributes or for the version by a method."""
    version = getattr(found.plugin, "version", "")
    if callable(version):
        version = method("version", version)
    return str(getattr(found.plugin, "name", None) or found.plugin.__name__.lower()), str(version) or "unknown"


def sha256_of(found: Found) -> str:
    """Of the class's file."""
    with open(found.file, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def load_function(file: str, name: str) -> "tuple[Callable[..., Any], str]":
    """A function of the user's file, and the folder of its code. Refused says why there is none."""
    (function,), folder = load_functions(file, [name])
    return function, folder


def load_functions(file: str, names: "list[str]") -> "tuple[list[Callable[..., Any]], str]":
    """Functions of one file, which is imported once, and the folder of its code."""
    module, file = _module_of(file)
    return [_function_of(module, os.path.basename(file), name) for name in names], os.path.dirname(file)


def _function_of(module: types.ModuleType, base: str, name: str) -> "Callable[..., Any]":
    function = getattr(module, name, None)
    if callable(function):
        return function
    names = sorted(n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", None) == module.__name__ and not n.startswith("_"))
    raise Refused(USAGE, (f"'{base}' has no function '{name}'" if function is None else f"'{name}' in '{base}' is not a function")
                  + ("; it has " + ", ".join(names[:10]) if names else "; it has none"))


def _module_of(file: str) -> "tuple[types.ModuleType, str]":
    """A file, imported as if it were run: its neighbours can be imported."""
    file = os.path.abspath(file)
    folder = os.path.dirname(file)
    known = sys.modules.get(MODULE)
    if known is not None and known.__file__ == file:  # a second class of the same file
        return known, file
    if not os.path.isfile(file):
        raise Refused(NOT_FOUND, f"'{file}': there is no such file")
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(MODULE, file)
    if spec is None or spec.loader is None:
        raise Refused(USAGE, f"'{file}' is not a Python file; expected a name that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        _imported(f"'{os.path.basename(file)}'", folder, lambda: spec.loader.exec_module(module))
    except Refused:
        del sys.modules[MODULE]
        raise
    return module, file


def _served(found: Found) -> Found:
    """The same, with an adapter in place of a class of Kenning."""
    if not any(base.__module__.partition(".")[0] in KENNING for base in found.plugin.__mro__):
        return found
    classes: Any = importlib.import_module(f"{__package__.rpartition('.')[0]}.kenning.classes")
    return Found(classes.adapter(found.plugin, found.folder), found.file)


def _in_file(file: str, name: str) -> Found:
    module, file = _module_of(file)
    base, plugin = os.path.basename(file), getattr(module, name, None)
    if isinstance(plugin, type):
        return Found(plugin, file)
    classes = sorted(n for n, v in vars(module).items() if isinstance(v, type) and v.__module__ == module.__name__ and not n.startswith("_"))
    near = difflib.get_close_matches(name, classes, 1)
    raise Refused(USAGE, (f"'{base}' has no class '{name}'" if plugin is None else f"'{name}' in '{base}' is not a class")
                  + (f"; did you mean '{near[0]}'?" if near else f"; it has {', '.join(classes[:10])}" if classes else "; it has none"))


def find_any(what: str) -> tuple[str, Found]:
    """The plug-in of whichever kind has it, and that kind."""
    what = what.removeprefix("python:")
    for kind in METHODS:
        if what in OWN[kind] or any(e.name == what for e in entry_points(GROUPS[kind])):
            return kind, find(kind, what)
    file, colon, name = what.rpartition(":")
    if colon and file.endswith(".py"):
        plugin = _served(_in_file(file, name))
        for kind, methods in METHODS.items():
            if all(callable(getattr(plugin.plugin, m, None)) for m in methods):
                return kind, plugin
    if colon and file.partition(".")[0] in KENNING:
        plugin = _served(_installed("dataset", what))
        return ("dataset" if hasattr(plugin.plugin, "samples") else "engine"), plugin
    return "engine", find("engine", what)


def lacks(kind: str, name: str) -> str:
    """A sentence if a plug-in of edgeprobe itself lacks its package; "" if it does not, and for other names."""
    own = OWN[kind].get(name)
    if own is None or own.package in packages():
        return ""
    pins = os.path.join(os.path.dirname(os.path.dirname(__file__)), "engines", f"requirements-{name}.txt")
    fetch = f"run 'edgeprobe fetch {name}' (used if neither --python nor EDGEPROBE_PYTHON is set), " if os.path.exists(pins) else ""
    return f"plug-in '{name}' needs the package {own.package}, which {sys.executable} does not have; {fetch}install it there, or name another Python with --python"


def _installed(kind: str, name: str) -> Found:
    own = OWN[kind]
    module, colon, attribute = name.rpartition(":")
    if colon and module.partition(".")[0] in KENNING:
        return _of_module(f"'{name}'", _module_with(module, attribute) if module in KENNING else module, attribute)
    if name in own:
        if why := lacks(kind, name):
            raise Refused(NOT_FOUND, why)
        return _of_module(f"plug-in '{name}'", *own[name].target.split(":"))
    there = [e for e in entry_points(GROUPS[kind]) if e.name == name]
    if not there:
        names = sorted({*own, *(e.name for e in entry_points(GROUPS[kind]))})
        near = difflib.get_close_matches(name, names, 1)
        raise Refused(USAGE, f"{kind} plug-in '{name}' is unknown" + (f"; did you mean '{near[0]}'?" if near else
                      f"; {sys.executable} has {', '.join(names) or 'none'}") + f"; 'edgeprobe list {kind}s' lists them, and FILE.py:CLASS names a class of your own")
    if len({e.package for e in there}) > 1:
        raise Refused(USAGE, f"{kind} plug-in '{name}' is in several packages: {', '.join(sorted({e.package for e in there}))}; uninstall all but one")
    return _of_module(f"plug-in '{name}' of package {there[0].package}", there[0].module, there[0].attribute)


def _module_with(package: str, name: str) -> str:
    """The module inside a package of Kenning whose text defines this class; nothing is imported to find it."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise Refused(NOT_FOUND, f"{sys.executable} has no package {package}; install it there, or name another Python with --python")
    names = []
    for root in spec.submodule_search_locations or ():
        for path in sorted(pathlib.Path(root).rglob("*.py")):
            names += (there := re.findall(r"^class (\w+)", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE))
            if name in there:
                return ".".join([package, *path.relative_to(root).with_suffix("").parts]).removesuffix(".__init__")
    near = difflib.get_close_matches(name, names, 1)
    raise Refused(USAGE, f"package {package} has no class '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))


def _of_module(label: str, module: str, attribute: str) -> Found:
    spec = importlib.util.find_spec(module.split(".")[0])
    folder = os.path.dirname(spec.origin) if spec and spec.origin else ""
    loaded = _imported(label, folder, lambda: importlib.import_module(module))
    plugin: Any = loaded
    for part in attribute.split("."):
        plugin = getattr(plugin, part, None)
    if not isinstance(plugin, type):
        near = difflib.get_close_matches(attribute, [n for n, v in vars(loaded).items() if isinstance(v, type)], 1)
        raise Refused(USAGE, f"{label}: module {module} has no class '{attribute}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    return Found(plugin, sys.modules[plugin.__module__].__file__ or "")


def _imported(label: str, folder: str, run: Any) -> Any:
    try:
        return run()
    except SystemExit as error:
        raise Refused(USAGE, f"{label} ended the program while it was imported (exit code {error.code})") from None
    except BaseException as error:
        show(error)
        raise Refused(USAGE, f"{label} cannot be imported: {one_line(error)}{where(error, folder)}") from None

