#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the signs classifier on freshly drawn pictures and writes signs_float.tflite and signs_int8.tflite."""

import argparse
import concurrent.futures
import logging
import os
import pathlib
import time

import numpy as np

import generate
import network
import preprocess
import signs

TRAIN_PER_CLASS = 500
EPOCHS, BATCH, PEAK_RATE, WEIGHT_DECAY = 8, 64, 4e-3, 2e-2
CALIBRATION_IMAGES = 240


def _draw_chunk(start, per_class):
    """Pictures as they come out of their files, through the reference recipe, 8 bit."""
    pixels, labels = [], []
    for offset, (image, label) in enumerate(generate.draw_many(generate.TRAIN_SEED, per_class, start)):
        _, data = generate.encode(image, start + offset)
        pixels.append(preprocess.reference_pixels(preprocess.decode(data)))
        labels.append(label)
    return np.stack(pixels), np.array(labels)


def training_set(per_class, workers):
    """uint8 (n, 64, 64, 3) and labels (n,); the same for any number of workers."""
    step = 25
    starts = [first * len(signs.CLASSES) for first in range(0, per_class, step)]
    sizes = [min(step, per_class - first) for first in range(0, per_class, step)]
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        chunks = list(pool.map(_draw_chunk, starts, sizes))
    return np.concatenate([c[0] for c in chunks]), np.concatenate([c[1] for c in chunks])


def fit(pixels, labels, epochs, seed):
    """{layer name: (weights, bias)} of the trained network, normalisation folded in."""
    import jax
    import jax.numpy as jnp
    import optax

    def loss_of(parameters, x, y):
        logits, _ = network.forward(parameters, x)
        return optax.softmax_cross_entropy(logits, optax.smooth_labels(jax.nn.one_hot(y, network.CLASS_COUNT), 0.05)).mean()

    steps = len(labels) // BATCH
    schedule = optax.cosine_onecycle_schedule(steps * epochs, PEAK_RATE, pct_start=0.15)
    optimizer = optax.adamw(schedule, weight_decay=WEIGHT_DECAY)

    @jax.jit
    def step(parameters, state, batch, y):
        x = batch.astype(jnp.float32) / 127.5 - 1
        loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state, loss

    parameters = network.initial_parameters(seed)
    state, rng = optimizer.init(parameters), np.random.default_rng(seed)
    for epoch in range(epochs):
        order, total, began = rng.permutation(len(labels)), 0.0, time.time()
        for i in range(steps):
            pick = order[i * BATCH:(i + 1) * BATCH]
            parameters, state, loss = step(parameters, state, pixels[pick], labels[pick])
            total += float(loss)
        print(f"epoch {epoch + 1:2d}/{epochs}  loss {total / steps:.3f}  {time.time() - began:.1f} s", flush=True)
    sample = rng.permutation(len(labels))[:1536]
    _, statistics = jax.jit(network.forward)(parameters, preprocess.scale(pixels[sample]))
    return network.folded(parameters, statistics)


def widen_to_extremes(float_path, pixels, ranges):
    """Sets each tensor's range to the extremes over all pictures: calibration averages them, so bright pixels would saturate."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType
    interpreter = Interpreter(model_path=str(float_path), experimental_preserve_all_tensors=True,
                              experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    tensors = [(t["index"], ranges[t["name"]]) for t in interpreter.get_tensor_details() if t["name"] in ranges]
    for picture in pixels:
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], preprocess.scale(picture)[None])
        interpreter.invoke()
        for index, span in tensors:
            value = interpreter.get_tensor(index)
            span["min"], span["max"] = np.minimum(span["min"], value.min()), np.maximum(span["max"], value.max())
    source = ranges["image"]  # the recipe's range is -1..1, regardless of these pictures
    source["min"], source["max"] = np.full_like(source["min"], -1), np.full_like(source["max"], 1)


def quantize(float_path, int8_path, pixels):
    """Static int8, per-channel weights, int8 input and output; ranges from the training pictures."""
    from ai_edge_quantizer import quantizer, recipe
    logging.getLogger().setLevel(logging.ERROR)
    worker = quantizer.Quantizer(str(float_path), recipe.static_wi8_ai8())
    data = [{"image": preprocess.scale(picture)[None]} for picture in pixels[:CALIBRATION_IMAGES]]
    result = worker.calibrate({"serving_default": data})
    widen_to_extremes(float_path, pixels[:CALIBRATION_IMAGES], result)
    worker.quantize(result).export_model(str(int8_path), overwrite=True)
    int8_path.chmod(0o644)


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=here)
    parser.add_argument("--per-class", type=int, default=TRAIN_PER_CLASS)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--seed", type=int, default=1, help="weights and order of the pictures")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    began = time.time()
    pixels, labels = training_set(options.per_class, options.workers)
    drawn = time.time()
    print(f"drew {len(labels)} pictures in {drawn - began:.0f} s", flush=True)
    folded = fit(pixels, labels, options.epochs, options.seed)
    trained = time.time()

    import tflite_writer
    float_path, int8_path = options.out / "signs_float.tflite", options.out / "signs_int8.tflite"
    float_path.write_bytes(tflite_writer.model_bytes(folded, preprocess.SIDE, "edgeprobe signs: 12 traffic signs, RGB 64x64 in -1..1"))
    quantize(float_path, int8_path, pixels)
    print(f"training {trained - drawn:.0f} s, writing and quantising {time.time() - trained:.0f} s")
    for path in (float_path, int8_path):
        print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
