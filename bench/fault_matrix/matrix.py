# SPDX-License-Identifier: Apache-2.0
"""Plants single faults in deployments and diagnoses their undeclared traces with the program.

    matrix.py build/edgeprobe [--models signs,shared] [--faults bgr,turn_1] [--frames 1,4] [--quick] [--out FILE] [--keep DIR]

Half of the traces are made by `edgeprobe run` with the faulty recipe, half without any code of edgeprobe (python_trace.py:
OpenCV, Pillow, NumPy, LiteRT's own interpreter, the official MCAP writer), as are the faults that no recipe can express. Exits 1
when a cause of the wrong kind is `confirmed`, or less than 99 % (--quick: 95 %) of the visible faults come first.
Needs the packages of script/requirements-test.txt; pictures and models of others: EDGEPROBE_SHARED_DATA.
"""
import argparse
import csv
import json
import pathlib
import random
import sys
import tempfile
import time

import numpy as np

import deployments
import tally
from case import Case, says
from driver import Tool
from make_cases import changed, picture, steps_apart
from pictures import made
from python_trace import Target
from recipe_text import recipe_of

HERE = pathlib.Path(__file__).resolve().parent
QUICK_FAULTS = ("bgr,gray3,range_01,range_u255,range_imagenet,limited,kernel_cv_nearest,kernel_cv_linear,kernel_cv_area,kernel_pil_bicubic,"
                "fit_stretch,fit_square875,fit_letterbox114,offset_left,turn_1,turn_4,layout_chw,quant_xor,gamma22,healthy").split(",")
QUICK_MODELS = {"signs_float", "signs_int8", "v1_128_quant", "resnet_float"}


def faults_for(deployment, wanted):
    """[(row of faults.tsv, the faulty app)] of the faults that exist there; other decoders are healthy.py's."""
    out = []
    for line, row in enumerate(csv.DictReader((HERE / "faults.tsv").read_text().splitlines(), delimiter="\t")):
        if (wanted and row["id"] not in wanted) or row["change"].startswith("decode"):
            continue
        other = changed(deployment.app, row["change"])
        if other is not None and (other != deployment.app or not row["change"]):
            out.append(({**row, "line": line}, other))
    return out


class Single(Case):
    """One fault in one deployment on a few pictures."""

    def __init__(self, deployment, row, app, files, by_python):
        raws = [picture(file) for file in files]
        text = None if by_python else recipe_of(app, [raw.shape[:2] for raw in raws])
        super().__init__(deployment, row["id"], files, [made(raw, app) for raw in raws], text)
        right = [made(raw, deployment.app) for raw in raws]
        apart = [steps_apart(t.reshape(r.shape), r, deployment.app) for t, r in zip(self.tensors, right)]
        self.row, self.moves = row, float(np.sqrt(np.mean(np.square(apart))))

    def answer(self, tool, target, folder):
        truth = {"kind": self.row["kind"], "moves": self.moves}
        if truth["kind"] == "value_range" and all(len(np.unique(t)) <= 4 for t in self.tensors):
            truth.update(kind="unknown", destroyed=True)  # 0..1 stored as integers: nothing of the picture is left to compare.
        row = {**super().answer(tool, target, folder), **truth}
        row["named"] = bool(row.get("causes")) and says(row["causes"][0], self.row["named"])
        return row


def cases(args):
    """Cases in the order of models and faults. edgeprobe and Python make the traces alternately, so that each fault has both over all models."""
    for index, deployment in enumerate(args.deployments):
        target = Target(deployment.model)
        pictures = deployment.pictures()
        for row, app in faults_for(deployment, args.wanted):
            for turn, frames in enumerate(args.frames):
                if args.quick and len(args.frames) > 1 and (index + row["line"] // 2) % len(args.frames) != turn:
                    continue
                fit = row["change"].startswith("fit")  # For a square picture, stretching and letterboxing give the same tensor.
                files = [f for f in pictures if not fit or len(set(picture(f).shape[:2])) == 2]
                rng = random.Random("%s %s %d %d" % (deployment.name, row["id"], frames, args.seed))
                by_python = args.maker == "python" or (args.maker == "half" and (index + row["line"] + turn) % 2 == 1)
                yield Single(deployment, row, app, rng.sample(files, min(frames, len(files))), by_python), target


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executable")
    parser.add_argument("--models", default="", help="names or groups (signs, shared), comma separated")
    parser.add_argument("--faults", default="", help="ids of faults.tsv, comma separated")
    parser.add_argument("--frames", default="1,4", help="pictures a trace; each of these numbers")
    parser.add_argument("--maker", choices=("half", "run", "python"), default="half", help="who makes the traces, where both can")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="four models, twenty faults, under a minute")
    parser.add_argument("--out", type=pathlib.Path, help="every case as JSON")
    parser.add_argument("--keep", type=pathlib.Path, help="keeps trace, pictures and command of each case that is not right")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    args.deployments = deployments.chosen(args.models)
    if args.quick:
        args.deployments = [d for d in args.deployments if d.name in QUICK_MODELS]
    if not deployments.shared_is_here():
        left = [d.name for d in args.deployments if d.group == "shared"]
        args.deployments = [d for d in args.deployments if d.group != "shared"]
        if left:
            print("left out, no EDGEPROBE_SHARED_DATA at %s: %s" % (deployments.SHARED, ", ".join(left)))
        if not args.deployments:
            return 77
    args.wanted = set(args.faults.split(",")) - {""} or (set(QUICK_FAULTS) if args.quick else set())
    args.frames = [int(n) for n in args.frames.split(",")]
    tool, rows, began = Tool(args.executable), [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="edgeprobe_matrix_") as folder:
        for case, target in cases(args):
            rows.append(case.answer(tool, target, pathlib.Path(folder)))
            grade = tally.grade(rows[-1])
            if args.verbose or grade in tally.BAD:
                print(tally.line(rows[-1], grade), flush=True)
            if args.keep and grade in tally.BAD:
                case.keep(pathlib.Path(folder), args.keep)
            if len(rows) % 50 == 0:
                print("%d cases, %.0f s" % (len(rows), time.monotonic() - began), file=sys.stderr, flush=True)
            if args.out and len(rows) % 50 == 0:
                args.out.write_text(json.dumps(rows, indent=1))
    if args.out:
        args.out.write_text(json.dumps(rows, indent=1))
    return tally.report(rows, time.monotonic() - began, 0.95 if args.quick else 0.99)


if __name__ == "__main__":
    sys.exit(main())
