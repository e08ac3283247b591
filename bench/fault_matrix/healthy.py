# SPDX-License-Identifier: Apache-2.0
"""Diagnoses deployments without a fault: the program must not report a cause.

    healthy.py build/edgeprobe [--models signs,shared] [--quick] [--out FILE] [--verbose]

The variants are: other engines, kernels and threads; other JPEG decoders (Pillow; libjpeg's fast integer DCT and plain upsampling, by
tests/diagnose/jpeg_decoder_tool.cc, built here unless given); 8-bit against real-valued resizing (at most a note); int8 models against the float
models from which they were made (if layers are known, a wide scale may be a note). One pair with the same names has different weights but outputs
within the floor: it must have no cause, only a warning. Exits 1 if the answer for one of these is different. Prints the distances of healthy outputs
next to the tool's floor.
"""
import argparse
import dataclasses
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import deployments
from deployments import ROOT, SHARED
from driver import Failed, Tool
from make_cases import decoded
from pictures import made
from python_trace import Target, write_trace
from recipe_text import recipe_of

ENGINES = [("litert", "builtin", 1), ("litert", "xnnpack", 2), ("tflite", "xnnpack", 1), ("tflite", "builtin", 1), ("tflite", "reference", 1)]
DECODERS = ["default", "ifast", "plain", "both"]
QUICK_MODELS = {"signs_float", "signs_int8", "v1_128_quant", "resnet_float", "resnet_int8"}


def decoder(folder):
    """The other JPEG decoder, built with the machine's compiler and libjpeg; None when that fails."""
    out = folder / "jpeg_decoder_tool"
    done = subprocess.run(["c++", "-O1", "-std=c++17", ROOT / "tests/diagnose/jpeg_decoder_tool.cc", "-ljpeg", "-o", out], capture_output=True)
    if done.returncode != 0:
        print("left out, other JPEG decoders: cannot build jpeg_decoder_tool.cc: " + done.stderr.decode(errors="replace").splitlines()[0])
        return None
    return out


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder, self.rows = args, folder, []
        self.tool = Tool(args.executable)
        self.engines = self._engines()

    def _engines(self):
        works = self.tool.call("doctor", codes=(0, 1, 3))[1]
        kinds = {line.split()[0] for line in works.splitlines() if line.rstrip().endswith("works")}
        for kind in {"litert", "tflite"} - kinds:
            print("left out, no %s library on this machine (edgeprobe doctor)" % kind)
        return kinds

    def data(self, files):
        data = self.folder / "pictures"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        for file in files:
            shutil.copy(file, data)
        return data

    def judged(self, kind, what, d, files, trace, reference, recipe, *more, expect="none"):
        """Diagnoses `trace` and keeps the row."""
        row = {"class": kind, "what": what, "model": d.name, "frames": len(files), "expect": expect,
               "pictures": [file.name for file in files]}
        try:
            v = self.tool.verdict("diagnose", trace, "--reference", reference, "--reference-recipe", recipe, "--model", d.model,
                                  "--data", self.folder / "pictures", *more)
            row.update(exit=v["exit"], verdict=v["verdict"], distance=v["outputs"]["distance"], floor=v["outputs"]["floor"], seconds=v["seconds"],
                       headline=v["headline"], causes=[{k: c[k] for k in ("kind", "status", "detail")} for c in v["causes"]])
        except Failed as failure:
            row["error"] = str(failure)
        self.rows.append(row)
        if self.args.verbose:
            print(line(row), flush=True)

    def recorded(self, d, files, recipe, *more):
        """A trace by `edgeprobe run`."""
        trace = self.folder / "target.mcap"
        self.tool.run(d.model, recipe, self.data(files), trace, "--no-raw", *more)
        return trace

    def painted(self, d, target, files, app):
        """A trace by Python."""
        trace = self.folder / "target.mcap"
        self.data(files)
        frames = [(file, made(decoded(file, app.decode, self.args.jpeg_decoder, self.folder), app)) for file in files]
        write_trace(trace, target, frames)
        return trace

    def deployment(self, d, files):
        own = d.recipe + (" | quantize(model)" if d.reference != d.model else "")
        # One app rounds its resize like the reference's recipe, and the other one does not.
        same = dataclasses.replace(d.app, round="float") if d.group == "signs" else d.app
        other = dataclasses.replace(same, round="float" if same.round == "uint8" else "uint8")
        target = Target(d.model)
        for engine, kernels, threads in ENGINES:
            if engine not in self.engines:
                continue
            how = ["--engine", engine, "--kernels", kernels, "--threads", threads]
            kind = "threads" if threads > 1 else "kernels"
            trace = self.recorded(d, files, own, *how)
            self.judged(kind, "%s %s, %d thread%s" % (engine, kernels, threads, "s" * (threads > 1)), d, files, trace, d.model, own, *how)
        jpegs = [f for f in files if f.suffix == ".jpg"]
        for how in DECODERS if jpegs else []:
            if how == "default" or self.args.jpeg_decoder:
                trace = self.painted(d, target, jpegs, dataclasses.replace(same, decode=how))
                self.judged("decoder " + ("Pillow" if how == "default" else how), "Python", d, jpegs, trace, d.model, own)
        for maker in ("run", "Python"):
            trace = self.recorded(d, files, recipe_of(other, [])) if maker == "run" else self.painted(d, target, files, other)
            self.judged("rounding", maker + ", " + other.round, d, files, trace, d.model, own, expect="note")
        if d.name.endswith("_int8"):
            reference = d.model.with_name({"signs_int8": "signs_float", "resnet_int8": "pretrainedResnet", "vww_int8": "vww_96_float"}[d.name] + ".tflite")
            recipe = d.recipe.replace(" | quantize(model)", "")
            self.judged("float against int8", "Python", d, files, self.painted(d, target, files, d.app), reference, recipe)
            for level in ("io", "layers"):
                trace = self.recorded(d, files, own, "--level", level)
                # With layers, a note about a step that is wider than necessary is allowed: it is true and has no effect.
                self.judged("float against int8", "run, level " + level, d, files, trace, reference, recipe,
                            expect="note" if level == "layers" else "none")

    def other_weights(self):
        """A pair with the same layer names but different weights."""
        models, digits = SHARED / "models" / "aeq", sorted((SHARED / "images" / "mnist").glob("*.png"))
        recipe = "resize(28x28, bilinear) | scale(0..1)"
        d = dataclasses.replace(deployments.chosen("signs_float")[0], name="mnist_srq", model=models / "conv_fc_mnist_srq_a8w8.tflite")
        for level in ("io", "layers"):
            trace = self.folder / "target.mcap"
            self.tool.run(d.model, recipe + " | quantize(model)", self.data(digits), trace, "--no-raw", "--level", level)
            self.judged("other weights", "level " + level, d, digits, trace, models / "conv_fc_mnist.tflite", recipe)


def right(row):
    if "error" in row:
        return False
    notes = row["expect"] == "note" and all(c["status"] == "note" for c in row["causes"])
    return row["exit"] == 0 and (notes or not row["causes"])


def line(row):
    head = "%-5s %-20s %-12s %-26s %2d fr" % ("right" if right(row) else "NOT", row["class"], row["model"], row["what"], row["frames"])
    if "error" in row:
        return head + " | " + row["error"]
    distance = "-" if row["distance"] is None else "%.4f of %.2f" % (row["distance"], row["floor"])
    causes = "; ".join("%(status)s %(kind)s: %(detail)s" % c for c in row["causes"]) or "no cause"
    return "%s | exit %d | %s | %s%s" % (head, row["exit"], distance, causes, " | " + row["pictures"][0] if row["frames"] == 1 else "")


def report(rows, seconds):
    """Prints one line per class; returns 1 if an answer is not as expected, else 0."""
    print("\n| class | n | as expected | with a cause or note | verdicts | largest output distance, floor 0.02 | floor 0.10 |\n|---|---|---|---|---|---|---|")
    for kind in dict.fromkeys(row["class"] for row in rows):
        part = [row for row in rows if row["class"] == kind]
        fine = [row for row in part if "error" not in row]
        worst = []
        for floor in (0.02, 0.1):
            there = [row for row in fine if row["floor"] == floor and row["distance"] is not None]
            top = max(there, key=lambda row: row["distance"], default=None)
            worst.append("%.4f (%s, %s, %d fr)" % (top["distance"], top["model"], top["what"], top["frames"]) if top else "–")
        verdicts = ", ".join("%s %d" % (v, sum(row["verdict"] == v for row in fine)) for v in sorted({row["verdict"] for row in fine}))
        print("| %s | %d | %d | %d | %s | %s | %s |" % (kind, len(part), sum(map(right, part)), sum(bool(row["causes"]) for row in fine),
                                                     verdicts, *worst))
    bad = [row for row in rows if not right(row)]
    over = [row for row in rows if "error" not in row and row["distance"] is not None and row["distance"] > row["floor"]]
    print("\n%d of %d as expected; healthy outputs beyond their floor: %d; %.0f s" % (len(rows) - len(bad), len(rows), len(over), seconds))
    for row in bad + [row for row in over if right(row)]:
        print("  " + line(row))
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executable")
    parser.add_argument("--models", default="", help="names or groups (signs, shared), comma separated")
    parser.add_argument("--singles", type=int, default=3, help="traces of one picture, beside the one of ten")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jpeg-decoder", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="fewer models, under a minute")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    chosen = [d for d in deployments.chosen(args.models) if not args.quick or d.name in QUICK_MODELS]
    shared = any(d.group == "shared" for d in chosen)
    if shared and not deployments.shared_is_here():
        print("left out, no EDGEPROBE_SHARED_DATA at %s: models and photographs of others" % SHARED)
        chosen, shared = [d for d in chosen if d.group != "shared"], False
        if not chosen:
            return 77
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="edgeprobe_healthy_") as name:
        folder = pathlib.Path(name)
        args.jpeg_decoder = args.jpeg_decoder or decoder(folder)
        bench = Bench(args, folder)
        for d in chosen:
            rng = random.Random("%s %d" % (d.name, args.seed))
            pictures = d.pictures()
            groups = [rng.sample(pictures, min(10, len(pictures)))]
            groups += [[f] for f in rng.sample([p for p in pictures if p.suffix == ".jpg"], 0 if args.quick else args.singles)]
            for files in groups:
                bench.deployment(d, files)
            print("%s: %d diagnoses, %.0f s" % (d.name, len(bench.rows), time.monotonic() - began), file=sys.stderr, flush=True)
        if shared:
            bench.other_weights()
    if args.out:
        args.out.write_text(json.dumps(bench.rows, indent=1))
    return report(bench.rows, time.monotonic() - began)


if __name__ == "__main__":
    sys.exit(main())
