# SPDX-License-Identifier: Apache-2.0
"""Faults in reading recorded bytes: camera frames, EXIF rotations, scaled JPEGs, alpha; and other correct readings, which are not a fault.

    readings.py build/edgeprobe [--models signs,shared] [--only nv12_as_nv21,…] [--frames 1,3] [--seed 1] [--out FILE] [--keep DIR] [--verbose]

Pictures are rewritten as frames and files by recordings.py and misread there, without any code of edgeprobe. Exits 1 when a
wrong kind is confirmed.
"""
import argparse
import collections
import json
import pathlib
import random
import shutil
import sys
import tempfile
import time

import combine
import deployments
import recordings
import together
from case import Case, said
from driver import Tool
from pictures import made
from python_trace import Target

BAD = ("WRONG CONFIRMED", "wrong", "unknown", "missed", "error")


def grade(row):
    if "error" in row:
        return "error"
    causes = together.named(row)
    wrong = [c for c in causes if c["kind"] not in row["true"]]
    if wrong:
        return "WRONG CONFIRMED" if any(c["status"] == "confirmed" for c in wrong) else "note" if not row["true"] else "wrong"
    if causes:
        return "right"
    if not row["true"]:
        return "right" if row["exit"] == 0 and not row["causes"] else "unknown"
    if row["moves"] <= combine.INVISIBLE:
        return "invisible"
    return "unknown" if row["causes"] or row["exit"] == 4 else "missed"


def line(row):
    where = "%-15s %-12s %d fr %-26s moves %6.2f" % (grade(row), row["model"], row["frames"], row["fault"], row["moves"])
    if "error" in row:
        return where + " | " + row["error"]
    causes = "; ".join("%s %s: %s" % (c["status"], c["kind"], said(c).split("; the reference")[0]) for c in row["causes"]) or "no cause"
    return "%s | exit %d | %s | %s" % (where, row["exit"], causes, ",".join(row["pictures"]))


def report(rows, seconds):
    table = collections.defaultdict(collections.Counter)
    for row in rows:
        table[row["fault"]][grade(row)] += 1
    grades = [g for g in ("right", "invisible", "note", *BAD) if any(c[g] for c in table.values())]
    print("\n| reading | true names | %s |\n|%s" % (" | ".join(grades), "---|" * (2 + len(grades))))
    for name, (true, _) in recordings.CASES.items():
        if name in table:
            print("| %s | %s | %s |" % (name, ", ".join(true) or "none: no fault", " | ".join(str(table[name][g] or "·") for g in grades)))
    count = collections.Counter(map(grade, rows))
    print("\n%d cases, %.0f s: %s" % (len(rows), seconds, ", ".join("%s %d" % (g, count[g]) for g in grades)))
    for row in rows:
        if grade(row) in BAD:
            print("  " + line(row))
    return 1 if count["WRONG CONFIRMED"] or count["error"] else 0


def cases(args, folder):
    for index, (name, (true, write)) in enumerate(recordings.CASES.items()):
        if args.only and name not in args.only:
            continue
        for d in args.deployments:
            target = Target(d.model)
            for frames in args.frames:
                rng = random.Random("%s %s %d %d" % (d.name, name, frames, args.seed))
                written = folder / "written"
                shutil.rmtree(written, ignore_errors=True)
                written.mkdir()
                made_of = [write(combine.cached_picture(f), f.stem, written) for f in rng.sample(d.pictures(), min(frames, len(d.pictures())))]
                case = Case(d, name, [path for path, _, _ in made_of], [made(app, d.app) for _, _, app in made_of])
                moves = combine.rms(combine.apart(t, made(right, d.app), combine.step(d.app, right)) for t, (_, right, _) in zip(case.tensors, made_of))
                yield case, target, {"true": list(true), "moves": moves}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executable")
    parser.add_argument("--models", default="")
    parser.add_argument("--only", default="", help="names of recordings.py, comma separated")
    parser.add_argument("--frames", default="1,3")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="keeps trace, pictures and command of each case that is not right")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    args.only = [n for n in args.only.split(",") if n]
    args.frames = [int(n) for n in args.frames.split(",")]
    args.deployments = [d for d in deployments.chosen(args.models) if d.group == "signs" or deployments.shared_is_here()]
    tool, rows, began = Tool(args.executable), [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="edgeprobe_readings_") as name:
        folder = pathlib.Path(name)
        for case, target, about in cases(args, folder):
            (folder / "run").mkdir(exist_ok=True)
            rows.append({**case.answer(tool, target, folder / "run"), **about})
            if args.verbose or grade(rows[-1]) in BAD:
                print(line(rows[-1]), flush=True)
            if args.keep and grade(rows[-1]) in BAD:
                case.keep(folder / "run", args.keep)
    if args.out:
        args.out.write_text(json.dumps(rows, indent=1))
    return report(rows, time.monotonic() - began)


if __name__ == "__main__":
    sys.exit(main())
