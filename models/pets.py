#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws heads of animals for `edgeprobe train`: `python models/pets.py OUT` writes 8 breeds of 2 species in the folders of the Oxford-IIIT Pet data set.

The pictures are synthetic. A breed is a set of traits: ears, muzzle, face, coat and mask. Colours, pose, light and background are random, so that no breed
has a colour of its own. `others()` are further breeds, on which models/pets_backbone.py trains a backbone. It needs only NumPy.
"""
import argparse
import dataclasses
import pathlib
import struct
import zlib

import numpy as np

SEED = 20261130


@dataclasses.dataclass(frozen=True)
class Breed:
    """The traits; lengths are shares of the head's radius."""

    name: str
    species: int  #: 1: cat, with pointed ears and slits; 2: dog, with hanging ears and a muzzle
    ear: float  #: length
    ear_width: float
    face: float  #: width by height
    muzzle: float  #: size
    coat: str  #: "plain", "stripes", "spots", "patch", "ticked"
    mask: str  #: "none", "dark", "blaze", "spectacles"


BREEDS = (
    Breed("Aldan_Tiger", 1, .8, .5, 1.0, .30, "stripes", "none"),
    Breed("Brume_Fold", 1, .45, .7, 1.15, .25, "plain", "spectacles"),
    Breed("Corso_Point", 1, 1.05, .6, .85, .35, "plain", "dark"),
    Breed("Dune_Spotted", 1, .8, .5, 1.0, .30, "spots", "none"),
    Breed("elm_hound", 2, 1.2, .42, .85, .60, "plain", "blaze"),
    Breed("fen_terrier", 2, .65, .5, 1.0, .45, "ticked", "spectacles"),
    Breed("glen_pointer", 2, 1.0, .5, .85, .55, "spots", "dark"),
    Breed("heath_spaniel", 2, 1.2, .65, 1.0, .45, "patch", "blaze"),
)


def others(count=40):
    """Other combinations of traits, none of them a breed of BREEDS."""
    rng = np.random.default_rng(SEED + 1)
    found, known = [], {(b.species, b.coat, b.mask) for b in BREEDS}
    while len(found) < count:
        species = int(rng.integers(1, 3))
        coat = str(rng.choice(["plain", "stripes", "spots", "patch", "ticked"]))
        mask = str(rng.choice(["none", "dark", "blaze", "spectacles"]))
        ear, width = float(rng.choice([.45, .65, .85, 1.1])), float(rng.choice([.42, .6]))
        face, muzzle = float(rng.choice([.8, 1.0, 1.2])), float(rng.choice([.25, .4, .6]))
        one = Breed(f"other_{len(found)}", species, ear, width, face, muzzle, coat, mask)
        if (species, coat, mask) not in known or min(abs(ear - b.ear) for b in BREEDS if (b.species, b.coat, b.mask) == (species, coat, mask)) > .2:
            found.append(one)
    return tuple(found)


def _noise(rng, side, cells):
    """Smooth noise of 0..1."""
    grid = rng.random((cells + 2, cells + 2))
    at = np.linspace(0, cells, side, endpoint=False)
    i, t = at.astype(int), at % 1
    t = t * t * (3 - 2 * t)
    rows = grid[i] * (1 - t)[:, None] + grid[i + 1] * t[:, None]
    return rows[:, i] * (1 - t) + rows[:, i + 1] * t


def draw(rng, breed, side):
    """A picture [side, side, 3] uint8."""
    low, high = rng.uniform(20, 120, 3), rng.uniform(110, 250, 3)
    ground = sum(_noise(rng, side, c) / 2 ** n for n, c in enumerate((3, 7, 15, 31))) / 1.875
    canvas = low + (high - low) * ground[..., None]

    radius = rng.uniform(.24, .34)
    angle, middle = rng.uniform(-.35, .35), rng.uniform(.42, .58, 2)
    y, x = (np.mgrid[0:side, 0:side] + .5) / side - middle[:, None, None]
    y = y - .04
    x, y = (np.cos(angle) * x + np.sin(angle) * y) / radius, (-np.sin(angle) * x + np.cos(angle) * y) / radius
    x = x + rng.uniform(-.12, .12) * y
    soft = 1.5 / (side * radius)

    def fill(inside, color, strength=1.0):
        nonlocal canvas
        share = strength * np.clip(.5 + inside / soft, 0, 1)[..., None]
        canvas = canvas * (1 - share) + np.asarray(color) * share

    def oval(cx, cy, rx, ry, turn=0.0):
        dx, dy = x - cx, y - cy
        u, v = np.cos(turn) * dx + np.sin(turn) * dy, -np.sin(turn) * dx + np.cos(turn) * dy
        return (1 - np.sqrt((u / rx) ** 2 + (v / ry) ** 2)) * min(rx, ry)

    def triangle(a, b, c):
        def edge(p, q):
            return ((q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])) / np.hypot(q[0] - p[0], q[1] - p[1])
        return np.minimum(np.minimum(edge(a, b), edge(b, c)), edge(c, a))

    fur = rng.uniform(90, 230) * rng.uniform(.75, 1.1, 3)
    mark = fur * rng.uniform(.3, .5) if rng.random() < .6 or fur.mean() > 170 else np.minimum(fur * rng.uniform(1.5, 1.9), 250)
    pale, dark = np.minimum(fur * 1.35 + 25, 252), fur * .3
    width = breed.face * rng.uniform(.96, 1.04)
    ear, ear_width = breed.ear * rng.uniform(.93, 1.07), breed.ear_width * rng.uniform(.95, 1.05)
    for s in (-1, 1):
        if breed.species == 1:
            base = s * .55 * width
            points = [(base - ear_width * .8, -.6), (base + s * .25, -.75 - ear), (base + ear_width * .8, -.45)]
            fill(triangle(*points), mark if breed.mask == "dark" else fur)
            inner = [((p[0] - base) * .55 + base, (p[1] + .7) * .55 - .7) for p in points]
            fill(triangle(*inner), (200, 140, 140), .8)
    head = oval(0, 0, width, 1)
    fill(head, fur)
    inside = np.clip(.5 + head / soft, 0, 1)
    wave = _noise(rng, side, 6)
    if breed.coat == "stripes":
        pattern = np.sin((y + .5 * np.abs(x)) * rng.uniform(11, 13) + 2 * wave) - .2
    elif breed.coat == "spots":
        pattern = (_noise(rng, side, round(5 / radius)) - .62) * 5
    elif breed.coat == "patch":
        pattern = (wave + .5 * np.sign(rng.uniform(-1, 1)) * x / width - .5) * 8
    elif breed.coat == "ticked":
        pattern = (_noise(rng, side, min(side // 2, round(14 / radius))) - .6) * 5
    else:
        pattern = np.full_like(x, -1.0)
    share = (np.clip(.5 + pattern * 2, 0, 1) * inside * .85)[..., None]
    canvas = canvas * (1 - share) + mark * share
    if breed.species == 2:
        for s in (-1, 1):
            fill(oval(s * (width * .95), -.25 + ear * .4, ear_width * .5, ear * .62, -s * .25), mark if breed.mask == "dark" or breed.coat == "patch" else fur * .8)
    if breed.mask == "dark":
        fill(oval(0, .35, .6 * width, .6), dark, .9)
    elif breed.mask == "blaze":
        fill(oval(0, -.3, .16, .75), pale)
    elif breed.mask == "spectacles":
        for s in (-1, 1):
            fill(oval(s * .4 * width, -.1, .3, .27), pale)
    fill(oval(0, .5, breed.muzzle * 1.1, breed.muzzle), pale if breed.mask != "dark" else dark)
    fill(oval(0, .5 - breed.muzzle * .4, breed.muzzle * .35, breed.muzzle * .25), (40, 30, 30))
    iris = rng.uniform(60, 200, 3)
    for s in (-1, 1):
        fill(oval(s * .4 * width, -.1, .17, .14), iris)
        fill(oval(s * .4 * width, -.1, .05 if breed.species == 1 else .1, .13 if breed.species == 1 else .1), (15, 15, 15))
    if rng.random() < .4:  # something in front: grass or a bar
        fill(oval(rng.uniform(-1, 1), 1.3, rng.uniform(.3, 1), rng.uniform(.2, .5)), rng.uniform(20, 200, 3))
    canvas = canvas * rng.uniform(.75, 1.1) + rng.normal(0, rng.uniform(2, 9), canvas.shape)
    return np.clip(np.rint(canvas), 0, 255).astype(np.uint8)


def png(picture):
    """The picture as a PNG file."""
    height, width, _ = picture.shape

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = np.concatenate([np.zeros((height, 1), np.uint8), picture.reshape(height, -1)], 1)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows.tobytes(), 3)) + chunk(b"IEND", b""))


def write(out, per_breed, side, seed):
    """images/NAME_N.png, annotations/list.txt as in Oxford's data set, and labels.csv with classes.txt for other tools."""
    out = pathlib.Path(out)
    (out / "images").mkdir(parents=True, exist_ok=True)
    (out / "annotations").mkdir(exist_ok=True)
    lines, rows, of_species = ["#Image CLASS-ID SPECIES BREED ID"], ["file,label"], {1: 0, 2: 0}
    for number, breed in enumerate(BREEDS, 1):
        of_species[breed.species] += 1
        for i in range(1, per_breed + 1):
            rng = np.random.default_rng([seed, number, i])
            name = f"{breed.name}_{i}"
            (out / "images" / f"{name}.png").write_bytes(png(draw(rng, breed, side)))
            lines.append(f"{name} {number} {breed.species} {of_species[breed.species]}")
            rows.append(f"{name}.png,{number - 1}")
    (out / "annotations" / "list.txt").write_text("\n".join(lines) + "\n")
    (out / "labels.csv").write_text("\n".join(rows) + "\n")
    (out / "classes.txt").write_text("".join(b.name + "\n" for b in BREEDS))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--per-breed", type=int, default=60)
    parser.add_argument("--side", type=int, default=128, help="height and width in pixels")
    parser.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args()
    write(args.out, args.per_breed, args.side, args.seed)


if __name__ == "__main__":
    main()
