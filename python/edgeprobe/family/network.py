# SPDX-License-Identifier: Apache-2.0
"""A network's list of layers as a module of PyTorch. Its state_dict() has the names of NN-Stretch's modules."""
from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from ..train.order import generator
from ..train.talk import Trouble
from .description import Layer, Network

#: A kind of use of random numbers (train/order.py): weights before training.
WEIGHTS = 3


def _module(layer: Layer, network: Network) -> "nn.Module | None":
    v = layer.values
    if layer.op == "conv":
        return nn.Conv2d(v["in"], v["out"], v["kernel"], v["stride"], v["kernel"] // 2, groups=v["groups"], bias=bool(v["bias"]))
    if layer.op == "linear":
        return nn.Linear(v["in"], v["out"], bool(v["bias"]))
    if layer.op == "batch_norm":
        norm = nn.BatchNorm2d(v["channels"], network.epsilon, network.momentum)
        norm.num_batches_tracked = None  # of use only without momentum; state_dict() leaves it out
        return norm
    return None


def _max_pool(layer: Layer, values: torch.Tensor) -> torch.Tensor:
    kernel = layer.values["kernel"]
    return nn.functional.max_pool2d(values, kernel, layer.values["stride"], kernel // 2)


def _slice(layer: Layer, values: torch.Tensor) -> torch.Tensor:
    return values.narrow(1, layer.values["first"], layer.values["count"])


def _shuffle(layer: Layer, values: torch.Tensor) -> torch.Tensor:
    batch, channels, height, width = values.shape
    groups = layer.values["groups"]
    return values.reshape(batch, groups, channels // groups, height, width).transpose(1, 2).reshape(batch, channels, height, width)


def _sum(layer: Layer, first: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
    for other in others:
        first = first + other
    return first


#: Layers without parameters.
FUNCTIONS: "dict[str, Any]" = {
    "relu": lambda _, values: nn.functional.relu(values),
    "silu": lambda _, values: nn.functional.silu(values),
    "sigmoid": lambda _, values: torch.sigmoid(values),
    "max_pool": _max_pool,
    # Not an adaptive pool: its gradient on a GPU depends on the order of threads.
    "global_pool": lambda _, values: values.mean((2, 3), keepdim=True),
    "add": _sum,
    "mul": lambda _, values, scales: values * scales,
    "concat": lambda _, *values: torch.cat(values, 1),
    "slice": _slice,
    "shuffle": _shuffle,
}


def _add(at: nn.Module, part: str, module: nn.Module, name: str) -> None:
    if hasattr(at, part):
        raise Trouble("usage", f"layer '{name}': each module of PyTorch has its own '{part}'; give the layer another name")
    at.add_module(part, module)


class Interpreter(nn.Module):
    """Computes the class scores (before a softmax) of [batch, channels, height, width]: [batch, classes]."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network
        self._steps = []
        last_use = {name: number for number, layer in enumerate(network.layers) for name in layer.inputs}
        for number, layer in enumerate(network.layers):
            module = _module(layer, network)
            if module is not None:
                self._place(layer.name, module)
            done = [name for name in dict.fromkeys(layer.inputs) if last_use[name] == number]
            # In a tuple, a module is not registered for a second time.
            self._steps.append((layer, module, FUNCTIONS.get(layer.op), done))

    def _place(self, name: str, module: nn.Module) -> None:
        *folders, last = name.split(".")
        at: nn.Module = self
        for folder in folders:
            if folder not in at._modules:
                _add(at, folder, nn.Module(), name)
            at = at._modules[folder]  # type: ignore[assignment]
        if last in at._modules:  # layers inside it came before
            for inner, child in at._modules[last].named_children():  # type: ignore[union-attr]
                module.add_module(inner, child)
            at._modules[last] = module
        else:
            _add(at, last, module, name)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        there = {"input": values}
        out = values
        for layer, module, function, done in self._steps:
            inputs = [there[name] for name in layer.inputs]
            if layer.op == "linear":
                out = module(inputs[0].flatten(1))
            else:
                out = module(*inputs) if module is not None else function(layer, *inputs)
            there[layer.name] = out
            for name in done:
                del there[name]
        return out

    @torch.no_grad()
    def set_weights(self, arrays: "dict[str, np.ndarray]") -> None:
        """Values by name, all of them."""
        for name, value in self.state_dict().items():
            value.copy_(torch.from_numpy(np.array(arrays[name], np.float32)))


def initial_weights(network: Network, seed: int, zero_final: bool) -> "dict[str, np.ndarray]":
    """Convolutions from a normal distribution of variance 2 / (kernel² x channels out), the linear layer of 1e-4; scales are 1, shifts 0. ``zero_final``:
    the scale of the last norm of each block is 0. Each layer's numbers depend on the seed and its place only."""
    arrays: "dict[str, np.ndarray]" = {}
    for number, layer in enumerate(network.layers):
        for part, shape in layer.parameters().items():
            if part == "weight" and layer.op in ("conv", "linear"):
                deviation = 0.01 if layer.op == "linear" else (2 / (layer.values["kernel"] ** 2 * layer.values["out"])) ** 0.5
                value = generator(seed, WEIGHTS, number).standard_normal(shape, np.float32) * np.float32(deviation)
            else:
                is_one = part == "running_var" or (part == "weight" and not (zero_final and layer.is_final))
                value = np.full(shape, 1 if is_one else 0, np.float32)
            arrays[f"{layer.name}.{part}"] = value
    return arrays
