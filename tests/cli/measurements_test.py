# SPDX-License-Identifier: Apache-2.0
"""`measurements`: figures compared with NumPy and scikit-learn, charts with the numbers that they draw, reports with their parsers,
and files with the behaviour of Kenning's renderer (read in its releases 0.0.2 to 0.8.2, and written here again)."""
import html.parser
import io
import json
import pathlib
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import docutils.core
import jsonschema
import numpy as np
import sklearn.metrics
from mcap.reader import make_reader

import tool
from processes import wait_for
from tool import MODELS, RECIPE, run

HOSTILE = ["<script>alert(1)</script>", "a|b", "`code`", "*bold*_", "line\nend", "\u202egnirts", ".. image:: x", "- list", "1. one",
           "|sub|", "back\\slash", "[link](http://x.y)", "::", "&amp;", "ü✓漢", ""]
SVG = "{http://www.w3.org/2000/svg}"
SCHEMA = json.loads((pathlib.Path(MODELS).parent / "docs/reference/measurements.schema.json").read_text())


def measured(rng, n=200, classes=5, start=100.0):
    """A file as Kenning writes it."""
    truth, answer = rng.integers(0, classes, n), rng.integers(0, classes, n)
    answer = np.where(rng.random(n) < 0.7, truth, answer)
    matrix = np.zeros((classes, classes))
    np.add.at(matrix, (truth, answer), 1)
    moments = np.sort(start + rng.random(n) * 3)
    looks = start + np.arange(30) * 0.1
    return {"target_inference_step": rng.gamma(3, 0.001, n).tolist(), "target_inference_step_timestamp": moments.tolist(),
            "protocol_inference_step": rng.gamma(4, 0.001, n).tolist(), "protocol_inference_step_timestamp": moments.tolist(),
            "session_utilization_mem_percent": rng.uniform(20, 60, 30).tolist(),
            "session_utilization_cpus_percent": rng.uniform(0, 100, (30, 4)).tolist(),
            "session_utilization_timestamp": looks.tolist(), "class_names": [f"class {i}" for i in range(classes)],
            "eval_confusion_matrix": matrix.tolist(), "top_5_count": int(np.trace(matrix)), "total": n,
            "model_framework": "tensorflow", "model_version": "2.11", "command": ["kenning test", "  --x"]}, truth, answer


class Chart:
    """A line chart read back: its lines in the units of its axes, according to the axes' own ticks."""

    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        self.texts = [t.text for t in root.iter(SVG + "text")]
        ticks = {"x": [], "y": []}
        for text in root.iter(SVG + "text"):
            for axis in text.get("class").split():
                if axis in ticks:
                    ticks[axis].append((float(text.get(axis)) - (4 if axis == "y" else 0), float(text.text)))
        x, y = (np.polyfit(*zip(*ticks[axis]), 1) for axis in "xy")
        self.lines = []
        for line in root.iter(SVG + "polyline"):
            points = np.array([list(map(float, p.split(","))) for p in line.get("points").split()])
            self.lines.append((np.polyval(x, points[:, 0]), np.polyval(y, points[:, 1])))
        self.precision = abs(x[0]) * 0.02, abs(y[0]) * 0.02  # two hundredths of a pixel
        assert not [e for e in root.iter() if re.sub("{.*}", "", e.tag) in ("script", "image", "foreignObject", "use", "a")]


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.attributes = set(), "", set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attributes)

    def handle_data(self, data):
        self.text += data


def kenning_renders(data):
    """Repeats the steps of Kenning's performance and classification reports; raises where they would."""
    step = "target_inference_step" if "target_inference_step" in data else "protocol_inference_step"
    figures = {"mean": np.mean(data[step]), "std": np.std(data[step]), "median": np.median(data[step]), "first": data[step][0]}
    assert len(data[f"{step}_timestamp"]) == len(data[step]) > 0
    for key, at in (("session_utilization_mem_percent", "session_utilization_timestamp"),
                    ("session_utilization_gpu_utilization", "session_utilization_gpu_timestamp"),
                    ("session_utilization_gpu_mem_utilization", "session_utilization_gpu_timestamp")):
        if key in data:  # an existing key is a measurement: len(None) would raise
            assert len(data[at]) == len(data[key]) and np.isfinite(np.mean(data[key]))
    if "session_utilization_cpus_percent" in data:
        assert len([np.mean(cpus) for cpus in data["session_utilization_cpus_percent"]]) == len(data["session_utilization_timestamp"])
    if "eval_confusion_matrix" in data:
        matrix = np.asarray(data["eval_confusion_matrix"])
        matrix[np.isnan(matrix)] = 0.0
        figures["accuracy"] = np.trace(matrix) / np.sum(matrix)
        assert matrix.shape == (len(data["class_names"]),) * 2
        if "top_5_count" in data:
            figures["top_5"] = data["top_5_count"] / data["total"]
    assert data.get("model_name", "").replace(" ", "_") is not None and list(data.get("command", [])) is not None
    return figures


class MeasurementsTest(tool.ToolTest):
    def write(self, name, data):
        path = self.folder / name
        path.write_text(data if isinstance(data, str) else json.dumps(data, indent=2))
        return path

    def sets(self, *files, **more):
        return json.loads(run("measurements", *files, "--json", expect=0, **more).out)["sets"]

    def test_times_are_numpys(self):
        data, _, _ = measured(np.random.default_rng(1))
        one, = self.sets(self.write("a.json", data))
        for key, ours in (("target_inference_step", "target_seconds"), ("protocol_inference_step", "client_seconds"),
                          ("session_utilization_mem_percent", "memory_percent")):
            values = np.array(data[key])
            got = one[ours]
            self.assertEqual(got["n"], len(values))
            for name, value in (("mean", values.mean()), ("std", values.std()), ("min", values.min()), ("max", values.max()),
                                *((f"p{q}", np.percentile(values, q)) for q in (50, 90, 99))):
                self.assertAlmostEqual(got[name] / value, 1, 12, (key, name))
        cpu = np.array(data["session_utilization_cpus_percent"]).mean(axis=1)
        self.assertAlmostEqual(one["cpu_percent"]["p90"], np.percentile(cpu, 90), 9)
        self.assertIsNone(one["gpu_percent"])

    def test_quality_is_scikit_learns(self):
        for seed, classes, n in ((1, 5, 200), (2, 2, 50), (3, 40, 90), (4, 6, 7)):
            data, truth, answer = measured(np.random.default_rng(seed), n, classes)
            got = self.sets(self.write("a.json", data))[0]["classification"]
            options = {"average": "macro", "zero_division": 0}
            self.assertAlmostEqual(got["accuracy"], sklearn.metrics.accuracy_score(truth, answer), 12)
            self.assertAlmostEqual(got["mean_precision"], sklearn.metrics.precision_score(truth, answer, **options), 12)
            self.assertAlmostEqual(got["macro_f1"], sklearn.metrics.f1_score(truth, answer, **options), 12)
            there = np.unique(truth)
            recalls = sklearn.metrics.recall_score(truth, answer, labels=there, average=None)
            self.assertAlmostEqual(got["mean_recall"], recalls.mean(), 12)
            self.assertAlmostEqual(got["g_mean"], np.prod(recalls) ** (1 / len(recalls)), 12)
            self.assertEqual(got["classes_without_a_frame"], classes - len(there))
            self.assertAlmostEqual(got["top_5"], data["top_5_count"] / n, 12)
            for key, score in (("precision", sklearn.metrics.precision_score), ("recall", sklearn.metrics.recall_score), ("f1", sklearn.metrics.f1_score)):
                wanted = score(truth, answer, labels=range(classes), average=None, zero_division=0)
                there = {i for i in range(classes) if i in truth or (key != "recall" and i in answer)}
                for i, one in enumerate(got["by_class"]):
                    if i in there:
                        self.assertAlmostEqual(one[key], wanted[i], 12, (key, i))
                    else:
                        self.assertIsNone(one[key])

    def test_average_precision_is_that_of_101_recalls(self):
        rng = np.random.default_rng(5)
        scores, right, there = rng.random(300), rng.random(300) < 0.6, 230
        data = {"class_names": ["a"], "eval_gtcount/a": there, "eval_det/a": [[s, float(r), 0.7] for s, r in zip(scores, right)]}
        order = np.argsort(-scores, kind="stable")
        found = np.cumsum(right[order])
        recall, precision = found / there, found / np.arange(1, 301)
        expected = np.mean([precision[recall >= r].max(initial=0) for r in np.linspace(0, 1, 101)])
        self.assertAlmostEqual(self.sets(self.write("a.json", data))[0]["detection"]["mean_average_precision"], expected, 12)

    def test_charts_draw_the_numbers(self):
        a, _, _ = measured(np.random.default_rng(6))
        b, _, _ = measured(np.random.default_rng(7), start=5.0)
        run("measurements", self.write("a.json", a), self.write("b.json", b), "--svg", self.folder / "c", expect=0)
        for chart, key, at, factor in (("inference_time", "target_inference_step", "target_inference_step_timestamp", 1e3),
                                       ("memory", "session_utilization_mem_percent", "session_utilization_timestamp", 1)):
            drawn = Chart(self.folder / f"c_{chart}.svg")
            self.assertEqual(len(drawn.lines), 2)
            for (x, y), data in zip(drawn.lines, (a, b)):
                moments = np.array(data[at])
                np.testing.assert_allclose(x, moments - moments[0], atol=drawn.precision[0])
                np.testing.assert_allclose(y, np.array(data[key]) * factor, atol=drawn.precision[1])
            self.assertIn("a", drawn.texts)
        self.assertIn("ms", Chart(self.folder / "c_inference_time.svg").texts)
        root = ElementTree.parse(self.folder / "c_confusion_matrix_1.svg").getroot()
        counts = [float(t.text) for t in root.iter(SVG + "text") if "count" in t.get("class")]
        matrix = np.array(a["eval_confusion_matrix"])
        self.assertEqual(counts, matrix[matrix > 0].tolist())
        opacities = [float(r.get("fill-opacity")) for r in root.iter(SVG + "rect") if r.get("class") == "cell"]
        np.testing.assert_allclose(opacities, (matrix / matrix.sum(axis=1, keepdims=True))[matrix > 0], rtol=1e-2)

    def test_many_points_keep_every_peak(self):
        values = np.full(50_000, 0.001)
        values[[7, 23_456, 49_999]] = 0.005, 0.009, 0.004
        data = {"target_inference_step": values.tolist(), "target_inference_step_timestamp": np.arange(50_000).tolist()}
        run("measurements", self.write("a.json", data), "--svg", self.folder / "c", expect=0)
        (x, y), = Chart(self.folder / "c_inference_time.svg").lines
        self.assertLessEqual(len(x), 2000)
        for at, peak in ((7, 5), (23_456, 9), (49_999, 4)):
            self.assertTrue(np.any((abs(x - at) < 20) & (abs(y - peak) < 0.01)))

    def test_a_large_matrix_shares_cells(self):
        rng = np.random.default_rng(8)
        matrix = rng.integers(0, 3, (250, 250))
        data = {"class_names": [f"c{i}" for i in range(250)], "eval_confusion_matrix": matrix.tolist()}
        path = self.write("a.json", data)
        out = run("measurements", path, "--svg", self.folder / "c", "--markdown", self.folder / "c.md", expect=0).out
        self.assertIn("The 50 classes of 250 where recall is lowest", out)
        self.assertIn("Each cell holds 3 x 3 of the 250 classes", (self.folder / "c.md").read_text())
        root = ElementTree.parse(self.folder / "c_confusion_matrix.svg").getroot()
        cells = [float(r.get("fill-opacity")) for r in root.iter(SVG + "rect") if r.get("class") == "cell"]
        padded = np.zeros((252, 252))
        padded[:250, :250] = matrix
        blocks = padded.reshape(84, 3, 84, 3).sum(axis=(1, 3))
        np.testing.assert_allclose(cells, np.maximum(blocks / blocks.sum(axis=1, keepdims=True), 0.02)[blocks > 0], rtol=1e-2)

    def test_names_from_outside_are_text(self):
        rng = np.random.default_rng(9)
        n = len(HOSTILE)
        data, _, _ = measured(rng, 400, n)
        data |= {"class_names": HOSTILE, "model_name": HOSTILE[0], "command": HOSTILE, "eval_confusion_matrix": rng.integers(1, 9, (n, n)).tolist()}
        data.pop("top_5_count")
        for i, name in enumerate(HOSTILE):
            data[f"eval_gtcount/{name}"] = i + 1
            data[HOSTILE[i] + " key"] = 1
        path = self.write("a|`b` <i>.json", data)
        out = [self.folder / f"r.{end}" for end in ("html", "md", "rst")]
        run("measurements", path, "--html", out[0], "--markdown", out[1], "--rst", out[2], "--svg", self.folder / "c d", expect=0)
        page = Page(out[0].read_text())
        self.assertFalse(page.tags & {"script", "img", "a", "i", "b", "link", "iframe"}, page.tags)
        self.assertFalse([name for name in page.attributes if name.startswith("on") or name in ("href", "src")])
        for name in ("<script>alert(1)</script>", "a|b", "ü✓漢", "&amp;"):
            self.assertIn(name, page.text)
        for text in (out[0].read_text(), out[1].read_text(), out[2].read_text()):
            self.assertNotIn("\u202e", text)
        for line in re.sub(r"\]\(c%20d_\w+\.svg\)", "]", out[1].read_text()).splitlines():
            self.assertNotRegex(re.sub(r"\\.", "", line), r"[<>`*_]|\]\(http|^ *[-+] |^\.\. ")
        rows = [line for line in out[1].read_text().splitlines() if line.startswith("|")]
        widths = [len(re.findall(r"(?<!\\)\|", re.sub(r"\\\\", "", row))) for row in rows]
        heads = [i for i, row in enumerate(rows) if re.fullmatch(r"\|( -+:? \|)+", row)]
        for head, end in zip(heads, [h - 1 for h in heads[1:]] + [len(rows)]):
            self.assertEqual(len(set(widths[head - 1:end])), 1)
        warnings = io.StringIO()
        tree = docutils.core.publish_doctree(out[2].read_text(), settings_overrides={"warning_stream": warnings, "report_level": 1})
        self.assertEqual(warnings.getvalue(), "")
        kinds = {node.tagname for node in tree.findall()}
        self.assertFalse(kinds & {"problematic", "system_message", "literal", "emphasis", "strong", "reference", "bullet_list",
                                  "enumerated_list", "literal_block", "substitution_reference", "block_quote"}, kinds)
        cells = {node.astext() for node in tree.findall() if node.tagname == "entry"}
        for name in ("<script>alert(1)</script>", "a|b", "`code`", "*bold*_", ".. image:: x", "- list", "1. one", "|sub|",
                     "back\\slash", "[link](http://x.y)", "::", "ü✓漢"):
            self.assertIn(name, cells)
        images = [node["uri"] for node in tree.findall() if node.tagname == "image"]
        self.assertIn("c%20d_inference_time.svg", images)
        self.assertIn("](c%20d_inference_time.svg)", out[1].read_text())
        for chart in self.folder.glob("c d_*.svg"):
            ElementTree.parse(chart)

    def test_reports_stand_in_for_older_ones_alone(self):
        data, _, _ = measured(np.random.default_rng(10), 20)
        path = self.write("a.json", data)
        flags = ["--html", self.folder / "r.html", "--markdown", self.folder / "r.md", "--rst", self.folder / "r.rst", "--svg", self.folder / "r",
                 "--measurements", self.folder / "m.json", "--json", self.folder / "r.json"]
        run("measurements", path, *flags, expect=0)
        run("measurements", path, *flags, expect=0)
        for name in ("r.html", "r.md", "r.rst", "r_memory.svg", "m.json", "r.json"):
            kept = (self.folder / name).read_text()
            (self.folder / name).write_text("my own\n")
            self.assertIn("nothing else is overwritten", run("measurements", path, *flags, expect=2).err)
            (self.folder / name).write_text(kept)
        self.assertIn("is read as well", run("measurements", path, "--measurements", path, expect=2).err)

    def test_a_file_of_kenning_is_passed_on_and_kenning_reads_it(self):
        data, _, _ = measured(np.random.default_rng(12))
        data |= {"optimizers": [{"compiler_framework": "tvm", "compiler_version": "0.9"}], "build_cfg": {"a": [1, {"b": None}]}, "rouge1": 3}
        out = self.folder / "m.json"
        run("measurements", self.write("a.json", data), "--measurements", out, expect=0)
        again = json.loads(out.read_text())
        for key, value in data.items():
            self.assertEqual(again[key], value, key)
        self.assertEqual(kenning_renders(again), kenning_renders(data))
        for name in ("mean", "std", "median"):
            self.assertAlmostEqual(again[f"inferencetime_{name}"], kenning_renders(data)[name], 12)
        self.assertNotIn(None, again.values())
        jsonschema.validate(again, SCHEMA)

    def test_the_schema_tells_what_is_wrong(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        good, _, _ = measured(np.random.default_rng(13), 9)
        jsonschema.validate(good, SCHEMA)
        for key, value in (("target_inference_step", [-1.0]), ("target_inference_step", []), ("session_utilization_mem_percent", [101]), ("total", None),
                           ("class_names", [1]), ("eval_confusion_matrix", [[1, "2"]]), ("eval_det/cat", [[0.5, 2, 0.5]]),
                           ("edgeprobe", {"not_measured": {"x": {"value": 0, "why": "y"}}, "facts": [], "version": "1"})):
            with self.assertRaises(jsonschema.ValidationError, msg=key):
                jsonschema.validate(good | {key: value}, SCHEMA)
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate({key: value for key, value in good.items() if key != "class_names"}, SCHEMA)

    def test_a_trace_is_measured(self):
        trace, out = self.folder / "t.mcap", self.folder / "m.json"
        labels = MODELS / "data" / "labels.csv"
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", MODELS / "data" / "test", "--labels", labels, "--frames", 60,
            "--trace", trace, expect=0)
        run("measurements", trace, "--measurements", out, "--svg", self.folder / "c", expect=0)
        scores, truth, latency = {}, {}, {}
        with open(trace, "rb") as file:
            for _, channel, message in make_reader(file).iter_messages():
                if channel.topic == "/frame":
                    record = json.loads(message.data)
                    truth[message.sequence], latency[message.sequence] = record["label"], record["latency_ns"]
                elif channel.topic.startswith("/model_output/"):
                    scores[message.sequence] = np.frombuffer(message.data, np.float32)
        frames = sorted(truth)
        values, right = np.array([scores[f] for f in frames]), np.array([truth[f] for f in frames])
        data = json.loads(out.read_text())
        jsonschema.validate(data, SCHEMA)
        np.testing.assert_allclose(data["target_inference_step"], [latency[f] / 1e9 for f in frames], rtol=1e-12)
        np.testing.assert_array_equal(data["eval_confusion_matrix"],
                                      sklearn.metrics.confusion_matrix(right, values.argmax(axis=1), labels=range(values.shape[1])))
        among = (np.argsort(-values, axis=1, kind="stable")[:, :5] == right[:, None]).any(axis=1)
        self.assertEqual(data["top_5_count"], among.sum())
        self.assertEqual(data["total"], 60)
        report = self.sets(out)[0]["classification"]
        areas = []
        for i, (kept, shown) in enumerate(zip(data["edgeprobe_classes"], report["by_class"])):
            self.assertEqual(kept["top_5_count"], among[right == i].sum())
            self.assertEqual(shown["frames"], (right == i).sum())
            if not shown["frames"]:
                self.assertIsNone(shown["auc"])
                continue
            areas.append(sklearn.metrics.roc_auc_score(right == i, values[:, i]))
            self.assertAlmostEqual(kept["auc"], areas[-1], 12)
            self.assertAlmostEqual(shown["top_5"], among[right == i].mean(), 12)
        self.assertAlmostEqual(report["mean_auc"], np.mean(areas), 12)
        self.assertEqual(len(areas), len(set(right)))
        kenning_renders(data)
        missing = data["edgeprobe"]["not_measured"]
        self.assertIsNone(missing["session_utilization_mem_percent"]["value"])
        self.assertIn("not recorded", missing["session_utilization_mem_percent"]["why"])
        self.assertNotIn("session_utilization_mem_percent", data)

    def test_run_records_machine_and_quality_beside_the_trace(self):
        out = self.folder / "m.json"
        data = ["--recipe", RECIPE, "--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv", "--level", "layers"]
        run("run", MODELS / "signs_float.tflite", *data, "--trace", self.folder / "t.mcap", "--measurements", out, expect=0)
        measured = json.loads(out.read_text())
        kenning_renders(measured)
        jsonschema.validate(measured, SCHEMA)
        self.assertEqual(len(measured["target_inference_step"]), 480)
        self.assertEqual(np.sum(measured["eval_confusion_matrix"]), 480)
        memory = {line.split(":")[0]: int(line.split()[1]) for line in pathlib.Path("/proc/meminfo").read_text().splitlines()}
        now = 100 * (1 - memory["MemAvailable"] / memory["MemTotal"])
        missing = measured["edgeprobe"]["not_measured"]
        self.assertTrue(all(abs(value - now) < 40 for value in measured["session_utilization_mem_percent"]))
        if "session_utilization_cpus_percent" in measured:
            cpus = np.array(measured["session_utilization_cpus_percent"])
            self.assertTrue(cpus.shape[1] >= 1 and np.all((cpus >= 0) & (cpus <= 100)))
            looks = np.array(measured["session_utilization_timestamp"])
            self.assertTrue(np.all(np.diff(looks) > 0))
            # A fast machine runs all frames between two readings.
            if len(looks) > 1:
                self.assertGreater(np.mean(np.diff(looks)), 0.05)
            else:
                self.assertLess(np.sum(measured["target_inference_step"]), 0.2)
        else:
            self.assertTrue(missing["session_utilization_cpus_percent"]["why"])
        self.assertIsNone(missing["session_utilization_gpu_utilization"]["value"])
        self.assertTrue(missing["session_utilization_gpu_utilization"]["why"])
        self.assertIn("nothing else is overwritten", self.refused(data, self.folder / "t.mcap"))

    def refused(self, data, file):
        (self.folder / "mine").write_text("mine")
        done = run("run", MODELS / "signs_float.tflite", *data, "--trace", file, "--force", "--measurements", self.folder / "mine", expect=2)
        self.assertEqual((self.folder / "mine").read_text(), "mine")
        return done.err

    def test_of_a_model_elsewhere_both_times_are_told(self):
        address, out = f"unix:{self.folder / 'edgeprobe.sock'}", self.folder / "m.json"
        server = subprocess.Popen([tool.EXECUTABLE, "serve", "--listen", address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.assertTrue(wait_for((self.folder / "edgeprobe.sock").exists))
            run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", MODELS / "data" / "test", "--frames", 20, "--target", address,
                "--trace", self.folder / "t.mcap", "--measurements", out, expect=0)
        finally:
            server.terminate()
            server.wait(timeout=tool.PATIENCE)
        measured = json.loads(out.read_text())
        jsonschema.validate(measured, SCHEMA)
        device, client = np.array(measured["target_inference_step"]), np.array(measured["protocol_inference_step"])
        with open(self.folder / "t.mcap", "rb") as file:
            way = {record.name: record.metadata for record in make_reader(file).iter_metadata()}["edgeprobe.target"]
        np.testing.assert_allclose(client - device, np.array(way["beyond_us"].split(","), float) / 1e6, atol=1e-12)
        self.assertEqual(measured["protocol_inference_step_timestamp"], measured["target_inference_step_timestamp"])
        missing = measured["edgeprobe"]["not_measured"]
        self.assertIn("on another machine", missing["session_utilization_mem_percent"]["why"])
        self.assertNotIn("session_utilization_mem_percent", measured)


if __name__ == "__main__":
    tool.main()
