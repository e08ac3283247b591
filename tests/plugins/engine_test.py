# SPDX-License-Identifier: Apache-2.0
"""Engine plug-ins: outputs as NumPy computes them, layers, options, and a sentence for each fault.

engine_test.py EDGEPROBE"""
import json
import signal
import subprocess
import sys

import plugin_test
import numpy as np
import tool
import edgeprobe
from processes import wait_for
from tool import MODELS, RECIPE, ToolTest, run

ENGINES = plugin_test.HERE / "engines.py"
SIGNS = ["--recipe", RECIPE, "--data", MODELS / "data" / "test", "--frames", 12]


class EngineTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "model.aff"
        self.model.write_text("4")
        random = np.random.default_rng(1)
        self.x = random.normal(size=(6, 1, 4)).astype(np.float32)
        self.k = random.integers(-9, 9, (6, 2))
        self.data = self.folder / "data.npz"
        np.savez(self.data, x=self.x, k=self.k)

    def engine(self, options="", name="Affine"):
        return f"{ENGINES}:{name}" + (f"?{options}" if options else "")

    def load(self, trace=None):
        opened = edgeprobe.load(trace or self.trace)
        self.addCleanup(opened.close)
        return opened

    def record(self, *more, options="", name="Affine", expect=0):
        self.trace = self.folder / "t.mcap"
        self.trace.unlink(missing_ok=True)
        return run("run", self.model, "--engine", self.engine(options, name), "--data", self.data, "--trace", self.trace, *more, expect=expect)


class Answers(EngineTest):
    def test_outputs_are_those_of_numpy(self):
        """Several inputs and outputs, an open dimension, integers, and a state from run to run."""
        self.record(options="factor=3&offset=1")
        trace = self.load()
        np.testing.assert_array_equal(trace.stack("model_output/y"), np.float32(3) * self.x + np.float32(1))
        np.testing.assert_array_equal(trace.stack("model_output/total")[:, 0], self.k.sum(axis=1))
        self.assertEqual([frame["many"].tolist() for frame in trace.frames], [list(range(n)) for n in range(1, 7)])
        ran = trace.metadata["edgeprobe.run"]
        self.assertEqual((ran["engine"], ran["engine_version"]), ("affine", "1.5"))

    def test_the_engine_of_another_language_gives_the_same(self):
        """LiteRT by its Python package as a plug-in, and by edgeprobe itself: equal bit for bit, on a model that edgeprobe reads as well."""
        for model in ("signs_float.tflite", "signs_int8.tflite"):
            recipe = RECIPE + (" | quantize(model)" if "int8" in model else "")
            flags = ["--recipe", recipe, *SIGNS[2:]]
            there, here = self.folder / "there.mcap", self.folder / "here.mcap"
            run("run", MODELS / model, "--engine", self.engine(name="Interpreter"), *flags, "--trace", there, expect=0)
            run("run", MODELS / model, "--kernels", "builtin", *flags, "--trace", here, expect=0)
            self.assertTrue(run("compare", here, there, expect=0).out.startswith("exact"))
            there.unlink(), here.unlink()

    def test_layers(self):
        np.savez(self.data, x=self.x)
        self.record("--level", "layers", name="OfLayers")
        trace = self.load()
        self.assertEqual([channel.name for channel in trace.channels if channel.stage == "layer"], ["square"])
        np.testing.assert_array_equal(trace.stack("layer/square"), self.x ** 2)
        self.assertIn("Square", run("trace", "info", self.trace, expect=0).out)

    def test_threads_and_precision_are_passed_on(self):
        self.assertIn("threads 1, precision f32", self.record().err)
        self.assertIn("threads 3, precision engine", self.record("--threads", 3, "--precision", "engine").err)
        np.savez(self.data, x=self.x)
        done = self.record("--threads", 2, name="OfLayers", expect=2)
        self.assertIn("--threads 2: OfLayers has no option 'threads'", done.err)
        self.assertIn("give one", self.record("--threads", 2, options="threads=3", expect=2).err)

    def test_bench_measures_it(self):
        result = json.loads(run("bench", self.model, "--engine", self.engine(), "--duration", 0.3, "--warm-up", 0, "--json", expect=0).out)
        self.assertEqual(result["engine"]["kind"], "affine")

    def test_check_against_it(self):
        """The plug-in is the reference; a wrong deployment differs from it."""
        right = run("check", MODELS / "signs_float.tflite", *SIGNS, "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE,
                    "--reference-engine", self.engine(name="Interpreter"), expect=0)
        self.assertIn("agrees", right.out)
        wrong = run("check", MODELS / "signs_float.tflite", "--recipe", RECIPE.replace("rgb", "bgr"), *SIGNS[2:], "--reference", MODELS / "signs_float.tflite",
                    "--reference-recipe", RECIPE, "--reference-engine", self.engine(name="Interpreter"), expect=3)
        self.assertIn("the app feeds BGR", wrong.out)


class States(EngineTest):
    def setUp(self):
        super().setUp()
        np.savez(self.data, x=self.x, sequences=np.array([0, 0, 0, 1, 1, 1]))

    def test_a_sequence_begins_anew(self):
        """Also for an engine that does not say whether it keeps a state, in the passes over its layers, and in a second run of one program."""
        self.record(name="Running")
        expected = np.concatenate([np.cumsum(part, axis=0) for part in (self.x[:3], self.x[3:])])
        np.testing.assert_allclose(self.load().stack("model_output/sum"), expected, rtol=1e-6)
        same = run("check", self.model, "--engine", self.engine(name="Running"), "--reference", self.model, "--reference-engine", self.engine(name="Running"),
                   "--data", self.data, expect=0)
        self.assertIn("All 2 compared tensors are equal bit for bit.", same.out)

    def test_an_open_batch_is_one_or_the_size_that_is_asked_for(self):
        self.assertEqual(json.loads(run("bench", self.model, "--engine", self.engine(name="Running"), "--input-shape", "5x4", "--duration", 0.1, "--warm-up", 0,
                                        "--json", expect=0).out)["engine"]["kind"], "running")
        done = run("bench", self.model, "--engine", self.engine(name="Running"), "--input-shape", "5x3", "--duration", 0.1, expect=2)
        self.assertIn("Running.load left input 'x' with the shape [1,4], not [5,3]", done.err)

    def test_an_interrupt_keeps_the_frames_before_it(self):
        trace = self.folder / "t.mcap"
        program = subprocess.Popen([tool.EXECUTABLE, "run", self.model, "--engine", self.engine(name="Slow"), "--data", self.data, "--trace", trace,
                                    "--time-limit", str(10 * tool.PATIENCE)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertTrue(wait_for(self.model.with_suffix(".third").exists))
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=tool.PATIENCE)
        self.assertEqual(program.returncode, 130, out + err)
        self.assertEqual(len(self.load(trace).frames), 2)


class Faults(EngineTest):
    def test_each_fault_has_a_sentence(self):
        for fault, words in {
            "load": "Affine.load raises KeyError: 'weights' (engines.py line",
            "inputs": "Affine.load leaves inputs as NoneType",
            "raise": "Affine.run raises ValueError: bad value (engines.py line",
            "exit": "running 'model.aff' in affine 1.5: its process ended with exit code 3",
            "abort": "its process ended with SIGABRT (Aborted), in <lambda>, engines.py line",
            "hang": "Affine.run is running (engines.py line",
            "system_exit": "Affine.run ended the program (exit code 4)",
            "keep": "Affine.run keeps input 'x' after the call, and the next sample overwrites it; keep a copy: numpy.array(x)",
            "none": "Affine.run returned NoneType; expected a list of arrays",
            "few": "Affine.run returned 1 outputs; load() announced 3",
            "names": "Affine.run returned the outputs 'z'; load() announced 'y', 'total', 'many'",
            "shape": "Affine.run returned output 'y' of shape [1,1]; load() announced [1,4]",
            "type": "Affine.run returned output 'y' as float64; load() announced float32",
            "no_text": "Affine.run raises NoText: (its text cannot be made)",
            "object": "Affine.run returned output 'y' as object; load() announced float32",
        }.items():
            with self.subTest(fault):
                limit = ("--time-limit", 10) if "hang" in fault else ()
                done = self.record(*limit, options=f"fault={fault}", expect=1)
                self.assertIn(words, done.err)

    def test_other_forms_of_arrays(self):
        """Big-endian outputs are converted; a process that forks within a call answers once."""
        for fault in ("big_endian", "forks"):
            self.record(options=f"fault={fault}")
            np.testing.assert_array_equal(self.load().stack("model_output/y"), np.float32(2) * self.x)
        self.assertEqual(self.load().metadata["edgeprobe.run"]["engine_options"], "fault=forks")

    def test_prints_and_nan_are_no_faults(self):
        self.assertNotIn("noise", self.record(options="fault=print").out)
        self.record(options="fault=nan")
        self.assertTrue(np.isnan(self.load().stack("model_output/y")).all())

    def test_a_wrong_name_or_option_ends_before_work_begins(self):
        for engine, words, code in (
            (f"{ENGINES}:Afine", "has no class 'Afine'; did you mean 'Affine'?", 2),
            (f"{ENGINES}:np", "'np' in 'engines.py' is not a class", 2),
            (f"{ENGINES}:NoRun", "NoRun in 'engines.py' has no method 'run'; engine plug-ins have load and run", 2),
            (f"{ENGINES}:BadField", "option 'table' is annotated", 2),
            (f"{ENGINES}:Litert", "the name 'litert' of a built-in engine", 2),
            (self.engine("facter=2"), "Affine has no option 'facter'; did you mean 'factor'?", 2),
            (self.engine("factor=many"), "option 'factor' is 'many'; expected a number of at least 0 and at most 100", 2),
            (self.engine("factor=1000"), "expected a number of at least 0 and at most 100", 2),
            (self.engine("offset=1.5"), "option 'offset' is '1.5'; expected a whole number", 2),
            (self.engine("precision=int8"), "expected f32 or engine", 2),
            (self.engine("factor"), "'factor' is not an option; expected NAME=VALUE", 2),
            (f"{self.folder}/none.py:Affine", "none.py': there is no such file", 1),
            ("python:nobody", "engine plug-in 'nobody' is unknown", 2),
            ("python", "python needs a plug-in", 2),
        ):
            with self.subTest(engine):
                done = run("run", self.model, "--engine", engine, "--data", self.data, "--trace", self.folder / "t.mcap", expect=code)
                self.assertIn(words, done.err)
        broken = self.folder / "broken.py"
        broken.write_text("import no_such_module\n")
        done = run("run", self.model, "--engine", f"{broken}:A", "--data", self.data, "--trace", self.folder / "t.mcap", expect=2)
        self.assertIn("ModuleNotFoundError: No module named 'no_such_module' (broken.py line 1)", done.err)

    def test_a_python_that_is_none(self):
        done = run("run", self.model, "--engine", self.engine(), "--python", "/no/python", "--data", self.data, "--trace", self.folder / "t.mcap", expect=1)
        self.assertIn("the Python interpreter '/no/python' cannot be started", done.err)
        done = run("run", self.model, "--engine", self.engine(), "--python", "/bin/true", "--data", self.data, "--trace", self.folder / "t.mcap", expect=1)
        self.assertIn("'/bin/true' ended before it served the plug-in", done.err)

    def test_a_scenario_must_be_trusted(self):
        """A file that names a class names code."""
        scenario = self.folder / "test.json"
        for key, value in (("engine", self.engine()), ("dataset", f"{ENGINES}:Data"), ("dataset", "python:data")):
            with self.subTest(key):
                scenario.write_text(json.dumps({"kind": "inference_performance", "model": str(self.model), "dataset": str(self.data), **{key: value}}))
                self.assertIn(f"names the plug-in '{value}', and using it runs its code: give --trust", run("scenario", "run", scenario, expect=2).err)
        scenario.write_text(json.dumps({"kind": "inference_performance", "model": str(self.model), "dataset": str(self.data), "engine": self.engine(),
                                        "report": str(self.folder / "report")}))
        run("scenario", "run", scenario, "--trust", expect=0)


class Sklearn(EngineTest):
    def test_a_pickle_is_allowed_by_its_name(self):
        import pickle

        from sklearn.ensemble import RandomForestClassifier

        x = np.random.default_rng(0).normal(size=(80, 4)).astype(np.float32)
        forest = RandomForestClassifier(7, random_state=0).fit(x, (x[:, 0] * x[:, 1] > 0).astype(int) + (x[:, 2] > 1))
        model = self.folder / "forest.pkl"
        model.write_bytes(pickle.dumps(forest))
        np.savez(self.data, features=x[:6, None])
        trace = self.folder / "t.mcap"
        done = run("run", model, "--engine", "sklearn", "--data", self.data, "--trace", trace, expect=1)
        self.assertIn("--engine 'sklearn?allow=forest.pkl'", done.err)
        run("run", model, "--engine", "sklearn?allow=forest.pkl", "--data", self.data, "--trace", trace, expect=0)
        np.testing.assert_array_equal(self.load(trace).stack("model_output/predict_proba")[:, 0], forest.predict_proba(x[:6]))


if __name__ == "__main__":
    assert sys.version_info >= (3, 11)
    tool.main()
