# SPDX-License-Identifier: Apache-2.0
"""Trains a Keras model, one step at a time, with the same numbers in each run."""
from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from .slots import Slot  # noqa: E402

KINDS = {"Conv2D": "conv", "Conv1D": "conv", "DepthwiseConv2D": "depthwise", "Dense": "dense", "BatchNormalization": "norm"}
ROLES = {"conv": ("kernel", "bias"), "depthwise": ("kernel", "bias"), "dense": ("kernel", "bias"), "norm": ("gamma", "beta", "mean", "variance")}


class Learner:
    """A model, its backbone if it has one, and the optimizer of the current phase."""

    ENDINGS = (".keras", ".h5")

    def __init__(self, build: "Callable[..., Any]", backbone: "Callable[..., Any] | None", input_shape: "tuple[int, ...]", classes: int, seed: int) -> None:
        tf.config.experimental.enable_op_determinism()
        keras.utils.set_random_seed(seed % 2**32)
        self.model = build(tuple(input_shape), classes)
        if not isinstance(self.model, keras.Model):
            raise ValueError(f"build() returned {type(self.model).__name__}; expected a keras.Model")
        self.backbone = backbone(self.model) if backbone else None
        self._check(tuple(input_shape), classes)
        last = self.model.layers[-1]
        self.gives_logits = isinstance(last, keras.layers.Softmax)
        # The loss of logits is exact; that of probabilities is cut off at 1e-7.
        self.scores = last.input if self.gives_logits else self.model.outputs[0]
        if not self.gives_logits:
            probe = self.model(np.random.default_rng(0).standard_normal((4, *input_shape)).astype(np.float32), training=False).numpy()
            self.gives_logits = not (np.all(probe >= 0) and np.allclose(probe.sum(1), 1, atol=1e-4))

    @staticmethod
    def versions() -> "dict[str, str]":
        return {"keras": keras.__version__, "tensorflow": tf.__version__, "numpy": np.__version__}

    def _check(self, shape: "tuple[int, ...]", classes: int) -> None:
        model = self.model
        if len(model.inputs) != 1 or tuple(model.inputs[0].shape[1:]) != shape:
            raise ValueError(f"the model takes {[list(one.shape[1:]) for one in model.inputs]}; the recipe makes {list(shape)}")
        if len(model.outputs) != 1 or tuple(model.outputs[0].shape[1:]) != (classes,):
            raise ValueError(f"the model gives {[list(one.shape[1:]) for one in model.outputs]}; expected one value for each of {classes} classes")

    # Phases

    def begin(self, phase: str, rate: float) -> None:
        """A new optimizer for "all" weights, for those after the "frozen" backbone, or also its last blocks: "fine"."""
        self.phase = phase
        unfrozen: set[str] = set()
        if self.backbone is not None:
            self.backbone.trainable = phase == "all"
            if phase == "fine":
                unfrozen = self._unfreeze_last()
        self.unfrozen = len(unfrozen)
        net = keras.Model(self.model.inputs[0], self.scores)
        self.head = None
        if phase == "frozen":
            try:
                self.head = keras.Model(self.backbone.output, self.scores)
            except Exception:  # the backbone is nested: its output is no tensor of the model
                self.head = None
        self.variables = list(net.trainable_variables)
        if not self.variables:
            raise ValueError("no weight of the model is trainable")
        self.optimizer = keras.optimizers.Adam(rate)
        self.optimizer.build(self.variables)
        self.rate = rate
        self._train, self._judge = self._functions(net)
        if self.head is not None:
            self._train_head, self._judge_head = self._functions(self.head)
            inputs = [tf.TensorSpec((None, *self.backbone.inputs[0].shape[1:]), tf.float32)]
            self._embed = tf.function(lambda values: self.backbone(values, training=False), input_signature=inputs)

    def _unfreeze_last(self) -> "set[str]":
        """Unfreezes the last quarter of the backbone's convolutions. Batch norms stay frozen: a few batches would replace their statistics."""
        layers = [layer for layer in self.backbone.layers if layer.weights and not isinstance(layer, keras.layers.BatchNormalization)]
        self.backbone.trainable = True
        chosen = {layer.name for layer in layers[-max(1, len(layers) // 4):]}
        for layer in self.backbone.layers:
            layer.trainable = layer.name in chosen
        return chosen

    def _functions(self, net: Any) -> "tuple[Any, Any]":
        variables, optimizer, gives_logits = self.variables, self.optimizer, self.gives_logits

        def losses(scores: Any, labels: Any) -> Any:
            return keras.ops.sparse_categorical_crossentropy(labels, scores, from_logits=gives_logits)

        def hits(scores: Any, labels: Any) -> Any:
            return tf.reduce_sum(tf.cast(tf.equal(tf.argmax(scores, 1, tf.int32), labels), tf.int32))

        def train(values: Any, labels: Any) -> Any:
            watched = [variable.value for variable in variables]
            with tf.GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(watched)
                scores = net(values, training=True)
                loss = tf.reduce_mean(losses(scores, labels))
                total = loss + tf.add_n(net.losses) if net.losses else loss
            optimizer.apply(tape.gradient(total, watched), variables)
            return loss, hits(scores, labels)

        def judge(values: Any, labels: Any) -> Any:
            scores = net(values, training=False)
            return tf.reduce_sum(losses(scores, labels)), hits(scores, labels), scores

        # One graph for all sizes of a batch: which graph computes a batch must not depend on the batches before it, which a run that continues has not seen.
        batch = [tf.TensorSpec((None, *net.inputs[0].shape[1:]), tf.float32), tf.TensorSpec((None,), tf.int32)]
        return tf.function(train, input_signature=batch), tf.function(judge, input_signature=batch)

    def step(self, values: np.ndarray, labels: np.ndarray, features: bool) -> "tuple[float, int]":
        """Loss (mean of the batch) before the step, and the number of right answers."""
        loss, right = (self._train_head if features else self._train)(values, labels)
        return float(loss), int(right)

    def judge(self, values: np.ndarray, labels: np.ndarray, features: bool) -> "tuple[float, int, np.ndarray]":
        """Loss (sum over the batch), number of right answers, and the numbers of the classes answered."""
        loss, right, scores = (self._judge_head if features else self._judge)(values, labels)
        return float(loss), int(right), np.argmax(scores.numpy(), 1)

    def embed(self, values: np.ndarray) -> np.ndarray:
        """The backbone's features of prepared inputs."""
        return self._embed(values).numpy()

    # State

    def state(self) -> "dict[str, np.ndarray]":
        """All that the next step depends on: weights, seeds of dropout, optimizer."""
        return {**{f"model/{i}": v.numpy() for i, v in enumerate(self.model.variables)},
                **{f"optimizer/{i}": v.numpy() for i, v in enumerate(self.optimizer.variables)}}

    def restore(self, arrays: "dict[str, np.ndarray]") -> None:
        for kind, variables in (("model", self.model.variables), ("optimizer", self.optimizer.variables)):
            for i, variable in enumerate(variables):
                variable.assign(arrays[f"{kind}/{i}"])

    def weights(self) -> "list[np.ndarray]":
        return [value.numpy() for value in self.model.weights]

    def set_weights(self, weights: "list[np.ndarray]") -> None:
        for variable, value in zip(self.model.weights, weights, strict=True):
            variable.assign(value)

    def save(self, path: pathlib.Path) -> None:
        if self.backbone is not None:
            self.backbone.trainable = True  # what is frozen belongs to the training, not to the model
        self.model.save(path)

    # Backbone weights

    def backbone_weights(self) -> "list[np.ndarray]":
        return [value.numpy() for value in self.backbone.weights]

    def slots(self) -> "list[Slot]":
        """The backbone's layers with weights, in the order in which they run."""
        out = []
        for layer in self.backbone.layers:
            kind = KINDS.get(type(layer).__name__, "other")
            names = ROLES.get(kind, ())
            if kind == "norm":
                names = [role for role, there in zip(names, (layer.scale, layer.center, True, True)) if there]
            weights = list(layer.weights)
            roles = {(names[i] if i < len(names) else f"weight_{i}"): tuple(v.shape) for i, v in enumerate(weights)}
            if roles:
                out.append(Slot(layer.name, kind, roles, getattr(layer, "epsilon", 0.0), weights))
        return out

    @staticmethod
    def assign(slot: Slot, role: str, values: np.ndarray) -> None:
        slot.place[list(slot.roles).index(role)].assign(values)
