# SPDX-License-Identifier: Apache-2.0
"""Trains a network, one step at a time, with the same numbers in each run."""
from __future__ import annotations

import contextlib
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch
from torch import nn

from . import losses, safetensors
from .description import Network
from .network import Interpreter
from .training import Training


class Learner:
    """A network, the moving average of its weights, its optimizer, and a teacher if there is one."""

    backbone, head = None, None

    def __init__(self, network: Network, training: Training, weights: "dict[str, np.ndarray]", device: str) -> None:
        torch.use_deterministic_algorithms(True)
        torch.backends.cudnn.benchmark = False
        self.training, self.device = training, torch.device(device)
        self.model = self._made(network, weights)
        self.average = self._made(network, weights) if training.ema_update_period else None
        self.teacher: "Interpreter | None" = None
        self.judged = self.model
        self.epoch, self.iteration = 0, 0

    def _made(self, network: Network, weights: "dict[str, np.ndarray]") -> Interpreter:
        made = Interpreter(network)
        made.set_weights(weights)
        return made.to(self.device)

    def teach(self, network: Network, weights: "dict[str, np.ndarray]") -> None:
        """From now on, this network's answers are learned beside the labels."""
        self.teacher = self._made(network, weights).eval()

    def versions(self) -> "dict[str, Any]":
        there = {"torch": torch.__version__, "numpy": np.__version__, "device": str(self.device), "threads": torch.get_num_threads()}
        return {**there, "gpu": torch.cuda.get_device_name(self.device)} if self.device.type == "cuda" else there

    # Of the loop

    def begin(self, _phase: str, rate: float) -> None:
        t = self.training
        self.trained: "list[nn.Parameter]" = []
        groups: "dict[float, list[nn.Parameter]]" = {}
        for module in self.model.modules():
            for name, value in module.named_parameters(recurse=False):
                groups.setdefault(t.decay_of(isinstance(module, nn.BatchNorm2d), name == "bias"), []).append(value)
                self.trained.append(value)
        told: "list[dict[str, Any]]" = [{"params": values, "weight_decay": decay} for decay, values in groups.items()]
        if t.optimizer == "sgd":
            self.optimizer: torch.optim.Optimizer = torch.optim.SGD(told, rate, t.momentum, t.dampening, nesterov=t.nesterov)
        else:
            self.optimizer = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[t.optimizer](told, rate, (t.beta1, t.beta2))

    def begin_epoch(self, epoch: int, iteration: int, rate: float) -> None:
        self.epoch, self.iteration = epoch, iteration
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def _inputs(self, values: np.ndarray, labels: np.ndarray) -> "tuple[torch.Tensor, torch.Tensor]":
        return torch.from_numpy(values).to(self.device), torch.from_numpy(labels.astype(np.int64)).to(self.device)

    def step(self, values: np.ndarray, labels: np.ndarray, _features: bool) -> "tuple[float, int]":
        """Loss (mean of the batch) before the step, and the number of right answers."""
        self.model.train()
        taken, wanted = self._inputs(values, labels)
        scores = self.model(taken)
        loss = losses.true_labels(scores, wanted, self.training.label_smoothing)
        if self.teacher is not None:
            with torch.no_grad():
                taught = self.teacher(taken)
            loss = loss + losses.SOFT_WEIGHT * losses.soft_labels(scores, taught, wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self._follow()
        self.iteration += 1
        return loss.item(), int((scores.argmax(1) == wanted).sum())

    @torch.no_grad()
    def _follow(self) -> None:
        """The average takes a share of the weights and statistics."""
        share = self.training.average_share(self.epoch, self.iteration)
        if self.average is None or not share:
            return
        for value, now in zip(self.average.state_dict().values(), self.model.state_dict().values(), strict=True):
            value.copy_(value * (1 - share) + now * share)

    @torch.no_grad()
    def judge(self, values: np.ndarray, labels: np.ndarray, _features: bool) -> "tuple[float, int, np.ndarray]":
        """Loss (sum over the batch), number of right answers, and the numbers of the classes answered."""
        self.judged.eval()
        taken, wanted = self._inputs(values, labels)
        scores = self.judged(taken)
        answers = scores.argmax(1)
        return nn.functional.cross_entropy(scores, wanted, reduction="sum").item(), int((answers == wanted).sum()), answers.cpu().numpy()

    @contextlib.contextmanager
    def averaged(self) -> "Iterator[None]":
        """Inside, judge() asks the averaged weights."""
        assert self.average is not None
        self.judged = self.average
        try:
            yield
        finally:
            self.judged = self.model

    @torch.no_grad()
    def settle(self, batches: "Iterable[np.ndarray]", count: int) -> None:
        """Replaces the statistics of all norms by the mean of those of ``count`` batches, for these weights and for their average."""
        models = [one for one in (self.model, self.average) if one is not None]
        norms = [[module for module in model.modules() if isinstance(module, nn.BatchNorm2d)] for model in models]
        every = [norm for of_model in norms for norm in of_model]
        sums = [(torch.zeros_like(norm.running_mean), torch.zeros_like(norm.running_var)) for norm in every]
        before = [(norm.running_mean.clone(), norm.running_var.clone()) for norm in every]
        kept = [norm.momentum for norm in every]
        done = 0
        try:
            for norm in every:
                norm.momentum = 1.0  # its statistics are those of the last batch
            for values in batches:
                taken = torch.from_numpy(values).to(self.device)
                for model in models:
                    model.train()
                    model(taken)
                for norm, (mean, variance) in zip(every, sums, strict=True):
                    mean += norm.running_mean / count
                    variance += norm.running_var / count
                done += 1
        finally:
            # After an interruption, the statistics of before.
            for norm, momentum, values in zip(every, kept, sums if done == count else before, strict=True):
                norm.momentum = momentum
                norm.running_mean.copy_(values[0])
                norm.running_var.copy_(values[1])

    # State

    def state(self) -> "dict[str, np.ndarray]":
        """All that the next step depends on."""
        arrays = {f"model/{name}": _array(value) for name, value in self.model.state_dict().items()}
        if self.average is not None:
            arrays.update({f"average/{name}": _array(value) for name, value in self.average.state_dict().items()})
        for i, value in enumerate(self.trained):
            for name, part in sorted(self.optimizer.state.get(value, {}).items()):
                if part is not None:
                    arrays[f"optimizer/{i}/{name}"] = _array(part)
        return arrays

    def restore(self, arrays: "dict[str, np.ndarray]") -> None:
        for model, begin in ((self.model, "model/"), (self.average, "average/")):
            if model is not None:
                model.set_weights({name[len(begin):]: value for name, value in arrays.items() if name.startswith(begin)})
        for name, part in arrays.items():
            if name.startswith("optimizer/"):
                _, number, key = name.split("/")
                value = self.trained[int(number)]
                tensor = torch.from_numpy(part.copy())
                self.optimizer.state[value][key] = tensor if key == "step" else tensor.to(value.device)

    def weights(self, averaged: bool = False) -> "list[np.ndarray]":
        model = self.average if averaged else self.model
        assert model is not None
        return [_array(value) for value in model.state_dict().values()]

    def set_weights(self, weights: "list[np.ndarray]") -> None:
        self.model.set_weights(dict(zip(self.model.state_dict(), weights, strict=True)))

    def save(self, path: pathlib.Path) -> None:
        # In the order of the layers, whatever that of the modules is.
        state = self.model.state_dict()
        path.write_bytes(safetensors.packed({name: _array(state[name]) for name in self.model.network.parameters()}))


def _array(value: Any) -> np.ndarray:
    return value.detach().cpu().numpy().copy() if isinstance(value, torch.Tensor) else np.asarray(value)
