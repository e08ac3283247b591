# SPDX-License-Identifier: Apache-2.0
"""Diagnoses targets made by OpenCV, Pillow and NumPy; edgeprobe knows only the reference recipe.

    fault_matrix_test.py TOOL DECODER synthetic|photographs [--full]

Photographs: some of the faults, drawn by the seed; all of them with --full."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
MATRIX = ROOT / "bench" / "fault_matrix"
sys.path.insert(0, str(MATRIX))
import score  # noqa: E402

SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))


def scene(seed, height, width):
    """Blobs, waves and edges without symmetry; each channel differs."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(float)
    a = np.stack([90 + 50 * y / height, 130 - 40 * x / width, 110 + 30 * (x + y) / (height + width)], 2)
    for _ in range(40):
        cy, cx, r = rng.random() * height, rng.random() * width, (0.01 + 0.2 * rng.random()) * height
        inside = (y - cy) ** 2 + ((x - cx) * (0.5 + rng.random())) ** 2 < r * r
        a[inside] += rng.uniform(-70, 70, 3)
    a += (12 * np.sin(0.7 * x + 0.3 * y))[:, :, None] + rng.normal(0, 6, a.shape)
    return a.clip(0, 255).astype(np.uint8)


def run(tool, folder, *arguments):
    subprocess.run([sys.executable, MATRIX / "make_cases.py", "--out", folder, *arguments], check=True)
    with open(folder / "answers.jsonl", "w") as out:
        subprocess.run([tool, folder / "cases.tsv"], stdout=out, check=True)
    return score.score(folder, folder / "answers.jsonl")


def other_decoders(tool, decoder, folder):
    """JPEGs that decoders may read differently: the status of each healthy target."""
    files, cases = [], []
    for k, (h, w) in enumerate([(300, 400), (250, 250)]):
        picture = Image.fromarray(scene(20 + k, h, w))
        files.append((folder / ("subsampled%d.jpg" % k), picture.convert("RGB")))
        files.append((folder / ("cmyk%d.jpg" % k), picture.convert("CMYK")))
    for path, picture in files:
        picture.save(path, quality=85, subsampling=2)
        ways = {"pillow": np.asarray(Image.open(path).convert("RGB")), "opencv": cv2.imread(str(path), cv2.IMREAD_COLOR)[:, :, ::-1]}
        if picture.mode == "RGB":
            for how in ("plain", "ifast", "both"):
                subprocess.run([decoder, path, folder / "other.ppm", how], check=True)
                ways[how] = np.asarray(Image.open(folder / "other.ppm"))
        for how, pixels in ways.items():
            for size in (64, 128, 224):
                tensor = cv2.resize(np.ascontiguousarray(pixels), (size, size), interpolation=cv2.INTER_LINEAR).astype(np.float32) / np.float32(255)
                target = folder / ("%s_%s_%d.bin" % (path.stem, how, size))
                tensor.tofile(target)
                spec = "float32:1x%dx%dx3" % (size, size)
                cases.append("\t".join([target.stem, "resize(%dx%d, bilinear, like=opencv) | scale(0..1)" % (size, size), spec, spec, "%s=%s" % (path, target)]))
    (folder / "decoders.tsv").write_text("\n".join(cases) + "\n")
    answers = subprocess.run([tool, folder / "decoders.tsv"], capture_output=True, check=True).stdout.decode()
    return {a["id"]: a["status"] for a in map(json.loads, answers.splitlines())}


def check(counts, share):
    total = sum(n for verdict, n in counts.items() if verdict not in ("invisible", "right kind, other name"))
    problems = [v for v in ("WRONG FOUND", "false alarm", "error", "undecided on healthy") if counts[v]]
    if counts["right"] < share * total:
        problems.append("only %d of %d right" % (counts["right"], total))
    return problems


def main():
    tool, decoder, which = sys.argv[1:4]
    share = ["--share", "1" if "--full" in sys.argv else "0.2"]
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if which == "synthetic":
            (folder / "images").mkdir()
            for k, (h, w) in enumerate([(300, 400), (420, 310), (256, 256)]):
                Image.fromarray(scene(k, h, w)).save(folder / "images" / ("scene%d.png" % k))
            problems += check(run(tool, folder / "cases", "--images", folder / "images", "--references", "r128,r96,r96i,rchw",
                                  "--seed", "4"), 0.99)
            faults = {name: status for name, status in other_decoders(tool, decoder, folder).items() if status != "equal"}
            problems += ["another decoder is called a fault: %s %s" % item for item in faults.items()]
        else:
            images = SHARED / "images"
            if not images.exists():
                print("skipped: no photographs (EDGEPROBE_SHARED_DATA)")
                sys.exit(77)
            problems += check(run(tool, folder / "cases", "--images", images, "--seed", "1", *share), 0.98)
            problems += check(run(tool, folder / "pairs", "--images", images, "--seed", "2", "--pairs", "12", *share,
                                  "--references", "r224,r128,r96", "--only", "healthy"), 0.0)
            # Another decoder: differences below its own noise may stay unnamed, but nothing may be named wrongly.
            problems += check(run(tool, folder / "ifast", "--images", images, "--seed", "3", "--decoder", decoder,
                                  "--decode", "ifast", "--references", "r224,r96i,r32", *share), 0.93)
            problems += check(run(tool, folder / "plain", "--images", images, "--seed", "3", "--decoder", decoder,
                                  "--decode", "plain", "--references", "r224,r32", *share), 0.95)
    print("\n".join(problems) or "ok")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
