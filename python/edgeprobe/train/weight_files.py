# SPDX-License-Identifier: Apache-2.0
"""Reads the weights of .keras, .h5 and .npz files, and refuses those that hold code: nothing is unpickled, no layer is made from a file."""
from __future__ import annotations

import dataclasses
import io
import json
import pathlib
import re
import zipfile
from typing import Any

import numpy as np

from .talk import Trouble

#: Layers of Keras that hold code of their author.
CODE = ("Lambda", "TorchModuleWrapper", "TFSMLayer", "JaxLayer", "FlaxLayer")
KINDS = {"conv2d": "conv", "conv1d": "conv", "depthwise_conv2d": "depthwise", "dense": "dense", "batch_normalization": "norm"}
MOST_BYTES = 2 << 30


@dataclasses.dataclass
class Layer:
    """The weights of one layer, in the shapes of Keras; ``kind`` is "" if the file does not state it."""

    name: str
    kind: str
    weights: "list[tuple[str, np.ndarray]]"
    has_roles: bool = False  #: the names of the weights are the roles of a Slot
    is_in_pool: bool = False  #: the file has an order only within each kind


def read(path: pathlib.Path, title: str) -> "list[Layer]":
    """The layers of the file with weights. Trouble if it is damaged or would run code."""
    readers = {".npz": _npz, ".keras": _keras, ".h5": _h5}
    if path.suffix not in readers:
        raise Trouble("usage", f"{title}: expected a .keras, .h5, .npz, .tflite or .onnx file")
    try:
        layers = readers[path.suffix](path, title)
    except Trouble:
        raise
    except Exception as error:  # h5py and zipfile raise many kinds for damaged bytes
        raise Trouble("usage", f"{title} cannot be read: {' '.join(str(error).split())[:200]}") from None
    if not layers:
        raise Trouble("usage", f"{title} holds no weights")
    return layers


def _npz(path: pathlib.Path, title: str) -> "list[Layer]":
    layers: "dict[str, Layer]" = {}
    if not zipfile.is_zipfile(path):
        raise Trouble("usage", f"{title} is not an archive of numpy.savez; a pickled file would run code when it is read")
    with np.load(path, allow_pickle=False) as content:
        for name in content.files:
            try:
                array = content[name]
            except ValueError as error:
                if "pickle" in str(error).lower():
                    raise Trouble("usage", f"{title}: '{name}' is a pickled object, which runs code when it is read; save arrays of numbers") from None
                raise
            if array.dtype.kind not in "fiu":
                raise Trouble("usage", f"{title}: '{name}' is of type {array.dtype}; expected numbers")
            layer, _, role = name.rpartition("/")
            layers.setdefault(layer or name, Layer(layer or name, "", [])).weights.append((role, array))
    return list(layers.values())


def _keras(path: pathlib.Path, title: str) -> "list[Layer]":
    import h5py

    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if "model.weights.h5" not in names:
            raise Trouble("usage", f"{title} holds no model.weights.h5")
        if sum(one.file_size for one in archive.infolist()) > MOST_BYTES:
            raise Trouble("limit", f"{title} unpacks to more than 2 GB")
        if "config.json" in names:
            _refuse_code(json.loads(archive.read("config.json")), title)
        with h5py.File(io.BytesIO(archive.read("model.weights.h5")), "r") as content:
            return _pools(content)


def _h5(path: pathlib.Path, title: str) -> "list[Layer]":
    import h5py

    with h5py.File(path, "r") as content:
        config = content.attrs.get("model_config")
        if config is not None:
            _refuse_code(json.loads(config), title)
        group = content.get("model_weights", content)
        if "layer_names" not in group.attrs:
            return _pools(content)
        layers = []
        for name in map(_text, group.attrs["layer_names"]):
            weights = [(_text(one), _array(group[name][_text(one)])) for one in group[name].attrs.get("weight_names", ())]
            if not weights:
                continue
            # A nested model is one layer of the file.
            parts: "dict[str, Layer]" = {}
            for full, array in weights:
                words = full.split(":")[0].split("/")
                inner = words[-2] if len(words) > 1 else name
                parts.setdefault(inner, Layer(inner, "", [])).weights.append((words[-1], array))
            layers += parts.values()
        return layers


def _pools(content: Any) -> "list[Layer]":
    """Layers of Keras 3's weights: groups named by their class and a number, with the folder "vars"."""
    found: "list[tuple[list, Layer]]" = []

    def visit(name: str, thing: Any) -> None:
        if not name.endswith("/vars") or name.startswith("optimizer") or not hasattr(thing, "keys") or not len(thing):
            return
        path = name[:-5]
        word = re.sub(r"_\d+$", "", path.rpartition("/")[2])
        order = [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path)]
        arrays = [(key, _array(thing[key])) for key in sorted(thing.keys(), key=int)]
        found.append((order, Layer(path.rpartition("/")[2], KINDS.get(word, "other"), arrays, is_in_pool=True)))

    content.visititems(visit)
    # "conv2d" comes before "conv2d_1", and layers of nested models before those of the model around them.
    return [layer for _, layer in sorted(found, key=lambda one: (-sum(part.count("/") for part in one[0] if isinstance(part, str)),
                                                                 [(isinstance(part, int), str(part).zfill(12)) for part in one[0]]))]


def _array(dataset: Any) -> np.ndarray:
    if dataset.dtype.kind not in "fiu":
        raise ValueError(f"'{dataset.name}' is of type {dataset.dtype}; expected numbers")
    if dataset.id.get_create_plist().get_external_count():
        raise ValueError(f"'{dataset.name}' names another file")
    return dataset[()]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _refuse_code(config: Any, title: str) -> None:
    """Refuses a file whose model holds code. Its weights could be read without it, but a user who meets one should know."""
    if isinstance(config, dict):
        word = config.get("class_name")
        if word in CODE or word == "__lambda__" or config.get("registered_name") in CODE:
            inner = config.get("config")
            name = inner.get("name", "") if isinstance(inner, dict) else ""
            raise Trouble("usage", f"{title}: its model has a {word} layer{f' ({name!r})' if name else ''}, which is code of its author; "
                          "save only the weights, with numpy.savez")
        for value in config.values():
            _refuse_code(value, title)
    elif isinstance(config, list):
        for value in config:
            _refuse_code(value, title)
