# SPDX-License-Identifier: Apache-2.0
"""Sketches compared with NumPy, read by the official MCAP library. sketch_test.py LIBRARY"""
import math
import pathlib
import sys
import tempfile

import numpy as np
from mcap.reader import make_reader

import library

rng = np.random.default_rng(5)
SEED = 77
f32 = np.float32

# name -> array, scales, zero points, axis
CASES = {
    "normal": (rng.normal(size=(1, 24, 24, 32)).astype(f32), [], [], 0),
    "small": (rng.normal(size=17).astype(f32), [], [], 0),
    "scalar": (np.array(2.5, f32), [], [], 0),
    "none": (np.zeros((0, 3), f32), [], [], 0),
    "constant": (np.full(5000, -3.25, f32), [], [], 0),
    "relu": (np.maximum(rng.normal(size=20000), 0).astype(f32), [], [], 0),
    "odd": (np.where(rng.random(9000) < .1, np.nan, rng.normal(size=9000) * 1e30).astype(f32), [], [], 0),
    "infinite": (np.array([np.inf, -np.inf, 1, 2, np.inf], f32), [], [], 0),
    "no number": (np.full(70, np.nan, f32), [], [], 0),
    "wide": (rng.normal(size=4097) * 4e307, [], [], 0),
    "half": (rng.normal(size=4500).astype(np.float16), [], [], 0),
    "int8": (rng.integers(-128, 128, size=(1, 40, 40, 8)).astype(np.int8), [0.0472], [-3], 0),
    "axis": (rng.integers(-128, 128, size=(5, 3, 7)).astype(np.int8), [.5, .25, 2], [1, -2, 3], 1),
    "int64": (rng.integers(-10**12, 10**12, size=6000), [], [], 0),
    "bool": (rng.random(300) < .3, [], [], 0),
}


def real(array, scale, zero, axis):
    values = array.astype(np.float64)
    if len(scale):
        along = [1] * array.ndim
        along[axis if len(scale) > 1 else 0] = len(scale)
        values = np.asarray(scale, f32).astype(np.float64).reshape(along) * (values - np.asarray(zero, np.float64).reshape(along))
    return values.ravel()


def splitmix64(x):
    mask = 2**64 - 1
    z = (x + 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def places(n):
    m = min(n, 4096)
    for k in range(m):
        a, b = k * n // m, (k + 1) * n // m
        yield a + splitmix64(SEED + k) % (b - a)


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "t.mcap"
    probe = library.Probe(sys.argv[1], path, level=3, sketch=1, seed=SEED)
    frame = probe.frame()
    for name, (array, scale, zero, axis) in CASES.items():
        assert probe.tensor(frame, library.LAYER, name, array, scale, zero, axis) == 0, probe.error()
    assert probe.tensor(frame, library.MODEL_OUTPUT, "out", CASES["small"][0]) == 0  # outputs stay tensors
    assert probe.end(frame) == 0 and probe.close() == 0, probe.error()
    found = {}
    with open(path, "rb") as file:
        for _, channel, message in make_reader(file, validate_crcs=True).iter_messages():
            found[channel.topic] = (channel.metadata, message.data)

assert "/model_output/out" in found and not any(topic.startswith("/layer/") for topic in found)
for name, (array, scale, zero, axis) in CASES.items():
    about, data = found[f"/sketch/layer/{name}"]
    values, got = real(array, scale, zero, axis), np.frombuffer(data, np.float64)
    assert about["dtype"] == "float64" and about["shape"] == "72" and about["of_shape"] == ",".join(map(str, array.shape)), about
    finite = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        expected = [values.size, np.isnan(values).sum(), np.isinf(values).sum(), (values == 0).sum()]
        expected += [finite.min(), finite.max()] if finite.size else [math.nan, math.nan]
        expected += [math.fsum(finite / 4096) * 4096, float(np.sum(finite * finite))]  # divided by 4096 to avoid an overflow
        assert np.array_equal(got[:6], np.array(expected[:6], np.float64), equal_nan=True), (name, got[:6], expected[:6])
        absolute = np.abs(finite).sum() if finite.size else 0.0
        assert got[6] == expected[6] or abs(got[6] - expected[6]) <= 1e-12 * absolute or not math.isfinite(absolute), (name, got[6], expected[6])
        assert got[7] == expected[7] or abs(got[7] - expected[7]) <= 1e-12 * expected[7], (name, got[7], expected[7])
    if finite.size and finite.min() < finite.max() and math.isfinite(finite.max() - finite.min()):
        bins = np.histogram(finite, bins=64, range=(finite.min(), finite.max()))[0]
        assert np.array_equal(got[8:], bins), (name, got[8:] - bins)
    else:  # a single value is all in the first bin; the range is too wide for NumPy
        assert got[8:].sum() == finite.size, name
        if finite.size and finite.min() == finite.max():
            assert got[8] == finite.size, name

    about, data = found[f"/sketch_sample/layer/{name}"]
    kept = array.ravel()[list(places(array.size))]
    assert data == kept.tobytes(), name
    assert about["dtype"] == array.dtype.name and about["shape"] == str(kept.size) and about["seed"] == str(SEED), about
    assert ("scale" in about) == (len(scale) == 1), about
    print(f"{name:10} {array.size:6} values, sum {got[6]:.6g}, {kept.size} kept")
print(f"{len(CASES)} tensors agree with NumPy")
