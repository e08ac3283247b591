# SPDX-License-Identifier: Apache-2.0
"""The grid as one value (JSON), from which every writer makes its file."""
from __future__ import annotations

import datetime
import platform

from . import importers, numbers_rule, statuses
from .frameworks import TITLES

_KEPT = ("status", "reason", "pair", "first_node", "cause", "error", "threshold", "sensitivity", "seconds", "wall_seconds", "peak_memory", "exceeded",
         "versions", "ir", "opsets", "nodes", "bytes")


def table_of(request: dict, found: list, rows: list) -> dict:
    models = list(dict.fromkeys([name for name in TITLES if any(row.model == name for row in rows)] + [row.model for row in rows]))
    return {
        "onnx_conversion": 1,
        "edgeprobe": request["version"],
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()} {platform.system()}",
        "command": request["command"],
        "limits": request["limits"],
        "rule": numbers_rule.RULE,
        "statuses": {status: list(words) for status, words in statuses.MEANINGS.items()},
        "frameworks": [{"key": one.key, "name": one.name, "python": one.python_version, "versions": one.versions, "missing": one.wrong} for one in found],
        "importers": [{"key": name, "name": importers.IMPORTERS[name][0], "versions": versions_of(name, rows)} for name in request["importers"]],
        "own_importers": importers.OF_FRAMEWORK,
        "models": [{"key": name, "name": TITLES.get(name, name)} for name in models],
        "cells": [cell for row in rows for cell in cells_of(row)],
    }


def versions_of(importer: str, rows: list) -> dict[str, str]:
    """Of the first row that the importer was tried on."""
    return next((row.imports[importer]["versions"] for row in rows if row.imports[importer].get("versions")), {})


def cells_of(row) -> list[dict]:
    where = {"framework": row.framework.key, "model": row.model}
    cells = [{**where, "kind": "export", **kept(row.export)}]
    return cells + [{**where, "kind": "import", "importer": name, **kept(result)} for name, result in row.imports.items()]


def kept(result: dict) -> dict:
    return {key: result[key] for key in _KEPT if result.get(key) not in (None, "")}
