# SPDX-License-Identifier: Apache-2.0
"""Weights for the backbone. Reads .keras, .h5 and .npz files as data, so that no file runs code; the program reads .tflite and .onnx
(src/cli/train/backbone.h)."""
from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

from .slots import Slot
from .talk import Trouble
from .weight_files import Layer, read


class Source:
    """The file's layers, handed out in their order; by kind if the file has an order only within each kind."""

    def __init__(self, layers: "list[Layer]") -> None:
        self.is_by_kind = bool(layers) and all(layer.is_in_pool for layer in layers)
        self.layers, self.used = layers, 0
        self._pools: "dict[str, list[Layer]]" = {}
        for layer in layers:
            self._pools.setdefault(layer.kind if self.is_by_kind else "", []).append(layer)

    def next(self, kind: str) -> "Layer | None":
        pool = self._pools.get(kind if self.is_by_kind else "", [])
        return pool[0] if pool else None

    def take(self, layer: Layer) -> None:
        self._pools[layer.kind if self.is_by_kind else ""].pop(0)
        self.used += 1


def load_backbone(file: str, given: "list[dict[str, Any]] | None", arrays: str, learner: Any) -> "list[str]":
    """Fills the backbone of the learner; returns sentences on how. ``given``: the layers of a .tflite or .onnx file, whose arrays are in the folder ``arrays``.
    Trouble names the first tensor that differs, before any is set."""
    title = f"--backbone '{pathlib.Path(file).name}'"
    if learner.backbone is None:
        raise Trouble("usage", f"{title}: the model has no backbone: its class has no method 'backbone'")
    slots = learner.slots()
    layers = read(pathlib.Path(file), title) if given is None else _of_graph(given, arrays)
    names = {layer.name: layer for layer in layers}
    is_by_name = all(slot.name in names for slot in slots)
    source = Source([names[slot.name] for slot in slots] if is_by_name else layers)
    fits, folded, count = [], 0, 0
    for slot in slots:
        values = _folded(slot, source, fits) if given is not None and slot.kind == "norm" else None
        if values is None:
            values = _taken(slot, source, title, count)
            if "epsilon" in values:  # the file's is another than the backbone's
                values["variance"] = values["variance"] + (values.pop("epsilon") - np.float32(slot.epsilon))
        else:
            folded += 1
        fits.append((slot, values))
        count += len(slot.roles)
    _check_biases(fits, title)
    for slot, values in fits:
        for role, value in values.items():
            if role in slot.roles:
                learner.assign(slot, role, np.asarray(value, np.float32))
    notes = [f"backbone: {count} tensors from '{pathlib.Path(file).name}', matched by " + ("name" if is_by_name else "order and shape")]
    if folded:
        notes.append(f"the file's convolutions contain {folded} batch norms: here these add its biases and change nothing else")
    if not is_by_name and source.used < len(layers):
        notes.append(f"{len(layers) - source.used} layers of '{pathlib.Path(file).name}' after the backbone are not used")
    return notes


def _taken(slot: Slot, source: Source, title: str, count: int) -> "dict[str, np.ndarray]":
    """The values for a slot from the next layer of the file."""
    layer = source.next(slot.kind)
    first_role, first_shape = next(iter(slot.roles.items()))
    if layer is None:
        raise Trouble("usage", f"{title} has no layer for tensor {count + 1} of the backbone, '{slot.name}/{first_role}' {list(first_shape)}: the file's layers end before")
    if layer.kind == "affine":
        raise Trouble("usage", f"{title} scales or shifts channels by the constant '{layer.name}', for which the backbone has no place before tensor {count + 1}, "
                      f"'{slot.name}/{first_role}'")
    values = dict(zip(slot.roles, (array for _, array in layer.weights))) if not layer.has_roles else {role: array for role, array in layer.weights}
    for number, (role, shape) in enumerate(slot.roles.items()):
        there = values.get(role)
        found = f"'{layer.name}/{role}' {list(there.shape)}" if there is not None else f"no '{role}' in '{layer.name}'"
        if there is not None and slot.kind == "depthwise" and role == "kernel" and there.size == np.prod(shape) and there.shape[:2] == tuple(shape[:2]):
            values[role] = there = there.reshape(shape)
        if there is None or tuple(there.shape) != tuple(shape):
            if role == "bias" and there is None and layer.has_roles:
                values[role] = np.zeros(shape, np.float32)
                continue
            raise Trouble("usage", f"{title} is of another shape: tensor {count + number + 1} of the backbone, '{slot.name}/{role}', is {list(shape)}; "
                          f"the file has {found} there. Options of the model such as ?alpha=0.35 change its shapes")
        if not np.isfinite(there).all():
            raise Trouble("usage", f"{title}: '{layer.name}/{role}' holds values that are no finite numbers")
    source.take(layer)
    return values


def _folded(slot: Slot, source: Source, fits: "list[tuple[Slot, dict]]") -> "dict[str, np.ndarray] | None":
    """The values of a norm that a converter folded into the convolution before it, whose bias it adds, or divided into a scale and a shift. None if the
    file has the norm."""
    layer = source.next("norm")
    if layer is not None and layer.kind == "norm":
        return None
    before, values = fits[-1] if fits else (None, {})
    if before is None or before.kind not in ("conv", "depthwise", "dense"):
        return None
    channels = next(iter(slot.roles.values()))
    gamma, beta = np.ones(channels, np.float32), np.zeros(channels, np.float32)
    if layer is not None and layer.kind == "affine":
        gamma, beta = (array for _, array in layer.weights)
        if gamma.shape != tuple(channels):
            return None  # _taken() names it.
        source.take(layer)
    elif "bias" in before.roles:
        return None
    bias = beta if "bias" in before.roles else gamma * values.pop("bias", np.zeros(channels, np.float32)) + beta
    return {"gamma": gamma, "beta": bias, "mean": np.zeros(channels, np.float32),
            "variance": np.full(channels, np.float32(1) - np.float32(slot.epsilon), np.float32)}


def _check_biases(fits: "list[tuple[Slot, dict]]", title: str) -> None:
    """A bias of the file for which the backbone has no place must be nothing: to leave it out would change the features."""
    for slot, values in fits:
        bias = values.get("bias")
        if "bias" not in slot.roles and bias is not None and np.any(bias):
            raise Trouble("usage", f"{title}: '{slot.name}' has a bias in the file, and none in the backbone")


#: The axes of a kernel in the order of Keras: [height, width, in, out], of a depthwise convolution [height, width, out, 1], of a dense layer [in, out].
AXES = {"ohwi": (1, 2, 3, 0), "1hwo": (1, 2, 3, 0), "oihw": (2, 3, 1, 0), "o1hw": (2, 3, 0, 1), "oi": (1, 0)}


def _of_graph(given: "list[dict[str, Any]]", arrays: str) -> "list[Layer]":
    layers = []
    for one in given:
        if one["kind"] in ("scale", "shift"):
            _add_affine(layers, one, np.load(pathlib.Path(arrays, one["weights"][0][1]), allow_pickle=False).ravel())
            continue
        weights = [(role, np.load(pathlib.Path(arrays, key), allow_pickle=False)) for role, key in one["weights"]]
        weights = [(role, array.transpose(AXES[one["layout"]]) if role == "kernel" else array) for role, array in weights]
        if "epsilon" in one:
            weights.append(("epsilon", np.float32(one["epsilon"])))
        layers.append(Layer(one["name"], one["kind"], weights, has_roles=True))
    return layers


def _add_affine(layers: "list[Layer]", one: "dict[str, Any]", values: np.ndarray) -> None:
    """A scale or a shift of channels after a layer; several in a row are one. Before the first layer they prepare the input, as a recipe does."""
    if not layers:
        return
    if layers[-1].kind != "affine":
        layers.append(Layer(one["name"], "affine", [("gamma", np.ones_like(values)), ("beta", np.zeros_like(values))], has_roles=True))
    (_, gamma), (_, beta) = layers[-1].weights
    if gamma.shape != values.shape:
        raise Trouble("usage", f"--backbone: the constant '{one['name']}' has {values.size} values where {gamma.size} channels are scaled or shifted")
    layers[-1].weights = [("gamma", gamma * values), ("beta", beta * values)] if one["kind"] == "scale" else [("gamma", gamma), ("beta", beta + values)]
