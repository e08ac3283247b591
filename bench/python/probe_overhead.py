# SPDX-License-Identifier: Apache-2.0
"""The cost of the probe for an application in Python: frames at each level and without a probe, alternating.

  .deps/venv/bin/python bench/python/probe_overhead.py FOLDER MODEL.tflite... [--rounds 41] [--block 20] [--threads 1]

The traces are written to FOLDER (on a disk, not a RAM disk). The application is the loop of any TFLite app: set_tensor, invoke, get_tensor. Rounds
hold one block of frames for each way, in an order that changes; a block's figure is its median. The output has the median over rounds, the added time
and its interval (95 %, from order statistics of the rounds' differences), and the CPU time of all threads next to that without a probe. `calls alone`
is the time of the calls without an engine between them.
"""
import argparse
import math
import os
import pathlib
import random
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "python"))

import numpy as np
from ai_edge_litert.interpreter import Interpreter

import edgeprobe

WAYS = ("no probe", "again", "none", "io", "io, by hand")
BARE = WAYS[:2]  # the same way twice: the difference of `again` is the noise


class App:
    """The interpreter that all ways share (the speed of two interpreters of one model depends on their place in memory), and the work of a frame."""

    def __init__(self, plain, model, way, folder):
        self.plain = plain
        self.given, self.answered = self.plain.get_input_details()[0], self.plain.get_output_details()[0]
        shape, dtype = self.given["shape"], self.given["dtype"]
        rng = np.random.default_rng(1)
        self.input = rng.uniform(-1, 1, shape).astype(dtype) if dtype == np.float32 else rng.integers(0, 100, shape).astype(dtype)
        self.probe = self.wrapped = None
        if way not in BARE:
            path = pathlib.Path(folder) / f"{pathlib.Path(model).stem}_{way.replace(', ', '_').replace(' ', '_')}.mcap"
            path.unlink(missing_ok=True)
            self.probe = edgeprobe.Probe(path, level=way.partition(",")[0])
            self.wrapped = edgeprobe.wrap(self.plain, self.probe)
        self.frame = {"no probe": self.bare, "again": self.bare, "none": self.adapted, "io": self.adapted, "io, by hand": self.by_hand}[way]

    def bare(self):
        self.plain.set_tensor(self.given["index"], self.input)
        self.plain.invoke()
        return self.plain.get_tensor(self.answered["index"])

    def adapted(self):
        with self.probe.frame(sample="bench/0001.png", label=1):
            self.wrapped.set_tensor(self.given["index"], self.input)
            self.wrapped.invoke()
            return self.wrapped.get_tensor(self.answered["index"])

    def by_hand(self):
        with self.probe.frame(sample="bench/0001.png", label=1) as frame:
            self.plain.set_tensor(self.given["index"], self.input)
            frame.tensor("input", self.input, "model_input", position=0)
            with frame.inference():
                self.plain.invoke()
            scores = self.plain.get_tensor(self.answered["index"])
            frame.tensor("output", scores, "model_output", position=0)
            return scores

    def calls_alone(self, scores):
        with self.probe.frame(sample="bench/0001.png", label=1) as frame:
            frame.tensor("input", self.input, "model_input", position=0)
            with frame.inference():
                pass
            frame.tensor("output", scores, "model_output", position=0)


def block(call, count):
    """(median wall time of a call, CPU time of all threads a call) in microseconds."""
    times = []
    cpu = time.process_time_ns()
    for _ in range(count):
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1e3, (time.process_time_ns() - cpu) / count / 1e3


def interval(values):
    """Order statistics around the median, 95 %."""
    values, n = sorted(values), len(values)
    reach = math.ceil(0.98 * math.sqrt(n))
    return values[max(0, n // 2 - reach)], values[min(n - 1, n // 2 + reach)]


def measure(model, options):
    plain = Interpreter(model, num_threads=options.threads)
    plain.allocate_tensors()
    apps = {way: App(plain, model, way, options.folder) for way in WAYS}
    for app in apps.values():
        block(app.frame, 10)
    rounds = {way: [] for way in WAYS}
    shuffle = random.Random(7)
    for _ in range(options.rounds):
        for way in shuffle.sample(WAYS, len(WAYS)):
            rounds[way].append(block(apps[way].frame, options.block))
    print(f"\n{pathlib.Path(model).name}: input {apps['io'].input.nbytes:,} bytes, {options.rounds} rounds of {options.block} frames")
    base = [wall for wall, _ in rounds["no probe"]]
    base_cpu = statistics.median(cpu for _, cpu in rounds["no probe"])
    for way in WAYS:
        wall = [w for w, _ in rounds[way]]
        cpu = statistics.median(c for _, c in rounds[way])
        added = [w - b for w, b in zip(wall, base)]
        low, high = interval(added)
        median = statistics.median(added)
        print(f"  {way:12} {statistics.median(wall):10.1f} us" + ("" if way == "no probe" else
              f"   + {median:6.1f} us [{low:.1f}, {high:.1f}] = {100 * median / statistics.median(base):+.2f} %   CPU {cpu - base_cpu:+.1f} us"))
    scores = apps["no probe"].bare()
    alone = [block(lambda: apps["io, by hand"].calls_alone(scores), options.block)[0] for _ in range(options.rounds)]
    low, high = interval(alone)
    print(f"  calls alone  {statistics.median(alone):10.1f} us [{low:.1f}, {high:.1f}]")
    for way, app in apps.items():
        if app.probe is not None:
            done = app.probe.close()
            if done.dropped_frames:
                print(f"  {way}: {done.dropped_frames} of {done.frames} frames dropped, the disk was too slow")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--block", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors, Python {sys.version.split()[0]}, NumPy {np.__version__}, {options.threads} threads")
    for model in options.models:
        measure(model, options)


if __name__ == "__main__":
    main()
