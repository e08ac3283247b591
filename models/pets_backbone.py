#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the backbone for the drawn animals: `python models/pets_backbone.py` writes models/pets_backbone.npz, float16, below 1 MB.

It is MobileNetV2 of width 0.35, trained on other breeds than those of models/pets.py. It needs Keras and TensorFlow.
"""
import argparse
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

import keras  # noqa: E402
import numpy as np  # noqa: E402

import pets  # noqa: E402
from edgeprobe.train.models import MobileNetV2  # noqa: E402

OUT = pathlib.Path(__file__).with_name("pets_backbone.npz")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--per-breed", type=int, default=160)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--side", type=int, default=96)
    args = parser.parse_args()
    breeds = pets.others()
    pictures = np.stack([pets.draw(np.random.default_rng([7, number, i]), breed, args.side) for i in range(args.per_breed) for number, breed in enumerate(breeds)])
    labels = np.tile(np.arange(len(breeds)), args.per_breed)
    print(f"{len(labels)} pictures of {len(breeds)} breeds", flush=True)
    keras.utils.set_random_seed(7)
    maker = MobileNetV2(alpha=.35)
    maker.build((args.side, args.side, 3), 2)
    backbone = maker.backbone(None)
    model = keras.Model(backbone.input, keras.layers.Dense(len(breeds))(keras.layers.Dropout(.2)(backbone.output)))
    held_out = len(labels) // 10
    steps = args.epochs * ((len(labels) - held_out) // 32)
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(2e-3, steps)), keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    values = pictures.astype(np.float32) / np.float32(127.5) - np.float32(1)
    model.fit(values[held_out:], labels[held_out:], 32, args.epochs, validation_data=(values[:held_out], labels[:held_out]), verbose=2)
    arrays = {}
    for layer in backbone.layers:
        for value in layer.weights:
            arrays[f"{layer.name}/{value.name}"] = value.numpy().astype(np.float16)
    np.savez(OUT, **arrays)
    print(f"{OUT}: {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
