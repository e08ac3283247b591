# SPDX-License-Identifier: Apache-2.0
"""Models of Keras, and what Keras computes. keras_cases.py FOLDER"""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import numpy as np
import tensorflow as tf
from cases import Cases
from keras import layers

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


def hook(model, seen):
    """Lets each layer note what it computes, in the order of the calls."""
    for layer in model.layers:
        if isinstance(layer, layers.InputLayer):
            continue

        def call(*given, layer=layer, own=layer.call, **named):
            answer = own(*given, **named)
            before = sum(one[2] is layer for one in seen)
            for at, value in enumerate(keras.tree.flatten(answer)):
                seen.append((layer.name + (f":{before + at}" if before + at else ""), type(layer).__name__, layer, np.asarray(value)))
            return answer

        layer.call = call


def _nodes(model):
    return getattr(model, "_functional", model)._nodes_by_depth


def case(cases, name, model, samples, flags=(), file="net.keras"):
    """The model is read again from its file, and called as a user does."""
    home = cases.home(name)
    path = home / file
    model.save(path)
    model = keras.saving.load_model(path, compile=False)
    names = [t._keras_history.operation.name for t in model.outputs]
    seen = []
    hook(model, seen)
    answers, inner = [], []
    for sample in samples:
        given = list(sample.values())
        seen.clear()
        model(given if len(given) > 1 else given[0], training=False)
        inner.append(list(seen))
    # predict compiles the graph, which may round otherwise than one layer after the other: hooks for names and order, and a compiled model for the bits.
    model = keras.saving.load_model(path, compile=False)
    tensors = [next(t for t in node.output_tensors) for depth in sorted(_nodes(model), reverse=True) for node in _nodes(model)[depth] if not node.is_input]
    shown = keras.Model(model.inputs, [*model.outputs, *tensors])
    for sample, row in zip(samples, inner):
        values = keras.tree.flatten(shown.predict_on_batch(list(sample.values())))[len(model.outputs):]
        for at, ((_, _, _, plain), value) in enumerate(zip(row, values, strict=True)):
            value = np.asarray(value)
            np.testing.assert_allclose(value.astype(np.float64), plain.astype(np.float64), rtol=2e-2 if "float16" in plain.dtype.name else 1e-5, atol=1e-6)
            row[at] = (*row[at][:2], value)
    model = keras.saving.load_model(path, compile=False)
    for sample in samples:
        given = list(sample.values())
        answer = keras.tree.flatten(model.predict_on_batch(given if len(given) > 1 else given[0]))
        answers.append([(n, np.asarray(a)) for n, a in zip(names, answer)])
    cases.write(home, path, samples, answers, inner, flags=flags)


def main(folder):
    cases = Cases(folder)
    normal = cases.normal
    keras.utils.set_random_seed(3)

    def batch_norm():
        layer = layers.BatchNormalization
        return layer(beta_initializer="random_normal", gamma_initializer="random_uniform", moving_mean_initializer="random_normal")

    net = keras.Sequential([keras.Input((12, 10, 3), name="picture"), layers.Conv2D(8, 3, padding="same", use_bias=False), batch_norm(), layers.ReLU(),
                            layers.MaxPooling2D(),
                            layers.Dropout(.5), layers.Flatten(), layers.Dense(5, activation="softmax", name="prob")])
    case(cases, "convolution", net, [{"picture": normal(1, 12, 10, 3)} for _ in range(3)])
    case(cases, "old_file", net, [{"picture": normal(1, 12, 10, 3)} for _ in range(2)], file="net.h5")

    x = keras.Input((None, None, 4), name="x")
    y = layers.DepthwiseConv2D(3, strides=2, name="dw")(x)
    y = layers.Conv2D(6, 1, activation="relu6", name="pw")(y)
    y = layers.GlobalAveragePooling2D(name="gap")(y)
    case(cases, "depthwise_open", keras.Model(x, y), [{"x": normal(2, 9, 11, 4)} for _ in range(2)], ["--input-shape", "x=2x9x11x4"])

    a, b = keras.Input((6,), name="b_first"), keras.Input((6,), name="a_second")
    shared = layers.Dense(4, activation="tanh", name="shared")
    one, two = shared(a), shared(b)
    joined = layers.Concatenate(name="join")([one, two])
    case(cases, "two_and_two", keras.Model([a, b], {"zeta": layers.Dense(3, name="zeta")(joined), "alpha": layers.Subtract(name="alpha")([one, two])}),
         [{"b_first": normal(1, 6), "a_second": normal(1, 6)} for _ in range(3)])

    x = keras.Input((7,), dtype="int32", name="ids")
    y = layers.Embedding(11, 5, name="words")(x)
    y = layers.LSTM(4, return_sequences=True, name="lstm")(y)
    y = layers.Bidirectional(layers.GRU(3), name="both")(y)
    case(cases, "words", keras.Model(x, layers.Dense(2, name="end")(y)), [{"ids": cases.random.integers(0, 11, (1, 7)).astype(np.int32)} for _ in range(3)])

    x = keras.Input(batch_shape=(1, 3, 2), name="part")
    y = layers.GRU(4, stateful=True, bias_initializer="random_normal", name="memory")(x)
    model = keras.Model(x, layers.Dense(2, name="end")(y))
    home = cases.home("stateful")
    model.save(home / "net.keras")
    model = keras.saving.load_model(home / "net.keras", compile=False)
    samples = [{"part": normal(1, 3, 2)} for _ in range(3)]
    cases.write(home, home / "net.keras", samples, [[("end", np.asarray(model.predict_on_batch(s["part"])))] for s in samples], hidden=False)

    for policy in ("mixed_float16", "mixed_bfloat16"):
        keras.config.set_dtype_policy(policy)
        x = keras.Input((8, 8, 2), name="x")
        y = layers.Conv2D(4, 3, activation="relu", name="conv")(x)
        y = layers.Flatten(name="flat")(y)
        net = keras.Model(x, layers.Dense(3, dtype="float32", name="end")(y))
        case(cases, policy, net, [{"x": normal(1, 8, 8, 2)} for _ in range(2)])
    keras.config.set_dtype_policy("float32")

    inner = keras.Sequential([keras.Input((5,)), layers.Dense(4, activation="elu"), layers.LayerNormalization()], name="inner")
    x = keras.Input((5,), name="x")
    case(cases, "nested", keras.Model(x, layers.Dense(2, name="end")(inner(x))), [{"x": normal(1, 5)} for _ in range(2)])

    class Signatures(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(normal(4, 3))

        @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32, name="x"), tf.TensorSpec([None], tf.int64, name="k")])
        def serve(self, x, k):
            y = tf.nn.softmax(x @ self.w)
            return {"best": tf.argmax(y, 1) + k, "y": y}

    module = Signatures()
    home = cases.home("saved_model")
    tf.saved_model.save(module, home / "net", signatures={"serve": module.serve})
    samples = [{"k": np.array([i], np.int64), "x": normal(1, 4)} for i in range(3)]
    answers = []
    for s in samples:
        answer = tf.saved_model.load(home / "net").signatures["serve"](x=tf.constant(s["x"]), k=tf.constant(s["k"]))
        answers.append([(n, answer[n].numpy()) for n in ("best", "y")])
    cases.write(home, "net/saved_model.pb", samples, answers, options="signature=serve")

    home = cases.home("refused")
    keras.Sequential([keras.Input((4,)), layers.Lambda(lambda x: x * 2)]).save(home / "lambda.keras")

    class Own(layers.Layer):
        def call(self, x):
            return x

    keras.Sequential([keras.Input((4,)), Own()]).save(home / "own.keras")
    keras.Sequential([layers.Dense(2)]).save(home / "called_never.keras")


main(sys.argv[1])
