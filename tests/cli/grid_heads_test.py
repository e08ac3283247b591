# SPDX-License-Identifier: Apache-2.0
"""Key points of boxes, rotated boxes, and heads that the graph does not decode: the recipe equals the authors' post-processing, and faults are named.

    grid_heads_test.py EDGEPROBE

The models are tiny and have the form of the public ones; the post-processing is grid_heads.py, NumPy that shares no code with the search."""
import json
import re
import zipfile

import numpy as np
import onnx
from PIL import Image

import grid_heads as heads
import tool
import traces
from tool import run, verdict_of

BEFORE = "letterbox(64x64, bilinear, fill=114) | color(rgb) | scale(0..1) | layout(nchw) || "
PLACED = " | boxes(xyxy, letterbox_centered)"
REST = " | best_class | threshold(0.9) | nms(0.4, per_class)"
BEHIND = {"pose": "outputs(boxes=0) | decode(yolo8) | keypoints(17, xys)" + REST.replace("0.9", "0.85"), "pose_end2end": "outputs(boxes=0) | detections(xyxy, row=box_score_class) | keypoints(17, xys) | threshold(0.85)",
          "obb": "outputs(boxes=0) | decode(yolo8) | angle | best_class | threshold(0.85) | nms(0.4, per_class, of=gaussians, by=all)", "yolo8_raw": "maps(boxes=[0, 1, 2]) | decode(yolo8_raw) | sigmoid" + REST,
          "yolo8_pose_raw": "maps(boxes=[0, 1, 2]) | decode(yolo8_raw) | keypoints(5, xys) | sigmoid" + REST, "yolo8_six": "maps(boxes=[0, 1, 2], scores=[3, 4, 5]) | decode(yolo8_raw) | sigmoid" + REST,
          "nanodet": "maps(boxes=[3, 4, 5], scores=[0, 1, 2]) | decode(nanodet)" + REST, "nanodet_plus": "maps(boxes=[0]) | decode(nanodet_plus)" + REST,
          "picodet": "maps(boxes=[4, 5, 6, 7], scores=[0, 1, 2, 3]) | decode(picodet)" + REST, "scrfd": "maps(boxes=[3, 4, 5], scores=[0, 1, 2], points=[6, 7, 8]) | decode(scrfd) | keypoints(5, xy)" + REST,
          "yunet": "maps(boxes=[6, 7, 8], scores=[0, 1, 2], object=[3, 4, 5], points=[9, 10, 11]) | decode(yunet) | keypoints(5, xy)" + REST.replace("0.9", "0.75"),
          "centernet": "maps(boxes=[2, 1], scores=[0]) | decode(centernet) | sigmoid | threshold(0.93)"}
FAULTS = {"pose": [("points in model pixels", "leaves points in pixels of the model's input"), ("left for right", "exchanges left and right points"), ("y first", "y before x of points"), ("hidden", "shows points from a score of 0.5 on")],
          "pose_end2end": [("points in model pixels", "leaves points in pixels of the model's input")], "obb": [("no angle", "leaves out the angle"), ("other way", "turns boxes the other way"), ("upright", "as if they were upright")],
          "yolo8_raw": [("largest bin", "the most likely distance"), ("corner", "at the corner of each cell, not at the centre")], "nanodet_plus": [("centre", "at the centre of each cell, not at the corner")],
          "scrfd": [("points without cells", "without those of their cells")], "yunet": [("no root", "without the root"), ("no objectness", "leaves out the objectness")], "centernet": [("no pooling", "keeps cells next to one with a better score")]}
SIZES = [(61, 37), (53, 44), (40, 71), (67, 29), (59, 47), (45, 58)]


class GridHeadsTest(tool.ToolTest):
    def recorded(self, head):
        """A run of the head's model with its recipe."""
        data, model, trace = self.folder / "pictures", heads.model(self.folder / f"{head}.onnx", head), self.folder / f"{head}.mcap"
        if not data.exists():
            data.mkdir()
            for k, (width, height) in enumerate(SIZES):
                coarse = np.random.default_rng(k).integers(0, 256, (9, 9, 3), dtype=np.uint8)
                Image.fromarray(coarse).resize((width, height), Image.BICUBIC).save(data / f"p{k}.png")
        if not trace.exists():
            out = run("run", model, "--recipe", BEFORE + BEHIND[head] + PLACED, "--data", data, "--trace", trace, "--level", "io", expect=0)
            self.assertNotIn("warning", out.err)
        return trace

    def outputs(self, head, trace):
        """The outputs of each frame, in the model's order and sizes."""
        arrays = traces.exported(trace)
        outputs = [(output.name, [side.dim_value for side in output.type.tensor_type.shape.dim]) for output in onnx.load(self.folder / f"{head}.onnx").graph.output]
        return [[arrays[f"model_output/{name}"][frame].reshape(shape) for name, shape in outputs] for frame in range(len(SIZES))]

    def diagnosed(self, head, trace, *faults, behind=None, expect=3):
        outputs = self.outputs(head, trace)

        def of(_, __, frame):
            boxes, scores, classes, points = heads.answer(head, outputs[frame], SIZES[frame], faults)
            more = {} if points is None else {"points": points.reshape(-1, 3)}
            return traces.answer(boxes=boxes, scores=scores, labels=[str(one) for one in classes], **more)

        app = traces.answered(trace, self.folder / "app.mcap", of)
        return verdict_of("diagnose", app, "--reference", self.folder / f"{head}.onnx", "--data", self.folder / "pictures", "--reference-recipe", BEFORE + (behind or BEHIND[head]) + PLACED, expect=expect)

    def test_each_head_gives_the_answers_of_its_authors(self):
        for head in BEHIND:
            with self.subTest(head=head):
                trace, found = self.recorded(head), 0
                outputs = self.outputs(head, trace)
                with zipfile.ZipFile(trace.with_suffix(".export.npz")) as archive:
                    for frame, size in enumerate(SIZES):
                        made = json.loads(archive.read(f"answer/answer/{frame:06}.json"))
                        boxes, scores, classes, points = heads.answer(head, outputs[frame], size)
                        np.testing.assert_allclose(np.reshape(made["boxes"], (-1, 4)), boxes.reshape(-1, 4), atol=3e-4)
                        np.testing.assert_allclose(made["scores"], scores, atol=1e-5)
                        self.assertEqual(made["classes"], classes.tolist())
                        self.assertEqual("points" in made, points is not None)
                        if points is not None:
                            own = np.reshape(made["points"], points.shape)
                            if head == "obb":  # Corners may begin anywhere.
                                own, points = (np.array(sorted(map(tuple, np.round(one, 3)))) for one in (own.reshape(-1, 3), points.reshape(-1, 3)))
                            np.testing.assert_allclose(own, points, atol=2e-3 if head == "obb" else 3e-4)
                        found += len(scores)
                self.assertGreater(found, 2 * len(SIZES))

    def test_faults_behind_heads_are_named(self):
        for head, planted in FAULTS.items():
            trace = self.recorded(head)
            with self.subTest(head=head, faults="none"):
                verdict = self.diagnosed(head, trace, expect=0)
                self.assertEqual((verdict["verdict"], verdict["answers"]["status"], verdict["causes"]), ("agrees", "agrees", []))
                self.assertEqual("points" in verdict["answers"]["judged"], head in heads.FACES or head in ("pose", "pose_end2end", "obb"))
            for fault, words in planted:
                with self.subTest(head=head, fault=fault):
                    verdict = self.diagnosed(head, trace, fault)
                    told = [cause["detail"] for cause in verdict["causes"] if cause["status"] == "confirmed"]
                    self.assertIn(words, " / ".join(told), verdict["causes"])

    def test_points_of_boxes_count_where_two_answers_are_compared(self):
        for head, change, least, most in (("pose", lambda points: points, 0.999, 1), ("pose", lambda points: points + [9, 0, 0], 0, 0.8), ("obb", lambda corners: corners[:, ::-1], 0.999, 1), ("obb", lambda corners: corners[:, [2, 3, 0, 1]], 0.999, 1),
                                          ("obb", lambda corners: corners * [0.5, 1, 1], 0, 0.8)):
            trace, outputs = self.recorded(head), None
            with self.subTest(head=head):
                outputs = self.outputs(head, trace)

                def of(changed):
                    def answered(_, __, frame):
                        boxes, scores, classes, points = heads.answer(head, outputs[frame], SIZES[frame])
                        return traces.answer(boxes=boxes, scores=scores, labels=[str(one) for one in classes], points=changed(points).reshape(-1, 3))
                    return answered

                one, other = (traces.answered(trace, self.folder / f"{name}.mcap", of(changed)) for name, changed in (("one", lambda points: points), ("other", change)))
                agreement = json.loads(run("compare", other, one, "--boxes", "xyxy", "--json", expect={0, 3, 4}).out)["answers"]["agreement"]
                self.assertTrue(least <= agreement <= most, agreement)

    def test_inspect_proposes_a_recipe_that_runs(self):
        self.recorded("scrfd")  # Makes the pictures.
        ultralytics = {"pose": {"task": "pose", "kpt_shape": "[17, 3]", "names": "{0: 'person'}"}, "pose_end2end": {"task": "pose", "kpt_shape": "[17, 3]", "names": "{0: 'person'}"}, "obb": {"task": "obb", "names": "{0: 'a', 1: 'b', 2: 'c'}"},
                       "yolo8_pose_raw": {"task": "pose", "names": "{0: 'face'}"}}
        for head, words in (("pose", "YOLOv8's head (4 + 1 class + 17 points)"), ("pose_end2end", "boxes that the model has suppressed, each with its score, class and 17 points"), ("obb", "YOLOv8's head (4 + 3 classes + 1), an angle"),
                            ("yolo8_raw", "YOLOv8's head without its decoding (3 classes)"), ("yolo8_pose_raw", "YOLOv8's head without its decoding (1 class, 5 points)"), ("yolo8_six", "YOLOv8's head without its decoding (3 classes)"),
                            ("picodet", "PicoDet's head (3 classes)"), ("nanodet", "NanoDet's head (3 classes)"), ("scrfd", "SCRFD's head (two boxes a cell, 5 points)"), ("yunet", "YuNet's head (5 points)"), ("centernet", "CenterNet's head (3 classes)")):
            with self.subTest(head=head):
                model, trace = heads.model(self.folder / f"{head}.onnx", head), self.folder / "proposed.mcap"
                if head in ultralytics:
                    made = onnx.load(model)
                    onnx.helper.set_model_props(made, {"author": "Ultralytics", **ultralytics[head]})
                    onnx.save(made, model)
                proposed = json.loads(run("inspect", model, "--json", expect=0).out)["proposed_recipe"]
                self.assertEqual(proposed["looks_like"], words)
                before = "" if head in ultralytics else "resize(64x64) | scale(0..1) | layout(nchw) "
                # The thresholds are the authors' defaults; the steps are those of the head.
                steps = re.sub(r" \| (sigmoid|best_class|threshold|nms|topk|boxes)(\([^)]*\))?", "", proposed["recipe"].split("|| ")[1])
                self.assertEqual(steps, re.sub(r" \| (sigmoid|best_class|threshold|nms|topk|boxes)(\([^)]*\))?", "", BEHIND[head]))
                out = run("run", model, "--recipe", before + proposed["recipe"], "--data", self.folder / "pictures", "--trace", trace, "--force", expect=0)
                self.assertNotIn("warning", out.err)

    def test_a_step_that_does_not_fit_is_refused_with_what_the_outputs_look_like(self):
        for head, behind, words in (("scrfd", "maps(boxes=[3, 4, 5], scores=[0, 1, 2]) | decode(yunet)", "the outputs look like SCRFD's head (two boxes a cell, 5 points): use maps(boxes=[3, 4, 5], scores=[0, 1, 2], points=[6, 7, 8]) | decode(scrfd)"),
                                    ("yunet", "maps(boxes=[6, 7, 8], scores=[3, 4]) | decode(yunet)", "scores names 2 outputs, expected 3, one a stride"),
                                    ("yolo8_six", "maps(boxes=[2, 1, 0], scores=[3, 4, 5]) | decode(yolo8_raw)", "cells of stride"),
                                    ("yolo8_raw", "maps(boxes=[0, 1, 2]) | decode(yolo8_raw) | keypoints(5, xys)", "over 79 numbers a box: 64 of its edges, 15 of its points"),
                                    ("pose", "outputs(boxes=0) | decode(yolo8) | keypoints(20, xys)", "a box has 56 numbers there, expected at least 65")):
            with self.subTest(head=head, behind=behind):
                verdict = self.diagnosed(head, self.recorded(head), behind=behind, expect={0, 3, 4})
                self.assertEqual(verdict["answers"]["status"], "not_judged")
                self.assertIn(words, verdict["answers"]["skipped"])


if __name__ == "__main__":
    tool.main()
