# SPDX-License-Identifier: Apache-2.0
"""Plants faults in the post-processing of segmentation and key-point models and counts which of them the search names.

    places.py SEARCH_PLACES [--pairs N] [--one] [--models deeplab scores selfie planes movenet landmarks] [--verbose]

DeepLab's class numbers (`deeplab`), its scores before they are resized (`scores`, 8 bits) and MoveNet on public pictures; and synthetic outputs of
our own generators: `selfie`, one score per cell, `planes`, six classes as the first axis after a letterbox, `landmarks`, 39 points in model pixels
after a letterbox. A case is without effect if every answer stays as it was to the tolerances of the search. `named`: first of the explanations;
`shared`: among those that fit as well; `part`: one of two faults, the other among equals; `WRONG`: an exact recipe that is another one.
"""
import argparse
import collections
import itertools
import os
import pathlib
import random
import subprocess
import tempfile
import warnings

import cv2
import numpy as np
from PIL import Image

import app

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))

# Fault -> accepted answers of the search.
TURNS = {"transposed": ["exchanges rows and columns of the mask"], "mirrored": ["mirrors the mask"], "upside down": ["mask upside down"], "turned by 90": ["counterclockwise"],
         "turned by 180": ["mask by 180"], "turned by 270": ["90 degrees clockwise"], "transposed and turned": ["rows and columns of the mask and turns"]}
NUMBERS = {"one too high": ["one too high"], "one too low": ["one too low"]}
MASK = {**TURNS, **NUMBERS, "top left": ["top left corner"], "corners": ["corner pixels fall"], "not resized": ["does not resize"], "sides exchanged": ["width for its height"],
        "size 257": ["to 257 x 257"]}
SCORES = {**MASK, "nearest scores": ["scores by the nearest"], "decided first": ["before it resizes"], "over rows": ["over rows"], "over columns": ["over columns"]}
MAPS = {"renamed": ["other class numbers"], "exchanged": ["exchanges classes 12 and 15", "numbers: 15 for 12", "numbers: 12 for 15"], "left out": ["leaves out class 15"]}
PLACES = {"mirrored": ["mirrors points"], "upside down": ["points upside down"], "turned by 180": ["by 180 degrees"], "x and y exchanged": ["reads x for y"], "y first": ["hands on y before"],
          "letterbox": ["bars right or below"], "model pixels": ["pixels of the model's input"], "shares": ["as shares"], "sides exchanged": ["x by the picture's height"],
          "shorter side": ["shorter side"], "size 300": ["by 300 x 300"], "reversed": ["reverse order"], "another order": ["another order"], "threshold higher": ["from a score of"],
          "no threshold": ["whatever their score"]}
KINDS = {
    "deeplab": {**MASK, **MAPS, "bilinear classes": ["class numbers bilinearly"], "bilinear classes, cut": ["cuts them down"]},
    "scores": {**SCORES, **MAPS, "channels first": ["classes last as if they were first"], "softmax": ["a softmax"], "codes": ["codes for values"], "sigmoid": ["a sigmoid"]},
    "selfie": {**MASK, "nearest scores": ["scores by the nearest"], "decided first": ["before it resizes"], "no sigmoid": ["without an activation"], "sigmoid twice": ["sigmoid to the scores twice"],
               "threshold 0.3": ["from a score of"], "inverted": ["exchanges classes 0 and 1"], "255 for 1": ["255 for 1"]},
    "planes": {**SCORES, "channels last": ["classes first as if they were last"], "bars kept": ["as if the picture had been stretched"], "bars below": ["bars off right or below"]},
    "movenet": {**PLACES, "left and right": ["names of left and right"], "centred letterbox": ["takes off bars"], "sigmoid": ["a sigmoid"], "cut": ["cuts points"]},
    "landmarks": {**PLACES, "stretched": ["as if it had been stretched"], "left and right": ["another order"], "no sigmoid": ["without an activation"], "sigmoid": ["sigmoid to the scores twice"],
                  "cut": ["cuts points"]},
}
# Faults that set the same parameter of a recipe cannot be a pair.
GROUPS = [set(TURNS), {"one too high", "one too low", *MAPS, "inverted", "255 for 1"}, {"top left", "corners", "not resized", "nearest scores", "decided first"},
          {"bilinear classes", "bilinear classes, cut", "not resized"}, {"not resized", "sides exchanged", "size 257", "bars kept", "bars below"}, {"over rows", "over columns", "channels first", "channels last"},
          {"no sigmoid", "sigmoid twice", "sigmoid", "softmax"}, {"mirrored", "upside down", "turned by 180", "x and y exchanged"}, {"reversed", "another order", "left and right"},
          {"letterbox", "model pixels", "shares", "sides exchanged", "shorter side", "size 300", "centred letterbox", "stretched"}, {"threshold higher", "no threshold"}]
RECIPES = {"deeplab": "ids | resize(picture, nearest)", "scores": "dequantize | resize(picture, bilinear) | argmax", "selfie": "sigmoid | resize(picture, bilinear) | mask(0.5)",
           "planes": "resize(picture, bilinear, frame=letterbox_centered) | argmax(axis=first)", "movenet": "keypoints(yxs) | threshold(0.3) | points(pixels)",
           "landmarks": "keypoints(xy_s_, model_pixels) | sigmoid | threshold(0.5) | points(letterbox_centered)"}
MODEL = {"deeplab": (513, 513), "scores": (513, 513), "selfie": (256, 256), "planes": (320, 320), "movenet": (192, 192), "landmarks": (256, 256)}
SIZES = [(640, 480), (375, 500), (500, 333), (360, 360), (300, 451)]


def real_outputs(kind):
    from ai_edge_litert.interpreter import Interpreter

    name = "movenet_single_pose_lightning_ptq" if kind == "movenet" else "deeplabv3_mnv2_dm05_pascal_quant"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net = Interpreter(str(SHARED / f"models/coral/{name}.tflite"), experimental_preserve_all_tensors=kind == "scores")
    net.allocate_tensors()
    detail = net.get_output_details()[0]
    if kind == "scores":  # The scores that the model file itself resizes, before ArgMax.
        detail = min((d for d in net.get_tensor_details() if len(d["shape"]) == 4 and d["shape"][3] == 21 and d["shape"][1] > 1 and d["dtype"] == np.uint8 and "weights" not in d["name"].lower()),
                     key=lambda d: d["shape"][1])
    images = [Image.open(SHARED / "images" / n).convert("RGB") for n in ("bird_segmentation.bmp", "squat.bmp", "grace_hopper.bmp", "cat.bmp", "pets.jpg")]
    if kind != "movenet":  # Two objects in one picture.
        tiles = [images[1].resize((320, 240)), images[3].resize((200, 260)), images[4].resize((300, 200))]
        images[3] = Image.new("RGB", (560, 420), (120, 130, 140))
        for tile, at in zip(tiles, ((0, 0), (340, 40), (30, 220))):
            images[3].paste(tile, at)
    frames = []
    for image in images:
        net.set_tensor(net.get_input_details()[0]["index"], np.asarray(image.resize(MODEL[kind], Image.BILINEAR))[None])
        net.invoke()
        frames.append(([net.get_tensor(detail["index"]).copy()], image.size))
    return frames, [detail["quantization"]] if kind == "scores" else [(0, 0)]


def smooth(dice, rows, columns, coarse):
    return cv2.resize(dice.normal(0, 3, (coarse, coarse)).astype(np.float32), (columns, rows), interpolation=cv2.INTER_CUBIC)


def synthetic_outputs(kind):
    frames = []
    for number, (width, height) in enumerate(SIZES):
        dice = np.random.default_rng(100 + number)
        if kind == "selfie":
            output = smooth(dice, 64, 64, 6)[None, :, :, None]
        elif kind == "planes":
            output = np.stack([smooth(dice, 80, 80, 7) for _ in range(6)])[None]
        else:
            ratio = min(256 / width, 256 / height)
            x, y = dice.uniform(0.02, 1.04, (2, 39))
            x, y = x * width * ratio + (256 - width * ratio) / 2, y * height * ratio + (256 - height * ratio) / 2
            output = np.stack([x, y, dice.normal(0, 20, 39), dice.normal(0.5, 2, 39), dice.normal(0, 2, 39)], 1).astype(np.float32).reshape(1, -1)
        frames.append(([output.astype(np.float32)], (width, height)))
    return frames, [(0, 0)]


class Bench:
    def __init__(self, tool, kind, folder):
        self.kind, self.folder, self.tool = kind, folder, tool
        self.is_mask = kind not in ("movenet", "landmarks")
        self.frames, self.quantisation = real_outputs(kind) if kind in ("deeplab", "scores", "movenet") else synthetic_outputs(kind)

    def answers(self, faults, frames, break_in=None):
        out = []
        for outputs, size in frames:
            outputs = [o.copy() for o in outputs]
            out.append(app.mask(self.kind, outputs, self.quantisation, size, MODEL[self.kind], faults) if self.is_mask else app.points(self.kind, outputs, size, MODEL[self.kind], faults))
        return [break_in(i, a) for i, a in enumerate(out)] if break_in else out

    def ask(self, answers, frames, further=()):
        arrays = {}
        for f, (outputs, size) in enumerate(further):
            arrays.update({f"x{f}_{k}": o for k, o in enumerate(outputs)})
            arrays[f"xp{f}"] = np.array(size, np.float32)
        for f, ((outputs, size), given) in enumerate(zip(frames, answers)):
            arrays.update({f"o{f}_{k}": o for k, o in enumerate(outputs)})
            arrays["mk"[not self.is_mask] + str(f)] = np.ascontiguousarray(given, np.int32 if self.is_mask else np.float32)
            arrays[f"p{f}"] = np.array(size, np.float32)
        if self.quantisation[0][0]:
            arrays["q0"] = np.array(self.quantisation[0], np.float32)
        path = self.folder / "case.npz"
        np.savez(path, **arrays)
        self.tool.stdin.write(f"{path} {MODEL[self.kind][0]} {MODEL[self.kind][1]} {RECIPES[self.kind]}\n")
        self.tool.stdin.flush()
        line = self.tool.stdout.readline().strip()
        if not line or line.startswith("error"):
            raise SystemExit(line or "the tool ended")
        line, _, decider = line.partition(" | > ")
        frame, _, words = decider.partition(" >")
        self.decider = (int(frame), words.strip()) if decider else None
        head, *explanations = line.split(" | ")
        status, proven, _, microseconds = head.split()
        return status, proven == "1", [[c.strip() for c in e.split(";")[:-1]] for e in explanations if ";" in e], int(microseconds) / 1e6, line

    def same(self, a, b):
        for one, other in zip(a, b):
            if one.shape != other.shape:
                return False
            if self.is_mask and np.mean(one != other) > 2e-3:
                return False
            if not self.is_mask:
                largest = max(1, np.nanmax(np.abs(other[:, :2]), initial=1))
                if not np.allclose(one, other, atol=0.02 * min(1, largest / 100), rtol=0, equal_nan=True) or not np.allclose(one[:, 2], other[:, 2], atol=2e-4, rtol=2e-4):
                    return False
        return True


def says(words, expected):
    return any(any(part in word for part in expected) for word in words)


def foreign_mask(number):
    """Faults that are in no list, each a function of frame number and mask."""
    dice = np.random.default_rng(number)
    kernel = np.ones((5, 5), np.uint8)
    shear = np.float32([[1, 0.05, 0], [0, 1, 0]])
    small = np.float32([[0.93, 0, 9], [0, 0.95, 4]])

    def as_bytes(change):
        return lambda f, m: change(np.clip(m, 0, 255).astype(np.uint8)).astype(np.int32)

    def largest(m):
        count, parts, stats, _ = cv2.connectedComponentsWithStats((m > 0).astype(np.uint8))
        keep = 1 + stats[1:, cv2.CC_STAT_AREA].argmax() if count > 1 else 0
        return np.where(parts == keep, m, 0)

    return [as_bytes(lambda m: cv2.erode(m, kernel)), as_bytes(lambda m: cv2.dilate(m, kernel)), as_bytes(lambda m: cv2.medianBlur(m, 15)), lambda f, m: np.roll(m, (5, -7), (0, 1)),
            lambda f, m: np.where(dice.random(m.shape) < 0.02, 1, m), as_bytes(lambda m: cv2.warpAffine(m, shear, m.shape[::-1], flags=cv2.INTER_NEAREST)),
            as_bytes(lambda m: cv2.warpAffine(m, small, m.shape[::-1], flags=cv2.INTER_NEAREST)), lambda f, m: largest(m) if f else np.roll(m, 11, 0),
            lambda f, m: np.where((np.indices(m.shape).sum(0) // 9) % 2 == 0, m, 0), lambda f, m: np.repeat(np.repeat(m[::16, ::16], 16, 0), 16, 1)[: m.shape[0], : m.shape[1]],
            lambda f, m: np.zeros_like(m), lambda f, m: np.where(np.arange(m.shape[1]) < m.shape[1] // 2, m, m[:, ::-1]),
            as_bytes(lambda m: cv2.morphologyEx(m, cv2.MORPH_OPEN, np.ones((13, 13), np.uint8))), lambda f, m: dice.integers(0, 4, m.shape)][number]


def foreign_points(number):
    dice = np.random.default_rng(number)

    def placed(change):
        def of(frame, points):
            out = points.copy()
            out[:, :2] = change(frame, points[:, :2])
            return out
        return of

    return [placed(lambda f, p: p + dice.normal(0, 2, p.shape)), placed(lambda f, p: p * [1.07, 0.93] + [3, 0]), placed(lambda f, p: p + [7, -4]), placed(lambda f, p: p @ np.array([[1, 0], [0.06, 1]])),
            lambda f, p: np.concatenate([p[:, :2], p[:, 2:] ** 1.7], 1), placed(lambda f, p: np.round(p / 16) * 16), lambda f, p: p[dice.permutation(len(p))],
            placed(lambda f, p: np.nanmean(p, 0) + 0.9 * (p - np.nanmean(p, 0))), lambda f, p: np.where(dice.random((len(p), 1)) < 0.4, [[np.nan, np.nan, 0.2]], p),
            placed(lambda f, p: np.roll(p, 1, 0) if f == 0 else p + 1.5), placed(lambda f, p: p ** 1.02), placed(lambda f, p: np.full_like(p, 50)), lambda f, p: p * [1, 1, 0.9],
            placed(lambda f, p: (p + np.roll(p, 1, 0)) / 2)][number]


def decided(bench, faults, frames, asked, counts):
    """Whether the frame that the tool names as decisive really decides, once the app has answered it."""
    if bench.decider is None or asked[0] != "exact":
        return
    kind, (frame, words) = "several" if len(asked[2]) > 1 else "one, likely", bench.decider
    counts[kind]["open"] += 1
    counts[kind]["with a property"] += bool(words)
    if frame < 0:
        return
    counts[kind]["with a frame at hand"] += 1
    more = frames + [bench.frames[1:][frame]]
    again = bench.ask(bench.answers(set(faults), more), more)
    counts[kind]["which decided, or ruled some out"] += len(again[2]) < len(asked[2]) or (again[1] and not asked[1])


def cases_of(bench, catalogue, options):
    cases = [("single", (f,), bench.frames) for f in catalogue]
    if options.one:
        cases += [("one frame", (f,), bench.frames[:1]) for f in catalogue]
    pairs = [p for p in itertools.combinations(catalogue, 2) if not any(set(p) <= g for g in GROUPS)]
    random.Random(7).shuffle(pairs)
    cases += [("pair", p, bench.frames) for p in pairs[: options.pairs]]
    healthy = [()] if bench.is_mask else [(), ("rounded",), ("scores rounded",), ("rounded", "scores rounded")]
    return cases + [("healthy", h, bench.frames) for h in healthy] + [("healthy", h, bench.frames[i : i + 1]) for h in healthy for i in range(len(bench.frames))]


def verdict_of(bench, catalogue, group, faults, frames, asked, answers):
    status, proven, explanations, _, _ = asked
    if group == "healthy":
        return "agrees" if status == "agrees" else "ALARM"
    if bench.same(answers, bench.answers(set(), frames)):
        return "no effect" if status == "agrees" else "ALARM"
    visible = [f for f in faults if not bench.same(answers, bench.answers(set(faults) - {f}, frames))]
    if status not in ("exact", "some_frames"):
        return "missed: agrees" if status == "agrees" else status
    matches = [len(e) == len(visible) and all(says(e, catalogue[f]) for f in visible) for e in explanations]
    expected = sum((catalogue[f] for f in visible), [])
    if matches[0] or any(matches):
        return ("named" if matches[0] else "shared") + (" (proven)" if proven else " (likely)")
    if all(says([c], expected) for c in explanations[0]):
        return "part"
    if 0 < len(explanations[0]) < len(visible):
        return "one change that does the same"
    return "WRONG, CONFIRMED" if proven else "wrong, not confirmed"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--pairs", type=int, default=0, help="random pairs for each model")
    parser.add_argument("--one", action="store_true", help="singles in one frame, too")
    parser.add_argument("--models", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if not SHARED.exists() and not set(options.models) <= {"selfie", "planes", "landmarks"}:
        print(f"skipped: no {SHARED}, where the real models are")
        raise SystemExit(77)
    tool = subprocess.Popen([options.tool], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    seconds, kinds, total = [], set(), collections.defaultdict(collections.Counter)
    deciders = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.models:
            bench, catalogue = Bench(tool, kind, pathlib.Path(folder)), KINDS[kind]
            counts = collections.defaultdict(collections.Counter)
            for group, faults, frames in cases_of(bench, catalogue, options):
                try:
                    answers = bench.answers(set(faults), frames)
                except (IndexError, ValueError):
                    continue  # These two faults exclude each other.
                asked = bench.ask(answers, frames, bench.frames[1:] if group == "one frame" else ())
                seconds.append(asked[3])
                verdict = verdict_of(bench, catalogue, group, faults, frames, asked, answers)
                if group == "single" and verdict != "no effect":
                    kinds.add((bench.is_mask, *faults))
                counts[group][verdict] += 1
                if bench.decider and options.verbose:
                    print(f"    would decide: {bench.decider}")
                decided(bench, faults, frames, asked, deciders[group])
                if options.verbose or not verdict.startswith(("agrees", "no effect", "named", "shared")):
                    print(f"  {kind}, {group}, {' + '.join(faults) or 'healthy'}: {verdict}: {asked[4][:300]}")
            for number in range(14):
                answers = bench.answers(set(), bench.frames, (foreign_mask if bench.is_mask else foreign_points)(number))
                if bench.same(answers, bench.answers(set(), bench.frames)):
                    continue
                status, proven, _, took, line = bench.ask(answers, bench.frames)
                seconds.append(took)
                verdict = "CONFIRMED" if proven else "exact, not confirmed" if status in ("exact", "some_frames") else status
                counts["of no list"][verdict] += 1
                if options.verbose or verdict in ("CONFIRMED", "exact, not confirmed", "agrees"):
                    print(f"  {kind}, of no list, {number}: {verdict}: {line[:300]}")
            for group, found in counts.items():
                total[group] += found
                print(f"{kind}, {group}: " + ", ".join(f"{n} {what}" for what, n in found.most_common()), flush=True)
    tool.stdin.close()
    for group, found in total.items():
        print(f"all, {group}: " + ", ".join(f"{n} {what}" for what, n in found.most_common()))
    for group, found in deciders.items():
        for kind, of_kind in found.items():
            print(f"explanations that are open, {group}, {kind}: " + ", ".join(f"{n} {what}" for what, n in of_kind.items()))
    print(f"{len(kinds)} kinds with an effect; CPU seconds a search: median {np.median(seconds):.3f}, largest {max(seconds):.3f}")
    bad = sum(found[what] for found in total.values() for what in ("ALARM", "CONFIRMED", "WRONG, CONFIRMED", "missed: agrees"))
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
