# SPDX-License-Identifier: Apache-2.0
"""Every metric of recorded answers compared with an independent program: pycocotools, scikit-learn, RapidFuzz.

Random answers of different quality, with crowds, empty pictures, and small and large objects, without ties; labels pass through files of all
formats. Usage: metrics_test.py EVALUATE_ANSWERS"""
import contextlib
import csv
import io
import itertools
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from PIL import Image
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from rapidfuzz.distance import Levenshtein
from sklearn.metrics import average_precision_score, jaccard_score, roc_auc_score

PROGRAM = sys.argv.pop(1)
EXACT = 1e-9
DISTANCES = {}  # largest difference, and number of figures, by test class


def tearDownModule():
    for kind, (largest, count) in DISTANCES.items():
        print(f"{kind}: {count} figures, at most {largest:.1e} off", file=sys.stderr)


def f32(value):
    """The value of an app's float."""
    return float(np.float32(value))


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, value):
        path = self.folder / name
        if isinstance(value, list):  # rows of a table
            with open(path, "w", newline="") as file:
                csv.writer(file).writerows(value)
        else:
            path.write_text(value if isinstance(value, str) else json.dumps(value))
        return path

    def run_on(self, labels, *sides, classes="", form="xyxy"):
        answers = [self.write(f"side{i}.json", side) for i, side in enumerate(sides)]
        done = subprocess.run([PROGRAM, labels, classes, form, *answers], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def refusal(self, labels, classes=""):
        done = subprocess.run([PROGRAM, labels, classes, "xyxy", self.write("none.json", {})], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        return done.stdout

    def near(self, ours, theirs, what=""):
        self.assertIsNotNone(ours, what)
        largest, count = DISTANCES.get(type(self).__name__, (0, 0))
        DISTANCES[type(self).__name__] = (max(largest, abs(ours - theirs)), count + 1)
        self.assertAlmostEqual(ours, theirs, delta=EXACT, msg=what)


def coco_truth(random, images, names, crowds=True):
    truth = {"images": [], "annotations": [], "categories": [{"id": 3 * i + 1, "name": n} for i, n in enumerate(names)]}
    for i in range(images):
        width, height = int(random.integers(200, 640)), int(random.integers(200, 480))
        truth["images"].append({"id": 1000 + i, "file_name": f"{i:05}.jpg", "width": width, "height": height})
        for _ in range(int(random.integers(0, 6))):
            side = float(random.choice([12, 50, 120])) * random.uniform(0.5, 1.4)
            x, y = random.uniform(0, width - side), random.uniform(0, height - side)
            w, h = side, side * random.uniform(0.6, 1)
            truth["annotations"].append({"id": len(truth["annotations"]) + 1, "image_id": 1000 + i, "iscrowd": int(crowds and random.random() < 0.1),
                                         "category_id": 3 * int(random.integers(len(names))) + 1,
                                         "bbox": [x, y, w, h], "area": w * h * random.uniform(0.5, 1)})
    return truth


def found_boxes(random, truth, names, noise):
    """A detector's answers: by file name, and as COCO's list of results."""
    answers, results = {}, []
    for image in truth["images"]:
        boxes, scores, classes = [], [], []
        for one in truth["annotations"]:
            if one["image_id"] != image["id"]:
                continue
            for _ in range(int(random.integers(0, 3))):
                x, y, w, h = np.array(one["bbox"]) + random.normal(0, noise, 4)
                if w > 1 and h > 1:
                    boxes.append([f32(x), f32(y), f32(x + w), f32(y + h)])
                    scores.append(f32(random.uniform(0.2, 1)))
                    classes.append(one["category_id"] if random.random() < 0.9 else 3 * int(random.integers(len(names))) + 1)
        for _ in range(int(random.integers(0, 3))):
            x, y = random.uniform(0, 150, 2)
            boxes.append([f32(x), f32(y), f32(x + 40), f32(y + 30)])
            scores.append(f32(random.uniform(0, 0.6)))
            classes.append(3 * int(random.integers(len(names))) + 1)
        answers[image["file_name"]] = {"boxes": boxes, "scores": scores, "classes": classes}
        results += [{"image_id": image["id"], "category_id": c, "score": s, "bbox": [b[0], b[1], b[2] - b[0], b[3] - b[1]]}
                    for b, s, c in zip(boxes, scores, classes)]
    return answers, results


def coco_figures(truth, results, kind="bbox"):
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = json.loads(json.dumps({"info": {}, **truth}))
        coco.createIndex()
        judged = COCOeval(coco, coco.loadRes(results), kind)
        judged.evaluate()
        judged.accumulate()
        judged.summarize()
    return judged


class Detection(Files):
    NAMES = ["cat", "dog", "traffic light"]

    def test_pycocotools(self):
        for seed in range(12):
            random = np.random.default_rng(seed)
            truth = coco_truth(random, 8 + seed, self.NAMES)
            answers, results = found_boxes(random, truth, self.NAMES, noise=1 + seed)
            ours = self.run_on(self.write("truth.json", truth), answers)
            theirs = coco_figures(truth, results)
            self.assertEqual((ours["task"], ours["frames"]), ("detection", 8 + seed))
            self.near(ours["target"]["value"], theirs.stats[0], f"seed {seed}")
            for name, at in [("ap50", 1), ("ap75", 2), ("ap_small", 3), ("ap_medium", 4), ("ap_large", 5), ("recall", 8)]:
                if theirs.stats[at] >= 0:
                    self.near(ours["target"]["further"][name], theirs.stats[at], f"{name}, seed {seed}")
                else:
                    self.assertIsNone(ours["target"]["further"][name])
            for i, category in enumerate(truth["categories"]):
                precision = theirs.eval["precision"][:, :, i, 0, -1]
                row = [r for r in ours["classes"] if r["name"] == category["name"]]
                if (precision > -1).any():
                    self.near(row[0]["target"], precision.mean(), category["name"])
                else:
                    self.assertEqual(row, [])
            low, high = ours["target"]["ci95"]
            self.assertTrue(low <= ours["target"]["value"] <= high, ours["target"])

    def test_many_finds_of_one_picture(self):
        """More than a hundred answers of a class in a picture: the best hundred count."""
        random = np.random.default_rng(5)
        truth = coco_truth(random, 2, ["face"], crowds=False)
        boxes = random.uniform(0, 150, (260, 2))
        answers, results = {}, []
        for image in truth["images"]:
            all_boxes = [[f32(x), f32(y), f32(x + 50), f32(y + 40)] for x, y in boxes]
            scores = [f32(s) for s in random.permutation(len(boxes)) / 300]
            answers[image["file_name"]] = {"boxes": all_boxes, "scores": scores, "classes": [1] * len(boxes)}
            results += [{"image_id": image["id"], "category_id": 1, "score": s, "bbox": [b[0], b[1], b[2] - b[0], b[3] - b[1]]}
                        for b, s in zip(all_boxes, scores)]
        ours = self.run_on(self.write("truth.json", truth), answers)
        self.near(ours["target"]["value"], coco_figures(truth, results).stats[0])

    def test_names_numbers_and_forms(self):
        """Labels instead of numbers, another order, fractions of the picture, a table and an archive instead of COCO's file: the same figure."""
        random = np.random.default_rng(3)
        truth = coco_truth(random, 9, self.NAMES, crowds=False)
        for one in truth["annotations"]:
            one["area"] = one["bbox"][2] * one["bbox"][3]
        answers, results = found_boxes(random, truth, self.NAMES, 3)
        theirs = coco_figures(truth, results).stats[0]
        name_of = {c["id"]: c["name"] for c in truth["categories"]}
        images = {i["id"]: i for i in truth["images"]}
        named = {n: {"boxes": a["boxes"], "scores": a["scores"], "labels": [name_of[c] for c in a["classes"]]} for n, a in answers.items()}
        coco = self.write("truth.json", truth)
        self.near(self.run_on(coco, named)["target"]["value"], theirs)
        flipped = {n: dict(a, boxes=[[b[1], b[0], b[3], b[2]] for b in a["boxes"]]) for n, a in named.items()}
        self.near(self.run_on(coco, flipped, form="yxyx,pixels")["target"]["value"], theirs)
        # The app's own numbers, through a file with the names in another order.
        order = ["background", "traffic light", "dog", "cat"]
        numbered = {n: dict(a, classes=[order.index(name_of[c]) for c in a["classes"]]) for n, a in answers.items()}
        self.near(self.run_on(coco, numbered, classes=self.write("names.txt", "\n".join(order)))["target"]["value"], theirs)
        parts = {i["file_name"]: dict(named[i["file_name"]],
                                      boxes=[[b[0] / i["width"], b[1] / i["height"], b[2] / i["width"], b[3] / i["height"]]
                                             for b in named[i["file_name"]]["boxes"]]) for i in truth["images"]}
        self.assertAlmostEqual(self.run_on(coco, parts, form="xyxy,normalized")["target"]["value"], theirs, delta=0.02)
        rows = [["file", "x0", "y0", "x1", "y1", "label", "width", "height"]]
        for i in truth["images"]:
            rows.append([i["file_name"], "", "", "", "", "", i["width"], i["height"]])
        boxes = []
        for one in truth["annotations"]:
            x, y, w, h = one["bbox"]
            image = images[one["image_id"]]
            rows.append([image["file_name"], repr(x), repr(y), repr(x + w), repr(y + h), name_of[one["category_id"]], "", ""])
            boxes.append([truth["images"].index(image), x, y, x + w, y + h, one["category_id"]])
        self.near(self.run_on(self.write("truth.csv", rows), named)["target"]["value"], theirs)
        np.savez(self.folder / "truth.npz", samples=np.array([i["file_name"] for i in truth["images"]]), boxes=np.array(boxes))
        self.near(self.run_on(self.folder / "truth.npz", answers)["target"]["value"], theirs)

    def test_two_sides(self):
        random = np.random.default_rng(11)
        truth = coco_truth(random, 40, self.NAMES, crowds=False)
        good, results = found_boxes(random, truth, self.NAMES, 1)
        bad = {n: dict(a, boxes=[[b[1], b[0], b[3], b[2]] for b in a["boxes"]]) for n, a in good.items()}
        labels = self.write("truth.json", truth)
        lost = self.run_on(labels, bad, good)
        self.assertTrue(lost["loss"])
        self.assertLess(lost["p_value"], 0.01)
        self.assertLess(lost["difference_ci95"][1], 0)
        self.near(lost["reference"]["value"], coco_figures(truth, results).stats[0])
        same = self.run_on(labels, good, good)
        self.assertEqual((same["loss"], same["p_value"], same["difference"], same["difference_ci95"]), (False, 1, 0, [0, 0]))
        self.assertEqual(same["test"], "exchange of answers")

    def test_false_alarms(self):
        """Two samples of one detector: the test reports "loss" no more often than about its level."""
        losses = 0
        for seed in range(30):
            random = np.random.default_rng(100 + seed)
            truth = coco_truth(random, 15, ["a"], crowds=False)
            losses += self.run_on(self.write("t.json", truth), found_boxes(random, truth, ["a"], 4)[0], found_boxes(random, truth, ["a"], 4)[0])["loss"]
        self.assertLessEqual(losses, 3)

    def test_bad_answers(self):
        truth = {"images": [{"id": 1, "file_name": "a", "width": 100, "height": 100}], "categories": [{"id": 1, "name": "x"}],
                 "annotations": [{"image_id": 1, "category_id": 1, "bbox": [10, 10, 30, 30]}]}
        labels = self.write("t.json", truth)
        for boxes, said in [([[40, 40, 10, 10]], "before they begin"), ([[1e39, 0, 1, 1]], "NaN or infinity"), ([[400, 10, 440, 40]], "outside")]:
            ours = self.run_on(labels, {"a": {"boxes": boxes, "scores": [0.5], "classes": [1]}})
            self.assertIn(said, " ".join(ours["problems"]))
            self.assertEqual(ours["target"]["value"], 0)
        ours = self.run_on(labels, {"a": {"boxes": [[10, 10, 40, 40]], "labels": ["zebra"]}})
        self.assertIn("'zebra'", ours["problems"][0])
        ours = self.run_on(labels, {"a": {"boxes": [[10, 10, 40, 40]], "classes": [0]}})
        self.assertIn("--classes", " ".join(ours["problems"]))
        self.assertEqual(self.run_on(labels, {"a": {"boxes": []}, "b": {"boxes": []}})["target"]["value"], 0)

    def write_voc(self, truth):
        """The same boxes as Pascal VOC's files: whole pixels counted from 1, both corners included."""
        folder = self.folder / "voc"
        folder.mkdir()
        for image in truth["images"]:
            root = ElementTree.Element("annotation")
            ElementTree.SubElement(root, "filename").text = image["file_name"]
            size = ElementTree.SubElement(root, "size")
            for key in ("width", "height"):
                ElementTree.SubElement(size, key).text = str(image[key])
            for one in (a for a in truth["annotations"] if a["image_id"] == image["id"]):
                thing = ElementTree.SubElement(root, "object")
                ElementTree.SubElement(thing, "name").text = next(c["name"] for c in truth["categories"] if c["id"] == one["category_id"])
                ElementTree.SubElement(thing, "difficult").text = str(one["iscrowd"])
                box, (x, y, w, h) = ElementTree.SubElement(thing, "bndbox"), one["bbox"]
                for key, value in (("xmin", x + 1), ("ymin", y + 1), ("xmax", x + w), ("ymax", y + h)):
                    ElementTree.SubElement(box, key).text = str(value)
            ElementTree.ElementTree(root).write(folder / f"{image['id']:06}.xml", encoding="utf-8", xml_declaration=True)
        return folder

    def test_pascal_voc(self):
        """ElementTree writes the boxes, pycocotools scores them."""
        for seed in range(3):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as name:
                self.folder = Path(name)
                random = np.random.default_rng(40 + seed)
                names = ["cat", "dog & co", "bird"]
                truth = coco_truth(random, 9, names)
                for one in truth["annotations"]:
                    one["bbox"] = [float(round(v)) for v in one["bbox"][:2]] + [float(max(1, round(v))) for v in one["bbox"][2:]]
                    one["area"] = one["bbox"][2] * one["bbox"][3]
                answers, results = found_boxes(random, truth, names, 4)
                for answer in answers.values():
                    answer["labels"] = [names[(number - 1) // 3] for number in answer.pop("classes")]
                ours = self.run_on(self.write_voc(truth), answers)
                self.near(ours["target"]["value"], coco_figures(truth, results).stats[0], f"seed {seed}")

    def test_bad_voc_files(self):
        good = "<annotation><filename>a.jpg</filename><size><width>20</width><height>10</height></size>\n<object><name>cat</name><bndbox><xmin>{}</xmin><ymin>2</ymin><xmax>{}</xmax><ymax>9</ymax></bndbox></object></annotation>"
        for text, said in (("<annotation>\n<filename>a", "line 2"), ("<html/>", "expected Pascal VOC's <annotation>"), ("<annotation/>", "<filename>"), (good.format("x", 4), "line 2: expected <bndbox>"),
                           (good.format(9, 4), "line 2: the box ends before it begins"), (good.format(200, 300), "is outside the picture, 20 x 10"), (good.format("1e300", 4), "<bndbox>"), ("", "No document")):
            self.assertIn(said, self.refusal(self.write("t.xml", text)))
        self.assertIn("not a line of --classes", self.refusal(self.write("t.xml", good.format(2, 4)), self.write("names.txt", "dog\n")))
        deep = self.refusal(self.write("t.xml", "<a>" * 200000))
        self.assertIn("t.xml", deep)
        folder = self.folder / "empty"
        folder.mkdir()
        self.assertIn("folder without an .xml file", self.refusal(folder))
        for name in ("1.xml", "2.xml"):
            (folder / name).write_text(good.format(2, 4))
        self.assertIn("second file of 'a.jpg'", self.refusal(folder))

    def test_bad_files(self):
        good = {"images": [{"id": 1, "file_name": "a", "width": 100, "height": 100}], "categories": [{"id": 1, "name": "x"}], "annotations": []}
        box = {"image_id": 1, "category_id": 1, "bbox": [10, 10, 30, 30]}
        for change, said in [({"bbox": [10, 10, -3, 5]}, "negative size"), ({"bbox": [300, 10, 20, 20]}, "outside"), ({"bbox": [1, 2, 3]}, "four numbers"),
                             ({"image_id": 7}, "is not in \"images\""), ({"category_id": 9}, "is not in \"categories\""), ({"keypoints": [1, 2]}, "keypoints")]:
            said_too = self.refusal(self.write("t.json", dict(good, annotations=[{**box, **change}])))
            self.assertIn(said, said_too)
            self.assertIn("annotation 0", said_too)
        self.assertIn("not a JSON object", self.refusal(self.write("t.json", "{")))
        self.assertIn("not a line of --classes", self.refusal(self.write("t.json", dict(good, annotations=[box])), self.write("names.txt", "y\n")))
        for row, said in [(["a", 5, 5, 1, 9, 0], "before it begins"), (["a", 1, 1, "nan", 9, 0], "not a coordinate in pixels"), (["a", 1, 1, 3, 9, -2], "below 0")]:
            self.assertIn(said, self.refusal(self.write("t.csv", [["file", "x0", "y0", "x1", "y1", "label"], row])))
            self.assertIn("line 2", self.refusal(self.write("t.csv", [["file", "x0", "y0", "x1", "y1", "label"], row])))


class Pose(Files):
    def test_pycocotools(self):
        for seed in range(6):
            random = np.random.default_rng(seed)
            truth = {"images": [], "annotations": [], "categories": [{"id": 1, "name": "person", "keypoints": [str(i) for i in range(17)], "skeleton": []}]}
            answers, results = {}, []
            for i in range(10):
                truth["images"].append({"id": i, "file_name": f"{i}.png", "width": 600, "height": 600})
                points, scores = [], []
                for _ in range(int(random.integers(0, 3))):
                    size = random.uniform(60, 300)
                    corner = random.uniform(0, 250, 2)
                    marks = corner + random.uniform(0, size, (17, 2))
                    seen = random.integers(0, 3, 17) if random.random() < 0.8 else np.zeros(17, int)
                    truth["annotations"].append({"id": len(truth["annotations"]) + 1, "image_id": i, "category_id": 1, "iscrowd": 0, "area": size * size * 0.6,
                                                 "bbox": [*corner, size, size], "num_keypoints": int((seen > 0).sum()),
                                                 "keypoints": np.column_stack([marks, seen]).reshape(-1).tolist()})
                    found = np.column_stack([marks + random.normal(0, size / 25, (17, 2)), random.uniform(0, 1, 17)]).astype(np.float32)
                    score = f32(random.uniform(0, 1))
                    points += found.astype(float).tolist()
                    scores.append(score)
                    results.append({"image_id": i, "category_id": 1, "score": score, "keypoints": found.astype(float).reshape(-1).tolist()})
                answers[f"{i}.png"] = {"points": points, "scores": scores}
            ours = self.run_on(self.write("truth.json", truth), answers)
            theirs = coco_figures(truth, results, "keypoints")
            self.assertEqual(ours["task"], "pose")
            self.near(ours["target"]["value"], theirs.stats[0], f"seed {seed}")
            for name, at in [("ap50", 1), ("ap75", 2), ("ap_medium", 3), ("ap_large", 4), ("recall", 5)]:
                if theirs.stats[at] >= 0:
                    self.near(ours["target"]["further"][name], theirs.stats[at], f"{name}, seed {seed}")

    def test_share_of_correct_points(self):
        random = np.random.default_rng(2)
        marks = random.uniform(0, 100, (6, 5, 3))
        marks[..., 2] = random.integers(0, 2, (6, 5))
        found = (marks + random.normal(0, 15, marks.shape)).astype(np.float32)
        np.savez(self.folder / "t.npz", samples=np.array([f"f{i}" for i in range(6)]), points=marks)
        ours = self.run_on(self.folder / "t.npz", {f"f{i}": {"points": found[i].astype(float).tolist()} for i in range(6)})
        right = []
        for i in range(6):
            shown = marks[i][marks[i][:, 2] > 0][:, :2]
            longest = (shown.max(0) - shown.min(0)).max()
            right += [math.dist(f[:2], m[:2]) <= 0.2 * longest for f, m in zip(found[i].astype(float), marks[i]) if m[2] > 0]
        self.near(ours["target"]["further"]["pck"], np.mean(right))


class Segmentation(Files):
    def test_scikit_learn(self):
        for seed in range(5):
            random = np.random.default_rng(seed)
            truth = random.integers(0, 4, (6, 30, 40)).repeat(2, axis=1).astype(np.uint8)
            truth[random.random(truth.shape) < 0.1] = 255
            said = np.where(random.random(truth.shape) < 0.3, random.integers(0, 5, truth.shape), truth)
            said[said == 255] = 2
            names = [f"{i}" for i in range(6)]
            np.savez(self.folder / "t.npz", samples=np.array(names), masks=truth)
            ours = self.run_on(self.folder / "t.npz", {n: {"mask": m.tolist()} for n, m in zip(names, said)})
            counts = truth != 255
            theirs = jaccard_score(truth[counts], said[counts], average=None, labels=range(5))
            self.near(ours["target"]["value"], theirs.mean())
            for row in ours["classes"]:
                self.near(row["target"], theirs[int(row["name"])])
            self.near(ours["target"]["further"]["pixel_accuracy"], (truth[counts] == said[counts]).mean())

    def test_pictures_of_masks(self):
        """A gray PNG and one with a palette: pixels are class numbers, not colours."""
        mask = np.random.default_rng(1).integers(0, 21, (32, 48)).astype(np.uint8)
        mask[0] = 255
        Image.fromarray(mask).save(self.folder / "gray.png")
        with_palette = Image.fromarray(mask, mode="P")
        with_palette.putpalette(np.random.default_rng(2).integers(0, 256, 768).astype(np.uint8).tobytes())
        with_palette.save(self.folder / "palette.png")
        few = Image.fromarray(mask % 4, mode="P")
        few.putpalette([0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255])
        few.save(self.folder / "few.png", bits=2)
        Image.fromarray(np.dstack([mask, mask // 2, mask])).save(self.folder / "colours.png")
        table = [["file", "mask"], ["a", "gray.png"], ["b", "palette.png"], ["c", "few.png"]]
        ours = self.run_on(self.write("t.csv", table), {"a": {"mask": mask.tolist()}, "b": {"mask": mask.tolist()}, "c": {"mask": (mask % 4).tolist()}})
        self.assertEqual((ours["target"]["value"], ours["problems"]), (1, []))
        other = self.run_on(self.write("t.csv", table[:2]), {"a": {"mask": mask[:16].tolist()}})
        self.assertIn("48 x 16", other["problems"][0])
        self.assertEqual(other["target"]["value"], 0)
        self.assertIn("has colours", self.refusal(self.write("t.csv", [["file", "mask"], ["a", "colours.png"]])))
        self.assertIn("line 2", self.refusal(self.write("t.csv", [["file", "mask"], ["a", "absent.png"]])))


class Anomaly(Files):
    def delong(self, scores, truth):
        """Variance and covariances computed from their definition, pair by pair."""
        high, low = scores[:, truth == 1], scores[:, truth == 0]
        psi = (high[:, :, None] > low[:, None, :]) + 0.5 * (high[:, :, None] == low[:, None, :])
        return psi.mean((1, 2)), np.cov(psi.mean(2)) / high.shape[1] + np.cov(psi.mean(1)) / low.shape[1]

    def test_scikit_learn(self):
        for seed in range(5):
            random = np.random.default_rng(seed)
            truth = random.integers(0, 2, 80)
            scores = np.round(np.stack([truth + random.normal(0, 1, 80), truth * 0.6 + random.normal(0, 1, 80)]), 1).astype(np.float32).astype(float)
            labels = self.write("t.csv", [["file", "anomaly"]] + [[f"{i:03}", t] for i, t in enumerate(truth)])
            side = [{f"{i:03}": {"score": s} for i, s in enumerate(one)} for one in scores]
            ours = self.run_on(labels, side[1], side[0])
            areas, variance = self.delong(scores, truth)
            self.near(ours["reference"]["value"], roc_auc_score(truth, scores[0]))
            self.near(ours["target"]["value"], roc_auc_score(truth, scores[1]))
            half = 1.959963984540054 * math.sqrt(variance[0, 0])
            self.near(ours["reference"]["ci95"][0], areas[0] - half)
            error = math.sqrt(variance[0, 0] + variance[1, 1] - 2 * variance[0, 1])
            self.assertEqual(ours["test"], "DeLong")
            self.near(ours["p_value"], math.erfc(abs(areas[1] - areas[0]) / error / math.sqrt(2)))

    def test_few_and_alarms(self):
        labels = self.write("t.csv", [["file", "anomaly"]] + [[f"{i}", int(i >= 3)] for i in range(6)])
        good = {f"{i}": {"score": float(i), "alarm": i >= 3} for i in range(6)}
        bad = {f"{i}": {"score": float(-i), "alarm": i < 3} for i in range(6)}
        ours = self.run_on(labels, bad, good)
        self.assertEqual((ours["reference"]["value"], ours["target"]["value"], ours["test"]), (1, 0, "exchange of answers"))
        # All exchanges of six pairs: more than one is as uneven, so with six frames a significant result may be impossible.
        count = sum(abs(roc_auc_score([0, 0, 0, 1, 1, 1], [i if s else -i for i, s in enumerate(swap)])
                        - roc_auc_score([0, 0, 0, 1, 1, 1], [-i if s else i for i, s in enumerate(swap)])) >= 1 - 1e-9
                    for swap in itertools.product([0, 1], repeat=6))
        self.near(ours["p_value"], count / 64)
        self.assertLess(ours["reference"]["ci95"][0], 0.5)  # a perfect score on three pairs is weak evidence
        self.assertEqual(ours["reference"]["further"]["alarm_accuracy"], 1)
        self.assertEqual(ours["target"]["further"]["false_alarms"], 1)


class Embeddings(Files):
    def test_retrieval(self):
        random = np.random.default_rng(4)
        identity = random.integers(0, 6, 40)
        vectors = (random.normal(0, 1, (6, 16))[identity] + random.normal(0, 1.2, (40, 16))).astype(np.float32)
        ours = self.run_on(self.write("t.csv", [["file", "identity"]] + [[f"{i:02}", f"id{p}"] for i, p in enumerate(identity)]),
                           {f"{i:02}": {"vector": v.astype(float).tolist()} for i, v in enumerate(vectors)})
        unit = vectors.astype(float) / np.linalg.norm(vectors.astype(float), axis=1, keepdims=True)
        similar = unit @ unit.T
        precisions, firsts = [], []
        for i in range(40):
            others = np.arange(40) != i
            same = identity[others] == identity[i]
            if same.any():
                precisions.append(average_precision_score(same, similar[i][others]))
                firsts.append(same[np.argmax(similar[i][others])])
        self.assertEqual(ours["task"], "retrieval")
        self.near(ours["target"]["value"], np.mean(precisions))
        self.near(ours["target"]["further"]["recall_at_1"], np.mean(firsts))

    def test_cosine(self):
        random = np.random.default_rng(4)
        truth, said = random.normal(0, 1, (2, 9, 8)).astype(np.float32)
        np.savez(self.folder / "t.npz", samples=np.array([f"{i}" for i in range(9)]), vectors=truth)
        ours = self.run_on(self.folder / "t.npz", {f"{i}": {"vector": v.astype(float).tolist()} for i, v in enumerate(said)})
        a, b = truth.astype(float), said.astype(float)
        self.near(ours["target"]["value"], ((a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)).mean())


class Sequences(Files):
    def test_rapidfuzz(self):
        random = np.random.default_rng(8)
        words = "the quick brown fox jümps over a lazy dog über".split()
        said = [" ".join(random.choice(words, random.integers(1, 12))) for _ in range(25)]
        heard = [" ".join(w for w in random.choice(words, random.integers(0, 12))) if random.random() < 0.5 else t.replace("quick", "quack")
                 for t in said]
        ours = self.run_on(self.write("t.csv", [["file", "text"]] + [[f"{i:02}", t] for i, t in enumerate(said)]),
                           {f"{i:02}": {"text": t} for i, t in enumerate(heard)})
        edits = sum(Levenshtein.distance(t.split(), h.split()) for t, h in zip(said, heard))
        self.near(ours["target"]["value"], edits / sum(len(t.split()) for t in said))
        letters = sum(Levenshtein.distance(t, h) for t, h in zip(said, heard))
        self.near(ours["target"]["further"]["character_error_rate"], letters / sum(map(len, said)))
        counts = [ours["target"]["further"][f"words_{n}"] for n in ("substituted", "inserted", "deleted")]
        self.assertEqual(sum(counts), edits)

    def test_no_utf8(self):
        (self.folder / "t.csv").write_bytes(b"file,text\na,caf\xe9\n")
        self.assertIn("not UTF-8", self.refusal(self.folder / "t.csv"))


class Classes(Files):
    def test_labels_and_scores(self):
        names = self.write("names.txt", "cat\ndog\nbird\n")
        labels = self.write("t.csv", [["file", "label"], ["a", 0], ["b", "1;2"], ["c", 2], ["d", 1]])
        answers = {"a": {"labels": ["dog", "cat"], "scores": [0.2, 0.7]}, "b": {"labels": ["bird"]}, "c": {"labels": ["dog"]}, "d": {"labels": ["zebra"]}}
        ours = self.run_on(labels, answers, classes=names)
        self.assertEqual((ours["task"], ours["target"]["value"]), ("classification", 0.5))
        self.assertIn("beyond the classes", ours["problems"][0])
        self.assertEqual({r["name"]: r["target"] for r in ours["classes"]}, {"cat": 1, "bird": 0, "dog": 0})
        self.assertIn("--classes", self.run_on(labels, answers)["problems"][0])


if __name__ == "__main__":
    unittest.main()
