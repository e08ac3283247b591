# SPDX-License-Identifier: Apache-2.0
"""Contents and speed of a model: ``edgeprobe inspect`` and ``edgeprobe bench`` as functions."""
from __future__ import annotations

from typing import TypedDict, Unpack

from .verbs import EngineOptions, PartOptions, Path, Result, _verb


class BenchOptions(EngineOptions, PartOptions, total=False):
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
    python: Path
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
    """Measures the latency of a model and its layers, with intervals: ``edgeprobe bench``."""
    return _verb("bench", [model], BenchOptions, dict(options))


def inspect(model: Path, **options: Unpack[InspectOptions]) -> Result:
    """Returns the contents of a model file: ``edgeprobe inspect``. With ``lint=True`` the result differs if the file has a certain fault."""
    return _verb("inspect", [model], InspectOptions, dict(options))
