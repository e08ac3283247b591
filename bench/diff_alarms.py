# SPDX-License-Identifier: Apache-2.0
"""How often 'bench diff' is wrong: pairs of one model against itself, and a model against itself with real extra work.

  .deps/venv/bin/python bench/diff_alarms.py BUILD/edgeprobe MODEL... [--same 40] [--planted 20] [--work 0.10] [--keep DIR] [-- flags of bench diff]

The extra work is part of the model: operators that together take the wanted share of an inference (measured by 'bench --layers') occur twice, and the
output of the second one is an additional output of the model. The cost of the extra work is measured without edgeprobe: LiteRT's Interpreter in
Python, both models in one process in turns, the processor time of each run, and the ratio of the 10 % quantiles. The output has a line for each pair
with exit code, ratio and interval, then the counts. The pairs of all models alternate. --keep stores the slower models and the results
(results.jsonl) in a folder, and reuses slower models from it. From the rounds in that file --resample N draws N comparisons of each kind and model by
NumPy, with the rule of 'bench diff': 6 rounds at least, 30 at most, until the interval is narrower than 5 %.
"""
import argparse
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "layer_matrix"))
from model_file import Model


def shares(edgeprobe, model, folder):
    """The share of an inference that each operator takes, if a kernel computes only this operator."""
    result = folder / "shares.json"
    subprocess.run([edgeprobe, "bench", model, "--duration", "2", "--warm-up", "1", "--layers", "--json", result], check=True, capture_output=True)
    found = {}
    for kernel in json.loads(result.read_text())["configurations"][0]["profile"]["kernels"]:
        if len(kernel["layers"]) == 1 and not kernel["type"].startswith("delegate"):
            found[kernel["layers"][0]] = found.get(kernel["layers"][0], 0) + kernel["share"]
    return found


def with_work(source, chosen, target):
    """A copy of the model that computes the chosen operators twice."""
    model = Model(source)
    graph = model.graph
    for at in sorted(chosen, reverse=True):
        again = copy.copy(model.ops[at])
        tensor = copy.deepcopy(model.tensors[model.output(at)])
        tensor.name = tensor.name + b"/again"
        model.tensors.append(tensor)
        again.outputs = np.array([len(model.tensors) - 1], np.int32)
        graph.outputs = np.append(np.asarray(graph.outputs, np.int32), np.int32(len(model.tensors) - 1))
        graph.operators.insert(at + 1, again)
    model._model.signatureDefs = None
    model.save(target)


def chosen_for(share, wanted):
    """Operators whose shares add up to about `wanted`."""
    best, sum_of_best = [], 0.0
    for first in sorted(share, key=share.get, reverse=True):
        picked, total = [], 0.0
        for at in sorted((k for k in share if share[k] <= share[first]), key=share.get, reverse=True):
            if total + share[at] <= wanted * 1.02:
                picked.append(at)
                total += share[at]
        if abs(total - wanted) < abs(sum_of_best - wanted):
            best, sum_of_best = picked, total
    return best


def litert_ratio(first, second, rounds=300):
    """B / A by LiteRT's own Interpreter (XNNPACK), in processor time."""
    from ai_edge_litert.interpreter import Interpreter

    sides = [Interpreter(model_path=str(path), num_threads=1) for path in (first, second)]
    for side in sides:
        side.allocate_tensors()
        for detail in side.get_input_details():
            side.set_tensor(detail["index"], np.zeros(detail["shape"], detail["dtype"]))
    times = [[], []]
    for i in range(rounds):
        for which in ((0, 1), (1, 0))[i % 2]:
            start = time.thread_time_ns()
            for _ in range(5):
                sides[which].invoke()
            times[which].append(time.thread_time_ns() - start)
    return np.quantile(times[1], 0.1) / np.quantile(times[0], 0.1)


def plant(edgeprobe, model, wanted, folder, target):
    """Writes the slower copy, measures its cost, and corrects the choice of operators."""
    share, aim, tries = shares(edgeprobe, model, folder), wanted, []
    for _ in range(8):
        chosen = chosen_for(share, aim)
        if not chosen:
            break
        with_work(model, chosen, target)
        tries.append((litert_ratio(model, target), sorted(chosen)))
        aim *= min(2, max(0.3, wanted / max(0.01, tries[-1][0] - 1)))
    ratio, chosen = min(tries, key=lambda one: abs(one[0] - 1 - wanted))
    with_work(model, chosen, target)
    print(f"{model.name}: operators {chosen} twice; B / A {litert_ratio(model, target):.3f} by LiteRT's own Python", flush=True)


def compare(edgeprobe, first, second, flags):
    start = time.time()
    done = subprocess.run([edgeprobe, "bench", "diff", first, second, "--json", *flags], capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):
        raise SystemExit(f"exit code {done.returncode}: {done.stderr}")
    found = json.loads(done.stdout)["configurations"][0]
    return done.returncode, found, time.time() - start


#: Student's t at 5 %, two-sided, by degrees of freedom 5 to 29 (tables).
T = dict(zip(range(5, 30), (2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074,
                            2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045)))


def resampled(results, count, seed=1):
    """Comparisons drawn from all measured rounds of a kind and model."""
    random, rounds = np.random.default_rng(seed), {}
    for line in results.read_text().splitlines():
        one = json.loads(line)
        rounds.setdefault((one["kind"], one["model"]), []).extend(np.log(one["inference"]["ratios"]))
    for (kind, model), logs in sorted(rounds.items()):
        slower = undecided = 0
        for _ in range(count):
            drawn = random.choice(logs, 30)
            for n in range(6, 31):
                mean, half = drawn[:n].mean(), T[n - 1] * drawn[:n].std(ddof=1) / np.sqrt(n)
                if 2 * half <= np.log(1.05):
                    break
            found = mean > np.log(1.05) and mean > half
            slower += found
            undecided += not found and mean + half > np.log(1.05)
        print(f"{kind:8} {model:28} {len(logs):4} rounds, median {np.exp(np.median(logs)):.3f}, standard deviation {np.std(logs):.3f}: "
              f"of {count} drawn {slower} slower, {undecided} undecided")


def main():
    flags = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    own = sys.argv[1:sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    parser = argparse.ArgumentParser()
    parser.add_argument("edgeprobe")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--same", type=int, default=40)
    parser.add_argument("--planted", type=int, default=20)
    parser.add_argument("--work", type=float, default=0.10)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--resample", type=int, default=0)
    args = parser.parse_args(own)
    if args.resample:
        return resampled(args.keep / "results.jsonl", args.resample)
    with tempfile.TemporaryDirectory() as name:
        folder, slower = args.keep or pathlib.Path(name), {}
        folder.mkdir(parents=True, exist_ok=True)
        if args.planted:
            for model in args.models:
                slower[model] = folder / f"slower_{model.name}"
                if not slower[model].exists():
                    plant(args.edgeprobe, model, args.work, folder, slower[model])
        counts = {"same": [0, 0, 0], "planted": [0, 0, 0]}
        took, ratios = [], {"same": [], "planted": []}
        for i in range(max(args.same, args.planted)):
            model = args.models[i % len(args.models)]
            for kind, wanted, other in (("same", args.same, model), ("planted", args.planted, slower.get(model))):
                if i >= wanted:
                    continue
                code, found, seconds = compare(args.edgeprobe, model, other, flags)
                one = found["inference"]
                counts[kind][(0, 3, 4).index(code)] += 1
                took.append(seconds)
                with open(folder / "results.jsonl", "a") as results:
                    results.write(json.dumps({"kind": kind, "model": model.name, "exit": code, "inference": one}) + "\n")
                ratios[kind].append(one["ratio"])
                print(f"{kind:8} {model.name:28} exit {code}  {one['ratio']:.3f} {[round(v, 3) for v in one['ratio_interval']]}  {found['rounds']:3} rounds "
                      f"{seconds:5.1f} s  load {os.getloadavg()[0]:.1f}", flush=True)
        for kind, (none, alarm, undecided) in counts.items():
            if ratios[kind]:
                print(f"{kind}: {alarm} slower, {undecided} undecided, {none} no regression; ratios {min(ratios[kind]):.3f} to {max(ratios[kind]):.3f}")
        print(f"seconds a comparison: median {np.median(took):.1f}, most {max(took):.1f}")


if __name__ == "__main__":
    main()
