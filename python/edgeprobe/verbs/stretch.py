# SPDX-License-Identifier: Apache-2.0
"""One model on several processors: ``edgeprobe stretch`` as functions (docs/guides/stretch.md).

    found = edgeprobe.stretch.search("model.onnx", "fastest.json")
    print(found.answer)
    edgeprobe.run("model.onnx", "pictures", engine="stretch:fastest.json")

A result has the verb's ``--json`` output (docs/reference/verbs.md): times in seconds, tensors by name.
"""
from __future__ import annotations

import os
import sys
from typing import TypedDict, Unpack

from .verbs import EngineOptions, LocalEngineOptions, PartOptions, Path, Result, _verb

#: The package gives its public names by attribute: edgeprobe.stretch is this module.
stretch = sys.modules[__name__]


class GenerateOptions(TypedDict, total=False):
    plan: Path
    network: Path
    picture: Path
    weights: Path
    weights_output: Path
    seed: int
    size: int
    classes: int
    adapters: str
    most_gmacs: float
    device: Path
    engine: str | list[str]
    cpus: str
    trust: bool
    force: bool


class RegionsOptions(TypedDict, total=False):
    cut: Path
    force: bool


class SplitOptions(TypedDict, total=False):
    rows: bool
    shares: str
    force: bool


class InputOptions(PartOptions, total=False):
    input_shape: str | tuple[int, ...] | list[str]
    recipe: Path
    data: Path
    labels: Path
    classes: Path
    frames: int


class SearchOptions(InputOptions, total=False):
    device: Path
    engine: str | list[str]
    cpus: str
    plans: Path
    seconds: float
    best: int
    rounds: int
    fresh: bool
    force: bool
    trust: bool
    time_limit: float


class ExplainOptions(InputOptions, total=False):
    runs: int
    trust: bool
    time_limit: float


class TableOptions(InputOptions, total=False):
    seconds: float
    rounds: int
    trust: bool
    time_limit: float


class ProfileOptions(LocalEngineOptions, PartOptions, total=False):
    model: Path
    cpus: str
    recipe: Path
    data: Path
    labels: Path
    classes: Path
    frames: int
    seconds: float
    processes: int
    seed: int
    energy_counter: str
    energy_seconds: float
    size: int
    adapters: str
    most_gmacs: float
    device: Path
    weights: Path
    force: bool


class EvaluateOptions(EngineOptions, PartOptions, total=False):
    plan: Path
    base: Path
    base_plan: Path
    base_recipe: Path
    recipe: Path
    labels: Path
    classes: Path
    frames: int
    size: int
    adapters: str
    most_gmacs: float
    device: Path
    weights: Path
    python: Path
    cpus: str


class TrainOptions(PartOptions, total=False):
    labels: Path
    classes: Path
    frames: int
    recipe: Path
    logdir: Path
    weights: Path
    teacher: Path
    teacher_weights: Path
    num_epochs: int
    batch_size: int
    learning_rate: float
    augment: str
    size: int
    adapters: str
    most_gmacs: float
    subnets: int
    seed: int
    checkpoint_every: float
    restart: bool
    time_limit: float
    device: str
    python: Path


def generate(configuration: Path, output: Path | None = None, **options: Unpack[GenerateOptions]) -> Result:
    """Makes a network with a branch for each processor, or a folder of them: counts in ``result.networks``; ``output``: the model to write."""
    return _verb("stretch generate", [configuration], GenerateOptions, dict(options), output=output)


def regions(model: Path, **options: Unpack[RegionsOptions]) -> Result:
    """Lists the branches of a model that could run in parallel, without running it."""
    return _verb("stretch regions", [model], RegionsOptions, dict(options))


def split(model: Path, output: Path | None = None, **options: Unpack[SplitOptions]) -> Result:
    """Lists the layers of a model that can be split; ``output``: the split model to write."""
    return _verb("stretch split", [model], SplitOptions, dict(options), output=output)


def search(model: Path, output: Path | None = None, **options: Unpack[SearchOptions]) -> Result:
    """Measures the fastest way to run a model on several processors; ``output``: the plan to write. If ``result.branches`` is False, the answer is
    not to branch, with the figures."""
    return _verb("stretch search", [model], SearchOptions, dict(options), output=output)


def explain(plan: Path, model: Path, **options: Unpack[ExplainOptions]) -> Result:
    """Returns what each processor does under a plan, and when."""
    return _verb("stretch explain", [plan, model], ExplainOptions, dict(options))


def profile(path: Path, output: Path = "result.csv", **options: Unpack[ProfileOptions]) -> Result:
    """Measures each model, plan and configuration of a folder on this machine: one row each in the table ``output`` and in ``result.profiles``."""
    return _verb("stretch profile", [path], ProfileOptions, dict(options), output=output)


def evaluate(models: Path | list[Path], data: Path, **options: Unpack[EvaluateOptions]) -> Result:
    """Measures top-1 and top-5 of models, plans and configurations as they are executed, on labelled samples: ``result.evaluations``. With ``base``, each has
    ``against_base``; ``result.differs``: one is worse."""
    return _verb("stretch evaluate", [models] if isinstance(models, (str, os.PathLike)) else list(models), EvaluateOptions, dict(options), data=data)


def table(plan: Path, model: Path, **options: Unpack[TableOptions]) -> Result:
    """Compares a plan with its engine's own options. ``result.undecided``: other programs used the CPUs."""
    return _verb("stretch table", [plan, model], TableOptions, dict(options))


def train(network: Path, data: Path, output: Path, **options: Unpack[TrainOptions]) -> Result:
    """Trains a network of ``stretch generate`` with PyTorch on the values of a recipe; ``output``: the weights to write. ``result.best`` is the row of
    ``result.history`` whose weights they are."""
    return _verb("stretch train", [network, data], TrainOptions, dict(options), output=output)
