# SPDX-License-Identifier: Apache-2.0
"""Keras -> a smaller Keras model: the filters with the smallest norms are removed, with all weights that read them."""
import math

import numpy as np

from . import keras_model, keras_training
from .keras_model import keras
from .keras_spaces import Channels


def norms_of(space):
    """The sum of the squares of each channel's filter weights, over all layers that make the channels."""
    total = np.zeros(space.size)
    for _, variable, axis in space.makers:
        values = np.moveaxis(np.array(variable, np.float64), axis, -1)
        total += np.square(values).reshape(-1, space.size).sum(0)
    return total


def choose(channels, sparsity):
    """Sets `keep` of each root space. Returns (the pruned ones, the frozen ones that a layer makes)."""
    roots = list({id(space.root()): space.root() for space in channels.spaces}.values())
    pruned = []
    for space in roots:
        space.keep = list(range(space.size))
        stays = max(1, math.ceil((1 - sparsity) * space.size - 1e-9))
        if space.makers and not space.frozen and stays < space.size:
            space.keep = sorted(int(i) for i in np.argsort(-norms_of(space), kind="stable")[:stays])
            pruned.append(space)
    return pruned, [space for space in roots if space.makers and space.frozen]


def smaller(model, channels, pruned):
    """The model without the removed channels."""
    sizes = {layer.name: len(space.keep) for space in pruned for layer, _, _ in space.makers}
    config = model.get_config()
    for entry in config["layers"]:
        # It has the shapes of the old model.
        entry.pop("build_config", None)
        if entry["config"].get("name") in sizes:
            entry["config"]["filters" if "filters" in entry["config"] else "units"] = sizes[entry["config"]["name"]]
    made = (keras.Sequential if isinstance(model, keras.Sequential) else keras.Model).from_config(config)
    for old, new in zip(keras_training.layers_of(model), keras_training.layers_of(made), strict=True):
        for variable, smaller_one in zip(old.variables, new.variables, strict=True):
            values = np.array(variable)
            for axis, layout in channels.axes.get(id(variable), {}).items():
                values = np.take(values, layout.kept(), axis)
            smaller_one.assign(values)
    return made


def convert(request):
    model = keras_model.load(request)
    channels = Channels(model)
    pruned, frozen = choose(channels, float(request["options"]["sparsity"]))
    reasons = {layer.name: space.frozen for space in frozen for layer, _, _ in space.makers}
    if not pruned:
        raise ValueError("no layer can lose channels: " + ("; ".join(f"'{name}' keeps its channels because it {why}" if why.startswith("is ") else
                         f"'{name}' keeps its channels because {why}" for name, why in reasons.items()) or "sparsity is too small for its layers"))
    before = model.count_params()
    made = smaller(model, channels, pruned)
    notes = keras_training.fine_tune(made, request, lambda: None)
    weights = [{"name": layer.name, "channels_before": space.size, "channels": len(space.keep)} for space in pruned for layer, _, _ in space.makers]
    notes.insert(0, f"{len(weights)} layers lost channels, {before} weights became {made.count_params()}: "
                 + ", ".join(f"{one['name']} {one['channels_before']} to {one['channels']}" for one in weights))
    if reasons:
        notes.append("layers that keep all channels: " + "; ".join(f"'{name}' ({why})" for name, why in reasons.items()))
    return {"tool": keras_training.save(made, request), "notes": notes, "weights": weights}
