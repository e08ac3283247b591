# SPDX-License-Identifier: Apache-2.0
"""How much slower than the fastest way the answer of `edgeprobe stretch search` is (planner regret).

Each network of nets.py is searched; then a second search times all ways anew, in turns, each time in a process of its own that shares nothing with the first, and waits for moments at which all CPUs are had as the first does: the regret is the time there of the way that the first one chose over that of the fastest.

    python bench/stretch/regret.py build/edgeprobe FOLDER [--nets NAME ...] [--rounds 3] [--seconds 0.3] [--device FILE.yaml] [--json FILE]
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import onnx

import nets


def search(args, model, plan, *flags):
    device = ["--device", args.device] if args.device else []
    subprocess.run([args.program, "stretch", "search", model, "-o", plan, "--force", "--seconds", str(args.seconds), *flags, *device], check=True, capture_output=True, env={**os.environ, "XDG_CACHE_HOME": args.cache})
    return json.loads(plan.read_text())["found"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--nets", nargs="*", default=list(nets.NETS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--device")
    parser.add_argument("--json")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as args.cache:
        measure(args)


def measure(args):
    regrets, rows = [], []
    print(f"{'network':16} {'answer':40} {'search s':>8} {'chosen ms':>10} {'best ms':>8} {'regret':>7}  {'branches/plain':>14}  best")
    for name in args.nets:
        model = args.folder / f"{name}.onnx"
        onnx.save(nets.NETS[name](), model)
        start = time.monotonic()
        found = search(args, model, args.folder / f"{name}.plan.json", "--rounds", str(args.rounds))
        took = time.monotonic() - start
        # Other rounds are another question, whose ways are all timed anew; pieces and so the ways are those of before.
        again = search(args, model, args.folder / f"{name}.again.json", "--rounds", str(args.rounds + 1), "--best", "6")
        ways = {one["name"]: one["plain"] for one in again["candidates"] if one["median"] is not None}
        best_of = {one["name"]: one["median"] for one in again["candidates"] if one["name"] in ways}
        times = {one["name"]: [process["median"] for process in one["processes"]] for one in again["candidates"]}
        best = min(best_of, key=best_of.get)
        chosen = found["chosen"]
        regret = best_of[chosen] / best_of[best] - 1
        plain = min(time for way, time in best_of.items() if ways[way])
        divided = min((time for way, time in best_of.items() if not ways[way]), default=None)
        ratio = f"{plain / divided:.2f}" if divided else "-"
        regrets.append(regret)
        rows.append({"network": name, "chosen": chosen, "best": best, "regret": regret, "times": times, "search_seconds": took, "branches_over_plain": plain / divided if divided else None})
        print(f"{name:16} {('branch' if found['branches'] else 'plain') + ': ' + chosen:40.40} {took:8.1f} {best_of[chosen] * 1e3:10.4f} {best_of[best] * 1e3:8.4f} {regret:7.1%}  {ratio:>14}  {best}", flush=True)
    print(f"regret over {len(regrets)} networks: median {statistics.median(regrets):.1%}, worst {max(regrets):.1%}")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
