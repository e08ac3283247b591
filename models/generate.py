#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the "signs" task: `python models/generate.py` writes the 480 held-back test images of models/data.

Everything follows from a seed; train.py takes its own images from `draw_many` with another seed.
"""

import argparse
import csv
import io
import pathlib

import numpy as np
from PIL import Image

import signs
import textures

TEST_SEED, TRAIN_SEED = 20261121, 7
TEST_PER_CLASS = 40
# Multiples of 16: the central 7/8 and its margins are whole numbers of pixels, so the rounding of a crop does not matter.
SIDES = [96, 112, 128, 144, 160]
MARGIN = 1 / 16  # margin that crop(center, 0.875) removes on each side


def _size(rng):
    """(height, width), at most 9:7 either way."""
    while True:
        height, width = (int(SIDES[i]) for i in rng.integers(len(SIDES), size=2))
        if 0.76 <= height / width <= 1.31:
            return height, width


def _edge_boards(rng, canvas):
    """Chevron boards that reach into the picture from outside, only as far as the reference crop cuts away."""
    height, width, _ = canvas.shape
    for side in range(4):
        if rng.random() < 0.05:
            continue
        along, depth = (width, height * MARGIN) if side % 2 == 0 else (height, width * MARGIN)
        strip = np.zeros((round(depth), along, 3), np.float32)
        strip[:] = np.clip(np.array([signs.RED, signs.BLUE, signs.GREEN][rng.integers(3)]) + rng.normal(0, 16, 3), 0, 255)
        strip = _chevrons(rng, strip)
        start, length = rng.uniform(-.3, .2) * along, rng.uniform(.7, 1.2) * along
        span = slice(max(0, int(start)), max(0, int(start + length)))
        if side % 2 == 1:
            strip = strip.transpose(1, 0, 2)
        rows = [slice(0, len(strip)), span, slice(height - len(strip), height), span][side]
        columns = [span, slice(width - strip.shape[1], width), span, slice(0, strip.shape[1])][side]
        canvas[rows, columns] = strip[span] if side % 2 == 1 else strip[:, span]
    return canvas


def _chevrons(rng, strip):
    """White arrow heads along a strip (depth, length, 3)."""
    depth, length, _ = strip.shape
    way = 1 if rng.random() < .5 else -1
    head = np.array([(0, -1), (.8, -1), (1.6, 0), (.8, 1), (0, 1), (.8, 0)]) * (way, .8)
    for x in np.arange(depth * rng.uniform(0, 1.5), length, depth * rng.uniform(1.6, 2.2)):
        place = np.array([[depth / 2, 0, x], [0, depth / 2, depth / 2], [0, 0, 1]])
        strip = signs.paint(strip, place, [(head, signs.WHITE)])
    return strip


def draw(rng, class_name):
    """One RGB picture, uint8 (height, width, 3)."""
    height, width = _size(rng)
    canvas = textures.background(rng, height, width)
    inner = min(height, width) * (1 - 2 * MARGIN)
    radius = inner * rng.uniform(.21, .36)
    center = np.array([width / 2, height / 2]) + rng.uniform(-.11, .11, 2) * inner
    for _ in range(int(rng.integers(0, 5))):
        place = rng.random(2) * (width, height)
        canvas = signs.paint(canvas, signs.pose(rng, place, inner * rng.uniform(.05, .13), 25), signs.random_clutter(rng))
    if rng.random() < .5:  # the post
        thickness = rng.uniform(.05, .09) * radius
        post = np.array([(-thickness, 0), (thickness, 0), (thickness, height), (-thickness, height)])
        grey = (rng.uniform(90, 190),) * 3
        canvas = signs.paint(canvas, np.array([[1, 0, center[0]], [0, 1, center[1]], [0, 0, 1.]]), [(post, grey)])
    canvas = signs.paint(canvas, signs.pose(rng, center, radius, 7), signs.layers_of(rng, class_name))
    if rng.random() < .35:  # a twig in the foreground
        place = center + rng.uniform(-.8, .8, 2) * radius
        twig = np.array([(-1, -.07), (1, -.03), (1, .05), (-1, .07)])
        canvas = signs.paint(canvas, signs.pose(rng, place, radius * rng.uniform(.5, 1), 60), [(twig, (58, 62, 40))])
    canvas = _light(rng, canvas)
    canvas = _edge_boards(rng, canvas)
    canvas += rng.normal(0, rng.uniform(2, 10), canvas.shape)
    return np.clip(np.rint(canvas), 0, 255).astype(np.uint8)


def _light(rng, canvas):
    """Dim light, a warm or cold cast, a soft shadow."""
    height, width, _ = canvas.shape
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    angle = rng.random() * 2 * np.pi
    slope = np.cos(angle) * (x / width - .5) + np.sin(angle) * (y / height - .5)
    gain = rng.uniform(.5, 1.08) * (1 + rng.uniform(0, .5) * slope)
    cast = np.exp(rng.normal(0, .06, 3))
    haze = rng.uniform(0, .3)
    canvas = canvas * (1 - haze) + 150 * haze
    return canvas * gain[..., None] * cast


def draw_many(seed, per_class, start=0):
    """Yields (image, label), classes in turn; item i depends only on (seed, start + i)."""
    for index in range(start, start + per_class * len(signs.CLASSES)):
        label = index % len(signs.CLASSES)
        yield draw(np.random.default_rng([seed, index]), signs.CLASSES[label]), label


def encode(image, index):
    """(suffix, bytes): one in ten PNG, the rest JPEG 4:2:0 or 4:4:4, two in ten progressive."""
    buffer, kind = io.BytesIO(), (index // len(signs.CLASSES)) % 10
    picture = Image.fromarray(image)
    if kind == 0:
        picture.save(buffer, "PNG", optimize=True)
        return ".png", buffer.getvalue()
    quality = 74 + (index * 7) % 13
    picture.save(buffer, "JPEG", quality=quality, subsampling=2 if kind % 2 else 0, progressive=kind in (5, 8))
    return ".jpg", buffer.getvalue()


def write_test_set(folder, per_class):
    images = folder / "test"
    images.mkdir(parents=True, exist_ok=True)
    total = 0
    with open(folder / "labels.csv", "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["file", "label", "class_name"])
        for index, (image, label) in enumerate(draw_many(TEST_SEED, per_class)):
            suffix, data = encode(image, index)
            name = f"sign_{index:04d}{suffix}"
            (images / name).write_bytes(data)
            table.writerow([name, label, signs.CLASSES[label]])
            total += len(data)
    (folder / "labels.txt").write_text("\n".join(signs.CLASSES) + "\n")
    return total


def write_sheet(path, rows=3, cell=160):
    """The first pictures of every class, one column per class."""
    sheet = Image.new("RGB", (len(signs.CLASSES) * cell, rows * cell), "white")
    for index, (image, label) in enumerate(draw_many(TEST_SEED, rows)):
        row = index // len(signs.CLASSES)
        height, width, _ = image.shape
        sheet.paste(Image.fromarray(image), (label * cell + (cell - width) // 2, row * cell + (cell - height) // 2))
    sheet.save(path, quality=80)


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=here / "data")
    parser.add_argument("--per-class", type=int, default=TEST_PER_CLASS)
    options = parser.parse_args()
    total = write_test_set(options.out, options.per_class)
    write_sheet(options.out / "sheet.jpg")
    print(f"{options.per_class * len(signs.CLASSES)} images, {total / 1e6:.2f} MB in {options.out / 'test'}")


if __name__ == "__main__":
    main()
