# SPDX-License-Identifier: Apache-2.0
"""Versions that fail together, and those that work instead. Each row was run both ways."""
from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    of: str  #: framework or importer
    #: Package -> least version that fails, as numbers.
    fails_from: dict
    #: Words in the reason, as a regular expression.
    reason: str
    works: str


PAIRS = (
    Pair("sklearn", {"protobuf": (7,), "skl2onnx": (1, 20)}, r"Unable to create node 'TreeEnsemble|Expected an int, got a boolean",
         "skl2onnx 1.20.0 writes truth values where protobuf 7 takes only integers; it works with protobuf 6.33.6"),
)


def with_hint(result: dict, of: str, model: str) -> dict:
    """The result, with the pair of versions that works if its failure is known."""
    if result.get("status") in ("supported", "differs"):
        return result
    for pair in PAIRS:
        versions = result.get("versions") or {}
        is_there = all(numbers(versions.get(package, "")) >= least for package, least in pair.fails_from.items())
        if pair.of == of and is_there and re.search(pair.reason, result.get("reason", "")):
            return {**result, "pair": pair.works}
    return result


def numbers(version: str) -> tuple:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:4])
