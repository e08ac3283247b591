# SPDX-License-Identifier: Apache-2.0
"""Bugs of apps that are in no list of the search, on models and photographs that were not used to develop its rules.

    matrix.py build/edgeprobe [--wheel mediapipe.whl] [--photographs DIR] [--frames 1,5] [--fronts …] [--bugs …] [--healthy] [--quick]
              [--out FILE] [--keep DIR] [--verbose]

Each bug of bugs.py is planted in two of the deployments of fronts.py, drawn by its place in the list; inference runs in LiteRT's or ONNX Runtime's own Python, the
trace is undeclared and written by the official MCAP writer. Grades:

  named      every cause that is said (confirmed, nearly or note) names the bug, at least one does
  unknown    nothing named, differs or undecided
  small      nothing named, agrees, and the bug moves the input by less than 2.2 gray steps (what JPEG decoders differ by)
  AGREES     named or not: agrees, exit 0, although the bug moves the input by more
  WRONG      a cause that is not the bug; WRONG CONFIRMED when it has that status

Exits 1 on WRONG CONFIRMED, on an error, and if a visible fault is named although the verdict is `agrees`.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
from PIL import Image

from bugs import BUGS, HARD
from fronts import FRONTS, ROOT, model_file, photographs
from recorder import engine_for, write_trace

SMALL = 2.2
VISIBLE = 1.0
QUICK = ("mean_without_std,exposure_1.4,signed_bytes,uint8_minus_mean,short_side_plus_32,crop_1_px,interlaced,one_element_late,ycrcb,gray_mean,rgb565,"
         "all_zero,nan_in_blue,frame_before,noise").split(",")


def planted(front, bug, files, before):
    """(tensors, RMS distance in gray steps from the right ones)"""
    pictures = [np.asarray(Image.open(f).convert("RGB")) for f in [*files, before]]  # pictures[-1] precedes the first picture.
    tensors, squares = [], []
    for k in range(len(files)):
        tensor = bug.make(front, pictures, k)
        tensors.append(tensor)
        squares.append(np.mean((front.steps(tensor) - front.steps(front.tensor(pictures[k]))) ** 2))
    moves = float(np.sqrt(np.mean(squares)))
    return tensors, moves if np.isfinite(moves) else 1e9


def diagnosed(executable, trace, model, front, data):
    began = time.monotonic()
    command = [executable, "diagnose", trace, "--reference", model, "--reference-recipe", front.recipe, "--model", model, "--data", data]
    done = subprocess.run([str(c) for c in [*command, "--json"]], capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
    row = {"exit": done.returncode, "seconds": time.monotonic() - began}
    if done.returncode not in (0, 3, 4):
        return {**row, "error": done.stderr.decode(errors="replace").strip()}
    verdict = json.loads(done.stdout)
    return {**row, "verdict": verdict["verdict"], "headline": verdict["headline"], "distance": verdict["outputs"]["distance"],
            "causes": [{k: c.get(k) for k in ("kind", "status", "stage", "detail", "alternatives", "explains", "contribution", "restored")} for c in verdict["causes"]]}


def grade(row):
    if "error" in row:
        return "error"
    said = [c for c in row["causes"] if c["status"] in ("confirmed", "nearly", "note") and c["kind"] != "unknown"]
    wrong = [c for c in said if c["kind"] not in row["kinds"]]
    if any(c["status"] == "confirmed" for c in wrong):
        return "WRONG CONFIRMED"
    if wrong:
        return "WRONG"
    if row["verdict"] == "agrees" and row["moves"] > (VISIBLE if said else SMALL):
        return "AGREES"
    if said and (not row["words"] or any(re.search(row["words"], c["detail"] + " ".join(c["alternatives"] or [])) for c in said)):
        return "named"
    return "small" if row["verdict"] == "agrees" else "unknown"


def line(row):
    causes = "; ".join("%s %s: %s" % (c["status"], c["kind"], c["detail"]) for c in row.get("causes", [])) or row.get("error", "no cause")
    return "%-16s %-22s %d fr %-26s moves %6.2f | %s %s | %s" % (grade(row), row["front"], row["frames"], row["bug"], row["moves"], row["exit"],
                                                               row.get("verdict", ""), causes)


def report(rows, seconds):
    order = ["named", "unknown", "small", "AGREES", "WRONG", "WRONG CONFIRMED", "error"]
    for title, part in (("all", rows), ("nameable", [r for r in rows if r["group"] != HARD]), ("honestly unknown", [r for r in rows if r["group"] == HARD])):
        grades = collections.Counter(map(grade, part))
        visible = [r for r in part if r["moves"] > VISIBLE]
        named = sum(grade(r) == "named" for r in visible)
        print("%-17s %3d cases: %s; of %d visible %d named (%.0f %%)" % (title, len(part), ", ".join("%s %d" % (g, grades[g]) for g in order if grades[g]),
                                                                          len(visible), named, 100 * named / max(1, len(visible))))
    print("%.0f s, median %.2f s a diagnosis" % (seconds, sorted(r["seconds"] for r in rows)[len(rows) // 2]))
    bad = [r for r in rows if grade(r) in ("AGREES", "WRONG", "WRONG CONFIRMED", "error")]
    for row in bad:
        print("  " + line(row))
    return 1 if any(grade(r) in ("WRONG CONFIRMED", "error") or (grade(r) == "AGREES" and any(c["kind"] != "unknown" for c in r["causes"])) for r in rows) else 0


def chosen_for(index, fronts, bug):
    able = [f for f in fronts if not bug.only or (bug.only == "float") == (f.dtype == "float32")]
    return [able[(index + shift) % len(able)] for shift in (0, max(1, len(able) // 2))][:len(able)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executable", type=pathlib.Path)
    parser.add_argument("--wheel", type=pathlib.Path, help="of mediapipe 0.10.14, for three of the models")
    parser.add_argument("--photographs", type=pathlib.Path, default=ROOT / ".deps" / "demo" / "photographs")
    parser.add_argument("--frames", default="1,5")
    parser.add_argument("--fronts", default="")
    parser.add_argument("--bugs", default="")
    parser.add_argument("--quick", action="store_true", help="fifteen bugs on two photographs")
    parser.add_argument("--healthy", action="store_true", help="the right apps alone: all must agree")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="trace, pictures and command of each case that is neither named nor small")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    files_here = photographs(args.photographs)
    if not files_here:
        print("skipped: no photographs in %s (script/setup --demo brings them) and no EDGEPROBE_SHARED_DATA" % args.photographs)
        return 77
    if args.quick:
        args.frames, args.bugs = "2", args.bugs or ",".join(QUICK)
    rows, began = [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="edgeprobe_bugs_") as scratch:
        scratch = pathlib.Path(scratch)
        models = {f.name: model_file(f, scratch, args.wheel) for f in FRONTS}
        for name in [n for n, path in models.items() if not path]:
            print("left out, its model is not here: %s" % name)
        fronts = [f for f in FRONTS if models[f.name] and (not args.fronts or f.name in args.fronts.split(","))]
        if not fronts:
            return 77
        engines = {f.name: engine_for(models[f.name]) for f in fronts}
        if args.healthy:
            from bugs import Bug
            cases = [(Bug("healthy", "", (), "", lambda f, p, k: f.tensor(p[k])), f) for f in fronts]
        else:
            wanted = args.bugs.split(",") if args.bugs else None
            cases = [(bug, f) for i, bug in enumerate(BUGS) if not wanted or bug.name in wanted for f in chosen_for(i, fronts, bug)]
        for bug, front in cases:
            for n in map(int, args.frames.split(",")):
                seed = "%s %s %d" % (front.name, bug.name, n)
                files = random.Random(seed).sample(files_here, min(n + 1, len(files_here)))
                try:
                    tensors, moves = planted(front, bug, files[1:], files[0])
                except ValueError as impossible:  # This shape does not allow the layout.
                    print("left out: %s on %s: %s" % (bug.name, front.name, impossible))
                    continue
                data, trace = scratch / "pictures", scratch / "app.mcap"
                shutil.rmtree(data, ignore_errors=True)
                data.mkdir()
                for f in files[1:]:
                    shutil.copy(f, data)
                write_trace(trace, engines[front.name], list(zip(files[1:], tensors)))
                row = {"front": front.name, "bug": bug.name, "group": bug.group, "kinds": list(bug.kinds), "words": bug.words, "frames": n, "moves": moves,
                       "pictures": [f.name for f in files[1:]], **diagnosed(args.executable, trace, models[front.name], front, data)}
                rows.append(row)
                if args.verbose:
                    print(line(row), flush=True)
                if args.keep and grade(row) not in ("named", "small"):
                    to = args.keep / ("%s-%s-%d" % (front.name, bug.name, n))
                    shutil.rmtree(to, ignore_errors=True)
                    to.mkdir(parents=True)
                    shutil.copy(trace, to)
                    shutil.copytree(data, to / "pictures")
    if args.out:
        args.out.write_text(json.dumps(rows, indent=1))
    return report(rows, time.monotonic() - began)


if __name__ == "__main__":
    sys.exit(main())
