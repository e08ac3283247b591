# SPDX-License-Identifier: Apache-2.0
"""Compiler plug-ins: what they get, how their result is checked and recorded, and a sentence for each fault.

compiler_test.py EDGEPROBE. The case of Keras runs where EDGEPROBE_KERAS_PYTHON names a Python that has TensorFlow."""
import json
import os
import shutil
import subprocess
import textwrap
import unittest

import plugin_test
import numpy as np
import onnx
import onnxruntime
import tool
import edgeprobe
from ends_test import is_running
from processes import interrupt, wait_for
from tool import MODELS, PATIENCE, ROOT, ToolTest, run

SOURCE = '''
import dataclasses, os, pathlib, shutil, subprocess, sys, time
import numpy as np
from edgeprobe.plugins import Tensor, option

@dataclasses.dataclass
class Copy:
    """The same model, or what 'fault' asks for."""

    formats = (".onnx",)
    result = ".onnx"
    version = "3.1"
    fault: str = ""
    bits: int = option(8, "Bits of a weight", least=2, most=16)

    def compile(self, model, out):
        print('{"tool": "noise of the tool"}')
        print("a warning of the tool", file=sys.stderr)
        if self.fault == "raise": raise ValueError("no such operator")
        if self.fault == "exit": sys.exit(3)
        if self.fault == "end": os._exit(3)
        if self.fault == "abort": os.abort()
        if self.fault == "hang": time.sleep(10000)
        if self.fault == "nothing": return
        if self.fault == "empty": return out.touch()
        if self.fault == "garbage": return out.write_bytes(b"no model" * 9) and None
        if self.fault == "renamed": shutil.copy(model, str(out) + ".zip"); return
        if self.fault == "elsewhere": shutil.copy(model, model.with_name("own.onnx")); return
        if self.fault == "folder": out.mkdir(); return
        if self.fault == "more": (out.parent / "log.txt").write_text("log")
        if self.fault == "onto": shutil.copy(model, out.parent / model.name)
        if self.fault == "source": model.write_bytes(model.read_bytes() + b"\\0")
        shutil.copyfile(model, out)
        if self.fault == "returned": return 7
        if self.fault == "child":
            child = subprocess.Popen(["sleep", "10000"])
            model.with_name("pids").write_text(f"{os.getpid()} {child.pid}")
            while True: pass
        return [f"kept {self.bits} bits", "nothing else"]

@dataclasses.dataclass
class Calibrated:
    """Notes the samples that it gets."""

    seen: pathlib.Path = pathlib.Path("seen.npz")

    def compile(self, model, out, calibration):
        samples = list(calibration)
        assert len(samples) == len(calibration) and all((a[k] == b[k]).all() for a, b in zip(samples, calibration) for k in a)
        np.savez(self.seen, **{f"{name} {at}": array for at, sample in enumerate(samples) for name, array in sample.items()})
        shutil.copyfile(model, out)

class Rows:
    """Takes pictures with the channels last, and keeps its weights in a file of their own."""

    formats = (".onnx",)

    def compile(self, model, out):
        import onnx
        net = onnx.load(model)
        image = net.graph.input[0]
        net.graph.node.insert(0, onnx.helper.make_node("Transpose", ["rows"], [image.name], perm=[0, 3, 1, 2]))
        image.CopyFrom(onnx.helper.make_tensor_value_info("rows", 1, [1, 64, 64, 3]))
        onnx.save(net, out, save_as_external_data=True, location=out.name + ".data", size_threshold=0)

class NoMethod:
    def convert(self, model, out): pass

class Signature:
    def compile(self, model): pass

class Formats:
    formats = "onnx"
    def compile(self, model, out): pass

@dataclasses.dataclass
class Text:
    """An engine whose models are prototypes as text."""

    def load(self, file):
        self.prototypes = np.loadtxt(file, dtype=np.float32, ndmin=2)
        classes, features = self.prototypes.shape
        self.inputs = [Tensor("features", "float32", (1, features))]
        self.outputs = [Tensor("scores", "float32", (1, classes))]

    def run(self, inputs):
        distances = ((inputs[0] - self.prototypes) ** 2).sum(axis=1)
        weights = np.exp(-distances / distances.mean())
        return [(weights / weights.sum())[None]]

@dataclasses.dataclass
class ToText:
    formats, result = (".npy",), ".proto"
    factor: float = 1.0

    def compile(self, model, out):
        np.savetxt(out, np.load(model) * self.factor, fmt="%.9g")

class ToOnnx:
    """Prototypes as a graph of ONNX's operators."""

    formats, result = (".npy",), ".onnx"

    def compile(self, model, out):
        import onnx
        from onnx import helper, numpy_helper
        prototypes = np.load(model).astype(np.float32)
        classes, features = prototypes.shape
        node, f = helper.make_node, onnx.TensorProto.FLOAT
        nodes = [node("Sub", ["features", "prototypes"], ["away"]), node("Mul", ["away", "away"], ["squared"]),
                 node("ReduceSum", ["squared", "last"], ["distances"], keepdims=0), node("ReduceMean", ["distances"], ["mean"], keepdims=1),
                 node("Div", ["distances", "mean"], ["relative"]), node("Neg", ["relative"], ["negative"]),
                 node("Unsqueeze", ["negative", "first"], ["row"]), node("Softmax", ["row"], ["scores"], axis=1)]
        constants = [numpy_helper.from_array(prototypes, "prototypes"), numpy_helper.from_array(np.array([1]), "last"), numpy_helper.from_array(np.array([0]), "first")]
        graph = helper.make_graph(nodes, "nearest", [helper.make_tensor_value_info("features", f, [1, features])],
                                  [helper.make_tensor_value_info("scores", f, [1, classes])], constants)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), out)
'''
NEAREST = f"{ROOT / 'examples' / 'plugins' / 'signs_plugins' / 'nearest.py'}:Nearest"


class CompilerTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "own.py"
        self.file.write_text(textwrap.dedent(SOURCE))
        self.model, self.out, self.data = self.folder / "net.onnx", self.folder / "out" / "net.onnx", self.folder / "x.npz"
        self.out.parent.mkdir()
        shutil.copy(MODELS / "signs_float.onnx", self.model)
        self.images = np.random.default_rng(1).uniform(-1, 1, (6, 1, 3, 64, 64)).astype(np.float32)
        np.savez(self.data, image=self.images)

    def to(self, plugin):
        return f"{self.file}:{plugin}"

    def words(self, plugin, *flags, out=None, model=None, data=None):
        return ["convert", model or self.model, "--to", self.to(plugin), "--data", data or self.data, "-o", out or self.out, *flags]

    def convert(self, plugin, *flags, expect=0, **more):
        return run(*self.words(plugin, *flags, **more), expect=expect)

    def refused(self, plugin, words, *flags, expect, **more):
        """One sentence; whatever was at OUT is still there, and nothing else."""
        out = more.get("out") or self.out
        out.write_bytes(b"an older result")
        done = self.convert(plugin, *flags, expect=expect, **more)
        lines = [line for line in done.err.splitlines() if line.startswith("edgeprobe: ")]
        self.assertEqual(len(lines), 1, done.err)
        self.assertIn(words, lines[0])
        self.assertEqual(done.out, "")
        self.assertNotIn("noise of the tool", "".join(line for line in done.err.splitlines() if line not in lines))
        self.assertEqual([(path.name, path.read_bytes()) for path in out.parent.iterdir()], [(out.name, b"an older result")])
        out.unlink()
        return lines[0]


class Results(CompilerTest):
    def test_layers_too_large_for_a_check_are_left_out(self):
        """Nine samples whose layer of 256 MB would make a trace of 2.4 GB: the check compares outputs instead of failing after the conversion."""
        helper, large = onnx.helper, 1 << 24
        graph = helper.make_graph(
            [helper.make_node("Expand", ["x", "to"], ["wide"]), helper.make_node("ReduceMax", ["wide"], ["y"], axes=[1], keepdims=0)], "wide",
            [helper.make_tensor_value_info("x", 1, [1, 1, 4])], [helper.make_tensor_value_info("y", 1, [1, 4])],
            [onnx.numpy_helper.from_array(np.array([1, large, 4]), "to")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), self.model)
        np.savez(self.data, x=np.random.default_rng(1).normal(size=(9, 1, 1, 4)).astype(np.float32))
        done = self.convert("Copy", "--json")
        said = json.loads(done.out)
        self.assertEqual(said["check_level"], "io")
        self.assertEqual(said["verdict"]["verdict"], "agrees")
        self.assertIn("outputs are compared, not layers: those of 9 samples would take 2.42 GB; --frames 7 compares them", said["notes"])

    def test_a_result_is_checked_and_described(self):
        done = self.convert("Copy?bits=4", "--json")
        said = json.loads(done.out)  # The tool's output is not in it.
        self.assertEqual((said["compiler"], said["compiler_version"], said["compiler_options"]), ("copy", "3.1", {"fault": "", "bits": "4"}))
        self.assertEqual((said["notes"], said["calibration_frames"]), (["kept 4 bits", "nothing else"], 0))
        self.assertEqual((said["source_bytes"], said["bytes"]), (self.model.stat().st_size, self.out.stat().st_size))
        self.assertEqual(said["verdict"]["verdict"], "agrees")
        self.assertIn("note: kept 4 bits\nnote: nothing else\n", done.err)
        self.assertEqual([path.name for path in self.out.parent.iterdir()], ["net.onnx"])

    def test_json_in_a_file_comes_with_the_text(self):
        done = self.convert("Copy", "--json", self.folder / "c.json")
        self.assertIn("agree", done.out)
        self.assertEqual(json.loads((self.folder / "c.json").read_text())["to"], self.to("Copy"))

    def test_calibration_is_the_samples_of_int8(self):
        """Evenly spread, or those of a list in its order; each a dict by the inputs' names."""
        names = self.folder / "list.txt"
        names.write_text("0004\n0001\n")
        for flags, wanted in (((), range(6)), (("--calibration-frames", 3), (0, 2, 4)), (("--calibration", names), (4, 1))):
            with self.subTest(flags):
                done = self.convert(f"Calibrated?seen={self.folder}/seen.npz", *flags, "--json")
                self.assertEqual(json.loads(done.out)["calibration_frames"], len(wanted))
                seen = np.load(self.folder / "seen.npz")
                self.assertEqual(list(seen), [f"image {at}" for at in range(len(wanted))])
                for at, frame in enumerate(wanted):
                    np.testing.assert_array_equal(seen[f"image {at}"], self.images[frame])

    def test_a_result_with_another_layout_and_a_second_file(self):
        recipes = ["--recipe", MODELS / "signs_nchw.recipe", "--target-recipe", MODELS / "signs.recipe"]
        said = json.loads(self.convert("Rows", *recipes, "--frames", 4, "--json", data=MODELS / "data" / "test").out)
        self.assertEqual(said["verdict"]["verdict"], "agrees")
        files = sorted(self.out.parent.iterdir())
        self.assertEqual([path.name for path in files], ["net.onnx", "net.onnx.data"])
        self.assertEqual(said["bytes"], sum(path.stat().st_size for path in files))
        self.out.unlink()  # What is left may be of another model.
        done = self.convert("Rows", *recipes, "--frames", 4, data=MODELS / "data" / "test", expect=2)
        self.assertIn("'net.onnx.data' belongs to the result and would replace a file of that name", done.err)

    def test_a_model_of_a_plugins_own_format(self):
        """Its engine is the reference: values agree with it, or the check says that they do not."""
        model, data, random = self.folder / "prototypes.npy", self.folder / "features.npz", np.random.default_rng(5)
        np.save(model, random.normal(size=(3, 4)).astype(np.float32))
        features = random.normal(size=(8, 1, 4)).astype(np.float32)
        np.savez(data, features=features)
        more = {"model": model, "data": data}
        self.convert("ToOnnx", "--engine", NEAREST, **more)
        distances = ((features - np.load(model)[None]) ** 2).sum(axis=2)
        weights = np.exp(-distances / distances.mean(axis=1, keepdims=True))
        session = onnxruntime.InferenceSession(str(self.out))
        got = np.concatenate([session.run(None, {"features": one})[0] for one in features])
        np.testing.assert_allclose(got, weights / weights.sum(axis=1, keepdims=True), rtol=1e-5)
        # A format that only another plug-in reads.
        out = self.out.with_name("net.proto")
        text = ["--engine", NEAREST, "--target-engine", self.to("Text")]
        self.convert("ToText", *text, out=out, **more)
        np.testing.assert_allclose(np.loadtxt(out), np.load(model), rtol=1e-6)
        self.convert("ToText?factor=-1", *text, out=out, expect=3, **more)
        out.unlink()
        self.out.unlink()
        self.refused("ToText", "no engine is known for .proto files; name the one that checks the result with --target-engine", *text[:2], out=out, expect=2, **more)

    @unittest.skipUnless(os.environ.get("EDGEPROBE_KERAS_PYTHON"), "no Python with TensorFlow is named (EDGEPROBE_KERAS_PYTHON)")
    def test_a_model_of_keras(self):
        python = os.environ["EDGEPROBE_KERAS_PYTHON"]
        (self.folder / "keras_tflite.py").write_text(textwrap.dedent('''
            import keras, tensorflow as tf
            class Tflite:
                formats, result, version = (".keras",), ".tflite", tf.__version__
                def compile(self, model, out):
                    out.write_bytes(tf.lite.TFLiteConverter.from_keras_model(keras.saving.load_model(model, compile=False)).convert())
        '''))
        make = '''if True:
            import keras, sys
            keras.utils.set_random_seed(3)
            model = keras.Sequential([keras.Input((8, 8, 3), name="x"), keras.layers.Conv2D(4, 3, activation="relu"), keras.layers.Flatten(), keras.layers.Dense(5)])
            model.save(sys.argv[1])'''
        model, out, data = self.folder / "trained.keras", self.folder / "deployed.tflite", self.folder / "keras.npz"
        subprocess.run([python, "-c", make, model], check=True, capture_output=True, timeout=PATIENCE)
        np.savez(data, x=np.random.default_rng(4).normal(size=(5, 1, 8, 8, 3)).astype(np.float32))
        done = run("convert", model, "--to", f"{self.folder}/keras_tflite.py:Tflite", "--data", data, "-o", out, "--python", python, "--json", expect=0)
        said = json.loads(done.out)
        self.assertEqual((said["compiler"], said["verdict"]["verdict"]), ("tflite", "agrees"))


class Faults(CompilerTest):
    def test_nothing_remains_of_a_failed_compile(self):
        cases = {
            "raise": "Copy.compile raises ValueError: no such operator (own.py line 19)",
            "exit": "Copy.compile ended the program (exit code 3) (own.py line 20)",
            "end": "Copy.compile: its process ended with exit code 3",
            "abort": "Copy.compile: its process ended with SIGABRT (Aborted), in compile, own.py line 22",
            "nothing": "Copy.compile wrote no 'net.onnx'; it has to write the file that 'out' names (own.py line 16)",
            "empty": "Copy.compile wrote an empty 'net.onnx' (own.py line 16)",
            "garbage": "Copy.compile wrote a file that cannot be used (own.py line 16): ",
            "renamed": "Copy.compile wrote no 'net.onnx', but 'net.onnx.zip'; it has to",
            "elsewhere": f"Copy.compile wrote no 'net.onnx', but 'own.onnx' in '{self.folder}'; it has to",
            "folder": "Copy.compile left a folder 'net.onnx'; expected the file 'net.onnx' (own.py line 16)",
            "more": "Copy.compile left 'log.txt' next to 'net.onnx'; the name of a file that belongs to the result has to begin with 'net'",
            "returned": "Copy.compile returned int; expected nothing, a sentence, or a list of sentences (own.py line 16)",
            "source": "Copy.compile changed the model that it reads, 'net.onnx'",
        }
        for fault, words in cases.items():
            with self.subTest(fault):
                self.refused(f"Copy?fault={fault}", words, expect=1)

    def test_a_second_file_does_not_replace_the_model(self):
        before, out = self.model.read_bytes(), self.folder / "ne.onnx"
        done = self.convert("Copy?fault=onto", out=out, expect=2)
        self.assertRegex(done.err, "-o .*net.onnx")
        self.assertEqual(self.model.read_bytes(), before)
        self.assertFalse(out.exists())
        self.assertEqual(list(self.folder.glob(".edgeprobe*")), [])

    def test_a_limit_of_time(self):
        said = self.refused("Copy?fault=hang", "Copy.compile: it took longer than the limit of 4 s and was stopped; it printed: ", "--compile-limit", 4, expect=1)
        self.assertIn("Copy.compile is running (own.py line 23); --compile-limit gives it more time", said)

    def test_mistakes_are_known_before_the_work(self):
        """Exit code 2, and the data is never read."""
        nowhere = self.folder / "no" / "data"
        other = self.folder / "net.tflite"
        shutil.copy(MODELS / "signs_float.tflite", other)
        cases = [
            ("Cpoy", "has no class 'Cpoy'; did you mean 'Copy'?", (), {}),
            ("NoMethod", "NoMethod in 'own.py' has no method 'compile'", (), {}),
            ("Signature", "Signature.compile has the parameters self, model; expected compile(self, model, out)", (), {}),
            ("Formats", "Formats.formats is 'onnx'; expected extensions such as ('.onnx', '.tflite')", (), {}),
            ("Copy?bist=4", "Copy has no option 'bist'; did you mean 'bits'?", (), {}),
            ("Copy?bits=1", "option 'bits' is '1'; expected a whole number of at least 2 and at most 16", (), {}),
            ("Copy", "takes .onnx files", (), {"model": other}),
            ("Copy", "writes a .onnx file", (), {"out": self.out.with_name("net.tflite")}),
            ("Copy", "Copy.compile (own.py line 16) has no parameter 'calibration'", ("--calibration", self.file), {}),
            ("Copy", "--compile-limit 0: expected seconds above 0", ("--compile-limit", 0), {}),
            ("Copy", "--keep-float belongs to --to int8", ("--keep-float", self.file), {}),
            ("Copy", "has no class 'Engin'", ("--target-engine", self.to("Engin")), {}),
        ]
        for plugin, words, flags, more in cases:
            with self.subTest(words):
                self.refused(plugin, words, *flags, expect=2, data=nowhere, **more)
        done = run("convert", self.model, "--to", "python:hlves", "--data", nowhere, "-o", self.out, expect=2)
        self.assertIn("compiler plug-in 'hlves' is unknown", done.err)
        done = run("convert", self.model, "--to", "halves", "--data", nowhere, "-o", self.out, expect=2)
        self.assertIn("or a compiler of your own as FILE.py:CLASS or python:NAME", done.err)

    def started(self):
        """The program, while a compiler and a process that it started compute for ever, and those two."""
        work = subprocess.Popen([tool.EXECUTABLE, *map(str, self.words("Copy?fault=child"))], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        pids = self.folder / "pids"
        self.assertTrue(wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2))
        return work, [int(pid) for pid in pids.read_text().split()]

    def test_an_interrupt_ends_all_that_it_started(self):
        work, pids = self.started()
        interrupt(work)
        _, said = work.communicate(timeout=PATIENCE)
        self.assertEqual(work.returncode, 130, said)
        self.assertIn("the program was stopped", said)
        self.assertTrue(wait_for(lambda: not any(map(is_running, pids))))
        self.assertEqual(list(self.out.parent.iterdir()), [])

    def test_it_ends_with_the_program(self):
        work, pids = self.started()
        work.kill()
        work.communicate(timeout=PATIENCE)
        self.assertTrue(wait_for(lambda: not any(map(is_running, pids))))


class Records(CompilerTest):
    def scenario(self, *flags, expect=0):
        file = self.folder / "test.yml"
        file.write_text(f"kind: inference_performance\nmodel: net.onnx\ndataset: x.npz\ncompiler:\n  to: '{self.file.name}:Copy?bits=5'\n  out: out/net.onnx\n"
                        "report:\n  folder: results\n  markdown: true\n")
        return run("scenario", "run", file, *flags, expect=expect)

    def test_a_scenario_needs_trust_and_states_the_compiler(self):
        self.assertIn("names the plug-in '" + str(self.file) + ":Copy?bits=5', and using it runs its code: give --trust", self.scenario(expect=2).err)
        self.assertFalse((self.folder / "results").exists())
        self.scenario("--trust")
        results = self.folder / "results"
        measured = json.loads((results / "measurements.json").read_text())
        facts = {fact["name"]: fact["value"] for fact in measured["edgeprobe"]["facts"]}
        wanted = {"compiler options": "fault=&bits=5", "compiler notes": "kept 5 bits; nothing else", "compiled from": "net.onnx",
                  "bytes before": str(self.model.stat().st_size), "bytes after": str(self.out.stat().st_size)}
        self.assertEqual({name: facts.get(name) for name in wanted}, wanted)
        self.assertEqual(measured["optimizers"], [{"compiler_framework": "copy", "compiler_version": "3.1"}])
        page = (results / "report.md").read_text()
        self.assertRegex(page, r"compiler *\| copy 3\.1")
        self.assertIn("kept 5 bits; nothing else", page)
        with edgeprobe.load(results / "trace.mcap") as trace:
            self.assertEqual(trace.metadata["edgeprobe.run"]["compiler_version"], "3.1")
        done = self.scenario("--trust", expect=2)  # Known before the conversion.
        self.assertIn("trace.mcap' exists", done.err)
        self.assertNotIn("converting with", done.err)
        self.scenario("--trust", "--force")

    def test_a_conversion_belongs_to_its_model(self):
        record = self.folder / "c.json"
        self.convert("Copy", "--json", record)
        words = ["run", self.out, "--data", self.data, "--trace", self.folder / "t.mcap", "--conversion"]
        run(*words, record, expect=0)
        self.out.write_bytes(self.out.read_bytes() + b"\0")
        self.assertIn("is of another file than", run(*words, record, "--force", expect=2).err)
        record.write_text("{}")
        self.assertIn("is not the --json of 'edgeprobe convert'", run(*words, record, "--force", expect=2).err)

    def test_help_shows_what_it_takes_and_writes(self):
        said = json.loads(run("help", self.to("Copy"), "--json", expect=0).out)
        self.assertEqual((said["kind"], said["formats"], said["result"]), ("compiler", [".onnx"], ".onnx"))
        self.assertEqual([one["name"] for one in said["options"]], ["fault", "bits"])
        text = run("help", self.to("Copy"), expect=0).out
        self.assertIn("Takes .onnx, writes .onnx", text)
        self.assertRegex(text, r"bits +int >= 2, <= 16 +default 8 +Bits of a weight")


if __name__ == "__main__":
    tool.main()
