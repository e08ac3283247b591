# SPDX-License-Identifier: Apache-2.0
"""Comparing two all-layer traces from files against the same metrics in NumPy on arrays that are in memory already.

    .deps/venv/bin/python bench/compare_numpy.py build/bench/compare_bench [--frames 10] [--rounds 7] [--folder DIR]
        [--dtype float32|int8|uint8] [--flags set=avx2,crc=vpclmul256]

Writes two traces of MobileNetV2-shaped layers (28 MB a frame each, 7 MB in 8 bits), then runs by turns: compare_bench on the
files, a plain read of them, NumPy on one frame. Prints medians with their spread, the ratios, and the peak memory against the
number of frames. The files go to DIR (default: the current folder; a file system in memory would be measured instead of the
disk's cache). With flags compare_bench runs the loops of another processor.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one thread against one thread
import numpy as np  # noqa: E402


STEP = np.float32(6 / 255)


def frame(shapes, seed, noise, dtype):
    """A frame like compare_bench's: a third zeros, a long tail."""
    generator = np.random.default_rng(seed)
    reference = [np.clip(generator.normal(0.3, 1, shape), 0, 6).astype(np.float32) for shape in shapes]
    target = [(r + np.float32(noise) * generator.random(r.shape, np.float32)).astype(np.float32) for r in reference]
    if dtype == "float32":
        return reference, target
    shift = 128 if dtype == "int8" else 0
    return [[(np.clip(np.rint(a / STEP), 0, 255) - shift).astype(dtype) for a in side] for side in (reference, target)]


def real(stored, dtype):
    """The real values of a tensor, computed as in an app that compares with NumPy."""
    if stored.dtype.kind == "f":
        return stored.astype(dtype, copy=False)
    return (stored.astype(dtype) + (128 if stored.dtype == np.int8 else 0)) * dtype(STEP)


def moments(r, t, dtype):
    """The numbers of compare::Moments, also for values that are not finite."""
    r, t = real(r.ravel(), dtype), real(t.ravel(), dtype)
    good = np.isfinite(r) & np.isfinite(t)
    if not good.all():
        r, t = r[good], t[good]
    wide_r, wide_t = r.astype(dtype, copy=False), t.astype(dtype, copy=False)
    d = wide_t - wide_r
    absolute = np.abs(d)
    mean_r, mean_t = wide_r.mean(), wide_t.mean()
    x, y = wide_r - mean_r, wide_t - mean_t
    where = int(absolute.argmax())
    return (r.size, mean_r, mean_t, np.dot(x, x), np.dot(y, y), np.dot(x, y), absolute.sum(), np.dot(d, d), absolute[where], where,
            r.min(), r.max(), t.min(), t.max(), np.count_nonzero(r == 0), np.count_nonzero(t == 0), np.count_nonzero(r == t),
            np.count_nonzero(~good))


def channel_squares(r, t, dtype):
    """The contribution of each channel of the last axis to the sum of squared differences."""
    d = real(t.reshape(-1, t.shape[-1]), dtype) - real(r.reshape(-1, r.shape[-1]), dtype)
    return np.einsum("ij,ij->j", d, d)


def timed(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def shapes_of(trace):
    from mcap.reader import make_reader
    with open(trace, "rb") as file:
        channels = make_reader(file).get_summary().channels.values()
        found = [tuple(int(n) for n in c.metadata["shape"].split(",")) for c in channels if c.metadata.get("shape")]
    return found


def spread(values):
    return f"{statistics.median(values):.3g} ({min(values):.3g} to {max(values):.3g})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("bench")
    parser.add_argument("--frames", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--folder", default=".")
    parser.add_argument("--memory", default="10,100", help="numbers of frames whose peak memory is measured")
    parser.add_argument("--memory-pixels", type=int, default=224, help="input size of those frames: 224 is 28 MB a frame, 32 is 0.6 MB")
    parser.add_argument("--dtype", default="float32", choices=["float32", "int8", "uint8"])
    parser.add_argument("--flags", default="", help="further words for 'compare_bench traces', with commas between them")
    args = parser.parse_args()
    flags = [flag for flag in args.flags.split(",") if flag]

    def bench(*words):
        return json.loads(subprocess.run([args.bench, *map(str, words)], check=True, capture_output=True, text=True).stdout)

    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        folder = pathlib.Path(folder)
        r, t = folder / "r.mcap", folder / "t.mcap"
        bench("write", r, args.frames, 0, 224, args.dtype)
        bench("write", t, args.frames, 0.01, 224, args.dtype)
        reference, target = frame(shapes_of(r), 1, 0.01, args.dtype)
        size = sum(a.nbytes + b.nbytes for a, b in zip(reference, target))
        ours = {"totals": ["no-channels"], "totals and channels": [], "totals, no checksum": ["no-channels", "no-verify"]}
        numpy = {
            "float32 totals": lambda: [moments(a, b, np.float32) for a, b in zip(reference, target)],
            "float64 totals": lambda: [moments(a, b, np.float64) for a, b in zip(reference, target)],
            "float32 totals and channels": lambda: [(moments(a, b, np.float32), channel_squares(a, b, np.float32))
                                                    for a, b in zip(reference, target)],
        }
        read = "plain read, 1 MiB at a time"
        rates = {name: [] for name in [*ours, *numpy, read]}
        for _ in range(args.rounds):  # alternating, so that all are measured under the same load
            rates[read].append(bench("read", r, t)["gb_per_cpu_s"])
            for name, words in ours.items():
                rates[name].append(bench("traces", r, t, *words, *flags)["gb_per_cpu_s"])
            for name, work in numpy.items():
                rates[name].append(size / timed(work) / 1e9)
        print(f"{args.dtype}, {args.frames} frames, {len(reference)} tensors, {size / 1e6:.0f} MB a pair of frames; GB per CPU second, both operands, "
              f"median (range) of {args.rounds} interleaved runs")
        for name in ours:
            print(f"  edgeprobe from files, {name:24} {spread(rates[name])}")
        print(f"  {read:46} {spread(rates[read])}")
        for name in numpy:
            print(f"  NumPy in memory, {name:29} {spread(rates[name])}")
        for mine, theirs in [("totals", "float32 totals"), ("totals", "float64 totals"),
                             ("totals and channels", "float32 totals and channels"), ("totals and channels", read)]:
            ratios = [a / b for a, b in zip(rates[mine], rates[theirs])]
            print(f"  ratio {mine} / {theirs}: {spread(ratios)}")
        for frames in map(int, args.memory.split(",")):
            written = bench("write", r, frames, 0, args.memory_pixels, args.dtype)
            bench("write", t, frames, 0.01, args.memory_pixels, args.dtype)
            print(f"  peak memory with {frames} frames of {written['bytes'] / frames / 1e6:.1f} MB: {bench('traces', r, t, *flags)['rss_mb']:.1f} MB")


if __name__ == "__main__":
    main()
