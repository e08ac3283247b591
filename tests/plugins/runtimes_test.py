# SPDX-License-Identifier: Apache-2.0
"""The engines of runtimes that are Python packages, against those packages called directly in another process.

runtimes_test.py EDGEPROBE: models, answers and layers come from runtimes/*_cases.py, which import nothing of edgeprobe. Keras, PyTorch and
ExecuTorch run where EDGEPROBE_KERAS_PYTHON and EDGEPROBE_TORCH_PYTHON name a Python that has them; JAX with EDGEPROBE_JAX_PYTHON."""
import json
import os
import pickle
import subprocess
import sys
import unittest

import plugin_test
import numpy as np
import tool
import edgeprobe
from tool import ToolTest, run


class Runtime(ToolTest):
    """The cases of one runtime. Subclasses name it."""

    runtime, python, least = "", sys.executable, 6

    @classmethod
    def setUpClass(cls):
        if not cls.runtime:
            raise unittest.SkipTest("common to the runtimes")
        if not cls.python:
            print(f"skipped: {cls.__name__}: no Python with it is named", flush=True)
            raise unittest.SkipTest("no Python with it is named")
        cls.cases = cls.class_folder()
        script = plugin_test.HERE / "runtimes" / f"{cls.runtime}_cases.py"
        done = subprocess.run([cls.python, script, cls.cases], capture_output=True, text=True, timeout=tool.PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr

    def flags(self, model, options=""):
        return [model, "--engine", self.runtime + (f"?{options}" if options else ""), "--python", self.python]

    def refused(self, model, words, *flags, data=None, options="", expect=1):
        """The run ends with this sentence, on a line that begins with the program's name."""
        data = data or self.folder / "any.npz"
        if not data.exists():
            np.savez(data, x=np.zeros((1, 1, 4), np.float32))
        done = run("run", *self.flags(model, options), "--data", data, "--trace", self.folder / "t.mcap", *flags, expect=expect)
        lines = [line for line in done.err.splitlines() if line.startswith("edgeprobe: ")]
        self.assertEqual(len(lines), 1, done.err)
        self.assertIn(words, lines[0])
        self.assertNotIn("Traceback", done.err)

    def test_values_are_those_of_its_own_python(self):
        homes = sorted(path for path in self.cases.iterdir() if (path / "case.json").exists())
        self.assertGreaterEqual(len(homes), self.least)
        for home in homes:
            for level in ("io", "layers"):
                with self.subTest(home.name, level=level):
                    self.one(home, level)

    def one(self, home, level):
        case, expected = json.loads((home / "case.json").read_text()), np.load(home / "expected.npz")
        file = self.folder / "t.mcap"
        file.unlink(missing_ok=True)
        done = run("run", *self.flags(home / case["model"], case["options"]), "--data", home / "data.npz", "--trace", file, "--level", level, *case["flags"],
                   expect=0)
        self.assertNotIn("Traceback", done.err)
        with edgeprobe.load(file) as trace:
            channels = {stage: [c for c in trace.channels if c.stage == stage] for stage in ("model_input", "model_output", "layer")}
            kinds = {t["name"]: t["layer_type"] for t in json.loads(run("trace", "info", file, "--json", expect=0).out)["tensors"] if t["stage"] == "layer"}
            self.assertEqual([[c.name, c.dtype, list(c.shape)] for c in channels["model_input"]], case["inputs"])
            self.assertEqual([[c.name, c.dtype, list(c.shape)] for c in channels["model_output"]], case["outputs"])
            self.assertEqual(len(trace.frames), case["samples"])
            for j, (name, *_) in enumerate(case["outputs"]):
                for i in range(case["samples"]):
                    self.same(trace.frames[i][f"model_output/{name}"], expected[f"out {i} {j}"], f"output {name} of sample {i}")
            if level == "io":
                self.assertEqual(channels["layer"], [])
            elif case["layers"] is None:
                self.assertEqual(channels["layer"], [])
            elif case["layers"]:
                ends = {name for name, *_ in case["outputs"]}
                wanted = [(j, one) for j, one in enumerate(case["layers"]) if one[0] not in ends]
                self.assertEqual([[c.name, kinds[c.name], c.dtype, list(c.shape)] for c in channels["layer"]], [one for _, one in wanted])
                for j, (name, *_) in wanted:
                    for i in range(case["samples"]):
                        self.same_layer(trace.frames[i][f"layer/{name}"], expected[f"layer {i} {j}"], f"layer {name} of sample {i}")

    def same_layer(self, got, expected, what):
        self.same(got, expected, what)

    def same(self, got, expected, what):
        got = got.view(np.uint16) if got.dtype.name == "bfloat16" else got
        self.assertEqual((got.dtype, got.shape), (expected.dtype, expected.shape), what)
        np.testing.assert_array_equal(got, expected, what)


    def damaged(self, model, words):
        """A file cut short, one of another kind, and one of noise: a sentence for each."""
        content = model.read_bytes()
        for name, changed in (("short", content[:len(content) // 3]), ("empty", b""), ("text", b"hello\n" * 40), ("noise",
            np.random.default_rng(0).bytes(3000))):
            with self.subTest(name):
                file = self.folder / (name + model.suffix)
                file.write_bytes(changed)
                self.refused(file, words)


class Ncnn(Runtime):
    runtime, least = "ncnn", 8

    def test_engine_precision_says_what_was_stored(self):
        """bfloat16 or float16 has an error of a thousandth; float32, the default, is compared above with the bits of a net that was told to keep it."""
        home = self.cases / "convolution"
        done = run("run", *self.flags(home / "net.param"), "--precision", "engine", "--data", home / "data.npz", "--trace", self.folder / "t.mcap", expect=0)
        with edgeprobe.load(self.folder / "t.mcap") as trace:
            same = np.array_equal(trace.frames[0]["model_output/prob"], np.load(home / "expected.npz")["out 0 0"])
        self.assertIn("the answers of float32 to a trial, bit for bit" if same else "other answers than float32 to a trial", done.err)

    def test_wrong_files_have_sentences(self):
        net = self.cases / "convolution" / "net.param"
        file = self.folder / "net.param"
        file.write_bytes(net.read_bytes())
        self.refused(file, "'net.bin' is not next to 'net.param'")
        weights = net.with_suffix(".bin").read_bytes()
        file.with_suffix(".bin").write_bytes(weights[:len(weights) // 2])
        self.refused(file, "ncnn cannot read 'net.bin' as the weights of 'net.param'")
        file.write_bytes(b"hello")
        self.refused(file, "'net.param' is no .param of ncnn")
        file.write_text(net.read_text().replace("BatchNorm", "Unheard"))
        self.refused(file, "has no layer type 'Unheard'")
        file.write_text(net.read_text())
        file.with_suffix(".bin").write_bytes(weights)
        self.refused(file, "ncnn takes one sample", "--input-shape", "x=2x3x10x12")
        self.refused(file, "the model has no such input", "--input-shape", "z=1x3x10x12", expect=2)
        bare = self.cases / "depthwise_open" / "net.param"
        self.refused(bare, "input 'data' has no size in the .param; give one: --input-shape data=1x3x224x224")


class Mnn(Runtime):
    runtime = "mnn"

    def test_low_precision_is_tried(self):
        home = self.cases / "convolution"
        done = run("run", *self.flags(home / "net.mnn"), "--precision", "engine", "--data", home / "data.npz", "--trace", self.folder / "t.mcap", expect=0)
        self.assertIn("MNN was asked for low precision; its answers to a trial", done.err)
        with edgeprobe.load(self.folder / "t.mcap") as trace:
            same = np.array_equal(trace.frames[0]["model_output/y"], np.load(home / "expected.npz")["out 0 0"])
        self.assertEqual("bit for bit" in done.err, same)

    def test_wrong_files_have_sentences(self):
        self.damaged(self.cases / "convolution" / "net.mnn", "is no model of MNN")
        self.refused(self.cases / "depthwise_open" / "net.mnn", "has the open shape")
        self.refused(self.cases / "convolution" / "net.mnn", "MNN cannot compute 'net.mnn' with inputs of the shapes [1, 3, 9, 9]", "--input-shape",
                     "x=1x3x9x9")


class Sklearn(Runtime):
    runtime = "sklearn"

    def test_wrong_files_have_sentences(self):
        for name, words in (("a.pkl", "'a.pkl' cannot be loaded"), ("b.pkl", "'b.pkl' holds dict, which is not a fitted estimator")):
            file = self.folder / name
            file.write_bytes({"a": b"hello", "b": pickle.dumps({})}[name[0]])
            self.refused(file, words, options=f"allow={name}")
        model = self.cases / "vectors" / "model.pkl"
        self.refused(model, "SVC has no method 'transform'; it has decision_function, predict", options="allow=model.pkl&method=transform")
        self.refused(model, "the estimator was fitted on 5 features", "--input-shape", "features=1x4", options="allow=model.pkl")
        self.refused(model, "--engine 'sklearn?allow=model.pkl'", options="allow=other.pkl")

    def test_a_file_of_another_version_has_a_warning(self):
        old = self.cases / "pipeline" / "model.pkl"
        file = self.folder / "old.pkl"
        import sklearn

        version = sklearn.__version__.encode()
        file.write_bytes(old.read_bytes().replace(version, version.replace(b"1", b"0", 1)))
        done = run("run", *self.flags(file, "allow=old.pkl"), "--data", old.parent / "data.npz", "--trace", self.folder / "t.mcap", expect=0)
        self.assertIn("Trying to unpickle estimator", done.err)


class Jax(Runtime):
    runtime, python, least = "jax", os.environ.get("EDGEPROBE_JAX_PYTHON", ""), 15

    def case(self, name):
        home = self.cases / name
        return home, json.loads((home / "case.json").read_text())

    def recorded(self, name, *flags):
        """What the program says when it records a case."""
        home, case = self.case(name)
        done = run("run", *self.flags(home / case["model"], case["options"]), "--data", home / "data.npz", "--trace", self.folder / f"{name}.mcap", *case["flags"],
                   "--force", *flags, expect=0)
        return done.err

    def test_what_really_ran_is_said(self):
        self.assertIn("JAX computes the parameters of float64 in 32 bits; the option x64=true keeps 64", self.recorded("narrowed"))
        self.assertIn("JAX computes input 'n' of int64 in 32 bits", self.recorded("narrowed"))
        self.assertNotIn("32 bits", self.recorded("wide"))
        self.assertIn("JAX cannot trace 'predict' of 'net.py', so it shows no layers", self.recorded("eager"))
        self.assertIn("each operation ran by itself, without jit", self.recorded("layers_eager", "--level", "layers"))
        self.assertEqual(self.recorded("convolution", "--level", "layers"), "")

    def test_a_planted_fault_is_located(self):
        """check and compare name the layer where a scale, an attribute or a precision was changed, and nothing in a healthy pair."""
        for home in sorted(self.cases.glob("planted_*")):
            told = json.loads((home / "faults.json").read_text())

            def engine(net):
                return f"jax?function={home}/{net}:predict"

            shape = f"x={told['shape']}"
            common = ["--python", self.python, "--input-shape", shape, "--data", home / "data.npz", "--level", "layers"]
            healthy = self.folder / f"{home.name}.mcap"
            run("run", home / "params.npz", "--engine", engine("net.py"), *common, "--trace", healthy, expect=0)
            for at, (what, net, params, layer) in enumerate([["nothing", "net.py", "params.npz", None], *told["faults"]]):
                with self.subTest(home.name, fault=what):
                    done = run("check", home / params, "--engine", engine(net), "--reference", home / "params.npz", "--reference-engine", engine("net.py"),
                               "--reference-input-shape", shape, *common, "--json", expect=(0, 3, 4) if layer else 0)
                    self.assertEqual((json.loads(done.out)["first_layer"] or {}).get("name"), layer)
                    if at in (0, 1):
                        other = self.folder / f"{home.name}_{at}.mcap"
                        run("run", home / params, "--engine", engine(net), *common, "--trace", other, expect=0)
                        compared = json.loads(run("compare", healthy, other, "--json", expect=(0, 3, 4)).out)
                        self.assertEqual((compared["first_layer"] or {}).get("name"), layer)

    def test_threads_are_those_of_xla(self):
        home = self.cases / "threads"
        np.savez(self.folder / "x.npz", x=np.zeros((1, 1), np.float32))
        for threads in (1, 3):
            run("run", *self.flags(home / "params.npz", f"function={home}/net.py:predict"), "--threads", str(threads), "--input-shape", "x=1x1", "--data",
                self.folder / "x.npz", "--trace", self.folder / "t.mcap", "--force", expect=0)
            with edgeprobe.load(self.folder / "t.mcap") as trace:
                self.assertEqual(trace.frames[0]["model_output/output"], [[threads]])

    def test_wrong_files_have_sentences(self):
        self.damaged(self.cases / "exported_open" / "net.jax_exported", "is no artifact of jax.export that JAX")
        self.refused(self.cases / "exported_open" / "net.jax_exported", "the artifact takes 'x' with the shape [b, 4], not [1, 5]", "--input-shape", "x=1x5")
        home, case = self.case("convolution")
        function = f"function={home}/net.py:predict"
        self.refused(home / "params.npz", "'params.npz' needs a function: --engine 'jax?function=FILE.py:FUNCTION'")
        self.refused(home / "params.npz", "input 'x' of 'predict' of 'net.py' has no size: give one, as --input-shape x=1x8", options=function)
        self.refused(home / "params.npz", "'net.py' has no function 'predit'; it has inside, predict, values", options=function[:-2] + "t", expect=2)
        sized = ("--input-shape", "x=1x10x12x3")
        self.refused(home / "params.npz", "the option types names 'y'; the inputs are 'x'", *sized, options=function + "&types=y:int8")
        self.refused(home / "params.npz", "'predict' of 'net.py' raises KeyError: 'conv' (net.py line 12)", *sized, options=function + "&separator=")
        self.refused(home / "params.npz", "'predict' of 'net.py' raises ", "--input-shape", "x=10x12", options=function)
        other = self.folder / "net.py"
        other.write_text("def several(params, *xs): return xs[0]\ndef none(params): return params\ndef branch(params, x):\n    if x.sum() > 0:\n        return x\n")
        empty = self.folder / "params.npz"
        np.savez(empty)
        self.refused(empty, "takes *xs, which have no names", options=f"function={other}:several")
        self.refused(empty, "has no inputs; expected f(parameters, x, …)", options=f"function={other}:none")
        self.refused(empty, "raises TracerBoolConversionError", "--input-shape", "x=1", options=f"function={other}:branch")
        np.savez(empty, **{"a": 1, "a/b": 2})
        self.refused(empty, "'a/b' lies below 'a', which is an array itself", "--input-shape", "x=1", options=f"function={other}:branch")
        text = self.folder / "params.json"
        text.write_text("{}")
        self.refused(text, "'params.json' is no .npz; name a function of 'net.py' that reads it by the option parameters", options=f"function={other}:branch")


class Keras(Runtime):
    runtime, python = "keras", os.environ.get("EDGEPROBE_KERAS_PYTHON", "")

    def test_wrong_files_have_sentences(self):
        self.damaged(self.cases / "convolution" / "net.keras", "cannot be loaded")
        self.refused(self.cases / "depthwise_open" / "net.keras", "has the open shape")
        self.refused(self.cases / "saved_model" / "net" / "saved_model.pb", "has no signature 'serving_default'; it has serve")
        for name, words in (("lambda", "has code inside"), ("own", "cannot be loaded"), ("called_never", "without known inputs")):
            self.refused(self.cases / "refused" / f"{name}.keras", words)


class Torch(Runtime):
    runtime, python = "torch", os.environ.get("EDGEPROBE_TORCH_PYTHON", "")

    def test_wrong_files_have_sentences(self):
        self.damaged(self.cases / "convolution" / "net.pt2", "is no exported program of PyTorch")
        self.refused(self.cases / "refused" / "pickle.pt", "is not TorchScript")
        self.refused(self.cases / "script_words" / "net.pt", "other types are stated as --engine 'torch?types=ids:int64'", "--input-shape", "ids=1x7")
        self.refused(self.cases / "convolution" / "net.pt2", "the exported program takes 'input' with the shape [1, 3, 10, 12], not [1, 3, 9, 9]",
                     "--input-shape", "input=1x3x9x9")


class Executorch(Runtime):
    runtime, python = "executorch", os.environ.get("EDGEPROBE_TORCH_PYTHON", "")

    def same_layer(self, got, expected, what):
        """The expected values are PyTorch's, whose kernels round otherwise."""
        self.assertEqual((got.dtype, got.shape), (expected.dtype, expected.shape), what)
        limit = 2e-3 if got.dtype == np.float16 else 1e-5
        np.testing.assert_allclose(got.astype(np.float64), expected.astype(np.float64), rtol=limit, atol=limit, err_msg=what)

    def test_wrong_files_have_sentences(self):
        self.damaged(self.cases / "convolution" / "net.pte", "is no program of ExecuTorch")
        home = self.cases / "two_and_two"
        done = run("run", *self.flags(home / "net.pte", "etdump=false"), "--data", home / "data.npz", "--level", "layers", "--trace", self.folder / "t.mcap", expect=0)
        self.assertIn("level layers records no layer", done.err)
        self.refused(self.cases / "convolution" / "net.pte", "has no method 'backward'; it has forward", options="method=backward")
        self.refused(self.cases / "convolution" / "net.pte", "it takes 'input_0' with the shape [1, 3, 10, 12] at most", "--input-shape", "input_0=1x3x9x9")


if __name__ == "__main__":
    assert sys.version_info >= (3, 11)
    tool.main()
