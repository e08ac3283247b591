# SPDX-License-Identifier: Apache-2.0
"""Plants one fault before the model and one inside it: both must be named.

    with_layers.py build/edgeprobe build/lib/libfaulty.so [--models signs_int8,resnet_float] [--cases 6] [--frames 4] [--seed 1] [--out FILE] [--verbose]

`edgeprobe run` records every layer with a faulty recipe (a fault of faults.tsv that recipes can say) and, through
`--engine tflite:libfaulty.so` (tests/faulty), a faulty kernel for one operator type; `edgeprobe diagnose` gets the trace and the
trusted side alone. A kernel fault is visible when it moves the outputs, on the same input, by more than 0.05 (total variation).
Exits 1 when a wrong cause is confirmed.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

import combine
import deployments
from driver import Failed, Tool
from pictures import made
from recipe_text import recipe_of

KERNELS = [("chan0", "CONV_2D"), ("chan0", "DEPTHWISE_CONV_2D"), ("offset", "CONV_2D"), ("sat", "CONV_2D"), ("scale", "CONV_2D"),
           ("pad", "CONV_2D"), ("lastch", "CONV_2D"), ("divisor", "AVERAGE_POOL_2D"), ("sat", "ADD"), ("scale", "DEPTHWISE_CONV_2D")]
MODELS = "signs_float,signs_int8,resnet_float,resnet_int8,vww_float,v1_128_quant"
SEEN = 0.05
BAD = ("WRONG CONFIRMED", "wrong", "neither", "error")
GRADES = ("both", "invisible", "only the input", "only the kernel", *BAD)


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder, self.tool = args, folder, Tool(args.executable)

    def record(self, d, recipe, trace, fault):
        """An undeclared trace of every layer; with the kernel fault, if any."""
        os.environ.pop("EDGEPROBE_FAULT", None)
        if fault:
            os.environ["EDGEPROBE_FAULT"] = "type=%s kind=%s" % (fault[1], fault[0])
        try:
            self.tool.run(d.model, recipe, self.folder / "pictures", trace, "--no-raw", "--level", "layers", "--engine",
                          "tflite:%s" % self.args.library, "--kernels", "builtin")
        finally:
            os.environ.pop("EDGEPROBE_FAULT", None)

    def outputs(self, trace):
        """The first output of each frame as probabilities."""
        npz = self.folder / "t.npz"
        self.tool.call("trace", "export", trace, "--npz", npz)
        arrays = np.load(npz)
        out = next(arrays[name] for name in arrays.files if "model_output" in name).astype(np.float64)
        out = out.reshape(len(out), -1)
        out -= min(out.min(), 0)
        return out / np.maximum(out.sum(1, keepdims=True), 1e-9)

    def answer(self, d, kernel, number):
        rng = random.Random("%s %s %d %d" % (d.name, kernel, number, self.args.seed))
        files = rng.sample(d.pictures(), min(self.args.frames, len(d.pictures())))
        raws = [combine.cached_picture(f) for f in files]
        while True:
            chosen, app = combine.draw(d, 1, list(combine.SIX), rng)
            text = recipe_of(app, [raw.shape[:2] for raw in raws])
            tensors = text and [made(raw, app) for raw in raws]
            if text and not combine.destroyed(app, tensors) and combine.visibility(d, chosen, app, raws, tensors)[0][0] > combine.INVISIBLE:
                break
        data = self.folder / "pictures"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        for f in files:
            shutil.copy(f, data)
        row = {"model": d.name, "fault": chosen[0]["id"], "kind": chosen[0]["kind"], "kernel": "%s in every %s" % kernel, "type": kernel[1],
               "pictures": [f.name for f in files]}
        try:
            self.record(d, text, self.folder / "clean.mcap", None)
            self.record(d, text, self.folder / "target.mcap", kernel)
            clean, faulty = self.outputs(self.folder / "clean.mcap"), self.outputs(self.folder / "target.mcap")
            row["moves"] = float(np.abs(clean - faulty).sum(1).mean() / 2)
            verdict = self.tool.verdict("diagnose", self.folder / "target.mcap", "--reference", d.reference, "--reference-recipe", d.recipe,
                                        "--model", d.model, "--data", data)
        except (Failed, subprocess.TimeoutExpired) as failure:
            return {**row, "error": str(failure)}
        return {**row, "exit": verdict["exit"], "seconds": verdict["seconds"], "headline": verdict["headline"],
                "causes": [{k: c.get(k) for k in ("kind", "status", "stage", "detail", "layer", "op_type", "scope")} for c in verdict["causes"]]}


def grade(row):
    if "error" in row:
        return "error"
    said = [c for c in row["causes"] if c["kind"] != "unknown" and c["status"] not in ("partial", "nearly")]
    before = [c for c in said if c["stage"] == "preprocessing"]
    inside = [c for c in said if c["stage"] != "preprocessing"]
    wrong = [c for c in before if c["kind"] not in row["kind"].split("|")] + [c for c in inside if c["kind"] != "kernel" or c["op_type"] != row["type"]]
    if wrong:
        return "WRONG CONFIRMED" if any(c["status"] == "confirmed" for c in wrong) else "wrong"
    if before and inside:
        return "both"
    if before:
        return "invisible" if row["moves"] <= SEEN else "only the input"
    return "only the kernel" if inside else "neither"


def line(row):
    where = "%-16s %-12s %s + %s" % (grade(row), row["model"], row["fault"], row["kernel"])
    if "error" in row:
        return where + " | " + row["error"]
    causes = "; ".join("%s %s %s: %s" % (c["status"], c["kind"], c.get("op_type") or "", c["detail"].split("; the reference")[0]) for c in row["causes"])
    return "%s | outputs moved %.3f | exit %d | %s | %s" % (where, row["moves"], row["exit"], causes or "no cause", ",".join(row["pictures"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executable")
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--cases", type=int, default=6, help="for each model")
    parser.add_argument("--frames", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    args.library = args.library.resolve()
    rows, began = [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="edgeprobe_layers_") as name:
        bench = Bench(args, pathlib.Path(name))
        for d in deployments.chosen(args.models):
            if d.group == "shared" and not deployments.shared_is_here():
                print("left out, no EDGEPROBE_SHARED_DATA: " + d.name)
                continue
            fitting = [k for k in KERNELS if _has(d.model, k[1])]
            for number in range(args.cases):
                rows.append(bench.answer(d, fitting[number % len(fitting)], number))
                if args.verbose or grade(rows[-1]) in BAD:
                    print(line(rows[-1]), flush=True)
    if args.out:
        args.out.write_text(json.dumps(rows, indent=1))
    count = collections.Counter(map(grade, rows))
    print("\n%d cases, %.0f s: %s" % (len(rows), time.monotonic() - began, ", ".join("%s %d" % (g, count[g]) for g in GRADES if count[g])))
    return 1 if count["WRONG CONFIRMED"] or count["error"] else 0


def _has(model, op_type):
    from ai_edge_litert.interpreter import Interpreter
    return any(op["op_name"] == op_type for op in Interpreter(str(model), num_threads=1)._get_ops_details())


if __name__ == "__main__":
    sys.exit(main())
