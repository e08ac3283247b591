# SPDX-License-Identifier: Apache-2.0
"""Plants two or three faults at once, at most one per axis, and diagnoses them with the program.

    pairs.py build/edgeprobe [--faults-each 2,3] [--frames 1,5] [--cases 100] [--seed 1] [--models signs,shared] [--quick]
             [--axes colour,range,…] [--out FILE] [--keep DIR] [--verbose]
    pairs.py build/edgeprobe --case vww_float:turn_1+offset_left:bird.bmp,owl.jpg --keep DIR     one case again

Axes, then faults of faults.tsv, are drawn by the seed, deployments in turn; half of the traces come from `edgeprobe run`, half
from Python alone. A component that moves the input by less than 0.62 of 255 steps, alone or when it alone is taken out of
the combination, is invisible there and need not be named. Other words for the same tensor are checked by making that tensor.
Exits 1 when a wrong kind is confirmed or too few combinations are named in full. Needs what matrix.py needs.
"""
import argparse
import json
import pathlib
import random
import sys
import tempfile
import time

import combine
import deployments
import together
from case import Case
from driver import Tool
from pictures import made
from python_trace import Target
from recipe_text import recipe_of

QUICK_MODELS = ("signs_float", "signs_int8", "v1_128_quant", "resnet_float")


class Combination(Case):
    def __init__(self, deployment, chosen, app, files, by_python):
        self.chosen, self.raws = chosen, [combine.cached_picture(file) for file in files]
        tensors = [made(raw, app) for raw in self.raws]
        text = None if by_python else recipe_of(app, [raw.shape[:2] for raw in self.raws])
        super().__init__(deployment, "+".join(f["id"] for f in chosen), files, tensors, text)
        seen = combine.visibility(deployment, chosen, app, self.raws, tensors)
        self.destroyed = combine.destroyed(app, tensors)
        self.truth = [{"id": f["id"], "kind": f["kind"], "axis": f["axis"], "named": f["named"], "alone": alone, "within": within,
                       "visible": min(alone, within) > combine.INVISIBLE} for f, (alone, within) in zip(chosen, seen)]

    def answer(self, tool, target, folder, extra=()):
        row = {**super().answer(tool, target, folder, extra), "truth": self.truth, "destroyed": self.destroyed}
        if "error" not in row:
            row["same_tensor"] = combine.same_tensor(self.deployment, together.named(row), self.raws, self.tensors)
        return row


def cases(args, count, frames):
    """Deployments in turn; edgeprobe and Python make the traces alternately."""
    targets = {}
    for number in range(args.cases):
        d = args.deployments[number % len(args.deployments)]
        rng = random.Random("%s %d faults %d frames %d seed %d" % (d.name, count, frames, number // len(args.deployments), args.seed))
        chosen, app = combine.draw(d, count, args.axes, rng)
        files = rng.sample(d.pictures(), min(frames, len(d.pictures())))
        targets.setdefault(d.name, Target(d.model))
        yield Combination(d, chosen, app, files, (number // len(args.deployments) + number) % 2 == 1), targets[d.name]


def one(text):
    """The case "MODEL:FAULT+FAULT:PICTURE,PICTURE"."""
    model, faults, names = text.split(":")
    d = deployments.chosen(model)[0]
    chosen = [next(f for f in combine.faults() if f["id"] == name) for name in faults.split("+")]
    files = [next(p for p in d.pictures() if p.name == name) for name in names.split(",")]
    return Combination(d, chosen, combine.planted(d.app, [f["change"] for f in chosen]), files, True), Target(d.model)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executable")
    parser.add_argument("--faults-each", default="2,3", help="faults in a case; each of these numbers")
    parser.add_argument("--frames", default="1,5", help="pictures a trace; each of these numbers")
    parser.add_argument("--cases", type=int, default=100, help="for each number of faults and frames")
    parser.add_argument("--models", default="")
    parser.add_argument("--axes", default=",".join(combine.SIX), help="from which faults are drawn; also: tone, layout")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", help="MODEL:FAULT+FAULT:PICTURE,PICTURE, its traces made by Python")
    parser.add_argument("--quick", action="store_true", help="four models, 24 cases")
    parser.add_argument("--out", type=pathlib.Path, help="every case as JSON")
    parser.add_argument("--keep", type=pathlib.Path, help="keeps trace, pictures and command of each case that is not right")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    args.axes = args.axes.split(",")
    args.deployments = [d for d in deployments.chosen(args.models) if not args.quick or d.name in QUICK_MODELS]
    if not deployments.shared_is_here():
        args.deployments = [d for d in args.deployments if d.group != "shared"]
        print("left out, no EDGEPROBE_SHARED_DATA at %s: models and photographs of others" % deployments.SHARED)
        if not args.deployments:
            return 77
    if args.quick:
        args.cases = 6
    tool, rows, began = Tool(args.executable), [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="edgeprobe_pairs_") as folder:
        if args.case:
            case, target = one(args.case)
            rows = [{"faults": len(case.chosen), **case.answer(tool, target, pathlib.Path(folder))}]
            if args.keep:
                case.keep(pathlib.Path(folder), args.keep)
            return print(together.line(rows[0])) or int(together.grade(rows[0]) not in together.RIGHT)
        for count in map(int, args.faults_each.split(",")):
            for frames in map(int, args.frames.split(",")):
                for case, target in cases(args, count, frames):
                    rows.append({"faults": count, **case.answer(tool, target, pathlib.Path(folder))})
                    grade = together.grade(rows[-1])
                    if args.verbose or grade in together.BAD:
                        print(together.line(rows[-1]), flush=True)
                    if args.keep and grade in together.BAD:
                        case.keep(pathlib.Path(folder), args.keep)
                print("%d cases, %.0f s" % (len(rows), time.monotonic() - began), file=sys.stderr, flush=True)
                if args.out:
                    args.out.write_text(json.dumps(rows, indent=1))
    return together.report(rows, time.monotonic() - began, 0.8 if args.quick else None)


if __name__ == "__main__":
    sys.exit(main())
