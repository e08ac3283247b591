# SPDX-License-Identifier: Apache-2.0
"""Trains a supernet by the sandwich rule (J. Yu et al., ICCV 2019): in each step the largest network learns the labels; the smallest and drawn ones learn
its answers."""
from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch.nn import functional

from ..train.order import generator
from . import losses
from .description import Network
from .learner import Learner
from .supernet import Subnet
from .training import Training

#: A kind of use of random numbers (train/order.py): networks of a step.
NETWORKS = 4


class SupernetLearner(Learner):
    """``networks``: the largest one, the smallest one, then others. ``size``: networks of a step."""

    def __init__(self, networks: "list[Network]", training: Training, weights: "dict[str, np.ndarray]", device: str, seed: int, size: int) -> None:
        super().__init__(networks[0], training, weights, device)
        self.subnets = [Subnet(self.model, network) for network in networks]
        self.seed, self.size = seed, size

    def drawn(self) -> "list[int]":
        """The networks of this step, without the largest one."""
        others = np.arange(2, len(self.subnets))
        count = min(self.size - 2, len(others))
        if count <= 0:
            return [1][:self.size - 1]
        return [1, *generator(self.seed, NETWORKS, self.epoch, self.iteration).choice(others, count, replace=False).tolist()]

    def step(self, values: np.ndarray, labels: np.ndarray, _features: bool) -> "tuple[float, int]":
        """Loss (mean of the batch) of the largest network before the step, and the number of its right answers. The gradients of all networks of the
        step are added; the weights change once."""
        self.model.train()
        taken, wanted = self._inputs(values, labels)
        self.optimizer.zero_grad()
        scores = self.model(taken)
        loss = losses.true_labels(scores, wanted, self.training.label_smoothing)
        loss.backward()
        targets = functional.softmax(scores.detach(), 1)
        for number in self.drawn():
            answers = self.subnets[number](taken, True)
            (-(targets * functional.log_softmax(answers, 1)).sum(1).mean()).backward()
        self.optimizer.step()
        self._follow()
        self.iteration += 1
        return loss.item(), int((scores.argmax(1) == wanted).sum())

    @torch.no_grad()
    def judge_subnet(self, number: int, settling: "Iterable[np.ndarray]", batches: "Iterable[tuple[np.ndarray, np.ndarray]]") -> "tuple[float, float, int]":
        """Accuracy, loss and number of samples of one network, after its norms' statistics were computed from the settling batches."""
        subnet = self.subnets[number]
        subnet.settle(torch.from_numpy(values).to(self.device) for values in settling)
        right, lost, count = 0, 0.0, 0
        for values, labels in batches:
            taken, wanted = self._inputs(values, labels)
            scores = subnet(taken, False)
            right += int((scores.argmax(1) == wanted).sum())
            lost += functional.cross_entropy(scores, wanted, reduction="sum").item()
            count += len(labels)
        return right / max(count, 1), lost / max(count, 1), count
