# SPDX-License-Identifier: Apache-2.0
"""Every pair of dtypes against NumPy in float64: totals and the squares of channels, with NaN and infinities among the floats."""
import itertools
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

PROGRAM = sys.argv.pop()
DTYPES = ["float32", "float16", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "bool"]
SHAPES = [((1, 7, 9, 5), 3), ((3, 41), 1), ((2, 3, 70), 1), ((1, 200, 100), 2), ((11,), 0)]


def draw(generator, dtype, shape):
    if dtype.startswith("float"):
        values = generator.normal(0.5, 2, shape).clip(-1, None).astype(dtype)
        flat = values.ravel()
        for value in (np.nan, np.inf, -np.inf):
            if flat.size > 20:
                flat[generator.integers(flat.size)] = value
        return values
    if dtype == "bool":
        return generator.integers(0, 2, shape).astype(np.uint8)
    limits = np.iinfo(dtype)
    return generator.integers(max(limits.min, -3000), min(limits.max, 3000), shape, endpoint=True).astype(dtype)


def real(stored, quantization):
    """As float32, because the definition of a dequantised value requires it."""
    values = stored.astype(np.float32)
    if quantization:
        values = (values - np.float32(quantization[1])) * np.float32(quantization[0])
    return values


def in_codes(sides):
    """8-bit codes with the same quantisation are compared as real numbers without rounding."""
    (dtype_r, _, text_r, _, _), (dtype_t, _, text_t, _, _) = sides
    return dtype_r == dtype_t and dtype_r in ("int8", "uint8") and text_r == text_t


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

    def test_all_pairs_of_dtypes(self):
        generator = np.random.default_rng(5)
        with tempfile.TemporaryDirectory() as folder:
            folder, lines, cases = pathlib.Path(folder), [], []
            for k, (dtype_r, dtype_t) in enumerate(itertools.product(DTYPES, DTYPES)):
                shape, axis = SHAPES[k % len(SHAPES)]
                sides = []
                for side, dtype in enumerate((dtype_r, dtype_t)):
                    stored = draw(generator, dtype, shape)
                    file = folder / f"{k}_{side}"
                    file.write_bytes(stored.tobytes())
                    quantised = dtype not in ("bool",) and not dtype.startswith("float") and generator.random() < 0.8
                    quantization = (0.0173, int(generator.integers(-20, 20))) if quantised else None
                    if sides and sides[0][0] == dtype and dtype in ("int8", "uint8"):
                        quantization = sides[0][4]  # as in the tensors of one model
                    text = "%r:%d" % quantization if quantization else "-"
                    sides.append((dtype, file, text, stored, quantization))
                (dr, fr, qr, r, _), (dt, ft, qt, t, _) = sides
                if in_codes(sides) and sides[0][4]:
                    r, t = ((side[3].astype(np.float64) - side[4][1]) * float(np.float32(side[4][0])) for side in sides)
                else:
                    r, t = (real(side[3], side[4]) for side in sides)
                lines.append(f"{dr} {','.join(map(str, shape))} {axis} {fr} {qr} {dt} {ft} {qt}")
                cases.append((f"{dr}/{dt} {shape}", r, t, axis))
            done = subprocess.run([PROGRAM], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
        answers = done.stdout.strip().split("\n")
        self.assertEqual(len(answers), len(cases))
        for (what, r, t, axis), answer in zip(cases, answers):
            words = answer.split()
            places = np.arange(r.size).reshape(r.shape)
            for part in (words[:24], words[24:48]):
                self.check(part, expected(r.ravel(), t.ravel(), places.ravel()), what)
            self.assertEqual(len(words), 48 + r.shape[axis], what)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                good = np.isfinite((t - r).astype(np.float32))
            squares = np.where(good, np.subtract(t, r, where=good, dtype=np.float64), 0) ** 2
            goal = squares.sum(tuple(k for k in range(r.ndim) if k != axis))
            np.testing.assert_allclose([float(w) for w in words[48:]], goal, rtol=1e-6, atol=1e-30, err_msg=what)


if __name__ == "__main__":
    unittest.main()
