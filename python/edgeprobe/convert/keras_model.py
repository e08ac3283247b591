# SPDX-License-Identifier: Apache-2.0
"""A Keras file or a SavedModel as one TensorFlow function with constant weights."""
import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2  # noqa: E402

TOOL = f"tensorflow {tf.__version__}"


def load(request):
    """The Keras model. A file with code inside, such as that of a Lambda layer, is refused."""
    return keras.saving.load_model(request["model"], compile=False, safe_mode=True)


def _signature(request):
    """A SavedModel's function that takes the inputs by name, and the names of its results as edgeprobe orders them."""
    loaded = tf.saved_model.load(str(pathlib.Path(request["model"]).parent))
    names = {one["name"] for one in request["inputs"]}
    for function in loaded.signatures.values():
        if set(function.structured_input_signature[1]) == names:
            return loaded, function
    raise ValueError("no signature of the SavedModel takes the inputs " + ", ".join(sorted(names)))


def function_of(request):
    """(tf.function of the inputs in the order of the request, its input specs, what must stay alive). Results are in the order of the request."""
    specs = [tf.TensorSpec(one["shape"], one["dtype"], name=f"input_{i}") for i, one in enumerate(request["inputs"])]
    names = [one["name"] for one in request["inputs"]]
    if pathlib.Path(request["model"]).suffix == ".pb":
        keep, function = _signature(request)

        def call(*values):
            answer = function(**dict(zip(names, values)))
            return [answer[name] for name in sorted(answer)]
    else:
        keep = load(request)

        def call(*values):
            return keras.tree.flatten(keep(list(values) if len(values) > 1 else values[0], training=False))

    return tf.function(call), specs, keep


def frozen(request):
    """The function with its weights as constants."""
    function, specs, keep = function_of(request)
    concrete = function.get_concrete_function(*specs)
    return convert_variables_to_constants_v2(concrete), keep
