# SPDX-License-Identifier: Apache-2.0
"""compare, report and diagnose on recorded answers of apps. A Python app runs real models; the MCAP package and struct write its
answers; pycocotools and scikit-learn confirm the figures. Boxes in the photographs were marked by eye.

tasks_test.py EDGEPROBE"""
import contextlib
import csv
import io
import json
import sys
import unittest

import numpy as np
import tool
import traces
from ai_edge_litert.interpreter import Interpreter
from mcap.writer import CompressionType, Writer
from PIL import Image
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from sklearn.metrics import jaccard_score, roc_auc_score
from tool import ROOT, SHARED, ToolTest, run

sys.path.insert(0, str(ROOT / "bench" / "numbers"))
import recorded  # noqa: E402

# Class, then left, top, right, bottom as fractions of the picture.
MARKED = {"cat.bmp": [("cat", .10, .11, .70, 1)], "bird.bmp": [("bird", .07, .225, .94, .895)],
          "pets.jpg": [("dog", .21, .01, .505, .69), ("dog", .675, .385, .966, .85)], "parrot.jpg": [("bird", .20, .11, .905, .96)],
          "owl.jpg": [("bird", .315, .035, .646, .985)], "hot_dog.jpg": [("hot dog", .185, .215, .9375, .60)],
          "squat.bmp": [("person", .21, .222, .73, .986)], "grace_hopper.bmp": [("person", .03, .03, 1, 1)]}


def write_trace(path, answers, output=None):
    """A trace of frames with sample names; each frame has an output if a list of outputs is given."""
    with open(path, "wb") as out:
        writer = Writer(out, compression=CompressionType.NONE)
        writer.start(profile="edgeprobe", library="tasks_test.py")
        records = writer.register_channel("/frame", "json", 0, {})
        channel = writer.register_channel("/answer/answer", "x-tensor", 0, {"dtype": "uint8", "shape": "-1", "encoding": "answer"})
        if output is not None:
            tensors = writer.register_channel("/model_output/out", "x-tensor", 0, {"dtype": "float32", "shape": "1,4,3", "position": "0"})
        for frame, (sample, answer) in enumerate(answers.items()):
            add = {"log_time": frame, "publish_time": frame, "sequence": frame}
            writer.add_message(records, data=json.dumps({"sample": sample}).encode(), **add)
            if output is not None:
                writer.add_message(tensors, data=np.asarray(output[frame], "<f4").tobytes(), **add)
            if answer is not None:
                writer.add_message(channel, data=traces.answer(**answer), **add)
        writer.finish()


def scenes():
    """The photographs, mirrored, darker and in a corner of a larger canvas: names, pixels, and the position of each object."""
    for name, things in MARKED.items():
        picture = Image.open(SHARED / "images" / name).convert("RGB")
        stem, (width, height) = name.split(".")[0], picture.size
        boxes = [(label, x0 * width, y0 * height, x1 * width, y1 * height) for label, x0, y0, x1, y1 in things]
        yield f"{stem}.png", picture, boxes
        yield f"{stem}_mirrored.png", picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT), [(n, width - c, b, width - a, d) for n, a, b, c, d in boxes]
        yield f"{stem}_dark.png", picture.point(lambda v: v * 0.6), boxes
        canvas = Image.new("RGB", (int(width * 1.3), int(height * 1.3)), (120, 120, 120))
        canvas.paste(picture, (canvas.width - width, canvas.height - height))
        dx, dy = canvas.width - width, canvas.height - height
        yield f"{stem}_corner.png", canvas, [(n, a + dx, b + dy, c + dx, d + dy) for n, a, b, c, d in boxes]


def coco_of(all_scenes):
    names = sorted({label for _, _, boxes in all_scenes for label, *_ in boxes})
    truth = {"images": [], "annotations": [], "categories": [{"id": 10 + i, "name": n} for i, n in enumerate(names)]}
    for i, (name, picture, boxes) in enumerate(all_scenes):
        truth["images"].append({"id": i, "file_name": name, "width": picture.width, "height": picture.height})
        for label, x0, y0, x1, y1 in boxes:
            truth["annotations"].append({"id": len(truth["annotations"]) + 1, "image_id": i, "category_id": 10 + names.index(label),
                                         "bbox": [x0, y0, x1 - x0, y1 - y0], "area": (x1 - x0) * (y1 - y0), "iscrowd": 0})
    return truth


def coco_precision(truth, answers):
    """pycocotools' AP@.5:.95 and AP@.5 of boxes in pixels, left, top, right, bottom."""
    number = {c["name"]: c["id"] for c in truth["categories"]}
    image = {i["file_name"]: i["id"] for i in truth["images"]}
    found = [{"image_id": image[name], "category_id": number[label], "score": float(score), "bbox": [x0, y0, x1 - x0, y1 - y0]}
             for name, answer in answers.items()
             for label, score, (x0, y0, x1, y1) in zip(answer["labels"], answer["scores"], np.asarray(answer["boxes"], np.float32).astype(float).tolist())
             if label in number]
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = {"info": {}, **truth}
        coco.createIndex()
        judged = COCOeval(coco, coco.loadRes(found), "bbox")
        judged.evaluate()
        judged.accumulate()
        judged.summarize()
    return judged.stats[0], judged.stats[1]


class Detector:
    """An app with COCO SSD: it resizes and decodes the outputs with its own code."""

    def __init__(self, resize=Image.Resampling.BILINEAR):
        self.engine = Interpreter(str(SHARED / "models/tflite_support/coco_ssd_mobilenet_v1_1.0_quant_2018_06_29.tflite"), num_threads=1)
        self.engine.allocate_tensors()
        self.names = (SHARED / "labels/coco_labels.txt").read_text().splitlines()
        self.resize = resize

    def __call__(self, picture):
        self.engine.set_tensor(self.engine.get_input_details()[0]["index"], np.asarray(picture.resize((300, 300), self.resize))[None])
        self.engine.invoke()
        boxes, classes, scores, count = (self.engine.get_tensor(o["index"])[0] for o in self.engine.get_output_details())
        kept = [i for i in range(int(count)) if scores[i] > 0.3]
        scale = np.array([picture.width, picture.height] * 2)
        return {"labels": [self.names[int(classes[i])] for i in kept], "scores": scores[kept], "boxes": boxes[kept][:, [1, 0, 3, 2]] * scale}


@unittest.skipUnless((SHARED / "models").is_dir(), "needs the shared models and pictures")
class Detection(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.scenes = list(scenes())
        cls.truth = coco_of(cls.scenes)
        app = Detector()
        cls.answers = {name: app(picture) for name, picture, _ in cls.scenes}

    def setUp(self):
        super().setUp()
        self.labels = self.folder / "annotations.json"
        self.labels.write_text(json.dumps(self.truth))
        self.reference = self.folder / "reference.mcap"
        write_trace(self.reference, self.answers)

    def compare(self, answers, *options, expect):
        write_trace(self.folder / "target.mcap", answers)
        return json.loads(run("compare", self.reference, self.folder / "target.mcap", "--labels", self.labels, "--json", *options, expect=expect).out)

    def test_good_candidate(self):
        """Another resizing gives other boxes, but not worse ones. Uses one thread: on a busy machine, two spinning threads take minutes."""
        app = Detector(resize=Image.Resampling.BOX)
        other = {name: app(picture) for name, picture, _ in self.scenes}
        self.assertNotEqual([a["labels"] for a in self.answers.values()], [a["labels"] for a in other.values()])
        result = self.compare(other, expect=0)
        answers = result["answers"]
        self.assertEqual((answers["task"], answers["frames"], answers["differs"]), ("detection", len(self.scenes), False))
        for side, said in (("reference", self.answers), ("target", other)):
            precision, at_half = coco_precision(self.truth, said)
            self.assertAlmostEqual(answers["evaluation"][side]["value"], precision, delta=1e-9)
            self.assertAlmostEqual(answers["evaluation"][side]["further"]["ap50"], at_half, delta=1e-9)
        self.assertGreater(answers["evaluation"]["reference"]["further"]["ap50"], 0.5)  # a detector that works
        self.assertGreater(answers["evaluation"]["p_value"], 0.05)

    def test_bad_candidate(self):
        """x and y exchanged: the outputs do not show it, the answers do."""
        bad = {name: dict(a, boxes=np.asarray(a["boxes"])[:, [1, 0, 3, 2]]) for name, a in self.answers.items()}
        result = self.compare(bad, expect=3)
        self.assertIn("AP@.5:.95", result["headline"])
        evaluation = result["answers"]["evaluation"]
        self.assertAlmostEqual(evaluation["target"]["value"], coco_precision(self.truth, bad)[0], delta=1e-9)
        self.assertLess(evaluation["p_value"], 0.01)
        self.assertLess(evaluation["difference_ci95"][1], 0)
        self.assertEqual({row["name"] for row in evaluation["classes"]}, {"bird", "cat", "dog", "hot dog", "person"})
        text = run("compare", self.reference, self.folder / "target.mcap", "--labels", self.labels, expect=3).out
        self.assertIn("reference AP@.5:.95", text)
        self.assertRegex(text, r"class +boxes +reference +target")
        # The same numbers, with their order stated.
        flipped = json.loads(run("compare", self.folder / "target.mcap", self.folder / "target.mcap", "--labels", self.labels, "--boxes", "yxyx,pixels", "--json", expect=0).out)
        self.assertAlmostEqual(flipped["answers"]["evaluation"]["target"]["value"], coco_precision(self.truth, self.answers)[0], delta=1e-9)

    def test_without_annotations(self):
        """Labels off by one: there is no ground truth, and the answers differ."""
        names = (SHARED / "labels/coco_labels.txt").read_text().splitlines()
        shifted = {n: dict(a, labels=[names[(names.index(t) + 1) % len(names)] for t in a["labels"]]) for n, a in self.answers.items()}
        write_trace(self.folder / "target.mcap", shifted)
        result = json.loads(run("compare", self.reference, self.folder / "target.mcap", "--json", expect=3).out)
        self.assertEqual((result["answers"]["differs"], result["answers"]["evaluation"]), (True, None))
        self.assertEqual(run("compare", self.reference, self.reference, expect=0).out.split(":")[0], "agrees")

    def test_equal_outputs(self):
        """All outputs are equal but the app answers differently: a difference after the model."""
        outputs = np.random.default_rng(1).normal(size=(len(self.scenes), 1, 4, 3))
        bad = {name: dict(a, boxes=np.asarray(a["boxes"])[:, [1, 0, 3, 2]]) for name, a in self.answers.items()}
        for name, answers in (("reference", self.answers), ("target", bad), ("same", self.answers)):
            write_trace(self.folder / f"{name}.mcap", answers, outputs)
        result = json.loads(run("compare", self.reference, self.folder / "target.mcap", "--labels", self.labels, "--json", expect=3).out)
        self.assertTrue(result["exact"])
        result = json.loads(run("compare", self.reference, self.folder / "same.mcap", "--labels", self.labels, "--json", expect=0).out)
        self.assertTrue(result["headline"].startswith("exact"))

    def test_verdict(self):
        """diagnose, its gate, its text and its page state the task's metric."""
        outputs = np.random.default_rng(1).normal(size=(len(self.scenes), 1, 4, 3))
        bad = {name: dict(a, boxes=np.asarray(a["boxes"])[:, [1, 0, 3, 2]]) for name, a in self.answers.items()}
        data = self.folder / "pictures"
        data.mkdir()
        for name, picture, _ in self.scenes:
            picture.save(data / name, compress_level=1)
        for name, answers in (("reference", self.answers), ("target", bad)):
            write_trace(self.folder / f"{name}.mcap", answers, outputs)
        for gate in ("accuracy", "outputs"):
            arguments = ("diagnose", self.folder / "target.mcap", "--reference-trace", self.reference, "--data", data, "--labels", self.labels, "--gate", gate)
            verdict = json.loads(run(*arguments, "--json", expect=3).out)
            self.assertEqual((verdict["task"]["metric"], verdict["task"]["of_answers"]), ("average_precision", True))
            self.assertAlmostEqual(verdict["task"]["reference"], coco_precision(self.truth, self.answers)[0], delta=1e-9)
            self.assertAlmostEqual(verdict["task"]["target"], coco_precision(self.truth, bad)[0], delta=1e-9)
            self.assertEqual([c["status"] for c in verdict["causes"] if c["status"] == "confirmed"], [])
        page = self.folder / "page.html"
        text = run(*arguments, "--html", page, expect=3).out
        self.assertRegex(text, r"AP +target +0\.049")
        self.assertIn("check the post-processing", " ".join(text.split()))
        self.assertIn("hot dog", page.read_text())
        healthy = verdict = json.loads(run("diagnose", self.reference, "--reference-trace", self.reference, "--data", data, "--labels", self.labels, "--gate", "accuracy", "--json", expect=0).out)
        self.assertEqual(healthy["task"]["p_value"], 1)

    def test_report(self):
        """A table of traces contains each trace's figure."""
        bad = {name: dict(a, boxes=np.asarray(a["boxes"])[:, [1, 0, 3, 2]]) for name, a in self.answers.items()}
        write_trace(self.folder / "bad.mcap", bad)
        rows = json.loads(run("report", self.folder, "--labels", self.labels, "--json", expect=0).out)["rows"]
        values = {row["file"]: row["answers"]["target"]["value"] for row in rows}
        self.assertAlmostEqual(values["reference.mcap"], coco_precision(self.truth, self.answers)[0], delta=1e-9)
        self.assertAlmostEqual(values["bad.mcap"], coco_precision(self.truth, bad)[0], delta=1e-9)
        self.assertEqual(rows[0]["file"], "reference.mcap")

    def test_labels_that_fit_nothing(self):
        self.labels.write_text(json.dumps({**self.truth, "images": [dict(i, file_name="x" + i["file_name"]) for i in self.truth["images"]]}))
        done = run("compare", self.reference, self.reference, "--labels", self.labels, expect=2)
        self.assertIn("fits no frame", done.err)
        self.assertIn("--boxes", run("compare", self.reference, self.reference, "--boxes", "sideways", expect=2).err)


@unittest.skipUnless((SHARED / "models").is_dir(), "needs the shared models and pictures")
class Segmentation(ToolTest):
    def test_deeplab(self):
        """The bird's own mask; a candidate that uses the class list of another model."""
        engine = Interpreter(str(SHARED / "models/coral/deeplabv3_mnv2_dm05_pascal_quant.tflite"))
        engine.allocate_tensors()
        picture = Image.open(SHARED / "images/bird_segmentation.bmp").convert("RGB")
        mask = np.asarray(Image.open(SHARED / "images/bird_segmentation_mask.bmp"))
        truth = np.where((mask == 1) | (mask == 2), 255, mask).astype(np.uint8)  # pixels blurred by its resizing belong to neither
        size = engine.get_input_details()[0]["shape"][1:3]
        scenes = {f"{turn}-{dark}": (np.asarray(picture)[:, ::turn], truth[:, ::turn], dark) for turn in (1, -1) for dark in (1.0, 0.9, 0.8)}
        answers = {}
        for name, (pixels, there, dark) in scenes.items():
            dimmed = Image.fromarray((pixels * dark).astype(np.uint8)).resize((size[1], size[0]), Image.Resampling.BILINEAR)
            engine.set_tensor(engine.get_input_details()[0]["index"], np.asarray(dimmed)[None])
            engine.invoke()
            said = engine.get_tensor(engine.get_output_details()[0]["index"]).reshape(size).astype(np.uint8)
            answers[name] = {"mask": np.asarray(Image.fromarray(said).resize((there.shape[1], there.shape[0]), Image.Resampling.NEAREST))}
        rows = [["file", "mask"]]
        for name, (_, there, _) in scenes.items():
            Image.fromarray(np.ascontiguousarray(there)).save(self.folder / f"{name}.png")
            rows.append([name, f"{name}.png"])
        with open(self.folder / "masks.csv", "w", newline="") as file:
            csv.writer(file).writerows(rows)
        write_trace(self.folder / "good.mcap", answers)
        bad = {n: {"mask": np.where(a["mask"] > 0, a["mask"] + 1, 0)} for n, a in answers.items()}
        write_trace(self.folder / "bad.mcap", bad)
        result = json.loads(run("compare", self.folder / "good.mcap", self.folder / "bad.mcap", "--labels", self.folder / "masks.csv", "--json", expect=3).out)
        evaluation = result["answers"]["evaluation"]
        for side, said in (("reference", answers), ("target", bad)):
            all_true = np.concatenate([there.reshape(-1) for _, there, _ in scenes.values()])
            all_said = np.concatenate([said[n]["mask"].reshape(-1) for n in scenes])
            counts = all_true != 255
            theirs = jaccard_score(all_true[counts], all_said[counts], average="macro")
            self.assertAlmostEqual(evaluation[side]["value"], theirs, delta=1e-9)
        self.assertGreater(evaluation["reference"]["value"], 0.3)
        healthy = json.loads(run("compare", self.folder / "good.mcap", self.folder / "good.mcap", "--labels", self.folder / "masks.csv", "--json", expect=0).out)
        self.assertEqual((healthy["answers"]["agreement"], healthy["answers"]["evaluation"]["p_value"]), (1, 1))


class Anomaly(ToolTest):
    def test_scores_and_texts(self):
        """An anomaly detector that became noisier, and one that did not; synthetic scores."""
        random = np.random.default_rng(6)
        truth = np.arange(120) % 2
        good = truth * 1.6 + random.normal(0, 1, 120)
        noisy = truth * 0.3 + random.normal(0, 1, 120)
        labels = self.folder / "truth.csv"
        labels.write_text("file,anomaly\n" + "".join(f"f{i:03},{t}\n" for i, t in enumerate(truth)))
        for name, scores in (("good", good), ("other", good + random.normal(0, 0.02, 120)), ("noisy", noisy)):
            write_trace(self.folder / f"{name}.mcap", {f"f{i:03}": {"score": s} for i, s in enumerate(scores)})
        lost = json.loads(run("compare", self.folder / "good.mcap", self.folder / "noisy.mcap", "--labels", labels, "--json", expect=3).out)["answers"]["evaluation"]
        self.assertAlmostEqual(lost["reference"]["value"], roc_auc_score(truth, good.astype(np.float32)), delta=1e-9)
        self.assertAlmostEqual(lost["target"]["value"], roc_auc_score(truth, noisy.astype(np.float32)), delta=1e-9)
        self.assertEqual(lost["test"], "DeLong")
        self.assertIn("ROC AUC", run("compare", self.folder / "good.mcap", self.folder / "noisy.mcap", "--labels", labels, expect=3).out)
        near = json.loads(run("compare", self.folder / "good.mcap", self.folder / "other.mcap", "--labels", labels, "--json", expect={0, 3}).out)
        self.assertGreater(near["answers"]["evaluation"]["p_value"], 0.05)

    def test_words(self):
        """An error rate is worse when it grows."""
        said = [f"turn the light number {i} on please" for i in range(24)]
        labels = self.folder / "truth.csv"
        labels.write_text("file,text\n" + "".join(f"u{i:02},{t}\n" for i, t in enumerate(said)))
        write_trace(self.folder / "good.mcap", {f"u{i:02}": {"text": t} for i, t in enumerate(said)})
        write_trace(self.folder / "bad.mcap", {f"u{i:02}": {"text": t.replace("light", "lied") if i % 2 else t} for i, t in enumerate(said)})
        result = json.loads(run("compare", self.folder / "good.mcap", self.folder / "bad.mcap", "--labels", labels, "--json", expect=3).out)
        evaluation = result["answers"]["evaluation"]
        self.assertEqual((evaluation["reference"]["value"], evaluation["higher_is_better"]), (0, False))
        self.assertAlmostEqual(evaluation["target"]["value"], 12 / (24 * 7), delta=1e-9)
        self.assertIn("word error rate", result["headline"])
        better = json.loads(run("compare", self.folder / "bad.mcap", self.folder / "good.mcap", "--labels", labels, "--json", expect={0, 3}).out)
        self.assertNotIn("loses", better["headline"])


class Check(ToolTest):
    """check scores the answers that the post-processing of both recipes computes from the outputs."""

    def auto_encoder(self):
        batches = [recorded.log_mels(sound)[:24] for sound in recorded.machines(12)]
        model, data, labels = (self.folder / name for name in ("net.onnx", "windows.npz", "truth.csv"))
        recorded.auto_encoder(model, np.concatenate(batches[:2]), 24, 10)
        names, truth = [f"m{i}" for i in range(12)], [int(i % 3 == 2) for i in range(12)]
        np.savez(data, features=np.stack(batches), samples=np.array(names))
        labels.write_text("file,anomaly\n" + "".join(f"{n},{t}\n" for n, t in zip(names, truth)))
        errors = [(out[0] - batch).astype(float) for out, batch in zip(recorded.onnx(model, [(b,) for b in batches]), batches)]
        arguments = ("check", model, "--reference", model, "--reference-recipe", "|| score(mse)", "--data", data, "--labels", labels, "--json")
        return arguments, truth, errors

    def test_anomalies(self):
        arguments, truth, errors = self.auto_encoder()
        verdict = json.loads(run(*arguments, "--recipe", "|| score(max_absolute, windows=first)", expect=3).out)
        evaluation = verdict["answer_agreement"]["evaluation"]
        self.assertAlmostEqual(evaluation["reference"]["value"], roc_auc_score(truth, [(e ** 2).mean() for e in errors]), delta=1e-9)
        self.assertAlmostEqual(evaluation["target"]["value"], roc_auc_score(truth, [np.abs(e[0]).max() for e in errors]), delta=1e-9)
        self.assertEqual({cause["kind"] for cause in verdict["causes"] if cause["status"] == "confirmed"}, {"postprocessing"})
        equal = json.loads(run(*arguments, "--recipe", "|| dequantize | score(mse)", expect=0).out)
        self.assertEqual(equal["answer_agreement"]["evaluation"]["p_value"], 1)

    def test_annotations_that_nothing_answers_to_are_told(self):
        arguments, _, _ = self.auto_encoder()
        warnings = json.loads(run(*arguments, expect=0).out)["warnings"]
        self.assertTrue(any("the annotations are anomalies" in w and "|| dequantize | score(mse)" in w for w in warnings), warnings)

    @unittest.skipUnless((SHARED / "models").is_dir(), "needs the shared models and pictures")
    def test_boxes(self):
        """COCO SSD with its recipe, compared with pycocotools on a Python app's answers; and a recipe that exchanges x and y."""
        scenes_now, data = list(scenes())[:12], self.folder / "pictures"
        data.mkdir()
        for name, picture, _ in scenes_now:
            picture.save(data / name, compress_level=1)
        truth = coco_of(scenes_now)
        labels = self.folder / "annotations.json"
        labels.write_text(json.dumps(truth))
        model = SHARED / "models/tflite_support/coco_ssd_mobilenet_v1_1.0_quant_2018_06_29.tflite"
        front = "resize(300x300, bilinear, like=pillow) | scale(-1..1) | quantize(model)"
        behind = f" || detections(yxyx) | threshold(0.3) | labels({SHARED / 'labels/coco_labels.txt'}) | boxes(xyxy, pixels)"
        bad = behind.replace("detections(yxyx)", "detections(xyxy)")
        verdict = json.loads(run("check", model, "--recipe", front + bad, "--reference", model, "--reference-recipe", front + behind, "--data", data, "--labels", labels,
                                 "--gate", "accuracy", "--json", expect=3).out)
        evaluation, app = verdict["answer_agreement"]["evaluation"], Detector()
        theirs, _ = coco_precision(truth, {name: app(picture) for name, picture, _ in scenes_now})
        self.assertAlmostEqual(evaluation["reference"]["value"], theirs, delta=0.02)  # the app quantises the picture without rounding
        self.assertLess(evaluation["target"]["value"], evaluation["reference"]["value"] - 0.3)
        self.assertLess(evaluation["p_value"], 0.05)
        self.assertEqual([cause["kind"] for cause in verdict["causes"] if cause["status"] == "confirmed"][0], "postprocessing")


if __name__ == "__main__":
    tool.main()
