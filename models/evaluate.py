#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures both models on the held-back pictures under every fault and writes the tables into README.md.

The models run in LiteRT's own Python interpreter, their ONNX forms in ONNX Runtime's, and Pillow and NumPy prepare the pictures, so the figures do
not depend on edgeprobe's code.
"""

import argparse
import csv
import pathlib

import numpy as np
from ai_edge_litert.interpreter import Interpreter

import faults
import preprocess as pre

HERE = pathlib.Path(__file__).resolve().parent
ONNX_MODELS = ("signs_float", "signs_int8", "inception_like")


def wilson(hits, total, z=1.959964):
    """95 % interval of a fraction."""
    share, spread = hits / total, z * z / total
    middle = (share + spread / 2) / (1 + spread)
    half = z * np.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return middle - half, middle + half


class Model:
    """One .tflite; `answers` takes float tensors, and quantises them if the model's input is int8."""

    def __init__(self, path):
        self.interpreter = Interpreter(model_path=str(path), num_threads=1)
        self.interpreter.allocate_tensors()
        self.input = self.interpreter.get_input_details()[0]
        self.output = self.interpreter.get_output_details()[0]
        self.is_int8 = self.input["dtype"] == np.int8

    def codes(self, tensor):
        scale, zero = self.input["quantization"]
        return np.clip(np.rint(tensor / np.float32(scale)) + zero, -128, 127).astype(np.int8)

    def scores(self, tensor):
        if self.is_int8 and tensor.dtype != np.int8:
            tensor = self.codes(tensor)
        self.interpreter.set_tensor(self.input["index"], np.ascontiguousarray(tensor)[None])
        self.interpreter.invoke()
        return self.interpreter.get_tensor(self.output["index"])[0]

    def answer(self, tensor):
        return int(self.scores(tensor).argmax())

    def hits(self, tensors, labels):
        return sum(self.answer(t) == y for t, y in zip(tensors, labels))


def load_test_set(folder):
    """[uint8 picture] and labels (n,), from labels.csv and test/."""
    with open(folder / "labels.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    pictures = [pre.decode(folder / "test" / row["file"]) for row in rows]
    return pictures, np.array([int(row["label"]) for row in rows])


def mean_color_hits(pictures, labels, per_class=150):
    """Logistic regression on the mean R, G, B of the preprocessed picture, trained on freshly drawn training pictures."""
    import train
    pixels, answers = train.training_set(per_class, 2)
    features = pixels.reshape(len(pixels), -1, 3).mean(1)
    center, spread = features.mean(0), features.std(0)
    x = np.c_[(features - center) / spread, np.ones(len(features))]
    target, weights = np.eye(answers.max() + 1)[answers], np.zeros((4, answers.max() + 1))
    for _ in range(4000):
        scores = x @ weights
        chance = np.exp(scores - scores.max(1, keepdims=True))
        chance /= chance.sum(1, keepdims=True)
        weights += 1.0 / len(x) * x.T @ (target - chance)
    test = np.stack([pre.reference_pixels(p) for p in pictures]).reshape(len(pictures), -1, 3).mean(1)
    return int(((np.c_[(test - center) / spread, np.ones(len(test))] @ weights).argmax(1) == labels).sum())


def _cell(hits, total):
    low, high = wilson(hits, total)
    return f"{100 * hits / total:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def measure(models, pictures, labels):
    """Markdown lines of the table."""
    total = len(labels)
    lines = ["| kind | what the app does | float: top-1 % (95 % interval) | points | int8: top-1 % (95 % interval) | points |", "|---|---|---|---|---|---|"]
    base = [m.hits([pre.reference(p) for p in pictures], labels) for m in models]
    lines.append(f"| none | the reference recipe | **{_cell(base[0], total)}** | | **{_cell(base[1], total)}** | |")
    for kind, what, apply in faults.FAULTS:
        tensors = [apply(p) for p in pictures]
        cells = []
        for model, healthy in zip(models, base):
            hits = model.hits(tensors, labels)
            cells.append(f"{_cell(hits, total)} | {100 * (hits - healthy) / total:+.1f}")
        lines.append(f"| {kind} | {what} | {cells[0]} | {cells[1]} |")
    pixels = [pre.reference_pixels(p) for p in pictures]
    for what, apply in faults.INPUT_CODE_FAULTS:
        hits = models[1].hits([apply(p, models[1].codes(pre.scale(p))) for p in pixels], labels)
        lines.append(f"| input_quantization | {what} | | | {_cell(hits, total)} | {100 * (hits - base[1]) / total:+.1f} |")
    hits = mean_color_hits(pictures, labels)
    return lines + ["", f"{total} held-back pictures. Logistic regression on only the mean colour of the preprocessed picture: {_cell(hits, total)} %."]


def measure_onnx(folder, tflite, pictures, labels):
    """Markdown lines of the table of the ONNX models, under the reference recipe with the channels first."""
    import onnxruntime
    total, tensors = len(labels), [pre.reference(p) for p in pictures]
    lines = ["| model | top-1 % (95 % interval) | largest difference of a probability from `signs_float.tflite` |", "|---|---|---|"]
    expected = [tflite.scores(t) for t in tensors]
    for name in ONNX_MODELS:
        session = onnxruntime.InferenceSession(folder / f"{name}.onnx", providers=["CPUExecutionProvider"])
        scores = [session.run(None, {"image": np.ascontiguousarray(t.transpose(2, 0, 1)[None])})[0][0] for t in tensors]
        hits = sum(int(s.argmax()) == y for s, y in zip(scores, labels))
        apart = max(float(np.abs(s - e).max()) for s, e in zip(scores, expected))
        lines.append(f"| `{name}.onnx` | {_cell(hits, total)} | {f'{apart:.1e}' if name.startswith('signs') else 'another network'} |")
    return lines


def write_between_markers(path, word, lines):
    text, begin, end = path.read_text(), f"<!-- {word}:begin -->", f"<!-- {word}:end -->"
    if begin not in text or end not in text:
        raise SystemExit(f"{path.name}: the markers {begin} and {end} are missing")
    head, rest = text.split(begin, 1)
    path.write_text(head + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=pathlib.Path, default=HERE, help="folder with the .tflite and .onnx models")
    parser.add_argument("--data", type=pathlib.Path, default=HERE / "data")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md")
    parser.add_argument("--onnx-only", action="store_true", help="measure only the ONNX models")
    options = parser.parse_args()
    pictures, labels = load_test_set(options.data)
    models = [Model(options.models / f"signs_{kind}.tflite") for kind in ("float", "int8")]
    tables = {} if options.onnx_only else {"accuracy": measure(models, pictures, labels)}
    tables["onnx"] = measure_onnx(options.models, models[0], pictures, labels)
    for word, lines in tables.items():
        print("\n".join(lines))
        if options.write:
            write_between_markers(HERE / "README.md", word, lines)


if __name__ == "__main__":
    main()
