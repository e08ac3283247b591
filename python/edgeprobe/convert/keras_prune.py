# SPDX-License-Identifier: Apache-2.0
"""Keras -> Keras with the smallest weights set to zero."""
import numpy as np

from . import keras_model, keras_training


def masks_of(values, sparsity, scope):
    """A mask for each array, False where its weight becomes zero: exactly floor(sparsity x count), the smallest by magnitude, of each array or of all."""
    if scope == "layer":
        return [masks_of([one], sparsity, "global")[0] for one in values]
    sizes = np.abs(np.concatenate([one.ravel() for one in values]))
    mask = np.ones(sizes.size, bool)
    mask[np.argsort(sizes, kind="stable")[:int(sparsity * sizes.size)]] = False
    parts = np.split(mask, np.cumsum([one.size for one in values])[:-1])
    return [part.reshape(one.shape) for part, one in zip(parts, values)]


def convert(request):
    options = request["options"]
    model = keras_model.load(request)
    kernels = keras_training.kernels_of(model, options["dense"] == "true")
    masks = masks_of([np.array(variable) for _, variable in kernels], float(options["sparsity"]), options["scope"])

    def restore():
        for (_, variable), mask in zip(kernels, masks):
            variable.assign(np.array(variable) * mask)

    restore()
    notes = keras_training.fine_tune(model, request, restore)
    weights = [{"name": name, "weights": int(mask.size), "zero": int(np.count_nonzero(np.array(variable) == 0))}
               for (name, variable), mask in zip(kernels, masks)]
    zero, count = (sum(one[key] for one in weights) for key in ("zero", "weights"))
    notes.insert(0, f"{zero} of {count} weights in {len(weights)} kernels are zero ({zero / count:.1%}, scope={options['scope']}); the file shrinks only "
                    "when it is compressed")
    return {"tool": keras_training.save(model, request), "notes": notes, "weights": weights}
