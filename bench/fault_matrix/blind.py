# SPDX-License-Identifier: Apache-2.0
"""Faults that are in no list of the program, composed by a seed: they must be named correctly, or be reported as unknown with their figures.

    blind.py build/edgeprobe [--seed 2] [--each 10] [--frames 1,5] [--with-listed 0.33] [--only jpeg_10,…] [--models …] [--quick]
             [--out FILE] [--keep DIR] [--verbose]

The faults are those of unlisted.py; a third comes together with one fault of faults.tsv. Grades: `named` (only true kinds), `in part` (the listed
fault named, the other not), `equivalent` (other words, the same tensor), `unknown` (with figures), `small` (not reported; it moves the input by less
than JPEG decoders differ, 2.2 steps), `missed`, `wrong` and `WRONG CONFIRMED`. Exits 1 when a wrong name is confirmed. Needs what matrix.py needs.
"""
import argparse
import collections
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
from tally import DECODER
from unlisted import FAULTS

BAD = ("WRONG CONFIRMED", "wrong", "missed", "error", "no figures")
QUICK_MODELS = ("signs_float", "signs_int8", "v1_128_quant", "resnet_float")
QUICK_FAULTS = ("gamma_1.3,bt709_for_601,shift_1,mixed_means,jpeg_10,rot90_then_flip,blur_3,noise_4,channel_zeroed,posterised_565,brightness_20,"
                "premultiplied,roll_row,frame_before").split(",")


def tensor_of(fault, app, raw, others, rng):
    if fault.where == "app":
        return made(raw, fault.does(app, rng))
    if fault.where == "grid":
        return made(raw, app, lambda g: fault.does(g, rng))
    return made(fault.does(raw, rng) if fault.where == "picture" else fault.does(others, raw, rng), app)


class Blind(Case):
    def __init__(self, deployment, fault, listed, files, others, seed):
        self.listed, self.raws = listed, [combine.cached_picture(file) for file in files]
        app = combine.planted(deployment.app, [f["change"] for f in listed])
        # The same draw for each picture: one app has one fault.
        tensors = [tensor_of(fault, app, raw, others, random.Random(seed)) for raw in self.raws]
        super().__init__(deployment, "+".join([fault.name] + [f["id"] for f in listed]), files, tensors)
        rest = [made(raw, app) for raw in self.raws]
        self.moves = combine.rms(combine.apart(t, r, combine.step(app, raw)) for t, r, raw in zip(tensors, rest, self.raws))
        self.fault = fault

    def answer(self, tool, target, folder, extra=()):
        row = {**super().answer(tool, target, folder, extra), "blind": self.fault.name, "true": list(self.fault.true),
               "listed": [kind for f in self.listed for kind in f["kind"].split("|")], "moves": self.moves}
        if "error" not in row:
            row["same_tensor"] = combine.same_tensor(self.deployment, together.named(row), self.raws, self.tensors)
        return row


def grade(row):
    if "error" in row:
        return "error"
    causes = together.named(row)
    kinds = {c["kind"] for c in causes}
    wrong = [c for c in causes if c["kind"] not in row["true"] + row["listed"]]
    if wrong:
        confirmed = any(c["status"] == "confirmed" for c in wrong)
        return "equivalent" if row["same_tensor"] else "WRONG CONFIRMED" if confirmed else "wrong"
    if kinds:
        return "named" if kinds & set(row["true"]) else "in part" if row["moves"] > DECODER else "small"
    if row["causes"] or row["exit"] == 4:
        figures = any(c["explains"] is not None or c.get("evidence") for c in row["causes"])
        return "unknown" if figures or row["exit"] == 4 else "no figures"
    return "small" if row["moves"] <= DECODER else "missed"


def line(row):
    where = "%-15s %-12s %d fr %-34s moves %6.2f" % (grade(row), row["model"], row["frames"], row["fault"], row["moves"])
    if "error" in row:
        return where + " | " + row["error"]
    causes = "; ".join("%s %s: %s" % (c["status"], c["kind"], c["detail"].split("; the reference")[0]) for c in row["causes"]) or "no cause"
    return "%s | exit %d | %s | %s" % (where, row["exit"], causes, ",".join(row["pictures"]))


def report(rows, seconds):
    """Prints the confusion matrix and all wrong answers; returns 1 if a wrong name is confirmed."""
    def answers(row):
        if "error" in row:
            return ["error"]
        return sorted({c["kind"] for c in together.named(row)} - set(row["listed"])) or ["unknown" if row["causes"] or row["exit"] == 4 else "nothing"]
    table = collections.defaultdict(collections.Counter)
    for row in rows:
        for kind in answers(row):
            table[row["blind"]][kind] += 1
    columns = sorted({kind for counter in table.values() for kind in counter})
    order = ["named", "in part", "equivalent", "unknown", "small", *BAD]
    order = [g for g in order if any(grade(row) == g for row in rows)]
    print("\n| planted \\ named | true names | median steps | %s | %s |\n|%s" % (" | ".join(columns), " | ".join(order), "---|" * (3 + len(columns) + len(order))))
    for fault in FAULTS:
        part = [row for row in rows if row["blind"] == fault.name]
        if part:
            grades = collections.Counter(map(grade, part))
            print("| %s | %s | %.1f | %s | %s |" % (
                fault.name, ", ".join(fault.true) or "–", sorted(r["moves"] for r in part)[len(part) // 2],
                " | ".join(str(table[fault.name][c] or "·") for c in columns), " | ".join(str(grades[g] or "·") for g in order)))
    grades = collections.Counter(map(grade, rows))
    print("\n%d cases, %.0f s: %s" % (len(rows), seconds, ", ".join("%s %d" % (g, grades[g]) for g in order)))
    for row in rows:
        if grade(row) in BAD:
            print("  " + line(row))
    return 1 if grades["WRONG CONFIRMED"] or grades["error"] else 0


def cases(args):
    targets = {}
    for index, fault in enumerate(FAULTS):
        if args.only and fault.name not in args.only:
            continue
        for frames in args.frames:
            for number in range(args.each):
                d = args.deployments[(number + index) % len(args.deployments)]
                seed = "%s %s %d %d %d" % (d.name, fault.name, frames, number, args.seed)
                rng = random.Random(seed)
                listed = []
                if rng.random() < args.with_listed:
                    axes = [a for a in combine.SIX if fault.where != "app" or a not in ("range", "input quantisation")]
                    listed, app = combine.draw(d, 1, axes, rng)
                files = rng.sample(d.pictures(), min(frames + 1, len(d.pictures())))
                if listed and (set(listed[0]["kind"].split("|")) & set(fault.true) or combine.destroyed(app, [made(combine.cached_picture(f), app) for f in files])):
                    listed = []  # Not two faults of one kind, and no fault that leaves nothing of the picture.
                targets.setdefault(d.name, Target(d.model))
                yield Blind(d, fault, listed, files[1:], [combine.cached_picture(files[0])], seed), targets[d.name]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executable")
    parser.add_argument("--models", default="")
    parser.add_argument("--only", default="", help="faults of unlisted.py, comma separated")
    parser.add_argument("--frames", default="1,5")
    parser.add_argument("--each", type=int, default=10, help="cases of each fault and number of pictures")
    parser.add_argument("--with-listed", type=float, default=0.33, help="share that comes with a fault of faults.tsv")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="four models, fourteen faults")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="keeps trace, pictures and command of each case that is not right")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    args.deployments = [d for d in deployments.chosen(args.models) if not args.quick or d.name in QUICK_MODELS]
    args.only = [n for n in args.only.split(",") if n] or (QUICK_FAULTS if args.quick else [])
    args.frames = [int(n) for n in args.frames.split(",")]
    if args.quick:
        args.each = 1
    if not deployments.shared_is_here():
        args.deployments = [d for d in args.deployments if d.group != "shared"]
        print("left out, no EDGEPROBE_SHARED_DATA at %s: models and photographs of others" % deployments.SHARED)
        if not args.deployments:
            return 77
    tool, rows, began = Tool(args.executable), [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="edgeprobe_blind_") as folder:
        for case, target in cases(args):
            rows.append(case.answer(tool, target, pathlib.Path(folder)))
            if args.verbose or grade(rows[-1]) in BAD:
                print(line(rows[-1]), flush=True)
            if args.keep and grade(rows[-1]) in BAD:
                case.keep(pathlib.Path(folder), args.keep)
            if args.out and len(rows) % 50 == 0:
                args.out.write_text(json.dumps(rows, indent=1))
    if args.out:
        args.out.write_text(json.dumps(rows, indent=1))
    return report(rows, time.monotonic() - began)


if __name__ == "__main__":
    sys.exit(main())
