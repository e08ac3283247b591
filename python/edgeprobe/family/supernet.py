# SPDX-License-Identifier: Apache-2.0
"""Networks that share the weights of a larger one: each channel of theirs is one of its channels, and each block one of its blocks."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from .description import Layer, Network, Wrong
from .network import FUNCTIONS, Interpreter

Channels = np.ndarray  #: For each channel of a tensor, the channel of the larger network's tensor.


def channels_of(largest: Network, network: Network) -> "dict[str, Channels]":
    """By tensor of ``network``. A convolution has the first channels of the larger one; joined branches are ranges side by side. Wrong names the layer
    without a counterpart."""
    there = {layer.name: layer for layer in largest.layers}
    known: "dict[str, Channels]" = {"input": np.arange(network.input[0])}
    if largest.input != network.input or largest.classes != network.classes:
        raise Wrong(f"takes {list(network.input)} and has {network.classes} classes; the supernet {list(largest.input)} and {largest.classes}")
    for layer in network.layers:
        other = there.get(layer.name)
        if other is None or other.op != layer.op:
            raise Wrong(f"layer '{layer.name}' is not one of the supernet")
        if layer.op == "add" and _own(layer) != _own(other):
            raise Wrong(f"layer '{layer.name}': its shortcut is a convolution in only one of the two networks")
        known[layer.name] = _channels(layer, other, [known[name] for name in layer.inputs], [there.get(name) for name in other.inputs])
    return known


def _channels(layer: Layer, other: Layer, inputs: "list[Channels]", others: "list[Layer | None]") -> Channels:
    where = f"layer '{layer.name}'"
    v, w = layer.values, other.values
    if layer.op in ("conv", "linear"):
        if any(v.get(key) != w.get(key) for key in ("kernel", "stride")) or v["out"] > w["out"]:
            raise Wrong(f"{where} is no part of the supernet's")
        if layer.op == "conv" and v["groups"] > 1:
            if v["in"] == v["groups"] and w["in"] == w["groups"]:  # one filter a channel
                return inputs[0]
            if v["in"] // v["groups"] != w["in"] // w["groups"] or v["out"] // v["groups"] != w["out"] // w["groups"] or not _is_first(inputs[0]):
                raise Wrong(f"{where} has groups of another width than the supernet's")
        return np.arange(v["out"])
    if layer.op == "concat":
        offset, parts = 0, []
        for part, whole in zip(inputs, others, strict=True):
            parts.append(part + offset)
            offset += whole.shape[0]  # type: ignore[union-attr]
        return np.concatenate(parts)
    if layer.op in ("add", "mul"):
        if not np.array_equal(inputs[0], inputs[1]):
            raise Wrong(f"{where} joins other channels than the supernet's: a shortcut that the supernet computes by a convolution")
        return inputs[0]
    if layer.op in ("slice", "shuffle"):
        raise Wrong(f"{where}: units of ShuffleNet mix their channels, so that a narrower one is no part of a wider one")
    return inputs[0]


def _own(layer: Layer) -> "list[str]":
    """Inputs of a sum that its own block makes."""
    block = layer.name.rpartition(".")[0] + "."
    return [name for name in layer.inputs if name.startswith(block)]


def _is_first(channels: Channels) -> bool:
    return np.array_equal(channels, np.arange(len(channels)))


class Subnet:
    """Computes class scores with the weights of a larger network's module. ``statistics`` of its norms are its own."""

    def __init__(self, module: Interpreter, network: Network) -> None:
        self.module, self.network = module, network
        known = channels_of(module.network, network)
        device = next(module.parameters()).device
        modules = dict(module.named_modules())
        self.statistics: "dict[str, tuple[torch.Tensor, torch.Tensor]]" = {}
        self._steps: "list[tuple[Layer, nn.Module | None, Any, Any]]" = []
        for layer in network.layers:
            rows = _selection(known[layer.name], device)
            columns = _selection(known[layer.inputs[0]], device)
            if layer.op == "conv" and layer.values["groups"] > 1:
                columns = slice(None)
            self._steps.append((layer, modules[layer.name] if layer.parameters() else None, rows, columns))

    def __call__(self, values: torch.Tensor, of_batch: bool) -> torch.Tensor:
        """``of_batch``: norms use the statistics of this batch."""
        there = {"input": values}
        for layer, *more in self._steps:
            there[layer.name] = self._one(layer, *more, [there[name] for name in layer.inputs], of_batch)
        return there[self.network.layers[-1].name]

    def _one(self, layer: Layer, module: Any, rows: Any, columns: Any, inputs: "list[torch.Tensor]", of_batch: bool) -> torch.Tensor:
        if module is None:
            return FUNCTIONS[layer.op](layer, *inputs)
        if layer.op == "batch_norm":
            mean, variance = (None, None) if of_batch else self.statistics[layer.name]
            return functional.batch_norm(inputs[0], mean, variance, module.weight[rows], module.bias[rows], of_batch, 0.0, module.eps)
        weight = module.weight[rows][:, columns]
        bias = None if module.bias is None else module.bias[rows]
        if layer.op == "linear":
            return functional.linear(inputs[0].flatten(1), weight, bias)
        return functional.conv2d(inputs[0], weight, bias, layer.values["stride"], layer.values["kernel"] // 2, 1, layer.values["groups"])

    @torch.no_grad()
    def settle(self, batches: "Iterable[torch.Tensor]") -> None:
        """The statistics of its norms: means over batches, as with a batch of its own each."""
        sums: "dict[str, list[torch.Tensor]]" = {}
        count = 0
        for values in batches:
            count += 1
            there = {"input": values}
            for layer, module, rows, columns in self._steps:
                if layer.op == "batch_norm":
                    given = there[layer.inputs[0]]
                    mean, variance = given.mean((0, 2, 3)), given.var((0, 2, 3), unbiased=True)
                    pair = sums.setdefault(layer.name, [torch.zeros_like(mean), torch.zeros_like(variance)])
                    pair[0] += mean
                    pair[1] += variance
                there[layer.name] = self._one(layer, module, rows, columns, [there[name] for name in layer.inputs], True)
        self.statistics = {name: (mean / count, variance / count) for name, (mean, variance) in sums.items()}

    @torch.no_grad()
    def arrays(self) -> "dict[str, np.ndarray]":
        """Its own weights and statistics, by name, for a file of this network."""
        out: "dict[str, np.ndarray]" = {}
        for layer, module, rows, columns in self._steps:
            if module is None:
                continue
            weight = module.weight[rows]
            out[f"{layer.name}.weight"] = (weight if layer.op == "batch_norm" else weight[:, columns]).cpu().numpy().copy()
            if module.bias is not None:
                out[f"{layer.name}.bias"] = module.bias[rows].cpu().numpy().copy()
            if layer.op == "batch_norm":
                for part, value in zip(("running_mean", "running_var"), self.statistics[layer.name], strict=True):
                    out[f"{layer.name}.{part}"] = value.cpu().numpy().copy()
        return out


def _selection(channels: Channels, device: torch.device) -> Any:
    """A range, which costs no copy, where the channels are the first ones."""
    return slice(0, len(channels)) if _is_first(channels) else torch.from_numpy(channels).to(device)
