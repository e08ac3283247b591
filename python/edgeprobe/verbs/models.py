# SPDX-License-Identifier: Apache-2.0
"""What a model file holds, and how fast it runs: ``edgeprobe inspect`` and ``edgeprobe bench`` as functions."""
from __future__ import annotations

from typing import TypedDict, Unpack

from .verbs import EngineOptions, Path, Result, _verb


class BenchOptions(EngineOptions, total=False):
    duration: float
    runs: int
    warm_up: float
    noise: str
    scenario: str
    streams: int
    batch: int
    layers: bool
    cold: int
    seed: int
    recipe: Path
    data: Path
    labels: Path
    classes: Path
    frames: int
    perfetto: Path
    cpus: str | list[str]


class InspectOptions(TypedDict, total=False):
    tensors: bool
    ops: bool
    lint: bool


def bench(model: Path, **options: Unpack[BenchOptions]) -> Result:
    """How fast does a model run, how sure is that, and in which layers? ``edgeprobe bench``."""
    return _verb("bench", [model], BenchOptions, dict(options))


def inspect(model: Path, **options: Unpack[InspectOptions]) -> Result:
    """What does a model file hold? ``edgeprobe inspect``. With ``lint=True`` the result differs where something is certainly wrong."""
    return _verb("inspect", [model], InspectOptions, dict(options))
