# SPDX-License-Identifier: Apache-2.0
"""Metric plug-ins: figures equal NumPy's, verdicts and contracts go by them, and a sentence for each fault.

metric_test.py EDGEPROBE"""
import json
import textwrap

import plugin_test  # noqa: F401
import numpy as np
import tool
import edgeprobe
from tool import MODELS, RECIPE, ToolTest, run

SOURCE = '''
import dataclasses, os, time
import numpy as np
from edgeprobe.plugins import option

@dataclasses.dataclass
class Missed:
    """Sum of the probabilities that the right class lacks, over the root of the number of frames: no mean."""
    better = "lower"
    name = "missed probability"
    fault: str = ""
    power: float = option(0.5, least=0)
    count = 0

    def frame(self, outputs, annotation):
        self.count += 1
        if self.fault == "raise" and self.count == 3: raise ValueError("bad frame")
        if self.fault == "abort" and self.count == 3: os.abort()
        if self.fault == "sleep" and self.count == 3: time.sleep(1000)
        if self.fault == "print": print("noise")
        if self.fault == "some" and annotation % 2: return None
        if self.fault == "all": return None
        (scores,) = outputs.values()
        assert scores.shape == (1, 12) and scores.dtype == np.float32
        return 1 - float(scores[0, annotation])

    def figure(self, frames):
        if self.fault == "text": return "0.5"
        if self.fault == "list": return [1]
        if self.fault == "nan": return float("nan")
        if self.fault == "huge": return 10 ** 400
        if self.fault == "fork" and os.fork() == 0: return 0
        return sum(frames) / len(frames) ** self.power

class Right:
    better = "higher"
    def frame(self, outputs, annotation):
        return next(iter(outputs.values())).argmax() == annotation

class Answered:
    better = "higher"
    def frame(self, outputs, annotation, answer):
        return None if answer is None else float(answer.labels[0] == f"sign {annotation}")

class Directionless:
    def frame(self, outputs, annotation): return 0

class Frameless:
    better = "higher"
'''


class MetricTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "metrics.py"
        self.file.write_text(textwrap.dedent(SOURCE))

    def metric(self, name="Missed", options=""):
        return ["--metric", f"{self.file}:{name}" + ("?" + options if options else "")]

    def data(self, frames=60):
        return ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv", "--frames", frames]

    def record(self, name, recipe=RECIPE, frames=60):
        trace = self.folder / name
        run("run", MODELS / "signs_float.tflite", "--recipe", recipe, *self.data(frames), "--trace", trace, "--force", expect=0)
        opened = edgeprobe.load(trace)
        self.addCleanup(opened.close)
        output = next(c.name for c in opened.channels if c.stage == "model_output")
        scores = opened.stack(f"model_output/{output}")[:, 0]
        labels = np.array([frame.record["label"] for frame in opened.frames])
        return trace, 1 - scores[np.arange(len(labels)), labels].astype(float)


class Figures(MetricTest):
    def test_compare_equals_numpy(self):
        """Both figures, their difference, and intervals near those of NumPy's own bootstrap."""
        (right, of_right), (wrong, of_wrong) = self.record("r.mcap"), self.record("w.mcap", RECIPE.replace("rgb", "bgr"))
        said = json.loads(run("compare", right, wrong, "--json", *self.metric(), expect=3).out)["metric"]
        figure = lambda missed: missed.sum(-1) / np.sqrt(missed.shape[-1])  # noqa: E731
        self.assertEqual((said["name"], said["higher_is_better"], said["frames"]), ("missed probability", False, 60))
        self.assertAlmostEqual(said["reference"]["value"], figure(of_right), places=6)
        self.assertAlmostEqual(said["target"]["value"], figure(of_wrong), places=6)
        self.assertAlmostEqual(said["difference"], figure(of_wrong) - figure(of_right), places=6)
        self.assertLess(said["p_value"], 0.01)
        draws = np.random.default_rng(8).integers(0, 60, (20000, 60))
        for got, values in ((said["target"]["ci95"], figure(of_wrong[draws])), (said["difference_ci95"], figure(of_wrong[draws]) - figure(of_right[draws]))):
            low, high = np.percentile(values, [2.5, 97.5])
            np.testing.assert_allclose(got, [low, high], atol=0.15 * (high - low))

    def test_frames_that_it_leaves_out(self):
        trace, missed = self.record("r.mcap", frames=25)
        opened = edgeprobe.load(trace)
        self.addCleanup(opened.close)
        labels = np.array([frame.record["label"] for frame in opened.frames])
        said = json.loads(run("compare", trace, trace, "--json", *self.metric(options="fault=some&power=1"), expect=0).out)["metric"]
        self.assertEqual((said["frames"], said["left_out"]), ((labels % 2 == 0).sum(), (labels % 2).sum()))
        self.assertGreater(said["left_out"], 0)
        self.assertAlmostEqual(said["target"]["value"], missed[labels % 2 == 0].mean(), places=6)
        done = run("compare", trace, trace, *self.metric(options="fault=all"), expect=0)
        self.assertIn("the metric 'missed probability' is not defined over these frames", done.err)

    def test_the_mean_of_its_frames(self):
        """Without figure(): the accuracy that the program counts itself."""
        trace, _ = self.record("w.mcap", RECIPE.replace("rgb", "bgr"))
        said = json.loads(run("compare", trace, trace, "--json", *self.metric("Right"), expect=0).out)
        self.assertAlmostEqual(said["metric"]["target"]["value"], said["classes"]["target_accuracy"], places=9)
        self.assertEqual(edgeprobe.compare(trace, trace, metric=f"{self.file}:Right")["metric"], said["metric"])

    def test_recorded_answers(self):
        trace = self.folder / "a.mcap"
        names = self.folder / "names.txt"
        names.write_text("".join(f"sign {i}\n" for i in range(12)))
        run("run", MODELS / "signs_float.tflite", "--recipe", f"{RECIPE} || topk(3) | labels({names})", *self.data(24), "--trace", trace, expect=0)
        said = json.loads(run("compare", trace, trace, "--json", *self.metric("Answered"), expect=0).out)
        self.assertEqual(said["metric"]["frames"], 24)
        self.assertAlmostEqual(said["metric"]["target"]["value"], said["classes"]["target_accuracy"], places=9)

    def test_measurements_and_reports(self):
        trace, missed = self.record("r.mcap", frames=24)
        value = missed.sum() / np.sqrt(24)
        written, again = self.folder / "m.json", self.folder / "n.json"
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, *self.data(24), "--trace", self.folder / "u.mcap", "--measurements", written, *self.metric(), expect=0)
        for name in ("value", "frames"):
            self.assertAlmostEqual(json.loads(written.read_text())["edgeprobe_metrics"][0][name], {"value": value, "frames": 24}[name], places=6)
        text = run("measurements", written, "--measurements", again, expect=0).out
        self.assertRegex(text, rf"m +missed probability +{value:.4g}\d* +[\d.]+ to [\d.]+ +24 +lower")
        self.assertEqual(json.loads(again.read_text())["edgeprobe_metrics"], json.loads(written.read_text())["edgeprobe_metrics"])
        self.assertIn("missed probability", run("measurements", trace, *self.metric(), expect=0).out)
        rows = json.loads(run("report", self.folder, "--json", *self.metric(), expect=0).out)["rows"]
        self.assertAlmostEqual(rows[0]["metric"]["target"]["value"], value, places=6)
        self.assertIn("--metric judges the outputs in traces", run("measurements", written, *self.metric(), expect=2).err)


class Verdicts(MetricTest):
    def check(self, *flags, recipe=RECIPE.replace("rgb", "bgr"), expect=3):
        return run("check", MODELS / "signs_float.tflite", "--recipe", recipe, "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE,
                   *self.data(), *flags, expect=expect)

    def test_what_a_fix_restores(self):
        """The replay of the fix has the reference's own figure."""
        said = json.loads(self.check("--json", *self.metric()).out)
        _, right = self.record("r.mcap")
        _, wrong = self.record("w.mcap", RECIPE.replace("rgb", "bgr"))
        task = said["task"]
        self.assertEqual((task["metric"], task["of_plugin"], task["lower_is_better"], task["n"]), ("missed probability", True, True, 60))
        for side, missed in (("reference", right), ("target", wrong), ("fixed", right)):
            self.assertAlmostEqual(task[side], missed.sum() / np.sqrt(60), places=5)
        (cause,) = [c for c in said["causes"] if c["status"] == "confirmed"]
        self.assertEqual((cause["kind"], cause["restored_unit"]), ("channel_order", "metric"))
        self.assertAlmostEqual(cause["restored"], task["fixed"], places=9)
        text = self.check(*self.metric()).out
        self.assertRegex(" ".join(text.split()), r"with that fixed, missed probability is [\d.]+ again, not [\d.]+")
        self.assertRegex(text, r"Miss…ability +target +[\d.]+ +95 %: [\d.]+ to [\d.]+ +n = 60")
        self.assertRegex(text, r"after fix +[\d.]+")

    def test_the_gate(self):
        self.assertIn("Give --metric FILE.py:CLASS", self.check("--gate", "metric", expect=2).err)
        self.check("--gate", "metric", *self.metric())
        said = json.loads(self.check("--gate", "metric", "--json", *self.metric("Right"), recipe=RECIPE, expect=0).out)
        self.assertEqual(said["task"]["target"], said["task"]["reference"])

    def test_contracts(self):
        healthy, _ = self.record("r.mcap")
        faulty, _ = self.record("w.mcap", RECIPE.replace("rgb", "bgr"))
        contract = self.folder / "contract.json"
        run("contract", "learn", healthy, "-o", contract, *self.metric(), expect=0)
        self.assertEqual(json.loads(contract.read_text())["answers"]["metric"]["name"], "missed probability")
        run("contract", "check", healthy, "--contract", contract, *self.metric(), expect=0)
        done = run("contract", "check", faulty, "--contract", contract, *self.metric(), expect=3)
        self.assertIn("missed probability is worse than the contract allows", done.out)
        self.assertIn("give the metric of the contract with --metric", run("contract", "check", healthy, "--contract", contract).out)


class Faults(MetricTest):
    def test_each_is_a_sentence(self):
        trace, _ = self.record("r.mcap", frames=6)
        for options, expect, words in (
            ("fault=raise", 1, "Missed.frame raises ValueError: bad frame (metrics.py line"),
            ("fault=abort", 1, "its process ended with SIGABRT (Aborted), in frame, metrics.py line"),
            ("fault=list", 1, "Missed.figure returned list, expected a number"),
            ("fault=text", 1, "Missed.figure returned str, expected a number"),
            ("fault=huge", 1, "Missed.figure returned int, expected a number"),
            ("power=-1", 2, "option 'power' is '-1'; expected a number of at least 0"),
            ("pwoer=1", 2, "Missed has no option 'pwoer'; did you mean 'power'?"),
        ):
            with self.subTest(options):
                self.assertIn(words, run("compare", trace, trace, *self.metric(options=options), expect=expect).err)
        for options in ("fault=print", "fault=nan", "fault=fork"):
            run("compare", trace, trace, *self.metric(options=options), expect=0)

    def test_a_hang(self):
        done = run("check", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, *self.data(6),
                   *self.metric(options="fault=sleep"), "--time-limit", 3, expect=1)
        self.assertIn("it took longer than the limit of 3 s", done.err)
        self.assertIn("Missed.frame is running (metrics.py line", done.err)

    def test_wrong_classes(self):
        trace, _ = self.record("r.mcap", frames=3)
        for name, words in (("Mised", "has no class 'Mised'; did you mean 'Missed'?"), ("Directionless", "Directionless.better is None; expected 'higher' or 'lower'"),
                            ("Frameless", "Frameless in 'metrics.py' has no method 'frame'")):
            with self.subTest(name):
                self.assertIn(words, run("compare", trace, trace, *self.metric(name), expect=2).err)
        self.assertIn("expected FILE.py:CLASS or python:NAME", run("compare", trace, trace, "--metric", "accuracy", expect=2).err)
        self.assertIn("metric plug-in 'acuracy' is unknown", run("compare", trace, trace, "--metric", "python:acuracy", expect=2).err)

    def test_a_scenario_names_one_with_trust_only(self):
        (self.folder / "s.yml").write_text(f"kind: inference_performance\nmodel: {MODELS}/signs_float.tflite\nrecipe: {RECIPE!r}\n"
                                           f"dataset: {{data: {MODELS}/data/test, labels: {MODELS}/data/labels.csv, frames: 6}}\nreport: {{metric: 'metrics.py:Right'}}\n")
        self.assertIn("names the plug-in", run("scenario", "run", self.folder / "s.yml", expect=2).err)
        run("scenario", "run", self.folder / "s.yml", "--trust", expect=0)
        self.assertEqual(json.loads((self.folder / "s-results" / "measurements.json").read_text())["edgeprobe_metrics"][0]["frames"], 6)


if __name__ == "__main__":
    tool.main()
