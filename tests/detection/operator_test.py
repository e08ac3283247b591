# SPDX-License-Identifier: Apache-2.0
"""Boxes of the library against TensorFlow Lite's own operator and against NumPy that is written apart.

    operator_test.py DETECTION_TOOL
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))
SSD = SHARED / "models/tflite_support/coco_ssd_mobilenet_v1_1.0_quant_2018_06_29.tflite"
PICTURES = ["cat.bmp", "bird.bmp", "grace_hopper.bmp", "squat.bmp", "owl.jpg", "pets.jpg"]


class Tool:
    def __init__(self, folder):
        self.folder, self.number = pathlib.Path(folder), 0
        self.process = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def path(self, values=None):
        self.number += 1
        path = self.folder / f"{self.number}.bin"
        if values is not None:
            np.ascontiguousarray(values, np.float64).tofile(path)
        return path

    def ask(self, *words, columns):
        out = self.path()
        self.process.stdin.write(" ".join(map(str, words)) + f" {out}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ok\n"
        return np.fromfile(out).reshape(-1, columns)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def greedy(boxes, classes, scores, limit, same_class):
    """Textbook suppression, float64, on a matrix of all overlaps."""
    x1, y1, x2, y2 = boxes.T
    area = (x2 - x1) * (y2 - y1)
    w = np.minimum(x2[:, None], x2) - np.maximum(x1[:, None], x1)
    h = np.minimum(y2[:, None], y2) - np.maximum(y1[:, None], y1)
    common = np.where((w > 0) & (h > 0), w * h, 0)
    matrix = common / (area[:, None] + area - common)
    alive, kept = np.ones(len(boxes), bool), []
    for i in np.argsort(-scores, kind="stable"):
        if not alive[i]:
            continue
        kept.append(i)
        alive &= ~((matrix[i] > limit) & ((classes == classes[i]) | (not same_class)))
    return kept


class OperatorTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.tool = Tool(self.temporary.name)

    def tearDown(self):
        self.tool.close()
        self.temporary.cleanup()

    def interpreter(self):
        if not SSD.exists():
            self.skipTest(f"no {SSD}")
        from ai_edge_litert.interpreter import Interpreter

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            interpreter = Interpreter(str(SSD), experimental_preserve_all_tensors=True)
        interpreter.allocate_tensors()
        return interpreter

    def test_decoding_and_suppression_give_the_boxes_of_the_model_s_own_operator(self):
        interpreter = self.interpreter()
        places = {d["name"]: d for d in interpreter.get_tensor_details()}

        def real(name):
            scale, zero = places[name]["quantization"]
            return (interpreter.get_tensor(places[name]["index"]).astype(np.float64) - zero) * scale

        seen = 0
        for name in PICTURES:
            pixels = np.asarray(Image.open(SHARED / "images" / name).convert("RGB").resize((300, 300)))
            interpreter.set_tensor(interpreter.get_input_details()[0]["index"], pixels[None])
            interpreter.invoke()
            outputs = [interpreter.get_tensor(d["index"])[0] for d in interpreter.get_output_details()]
            anchors = real("anchors")[:, [1, 0, 3, 2]]
            boxes = self.tool.ask("decode ssd cycxhw 0.1 0.2 1", self.tool.path(real("Squeeze")), self.tool.path(anchors), columns=4)
            scores = real("convert_scores")[0][:, 1:]
            # The operator's usual suppression: each anchor's best class, rivals of all classes, limit 0.6.
            found = self.tool.ask("nms all union 0.6 10", self.tool.path(boxes), self.tool.path(scores.argmax(1)), self.tool.path(scores.max(1)), columns=6)
            count = int(outputs[3]) if np.ndim(outputs[3]) == 0 else int(outputs[3][0])
            self.assertEqual(count, 10)
            # Scores are 8-bit codes; which of equal ones goes first is not stated, and a tie at the end cuts either off.
            clear = outputs[2] > outputs[2][-1] + 1e-6
            clear &= np.array([np.sum(np.abs(outputs[2] - s) < 1e-6) == 1 for s in outputs[2]])
            np.testing.assert_allclose(found[:, 5], outputs[2], atol=1e-6)
            np.testing.assert_allclose(found[clear][:, [1, 0, 3, 2]], outputs[0][clear], atol=1e-5)
            np.testing.assert_array_equal(found[clear][:, 4], outputs[1][clear])
            seen += clear.sum()
        self.assertGreaterEqual(seen, 6)

    def test_ssd_anchors_are_those_of_the_model_to_its_eight_bits(self):
        interpreter = self.interpreter()
        place = next(d for d in interpreter.get_tensor_details() if d["name"] == "anchors")
        scale, zero = place["quantization"]
        own = (interpreter.get_tensor(place["index"]).astype(np.float64) - zero) * scale
        ours = self.tool.ask("anchors ssd 300 300", columns=4)
        np.testing.assert_allclose(ours[:, [1, 0, 3, 2]], np.clip(own, 0, None), atol=scale * 0.51)

    def test_face_anchors_follow_the_published_rule(self):
        steps, sizes, rows = [8, 16, 32, 64], [[10, 16, 24], [32, 48], [64, 96], [128, 192, 256]], []
        for step, sides in zip(steps, sizes):
            for y in range(int(np.ceil(240 / step))):
                for x in range(int(np.ceil(320 / step))):
                    rows += [[(x + 0.5) * step / 320, (y + 0.5) * step / 240, s / 320, s / 240] for s in sides]
        np.testing.assert_allclose(self.tool.ask("anchors ultraface 320 240", columns=4), np.clip(rows, 0, 1), atol=1e-12)

    def test_suppression_agrees_with_a_matrix_of_overlaps(self):
        random = np.random.default_rng(5)
        for trial in range(20):
            n = 200
            at, size = random.uniform(0, 100, (n, 2)), random.uniform(5, 40, (n, 2))
            boxes, classes, scores = np.hstack([at, at + size]), random.integers(0, 3, n), np.round(random.uniform(0, 1, n), 2)
            for word, same in (("class", True), ("all", False)):
                limit = random.uniform(0.2, 0.8)
                kept = greedy(boxes, classes, scores, limit, same)
                found = self.tool.ask(f"nms {word} union {limit} 1000", self.tool.path(boxes), self.tool.path(classes), self.tool.path(scores), columns=6)
                np.testing.assert_array_equal(found, np.hstack([boxes, classes[:, None], scores[:, None]])[kept], err_msg=f"trial {trial}")

    def test_offsets_are_pixels_from_the_anchor(self):
        random = np.random.default_rng(6)
        codes, anchors = random.normal(0, 20, (50, 4)), random.uniform(0, 1, (50, 4))
        centre, size = anchors[:, :2] + codes[:, :2] / 128, codes[:, 2:] / 128
        found = self.tool.ask("decode offset cxcywh 1 1 128", self.tool.path(codes), self.tool.path(anchors), columns=4)
        np.testing.assert_allclose(found, np.hstack([centre - size / 2, centre + size / 2]), atol=1e-12)


if __name__ == "__main__":
    sys.argv, arguments = sys.argv[:2], sys.argv[2:]
    unittest.main(argv=sys.argv[:1] + arguments, verbosity=2)
