# SPDX-License-Identifier: Apache-2.0
"""A sensor's readings end to end: run on arrays, and diagnose of an app in NumPy with injected faults. The readings are synthetic."""
import json
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import tool
from tool import ROOT, run, verdict_of

sys.path.insert(0, str(ROOT / "tests" / "python"))
sys.path.insert(0, str(ROOT / "bench" / "sensor"))
import support  # noqa: E402,F401  finds the Python package of this build, or skips
import edgeprobe  # noqa: E402
import planted  # noqa: E402

FRONT = "wrist"
SHAPE, RECIPE = planted.SHAPES[FRONT], planted.RECIPES[FRONT]


def classifier(path, classes=4):
    """An ONNX model whose answer depends on every value of its input."""
    count = int(np.prod(SHAPE))
    weights = (np.random.default_rng(3).normal(size=(count, classes)) / np.sqrt(count)).astype(np.float32)
    nodes = [helper.make_node("Flatten", ["x"], ["flat"]), helper.make_node("MatMul", ["flat", "w"], ["logits"]),
             helper.make_node("Softmax", ["logits"], ["scores"], axis=1)]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
                              [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, classes])], [numpy_helper.from_array(weights, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return weights


def scores_of(values, weights):
    logits = values.reshape(1, -1).astype(np.float64) @ weights
    scores = np.exp(logits - logits.max())
    return (scores / scores.sum()).astype(np.float32)


class ReadingsTest(tool.ToolTest):
    def recorded(self, foreign=None, logged=False, kind=np.float32, **faults):
        """A trace of an app, and its readings under the names of the frames; `logged`: by the app itself."""
        number = len(list(self.folder.glob("app*.mcap")))
        self.model, self.trace = self.folder / "model.onnx", self.folder / f"app{number}.mcap"
        weights, raw = classifier(self.model), {}
        with edgeprobe.Probe(str(self.trace), wait_when_full=True) as probe:
            for seed in range(4):
                readings = planted.generated(FRONT, seed)
                values = planted.app(FRONT, foreign(readings) if foreign else readings, **faults)
                raw[f"walk{seed}"] = readings
                with probe.frame(sample=f"walk{seed}") as frame:
                    if logged:
                        frame.readings("accelerometer", readings.astype(kind), logged)
                    frame.tensor("x", values, "model_input", position=0)
                    frame.tensor("scores", scores_of(values, weights), "model_output", position=0)
        return raw

    def verdict(self, foreign=None, expect=3, **faults):
        raw = self.recorded(foreign, **faults)
        self.more = ["--data", self.kept(raw)] if not faults.get("logged") else []
        return verdict_of("diagnose", self.trace, "--reference", self.model, "--reference-recipe", RECIPE, *self.more, expect=expect)

    def kept(self, raw):
        """The readings of all frames, under their names."""
        file = self.folder / "readings.npz"
        np.savez(file, accelerometer=np.stack(list(raw.values())), samples=np.array(list(raw)))
        return file

    def told(self, verdict):
        return sorted(c["kind"] for c in verdict["causes"] if c["status"] in ("confirmed", "note"))

    def test_a_healthy_app_agrees(self):
        verdict = self.verdict(expect=0)
        self.assertEqual((verdict["verdict"], verdict["causes"]), ("agrees", []))

    def test_planted_faults_are_named_and_confirmed_by_replay(self):
        for kind, words, faults in (
                ("unit", "(g for m/s²)", dict(unit=[1, 1, 1])), ("axis_order", "z, y, x", dict(axes=[2, 1, 0])), ("axis_order", "x, -y, z", dict(signs=[1, -1, 1])),
                ("sample_rate", "as recorded", dict(to=None)), ("sample_rate", "mean", dict(how="average")), ("window", "offset=17", dict(late=17)),
                ("window", "roll", dict(ring=40)), ("feature_normalization", "none", dict(mean=None, std=None)),
                ("feature_normalization", "window=mean_variance", dict(mean=None, std=None, own="deviation")),
                ("feature_normalization", "window=mean_sample_variance", dict(mean=None, std=None, own="sample deviation")), ("layout", "axes first", dict(turned=True))):
            with self.subTest(words):
                verdict = self.verdict(expect={0, 3, 4}, **faults)
                self.assertEqual(self.told(verdict), [kind], verdict["causes"])
                cause = next(c for c in verdict["causes"] if c["status"] in ("confirmed", "note"))
                self.assertIn(words, cause["detail"])
                if cause["status"] == "confirmed":
                    self.assertIn("replayed with this change", " ".join(cause["evidence"]))
        two = self.verdict(unit=[1, 1, 1], axes=[1, 0, 2])
        self.assertEqual(self.told(two), ["axis_order", "unit"])
        self.assertIn("the app's axes are y, x, z; the reference's are x, y, z", " ".join(c["detail"] for c in two["causes"]))
        text = run("diagnose", self.trace, "--reference", self.model, "--reference-recipe", RECIPE, *self.more, expect=3).out
        self.assertIn("(g for m/s²)", text)

    def test_readings_that_the_app_logs_need_no_data(self):
        self.assertEqual(self.verdict(expect=0, logged=100)["verdict"], "agrees")
        self.assertEqual(self.verdict(expect=0, logged=100, kind=np.float64)["verdict"], "agrees")
        for kind, words, faults in (("unit", "(g for m/s²)", dict(unit=[1, 1, 1])), ("axis_order", "z, y, x", dict(axes=[2, 1, 0])), ("window", "roll", dict(ring=40)),
                                    ("feature_normalization", "none", dict(mean=None, std=None))):
            with self.subTest(words):
                verdict = self.verdict(logged=100, **faults)
                self.assertEqual(self.told(verdict), [kind], verdict["causes"])
                self.assertIn(words, next(c for c in verdict["causes"] if c["status"] == "confirmed")["detail"])
        # A rate that the recipe does not state comes from the app's call.
        text = run("diagnose", self.trace, "--reference", self.model, "--reference-recipe", RECIPE.replace(", from=100", ""), "--json", expect=3).out
        self.assertEqual(self.told(json.loads(text)), ["feature_normalization"])
        shown = run("trace", "info", self.trace, expect=0).out
        self.assertIn("accelerometer", shown)

    def test_what_no_recipe_describes_is_never_confirmed(self):
        smooth = lambda x: np.stack([np.convolve(x[:, a], np.ones(5) / 5, "same") for a in range(3)], 1)  # noqa: E731
        for foreign in (smooth, lambda x: x * np.linspace(1, 1.3, len(x))[:, None], lambda x: np.clip(x, -.2, 1.1)):
            verdict = self.verdict(foreign=foreign, expect={3, 4})
            self.assertEqual(self.told(verdict), [])
            self.assertNotEqual(verdict["verdict"], "agrees")

    def test_values_that_no_recipe_makes_are_named_or_located(self):
        def dead(x):
            return x * np.array([1, 0, 1])

        def mixed(x):
            x = x.copy()
            x[:, 2] = np.random.default_rng(len(x)).permutation(x[:, 2])
            return x

        for foreign, column in ((dead, 1), (mixed, 2)):
            verdict = self.verdict(foreign=foreign, expect={3, 4})
            with self.subTest(foreign=foreign.__name__):
                self.assertIn(f"column {column} of 3", verdict["headline"])
                self.assertNotIn("see the pictures", verdict["headline"])
                self.assertEqual(len(self.told(verdict)), foreign is dead)

    def streamed(self, fed, begins=()):
        """The verdict on an app whose frame i should have the readings stream[64 i : 64 i + 128], but feeds those from `fed(i)` on."""
        self.model, self.trace = self.folder / "model.onnx", self.folder / f"stream{len(list(self.folder.glob('stream*')))}.mcap"
        weights, raw = classifier(self.model), {}
        stream = np.concatenate([planted.generated(FRONT, seed) for seed in range(3)])
        with edgeprobe.Probe(str(self.trace), wait_when_full=True) as probe:
            for i in range(20):
                values = ((stream[fed(i)] - np.float32(.1)) / np.float32(.5)).astype(np.float32).reshape(SHAPE)
                raw[f"frame{i}"] = stream[64 * i:64 * i + 128]
                with probe.frame(sample=f"frame{i}") as frame:
                    frame.tensor("x", values, "model_input", position=0)
                    frame.tensor("scores", scores_of(values, weights), "model_output", position=0)
        return verdict_of("diagnose", self.trace, "--reference", self.model, "--reference-recipe", "axes(x, y, z) | window(128) | normalize(mean=0.1, std=0.5)",
                          "--data", self.kept(raw), expect={0, 3, 4})

    def test_pieces_of_a_stream_are_named_with_their_first_frame(self):
        def rows(i, begin=None):
            return np.arange(128) + (64 * i if begin is None else begin)

        def half(i):
            return np.where(np.arange(128) < 50, rows(i), rows(i - 1)) if i == 13 else rows(i)

        self.assertEqual(self.streamed(rows)["verdict"], "agrees")
        for kind, words, fed in (
                ("window", "move on by 48 steps; the reference's by 64; first at frame 1", lambda i: rows(i, 48 * i)),
                ("window", "every window of the app is 64 steps (one window) before the reference's; first at frame 1", lambda i: rows(max(0, i - 1))),
                ("other_frame", "in 3 of 20 frames the app feeds a window that is 64 steps (one window) before its own; first at frame 5", lambda i: rows(i - (i % 5 == 0 and i > 0))),
                ("other_frame", "the app's stream lacks 17 steps that the reference's has; first at frame 6", lambda i: rows(i) + np.where(rows(i) < 500, 0, 17)),
                ("other_frame", "rows 50 to 127 contain what is 64 steps (one window) before; first at frame 13", half)):
            with self.subTest(words):
                verdict = self.streamed(fed)
                self.assertEqual(self.told(verdict), [kind], verdict["causes"])
                self.assertIn(words, next(c for c in verdict["causes"] if c["status"] in ("confirmed", "note"))["detail"])

    def test_arrays_run_by_a_recipe_and_replay_equally(self):
        model = self.folder / "model.onnx"
        weights = classifier(model)
        readings = np.stack([planted.generated(FRONT, seed) for seed in range(3)])
        data, trace = self.folder / "walks.npz", self.folder / "run.mcap"
        np.savez(data, accelerometer=readings)
        summary = json.loads(run("run", model, "--recipe", RECIPE, "--data", data, "--trace", trace, "--json", expect=0).out)
        self.assertEqual(summary["frames"], 3)
        with edgeprobe.Trace(str(trace)) as recorded:
            for k, frame in enumerate(recorded.frames):
                wanted = planted.app(FRONT, readings[k])
                np.testing.assert_allclose(frame["model_input/x"], wanted, rtol=1e-5, atol=1e-6)
                np.testing.assert_allclose(frame["model_output/scores"], scores_of(wanted, weights), atol=1e-5)
        verdict = verdict_of("diagnose", trace, "--reference", model, "--reference-recipe", RECIPE, expect=0)
        self.assertEqual(verdict["verdict"], "agrees")
        verdict = verdict_of("check", model, "--reference", model, "--recipe", RECIPE.replace("(9.80665)", "(1)"), "--reference-recipe", RECIPE, "--data", data,
                             expect={3, 4})
        self.assertEqual(self.told(verdict), ["unit"], verdict["causes"])

    def table(self, name, seed, steps=2000, gap=None, labels=None):
        """A recording in the form of a phone's logger: nanoseconds, axes by name, z first. The readings are [steps, 3]."""
        readings = np.concatenate([planted.generated(FRONT, 10 * seed + k) for k in range(1 + steps // 640)])[:steps]
        times = 1_700_000_000_000_000_000 + 10_000_000 * np.arange(steps) + np.random.default_rng(seed).integers(-900_000, 900_000, steps)
        if gap:
            times[gap:] += 250_000_000
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        columns = [times, *(readings[:, a].astype(str) for a in (2, 1, 0))] + ([labels] if labels is not None else [])
        file.write_text("time_ns,acc_z,acc_y,acc_x" + (",label" if labels is not None else "") + "\n"
                        + "".join(",".join(map(str, row)) + "\n" for row in zip(*columns)))
        return readings

    def test_tables_are_recordings_with_rate_and_label(self):
        model, walks = self.folder / "model.onnx", self.folder / "walks"
        weights = classifier(model)
        labels = np.repeat(["stand", "", "walk"], [300, 50, 310])
        raw = {"a.csv": self.table("walks/a.csv", 1, steps=660, labels=labels), "b/c.csv": self.table("walks/b/c.csv", 2, steps=660, gap=500, labels=labels)}
        (self.folder / "names.txt").write_text("walk\nstand\n")
        # Without from=, the rate comes from the file's times.
        done = run("run", model, "--recipe", RECIPE.replace(", from=100", ""), "--data", walks, "--classes", self.folder / "names.txt", "--trace", self.folder / "run.mcap",
                   "--json", expect=0)
        self.assertIn("warning: 'b/c.csv': 1 of 659 steps of time are gaps, the first before line 502", done.err)
        with edgeprobe.Trace(str(self.folder / "run.mcap")) as recorded:
            self.assertEqual([frame.sample for frame in recorded.frames], list(raw))
            for frame in recorded.frames:
                readings = raw[frame.sample]
                np.testing.assert_array_equal(frame["raw_input/readings"], readings)
                self.assertEqual(frame.channel("readings").metadata["sample_rate"], "100")
                np.testing.assert_allclose(frame["model_input/x"], planted.app(FRONT, readings), rtol=1e-5, atol=1e-6)
                np.testing.assert_allclose(frame["model_output/scores"], scores_of(planted.app(FRONT, readings), weights), atol=1e-5)
                self.assertEqual(frame.label, 0)  # 310 steps of walking, 300 of standing.
        verdict = verdict_of("check", model, "--reference", model, "--recipe", RECIPE.replace("(9.80665)", "(1)"), "--reference-recipe", RECIPE, "--data", walks / "a.csv",
                             "--classes", self.folder / "names.txt",
                             expect={3, 4})
        self.assertEqual(self.told(verdict), ["unit"], verdict["causes"])
        refused = run("run", model, "--recipe", RECIPE, "--data", walks, "--trace", self.folder / "t.mcap", expect=2)
        self.assertIn("a.csv' line 2: label 'stand', expected a class number from 0 on, or a name with --classes FILE", refused.err)

    def test_tables_join_the_frames_of_a_trace_by_name(self):
        self.model, self.trace, data = self.folder / "model.onnx", self.folder / "named.mcap", self.folder / "walks"
        weights = classifier(self.model)
        data.mkdir()
        with edgeprobe.Probe(str(self.trace), wait_when_full=True) as probe:
            for seed in range(3):
                readings = planted.generated(FRONT, seed)
                np.savetxt(data / f"{seed}.csv", readings, delimiter=",", header="x,y,z", comments="", fmt="%.9g")
                values = planted.app(FRONT, readings, unit=[1, 1, 1])
                with probe.frame(sample=f"{seed}.csv") as frame:
                    frame.tensor("x", values, "model_input", position=0)
                    frame.tensor("scores", scores_of(values, weights), "model_output", position=0)
        verdict = verdict_of("diagnose", self.trace, "--reference", self.model, "--reference-recipe", RECIPE, "--data", data, expect=3)
        self.assertEqual(self.told(verdict), ["unit"], verdict["causes"])

    def test_bad_tables_are_refused_with_file_and_line(self):
        model, data = self.folder / "model.onnx", self.folder / "data"
        classifier(model)
        data.mkdir()
        for text, words in (("x,y,z\n1,2,3\n1,2\n", "a.csv' line 3: 2 fields, and the header has 3"), ("x,y,z\n1,2,nan\n", "a.csv' line 2: column 'z' is 'nan'"),
                            ("x,y,z\n1,2,3\n1,,3\n", "a.csv' line 3: column 'y' is empty"), ("x,y,z\n", "a.csv' it contains a header but no row"),
                            ("t,x,y,z\n0.1,1,2,3\n0.05,1,2,3\n", "a.csv' line 3: the time 't' goes back")):
            (data / "a.csv").write_text(text)
            refused = run("run", model, "--recipe", RECIPE, "--data", data, "--trace", self.folder / "t.mcap", expect=2)
            self.assertIn(words, refused.err)
        (data / "a.csv").write_text("x,y,z\n1,2,3\n")
        (data / "b.csv").write_text("x,y\n1,2\n")
        refused = run("run", model, "--recipe", RECIPE, "--data", data, "--trace", self.folder / "t.mcap", expect=2)
        self.assertIn("b.csv' line 1: its axes are x, y; those of 'a.csv' are x, y, z", refused.err)

    def test_recipes_are_worded_and_refused(self):
        shown = run("recipe", "show", RECIPE, expect=0).out
        self.assertIn("128 steps", shown)
        model, data = self.folder / "model.onnx", self.folder / "short.npz"
        classifier(model)
        np.savez(data, a=np.zeros((2, 100, 3), np.float32))
        refused = run("run", model, "--recipe", RECIPE, "--data", data, "--trace", self.folder / "t.mcap", expect=2)
        self.assertIn("window: it wants steps 0 to 127 of 50", refused.err)
        np.savez(data, a=np.full((2, 300, 3), np.nan, np.float32))
        refused = run("run", model, "--recipe", RECIPE, "--data", data, "--trace", self.folder / "t.mcap", expect={1, 2})
        self.assertIn("step 0, axis 0 is not finite", refused.err)


if __name__ == "__main__":
    tool.main()
