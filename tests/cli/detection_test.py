# SPDX-License-Identifier: Apache-2.0
"""Boxes that an app records in addition to a detector's outputs, with typical faults of post-processing.

The app is bench/boxes/app.py: NumPy in float32; it shares no code with the search."""
import shutil
import sys
import unittest

import numpy as np
from PIL import Image

import tool
import traces
from tool import ROOT, SHARED, run, verdict_of

sys.path.insert(0, str(ROOT / "bench" / "boxes"))
import app  # noqa: E402

LABELS = SHARED / "labels" / "coco_labels.txt"
MODELS = {"coco": SHARED / "models" / "tflite_support" / "coco_ssd_mobilenet_v1_1.0_quant_2018_06_29.tflite",
          "faces": SHARED / "models" / "ultraface" / "version-RFB-320_without_postprocessing.onnx"}
RECIPES = {"coco": "resize(300x300, bilinear) | scale(-1..1) | quantize(model)", "faces": "resize(240x320, bilinear) | scale(-0.9921875..1) | layout(nchw)"}
BEHIND = {"coco": f"detections(yxyx) | threshold(0.3) | labels({LABELS}) | boxes(xyxy, pixels)",
          "faces": "outputs(boxes=1, scores=0) | decode(ssd, ultraface, 0.1, 0.2) | skip(1) | threshold(0.5) | nms(0.3, per_class) | topk(100) | boxes(xyxy, pixels)"}
PICTURES = {"coco": ["bird.bmp", "grace_hopper.bmp", "hot_dog.jpg", "pets.jpg"], "faces": ["grace_hopper.bmp", "squat.bmp"]}


@unittest.skipUnless(SHARED.exists(), f"no {SHARED}: the detectors are not at hand")
class DetectionTest(tool.ToolTest):
    def recorded(self, kind):
        data = self.folder / kind
        data.mkdir()
        for name in PICTURES[kind]:
            shutil.copy(SHARED / "images" / name, data / name)
        self.sizes = []
        for name in sorted(PICTURES[kind]):
            with Image.open(data / name) as picture:
                self.sizes.append(picture.size)
        trace = self.folder / f"{kind}.mcap"
        run("run", MODELS[kind], "--recipe", RECIPES[kind], "--data", data, "--level", "io", "--trace", trace, expect=0)
        return trace

    def with_boxes(self, trace, kind, answer):
        """A copy of the trace in which the app answers `answer(outputs, size of the picture, frame)`: boxes, scores and labels."""
        return traces.answered(trace, self.folder / "app.mcap",
                               lambda _, outputs, frame: traces.answer(**dict(zip(("boxes", "scores", "labels"), answer(outputs, self.sizes[frame], frame)))))

    def answer(self, kind, faults, broken=None):
        names = LABELS.read_text().splitlines() if kind == "coco" else None

        def of(outputs, size, frame):
            if kind == "faces":
                outputs = [outputs[1], outputs[0]]
            boxes, scores, lines = app.answer(kind, outputs, [(0, 0)] * 4, size, set(faults), None, names)
            if broken:
                boxes = [broken(box, frame) for box in boxes]
            return boxes, scores, [names[i] if 0 <= i < len(names) else "?" for i in lines] if names else None

        return of

    def diagnosed(self, trace, kind, *more, expect=3):
        return verdict_of("diagnose", trace, "--reference", MODELS[kind], "--reference-recipe", RECIPES[kind] + " || " + BEHIND[kind], "--data", self.folder / kind, *more,
                          expect=expect)

    def named(self, trace, kind, faults, *words):
        verdict = self.diagnosed(self.with_boxes(trace, kind, self.answer(kind, faults)), kind)
        confirmed = [cause for cause in verdict["causes"] if cause["status"] == "confirmed"]
        self.assertEqual({(cause["kind"], cause["stage"]) for cause in confirmed}, {("postprocessing", "outputs")}, verdict["causes"])
        told = " / ".join(cause["detail"] for cause in confirmed)
        for word in words:
            self.assertIn(word, told)
        self.assertEqual((verdict["answers"]["status"], verdict["answers"]["frames"]), ("explained", len(self.sizes)))
        return verdict

    def test_faults_behind_a_model_that_suppresses_are_named(self):
        trace = self.recorded("coco")
        for faults, words in (("mirrored", "mirrors boxes left and right"), ("shares", "leaves boxes as shares (0..1)"), ("sides exchanged", "scales x by the picture's height"),
                              ("reported xywh", "reports boxes as xywh"), ("centred letterbox", "takes off bars around the picture"), ("label of the next", "the label of the next one"),
                              ("threshold 0.45", "the app keeps boxes from a score of"), ("turned", "turns boxes by 180 degrees")):
            with self.subTest(faults=faults):
                verdict = self.named(trace, "coco", [faults], words)
                self.assertEqual(verdict["answers"]["judged"], ["boxes", "labels", "scores"])

    def test_two_faults_at_once_are_named_both(self):
        self.named(self.recorded("coco"), "coco", ["mirrored", "per cent"], "mirrors boxes left and right", "reports scores in per cent")

    def test_faults_behind_anchors_are_named(self):
        trace = self.recorded("faces")
        for faults, words in (("variances exchanged", "variances 0.2 and 0.1"), ("sizes without exp", "without an exponential"), ("no nms", "without non-maximum suppression"),
                              ("columns first", "column by column"), ("background counted", "counts the background as a class")):
            with self.subTest(faults=faults):
                self.named(trace, "faces", [faults], words)

    def test_right_apps_agree(self):
        for kind in MODELS:
            trace = self.recorded(kind)
            for faults in ((), ("rounded",), ("scores rounded",)):
                with self.subTest(kind=kind, faults=faults):
                    verdict = self.diagnosed(self.with_boxes(trace, kind, self.answer(kind, faults)), kind, expect=0)
                    self.assertEqual((verdict["verdict"], verdict["answers"]["status"], verdict["causes"]), ("agrees", "agrees", []))

    def test_boxes_in_another_order_or_in_float16_are_the_same_boxes(self):
        trace = self.recorded("coco")
        right = self.answer("coco", ())

        def by_class(outputs, size, frame):
            together = sorted(zip(*right(outputs, size, frame)), key=lambda one: (one[2], -one[1]))
            return [list(part) for part in zip(*together)]

        def in_float16(outputs, size, frame):
            boxes, scores, labels = right(outputs, size, frame)
            return np.float32(np.float16(boxes)), np.float32(np.float16(scores)), [label.upper() for label in labels]

        def in_tenths(*a):
            boxes, scores, labels = right(*a)
            return np.round(boxes, 1), scores, labels

        for answer in (by_class, in_float16, in_tenths):
            verdict = self.diagnosed(self.with_boxes(trace, "coco", answer), "coco", expect=0)
            self.assertEqual((verdict["verdict"], verdict["answers"]["status"], verdict["causes"]), ("agrees", "agrees", []))
        # Different boxes differ in any order.
        verdict = self.diagnosed(self.with_boxes(trace, "coco", lambda *a: [part[1:] for part in by_class(*a)]), "coco")
        self.assertNotEqual(verdict["answers"]["status"], "agrees")
        # No recipe makes infinite numbers.
        verdict = self.diagnosed(self.with_boxes(trace, "coco", lambda *a: (right(*a)[0], [np.inf] * len(right(*a)[1]), right(*a)[2])), "coco")
        self.assertNotEqual(verdict["answers"]["status"], "agrees")

    def test_what_no_list_holds_is_never_confirmed(self):
        trace = self.recorded("coco")
        noise = np.random.default_rng(1)
        for broken in (lambda box, _: [v + noise.normal(0, 3) for v in box], lambda box, _: [box[0] * 1.07 + 3, box[1] * 0.93, box[2] * 1.07 + 3, box[3] * 0.93],
                       lambda box, frame: box if frame else [box[0] - 0.04 * box[1], box[1], box[2] - 0.04 * box[3], box[3]]):
            verdict = self.diagnosed(self.with_boxes(trace, "coco", self.answer("coco", (), broken)), "coco")
            self.assertNotIn("confirmed", [cause["status"] for cause in verdict["causes"]])
            self.assertIn(verdict["answers"]["status"], ("unknown", "partial"))

    def test_what_cannot_be_judged_is_said(self):
        trace = self.with_boxes(self.recorded("coco"), "coco", self.answer("coco", ()))
        bad = RECIPES["coco"] + " || detections(yxyx) | nms(0.5) | boxes(xyxy)"
        done = run("diagnose", trace, "--reference", MODELS["coco"], "--reference-recipe", bad, "--data", self.folder / "coco", expect={1, 2})
        self.assertIn("suppressed already", done.err)
        bad = RECIPES["coco"] + " || decode(ssd, ultraface, 0.1, 0.2) | boxes(xyxy)"
        verdict = verdict_of("diagnose", trace, "--reference", MODELS["coco"], "--reference-recipe", bad, "--data", self.folder / "coco", expect={0, 3, 4})
        self.assertEqual(verdict["answers"]["status"], "not_judged")
        self.assertIn("anchors", verdict["answers"]["skipped"])


if __name__ == "__main__":
    tool.main()
