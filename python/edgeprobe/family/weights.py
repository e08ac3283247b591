# SPDX-License-Identifier: Apache-2.0
"""Weights of a network from a file: safetensors, or a checkpoint of PyTorch such as pycls writes. Nothing of a file is run."""
from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

from ..train.talk import Trouble
from . import safetensors, torch_archive
from .description import Network


def load_weights(path: str, network: Network) -> "tuple[dict[str, np.ndarray], list[str]]":
    """All parameters by name as float32, and sentences for the user. Trouble names the first tensor that differs."""
    title = f"'{pathlib.Path(path).name}'"
    notes: "list[str]" = []
    try:
        with open(path, "rb") as file:
            head = file.read(16)
        if head.startswith(b"PK"):
            arrays = _of_checkpoint(path, title, notes)
        elif head[:1] == b"\x80" or not head[8:9] == b"{":
            raise Trouble("usage", f"{title} is neither a safetensors file nor a checkpoint of torch.save() in its form since PyTorch 1.6. An older one is a pickle, "
                          "which runs code when it is read: load it where you trust it, and save it again")
        else:
            arrays = safetensors.read(path)
    except safetensors.Broken as broken:
        raise Trouble("corrupt", f"{title} is no safetensors file: {broken}") from None
    except OSError as error:
        raise Trouble("usage", f"{title} cannot be read: {error.strerror or error}") from None
    return _fitted(arrays, network, title, notes), notes


def _fitted(arrays: "dict[str, np.ndarray]", network: Network, title: str, notes: "list[str]") -> "dict[str, np.ndarray]":
    if arrays and all(name.startswith("module.") for name in arrays):  # of DistributedDataParallel
        arrays = {name[7:]: value for name, value in arrays.items()}
    arrays = {name: value for name, value in arrays.items() if not name.endswith(".num_batches_tracked")}
    out = {}
    for number, (name, shape) in enumerate(network.parameters().items()):
        place = f"tensor {number + 1} of the network, '{name}', is {list(shape)}"
        value = arrays.pop(name, None)
        if value is None:
            raise Trouble("usage", f"{title} is of another network: {place}, and the file has none of this name" + _next(arrays))
        if tuple(value.shape) != shape:
            raise Trouble("usage", f"{title} is of another network: {place}; the file has {list(value.shape)}")
        out[name] = np.asarray(value, np.float32)
        if not np.isfinite(out[name]).all():
            raise Trouble("usage", f"{title}: '{name}' holds values that are no finite numbers")
    if arrays:
        raise Trouble("usage", f"{title} is of another network: the network has no '{next(iter(arrays))}' {list(next(iter(arrays.values())).shape)}")
    notes.append(f"{len(out)} tensors from {title}")
    return out


def _next(arrays: "dict[str, np.ndarray]") -> str:
    return f", but '{next(iter(arrays))}'" if arrays else ""


def _of_checkpoint(path: str, title: str, notes: "list[str]") -> "dict[str, np.ndarray]":
    try:
        state = _state(torch_archive.read(path), title, notes)
    except torch_archive.Refused as refused:
        raise Trouble("usage", f"{title} {refused}") from None
    for name, value in state.items():
        if not isinstance(name, str) or not isinstance(value, np.ndarray):
            raise Trouble("usage", f"{title}: {str(name)[:100]!r} is no tensor; expected a state_dict(), or a dictionary with 'model_state'")
    return state


def _state(told: Any, title: str, notes: "list[str]") -> "dict[Any, Any]":
    """The state_dict() of a checkpoint; of pycls' two the one with the smaller error."""
    if not isinstance(told, dict):
        raise Trouble("usage", f"{title} holds a {type(told).__name__}; expected a state_dict()")
    key = next((key for key in ("model_state", "state_dict") if isinstance(told.get(key), dict)), None)
    if key is None:
        return told
    errors = {one: told.get(one) for one in ("test_err", "ema_err")}
    if isinstance(told.get("ema_state"), dict) and all(isinstance(one, (int, float)) for one in errors.values()) and errors["ema_err"] < errors["test_err"]:
        key = "ema_state"
    notes.append(f"{title}: its '{key}' is taken")
    return told[key]
