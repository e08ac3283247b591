# SPDX-License-Identifier: Apache-2.0
"""How much slower than the fastest way the answer of `edgeprobe stretch search` is (planner regret).

Each network of nets.py is searched; then the plain options and the divisions of that search are timed again, alternating, each time in a separate
process that shares nothing with the search: the regret is the time of the chosen way over that of the fastest.

    python bench/stretch/regret.py build/edgeprobe FOLDER [--nets NAME ...] [--rounds 5] [--seconds 0.3] [--device FILE.yaml] [--json FILE]
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import time

import onnx

import nets


def latency(program, model, plan, seconds):
    """Median of the quiet runs of one process, in seconds. A plan of one piece runs directly in its engine."""
    told = json.loads(plan.read_text())
    flags = ["--engine", f"stretch:{plan}"]
    if len(told["pieces"]) == 1:
        processor = told["processors"][0]
        flags = ["--engine", processor["engine"], "--threads", str(processor["threads"]), "--cpus", ",".join(map(str, processor["cpus"]))]
        if processor.get("delegate"):
            flags += ["--delegate", processor["delegate"]]
    done = subprocess.run([program, "bench", model, *flags, "--duration", str(seconds), "--warm-up", "1.5", "--json", "-"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    told = json.loads(done.stdout)["configurations"][0]
    return told.get("quiet_inferencetime_median") or told["inferencetime_median"]


def regret_of(program, model, found, plans, rounds, seconds):
    """Times the candidates of a search again, and compares its answer with the fastest way. `plans`: the folder of its --plans."""
    ways = {}
    for i, one in enumerate(found["candidates"]):
        if one["refused"] is None:
            ways[one["name"]] = (plans / f"{i + 1}.json", one["plain"])
    times = {way: [] for way in ways}
    for _ in range(rounds):
        for way in random.sample(sorted(ways), len(ways)):
            times[way].append(latency(program, model, ways[way][0], seconds))
    best_of = {way: min(some) for way, some in times.items()}
    best, chosen = min(best_of, key=best_of.get), found["chosen"]
    plain = min(time for way, time in best_of.items() if ways[way][1])
    divided = min((time for way, time in best_of.items() if not ways[way][1]), default=None)
    return {"chosen": chosen, "chosen_seconds": best_of[chosen], "best": best, "best_seconds": best_of[best], "regret": best_of[chosen] / best_of[best] - 1, "times": times,
            "branches_over_plain": plain / divided if divided else None}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--nets", nargs="*", default=list(nets.NETS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--device")
    parser.add_argument("--json")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    regrets, rows = [], []
    print(f"{'network':16} {'answer':40} {'search s':>8} {'chosen ms':>10} {'best ms':>8} {'regret':>7}  {'branches/plain':>14}  best")
    for name in args.nets:
        model = args.folder / f"{name}.onnx"
        onnx.save(nets.NETS[name](), model)
        plan = args.folder / f"{name}.plan.json"
        start = time.monotonic()
        flags = ["--device", args.device] if args.device else []
        done = subprocess.run([args.program, "stretch", "search", model, "-o", plan, "--force", "--plans", args.folder / name, "--seconds", str(args.seconds), "--fresh", *flags], capture_output=True)
        if done.returncode not in (0, 4):  # 4: undecided; its plan is that of the best plain option.
            sys.exit(done.stderr.decode())
        took = time.monotonic() - start
        found = json.loads(plan.read_text())["found"]
        row = regret_of(args.program, model, found, args.folder / name, args.rounds, args.seconds)
        ratio = f"{row['branches_over_plain']:.2f}" if row["branches_over_plain"] else "-"
        regrets.append(row["regret"])
        rows.append({"network": name, **row, "search_seconds": took})
        print(f"{name:16} {('branch' if found['branches'] else 'plain') + ': ' + row['chosen']:40.40} {took:8.1f} {row['chosen_seconds'] * 1e3:10.4f} {row['best_seconds'] * 1e3:8.4f} {row['regret']:7.1%}  {ratio:>14}  {row['best']}", flush=True)
    print(f"regret over {len(regrets)} networks: median {statistics.median(regrets):.1%}, worst {max(regrets):.1%}")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
