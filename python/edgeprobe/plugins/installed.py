# SPDX-License-Identifier: Apache-2.0
"""Entry points of installed packages, read from their metadata: nothing is imported, and importlib.metadata, which takes longer than this, neither."""
from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterator


#: The groups of entry points, by kind.
GROUPS = {kind: f"edgeprobe.{kind}s" for kind in ("engine", "dataset", "metric", "compiler", "model")}


@dataclasses.dataclass(frozen=True)
class EntryPoint:
    group: str
    name: str
    module: str
    attribute: str
    package: str
    version: str


def _folders() -> Iterator[tuple[str, str, str]]:
    """Name, version and folder of the metadata of each installed package. The first folder of sys.path that has a package wins, as for imports."""
    seen = set()
    for folder in dict.fromkeys(os.path.abspath(p or ".") for p in sys.path):
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            continue
        for name in names:
            stem, dot, kind = name.rpartition(".")
            if not dot or kind not in ("dist-info", "egg-info"):
                continue
            package, _, version = stem.partition("-")
            package = package.lower().replace("_", "-")
            if package not in seen:
                seen.add(package)
                yield package, version.partition("-")[0], os.path.join(folder, name)


def packages() -> dict[str, str]:
    """The version of each installed package."""
    return {package: version for package, version, _ in _folders()}


def entry_points(*groups: str) -> list[EntryPoint]:
    """Those of the groups, sorted by group and name."""
    found: list[EntryPoint] = []
    for package, version, folder in _folders():
        try:
            with open(os.path.join(folder, "entry_points.txt"), encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError):
            continue
        if "edgeprobe." in text:
            found += [e for e in _read(text, package, version) if e.group in groups]
    return sorted(found, key=lambda e: (e.group, e.name, e.package))


def _read(text: str, package: str, version: str) -> list[EntryPoint]:
    out, group = [], ""
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            module, _, attribute = value.partition("[")[0].strip().partition(":")
            out.append(EntryPoint(group, name.strip(), module.strip(), attribute.strip(), package, version))
    return out
