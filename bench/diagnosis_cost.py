#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time and memory of a full diagnosis: `edgeprobe check` of MobileNet v2 on photographs, and how both grow.

  bench/diagnosis_cost.py build/edgeprobe [--frames 50] [--rounds 3]

One row a case: wall time, CPU time of all processes (the engine workers among them) and the largest resident set of the
command itself and of its largest child, medians over rounds. The photographs are crops of the pictures in
EDGEPROBE_SHARED_DATA, made with a seed. Growth is shown with frames, with layers (other models) and with hypotheses
(none, one, two and three planted pre-processing faults).
"""
import argparse
import json
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))
PHOTOS = ["bird.bmp", "cat.bmp", "grace_hopper.bmp", "hot_dog.jpg", "owl.jpg", "parrot.jpg", "pets.jpg",
          "sklearn_flower.jpg", "squat.bmp", "sunflower.bmp"]
# The reference's recipe, and recipes of targets with none, one, two and three faults.
RECIPES = {size: {
    "reference": f"resize({size}x{size}, bilinear, like=opencv) | scale(-1..1) | quantize(model)",
    "1 fault": f"resize({size}x{size}, bilinear, like=opencv) | color(bgr) | scale(-1..1) | quantize(model)",
    "2 faults": f"resize({size}x{size}, nearest, like=opencv) | color(bgr) | scale(-1..1) | quantize(model)",
    "3 faults": f"rotate(90) | resize({size}x{size}, nearest, like=opencv) | color(bgr) | scale(-1..1) | quantize(model)",
} for size in (128, 224)}
MODELS = {  # models with few to many operators
    "mobilenet_v1_0.25_128 (31 layers)": ("coral/mobilenet_v1_0.25_128_quant.tflite", 128),
    "mobilenet_v2_1.0_224 (66 layers)": ("coral/mobilenet_v2_1.0_224_quant.tflite", 224),
}


def photographs(folder, n, size=None, quality=95):
    """n crops of 60 to 100 % of a picture's sides, scaled to `size` (width, height) if given, as JPEG."""
    chance = random.Random(7)
    for i in range(n):
        picture = Image.open(SHARED / "images" / PHOTOS[i % len(PHOTOS)]).convert("RGB")
        share = chance.uniform(0.6, 1)
        width, height = int(picture.width * share), int(picture.height * share)
        left, top = chance.randint(0, picture.width - width), chance.randint(0, picture.height - height)
        crop = picture.crop((left, top, left + width, top + height))
        (crop.resize(size) if size else crop).save(folder / f"photo_{i:05}.jpg", quality=quality)


def measure(command):
    """Seconds of wall and CPU time, MB of the command and of its largest child, and its verdict."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    own = worker = 0
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(command, stdout=out, stderr=err)
        while child.poll() is None:  # Peaks are read while the processes live: rusage keeps only the largest of all.
            own = max(own, peak_mb(child.pid))
            worker = max([worker] + [peak_mb(pid) for pid in children(child.pid)])
            time.sleep(0.02)
        wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        out.seek(0)
        err.seek(0)
        if child.returncode not in (0, 3, 4):
            sys.exit(f"{' '.join(command)}\nended with {child.returncode}:\n{err.read().decode()}")
        return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, own, worker, json.load(out)


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as listed:
            return listed.read().split()
    except OSError:
        return []


def peak_mb(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("edgeprobe", type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--faulty", type=pathlib.Path, help="libfaulty.so of the tests, for a planted kernel fault")
    args = parser.parse_args()
    if not SHARED.exists():
        sys.exit("the photographs and models are in EDGEPROBE_SHARED_DATA, which is absent")
    v2 = "mobilenet_v2_1.0_224 (66 layers)"
    cases = [("frames", v2, n, "1 fault", False) for n in sorted({5, args.frames // 4, args.frames // 2, args.frames, 2 * args.frames})]
    cases += [("hypotheses", v2, args.frames, faults, False) for faults in ("reference", "1 fault", "2 faults", "3 faults")]
    cases += [("layers", model, args.frames, "1 fault", False) for model in MODELS]
    if args.faulty:
        cases += [("layers", model, args.frames, "reference", True) for model in MODELS]
    print(f"{'growth with':12} {'model':34} {'frames':>6} {'planted':22} {'wall s':>8} {'CPU s':>8} {'MB':>6} {'worker MB':>9}  verdict")
    with tempfile.TemporaryDirectory() as temporary:
        for what, model, frames, faults, kernel in cases:
            folder = pathlib.Path(temporary) / str(frames)
            if not folder.exists():
                folder.mkdir()
                photographs(folder, frames)
            file, size = MODELS[model]
            recipes = RECIPES[size]
            command = [args.edgeprobe, "check", SHARED / "models" / file, "--recipe", recipes[faults],
                       "--reference", SHARED / "models" / file, "--reference-recipe", recipes["reference"],
                       "--data", folder, "--max-size", "20GB", "--json"]
            if kernel:
                os.environ["EDGEPROBE_FAULT"] = "type=DEPTHWISE_CONV_2D kind=scale"
                command += ["--engine", f"tflite:{args.faulty}", "--reference-engine", "tflite"]
            runs = [measure(list(map(str, command))) for _ in range(args.rounds)]
            os.environ.pop("EDGEPROBE_FAULT", None)
            middle = [statistics.median(run[i] for run in runs) for i in range(4)]
            verdict = runs[-1][4]
            named = "+".join(cause["kind"] for cause in verdict["causes"] if cause["status"] == "confirmed") or "no cause"
            planted = ("healthy" if faults == "reference" else faults) if not kernel else "depthwise kernels"
            print(f"{what:12} {model:34} {frames:6} {planted:22} {middle[0]:8.2f} {middle[1]:8.2f} {middle[2]:6.0f} {middle[3]:9.0f}"
                  f"  {verdict['verdict']}: {named}", flush=True)


if __name__ == "__main__":
    main()
