# SPDX-License-Identifier: Apache-2.0
"""Trains a module of PyTorch, one step at a time, with the same numbers in each run."""
from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from .slots import Slot


class Learner:
    """A module, its backbone if it has one, and the optimizer of the current phase."""

    ENDINGS = (".pt2",)

    def __init__(self, build: "Callable[..., Any]", backbone: "Callable[..., Any] | None", input_shape: "tuple[int, ...]", classes: int, seed: int) -> None:
        torch.use_deterministic_algorithms(True)
        torch.manual_seed(seed)
        self.model = build(tuple(input_shape), classes)
        if not isinstance(self.model, nn.Module):
            raise ValueError(f"build() returned {type(self.model).__name__}; expected a torch.nn.Module")
        self.backbone = backbone(self.model) if backbone else None
        self.shape = tuple(input_shape)
        self.model.eval()
        with torch.no_grad():
            scores = self.model(torch.from_numpy(np.random.default_rng(0).standard_normal((4, *input_shape)).astype(np.float32))).numpy()
        if scores.shape != (4, classes):
            raise ValueError(f"the module gives {list(scores.shape)} for 4 samples; expected [4, {classes}], a value for each class")
        self._scores = getattr(self.model, "logits", self.model)
        sums_to_one = bool(np.all(scores >= 0) and np.allclose(scores.sum(1), 1, atol=1e-4))
        self.gives_logits = self._scores is not self.model or not sums_to_one

    @staticmethod
    def versions() -> "dict[str, str]":
        return {"torch": torch.__version__, "numpy": np.__version__}

    def begin(self, phase: str, rate: float) -> None:
        """A new optimizer for "all" weights, for those after the "frozen" backbone, or also its last blocks: "fine"."""
        self.phase = phase
        for value in self.model.parameters():
            value.requires_grad = True
        if self.backbone is not None and phase != "all":
            for value in self.backbone.parameters():
                value.requires_grad = False
            layers = [one for one in self.backbone.modules() if isinstance(one, (nn.Conv2d, nn.Conv1d, nn.Linear))]
            for layer in layers[-max(1, len(layers) // 4):] if phase == "fine" else []:
                for value in layer.parameters():
                    value.requires_grad = True
        has_head = phase == "frozen" and hasattr(self.model, "logits") and getattr(self.model, "backbone", None) is self.backbone
        self.head = getattr(self.model, "head", None) if has_head else None
        self.trained = [value for value in self.model.parameters() if value.requires_grad]
        self.optimizer = torch.optim.Adam(self.trained, rate)

    def _loss(self, scores: torch.Tensor, labels: torch.Tensor, reduction: str) -> torch.Tensor:
        if self.gives_logits:
            return nn.functional.cross_entropy(scores, labels, reduction=reduction)
        return nn.functional.nll_loss(scores.clamp_min(1e-7).log(), labels, reduction=reduction)

    def _inputs(self, values: np.ndarray, labels: np.ndarray) -> "tuple[torch.Tensor, torch.Tensor]":
        return torch.from_numpy(values), torch.from_numpy(labels.astype(np.int64))

    def step(self, values: np.ndarray, labels: np.ndarray, features: bool) -> "tuple[float, int]":
        """Loss (mean of the batch) before the step, and the number of right answers."""
        self.model.train()
        if self.backbone is not None and self.phase != "all":
            self.backbone.eval()
        taken, wanted = self._inputs(values, labels)
        self.optimizer.zero_grad()
        scores = (self.head if features else self._scores)(taken)
        loss = self._loss(scores, wanted, "mean")
        loss.backward()
        self.optimizer.step()
        return loss.item(), int((scores.argmax(1) == wanted).sum())

    @torch.no_grad()
    def judge(self, values: np.ndarray, labels: np.ndarray, features: bool) -> "tuple[float, int, np.ndarray]":
        """Loss (sum over the batch), number of right answers, and the numbers of the classes answered."""
        self.model.eval()
        taken, wanted = self._inputs(values, labels)
        scores = (self.head if features else self._scores)(taken)
        return self._loss(scores, wanted, "sum").item(), int((scores.argmax(1) == wanted).sum()), scores.argmax(1).numpy()

    @torch.no_grad()
    def embed(self, values: np.ndarray) -> np.ndarray:
        """The backbone's features of prepared inputs."""
        self.backbone.eval()
        return self.backbone(torch.from_numpy(values)).numpy()

    # State

    def state(self) -> "dict[str, np.ndarray]":
        """All that the next step depends on: weights, random numbers of dropout, optimizer."""
        arrays = {f"model/{i}": value.numpy().copy() for i, value in enumerate(self.model.state_dict().values())}
        for i, value in enumerate(self.trained):
            for name, part in sorted(self.optimizer.state.get(value, {}).items()):
                arrays[f"optimizer/{i}/{name}"] = part.numpy().copy()
        return {**arrays, "random": torch.get_rng_state().numpy().copy()}

    def restore(self, arrays: "dict[str, np.ndarray]") -> None:
        self.set_weights([arrays[f"model/{i}"] for i in range(len(self.model.state_dict()))])
        for name, part in arrays.items():
            if name.startswith("optimizer/"):
                _, number, key = name.split("/")
                self.optimizer.state[self.trained[int(number)]][key] = torch.from_numpy(part.copy())
        torch.set_rng_state(torch.from_numpy(arrays["random"].copy()))

    def weights(self) -> "list[np.ndarray]":
        return [value.numpy().copy() for value in self.model.state_dict().values()]

    def set_weights(self, weights: "list[np.ndarray]") -> None:
        with torch.no_grad():
            for value, given in zip(self.model.state_dict().values(), weights, strict=True):
                value.copy_(torch.from_numpy(given))

    def save(self, path: pathlib.Path) -> None:
        self.model.eval()
        torch.export.save(torch.export.export(self.model, (torch.zeros(1, *self.shape),)), path)

    # Backbone weights

    def backbone_weights(self) -> "list[np.ndarray]":
        return [value.numpy() for value in self.backbone.state_dict().values()]

    def slots(self) -> "list[Slot]":
        """The backbone's layers with weights, in the order of its definition. Shapes are those of Keras."""
        out = []
        for name, layer in self.backbone.named_modules():
            if isinstance(layer, nn.BatchNorm2d):
                parts = {"gamma": layer.weight, "beta": layer.bias, "mean": layer.running_mean, "variance": layer.running_var}
                out.append(Slot(name, "norm", {role: tuple(value.shape) for role, value in parts.items()}, layer.eps, parts))
            elif isinstance(layer, (nn.Conv2d, nn.Linear)):
                is_depthwise = isinstance(layer, nn.Conv2d) and layer.groups > 1 and layer.weight.shape[1] == 1
                kind = "depthwise" if is_depthwise else "conv" if isinstance(layer, nn.Conv2d) else "dense"
                shape = tuple(layer.weight.permute(PERMUTED[kind]).shape)
                roles = {"kernel": shape, **({"bias": tuple(layer.bias.shape)} if layer.bias is not None else {})}
                out.append(Slot(name, kind, roles, 0.0, {"kernel": layer.weight, "bias": layer.bias}))
        return out

    @staticmethod
    def assign(slot: Slot, role: str, values: np.ndarray) -> None:
        if role == "kernel":
            values = values.transpose(np.argsort(PERMUTED[slot.kind]))
        with torch.no_grad():
            slot.place[role].copy_(torch.from_numpy(np.ascontiguousarray(values)))


#: Kernels of PyTorch in the order of Keras: [height, width, in, out], of a depthwise convolution [height, width, out, 1], of a dense layer [in, out].
PERMUTED = {"conv": (2, 3, 1, 0), "depthwise": (2, 3, 0, 1), "dense": (1, 0)}
