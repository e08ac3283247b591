# SPDX-License-Identifier: Apache-2.0
"""Plants faults inside the model, in a kernel or in an int8 file, and diagnoses them by `edgeprobe check`.

    matrix.py build/edgeprobe [--pairs signs,shared] [--faults chan0,act_d4,healthy] [--quick] [--jobs N] [--out FILE] [--verbose]

Kernel faults come from tests/faulty (built with the tests; --faulty and --delegate name them elsewhere), quantisation faults
from edits of int8 files (quant_faults.py). A fault counts if it moves the logits by more than 0.3 of their standard deviation,
computed without edgeprobe (gap.py); milder ones may be named, noted or ignored, but must never lead to a wrong cause. Exits 1
when a wrong cause is `confirmed` or a bar of score.py is missed. Models and pictures of others: EDGEPROBE_SHARED_DATA.
"""
import argparse
import concurrent.futures
import functools
import json
import pathlib
import shutil
import sys
import tempfile
import time

from PIL import Image

import pairs
import quant_faults
import score
from cases import all_cases, counterpart
from gap import Gap
from model_file import Model
from tool import Failed, Tool

KEPT = ("kind", "status", "stage", "detail", "layer", "op_type", "scope", "layers", "explains", "restored", "restored_unit", "restored_unavailable")
QUICK_FAULTS = ["chan0", "offset", "sat", "act_d4", "biassat", "permw", "healthy"]
QUICK_PAIRS = {"signs_int8", "signs_float"}


@functools.lru_cache(maxsize=None)
def gap_of(reference):
    return Gap(reference)


@functools.lru_cache(maxsize=None)
def model_of(path):
    return Model(path)


def make_photos(folder):
    """The photographs, reduced to 320 pixels on the longer side: the models' inputs are smaller, and this test is not about decoding."""
    for file in pairs.photos():
        picture = Image.open(file).convert("RGB")
        picture.thumbnail((320, 320), Image.BOX)
        picture.save(folder / (file.stem + ".png"))


def data_of(pair, photos):
    return pairs.ROOT / "models" / "data" / "test" if pair.group == "signs" else photos


def command(case, target, data, libraries):
    """(arguments of check, EDGEPROBE_FAULT or None)."""
    pair, engine, fault, more = case.pair, case.engine, None, []
    if case.kind == "kernel" and case.fault == "delegate":
        more = ["--delegate", libraries["delegate"]]
    elif case.kind == "kernel":
        engine = "faulty"
        where = "type=" + case.type if case.whole else "output=%d" % Model.output(model_of(pair.target), case.op)
        fault = "%s kind=%s" % (where, case.fault)
    if engine == "faulty":
        engine = "tflite:%s" % libraries["faulty"]
    return ["check", target, "--recipe", pair.target_recipe, "--engine", engine, "--kernels", case.kernels, *more, "--reference", pair.reference,
            "--reference-recipe", pair.recipe, "--data", data, "--frames", pair.frames, *pair.labels()], fault


def answer(case, executable, libraries, photos):
    """The row of this case: the planted fault, the gap, and the verdict (or `error`)."""
    pair, tool = case.pair, Tool(executable)
    row = {"pair": pair.name, "fault": case.fault, "class": case.kind, "type": case.type, "op": case.op, "whole": case.whole, "only": case.only,
           "kernels": case.kernels, "engine": case.engine, "id": case.id()}
    with tempfile.TemporaryDirectory(prefix="edgeprobe_layers_") as name:
        folder = pathlib.Path(name)
        target = pair.target
        if case.kind in ("quantization", "weights"):
            target = folder / (pair.target.stem + ".tflite")
            quant_faults.edit(case.fault, pair.target, case.op).save(target)
        if case.kind != "none":
            row["layer"] = counterpart(model_of(pair.target), model_of(pair.reference), case.op)
            row["layer_name"] = model_of(pair.reference).name(model_of(pair.reference).output(row["layer"]))
        arguments, fault = command(case, target, data_of(pair, photos), libraries)
        row["command"] = tool.line(arguments, fault)
        if target != pair.target:
            row["command"] = "python quant_faults.py %s %s %d %s && %s" % (case.fault, pair.target, case.op, target.name,
                                                                          row["command"].replace(str(target), target.name))
        try:
            verdict = tool.verdict(*arguments, "--keep-traces", folder / "traces", fault=fault)
            row["gap"] = gap_of(pair.reference).of(tool, target, folder / "traces" / "target.mcap", folder / "one.npz")
        except (Failed, ValueError) as failure:
            return {**row, "error": str(failure)}
    row.update(verdict=verdict["verdict"], exit=verdict["exit"], seconds=verdict["seconds"], headline=verdict["headline"],
               culprits=verdict.get("culprits"), outputs=verdict["outputs"]["distance"], floor=verdict["outputs"]["floor"],
               causes=[{k: c.get(k) for k in KEPT} for c in verdict["causes"]])
    return row


def libraries_of(args):
    """The built libraries that contain a fault."""
    build = pathlib.Path(args.executable).resolve().parent
    found = {"faulty": args.faulty or build / "lib" / "libfaulty.so", "delegate": args.delegate or build / "lib" / "libpool_fault_delegate.so"}
    for name, path in found.items():
        if not path.is_file():
            raise SystemExit("no library with a fault at '%s': build the tests, or give --%s" % (path, name))
    return {name: path.resolve() for name, path in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executable")
    parser.add_argument("--pairs", default="", help="names or groups (signs, shared), comma separated")
    parser.add_argument("--faults", default="", help="ids of faults.tsv or healthy, comma separated")
    parser.add_argument("--singles", type=int, default=1, help="single operators for each kind of kernel fault and type")
    parser.add_argument("--edits", type=int, default=9, help="operators for each kind of quantisation fault")
    parser.add_argument("--only", default="", help="only cases whose id contains this")
    parser.add_argument("--quick", action="store_true", help="our own two models, six kinds")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--part", default="1/1", help="i/n: every n-th case from the i-th")
    parser.add_argument("--faulty", type=pathlib.Path)
    parser.add_argument("--delegate", type=pathlib.Path)
    parser.add_argument("--photos", type=pathlib.Path, help="a folder to keep the shrunken photographs in, so that printed commands can be run again")
    parser.add_argument("--out", type=pathlib.Path, help="every case as JSON")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    chosen = [p for p in pairs.chosen(args.pairs) if not args.quick or args.pairs or p.name in QUICK_PAIRS]
    if not pairs.shared_is_here():
        left = [p.name for p in chosen if p.group == "shared"]
        chosen = [p for p in chosen if p.group != "shared"]
        if left:
            print("left out, no EDGEPROBE_SHARED_DATA at %s: %s" % (pairs.SHARED, ", ".join(left)))
        if not chosen:
            return 77
    if Tool(args.executable).call("doctor", "tflite", codes=(0, 1))[0] != 0:
        print("skipped: no TFLite library on this machine (edgeprobe doctor)")
        return 77
    wanted = [w for w in args.faults.split(",") if w] or (QUICK_FAULTS if args.quick else [])
    libraries = libraries_of(args)
    edits = 2 if args.quick else args.edits
    todo = [c for pair in chosen for c in all_cases(pair, wanted, args.singles, edits, args.quick) if args.only in c.id()]
    part, of = map(int, args.part.split("/"))
    todo = todo[part - 1 :: of]
    photos = args.photos or pathlib.Path(tempfile.mkdtemp(prefix="edgeprobe_photos_"))
    photos.mkdir(exist_ok=True)
    if any(pair.group == "shared" for pair in chosen):
        make_photos(photos)
    rows, began = [], time.monotonic()
    work = functools.partial(answer, executable=args.executable, libraries=libraries, photos=photos)
    with concurrent.futures.ProcessPoolExecutor(args.jobs) if args.jobs > 1 else concurrent.futures.ThreadPoolExecutor(1) as pool:
        for row in pool.map(work, todo):
            rows.append(row)
            if args.verbose or score.grade(row) in score.BAD:
                print(score.line(row), flush=True)
            if len(rows) % 25 == 0:
                print("%d of %d cases, %.0f s" % (len(rows), len(todo), time.monotonic() - began), file=sys.stderr, flush=True)
                if args.out:
                    args.out.write_text(json.dumps(rows, indent=1))
    if args.out:
        args.out.write_text(json.dumps(rows, indent=1))
    if not args.photos:
        shutil.rmtree(photos)
    return score.report(rows, time.monotonic() - began, quick=args.quick)


if __name__ == "__main__":
    sys.exit(main())
