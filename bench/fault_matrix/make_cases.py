# SPDX-License-Identifier: Apache-2.0
"""Writes targets with known pre-processing: one healthy or faulty tensor per case, made by pictures.py.

    make_cases.py --images DIR --out DIR [--per-fault 2] [--references r224,r96] [--frames 1] [--pairs 0] [--seed 1]

Writes OUT/cases.tsv for diagnose_input_tool and OUT/truth.tsv for score.py.
"""
import argparse
import csv
import dataclasses
import pathlib
import random
import subprocess

import numpy as np
from PIL import Image

from pictures import App, made

HERE = pathlib.Path(__file__).parent
# name -> (the app when healthy, the reference's recipe, input)
REFERENCES = {
    "r224": (App(), "resize(224x224, bilinear, like=pillow) | scale(-1..1)", "float32:1x224x224x3"),
    "r192": (App(size=192, fit="crop875", kernel="cv_linear", round="float"),
             "crop(center, 0.875) | resize(192x192, bilinear) | scale(-1..1)", "float32:1x192x192x3"),
    "r128": (App(size=128, kernel="cv_linear", quant="ok", dtype="uint8", range="m11"),
             "resize(128x128, bilinear, like=opencv) | scale(-1..1) | quantize(model)",
             "uint8:1x128x128x3:%.9g:128" % (1 / 127.5)),
    "r96": (App(size=96, fit="square", kernel="cv_area", range="01"),
            "crop(square) | resize(96x96, area, like=opencv) | scale(0..1)", "float32:1x96x96x3"),
    "r96i": (App(size=96, fit="square", kernel="cv_area", range="01", quant="ok", dtype="int8", scale=1 / 255, zero_point=-128),
             "crop(square) | resize(96x96, area, like=opencv) | scale(0..1) | quantize(model)",
             "int8:1x96x96x3:%.9g:-128" % (1 / 255)),
    "r32": (App(size=32, kernel="cv_area", round="float", range="u255"), "resize(32x32, area)", "float32:1x32x32x3"),
    "rchw": (App(size=160, kernel="pil_bilinear", range="imagenet", layout="chw"),
             "resize(160x160, bilinear, like=pillow) | normalize(mean=[123.675, 116.28, 103.53], std=[58.395, 57.12, 57.375]) | layout(nchw)",
             "float32:1x3x160x160"),
    "rbox": (App(size=160, fit="letterbox114", kernel="cv_linear", range="01"),
             "letterbox(160x160, bilinear, like=opencv, fill=114) | scale(0..1)", "float32:1x160x160x3"),
    "m28": (App(size=28, channels=1, kernel="cv_linear", range="01"),
            "resize(28x28, bilinear, like=opencv) | scale(0..1)", "float32:1x28x28x1"),
    "m32": (App(size=32, channels=1, kernel="cv_linear", round="float", range="01"),
            "resize(32x32, bilinear) | scale(0..1)", "float32:1x32x32x1"),
}
PHOTOS = ["bird.bmp", "cat.bmp", "grace_hopper.bmp", "hot_dog.jpg", "owl.jpg", "parrot.jpg", "pets.jpg",
          "sklearn_flower.jpg", "squat.bmp", "sunflower.bmp"]


def changed(app, change):
    """The app with one fault, or None if the fault is impossible there or changes nothing. A fault may be several changes
    that belong together ("kernel=cv_area,round=float")."""
    if not change:
        return app
    first, _, more = change.partition(",")
    other = _changed(app, first)
    return dataclasses.replace(other, **dict([more.split("=")])) if other and more else other


def _changed(app, change):
    key, value = change.split("=")
    if key == "range" and value == "limited":
        return dataclasses.replace(app, limited=True)
    if app.channels == 1 and (key in ("color", "camera") or (key, value) in (("range", "imagenet"), ("range", "caffe"), ("range", "imagenet_no255"))):
        return None
    if app.channels == 1 and key in ("layout", "fit", "decode"):
        return None
    if key == "quant" and (app.quant == "float" or (value == "zp0" and app.zero_point == 0)):
        return None
    if key == "kernel" and app.size == 28:
        return None
    if key == "range" and app.quant != "float" and value not in ("01", "half", "m11", "limited"):
        return None
    if key == "layout" and app.layout == "chw":
        value = {"chw": "hwc", "hcw": "hcw"}[value]
    if key == "round" and app.quant != "float":
        return None
    if key == "fit" and value.startswith("offset"):
        base = app.fit if app.fit in ("crop875", "square") else "crop875"
        value = value.replace("offset:", "offset:%s:" % base)
    if key == "turn":
        value = int(value)
    if str(getattr(app, key)) == str(value):
        return None
    if key == "kernel" and {app.kernel, value} <= {"cv_nearest_exact", "pil_nearest"}:
        return None
    return dataclasses.replace(app, **{key: value})


def picture(path):
    return np.asarray(Image.open(path).convert("L"))[:, :, None] if "mnist" in str(path) else np.asarray(Image.open(path).convert("RGB"))


def decoded(path, how, tool, folder):
    """The picture as another JPEG decoder makes it (how: default, ifast, plain, both)."""
    if how == "default" or path.suffix != ".jpg":
        return picture(path)
    out = folder / ("%s_%s.ppm" % (path.stem, how))
    if not out.exists():
        subprocess.run([tool, path, out, how], check=True)
    return np.asarray(Image.open(out).convert("RGB"))


def steps_apart(a, b, app):
    """RMS in steps of one gray level."""
    mean_std = {"u255": 1, "01": 255, "m11": 127.5, "imagenet": 57.6, "m11_128": 128}
    unit = mean_std[app.range] * (1 if app.quant == "float" else app.scale)
    return float(np.sqrt(np.mean((a.astype(np.float64) - b.astype(np.float64)) ** 2)) * unit)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--per-fault", type=int, default=1)
    parser.add_argument("--frames", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=0, help="pairs of different kinds a reference")
    parser.add_argument("--references", default=",".join(REFERENCES))
    parser.add_argument("--only", default="", help="ids of faults, comma separated")
    parser.add_argument("--decoder", default="", help="jpeg_decoder_tool, for cases with another decoder")
    parser.add_argument("--decode", default="", help="make every target from JPEGs decoded this way")
    parser.add_argument("--share", type=float, default=1, help="of the faults, drawn by the seed")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    faults = list(csv.DictReader(open(HERE / "faults.tsv"), delimiter="\t"))
    cases, truth = open(args.out / "cases.tsv", "w"), open(args.out / "truth.tsv", "w")
    print("id\tkinds\tnamed\tmoves\timages", file=truth)
    for name in args.references.split(","):
        app, recipe, spec = REFERENCES[name]
        folder = args.images / "mnist" if app.channels == 1 else args.images
        files = sorted(folder.glob("*.png")) if app.channels == 1 else [folder / f for f in PHOTOS]
        files = [f for f in files if f.exists()] or sorted([*folder.glob("*.png"), *folder.glob("*.jpg")])
        rng = random.Random("%s %d" % (name, args.seed))
        wanted = []
        for fault in faults:
            if args.only and fault["id"] not in args.only.split(","):
                continue
            if fault["change"].startswith("decode") and not args.decoder:
                continue
            other = changed(app, fault["change"])
            if other is not None and args.decode:
                other = dataclasses.replace(other, decode=args.decode)
            if other is None or (other == app and fault["change"]):
                continue
            wanted += [(fault["id"], [fault["kind"]], [fault["named"]], other)] * (args.per_fault if fault["change"] else 3 * args.per_fault)
        real = [f for f in faults if f["kind"] not in ("none", "unknown") and not f["change"].startswith("decode")]
        while args.pairs and sum("+" in w[0] for w in wanted) < args.pairs:
            a, b = rng.sample(real, 2)
            first = changed(app, a["change"])
            other = first and changed(first, b["change"])
            if a["kind"] == b["kind"] or first in (None, app) or other in (None, first):
                continue
            wanted.append((a["id"] + "+" + b["id"], [a["kind"], b["kind"]], [a["named"], b["named"]], other))
        if args.share < 1:
            # Keeps all cases without a fault, and a sample of the others, drawn by the seed.
            wanted = [w for w in wanted if w[1] == ["none"] or rng.random() < args.share]
        for number, (fault, kinds, named, other) in enumerate(wanted):
            jpegs = [f for f in files if f.suffix == ".jpg"] if other.decode != "default" else files
            chosen = rng.sample(jpegs or files, min(len(jpegs or files), args.frames))
            case = "%s/%s/%d" % (name, fault, number)
            fields, moves = [], []
            for k, file in enumerate(chosen):
                raw = picture(file)
                seen = decoded(file, other.decode, args.decoder, args.out)
                tensor = made(seen, other)
                # Only the fault counts, not the additional difference of another decoder.
                healthy = made(seen if kinds != ["none"] else raw, app)
                path = args.out / ("%s_%d.bin" % (case.replace("/", "_").replace("+", "_"), k))
                tensor.tofile(path)
                fields.append("%s=%s" % (file, path))
                moves.append(steps_apart(tensor.reshape(healthy.shape), healthy, app))
            print("\t".join([case, recipe, spec, spec] + fields), file=cases)
            print("\t".join([case, "+".join(kinds), "|".join(named), "%.3f" % np.sqrt(np.mean(np.square(moves))),
                             ",".join(f.name for f in chosen)]), file=truth)


if __name__ == "__main__":
    main()
