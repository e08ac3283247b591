# SPDX-License-Identifier: Apache-2.0
"""Compares our latency on ONNX Runtime with ONNX Runtime's own Python loop on the same version, and measures the cost of profiling. Both run
alternately in blocks on one machine; their medians are compared, with a 95 % interval over the blocks.
  onnxruntime_latency.py SESSION_LOOP MODEL... [--blocks 30] [--count 20]"""
import argparse
import pathlib
import random
import subprocess
import time

import numpy as np
import onnxruntime as ort

ort.set_default_logger_severity(4)


class Ours:
    def __init__(self, tool, model, *more):
        self.process = subprocess.Popen([tool, "onnxruntime", str(model), *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, count):
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        return [float(word) for word in self.process.stdout.readline().split()]


class Python:
    """Calls run() with a bound input and output, like ONNX Runtime's own performance test, so that only the run is timed."""

    def __init__(self, model):
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = ort.InferenceSession(str(model), options)
        rng = np.random.default_rng(7)
        shape = lambda spec: [n if isinstance(n, int) else 1 for n in spec.shape]
        self.binding = self.session.io_binding()
        self.values = [ort.OrtValue.ortvalue_from_numpy(rng.random(shape(spec)).astype(np.float32)) for spec in self.session.get_inputs()]
        for spec, value in zip(self.session.get_inputs(), self.values):
            self.binding.bind_ortvalue_input(spec.name, value)
        for spec in self.session.get_outputs():
            self.binding.bind_output(spec.name)

    def run(self, count):
        times = []
        for _ in range(count):
            start = time.perf_counter()
            self.session.run_with_iobinding(self.binding)
            times.append((time.perf_counter() - start) * 1e6)
        return times


def interval(ratios):
    """The interval of the median, by resampling blocks."""
    rng = np.random.default_rng(1)
    medians = np.median(rng.choice(ratios, (2000, len(ratios))), axis=1)
    return np.percentile(medians, [2.5, 97.5])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    print(f"onnxruntime {ort.__version__}, 1 thread, {options.blocks} blocks of {options.count} in turns")
    for model in options.models:
        routes = {"python": Python(model), "ours": Ours(options.tool, model), "profiled": Ours(options.tool, model, "profile")}
        for route in routes.values():
            route.run(3 * options.count)
        times = {name: [] for name in routes}
        turns = random.Random(1)
        for _ in range(options.blocks):
            for name in turns.sample(sorted(routes), len(routes)):
                times[name].append(routes[name].run(options.count))
        medians = {name: np.median(blocks) for name, blocks in times.items()}
        each = {name: np.array([np.median(block) for block in blocks]) for name, blocks in times.items()}
        low, high = interval(each["ours"] / each["python"])
        print(f"{model.name:48s} python {medians['python']:9.1f} us  ours {medians['ours']:9.1f} us  "
              f"ratio {np.median(each['ours'] / each['python']):.3f} ({low:.3f} to {high:.3f})  profiled {np.median(each['profiled'] / each['ours']):.2f} times")


main()
