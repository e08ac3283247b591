# SPDX-License-Identifier: Apache-2.0
"""Which classes of Kenning run here, and the adapter of each."""
from __future__ import annotations

import importlib
import re
from typing import Any

from ..plugins.found import KENNING, Found, find
from ..plugins.process import USAGE, Refused

#: Characters of an engine's name (src/engine/plugin_name.cc).
LONGEST_NAME = 40

#: The base classes of Kenning, by the module below its package and their names -> the module and the adapter here.
ROLES = {
    ("core.dataset", "Dataset"): ("dataset", "DatasetAdapter"),
    ("core.model", "ModelWrapper"): ("wrapper", "WrapperAdapter"),
    ("core.runtime", "Runtime"): ("runtime", "RuntimeAdapter"),
}


def base_of(plugin: type) -> tuple[type, tuple[str, str]] | None:
    """The class of Kenning's core that this one extends, with its module and name there. It is known by these, so that no release has to be imported."""
    for base in plugin.__mro__:
        package, _, module = base.__module__.partition(".")
        if package in KENNING and module.startswith("core."):
            found = (module, base.__name__)
            if found in ROLES:
                return base, found
    return None


def named(option: str, what: str, role: str) -> Found:
    """The class of Kenning, a Dataset or a ModelWrapper, that the user names in an option."""
    found = find("dataset" if role == "Dataset" else "engine", what.removeprefix("python:"))
    kenning = getattr(found.plugin, "kenning", None)
    if kenning is None or base_of(kenning)[1][1] != role:
        raise Refused(USAGE, f"option '{option}' is '{what}', which is no {role} of Kenning")
    found.plugin = kenning
    return found


def adapter(plugin: type, folder: str) -> type:
    """A plug-in that serves this class of Kenning unchanged; ``folder`` is that of its own code."""
    found = base_of(plugin)
    if found is None:
        core = [base.__name__ for base in plugin.__mro__ if base.__module__.startswith(tuple(f"{package}.core." for package in KENNING))]
        if not core:
            return plugin  # only a helper of Kenning
        raise Refused(USAGE, f"{plugin.__name__} is a {core[0]} of Kenning; those that run here are {', '.join(name for _, name in ROLES)}; "
                      "docs/from-edge-ai-tester.md has what to use for others")
    base, role = found
    module, name = ROLES[role]
    served: Any = getattr(importlib.import_module(f".{module}", __package__), name)
    title = re.sub(r"[^a-z0-9_-]", "_", f"{base.__module__.partition('.')[0]}-{plugin.__name__.lower()}")[:LONGEST_NAME]  # not that of an engine here
    return type(plugin.__name__, (served,), {"kenning": plugin, "base": base, "folder": folder, "name": title, "__doc__": plugin.__doc__,
                                             "__module__": plugin.__module__})
