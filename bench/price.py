#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The price of a verdict: `edgeprobe check` against a Python loop that runs both models over the same data.

  bench/price.py build/edgeprobe [--frames 100] [--rounds 5] [--only mobilenet] [--polygraphy PATH]

The loop is the least that anyone pays for a comparison: Pillow decodes and resizes each picture once for each model, the engine's own Python
package runs both models on one thread, and NumPy compares the outputs. Rows: the processor time and wall time of whole processes, engine workers
among them, and the most memory of all processes of the tree at one time (proportional set size). Loop and checks take turns; medians over rounds,
with the least and the most ratio. With --polygraphy (a program), `polygraphy run --onnxrt --onnxrt` runs beside them on .onnx models.
Models and photographs are those of EDGEPROBE_SHARED_DATA.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from diagnosis_cost import SHARED, photographs

LOOP = '''
import pathlib, sys
import numpy as np
from PIL import Image
reference, target, data = sys.argv[1:]

def litert(path):
    from ai_edge_litert.interpreter import Interpreter
    model = Interpreter(path, num_threads=1)
    model.allocate_tensors()
    spec = model.get_input_details()[0]
    def run(x):
        model.set_tensor(spec["index"], x)
        model.invoke()
        return [model.get_tensor(o["index"]) for o in model.get_output_details()]
    return spec["shape"], spec["dtype"], run

def onnx(path):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    model = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    spec = model.get_inputs()[0]
    return spec.shape, np.float32, lambda x: model.run(None, {spec.name: x})

models = [(onnx if path.endswith(".onnx") else litert)(path) for path in (reference, target)]
worst = 0
data = pathlib.Path(data)
samples = list(np.load(data).values())[0] if data.suffix == ".npz" else sorted(data.iterdir())
for sample in samples:
    answers = []
    for shape, dtype, run in models:
        if isinstance(sample, np.ndarray):
            x = sample
        else:
            planar = shape[1] == 3
            height, width = (shape[2], shape[3]) if planar else (shape[1], shape[2])
            x = np.asarray(Image.open(sample).convert("RGB").resize((width, height), Image.Resampling.BILINEAR))
            if dtype != np.uint8:
                x = (x.astype(np.float32) - 127) / 128
            x = np.ascontiguousarray(x.transpose(2, 0, 1) if planar else x)[None]
        answers.append(run(x.astype(dtype)))
    for r, t in zip(*answers):
        worst = max(worst, float(np.abs(r.astype(np.float64) - t).max()))
print(worst)
'''

RESIZE = "resize({0}, bilinear, antialias=on, align=half_pixel) | "
# Of each model: its files (reference, target), the reference's recipe, and the recipes of targets with one and two faults.
U8 = RESIZE.format("224x224") + "{}scale(-1..1) | quantize(model)"
MODELS = {
    "mobilenet v2 uint8": ("coral/mobilenet_v2_1.0_224_quant.tflite", U8.format(""), U8.format("color(bgr) | "),
                           U8.format("color(bgr) | ").replace("bilinear, antialias=on", "nearest")),
    "ultraface float onnx": ("ultraface/version-RFB-320_without_postprocessing.onnx",
                             *(RESIZE.format("240x320").replace("bilinear, antialias=on", kernel) + color + "normalize(mean=127, std=128) | layout(nchw)"
                               for kernel, color in (("bilinear, antialias=on", ""), ("bilinear, antialias=on", "color(bgr) | "), ("nearest", "color(bgr) | ")))),
    "keywords float": ("mlperf_tiny/kws_ref_model_float32.tflite", None, None, None),
    "resnet-8 float": ("mlperf_tiny/pretrainedResnet.tflite", *(RESIZE.format("32x32").replace("bilinear, antialias=on", kernel) + color + "scale(0..255)"
                       for kernel, color in (("bilinear, antialias=on", ""), ("bilinear, antialias=on", "color(bgr) | "), ("nearest", "color(bgr) | ")))),
}


def features(file, n, model):
    """n random inputs of the model, under its input's name."""
    from ai_edge_litert.interpreter import Interpreter
    spec = Interpreter(str(model)).get_input_details()[0]
    shape = (n, *spec["shape"])
    np.savez(file, **{spec["name"]: (np.random.default_rng(7).normal(size=shape) * 8).astype(np.float32)})


def memory_mb(pid):
    """Proportional set size of a process and all below it."""
    total = 0
    for one in [pid, *descendants(pid)]:
        try:
            with open(f"/proc/{one}/smaps_rollup") as lines:
                total += next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
        except OSError:
            pass
    return total / 1024


def descendants(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as listed:
            below = listed.read().split()
    except OSError:
        return []
    return [one for child in below for one in (child, *descendants(child))]


def measured(command, memory=False):
    """Processor seconds, wall seconds and, in a run of its own (sampling costs time), the most MB; the standard output."""
    before, began, most = os.times(), time.monotonic(), 0.0
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(list(map(str, command)), stdout=out, stderr=err)
        while memory and child.poll() is None:
            most = max(most, memory_mb(child.pid))
            time.sleep(0.01)
        child.wait()
        wall, after = time.monotonic() - began, os.times()
        out.seek(0)
        err.seek(0)
        if child.returncode not in (0, 3, 4):
            sys.exit(f"{' '.join(map(str, command))}\nended with {child.returncode}:\n{err.read().decode()}")
        return after.children_user + after.children_system - before.children_user - before.children_system, wall, most, out.read().decode()


def commands(edgeprobe, name, data, frames, polygraphy):
    file, reference, *faulty = MODELS[name]
    model = SHARED / "models" / file
    yield "loop", [sys.executable, "-c", LOOP, model, model, data]
    for planted, recipe in zip(("healthy", "1 fault", "2 faults"), (reference, *faulty)):
        if planted != "healthy" and recipe is None:
            continue
        recipes = ["--recipe", recipe, "--reference-recipe", reference] if reference else []
        check = [edgeprobe, "check", model, "--reference", model, *recipes, "--data", data, "--max-size", "20GB", "--json"]
        for level in ("io", "layers"):
            yield f"{planted}, {level}", [*check, "--level", level]
    if polygraphy and file.endswith(".onnx"):
        yield "polygraphy", [polygraphy, "run", model, "--onnxrt", "--onnxrt", "--iterations", str(frames), "--silent"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("edgeprobe", type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="only models whose names contain this")
    parser.add_argument("--way", default="", help="only rows whose names contain this, and the loop")
    parser.add_argument("--polygraphy", type=pathlib.Path)
    args = parser.parse_args()
    if not SHARED.exists():
        sys.exit("the photographs and models are in EDGEPROBE_SHARED_DATA, which is absent")
    print(f"load {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} CPUs, {args.frames} frames, medians of {args.rounds} rounds by turns")
    print(f"{'model':21} {'way':18} {'CPU s':>7} {'/ loop':>7} {'least..most':>12} {'wall s':>7} {'/ loop':>7} {'MB':>5}  verdict")
    with tempfile.TemporaryDirectory() as temporary:
        for name in filter(lambda name: args.only in name, MODELS):
            data = pathlib.Path(temporary) / name.replace(" ", "_")
            if MODELS[name][1]:
                data.mkdir()
                photographs(data, args.frames, (480, 360), quality=90)
            else:
                data = data.with_suffix(".npz")
                features(data, args.frames, SHARED / "models" / MODELS[name][0])
            ways = [way for way in commands(args.edgeprobe, name, data, args.frames, args.polygraphy) if way[0] == "loop" or args.way in way[0]]
            runs = {way: [] for way, _ in ways}
            for _ in range(args.rounds):
                for way, command in ways:
                    runs[way].append(measured(command))
            for way, command in ways:
                cpu, wall = (statistics.median(run[i] for run in runs[way]) for i in (0, 1))
                ratios = [run[0] / loop[0] for run, loop in zip(runs[way], runs["loop"])]
                loop_wall = statistics.median(run[1] for run in runs["loop"])
                verdict = ""
                if way not in ("loop", "polygraphy"):
                    said = json.loads(runs[way][-1][3])
                    verdict = said["verdict"] + ": " + ("+".join(c["kind"] for c in said["causes"] if c["status"] == "confirmed") or "no cause")
                print(f"{name:21} {way:18} {cpu:7.2f} {statistics.median(ratios):7.2f} {min(ratios):5.2f}..{max(ratios):4.2f} {wall:7.2f}"
                      f" {wall / loop_wall:7.2f} {measured(command, memory=True)[2]:5.0f}  {verdict}", flush=True)


if __name__ == "__main__":
    main()
