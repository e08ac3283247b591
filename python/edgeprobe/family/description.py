# SPDX-License-Identifier: Apache-2.0
"""Reads a network as ``edgeprobe stretch generate --network`` writes it: a list of layers, each after its inputs. It needs no framework."""
from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import pathlib
from collections.abc import Callable
from typing import Any

VERSION = 1
#: Limits of a file that would otherwise use up the memory.
MOST_BYTES, MOST_LAYERS, MOST_PARAMETERS, WIDEST, LARGEST_KERNEL, LARGEST_SIDE = 64 << 20, 100_000, 1 << 30, 65_536, 64, 8192

#: Channels, height and width of a tensor.
Shape = tuple[int, int, int]


class Wrong(Exception):
    """The file is no network; the sentence says where."""


@dataclasses.dataclass
class Layer:
    """One step. ``values`` has the keys of its kind: KINDS."""

    name: str
    op: str
    inputs: "tuple[str, ...]"
    values: "dict[str, int]"
    shape: Shape
    is_final: bool = False  #: the last batch norm of a residual block

    def parameters(self) -> "dict[str, tuple[int, ...]]":
        """Shapes of its parameters and statistics, by the last part of their names."""
        v = self.values
        if self.op == "conv":
            return {"weight": (v["out"], v["in"] // v["groups"], v["kernel"], v["kernel"]), **({"bias": (v["out"],)} if v["bias"] else {})}
        if self.op == "linear":
            return {"weight": (v["out"], v["in"]), **({"bias": (v["out"],)} if v["bias"] else {})}
        if self.op == "batch_norm":
            return {part: (v["channels"],) for part in ("weight", "bias", "running_mean", "running_var")}
        return {}


@dataclasses.dataclass
class Network:
    name: str
    input: Shape
    classes: int
    epsilon: float  #: of batch norms
    momentum: float  #: of batch norms, in PyTorch's sense: the share of the new batch
    layers: "list[Layer]"
    training: "dict[str, dict[str, Any]]"
    text: bytes  #: the file

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text).hexdigest()

    def parameters(self) -> "dict[str, tuple[int, ...]]":
        """Shapes by name, in the order of the layers."""
        return {f"{layer.name}.{part}": shape for layer in self.layers for part, shape in layer.parameters().items()}


def _same(layer: Layer, shapes: "list[Shape]") -> Shape:
    return shapes[0]


def _channels_are(layer: Layer, key: str, shape: Shape) -> None:
    if layer.values[key] != shape[0]:
        raise Wrong(f"'{key}' is {layer.values[key]}, and its input has {shape[0]} channels")


def _conv(layer: Layer, shapes: "list[Shape]") -> Shape:
    v = layer.values
    _channels_are(layer, "in", shapes[0])
    if v["in"] % v["groups"] or v["out"] % v["groups"]:
        raise Wrong(f"{v['groups']} groups divide not both {v['in']} and {v['out']} channels")
    return (v["out"], *_window(layer, shapes[0]))


def _window(layer: Layer, shape: Shape) -> "tuple[int, int]":
    """Height and width after a window that is padded by kernel // 2."""
    kernel, stride = layer.values["kernel"], layer.values["stride"]
    sides = tuple((side + 2 * (kernel // 2) - kernel) // stride + 1 for side in shape[1:])
    if min(sides) < 1:
        raise Wrong(f"nothing is left of its input of {shape[1]}x{shape[2]}")
    return sides


def _norm(layer: Layer, shapes: "list[Shape]") -> Shape:
    _channels_are(layer, "channels", shapes[0])
    return shapes[0]


def _add(layer: Layer, shapes: "list[Shape]") -> Shape:
    if any(shape != shapes[0] for shape in shapes):
        raise Wrong("adds tensors of " + " and ".join(map(str, map(list, shapes))))
    return shapes[0]


def _mul(layer: Layer, shapes: "list[Shape]") -> Shape:
    if shapes[1] != (shapes[0][0], 1, 1):
        raise Wrong(f"scales {list(shapes[0])} by {list(shapes[1])}; expected [{shapes[0][0]}, 1, 1]")
    return shapes[0]


def _concat(layer: Layer, shapes: "list[Shape]") -> Shape:
    if any(shape[1:] != shapes[0][1:] for shape in shapes):
        raise Wrong("joins tensors of " + " and ".join(map(str, map(list, shapes))))
    return (sum(shape[0] for shape in shapes), *shapes[0][1:])


def _slice(layer: Layer, shapes: "list[Shape]") -> Shape:
    first, count = layer.values["first"], layer.values["count"]
    if first + count > shapes[0][0]:
        raise Wrong(f"takes channels {first} to {first + count - 1} of {shapes[0][0]}")
    return (count, *shapes[0][1:])


def _shuffle(layer: Layer, shapes: "list[Shape]") -> Shape:
    if shapes[0][0] % layer.values["groups"]:
        raise Wrong(f"{layer.values['groups']} groups do not divide {shapes[0][0]} channels")
    return shapes[0]


def _linear(layer: Layer, shapes: "list[Shape]") -> Shape:
    if math.prod(shapes[0]) != layer.values["in"]:
        raise Wrong(f"'in' is {layer.values['in']}, and its input has {math.prod(shapes[0])} values")
    return (layer.values["out"], 1, 1)


@dataclasses.dataclass(frozen=True)
class Kind:
    shape: "Callable[[Layer, list[Shape]], Shape]"
    keys: "tuple[str, ...]" = ()
    inputs: "tuple[int, int]" = (1, 1)  #: least and most


KINDS: "dict[str, Kind]" = {
    "conv": Kind(_conv, ("in", "out", "kernel", "stride", "groups", "bias")),
    "batch_norm": Kind(_norm, ("channels",)),
    "relu": Kind(_same), "silu": Kind(_same), "sigmoid": Kind(_same),
    "max_pool": Kind(lambda layer, shapes: (shapes[0][0], *_window(layer, shapes[0])), ("kernel", "stride")),
    "global_pool": Kind(lambda layer, shapes: (shapes[0][0], 1, 1)),
    "add": Kind(_add, inputs=(2, 64)), "mul": Kind(_mul, inputs=(2, 2)), "concat": Kind(_concat, inputs=(1, 64)),
    "slice": Kind(_slice, ("first", "count")),
    "shuffle": Kind(_shuffle, ("groups",)),
    "linear": Kind(_linear, ("in", "out", "bias")),
}
#: Least and most of each key.
RANGES = {"in": (1, 1 << 30), "out": (1, WIDEST), "channels": (1, WIDEST), "groups": (1, WIDEST), "first": (0, WIDEST), "count": (1, WIDEST),
          "kernel": (1, LARGEST_KERNEL), "stride": (1, LARGEST_KERNEL), "bias": (0, 1)}


def read_network(path: "str | pathlib.Path") -> Network:
    """The network of a file. Wrong names the first layer that is none; OSError."""
    path = pathlib.Path(path)
    if path.stat().st_size > MOST_BYTES:
        raise Wrong(f"has more than {MOST_BYTES >> 20} MB")
    text = path.read_bytes()
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Wrong(f"is no JSON: {error}") from None
    if not isinstance(told, dict) or "edgeprobe_network" not in told:
        raise Wrong("is no network: 'edgeprobe stretch generate CONFIG.yaml --network FILE' writes one")
    if told["edgeprobe_network"] != VERSION:
        raise Wrong(f"is a network of version {told['edgeprobe_network']!r}; this program reads {VERSION}")
    shape = told.get("input")
    if not isinstance(shape, list) or len(shape) != 3:
        raise Wrong("'input': expected [channels, height, width]")
    shape = tuple(_whole(f"'input'[{i}]", side, 1, LARGEST_SIDE) for i, side in enumerate(shape))
    norm = told.get("batch_norm", {})
    if not isinstance(norm, dict):
        raise Wrong("'batch_norm': expected an object")
    layers = _layers(told.get("layers"), shape)
    training = told.get("training", {})
    if not isinstance(training, dict) or not all(isinstance(section, dict) for section in training.values()):
        raise Wrong("'training': expected an object of sections")
    network = Network(str(told.get("name", path.stem)), shape, _whole("'classes'", told.get("classes"), 1, WIDEST), _real("epsilon", norm.get("epsilon", 1e-5)),
                      _real("momentum", norm.get("momentum", 0.1)), layers, training, text)
    if told.get("output") != layers[-1].name or layers[-1].op != "linear":
        raise Wrong(f"'output' is {told.get('output')!r}; expected the last layer, '{layers[-1].name}', and that it is linear")
    if layers[-1].values["out"] != network.classes:
        raise Wrong(f"'classes' is {network.classes}, and the last layer gives {layers[-1].values['out']} values")
    count = sum(math.prod(one) for one in network.parameters().values())
    if count > MOST_PARAMETERS:
        raise Wrong(f"has {count} parameters, more than {MOST_PARAMETERS}")
    return network


def _layers(told: Any, shape: Shape) -> "list[Layer]":
    if not isinstance(told, list) or not 1 <= len(told) <= MOST_LAYERS:
        raise Wrong(f"'layers': expected a list of 1 to {MOST_LAYERS} layers")
    shapes: "dict[str, Shape]" = {"input": shape}
    layers = []
    for number, one in enumerate(told):
        if not isinstance(one, dict) or not isinstance(one.get("name"), str) or not _is_name(one["name"]):
            raise Wrong(f"layer {number + 1} has no name of words with points between")
        try:
            layer = _layer(one, shapes)
        except Wrong as wrong:
            raise Wrong(f"layer '{one['name']}': {wrong}") from None
        shapes[layer.name] = layer.shape
        layers.append(layer)
    return layers


def _layer(told: "dict[str, Any]", shapes: "dict[str, Shape]") -> Layer:
    if told["name"] in shapes:
        raise Wrong("is there twice")
    kind = KINDS.get(told.get("op"))  # type: ignore[arg-type]
    if kind is None:
        raise Wrong(f"'op' is {told.get('op')!r}; expected one of {', '.join(KINDS)}")
    inputs = told.get("inputs")
    if not isinstance(inputs, list) or not kind.inputs[0] <= len(inputs) <= kind.inputs[1]:
        raise Wrong(f"'inputs': {told['op']} takes {kind.inputs[0] if kind.inputs[0] == kind.inputs[1] else f'{kind.inputs[0]} to {kind.inputs[1]}'}")
    for name in inputs:
        if not isinstance(name, str) or name not in shapes:
            raise Wrong(f"its input {name!r} is no layer before it")
    values = {key: _whole(f"'{key}'", int(told[key]) if key == "bias" and isinstance(told.get(key), bool) else told.get(key), *RANGES[key]) for key in kind.keys}
    layer = Layer(told["name"], told["op"], tuple(inputs), values, (0, 0, 0), told.get("final") is True)
    layer.shape = kind.shape(layer, [shapes[name] for name in inputs])
    return layer


def _is_name(text: str) -> bool:
    return 0 < len(text) <= 300 and all(part and part.replace("_", "a").isalnum() and part.isascii() for part in text.split("."))


def _whole(what: str, value: Any, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Wrong(f"{what} is {value!r}; expected a whole number of {least} to {most}")
    return value


def _real(what: str, value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value <= 1:
        raise Wrong(f"'batch_norm': {what} is {value!r}; expected a number above 0, at most 1")
    return float(value)
