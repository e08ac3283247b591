# SPDX-License-Identifier: Apache-2.0
"""Pairs of tensors with a known difference, by NumPy, Pillow and OpenCV: nothing here is the program's.

WHY_PICTURE=photo.jpg WHY_SIDE=224 plants the same into a photograph, and prints the processor time of the answers (docs/benchmarks.md).
"""
import atexit
import json
import os
import pathlib
import statistics
import sys

import numpy as np
from PIL import Image

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import tool

MEAN, DEVIATION = np.float32([.485, .456, .406]), np.float32([.229, .224, .225])
SIDE = int(os.environ.get("WHY_SIDE", 96))
PICTURE = os.environ.get("WHY_PICTURE")
TIMES = []
AGREES, DIFFERS, UNDECIDED = 0, 3, 4


def scene(seed, height=180, width=240):
    """A picture with edges, slopes and texture, unlike any of its mirror images."""
    if PICTURE:
        picture = np.asarray(Image.open(PICTURE).convert("RGB"))
        return picture if seed < 4 else np.ascontiguousarray(np.roll(picture[::-1], picture.shape[0] // 3, 0))
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    picture = np.stack([90 + 70 * np.sin(x / width * 3 + k) + 60 * (y / height) ** (k + 1) for k in range(3)], -1)
    for _ in range(40):
        top, left = rng.integers(0, height - 20), rng.integers(0, width - 20)
        picture[top:top + rng.integers(6, 60), left:left + rng.integers(6, 60)] = rng.uniform(0, 255, 3)
    coarse = rng.normal(0, 30, (height // 6, width // 6, 3))
    picture += np.kron(coarse, np.ones((6, 6, 1)))[:height, :width] if coarse.shape[0] * 6 == height else 0
    return np.clip(np.round(picture + rng.normal(0, 4, picture.shape)), 0, 255).astype(np.uint8)


def resized(picture, how=Image.BILINEAR, side=SIDE):
    return np.asarray(Image.fromarray(picture).resize((side, side), how))


def unit(pixels):
    return pixels.astype(np.float32) / np.float32(255)


def signed(pixels):
    return pixels.astype(np.float32) / np.float32(127.5) - np.float32(1)


def imagenet(pixels):
    return ((unit(pixels) - MEAN) / DEVIATION).astype(np.float32)


def planes(values):
    return np.ascontiguousarray(values.transpose(2, 0, 1))


def float_resized(picture, side=SIDE):
    """Bilinear at pixel centres in double precision: no value is a whole pixel."""
    def axis(size):
        at = np.clip((np.arange(side) + .5) * size / side - .5, 0, size - 1)
        low = np.floor(at).astype(int)
        return low, np.minimum(low + 1, size - 1), at - low
    (a, b, f), (c, d, g), x = axis(picture.shape[0]), axis(picture.shape[1]), picture.astype(np.float64)
    rows = x[a] * (1 - f)[:, None, None] + x[b] * f[:, None, None]
    return (rows[:, c] * (1 - g)[None, :, None] + rows[:, d] * g[None, :, None]).astype(np.float32)


class WhyTest(tool.ToolTest):
    def why(self, app, reference, *flags, expect=(AGREES, DIFFERS, UNDECIDED)):
        np.save(self.folder / "app.npy", app)
        np.save(self.folder / "reference.npy", reference)
        done = tool.run("why", self.folder / "app.npy", self.folder / "reference.npy", "--json", *flags, expect=expect)
        TIMES.append(done.cpu_s)
        answer = json.loads(done.out)
        self.assertEqual({AGREES: "agrees", DIFFERS: "differs", UNDECIDED: "undecided"}[done.returncode], answer["outcome"])
        return done.returncode, answer

    def check(self, cases, *flags):
        """Each case: what was planted, the two tensors, the exit code, the kinds of the causes in any order, words of the headline."""
        for name, app, reference, code, kinds, words in cases:
            with self.subTest(planted=name):
                got, answer = self.why(app, reference, *flags)
                told = f"{answer['headline']} {[c['kind'] for c in answer['causes']]}"
                self.assertEqual(got, code, told)
                if kinds is not None:
                    self.assertEqual(sorted(c["kind"] for c in answer["causes"]), sorted(kinds), told)
                for word in words:
                    self.assertIn(word, answer["headline"])
                if code == UNDECIDED:
                    self.assertTrue(answer["would_decide"], told)
                if answer["left"] and answer["left"]["within_one_unit"] is not None and code == DIFFERS:
                    self.assertGreater(answer["left"]["within_one_unit"], .99, told)


if PICTURE:
    atexit.register(lambda: print(f"{len(TIMES)} answers, median {statistics.median(TIMES):.2f} s, longest {max(TIMES):.2f} s"))
