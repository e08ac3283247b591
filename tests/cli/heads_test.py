# SPDX-License-Identifier: Apache-2.0
"""Heads of current detectors: the recipe gives the same result as their authors' post-processing, and faults after them are named.

    heads_test.py EDGEPROBE

The models are tiny and have the form of the public ones; the post-processing is heads.py, NumPy that shares no code with the search."""
import json
import re
import zipfile

import numpy as np
import onnx
from PIL import Image

import heads
import tool
import traces
from tool import run, verdict_of

BEFORE = "letterbox(32x32, bilinear, fill=114) | color(rgb) | scale(0..1) | layout(nchw) || "
SUPPRESSED = " | best_class | threshold(0.7) | nms(0.4, per_class)"
OF_PRODUCTS = SUPPRESSED.replace("0.7", "0.35")
PLACED = " | boxes(xyxy, letterbox_centered)"
BEHIND = {"yolo8": "outputs(boxes=0) | decode(yolo8)" + SUPPRESSED, "yolo8_rows": "outputs(boxes=0) | decode(yolo8, boxes=rows)" + SUPPRESSED,
          "yolo8_shares": "outputs(boxes=0) | decode(yolo8, unit=shares)" + SUPPRESSED, "yolo8_masks": "outputs(boxes=0) | decode(yolo8, extra=32)" + SUPPRESSED,
          "yolo5": "outputs(boxes=0) | decode(yolo5)" + OF_PRODUCTS, "yolo5_logits": "outputs(boxes=0) | decode(yolo5) | sigmoid" + OF_PRODUCTS,
          "yolox": "outputs(boxes=0) | decode(yolox)" + OF_PRODUCTS, "nas": "outputs(boxes=0, scores=1) | decode(none, unit=model_pixels)" + SUPPRESSED,
          "ssd": "decode(ssd, ANCHORS, 0.1, 0.2)" + SUPPRESSED, "yolo26": "detections(xyxy, row=box_score_class) | threshold(0.7)", "yolo7_end2end": "detections(xyxy, row=batch_box_class_score) | threshold(0.7)",
          "paddle": "detections(xyxy, row=class_score_box) | threshold(0.7)", "detr": "decode(none, order=cxcywh) | softmax | skip(1, last) | best_class | threshold(0.3)",
          "rfdetr": "decode(none, order=cxcywh) | sigmoid | threshold(0.7) | topk(12)"}
NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight"]  # The last class is not in the table.
SIZES = [(61, 37), (53, 44), (40, 71), (67, 29), (59, 47), (45, 58), (33, 64), (72, 50)]


class HeadsTest(tool.ToolTest):
    def recorded(self, head):
        """A run of the head's model with its recipe."""
        data, model = self.folder / "pictures", heads.model(self.folder / f"{head}.onnx", head)
        if not data.exists():
            data.mkdir()
            for k, (width, height) in enumerate(SIZES):
                coarse = np.random.default_rng(k).integers(0, 256, (6, 6, 3), dtype=np.uint8)
                Image.fromarray(coarse).resize((width, height), Image.BICUBIC).save(data / f"p{k}.png")
            np.save(self.folder / "anchors.npy", heads.anchors())
        trace = self.folder / f"{head}.mcap"
        if trace.exists():
            return trace
        out = run("run", model, "--recipe", self.recipe(head), "--data", data, "--trace", trace, "--level", "io", expect=0)
        self.assertNotIn("warning", out.err)
        return trace

    def recipe(self, head):
        return (BEFORE + BEHIND[head] + PLACED).replace("ANCHORS", str(self.folder / "anchors.npy"))

    def diagnosed(self, head, trace, *faults, behind=None, expect=3):
        names = self.folder / "names.txt"
        names.write_text("\n".join(NAMES[:-1]))

        def of(_, outputs, frame):
            boxes, scores, classes = heads.answer(head, outputs, SIZES[frame], faults)
            return traces.answer(boxes=boxes, scores=scores, labels=[NAMES[i] for i in classes])

        app = traces.answered(trace, self.folder / "app.mcap", of)
        return verdict_of("diagnose", app, "--reference", self.folder / f"{head}.onnx", "--data", self.folder / "pictures",
                          "--reference-recipe", f"{BEFORE}{behind or BEHIND[head]} | labels({names}){PLACED}", expect=expect)

    def test_each_head_gives_the_boxes_of_its_authors(self):
        for head in BEHIND:
            with self.subTest(head=head):
                trace, npz, found = self.recorded(head), self.folder / "out.npz", 0
                run("trace", "export", trace, "--npz", npz, "--force", expect=0)
                arrays = np.load(npz)
                outputs = [arrays[name] for name in ("model_output/boxes", "model_output/logits", "model_output/output0") if name in arrays.files]
                with zipfile.ZipFile(npz) as archive:
                    for frame, size in enumerate(SIZES):
                        made = json.loads(archive.read(f"answer/answer/{frame:06}.json"))
                        boxes, scores, classes = heads.answer(head, [output[frame] for output in outputs], size)
                        np.testing.assert_allclose(np.reshape(made["boxes"], (-1, 4)), boxes.reshape(-1, 4), atol=2e-4)
                        np.testing.assert_allclose(made["scores"], scores, atol=1e-6)
                        self.assertEqual(made["classes"], classes.tolist())
                        found += len(scores)
                self.assertGreater(found, 2 * len(SIZES))

    def test_anchors_are_loaded_wherever_answers_are_made(self):
        trace, model, recipe, again = self.recorded("ssd"), self.folder / "ssd.onnx", self.recipe("ssd"), self.folder / "again.mcap"
        run("replay", trace, model, "--recipe", recipe, "--trace", again, expect=0)
        answers = [run("trace", "cat", one, "--tensor", "answer/answer", expect=0).out.count("uint8 answer  class") for one in (trace, again)]
        self.assertEqual(answers, [len(SIZES)] * 2)
        verdict = verdict_of("check", model, "--reference", model, "--data", self.folder / "pictures", "--recipe", recipe, "--reference-recipe", recipe, expect=0)
        self.assertEqual((verdict["answers"]["status"], verdict["answers"]["frames"], verdict["warnings"]), ("agrees", len(SIZES), []))

    def test_faults_behind_heads_are_named(self):
        faults = {"yolo8": [("not transposed", "reads the output as rows, without transposing it"), ("over all", "suppresses boxes over all classes"), ("pixels for shares", "takes boxes in pixels of the model's input for shares of it"),
                            ("centres as corners", "as xyxy"), ("next label", "the label of the next one"), ("first class as objectness", "takes the score of the first class for an objectness"),
                            ("half the threshold", "keeps boxes from a score of"), ("no letterbox", "as if it had been stretched")],
                  "yolo5": [("no objectness", "leaves out the objectness"), ("objectness alone", "takes the objectness for the score"), ("objectness as class", "takes the objectness for the score of the first class")],
                  "yolo5_logits": [("no sigmoid", "takes scores as they are")], "yolox": [("no exponential", "without an exponential")], "yolo26": [("centres", "as cxcywh")],
                  "detr": [("no object counted", "counts \"no object\" as a class"), ("first for last", "skips the first class in place of the last one")]}
        for head, planted in faults.items():
            trace = self.recorded(head)
            with self.subTest(head=head, faults="none"):
                verdict = self.diagnosed(head, trace, expect=0)
                self.assertEqual((verdict["verdict"], verdict["answers"]["status"], verdict["causes"]), ("agrees", "agrees", []))
            for fault, words in planted:
                with self.subTest(head=head, fault=fault):
                    verdict = self.diagnosed(head, trace, fault)
                    told = [cause["detail"] for cause in verdict["causes"] if cause["status"] == "confirmed"]
                    self.assertIn(words, " / ".join(told), verdict["causes"])

    def test_inspect_proposes_a_recipe_that_runs(self):
        self.recorded("ssd")  # Makes the pictures.
        for head, words in (("yolo8_masks", "YOLOv8's head (4 + 8 classes + 32)"), ("yolo5", "YOLOX's head (5 + 8 classes)"), ("yolo26", "boxes that the model has suppressed, each with its score and class")):
            with self.subTest(head=head):
                model, trace = heads.model(self.folder / f"{head}.onnx", head), self.folder / "proposed.mcap"
                made = onnx.load(model)
                onnx.helper.set_model_props(made, {"author": "Ultralytics", "names": str(dict(enumerate(NAMES[:-1]))), "task": "detect"})
                onnx.save(made, model)
                proposed = json.loads(run("inspect", model, "--json", expect=0).out)["proposed_recipe"]
                self.assertEqual(proposed["looks_like"], words)
                self.assertTrue(proposed["recipe"].startswith("letterbox(32x32, bilinear, like=opencv, fill=114) | color(rgb) | scale(0..1) | layout(nchw) || outputs(boxes=0) | "))
                text = run("inspect", model, expect=0).out
                self.assertRegex(text, rf"  recipe +{re.escape(proposed['recipe'])}\n")
                out = run("run", model, "--recipe", proposed["recipe"], "--data", self.folder / "pictures", "--trace", trace, "--force", expect=0)
                self.assertNotIn("warning", out.err)
        self.assertIsNone(json.loads(run("inspect", self.folder / "ssd.onnx", "--json", expect=0).out)["proposed_recipe"])

    def test_a_step_of_another_head_is_refused_with_the_one_that_fits(self):
        for head, behind, words in (("yolo8", "decode(yolo5)", "output 'output0' is 1x12x21: it looks like YOLOv8's head (4 + 8 classes); use decode(yolo8)"),
                                    ("yolo5", "decode(yolo8)", "is 1x21x13: it looks like YOLOX's head (5 + 8 classes); use decode(yolox), or decode(yolo5) if"),
                                    ("yolo8_masks", "outputs(boxes=0) | decode(yolo8)", "(4 + 8 classes + 32); use decode(yolo8, extra=32)"),
                                    ("yolo8", "outputs(boxes=0, scores=0) | decode(none, order=cxcywh)", "use decode(yolo8)"),
                                    ("yolo26", "decode(none)", "expected")):
            with self.subTest(head=head, behind=behind):
                verdict = self.diagnosed(head, self.recorded(head), behind=behind, expect={0, 3, 4})
                self.assertEqual(verdict["answers"]["status"], "not_judged")
                self.assertIn(words, verdict["answers"]["skipped"])


if __name__ == "__main__":
    tool.main()
