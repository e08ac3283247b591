# SPDX-License-Identifier: Apache-2.0
"""Weights that may be pruned or clustered, and training of a classifier that keeps what was done to them."""
import pathlib

import numpy as np

from .keras_model import keras, tf

BATCH = 32


def layers_of(model):
    """All layers, also those of models inside the model."""
    return [layer for layer in model._flatten_layers(include_self=False) if not isinstance(layer, keras.Model)]


def kernels_of(model, dense):
    """[(name, variable)] of the weights of convolutions, and with `dense` of fully connected layers. Biases and normalisations are no kernels."""
    found, seen = [], set()
    for layer in layers_of(model):
        kind = type(layer).__name__
        if not ("Conv" in kind or dense and kind in ("Dense", "EinsumDense")):
            continue
        for variable in layer.trainable_weights:
            if "kernel" in variable.name and len(variable.shape) > 1 and id(variable) not in seen:
                seen.add(id(variable))
                found.append((f"{layer.name}/{variable.name}", variable))
    if not found:
        raise ValueError("the model has no trainable weights of convolutions" + (" or fully connected layers" if dense else ""))
    return found


def order_of(rng, count):
    return [order[at:at + BATCH] for order in [rng.permutation(count)] for at in range(0, count, BATCH)]


def batch_of(examples, chosen):
    """Arrays (examples of the batch, ...), one for each input. Each frame has a batch dimension of 1."""
    frames = [examples[i] for i in chosen]
    return [np.concatenate(parts) for parts in zip(*frames)]


def fine_tune(model, request, restore):
    """Trains for the asked number of epochs, and calls restore() after every step, so that what was done to the weights holds. Returns notes."""
    epochs, rate = int(request["options"]["fine_tune"]), float(request["options"]["learning_rate"])
    if not epochs:
        return []
    examples, labels = request["examples"], np.array(request["labels"])
    if any(one["shape"][:1] != [1] for one in request["inputs"]):
        raise ValueError("fine_tune needs inputs whose first dimension is the batch")
    keras.utils.set_random_seed(0)
    first = np.asarray(model(_given(batch_of(examples, range(min(BATCH, len(labels))))), training=False))
    probabilities = bool(first.min() >= 0 and np.allclose(first.sum(-1), 1, atol=1e-3))
    step = _step_of(model, keras.optimizers.Adam(rate), keras.losses.SparseCategoricalCrossentropy(from_logits=not probabilities))
    rng, losses = np.random.default_rng(0), []
    for epoch in range(epochs):
        total = []
        for chosen in order_of(rng, len(labels)):
            total.append(float(step(_given(batch_of(examples, chosen)), labels[chosen])))
            restore()
        losses.append(float(np.mean(total)))
        if not np.isfinite(losses[-1]):
            raise ValueError(f"the loss of epoch {epoch + 1} is not finite; give a smaller learning_rate than {rate:g}")
    return [f"trained for {epochs} {'epoch' if epochs == 1 else 'epochs'} on {len(labels)} examples, Adam at {rate:g}, cross-entropy of "
            f"{'probabilities' if probabilities else 'logits'}: mean loss of the first epoch {losses[0]:.4f}, of the last {losses[-1]:.4f}"]


def _given(arrays):
    return arrays if len(arrays) > 1 else arrays[0]


def _step_of(model, optimizer, loss):
    """One step of training. model.compile() would write the optimizer into the file."""
    @tf.function(reduce_retracing=True)
    def step(values, labels):
        with tf.GradientTape() as tape:
            found = loss(labels, model(values, training=True)) + sum(model.losses)
        optimizer.apply(tape.gradient(found, model.trainable_variables), model.trainable_variables)
        return found

    optimizer.build(model.trainable_variables)
    return step


def save(model, request):
    model.save(pathlib.Path(request["out"]))
    return f"keras {keras.__version__}"
