# SPDX-License-Identifier: Apache-2.0
"""Single faults in applications: the example apps (examples/classifier) with one wrong flag each, diagnosed from their own traces.

    apps.py BUILD [--apps cpp,java,python] [--models signs,shared,onnx] [--faults bgr,turn_1] [--frames 1,4] [--source folder|video] [--quick]
            [--out FILE] [--keep DIR]

Each app decodes, resizes and normalises in its own way: C++ by libjpeg, libpng and loops (TensorFlow Lite), Python by OpenCV and Pillow (LiteRT),
Java by ImageIO, Graphics2D and loops (ONNX Runtime). The script plants every fault of faults.tsv that one set of their flags makes, on the pictures
of a folder or on the frames of a lossless video of one size. BUILD/edgeprobe diagnoses the trace, which contains the pictures but no declaration,
with the reference. Grades are those of matrix.py. Exits 1 if a cause of the wrong kind is `confirmed`, if a healthy app has a confirmed cause, or if
less than 99 % (--quick: 95 %) of the visible faults come first. Needs a build with tests and the packages of script/setup --test.
"""
import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import cv2
import numpy as np
from PIL import Image

import deployments
import tally
from deployments import ROOT, SIGNS, Deployment
from driver import Failed, Tool
from make_cases import picture
from matrix import Single, faults_for
from pictures import IMAGENET, RANGES, App, fill_of

sys.path.append(str(ROOT / "tests" / "java"))
import maven  # noqa: E402

QUICK = {  # The faults that each app can have by one flag, in addition to the healthy app of each model.
    "cpp": "bgr,gray3,range_01,range_half,range_imagenet,kernel_pil_nearest,kernel_cv_linear,kernel_cv_area,kernel_np_lanczos3,fit_stretch,"
           "fit_letterbox114,turn_1,turn_4,layout_chw,quant_xor,quant_cast,gamma22",
    "java": "bgr,range_01,kernel_cv_linear,kernel_cv_area,fit_square875,turn_3,turn_4,layout_chw",
    "python": "bgr,range_01,range_imagenet,kernel_cv_nearest,kernel_cv_linear,kernel_cv_cubic,fit_stretch,turn_2,quant_zp0"}
FITS = {"stretch": ["--crop", "1"], "square": ["--fit", "square", "--crop", "1"], "crop875": [], "square875": ["--fit", "square"]}


def numbers(values):
    return ",".join("%.17g" % value for value in np.atleast_1d(values))


def flags_of(app, kernels):
    """The flags that give the behaviour of this App of pictures.py, or None if no flags do; `kernels` are the app's names of its kernels."""
    if app.kernel not in kernels or app.color not in ("rgb", "bgr", "gray") or app.camera != "none" or app.range not in RANGES or app.layout == "hcw":
        return None
    flags = ["--resize", kernels[app.kernel], "--channels", app.color, "--layout", {"hwc": "nhwc", "chw": "nchw"}[app.layout]]
    if app.fit.startswith("crop:"):
        flags += ["--crop", app.fit[5:]]
    elif app.fit.startswith("letterbox"):
        flags += ["--crop", "1", "--fit", "corner" if app.fit.endswith("_tl") else "letterbox", "--fill", str(fill_of(app.fit))]
    elif app.fit in FITS:
        flags += FITS[app.fit]
    else:
        return None
    if app.turn:
        flags += ["--mirror", "yes" if app.turn & 4 else "no", "--rotation", str(90 * (app.turn & 3))]
    if app.tone != "none":
        if app.tone not in ("g2.2", "g0.45"):
            return None
        flags += ["--gamma", {"g2.2": "2.2", "g0.45": str(1 / 2.2)}[app.tone]]
    mean, std = (np.asarray(side, float) for side in RANGES[app.range])
    if app.limited:
        mean, std = (mean - 16) * 255 / 219, std * 255 / 219
    flags += ["--mean=" + numbers(mean), "--std=" + numbers(std)]
    if app.quant not in ("float", "ok"):
        flags += ["--quantize", {"xor": "xor", "zp0": "no-zero", "cast": "cast"}[app.quant]]
    return flags


class Cpp:
    name = "cpp"
    kernels = {"pil_bilinear": "antialias", "pil_bicubic": "antialias-cubic", "pil_lanczos": "antialias-lanczos", "cv_area": "area",
               "cv_linear": "bilinear", "np_bicubic50": "cubic", "np_lanczos3": "lanczos", "pil_nearest": "nearest"}

    def __init__(self, build, folder):
        self.program = build / "examples/classifier/cpp/classifier"
        self.missing = next((str(p) for p in (self.program, maven.TFLITE) if not p.exists()), None)

    def run(self, model, source, flags):
        return run([self.program, model, source, "--engine", maven.TFLITE, *flags])


class Python:
    name = "python"
    kernels = {"pil_bilinear": "antialias", "pil_bicubic": "antialias-cubic", "pil_lanczos": "antialias-lanczos", "cv_area": "area",
               "cv_linear": "bilinear", "cv_cubic": "cubic", "cv_lanczos4": "lanczos", "cv_nearest": "nearest"}

    def __init__(self, build, folder):
        self.environment = dict(os.environ, EDGEPROBE_BUILD=str(build), PYTHONPATH=str(ROOT / "python"))
        done = subprocess.run([sys.executable, "-c", "import edgeprobe._native, ai_edge_litert, cv2"], env=self.environment, capture_output=True, text=True)
        self.missing = done.stderr.strip().splitlines()[-1] if done.returncode else None

    def run(self, model, source, flags):
        return run([sys.executable, ROOT / "examples/classifier/python/classifier.py", model, source, "--verbose", *flags], self.environment)


class Java:
    name = "java"
    kernels = {"pil_bilinear": "antialias", "pil_bicubic": "antialias-cubic", "pil_lanczos": "antialias-lanczos", "cv_area": "area",
               "cv_linear": "bilinear", "np_bicubic50": "cubic", "pil_nearest": "nearest"}

    def __init__(self, build, folder):
        self.build, self.classes = build, folder / "classes"
        self.missing = maven.missing(javacv=True) or (None if (maven.target(build) / "classes").exists() else "java_test has not built the module")
        if not self.missing:
            maven.javac(build, self.classes, *sorted((ROOT / "examples/classifier/java").glob("*.java")))

    def run(self, model, source, flags):
        done = maven.java(self.build, self.classes, "Classifier", model, source, *flags)
        return finished(done, "java Classifier")


def run(command, environment=None):
    return finished(subprocess.run([*map(str, command)], env=environment, capture_output=True, text=True, timeout=300), command[0])


def finished(done, what):
    if done.returncode != 0:
        raise Failed("exit code %d of %s: %s" % (done.returncode, what, done.stderr.strip()))
    return done.stdout


def of_app(app, names):
    """The deployments that an app runs: .tflite files in C++ and Python, .onnx files in Java."""
    if app.name != "java":
        return [d for d in deployments.chosen(",".join(n for n in names if n != "onnx"))] if set(names) - {"onnx"} or not names else []
    healthy = App(size=64, fit="crop875", kernel="pil_bilinear", range="m11", layout="chw")
    recipe = (SIGNS / "signs_nchw.recipe").read_text().strip()
    return [Deployment(name, SIGNS / (name + ".onnx"), healthy, SIGNS / (reference + ".onnx"), recipe, group)
            for name, reference, group in [("signs_float", "signs_float", "signs"), ("signs_int8", "signs_float", "signs"),
                                           ("inception_like", "inception_like", "shared")]  # Models of others run on photographs.
            if not names or set(names) & {name, group, "onnx"}]


class InApp(Single):
    """One fault in one app: the program's own flags, its own trace."""

    def __init__(self, app, deployment, row, other, files, source):
        super().__init__(deployment, row, other, files, by_python=True)
        self.app, self.flags, self.source = app, flags_of(other, app.kernels), source

    def record(self, tool, target, folder):
        source, trace = folder / "pictures", folder / "target.mcap"
        for old in [*source.glob("*"), trace]:
            old.unlink(missing_ok=True)
        source.mkdir(exist_ok=True)
        if self.source == "video":
            source = video_of(self.files, source / "video.mkv")
        else:
            for file in self.files:
                if file.suffix == ".bmp":  # Not every app can read this file.
                    Image.open(file).convert("RGB").save(source / (file.stem + ".png"))
                else:
                    (source / file.name).write_bytes(file.read_bytes())
        answers = self.app.run(self.deployment.model, source, ["--trace", trace, *self.flags]).splitlines()
        if len(answers) != len(self.files):
            raise Failed("%d answers on %d pictures" % (len(answers), len(self.files)))
        return trace, None

    def keep(self, folder, kept):
        super().keep(folder, kept / self.app.name)

    def answer(self, tool, target, folder):
        return {**super().answer(tool, target, folder), "maker": self.app.name, "flags": " ".join(self.flags)}


def video_of(files, path):
    pictures = [picture(file) for file in files]
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"FFV1"), 10, pictures[0].shape[1::-1])
    for shown in pictures:
        writer.write(np.ascontiguousarray(shown[..., ::-1]))
    writer.release()
    return path


def of_one_size(files, folder):
    """The pictures as PNG files of the first one's size."""
    folder.mkdir(exist_ok=True)
    size = picture(files[0]).shape[1::-1]
    for file in files:
        Image.fromarray(picture(file)).resize(size, Image.Resampling.LANCZOS).save(folder / (file.stem + ".png"))
    return [folder / (file.stem + ".png") for file in files]


def cases(args, app, folder):
    for index, deployment in enumerate(of_app(app, args.models)):
        if deployment.group == "shared" and not deployments.shared_is_here():
            print("left out, no EDGEPROBE_SHARED_DATA: %s in %s" % (deployment.name, app.name))
            continue
        # The apps round to whole levels.
        deployment = dataclasses.replace(deployment, app=dataclasses.replace(deployment.app, round="uint8"))
        wanted = args.faults or (set(QUICK[app.name].split(",")) | {"healthy"} if args.quick else set())
        for row, other in faults_for(deployment, wanted):
            if "round" in row["change"] or flags_of(other, app.kernels) is None:
                continue
            for turn, frames in enumerate(args.frames):
                if len(args.frames) > 1 and not args.all and row["change"] and (index + row["line"]) % len(args.frames) != turn:
                    continue
                if args.quick and row["change"] and row["change"].startswith("quant") != deployment.name.endswith("int8"):
                    continue  # 8-bit models only have the faults that are specific to them.
                square = row["change"].startswith("fit")  # For a square picture, stretching and letterboxing give the same tensor.
                files = [f for f in deployment.pictures() if not square or len(set(picture(f).shape[:2])) == 2]
                rng = random.Random("%s %s %s %d %d" % (app.name, deployment.name, row["id"], frames, args.seed))
                chosen = rng.sample(files, min(frames, len(files)))
                if args.source == "video":
                    chosen = of_one_size(chosen, folder / "frames")
                yield InApp(app, deployment, row, other, chosen, args.source)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--edgeprobe", help="the program that diagnoses, if not BUILD/edgeprobe")
    parser.add_argument("--apps", default="cpp,java,python")
    parser.add_argument("--models", default="", help="names or groups (signs, shared, onnx), comma separated")
    parser.add_argument("--faults", default="", help="ids of faults.tsv, comma separated")
    parser.add_argument("--frames", default="1,4", help="pictures a trace; each fault with one of these numbers, a healthy app with each")
    parser.add_argument("--all", action="store_true", help="each fault with each number of pictures")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--source", choices=("folder", "video"), default="folder")
    parser.add_argument("--quick", action="store_true", help="the project's own models, some faults, four pictures")
    parser.add_argument("--out", type=pathlib.Path, help="every case as JSON")
    parser.add_argument("--keep", type=pathlib.Path, help="keeps trace, pictures and command of each case that is not right")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args(arguments)
    args.models, args.faults = ([n for n in text.split(",") if n] for text in (args.models, args.faults))
    args.frames = [int(n) for n in args.frames.split(",")]
    if args.quick:
        args.models, args.frames = ["signs"], [4]
    args.build = args.build.resolve()
    tool, rows, began = Tool(args.edgeprobe or args.build / "edgeprobe"), [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="edgeprobe_apps_") as name:
        for kind in (kind for kind in (Cpp, Java, Python) if kind.name in args.apps.split(",")):
            folder = pathlib.Path(name) / kind.name
            folder.mkdir()
            app = kind(args.build, folder)
            if app.missing:
                print("left out, the app in %s: %s" % (app.name, app.missing))
                continue
            for case in cases(args, app, folder):
                rows.append(case.answer(tool, None, folder))
                grade = tally.grade(rows[-1])
                if args.verbose or grade in tally.BAD:
                    print(tally.line(rows[-1], grade), flush=True)
                if args.keep and grade in tally.BAD:
                    with contextlib.suppress(FileNotFoundError):
                        case.keep(folder, args.keep)
                if args.out and len(rows) % 50 == 0:
                    args.out.write_text(json.dumps(rows, indent=1))
    if not rows:
        return 77
    if args.out:
        args.out.write_text(json.dumps(rows, indent=1))
    return tally.report(rows, time.monotonic() - began, 0.95 if args.quick else 0.99)


if __name__ == "__main__":
    sys.exit(main())
