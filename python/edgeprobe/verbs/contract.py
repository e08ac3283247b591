# SPDX-License-Identifier: Apache-2.0
"""Contracts: ``edgeprobe contract learn``, ``check`` and ``update`` as functions (docs/guides/contracts.md).

    edgeprobe.contract.learn("good.mcap", "contract.json")
    result = edgeprobe.contract.check("today.mcap", "contract.json")
    for one in result.assertions:
        print(one.id, one.state, one.why)

The subject is a trace, or a model to run on ``data``. A result's ``assertions`` have ``id``, ``state`` ("passes", "fails",
"cannot_tell", "not_yet"), ``frame``, ``value``, ``bound``, ``why`` and ``cure``.
"""
from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Literal, Unpack

from .verbs import DataOptions, EngineOptions, Path, Pipeline, Result, _verb

#: The package gives its public names by attribute: edgeprobe.contract is this module.
contract = sys.modules[__name__]


class SubjectOptions(EngineOptions, DataOptions, total=False):
    recipe: Path
    pipeline: Pipeline
    tokenizer: Path
    data: Path
    boxes: str
    metric: Pipeline
    reference: Path
    level: Literal["io", "embedding", "layers"]
    raw: Literal["encoded", "pixels", "none"]
    cpus: str


class LearnOptions(SubjectOptions, total=False):
    force: bool
    speed: bool


class CheckOptions(SubjectOptions, total=False):
    junit: Path
    sarif: Path
    markdown: Path
    annotations: Path
    mutate: bool
    follow: bool
    timeout: float


def learn(subject: Path, out: Path = "contract.json", **options: Unpack[LearnOptions]) -> Result:
    """Learns a contract from a good trace. If the result differs, the trace breaks its own contract and nothing is written."""
    return _verb("contract learn", [subject], LearnOptions, dict(options), out=out)


def check(subject: Path, contract: Path = "contract.json", *, app: Sequence[Path] = (), **options: Unpack[CheckOptions]) -> Result:
    """Checks a trace or a model against the contract. ``follow=True`` judges the first ``frames`` of a running app; ``app`` is the command that
    starts it, and it is stopped after the check."""
    return _verb("contract check", [subject, *app], CheckOptions, {**options, "follow": True} if app else dict(options), contract=contract)


def update(subject: Path, contract: Path = "contract.json", **options: Unpack[SubjectOptions]) -> Result:
    """Updates the bounds that no longer hold; ``result.changes`` has each ``place`` with its values ``before`` and ``after``."""
    return _verb("contract update", [subject], SubjectOptions, dict(options), contract=contract)
