# SPDX-License-Identifier: Apache-2.0
"""Classes of Kenning as plug-ins, against Kenning's own calls in another process.

kenning_test.py EDGEPROBE: runs on a stand-in for Kenning's base classes (kenning/stand_in). EDGEPROBE_KENNING_PYTHON names a Python with Kenning, whose own
classes run then as well; EDGEPROBE_EDGE_AI_TESTER_PYTHON one with the first release."""
import json
import os
import shutil
import subprocess
import sys

import plugin_test
import numpy as np
import tool
import edgeprobe
from tool import ToolTest, run

HOME = plugin_test.HERE / "kenning"

#: An engine that takes any inputs: its trace holds what the data set gave.
ECHO = '''
import json
from edgeprobe.plugins import Tensor

class Echo:
    stateful = False

    def load(self, file):
        self.inputs = [Tensor(name, dtype, tuple(shape)) for name, dtype, shape in json.loads(file.read_text())]
        self.outputs = [Tensor("first", self.inputs[0].dtype, (1,))]

    def run(self, inputs):
        return [inputs[0].reshape(-1)[:1].copy()]
'''


class KenningTest(ToolTest):
    python, stand_in, which = sys.executable, True, []

    @classmethod
    def setUpClass(cls):
        if not cls.python:
            print(f"skipped: {cls.__name__}: no Python with it is named", flush=True)
            raise cls.skip("no Python with it is named")
        cls.cases = cls.class_folder() / "cases"
        cls.environment = {**os.environ, "EDGEPROBE_PYTHON": cls.python, **({"PYTHONPATH": str(HOME / "stand_in")} if cls.stand_in else {})}
        done = subprocess.run([cls.python, HOME / "cases.py", cls.cases, *cls.which], capture_output=True, text=True, timeout=tool.PATIENCE, env=cls.environment)
        assert done.returncode == 0, done.stdout + done.stderr
        for line in done.stdout.splitlines():
            if line.startswith("skipped"):
                print(line, flush=True)
        cls.echo = cls.cases / "echo.py"
        cls.echo.write_text(ECHO)

    @staticmethod
    def skip(why):
        import unittest

        return unittest.SkipTest(why)

    def edgeprobe(self, *arguments, expect=0, **more):
        done = run(*arguments, expect=expect, env={**self.environment, **more})
        if expect == 0:
            self.assertNotIn("Traceback", done.err)
        return done

    def homes(self, kind):
        homes = sorted(path.parent for path in self.cases.glob("*/case.json"))
        return [(home, case) for home in homes for case in [json.loads((home / "case.json").read_text())] if case["kind"] == kind]

    def samples(self, plugin, inputs, *flags, expect=0):
        """The trace of the echo of a data set."""
        model, trace = self.folder / "echo.json", self.folder / "t.mcap"
        model.write_text(json.dumps(inputs))
        trace.unlink(missing_ok=True)
        done = self.edgeprobe("run", model, "--engine", f"{self.echo}:Echo", "--data", plugin, "--trace", trace, *flags, expect=expect)
        if expect:
            return done
        opened = edgeprobe.load(trace)
        self.addCleanup(opened.close)
        return opened

    def same(self, got, expected, what):
        self.assertEqual((got.dtype, got.shape), (expected.dtype, expected.shape), what)
        np.testing.assert_array_equal(got, expected, what)

    def check_datasets(self, least):
        homes = self.homes("dataset")
        self.assertGreaterEqual(len(homes), least)
        for home, case in homes:
            with self.subTest(home.name):
                expected = np.load(home / "expected.npz")
                trace = self.samples(case["plugin"], case["inputs"])
                self.assertEqual([frame.sample for frame in trace.frames], case["names"])
                if case["labels"] is not None:
                    self.assertEqual([frame.record.get("label") for frame in trace.frames], case["labels"])
                for i, frame in enumerate(trace.frames):
                    for j, (name, *_) in enumerate(case["inputs"]):
                        self.same(frame[f"model_input/{name}"].reshape(expected[f"{i} {j}"].shape), expected[f"{i} {j}"], f"sample {i}")
                    if case["boxes"] is not None:
                        boxes = frame.annotation.value["boxes"]
                        self.assertEqual(len(boxes), len(case["boxes"][i]))
                        for box, wanted in zip(boxes, case["boxes"][i]):
                            np.testing.assert_allclose(box[:7], wanted, rtol=1e-12)

    def check_engines(self, least):
        homes = self.homes("engine")
        self.assertGreaterEqual(len(homes), least)
        for home, case in homes:
            with self.subTest(home.name):
                expected, file = np.load(home / "expected.npz"), self.folder / "t.mcap"
                file.unlink(missing_ok=True)
                self.edgeprobe("run", case["model"], "--engine", case["plugin"], "--data", home / "data.npz", "--trace", file)
                with edgeprobe.load(file) as trace:
                    channels = {stage: [[c.name, c.dtype, list(c.shape)] for c in trace.channels if c.stage == stage] for stage in ("model_input", "model_output")}
                    self.assertEqual(channels["model_input"], case["inputs"])
                    # An open output has a channel for each of its shapes.
                    self.assertEqual(list(dict.fromkeys((name, dtype) for name, dtype, _ in channels["model_output"])),
                                     [(name, dtype) for name, dtype, _ in case["outputs"]])
                    self.assertEqual(len(trace.frames), case["samples"])
                    for i, frame in enumerate(trace.frames):
                        for j, (name, *_) in enumerate(case["outputs"]):
                            self.same(frame[f"model_output/{name}"], expected[f"{i} {j}"], f"output {name} of sample {i}")


class Users(KenningTest):
    """A user's classes on the stand-in."""

    def test_data_sets(self):
        self.check_datasets(6)

    def test_engines(self):
        self.check_engines(4)

    def points(self, options="", name="Points"):
        return f"{HOME}/classes.py:{name}?dataset_root={self.cases}/points{options}"

    def linear(self, options=""):
        return f"{HOME}/classes.py:Linear?dataset={HOME}/classes.py:Points&dataset.dataset_root={self.cases}/points{options}"

    ROW = [["row", "float32", [1, 4]]]

    def test_the_wrapper_is_the_reference_of_a_deployed_model(self):
        """The deployed one is a runtime with other weights: its outputs differ from those of the wrapper's model, and with the same weights they do not."""
        (self.folder / "spec.json").write_text(json.dumps({"input": [{"name": "row", "shape": [1, 4], "dtype": "float32"}],
                                                           "output": [{"name": "scores", "shape": [1, 3], "dtype": "float32"}]}))
        prepared = f"&model_wrapper={HOME}/classes.py:Linear&model_wrapper.model_path={self.cases}/weights.npy"
        model, other = self.cases / "weights.npy", self.folder / "other.npy"
        np.save(other, np.load(model)[:, ::-1])
        for deployed, expect in ((model, 0), (other, 3)):
            done = self.edgeprobe("check", deployed, "--engine", f"{HOME}/classes.py:LinearRuntime?io_spec={self.folder}/spec.json", "--reference", model,
                                  "--reference-engine", self.linear(), "--data", self.points(prepared), expect=expect)
            self.assertRegex(done.out, r"agrees \(exit code 0\)" if expect == 0 else r"n = 15")

    def test_help_shows_its_parameters(self):
        told = json.loads(self.edgeprobe("help", f"{HOME}/classes.py:Points", "--json").out)
        options = {one["name"]: one for one in told["options"]}
        self.assertEqual((told["kind"], told["class"]), ("dataset", "Points"))
        self.assertEqual(options["columns"]["type"], "list of int")
        self.assertEqual(options["columns"]["default"], "none")
        self.assertEqual(options["sample_form"]["choices"], ["plain", "noisy", "text", "next"])
        self.assertTrue(options["dataset_root"]["required"])
        self.assertFalse(options["download_dataset"]["default"])
        self.assertEqual(options["split"]["choices"], ["all", "train", "test", "val"])
        self.assertNotIn("inference_batch_size", options)
        self.assertIn("Factor of all numbers", self.edgeprobe("help", f"{HOME}/classes.py:Points").out)
        told = json.loads(self.edgeprobe("help", f"{HOME}/classes.py:Linear", "--json").out)
        self.assertEqual(told["kind"], "engine")
        self.assertEqual([one["name"] for one in told["options"] if one["name"] not in ("fault", "model_name")], ["temperature", "io", "dataset"])

    def test_wrong_options_end_before_work(self):
        for options, words in (("&fcator=2", "Points has no option 'fcator'; did you mean 'factor'?"), ("&factor=much", "option 'factor' is 'much'; expected a number"),
                               ("&columns=1,x", "option 'columns' is '1,x'; expected a whole number, with commas between several, or none"),
                               ("&sample_form=loud", "expected plain or noisy or text or next"), ("&split=some", "expected all or train or test or val")):
            self.assertIn(words, self.samples(self.points(options), self.ROW, expect=2).err)
        for role, words in (("LinearRuntime", "which is no ModelWrapper of Kenning"), ("Linear", "Points needs option 'model_wrapper.model_path'")):
            self.assertIn(words, self.samples(self.points(f"&model_wrapper={HOME}/classes.py:{role}"), self.ROW, expect=2).err)
        self.assertIn("Points needs option 'dataset_root' (a path): ", self.samples(f"{HOME}/classes.py:Points", self.ROW, expect=2).err)

    def test_errors_name_class_method_and_line(self):
        self.assertIn("Points.__init__ raises OSError: no points (classes.py line", self.samples(self.points("&fault=prepare"), self.ROW, expect=1).err)
        self.assertIn("release makes no part val" if self.stand_in else "iter_val raises", self.samples(self.points("&split=val"), self.ROW, expect=1).err)
        self.assertIn("Points.prepare_input_samples gives other values when it is asked for '000000' again", self.samples(self.points("&sample_form=next"), self.ROW, expect=1).err)
        trace, model = self.folder / "t.mcap", self.folder / "echo.json"
        model.write_text(json.dumps(self.ROW))
        done = self.edgeprobe("run", model, "--engine", f"{self.echo}:Echo", "--data", self.points("&fault=sample"), "--trace", trace, expect=0)
        self.assertIn("Points.prepare_input_samples raises ValueError: bad row (classes.py line", done.out + done.err)
        with edgeprobe.load(trace) as opened:
            self.assertEqual(len(opened.frames), 14)

    def failing(self, engine, words, expect=1, model=None):
        data = self.folder / "row.npz"
        np.savez(data, row=np.ones((1, 1, 4), np.float32))
        done = self.edgeprobe("run", model or self.cases / "weights.npy", "--engine", engine, "--data", data, "--trace", self.folder / "t.mcap", expect=expect)
        self.assertIn(words, done.err)

    def test_errors_of_engines(self):
        self.failing(self.linear("&fault=run"), "Linear.run_inference raises ZeroDivisionError: no answer (classes.py line")
        self.failing(self.linear("&fault=type"), "Linear.run_inference returned output 'scores' as float32 [1, 3]; get_io_specification() says float64 [1, 3]")
        self.failing(f"{HOME}/classes.py:Linear", "most wrappers need their Dataset: the options dataset=CLASS and dataset.NAME=VALUE")
        self.failing(self.linear("&dataset.facto=2"), "Linear has no option 'dataset.facto'; did you mean 'dataset.factor'?", expect=2)
        self.failing(f"{HOME}/classes.py:Linear?dataset={HOME}/classes.py:Linear", "has no method 'samples'", expect=2)
        self.failing(f"{HOME}/classes.py:Linear?dataset={HOME}/classes.py:Pionts", "has no class 'Pionts'; did you mean 'Points'?", expect=2)
        self.failing(f"{HOME}/classes.py:LinearRuntime", "LinearRuntime needs Kenning's specification of inputs and outputs: 'weights.npy.json' next to the model")
        self.failing(f"{HOME}/classes.py:LinearRuntime?io_spec={self.folder}/none.json", "option 'io_spec': there is no file")
        for fault, method in (("model", "prepare_model"), ("input", "load_input")):
            self.failing(f"{HOME}/classes.py:LinearRuntime?io_spec={self.cases}/real.json&fault={fault}", f"LinearRuntime.{method} returned False")
        self.failing(self.points(), "Points in 'classes.py' has no method 'run'", expect=2)

    def test_classes_inside_the_package(self):
        if not self.stand_in:
            return  # check_datasets() has them
        package = shutil.copytree(HOME / "stand_in", self.folder / "stand_in")
        (package / "kenning/datasets").mkdir()
        (package / "kenning/datasets/points.py").write_text((HOME / "classes.py").read_text())
        path = {"PYTHONPATH": str(package)}
        told = json.loads(self.edgeprobe("help", "python:kenning.datasets.points:Points", "--json", **path).out)
        self.assertEqual((told["kind"], told["class"]), ("dataset", "Points"))
        self.assertEqual(json.loads(self.edgeprobe("help", "python:kenning:Points", "--json", **path).out)["file"], told["file"])
        for name in ("kenning.datasets.points:Point", "kenning:Point"):
            self.assertIn("did you mean 'Points'?", self.edgeprobe("help", f"python:{name}", expect=2, **path).err)
        long = "LinearRuntimeWithANameOfMoreThanFortyLetters"
        with open(package / "kenning/datasets/points.py", "a") as file:
            file.write(f"\n\nclass {long}(LinearRuntime):\n    pass\n")
        data, trace = self.folder / "row.npz", self.folder / "t.mcap"
        np.savez(data, row=np.ones((1, 1, 4), np.float32))
        self.edgeprobe("run", self.cases / "weights.npy", "--engine", f"python:kenning:{long}?io_spec={self.cases}/real.json", "--data", data, "--trace", trace, **path)
        self.assertIn("No module named 'kenning.nothing'", self.edgeprobe("help", "python:kenning.nothing:Points", expect=2, **path).err)

    def test_texts(self):
        trace = self.folder / "t.mcap"
        done = self.edgeprobe("run", self.cases / "weights.npy", "--engine", f"{HOME}/classes.py:LinearRuntime?io_spec={self.cases}/real.json", "--data",
                              self.points("&sample_form=text"), "--trace", trace, expect={1, 2})
        self.assertIn("text", done.err)


class Real(Users):
    """The same, and Kenning's own classes, on Kenning itself."""

    python, stand_in = os.environ.get("EDGEPROBE_KENNING_PYTHON", ""), False

    def test_data_sets(self):
        self.check_datasets(14)

    def test_engines(self):
        self.check_engines(9)


class First(KenningTest):
    """Classes of the first release, on its stand-in."""

    which = ["first"]

    def test_data_sets(self):
        self.check_datasets(2)

    def test_engines(self):
        self.check_engines(3)


class RealFirst(First):
    python, stand_in = os.environ.get("EDGEPROBE_EDGE_AI_TESTER_PYTHON", ""), False

    def test_data_sets(self):
        self.check_datasets(2)


if __name__ == "__main__":
    tool.main()
