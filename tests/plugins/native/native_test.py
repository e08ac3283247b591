# SPDX-License-Identifier: Apache-2.0
"""Engines and data sets in shared libraries: outputs as NumPy computes them, layers, options, and a sentence for each fault.

native_test.py EDGEPROBE FOLDER_OF_LIBRARIES OPENVINO_PLUGIN"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import plugin_test  # noqa: F401
import numpy as np
import tool
import edgeprobe
from processes import children, status, wait_for
from tool import MODELS, PATIENCE, ROOT, ToolTest, run

OPENVINO = pathlib.Path(sys.argv.pop(3))
LIBRARIES = pathlib.Path(sys.argv.pop(2))
AFFINE, LINEAR, FEWER, MORE, ROWS, PICTURES = (LIBRARIES / f"libplugin_{name}.so" for name in ("affine", "linear", "fewer", "more", "rows", "pictures"))


def faulty(number):
    return LIBRARIES / f"libplugin_faulty_{number}.so"


def without_device():
    return mock.patch.dict(os.environ, {"AFFINE_HAS_NO_DEVICE": "1"})


class NativeTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "model.aff"
        self.model.write_text("4")
        random = np.random.default_rng(1)
        self.x = random.normal(size=(6, 1, 4)).astype(np.float32)
        self.k = random.integers(-9, 9, (6, 2))
        self.data = self.folder / "data.npz"
        np.savez(self.data, x=self.x, k=self.k)
        self.trace = self.folder / "t.mcap"

    def load(self):
        opened = edgeprobe.load(self.trace)
        self.addCleanup(opened.close)
        return opened

    def record(self, *more, plugin=AFFINE, options=None, expect=0):
        self.trace.unlink(missing_ok=True)
        engine = ["--engine", f"affine-c?{options}"] if options else []
        return run("run", self.model, "--plugin", plugin, *engine, "--data", self.data, "--trace", self.trace, *more, expect=expect)


class Answers(NativeTest):
    def test_outputs_are_those_of_numpy(self):
        """Several inputs and outputs, an open dimension, integers, quantisation, and a state from run to run."""
        self.record(options="factor=3&offset=-1")
        trace = self.load()
        np.testing.assert_array_equal(trace.stack("model_output/y"), np.float32(3) * self.x + np.float32(-1))
        np.testing.assert_array_equal(trace.stack("model_output/total")[:, 0], self.k.sum(axis=1))
        many = next(channel for channel in trace.channels if channel.name == "many")
        self.assertEqual((list(many.scale), list(many.zero_point)), ([0.5], [3]))
        for n, frame in enumerate(trace.frames, 1):
            np.testing.assert_array_equal(frame.real("many").ravel(), (np.arange(n) - 3) * np.float32(0.5))
        ran = trace.metadata["edgeprobe.run"]
        self.assertEqual((ran["engine"], ran["engine_version"]), ("affine-c", "1.5"))

    def test_each_run_decides_the_number_of_dimensions(self):
        self.record(options="outputs=4")
        self.assertEqual([frame["grid"].shape for frame in self.load().frames], [(1,) * (n % 4) for n in range(1, 7)])
        done = self.record(options="outputs=4&fault=dimensions", expect=1)
        self.assertIn("affine-c returned output 'grid' with 99 dimensions; load() announced any number of dimensions", done.err)

    def test_layers(self):
        self.record("--level", "layers")
        trace = self.load()
        np.testing.assert_array_equal(trace.stack("layer/square"), self.x ** 2)
        text = run("trace", "info", self.trace, expect=0).out
        self.assertIn("Square", text)

    def test_times_of_kernels(self):
        self.record("--layer-times")
        text = run("trace", "info", self.trace, "--latency", expect=0).out
        self.assertRegex(text, r"Square  square and scale +0 +5 us")
        self.assertIn("kernels mapped to 1 of 2 layers", text)

    def test_settings_arrive(self):
        self.assertIn(f"threads 1, float32 1, verbose false; model.aff in {self.folder}", self.record().err)
        done = self.record("--threads", 3, "--precision", "engine", options="verbose=ON")
        self.assertIn("threads 3, float32 0, verbose true", done.err)

    def test_an_input_may_get_another_shape(self):
        x = np.concatenate([self.x, self.x], axis=2)
        np.savez(self.data, x=x, k=self.k)
        self.record("--input-shape", "x=1x8")
        np.testing.assert_array_equal(self.load().stack("model_output/y"), np.float32(2) * x)
        self.assertIn("it left input 'k' with the shape 2, not 3", self.record("--input-shape", "k=3", expect=2).err)
        self.assertIn("input 'z', which the model does not have", self.record("--input-shape", "z=3", expect=2).err)

    def test_its_own_time_is_the_latency(self):
        self.record(options="fault=clock")
        self.assertEqual({frame.latency_ns for frame in self.load().frames}, {1234567})

    def test_bench_and_check(self):
        result = json.loads(run("bench", self.model, "--plugin", AFFINE, "--duration", 0.3, "--warm-up", 0, "--json", expect=0).out)
        self.assertEqual(result["engine"]["kind"], "affine-c")
        both = ["--data", self.data, "--plugin", AFFINE, "--reference", self.model, "--reference-plugin", AFFINE]
        run("check", self.model, *both, expect=0)
        run("check", self.model, *both, "--engine", "affine-c?factor=3", expect=3)

    def test_it_is_chosen_among_several(self):
        self.record("--plugin", LINEAR, options="factor=5")
        np.testing.assert_array_equal(self.load().stack("model_output/y"), np.float32(5) * self.x)
        for more, words in (
            ((), "--engine affine-c or --engine linear"),
            (("--engine", "linaer"), "engine 'linaer' is unknown; did you mean 'linear'?"),
            (("--engine", "nobody"), "--plugin has affine-c and linear"),
            (("--plugin", AFFINE, "--engine", "linear"), "both contain an engine 'affine-c'"),
        ):
            with self.subTest(words):
                self.assertIn(words, self.record("--plugin", LINEAR, *more, expect=2).err)
        # A built-in engine stays available.
        run("run", MODELS / "signs_float.tflite", "--plugin", AFFINE, "--engine", "litert", "--recipe", tool.RECIPE, "--data", MODELS / "data" / "test",
            "--frames", 2, "--trace", self.folder / "u.mcap", expect=0)

    def test_help_shows_its_options(self):
        text = run("help", AFFINE, expect=0).out
        for words in ("affine-c: engine plug-in, version 1.5, of", "Opens .aff, .txt", "float >= 0.0, <= 100.0", "default 2.0", "What goes \\x1b[31mwrong"):
            self.assertIn(words, text)
        self.assertNotIn("\033", text)
        described = json.loads(run("help", AFFINE, "--json", expect=0).out)
        self.assertEqual([(one["name"], one["type"], one["default"]) for one in described["options"]],
                         [("factor", "float", 2.0), ("offset", "int", 0), ("fault", "str", ""), ("verbose", "bool", False),
                          ("outputs", "int", 3), ("stateful", "int", 0)])
        self.assertIn("does not exist", run("help", "./none.so", expect=1).err)


class Example(NativeTest):
    def test_it_computes_what_numpy_does(self):
        weights = np.random.default_rng(2).normal(size=(3, 4)).astype(np.float32)
        self.model = self.folder / "m.linear"
        self.model.write_text("4 3\n" + "\n".join(" ".join(map(repr, map(float, row))) for row in weights))
        np.savez(self.data, features=self.x)
        run("run", self.model, "--plugin", LINEAR, "--engine", "linear?scale=0.5", "--data", self.data, "--trace", self.trace, expect=0)
        np.testing.assert_allclose(self.load().stack("model_output/scores"), np.float32(0.5) * self.x @ weights.T, rtol=1e-5, atol=1e-6)
        self.model.write_text("4 3\n1 2 3")
        done = run("run", self.model, "--plugin", LINEAR, "--data", self.data, "--trace", self.folder / "u.mcap", expect=1)
        self.assertRegex(done.err, r"linear 1\.0 cannot load 'm\.linear': .*iostream")
        done = run("run", self.model, "--plugin", LINEAR, "--threads", 2, "--data", self.data, "--trace", self.folder / "u.mcap", expect=2)
        self.assertIn("--threads 2: linear runs on one thread", done.err)

    def test_the_page_shows_it(self):
        blocks = re.findall(r"^```cpp\n(.*?)^```", (ROOT / "docs" / "extending.md").read_text(), re.S | re.M)
        sources = [(ROOT / "examples" / "plugins" / "native" / name).read_text() for name in ("linear.cc", "rows.cc")]
        self.assertEqual(blocks, [source.partition("\n")[2] for source in sources])
        for source, most in zip(sources, (60, 40)):
            self.assertLessEqual(len(source.splitlines()), most)

    def test_the_page_compiles_it(self):
        """With the command of the page, and the header in C and C++."""
        page = (ROOT / "docs" / "extending.md").read_text()
        compiler = os.environ.get("CXX") or shutil.which("c++")
        if not compiler:
            self.skipTest("no C++ compiler")
        for name, words in (("linear", "Factor of all scores"), ("rows", "Lines of numbers")):
            command = re.search(rf"^(c\+\+ .*{name}\.cc)$", page, re.M)[1].split()
            built = self.folder / f"lib{name}.so"
            self.assertEqual(command[command.index("-o") + 1], built.name)
            subprocess.run([compiler, *command[1:command.index("-o")], "-o", built, *command[command.index("-o") + 2:]], cwd=ROOT, check=True)
            self.assertIn(words, run("help", built, expect=0).out)


class Ages(NativeTest):
    """A library built with an edgeprobe_plugin.h of the same version that has fewer or more members."""

    def test_members_that_one_side_lacks_do_no_harm(self):
        np.savez(self.data, x=self.x[:, 0, :1])
        for library in (FEWER, MORE):
            with self.subTest(library.name):
                described = json.loads(run("help", library, "--json", expect=0).out)
                self.assertEqual([one["name"] for one in described["options"]], ["first", "second"])
                self.trace.unlink(missing_ok=True)
                run("run", self.model, "--plugin", library, "--data", self.data, "--trace", self.trace, "--layer-times", expect=0)
                trace = self.load()
                np.testing.assert_array_equal(trace.stack("model_output/y"), self.x[:, 0, :1])
                np.testing.assert_array_equal(trace.stack("model_output/twice"), 2 * self.x[:, 0, :1])

    def test_an_engine_that_reads_only_the_bytes_gets_no_path(self):
        np.savez(self.data, x=self.x[:, 0, :1])
        run("run", self.model, "--plugin", faulty(15), "--data", self.data, "--trace", self.trace, expect=0)


class OpenVino(NativeTest):
    """The library behind --engine openvino."""

    def setUp(self):
        super().setUp()
        if not OPENVINO.exists():
            self.skipTest("this build has no plug-in for OpenVINO (script/setup --openvino)")

    def test_it_exports_one_symbol(self):
        listed = subprocess.run(["nm", "-D", "--defined-only", OPENVINO], check=True, capture_output=True, text=True).stdout
        self.assertEqual([line.split()[2] for line in listed.splitlines()], ["edgeprobe_plugin"])

    def test_it_describes_itself_like_any_other(self):
        libraries = ROOT / ".deps" / "openvino" / "libs"
        if not libraries.exists():
            self.skipTest("built with another OpenVINO than that of script/setup")
        done = run("help", OPENVINO, "--json", expect=0, env={**os.environ, "LD_LIBRARY_PATH": str(libraries)})
        described = json.loads(done.out)
        self.assertEqual((described["name"], described["formats"], described["options"]), ("openvino", [".onnx", ".tflite", ".xml"], []))
        self.assertRegex(described["version"], r"^\d{4}\.\d+\.\d+-\d+$")


class Faults(NativeTest):
    def test_each_fault_at_run_time_has_a_sentence(self):
        for fault, words in {
            "load": "affine-c 1.5 cannot load 'model.aff': the weights are missing",
            "escape": "cannot load 'model.aff': \\x1b[31mred",
            "speechless": "it gives no reason",
            "load crash": "loading 'model.aff' in affine-c 1.5: the engine process ended with SIGSEGV",
            "load hang": "loading 'model.aff' in affine-c 1.5",
            "type": "it describes output 0 with the type 'float31'; expected NumPy's name",
            "tensor size": "it describes output 0 in 8 bytes; version 1 of edgeprobe_plugin.h has at least",
            "names": "it describes two inputs 'x'",
            "layer names": "it describes two layers 'square'",
            "scales": "it describes output 2 with 2 scales along dimension 0 of the shape ?",
            "open input": "it describes input 0 with the open shape ?",
            "negative": "it describes output 2 with the shape -2; expected numbers from -1 on",
            "no outputs": "it describes 0 outputs",
            "refuse": "affine-c failed while running the model: no memory on the card",
            "message only": "affine-c failed while running the model: this is not an answer",
            "crash": "running 'model.aff' in affine-c 1.5: the engine process ended with SIGSEGV",
            "hang": "running 'model.aff' in affine-c 1.5",
            "exit": "the engine process ended with exit code 3",
            "negative clock": "affine-c says that it ran for -7 ns",
            "address": "affine-c returned output 'y' with another address, size or shape; load() announced 1x4",
            "unsupported": "affine-c 1.5 cannot load 'model.aff': not like this",
            "rank": "affine-c returned output 'many' with 0 dimensions; load() announced ?",
            "bytes": "affine-c returned output 'many' of shape 1 in 200 bytes",
            "below zero": "affine-c returned output 'many' with the shape -4; load() announced ?",
            "null": "affine-c returned output 'many' at no address",
        }.items():
            with self.subTest(fault):
                limit = ("--time-limit", 10) if "hang" in fault else ()
                done = self.record(*limit, options=f"fault={fault}", expect=1)
                self.assertIn(words, done.err)
                self.assertNotIn("\033", done.err)
        self.assertIn("cannot load 'model.aff': not like this", self.record(options="fault=usage", expect=2).err)
        for fault, words in {
            "kernel size": "it describes kernel 0 in a struct that is too small",
            "times": "affine-c failed while reading the times of its kernels: the counters are off",
            "negative time": "affine-c says that kernel 0 ran for -1 ns",
        }.items():
            with self.subTest(fault):
                self.assertIn(words, self.record("--layer-times", options=f"fault={fault}", expect=1).err)
        done = self.record("--level", "layers", options="fault=layer", expect=1)
        self.assertIn("affine-c failed while returning layer 'square': the layer was fused", done.err)
        self.assertNotIn("noise", self.record(options="fault=print").out)

    def test_a_wrong_library_ends_before_work_begins(self):
        text = self.folder / "text.so"
        text.write_text("not a library")
        for library, words, code in (
            (faulty(1), "is not a plug-in: it does not export edgeprobe_plugin()", 2),
            (faulty(2), "does not offer version 1 of edgeprobe_plugin.h", 2),
            (faulty(3), "is of version 8 of edgeprobe_plugin.h; this edgeprobe opens version 1", 2),
            (faulty(4), "has a table of 16 bytes; version 1 of edgeprobe_plugin.h has at least", 2),
            (faulty(5), "has a table without run and destroy", 2),
            (faulty(6), "has the name 'litert' of a built-in engine", 2),
            (faulty(7), "has the name 'Two \\x1b[31mWords'; expected at most 40 small letters", 2),
            (faulty(8), "has option 0 of 8 bytes; version 1 of edgeprobe_plugin.h has at least", 2),
            (faulty(9), "has option 'depth' with the default 'deep'; expected a whole number of at least 1", 2),
            (faulty(10), "faulty needs option 'depth' (a whole number of at least 1): Levels", 2),
            (faulty(12), "opening plug-in '", 1),
            (self.folder / "none.so", "does not exist", 1),
            (self.folder, "is not a regular file", 2),
            (text, "is not a shared library", 1),
            ("a.so?x=1", "expected the path of a library, without a question mark", 2),
        ):
            for engine in ([], ["--engine", "faulty"]):
                with self.subTest(library=library, engine=engine):
                    done = run("run", self.model, "--plugin", library, *engine, "--data", self.data, "--trace", self.trace, expect=code)
                    self.assertIn(words, done.err)
                    self.assertNotIn("\033", done.err)
                    self.assertFalse(self.trace.exists())
        done = run("run", self.model, "--plugin", faulty(13), "--data", self.data, "--trace", self.trace, expect=1)
        self.assertIn("it describes layers and has no function layer()", done.err)
        np.savez(self.data, x=self.x[:, 0, :1])
        done = run("run", self.model, "--plugin", faulty(14), "--data", self.data, "--trace", self.trace, "--layer-times", expect=1)
        self.assertIn("it describes kernels and has no function times()", done.err)
        with without_device():
            done = run("run", self.model, "--plugin", AFFINE, "--data", self.data, "--trace", self.trace, expect=1)
            self.assertIn("affine-c 1.5 does not start: there is no device", done.err)
            self.assertIn("factor", run("help", AFFINE, expect=0).out)

    def test_a_wrong_option_ends_before_work_begins(self):
        for options, words in (
            ("facter=2", "affine-c has no option 'facter'; did you mean 'factor'?"),
            ("zzz=2", "affine-c has no option 'zzz'; it has factor, offset, fault, verbose, outputs, stateful"),
            ("factor=many", "option 'factor' is 'many'; expected a number of at least 0 and at most 100"),
            ("factor=100.5", "expected a number of at least 0 and at most 100"),
            ("factor=nan", "expected a number of at least 0 and at most 100"),
            ("offset=1.5", "option 'offset' is '1.5'; expected a whole number"),
            ("offset=99999999999999999999", "expected a whole number"),
            ("verbose=maybe", "option 'verbose' is 'maybe'; expected true or false"),
            ("factor", "'factor' is not an option; expected NAME=VALUE"),
            ("factor=1&factor=2", "option 'factor' is given twice"),
        ):
            with self.subTest(options):
                self.assertIn(words, self.record(options=options, expect=2).err)
                self.assertFalse(self.trace.exists())
        done = run("run", self.model, "--plugin", faulty(11), "--precision", "engine", "--data", self.data, "--trace", self.trace, expect=2)
        self.assertIn("--precision engine: faulty computes in the model's own precision", done.err)
        self.assertIn("plug-ins have no such setting", self.record("--optimization", "off", expect=2).err)

    def test_only_the_command_line_names_a_library(self):
        """Not a scenario, also with --trust, nor a plan; --engine names no file either, and another machine has its own."""
        scenario, plan = self.folder / "test.json", self.folder / "plan.json"
        scenario.write_text(json.dumps({"kind": "inference_performance", "model": str(self.model), "dataset": str(self.data), "engine": f"native:{AFFINE}"}))
        self.assertIn("'native'", run("scenario", "run", scenario, "--trust", expect=2).err)
        sentence = "so only the command line names it, as --plugin LIB.so"
        done = run("run", self.model, "--engine", f"native:{AFFINE}", "--data", self.data, "--trace", self.trace, expect=2)
        self.assertIn(sentence, done.err)
        run("stretch", "plan", MODELS / "signs_float.tflite", "--engine", "litert", "--output", plan, expect=0)
        made = json.loads(plan.read_text())
        made["processors"][0]["engine"] = f"native:{AFFINE}"
        plan.write_text(json.dumps(made))
        done = run("run", MODELS / "signs_float.tflite", "--engine", f"stretch:{plan}", "--trust", "--recipe", tool.RECIPE, "--data",
                   MODELS / "data" / "test", "--frames", 1, "--trace", self.trace, expect=(1, 2))
        self.assertIn(sentence, done.err)
        self.assertIn("--plugin with --target", self.record("--target", "tcp://localhost:1", expect=2).err)


class DataSet(NativeTest):
    """--data LIB.so:NAME"""

    def pictures(self, *more, fault="", expect=0):
        self.trace.unlink(missing_ok=True)
        return run("run", MODELS / "signs_float.tflite", "--plugin", PICTURES, "--data", f"{PICTURES}:pictures?fault={fault}", "--recipe", tool.RECIPE,
                   "--trace", self.trace, *more, expect=expect)

    def test_the_example_feeds_an_engine(self):
        rows = np.random.default_rng(3).integers(0, 9, (5, 5)).astype(np.float32)
        rows[:, 0] %= 2
        table = self.folder / "rows.txt"
        np.savetxt(table, rows, fmt="%g")
        model = self.folder / "m.linear"
        model.write_text("4 2\n1 0 0 0\n0 0 1 0.5")
        run("run", model, "--plugin", LINEAR, "--plugin", ROWS, "--engine", "linear", "--data", f"{ROWS}:rows?file={table}", "--trace", self.trace, expect=0)
        trace = self.load()
        weights = np.array([[1, 0, 0, 0], [0, 0, 1, 0.5]], np.float32)
        np.testing.assert_array_equal(trace.stack("model_output/scores")[:, 0], rows[:, 1:] @ weights.T)
        self.assertEqual([frame.label for frame in trace.frames], [int(row[0]) for row in rows])
        self.assertEqual([frame.sample for frame in trace.frames], [f"row {i}" for i in range(5)])
        self.trace.unlink()
        run("run", model, "--plugin", LINEAR, "--plugin", ROWS, "--data", f"{ROWS}:rows?file={table}", "--trace", self.trace, expect=0)
        self.assertIn("Lines of numbers", run("help", ROWS, expect=0).out)
        self.assertEqual(json.loads(run("help", ROWS, "--json", expect=0).out)["kind"], "dataset")
        done = run("run", model, "--plugin", LINEAR, "--plugin", ROWS, "--data", f"{ROWS}:rows", "--trace", self.folder / "u.mcap", expect=2)
        self.assertIn("rows needs option 'file' (a text): Lines of numbers", done.err)

    def test_pictures_and_files(self):
        """Without --engine, the data's library is not the engine."""
        self.pictures()
        levels = [np.unique(np.round((frame["image"] + 1) * 127.5)) for frame in self.load().frames]
        self.assertEqual([list(level) for level in levels[:3]], [[40], [80], [120]])
        self.assertLess(abs(levels[3].mean() - 128), 3)
        self.assertEqual(self.load().metadata["edgeprobe.run"]["engine"], "litert")

    def test_each_fault_has_a_sentence(self):
        for fault, words, code in (
            ("open", "pictures cannot be opened: the disk is away", 2),
            ("none", "pictures has 0 samples", 1),
            ("names", "pictures has two samples 'a'", 1),
            ("no name", "pictures has no name for sample 0", 1),
            ("form", "pictures, load('gray_4x4.nv12'): its arrays do not suit the form 9", 1),
            ("type", "pictures, load('gray_4x4.nv12'): its arrays do not suit the form 2", 1),
            ("null", "pictures, load('gray_4x4.nv12'): it has no values for array 0", 1),
        ):
            with self.subTest(fault):
                self.assertIn(words, self.pictures(fault=fault, expect=code).err)
        for fault, words in (("load", "load('b'): the file is cut off"), ("crash", "the engine process ended with SIGSEGV")):
            with self.subTest(fault):
                self.assertIn(words, self.pictures(fault=fault).err)
                self.assertEqual([frame.sample for frame in self.load().frames], ["a", "c", "gray_4x4.nv12"])

    def test_a_wrong_text_ends_before_work_begins(self):
        for text, words in (
            (f"{PICTURES}:photos", "has no data set 'photos'; it has 'pictures'"),
            (f"{PICTURES}:pictures?falt=x", "pictures has no option 'falt'; did you mean 'fault'?"),
            (f"{ROWS}:rows", f"names a library, which is code: give it on the command line as --plugin '{ROWS}', too"),
        ):
            with self.subTest(text):
                done = run("run", MODELS / "signs_float.tflite", "--plugin", PICTURES, "--data", text, "--recipe", tool.RECIPE, "--trace", self.trace, expect=2)
                self.assertIn(words, done.err)
        scenario = self.folder / "test.json"
        scenario.write_text(json.dumps({"kind": "inference_performance", "model": str(MODELS / "signs_float.tflite"), "dataset": f"{PICTURES}:pictures"}))
        self.assertIn("--trust", run("scenario", "run", scenario, expect=2).err)
        self.assertIn("names a library, which is code", run("scenario", "run", scenario, "--trust", expect=(1, 2)).err)


class Ends(NativeTest):
    """In a call that never returns."""

    def start(self):
        self.trace.unlink(missing_ok=True)
        program = subprocess.Popen([tool.EXECUTABLE, "run", self.model, "--plugin", AFFINE, "--engine", "affine-c?fault=hang", "--data", self.data, "--trace",
                                    self.trace, "--time-limit", str(2 * PATIENCE)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(program.stderr.close)
        # Not any process with the library: an earlier one opens it for its name, and ends.
        hanging = wait_for(lambda: next((child for child in children(program.pid) if status(child, "Name") == "affine hangs"), None))
        self.assertTrue(self.has_library(hanging))
        return program, hanging

    @staticmethod
    def has_library(pid):
        try:
            return AFFINE.name in pathlib.Path(f"/proc/{pid}/maps").read_text()
        except OSError:
            return False

    def test_the_program_never_has_the_library(self):
        program, child = self.start()
        self.assertFalse(self.has_library(program.pid))
        os.kill(child, signal.SIGKILL)
        self.assertIn("the engine process ended with SIGKILL", program.communicate(timeout=PATIENCE)[1])
        self.assertEqual(program.returncode, 1)

    def test_its_process_ends_with_the_program(self):
        program, child = self.start()
        program.kill()
        program.wait()
        self.assertTrue(wait_for(lambda: not self.has_library(child)))


if __name__ == "__main__":
    tool.main()
