# SPDX-License-Identifier: Apache-2.0
"""Keras models and TensorFlow SavedModels, from the packages keras and tensorflow."""
from __future__ import annotations

import dataclasses
import os
import pathlib
from typing import Any

import numpy as np

from ..plugins.options import option
from ..plugins.tensor import Tensor

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")


@dataclasses.dataclass
class Keras:
    """Keras 3 (.keras, .h5) and SavedModels (DIR/saved_model.pb) on TensorFlow, as model.predict runs them.

    A model with code inside, such as a Lambda layer, is refused: Keras would run it when it loads the file.
    """

    formats = (".keras", ".h5", ".hdf5", ".pb")
    threads: int = option(1, "Threads of an operator; operators run one after the other", least=1, most=256)
    signature: str = option("serving_default", "The signature of a SavedModel")

    @staticmethod
    def version() -> str:
        import keras
        import tensorflow

        return f"{keras.__version__} on TensorFlow {tensorflow.__version__}"

    def load(self, file: pathlib.Path) -> None:
        import tensorflow as tf

        tf.config.threading.set_intra_op_parallelism_threads(self.threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        self.notes: list[str] = []
        self.layers: list[Tensor] = []
        if file.suffix == ".pb":
            self._load_saved_model(file)
        else:
            self._load_keras(file)

    def _load_saved_model(self, file: pathlib.Path) -> None:
        import tensorflow as tf

        if file.name != "saved_model.pb":
            raise ValueError(f"'{file.name}': expected the file saved_model.pb in the folder of a SavedModel")
        self.loaded = tf.saved_model.load(str(file.parent))
        signatures = self.loaded.signatures
        if self.signature not in signatures:
            raise ValueError(f"the SavedModel has no signature '{self.signature}'; it has {', '.join(signatures) or 'none'}")
        function = signatures[self.signature]
        taken = function.structured_input_signature[1]
        names = sorted(taken)
        self.inputs = [Tensor(name, taken[name].dtype.name, self._shape_of(name, taken[name].shape, len(names))) for name in names]
        given = function.structured_outputs
        self.names = sorted(given)

        def call(arrays: list[np.ndarray]) -> list[np.ndarray]:
            answer = function(**{name: tf.constant(array) for name, array in zip(names, arrays)})
            return [answer[name].numpy() for name in self.names]

        self.call = call
        self.outputs = [Tensor(name, value.dtype.name, value.shape) for name, value in zip(self.names, self._zeros())]

    def _load_keras(self, file: pathlib.Path) -> None:
        import keras

        self.model = keras.saving.load_model(file, compile=False, safe_mode=True)
        if not getattr(self.model, "inputs", None):
            raise ValueError(f"'{file.name}' holds a {type(self.model).__name__} without known inputs; save it after a first call, or as a functional model")
        given = self.model.inputs
        self.inputs = [Tensor(one.name, one.dtype, self._shape_of(one.name, one.shape, len(given))) for one in given]
        ends = self.model.outputs
        inner = _numbered([(layer, result) for layer in getattr(self.model, "layers", []) if type(layer).__name__ != "InputLayer" for result in _results(layer)])
        self.layers = [Tensor(layer.name + (f":{at}" if at else ""), result.dtype, tuple(-1 if d is None else int(d) for d in result.shape),
                              layer_type=type(layer).__name__) for layer, result, at in inner]
        runs = keras.Model(given, [*ends, *(result for _, result, _ in inner)]) if self.capturing else self.model
        count = len(ends)

        def call(arrays: list[np.ndarray]) -> list[np.ndarray]:
            answer = runs.predict_on_batch(list(arrays) if len(arrays) > 1 else arrays[0])
            answer = [np.asarray(a) for a in _flat(answer)]
            self.values = answer[count:]
            return answer[:count]

        self.call = call
        values = self._zeros()
        names = getattr(self.model, "output_names", None) or [f"output_{i}" for i in range(count)]
        self.outputs = [Tensor(name, value.dtype.name, value.shape) for name, value in zip(names, values)]
        policies = sorted({layer.dtype_policy.name for layer in self.model.layers if hasattr(layer, "dtype_policy")} - {"float32"})
        if policies:
            self.notes.append(f"layers compute with the policies {', '.join(policies)}, as the file says")

    def _shape_of(self, name: str, shape: Any, inputs: int) -> tuple[int, ...]:
        asked = self.input_shapes.get(name) or (self.input_shapes.get("") if inputs == 1 else None)
        if asked is not None:
            return tuple(asked)
        known = [None if d is None else int(d) for d in shape]
        if known and known[0] is None:
            known[0] = 1
        if None in known:
            raise ValueError(f"input '{name}' has the open shape {known}; give one: --input-shape {name}={'x'.join('N' if d is None else str(d) for d in known)}")
        return tuple(d for d in known if d is not None)

    def _zeros(self) -> list[np.ndarray]:
        return self.call([np.zeros(one.shape, one.dtype) for one in self.inputs])

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        return self.call(inputs)

    def layer_values(self, numbers: list[int]) -> list[np.ndarray]:
        return [self.values[number] for number in numbers]


def _flat(answer: Any) -> list[Any]:
    if isinstance(answer, dict):
        return [value for key in answer for value in _flat(answer[key])]
    if isinstance(answer, (list, tuple)):
        return [value for one in answer for value in _flat(one)]
    return [answer]


def _results(layer: Any) -> list[Any]:
    """The tensors that a layer computes."""
    try:
        return _flat(layer.output)
    except (AttributeError, ValueError):  # a layer that was never called, or in several places
        return []


def _numbered(inner: "list[tuple[Any, Any]]") -> "list[tuple[Any, Any, int]]":
    """Each result of a layer, and how many of the same layer come before it."""
    seen: dict[int, int] = {}
    out = []
    for layer, result in inner:
        at = seen.get(id(layer), 0)
        seen[id(layer)] = at + 1
        out.append((layer, result, at))
    return out
