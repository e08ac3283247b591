# SPDX-License-Identifier: Apache-2.0
"""Every pair of dtypes against NumPy in float64, with each set of loops of this processor: totals, the squares of channels, the kinds
of values. Among the floats are NaN, infinities, denormals and numbers beyond float16. Also scales per channel, sizes that fill no
vector or several tiles, distances of codes of every size, and targets in another layout."""
import itertools
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

PROGRAM = sys.argv.pop()
Q8 = (0.0173, -128)
DTYPES = ["float32", "float16", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "bool"]
SHAPES = [((1, 7, 9, 5), 3), ((3, 41), 1), ((2, 3, 70), 1), ((1, 200, 100), 2), ((11,), 0)]
LARGE = [((1, 37, 41, 24), 3), ((1, 3, 97, 101), 1), ((5, 1280), 1), ((33000, 1), 1), ((2, 8191), 0), ((1, 67, 70, 7), 3), ((40000, 3), 1)]


def draw(generator, dtype, shape):
    if dtype.startswith("float"):
        values = generator.normal(0.5, 2, shape).clip(-1, None).astype(dtype)
        flat = values.ravel()
        tiny = float(np.finfo(dtype).tiny)
        for value in (np.nan, np.inf, -np.inf, tiny, tiny / 3, -tiny / 7, -0.0, 65504, 60000 if dtype == "float16" else -7e4):
            if flat.size > 20:
                flat[generator.integers(flat.size)] = value
        return values
    if dtype == "bool":
        return generator.integers(0, 2, shape).astype(np.uint8)
    limits = np.iinfo(dtype)
    return generator.integers(max(limits.min, -3000), min(limits.max, 3000), shape, endpoint=True).astype(dtype)


def real(stored, quantization, axis=0):
    """As float32, because the definition of a dequantised value requires it. Lists hold a scale and a zero point per index of `axis`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # float64 beyond float32
        values = stored.astype(np.float32)
    if quantization:
        along = [-1 if k == axis else 1 for k in range(stored.ndim)]
        scale, zero = (np.float32(np.array(part)) for part in quantization)
        if scale.ndim:
            scale, zero = scale.reshape(along), zero.reshape(along)
        values = (values - zero) * scale
    return values


def text_of(quantization, axis=0):
    if not quantization:
        return "-"
    scale, zero = quantization
    if isinstance(scale, list):
        return f"{','.join(map(repr, scale))}:{','.join(map(str, zero))}:{axis}"
    return f"{scale!r}:{zero}"


def kinds(stored, values, dtype):
    """Numbers of values, NaN, infinities, denormals, values at an end of their codes or at float16's, finite ones beyond float16."""
    wide = stored if dtype == "float64" else values
    size = np.abs(wide[np.isfinite(wide)].astype(np.float64))
    smallest = float(np.finfo(dtype).tiny) if dtype.startswith("float") else 0
    saturated = 0
    if dtype in ("int8", "uint8", "int16", "uint16"):
        saturated = ((stored == np.iinfo(dtype).min) | (stored == np.iinfo(dtype).max)).sum()
    elif dtype == "float16":
        saturated = (size == 65504).sum()
    return [int(n) for n in (stored.size, np.isnan(wide).sum(), np.isinf(wide).sum(), ((size > 0) & (size < smallest)).sum(), saturated,
                             (size > 65504).sum())]


def expected(r, t, places):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        d32 = (t - r).astype(np.float32)
        good = np.isfinite(d32)
        x, y, d = r[good].astype(np.float64), t[good].astype(np.float64), np.abs(d32[good])
    counts = [np.isnan(r).sum(), np.isnan(t).sum(), np.isinf(r).sum(), np.isinf(t).sum()]
    if not x.size:
        return None
    at = int(d.argmax())
    exact = y - x
    sums = [x.mean(), y.mean(), ((x - x.mean()) ** 2).sum(), ((y - y.mean()) ** 2).sum(), ((x - x.mean()) * (y - y.mean())).sum(),
            np.abs(exact).sum(), (exact ** 2).sum(), float(d[at])]
    place = int(places[good][at]) if d[at] > 0 else 0
    ends = [float(np.float32(e)) for e in (x.min(), x.max(), y.min(), y.max())]
    rmse = np.sqrt((exact ** 2).mean())
    span = max(np.ptp(x), np.ptp(y))
    more = [rmse / span if span > 0 else -1,
            10 * np.log10((x ** 2).sum() / (exact ** 2).sum()) if (exact ** 2).sum() > 0 and (x ** 2).sum() > 0 else -1e9,
            np.corrcoef(x, y)[0, 1] if np.ptp(x) > 0 and np.ptp(y) > 0 else -2]
    return x.size, sums, place, ends, [(x == 0).sum(), (y == 0).sum(), (x == y).sum(), *counts], more


class NumpyTest(unittest.TestCase):
    def check(self, words, want, what):
        if want is None:
            self.assertEqual(int(words[0]), 0, what)
            return
        n, sums, place, ends, counts, more = want
        self.assertEqual(int(words[0]), n, what)
        got = [float(w) for w in words[1:9]]
        deviation_r, deviation_t = np.sqrt(sums[2]), np.sqrt(sums[3])
        rms = [np.hypot(sums[0], deviation_r / np.sqrt(n)), np.hypot(sums[1], deviation_t / np.sqrt(n))]
        units = [*rms, sums[2], sums[3], deviation_r * deviation_t, sums[5], sums[6], sums[7]]
        for name, value, goal, unit in zip(["mean_r", "mean_t", "m2_r", "m2_t", "c_rt", "abs", "square", "max"], got, sums, units):
            self.assertLessEqual(abs(value - goal), 1e-6 * unit + 1e-30, f"{what}: {name} {value} instead of {goal}")
        self.assertEqual(int(words[9]), place, what)
        np.testing.assert_array_equal([float(w) for w in words[10:14]], [float("%.9g" % e) for e in ends], what)
        self.assertEqual([int(w) for w in words[14:21]], [int(c) for c in counts], what)
        np.testing.assert_allclose([float(w) for w in words[21:24]], more, rtol=1e-5, atol=1e-5, err_msg=what)

    def compare(self, cases):
        """`cases`: (name, axis, reference, target, order); a side is (dtype, stored array, quantisation, axis of its scales)."""
        with tempfile.TemporaryDirectory() as folder:
            lines = []
            for k, (_, axis, *sides, order) in enumerate(cases):
                words = [str(axis)]
                for name, (dtype, stored, quantization, along) in zip("rt", sides):
                    file = pathlib.Path(folder) / f"{k}{name}"
                    file.write_bytes(stored.tobytes())
                    words += [dtype, ",".join(map(str, stored.shape)), str(file), text_of(quantization, along)]
                lines.append(" ".join([*words, ",".join(map(str, order)) if order else "-"]) + "\n")
            sets = subprocess.run([PROGRAM, "sets"], capture_output=True, text=True, check=True).stdout.split()
            self.assertIn("generic", sets)
            answers = {one: subprocess.run([PROGRAM, one], input="".join(lines), capture_output=True, text=True, check=True).stdout for one in sets}
        for k, (name, axis, reference, target, order) in enumerate(cases):
            sides = [real(*side[1:]) for side in (reference, target)]
            counted = [kinds(side[1], values, side[0]) for side, values in zip((reference, target), sides)]
            coded = not order and reference[0] == target[0] and reference[0] in ("int8", "uint8") and reference[2] and reference[2] == target[2]
            if coded and not isinstance(reference[2][0], list):
                # Codes with the same quantisation are compared as real numbers without rounding.
                sides = [(side[1].astype(np.float64) - side[2][1]) * float(np.float32(side[2][0])) for side in (reference, target)]
            r, t = sides[0], sides[1].transpose(order) if order else sides[1]
            want = expected(r.ravel(), t.ravel(), np.arange(r.size))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                good = np.isfinite((t - r).astype(np.float32))
            squares = np.where(good, np.subtract(t, r, where=good, dtype=np.float64, out=np.zeros(r.shape)), 0) ** 2
            goal = squares.sum(tuple(d for d in range(r.ndim) if d != axis))
            for one, answer in answers.items():
                words, what = answer.strip().split("\n")[k].split(), f"{name}, {one}"
                for part in (words[:24], words[24:48]):
                    self.check(part, want, what)
                self.assertEqual([int(w) for w in words[48:60]], counted[0] + counted[1], what)
                np.testing.assert_allclose([float(w) for w in words[60:]], goal, rtol=1e-6, atol=1e-30, err_msg=what)

    def test_all_pairs_of_dtypes(self):
        generator, cases = np.random.default_rng(5), []
        for k, (dtype_r, dtype_t) in enumerate(itertools.product(DTYPES, DTYPES)):
            shape, axis = SHAPES[k % len(SHAPES)]
            sides = []
            for dtype in (dtype_r, dtype_t):
                quantised = dtype != "bool" and not dtype.startswith("float") and generator.random() < 0.8
                quantization = (0.0173, int(generator.integers(-20, 20))) if quantised else None
                if sides and dtype_r == dtype and dtype in ("int8", "uint8"):
                    quantization = sides[0][2]  # as in the tensors of one model
                sides.append((dtype, draw(generator, dtype, shape), quantization, 0))
            cases.append((f"{dtype_r}/{dtype_t} {shape}", axis, *sides, None))
        self.compare(cases)

    def test_sizes_scales_of_channels_and_layouts(self):
        generator, cases = np.random.default_rng(6), []
        for k, dtype in enumerate(["float32", "float16", "int8", "uint8", "int16"] * 5):
            shape, axis = LARGE[k % len(LARGE)]
            r, t = draw(generator, dtype, shape), draw(generator, dtype, shape)
            count = shape[axis]
            per_channel = ([float(np.float32(x)) for x in generator.uniform(0.001, 0.1, count)], [int(x) for x in generator.integers(-9, 9, count)])
            quantization = None if dtype.startswith("float") else per_channel if k % 2 and 1 < count < 200 else Q8
            sides = [(dtype, side, quantization, axis) for side in (r, t)]
            cases.append((f"{dtype} {shape}", axis, *sides, None))
            if len(shape) == 4:  # the target has its channels in front, the reference at the end
                moved = np.ascontiguousarray(t.transpose(0, 3, 1, 2))
                along = {0: 0, 1: 2, 2: 3, 3: 1}[axis]
                cases.append((f"{dtype} {shape} moved", axis, sides[0], (dtype, moved, quantization, along), (0, 2, 3, 1)))
        self.compare(cases)

    def test_distances_of_codes_of_every_size(self):
        generator, cases = np.random.default_rng(7), []
        for k, most in enumerate([0, 1, 2, 7, 22, 63, 64, 90, 126, 127, 128, 181, 182, 254, 255]):
            for dtype in ("int8", "uint8"):
                shape, axis = LARGE[(2 * k + (dtype == "int8")) % len(LARGE)]
                limits = np.iinfo(dtype)
                r = generator.integers(limits.min, limits.max - most, shape, endpoint=True)
                t = r + np.where(generator.random(shape) < 0.7, most, generator.integers(0, most, shape, endpoint=True))
                zero = int(generator.choice([limits.min, limits.max, 3, 1000]))
                sides = [(dtype, side.astype(dtype), (0.05, zero), 0) for side in (r, t)]
                cases.append((f"{dtype} {shape} up to {most}, zero point {zero}", axis, *sides, None))
        # more rows than columns of 32 bits take at the largest distance
        black, white = np.zeros((4_400_000, 1), np.uint8), np.full((4_400_000, 1), 255, np.uint8)
        cases.append(("black/white", 1, ("uint8", black, (0.05, 0), 0), ("uint8", white, (0.05, 0), 0), None))
        self.compare(cases)


if __name__ == "__main__":
    unittest.main()
