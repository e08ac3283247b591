# SPDX-License-Identifier: Apache-2.0
"""One engine in two builds, in turns: the median latency of `bench`, and the processor time of a whole `run`.

two_builds.py EDGEPROBE_A EDGEPROBE_B MODEL --recipe RECIPE --data FOLDER [--engine openvino] [--rounds 41] [--runs 1000]
              [--plugin-a LIB.so] [--plugin-b LIB.so]    the OpenVINO plug-in of each, if it is not beside its build"""
import argparse
import json
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import tempfile


def middle(values):
    """The median, and an interval of about 95 % from order statistics."""
    ordered, n = sorted(values), len(values)
    margin = round(0.98 * n ** 0.5)
    return statistics.median(ordered), ordered[max(0, n // 2 - margin)], ordered[min(n - 1, n // 2 + margin)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs=2)
    parser.add_argument("model")
    parser.add_argument("--recipe", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--engine", default="openvino")
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--plugin-a")
    parser.add_argument("--plugin-b")
    given = parser.parse_args()
    sides = list(zip(given.programs, (given.plugin_a, given.plugin_b)))

    def spent(program, plugin, *command):
        """The output, and milliseconds of processor time of all its processes."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([program, *map(str, command), "--engine", given.engine], check=True, capture_output=True, text=True,
                              env={**os.environ, **({"EDGEPROBE_OPENVINO_PLUGIN": plugin} if plugin else {})})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return done.stdout, 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def measure(side, trace):
        timed, bench = spent(*side, "bench", given.model, "--runs", given.runs, "--warm-up", 0, "--json")
        _, run = spent(*side, "run", given.model, "--recipe", given.recipe, "--data", given.data, "--trace", trace, "--force")
        return 1e6 * statistics.median(json.loads(timed)["target_inference_step"]), bench, run

    rounds = []
    with tempfile.TemporaryDirectory(prefix="edgeprobe_two_builds_") as folder:
        trace = pathlib.Path(folder) / "t.mcap"
        for turn in range(-1, given.rounds):  # The first one brings the files into memory.
            order = (0, 1) if turn % 2 else (1, 0)
            found = {which: measure(sides[which], trace) for which in order}
            if turn >= 0:
                rounds.append((found[0], found[1]))
    processor = next((line.partition(":")[2].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.processor())
    print(f"{processor}, load {open('/proc/loadavg').read().split()[0]}, {given.rounds} rounds")
    print("| | A | B | B / A within a round |\n|---|---|---|---|")
    for row, (name, unit) in enumerate(((f"median latency of {given.runs} inferences", "µs"), ("processor time of `bench`", "ms"), ("processor time of `run`", "ms"))):
        cells = ["{:.1f} ({:.1f}–{:.1f}) ".format(*middle([pair[side][row] for pair in rounds])) + unit for side in (0, 1)]
        ratio = "{:.4f} ({:.4f}–{:.4f})".format(*middle([b[row] / a[row] for a, b in rounds]))
        print(f"| {name} | {cells[0]} | {cells[1]} | {ratio} |")


main()
