# SPDX-License-Identifier: Apache-2.0
"""The table over a folder of traces, compared with the official MCAP reader, NumPy and the formulas written out."""
import csv
import json

import numpy as np
from mcap.reader import make_reader

import tool
from tool import MODELS, RECIPE, run

FRAMES = 24
DATA = ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv"]


def read(path):
    """Scores by sample, labels by sample, and latencies, from the official reader."""
    scores, records = {}, {}
    with open(path, "rb") as file:
        for _, channel, message in make_reader(file).iter_messages():
            if channel.topic == "/frame":
                records[message.sequence] = json.loads(message.data)
            elif channel.topic.startswith("/model_output/"):
                scores[message.sequence] = np.frombuffer(message.data, channel.metadata["dtype"]).astype(np.float64)
    by_sample = {records[frame]["sample"]: values for frame, values in scores.items()}
    return by_sample, {r["sample"]: r.get("label") for r in records.values()}, [r["latency_ns"] / 1e6 for r in records.values() if "latency_ns" in r]


def wilson(right, n, z=1.959963984540054):
    p = right / n
    middle, half = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


class ReportTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.traces = self.folder / "traces"
        int8 = RECIPE + " | quantize(model)"
        for model, name, recipe, frames in (("float", "reference", RECIPE, FRAMES), ("float", "bgr", RECIPE.replace("rgb", "bgr"), FRAMES),
                                            ("int8", "good", int8, FRAMES), ("int8", "half", int8.replace("bilinear, antialias=on", "nearest"), FRAMES // 2)):
            self.record(model, f"{model}/{name}.mcap", recipe, "--frames", frames)

    def record(self, model, name, recipe, *more, data=DATA):
        run("run", MODELS / f"signs_{model}.tflite", "--recipe", recipe, *data, "--trace", self.traces / name, *more, expect=0)

    def report(self, *more, expect=0):
        return json.loads(run("report", self.traces, "--json", *more, expect=expect).out)

    def rows(self, *more):
        return {row["file"]: row for row in self.report(*more)["rows"]}

    def test_every_figure_is_numpys(self):
        rows = self.rows()
        self.assertEqual(set(rows), {"float/reference.mcap", "float/bgr.mcap", "int8/good.mcap", "int8/half.mcap"})
        reference, _, _ = read(self.traces / "float" / "reference.mcap")
        for file, row in rows.items():
            with self.subTest(file=file):
                scores, labels, latencies = read(self.traces / file)
                order = {s: np.argsort(-v, kind="stable") for s, v in scores.items()}
                for key, right in (("top1", sum(order[s][0] == labels[s] for s in scores)), ("topk", sum(labels[s] in order[s][:5] for s in scores))):
                    self.assertEqual((row[key]["part"], row[key]["of"]), (right, len(scores)))
                    np.testing.assert_allclose(row[key]["ci95"], wilson(right, len(scores)), atol=1e-9)
                self.assertEqual(row["latency"]["frames"], len(latencies))
                self.assertAlmostEqual(row["latency"]["p50_ms"], np.percentile(latencies, 50), places=9)
                self.assertAlmostEqual(row["latency"]["p90_ms"], np.percentile(latencies, 90), places=9)
                self.assertEqual(row["model"], "signs_" + file.split("/")[0])
                if row["reference"]:
                    self.assertIsNone(row["disagreement"])
                    continue
                common = [s for s in scores if s in reference]
                other = sum(scores[s].argmax() != reference[s].argmax() for s in common)
                self.assertEqual(row["disagreement"]["frames"], len(common))
                self.assertEqual((row["disagreement"]["other_class"]["part"], row["disagreement"]["other_class"]["of"]), (other, len(common)))
                np.testing.assert_allclose(row["disagreement"]["other_class"]["ci95"], wilson(other, len(common)), atol=1e-9)
        self.assertTrue(rows["float/reference.mcap"]["reference"])
        self.assertLess(rows["float/bgr.mcap"]["top1"]["share"], rows["float/reference.mcap"]["top1"]["share"] - 0.2)
        self.assertLess(rows["float/bgr.mcap"]["disagreement"]["p_value"], 0.05)

    def test_the_reference_is_marked_named_or_absent(self):
        self.assertEqual(self.report()["reference"], "reference.mcap")
        named = self.report("--reference", self.traces / "int8" / "good.mcap")
        self.assertEqual([row["file"] for row in named["rows"] if row["reference"]], ["int8/good.mcap"])
        (self.traces / "int8" / "half.mcap").rename(self.traces / "int8" / "reference_2.mcap")
        two = self.report()
        self.assertIsNone(two["reference"])
        self.assertIn("2 file names begin with 'reference'", two["reference_rule"])
        self.assertTrue(all(row["disagreement"] is None for row in two["rows"]))

    def test_labels_of_the_users_own_replace_the_recorded_ones(self):
        scores, labels, _ = read(self.traces / "int8" / "good.mcap")
        wrong = self.folder / "labels.csv"
        names = sorted(scores)
        with open(wrong, "w", newline="") as out:
            csv.writer(out).writerows([["file", "label"], *([name, int(scores[name].argmax()) if i % 3 else 0] for i, name in enumerate(names[:20]))])
        row = self.rows("--labels", wrong)["int8/good.mcap"]
        truth = {name: int(scores[name].argmax()) if i % 3 else 0 for i, name in enumerate(names[:20])}
        self.assertEqual((row["top1"]["part"], row["top1"]["of"]), (sum(scores[n].argmax() == truth[n] for n in truth), 20))
        self.assertIn("accuracy counts the 20 frames with a label", row["remarks"])
        with open(wrong, "w", newline="") as out:
            csv.writer(out).writerows([["file", "label"], [names[0], 0]])
        self.assertIn("accuracy counts the only frame with a label", self.rows("--labels", wrong)["int8/good.mcap"]["remarks"])

    def test_what_cannot_be_used_is_named_and_the_rest_is_shown(self):
        whole = (self.traces / "int8" / "good.mcap").read_bytes()
        (self.traces / "none.mcap").write_bytes(b"no trace")
        (self.traces / "cut.mcap").write_bytes(whole[:len(whole) // 2])  # one chunk: no part of it was saved
        (self.traces / "ended.mcap").write_bytes(whole[:-40])
        (self.traces / "evil\n\x1b[31m<b>.mcap").write_bytes(b"")
        (self.traces / "notes.txt").write_text("not looked at")
        done = self.report("--html", self.folder / "t.html")
        skipped = {entry["file"]: entry["why"] for entry in done["skipped"]}
        self.assertEqual(set(skipped), {"none.mcap", "cut.mcap", "evil\n\x1b[31m<b>.mcap"})
        self.assertIn("cut off", skipped["cut.mcap"])
        ended = next(row for row in done["rows"] if row["file"] == "ended.mcap")
        self.assertEqual(ended["frames"], FRAMES)
        self.assertIn("cut off", " ".join(ended["remarks"]))
        page, text = (self.folder / "t.html").read_text(), run("report", self.traces, expect=0).out
        for shown in (page, text):
            self.assertNotIn("\x1b", shown)
            self.assertIn("none.mcap", shown)
        self.assertNotIn("<b>.mcap", page)
        self.assertNotIn("<script", page)

    def test_the_text_is_a_table_of_100_columns_sorted_by_accuracy(self):
        (self.traces / "float" / "bgr.mcap").rename(self.traces / "float" / ("a_very_long_configuration_" * 3 + "äöü.mcap"))
        text = run("report", self.traces, expect=0).out
        table = text.split("\n\n")[0].splitlines()
        self.assertLessEqual(max(map(len, table)), 100)
        for model in ("signs_float", "signs_int8"):
            at = table.index(model)
            shares = []
            for line in table[at + 1:]:
                if not line.startswith("  "):
                    break
                shares.append(float(line[33:50].split()[0]))
            self.assertEqual(shares, sorted(shares, reverse=True))
            self.assertEqual(len(shares), 2)


if __name__ == "__main__":
    tool.main()
