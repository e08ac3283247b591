# SPDX-License-Identifier: Apache-2.0
"""Plants faults in the post-processing of three detectors and counts which of them the search names.

    boxes.py SEARCH_BOXES [--pairs N] [--one] [--models coco faces ssd] [--verbose]

Real models on public pictures and on mosaics of them. A case is without effect if every answer stays as it was to the tolerances
of the search. `named`: first of the explanations; `shared`: among those that fit as well; `wrong`: an exact recipe that is
another one of as many changes, proven or not; `one change that does the same`: of fewer (two exchanged sides and x and y are boxes
reported as yxyx, in every frame that there can be).
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

import numpy as np
from PIL import Image

import app

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))
LABELS = SHARED / "labels/coco_labels.txt"

# Fault -> accepted answers of the search.
PLACES = {"mirrored": ["mirrors boxes left and right"], "upside down": ["turns boxes upside down"], "turned": ["by 180 degrees"],
          "mirrored corners": ["without exchanging their corners"], "letterbox": ["bars right or below"], "centred letterbox": ["takes off bars"],
          "model pixels": ["pixels of the model's input"], "shares": ["as shares"], "sides exchanged": ["x by the picture's height"],
          "size 416": ["by 416 x 416"], "reported xywh": ["reports boxes as xywh"], "reported yxyx": ["reports boxes as yxyx", "exchanges x and y"],
          "reported cxcywh": ["reports boxes as cxcywh"], "per cent": ["per cent"], "cut": ["cuts boxes at"]}
LABEL = {"label of the next": ["label of the next"], "label of the one before": ["label of the one before"], "alphabetical": ["alphabetically"]}
RAW = {"codes for boxes": ["without decoding"], "no variances": ["without variances"], "variances exchanged": ["variances 0.2 and 0.1"],
       "sizes without exp": ["without an exponential"], "centre for corner": ["centre of a box for its corner"], "anchors reversed": ["reverse order"],
       "x and y of codes": ["reads the numbers of a box output as", "exchanges x and y"], "no nms": ["without non-maximum"],
       "smaller area": ["overlap with the smaller"], "one pixel wider": ["one pixel wider"], "limit 0.2": ["overlap of 0.2"], "limit 0.8": ["overlap of 0.8"],
       "not sorted": ["before it sorts"], "background counted": ["counts the background"], "one class too many": ["one class too many"],
       "over all classes": ["over all classes"], "best class": ["one class of a box"], "sigmoid too many": ["a sigmoid", "sigmoid to the scores twice"],
       "softmax too many": ["a softmax", "then a softmax"]}
KINDS = {
    "coco": {**PLACES, **LABEL, "read as xyxy": ["output as xyxy", "exchanges x and y"], "scores for classes": ["output of the scores"], "sigmoid too many": ["a sigmoid"],
             "threshold 0.45": ["from a score of 0.4", "from a score of 0.5"]},
    "ssd": {**PLACES, **LABEL, **RAW, "no sigmoid": ["without an activation"], "softmax": ["a softmax"], "threshold 0.45": ["from a score of 0.4", "from a score of 0.5"],
            "at most 3": ["at most 3"], "codes for values": ["codes for values"], "no zero point": ["without their zero point"],
            "sign confused": ["signed codes for unsigned"]},
    "faces": {**PLACES, **RAW, "columns first": ["column by column"], "corner of the cell": ["corner of each cell"], "threshold 0.9": ["from a score of"], "at most 1": ["at most 1 box"]},
}
# Faults that set the same parameter of a recipe cannot be a pair.
GROUPS = [{"letterbox", "centred letterbox", "model pixels", "shares", "sides exchanged", "size 416"}, {"mirrored", "upside down", "turned", "mirrored corners"},
          {"reported xywh", "reported yxyx", "reported cxcywh"}, {"label of the next", "label of the one before"}, {"codes for boxes", "sizes without exp"},
          {"no variances", "variances exchanged"}, {"anchors reversed", "columns first", "corner of the cell"}, {"no nms", "smaller area", "one pixel wider", "over all classes"},
          {"limit 0.2", "limit 0.8"}, {"background counted", "one class too many"}, {"sigmoid too many", "softmax too many", "no sigmoid", "softmax"},
          {"codes for values", "no zero point", "sign confused"}]
HEALTHY = [(), ("rounded",), ("scores rounded",), ("rounded", "scores rounded")]


def recipe(kind, folder):
    return {"coco": f"detections(yxyx) | threshold(0.3) | labels({LABELS}) | boxes(xyxy, pixels)",
            "ssd": f"dequantize | decode(ssd, {folder}/anchors.npy, 0.1, 0.2, order=cycxhw) | sigmoid | skip(1) | threshold(0.25) | nms(0.5, per_class) | topk(20) | labels({LABELS}) | boxes(xyxy, pixels)",
            "faces": "decode(ssd, ultraface, 0.1, 0.2) | skip(1) | threshold(0.5) | nms(0.3, per_class) | topk(100) | boxes(xyxy, pixels)"}[kind]


def pictures(kind):
    images = {p.name: Image.open(p).convert("RGB") for p in sorted((SHARED / "images").glob("*.*"))}
    if kind != "faces":
        return [images[n] for n in ("grace_hopper.bmp", "pets.jpg", "hot_dog.jpg", "bird.bmp", "parrot.jpg", "squat.bmp")]
    out, dice = [images["grace_hopper.bmp"], images["squat.bmp"]], random.Random(4)
    for size in ((640, 480), (480, 640), (800, 400), (500, 500)):
        canvas = Image.new("RGB", size, (96, 110, 120))
        for name in ("grace_hopper.bmp", "squat.bmp", "grace_hopper.bmp"):
            tile = images[name].copy()
            tile.thumbnail((size[0] * dice.uniform(0.3, 0.6), size[1] * dice.uniform(0.4, 0.8)))
            canvas.paste(tile, (dice.randrange(0, size[0] - tile.width), dice.randrange(0, size[1] - tile.height)))
        out.append(canvas)
    return out


def recorded(kind, folder):
    """[(outputs, size of the picture)], quantisation of the outputs, anchors."""
    from ai_edge_litert.interpreter import Interpreter

    path = SHARED / "models" / ("ultraface/version-RFB-320_without_postprocessing.tflite" if kind == "faces" else "tflite_support/coco_ssd_mobilenet_v1_1.0_quant_2018_06_29.tflite")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net = Interpreter(str(path), experimental_preserve_all_tensors=kind == "ssd")
    if kind == "faces":
        net.resize_tensor_input(net.get_input_details()[0]["index"], [1, 240, 320, 3])
    net.allocate_tensors()
    details, anchors, frames = net.get_output_details(), None, []
    if kind == "ssd":
        by_name = {d["name"]: d for d in net.get_tensor_details()}
        details = [by_name["Squeeze"], by_name["concat_1"]]
    for picture in pictures(kind):
        pixels = np.asarray(picture.resize(app.SIZES[kind], Image.BILINEAR))
        net.set_tensor(net.get_input_details()[0]["index"], ((pixels[None].astype(np.float32) - 127) / 128) if kind == "faces" else pixels[None])
        net.invoke()
        frames.append(([net.get_tensor(d["index"]).copy() for d in details], picture.size))
    if kind == "ssd":
        scale, zero = by_name["anchors"]["quantization"]
        anchors = ((net.get_tensor(by_name["anchors"]["index"]).astype(np.float32) - zero) * np.float32(scale))[:, [1, 0, 3, 2]]
        np.save(folder / "anchors.npy", np.ascontiguousarray(anchors))
    if kind == "faces" and frames[0][0][0].shape[-1] == 2:
        frames = [(outputs[::-1], size) for outputs, size in frames]
    return frames, [d["quantization"] if kind == "ssd" else (0, 0) for d in details], anchors


class Bench:
    def __init__(self, tool, kind, folder):
        self.kind, self.folder, self.tool = kind, folder, tool
        self.frames, self.quantisation, self.anchors = recorded(kind, folder)
        self.names = LABELS.read_text().splitlines() if kind != "faces" else None

    def answers(self, faults, frames, break_in=None):
        out = [app.answer(self.kind, o, self.quantisation, size, faults, self.anchors, self.names) for o, size in frames]
        return [break_in(i, a) for i, a in enumerate(out)] if break_in else out

    def ask(self, answers, frames):
        arrays = {}
        for f, ((outputs, size), (boxes, scores, lines)) in enumerate(zip(frames, answers)):
            arrays.update({f"o{f}_{k}": o for k, o in enumerate(outputs)})
            arrays.update({f"b{f}": np.array(boxes, np.float32).reshape(-1, 4), f"s{f}": np.array(scores, np.float32), f"p{f}": np.array(size, np.float32)})
            arrays["cn"[self.names is not None] + str(f)] = np.array(lines, np.float32)
        for k, (scale, zero) in enumerate(self.quantisation):
            if scale:
                arrays[f"q{k}"] = np.array([scale, zero], np.float32)
        path = self.folder / "case.npz"
        np.savez(path, **arrays)
        width, height = app.SIZES[self.kind]
        self.tool.stdin.write(f"{path} {width} {height} {recipe(self.kind, self.folder)}\n")
        self.tool.stdin.flush()
        line = self.tool.stdout.readline().strip()
        if line.startswith("error"):
            raise SystemExit(line)
        head, *explanations = line.split(" | ")
        status, proven, evaluations, microseconds = head.split()
        return status, proven == "1", [[c.strip() for c in e.split(";") if c.strip()] for e in explanations], int(evaluations), int(microseconds) / 1e6, line


def same(a, b):
    """Whether two answers agree within the rounding of floats; the same numbers in another order do not agree."""
    for (boxes, scores, lines), (others, more, rows) in zip(a, b):
        if len(boxes) != len(others) or lines != rows or not np.allclose(scores, more, atol=2e-4, rtol=2e-4):
            return False
        if boxes and not np.allclose(boxes, others, atol=0.02 * min(1, np.abs(others).max() / 100)):
            return False
    return True


def says(change_words, expected):
    return any(any(part in word for part in expected) for word in change_words)


def foreign(number):
    """Faults that are in no list, each a function of frame number and answer."""
    dice = np.random.default_rng(number)

    def broken(frame, answer):
        boxes, scores, lines = [list(b) for b in answer[0]], list(answer[1]), list(answer[2])
        kind = number % 9
        if kind == 0:
            boxes = [[v + dice.normal(0, 3) for v in b] for b in boxes]
        elif kind == 1:
            scores = [s ** 1.7 for s in scores]
        elif kind == 2:
            lines = [(7 * i + 3) % 80 for i in lines]
        elif kind == 3:
            boxes = boxes[1:] + boxes[:1]
        elif kind == 4:
            boxes = [[b[0] * 1.07 + 3, b[1] * 0.93, b[2] * 1.07 + 3, b[3] * 0.93] for b in boxes]
        elif kind == 5:
            keep = dice.permutation(len(boxes))[: max(1, len(boxes) // 2)]
            boxes, scores, lines = [boxes[i] for i in keep], [scores[i] for i in keep], [lines[i] for i in keep]
        elif kind == 6:
            boxes = [[b[0], b[1], b[0] + (b[2] - b[0]) * 1.1, b[1] + (b[3] - b[1]) * 1.1] for b in boxes]
        elif kind == 7:
            scores = [s * (1 - 0.1 * (i % 3)) for i, s in enumerate(scores)]
        else:
            boxes = [[b[0] - 0.04 * b[1], b[1], b[2] - 0.04 * b[3], b[3]] for b in boxes]
        return boxes, scores, lines

    return broken


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--pairs", type=int, default=0, help="random pairs for each model")
    parser.add_argument("--one", action="store_true", help="singles in one frame, too")
    parser.add_argument("--models", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if not SHARED.exists():
        print(f"skipped: no {SHARED}")
        raise SystemExit(77)
    tool = subprocess.Popen([options.tool], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    seconds, kinds, total = [], set(), collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        for kind, catalogue in KINDS.items():
            if kind not in options.models:
                continue
            bench = Bench(tool, kind, pathlib.Path(folder))
            cases = [("single", (f,), bench.frames) for f in catalogue]
            if options.one:
                cases += [("one frame", (f,), bench.frames[:1]) for f in catalogue]
            pairs = [p for p in itertools.combinations(catalogue, 2) if not any(set(p) <= g for g in GROUPS)]
            random.Random(7).shuffle(pairs)
            cases += [("pair", p, bench.frames) for p in pairs[: options.pairs]]
            cases += [("healthy", h, bench.frames) for h in HEALTHY] + [("healthy", h, bench.frames[i : i + 1]) for h in HEALTHY for i in range(len(bench.frames))]
            counts = collections.defaultdict(collections.Counter)
            for group, faults, frames in cases:
                try:
                    answers = bench.answers(set(faults), frames)
                except (IndexError, ValueError):
                    continue  # These two faults exclude each other.
                right = bench.answers(set(), frames)
                status, proven, explanations, _, took, line = bench.ask(answers, frames)
                seconds.append(took)
                if group == "healthy":
                    verdict = "agrees" if status == "agrees" else "ALARM"
                elif same(answers, right):
                    verdict = "no effect" if status == "agrees" else "ALARM"
                else:
                    kinds.add(faults) if group == "single" else None
                    visible = [f for f in faults if not same(answers, bench.answers(set(faults) - {f}, frames))]
                    matches = [len(e) == len(visible) and all(says(e, catalogue[f]) for f in visible) for e in explanations]
                    fewer = [all(says([c], sum((catalogue[f] for f in visible), [])) for c in e) for e in explanations]
                    exact = status in ("exact", "some_frames")
                    verdict = ("missed: agrees" if status == "agrees" else status if not exact else "named" if matches[0] else
                               "shared" if any(matches) else "part" if fewer[0] else
                               "one change that does the same" if 0 < len(explanations[0]) < len(visible) else "WRONG, CONFIRMED" if proven else "wrong, not confirmed")
                    if exact and verdict in ("named", "shared"):
                        verdict += " (proven)" if proven else " (likely)"
                counts[group][verdict] += 1
                if options.verbose or "ALARM" in verdict or "rong" in verdict.lower() or verdict in ("partial", "unknown", "missed: agrees"):
                    print(f"  {kind}, {group}, {' + '.join(faults) or 'healthy'}: {verdict}: {line[:260]}")
            for number in range(27):
                answers = bench.answers(set(), bench.frames, foreign(number))
                status, proven, explanations, _, took, line = bench.ask(answers, bench.frames)
                verdict = "CONFIRMED" if proven else status
                counts["foreign"][verdict] += 1
                seconds.append(took)
                if verdict in ("CONFIRMED", "exact", "some_frames"):
                    print(f"  {kind}, foreign {number % 9}: {verdict}: {line[:260]}")
            for group, counter in counts.items():
                total[group] += counter
                print(f"{kind:6} {group:10} {sum(counter.values()):4}: " + ", ".join(f"{v} {k}" for k, v in counter.most_common()))
    tool.stdin.close()
    tool.wait()
    for group in total:
        print(f"all    {group:10} {sum(total[group].values()):4}: " + ", ".join(f"{v} {k}" for k, v in total[group].most_common()))
    print(f"{len(kinds)} kinds with an effect; seconds a search: median {np.median(seconds):.4f}, largest {max(seconds):.3f}")

    bad = [k for counter in total.values() for k in counter if k in ("ALARM", "CONFIRMED", "WRONG, CONFIRMED")]
    visible = {k: v for k, v in total["single"].items() if k != "no effect"}
    named = sum(v for k, v in visible.items() if k.startswith(("named", "shared")))
    if bad or named < 0.97 * sum(visible.values()):
        raise SystemExit(f"{bad or 'singles'}: {named} of {sum(visible.values())} named")


if __name__ == "__main__":
    main()
