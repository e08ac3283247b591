# SPDX-License-Identifier: Apache-2.0
"""Keras models and TensorFlow SavedModels, from the packages keras and tensorflow."""
from __future__ import annotations

import dataclasses
import os
import pathlib
from typing import Any

import numpy as np

from ..plugins.arrays import numpy_dtype
from ..plugins.options import option
from ..plugins.process import USAGE, Refused
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

        try:
            self.model = keras.saving.load_model(file, compile=False, safe_mode=True)
        except Exception as error:
            said = " ".join(str(error).split()) or type(error).__name__
            if "safe_mode" in said or "unsafe deserialization" in said or "Lambda" in said:
                raise ValueError(f"'{file.name}' has code inside, such as that of a Lambda layer, and is refused: Keras would run it. Give a plug-in of your own") from None
            raise ValueError(f"'{file.name}' cannot be loaded by Keras {keras.__version__}: {said[:400]}") from None
        if not getattr(self.model, "inputs", None):
            raise ValueError(f"'{file.name}' holds a {type(self.model).__name__} without known inputs; save it after a first call, or as a functional model")
        given = self.model.inputs
        self.inputs = [Tensor(one.name, one.dtype, self._shape_of(one.name, one.shape, len(given))) for one in given]
        ends = self.model.outputs
        inner = _results(self.model)
        self.layers = [Tensor(layer.name + (f":{at}" if at else ""), result.dtype, tuple(-1 if d is None else int(d) for d in result.shape),
                              layer_type=type(layer).__name__) for layer, result, at in inner]
        runs = keras.Model(given, [*ends, *(result for _, result, _ in inner)]) if self.capturing else self.model
        count = len(ends)

        def call(arrays: list[np.ndarray]) -> list[np.ndarray]:
            answer = runs.predict_on_batch(list(arrays) if len(arrays) > 1 else arrays[0])
            # A dict is flattened by sorted keys, which is also the order of model.outputs.
            answer = [np.asarray(a) for a in keras.tree.flatten(answer)]
            self.values = answer[count:]
            return answer[:count]

        self.call = call
        values = self._zeros()
        names = [one._keras_history.operation.name for one in ends]
        names = names if len(set(names)) == count else [f"output_{i}" for i in range(count)]
        self.outputs = [Tensor(name, value.dtype.name, value.shape) for name, value in zip(names, values)]
        policies = sorted({layer.dtype_policy.name for layer in self.model.layers if hasattr(layer, "dtype_policy")} - {"float32"})
        if policies:
            self.notes.append(f"layers compute with the policies {', '.join(policies)}, as the file says")

    def _shape_of(self, name: str, shape: Any, inputs: int) -> tuple[int, ...]:
        asked = self.input_shapes.get(name) or (self.input_shapes.get("") if inputs == 1 else None)
        known = [None if d is None else int(d) for d in shape]
        if asked is not None:
            self._check_shape(name, known, list(asked))
            return tuple(asked)
        if known and known[0] is None:
            known[0] = 1
        if None in known:
            raise ValueError(f"input '{name}' has the open shape {known}; give one: --input-shape {name}={'x'.join('N' if d is None else str(d) for d in known)}")
        return tuple(d for d in known if d is not None)

    @staticmethod
    def _check_shape(name: str, known: "list[int | None]", asked: list[int]) -> None:
        """Refuses a shape that the model does not have, before Keras does so in its own words."""
        def text(shape: "list[int | None]") -> str:
            return "x".join("?" if d is None else str(d) for d in shape)

        def fits(shape: list[int]) -> bool:
            return len(shape) == len(known) and all(d is None or d == a for d, a in zip(known, shape))

        if fits(asked):
            return
        turned = [asked[0], *asked[2:], asked[1]] if len(asked) > 2 else asked
        raise Refused(USAGE, f"--input-shape {text(list(asked))} is not a shape of input '{name}', which is {text(known)}"
                      + (f": its channels come last; give {text(list(turned))}" if fits(turned) else ""))

    def _zeros(self) -> list[np.ndarray]:
        """A first answer, which shows the shapes. What it changed of a stateful model is put back."""
        keeper = getattr(self, "model", None) or self.loaded
        held = list({id(v): v for v in (*getattr(keeper, "variables", ()), *_states(keeper))}.values())
        before = [np.array(v) for v in held]
        answer = self.call([np.zeros(one.shape, numpy_dtype(one.dtype)) for one in self.inputs])
        for variable, value in zip(held, before):
            if not np.array_equal(np.array(variable), value, equal_nan=value.dtype.kind == "f"):
                variable.assign(value)
        return answer

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        return self.call(inputs)

    def layer_values(self, numbers: list[int]) -> list[np.ndarray]:
        return [self.values[number] for number in numbers]


def _states(model: Any) -> list[Any]:
    """The states of recurrent layers, which are no weights."""
    layers = model._flatten_layers() if hasattr(model, "_flatten_layers") else []
    return [one for layer in layers for one in (getattr(layer, "states", None) or []) if hasattr(one, "assign")]


def _results(model: Any) -> list[tuple[Any, Any, int]]:
    """Layer and tensor of each result of the layers, in the order in which they run, and how many of the same layer come before it."""
    by_depth = getattr(model, "_functional", model)._nodes_by_depth
    seen: dict[int, int] = {}
    out = []
    for depth in sorted(by_depth, reverse=True):
        for node in by_depth[depth]:
            for tensor in [] if node.is_input else node.output_tensors:
                at = seen.get(id(node.operation), 0)
                seen[id(node.operation)] = at + 1
                out.append((node.operation, tensor, at))
    return out
