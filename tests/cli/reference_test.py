# SPDX-License-Identifier: Apache-2.0
"""A check's reference that is not a recipe: the user's own Python pipeline, or golden outputs. And which tensors are compared."""
import csv
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
from PIL import Image

import tool
from processes import children, interrupt, wait_for
from tool import MODELS, RECIPE, run, verdict_of

os.environ["EDGEPROBE_PYTHON"] = sys.executable
PIPELINES = pathlib.Path(__file__).resolve().parent / "pipelines"
FLOAT, INT8 = MODELS / "signs_float.tflite", MODELS / "signs_int8.tflite"
FRAMES = 16
DATA = ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv", "--frames", FRAMES]


def module(name):
    spec = importlib.util.spec_from_file_location(name, PIPELINES / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def labels():
    with open(MODELS / "data" / "labels.csv", newline="") as file:
        return {row["file"]: int(row["label"]) for row in csv.DictReader(file)}


def samples(count=FRAMES):
    names = sorted(labels())
    return [names[i * len(names) // count] for i in range(count)]


class PipelineTest(tool.ToolTest):
    def app(self, file, function, model=FLOAT, data=None):
        """An app's recording: its own pre-processing in front of the model."""
        trace = self.folder / f"{function}.mcap"
        run("run", model, "--pipeline", f"{PIPELINES / file}:{function}", *(data or DATA), "--trace", trace, "--force", expect=0)
        return trace

    def pngs(self, count):
        """The first PNG files alone: of JPEG files two decoders may differ by a step, these pixels are what they are."""
        folder = self.folder / "png"
        folder.mkdir()
        files = sorted((MODELS / "data" / "test").glob("*.png"))[:count]
        for file in files:
            shutil.copy(file, folder)
        return ["--data", folder], [np.asarray(Image.open(file).convert("RGB")) for file in files]

    def test_the_first_stage_that_differs_is_named(self):
        cases = {"keras_style.py": {"nearest": "stage 'resized'", "turned": "stage 'loaded'", "caffe_mode": "the model input"},
                 "torchvision_style.py": {"bgr": "stage 'to_tensor'", "imagenet_statistics": "stage 'normalized'", "shifted": "stage 'cropped'"}}
        for file, faults in cases.items():
            for model in (FLOAT, INT8):
                for fault, stage in faults.items():
                    with self.subTest(pipeline=file, fault=fault, model=model.name):
                        if model is INT8 and fault not in ("caffe_mode", "bgr"):
                            continue  # one a pipeline: the second model says the same
                        verdict = verdict_of("diagnose", self.app(file, fault, model), "--model", model, "--reference", model,
                                             "--reference-pipeline", f"{PIPELINES / file}:preprocess", expect={0, 3})
                        cause = verdict["causes"][0]
                        self.assertEqual(cause["kind"], "pipeline_stage")
                        self.assertIn(stage + " is the first that differs", cause["detail"])
                        if verdict["verdict"] == "differs":
                            self.assertEqual(cause["status"], "confirmed")
                            self.assertAlmostEqual(cause["restored"], verdict["task"]["reference"], delta=1e-9)

    def test_a_function_that_runs_the_model_itself_is_a_reference(self):
        own = self.folder / "own.py"
        own.write_text(f"""
import sys
sys.path.insert(0, {str(PIPELINES)!r})
import keras_style
from ai_edge_litert.interpreter import Interpreter

model = Interpreter({str(FLOAT)!r})
model.allocate_tensors()

def answer(image):
    stages = keras_style.preprocess(image)
    model.set_tensor(model.get_input_details()[0]["index"], stages["input"])
    model.invoke()
    return {{**stages, "output/probabilities": model.get_tensor(model.get_output_details()[0]["index"]).copy()}}
""")
        judge = ["--reference-pipeline", f"{own}:answer"]
        good = verdict_of("diagnose", self.app("keras_style.py", "preprocess"), *judge, "--model", FLOAT, expect=0)
        self.assertEqual((good["verdict"], good["causes"]), ("agrees", []))
        # An app that names no stages: its model input is all there is to say.
        swapped = verdict_of("check", INT8, "--recipe", "crop(square) | resize(64x64, bilinear, antialias=on) | color(bgr) | scale(-1..1) | quantize(model)",
                             *judge, *DATA, "--level", "io", expect=3)
        self.assertTrue(swapped["causes"][0]["detail"].startswith("the model input is the first that differs"))
        self.assertEqual(swapped["causes"][0]["status"], "confirmed")
        self.assertAlmostEqual(swapped["causes"][0]["restored"], swapped["task"]["reference"], delta=0.07)

    def test_equal_pipelines_agree_without_a_cause(self):
        for file in ("keras_style.py", "torchvision_style.py"):
            verdict = verdict_of("diagnose", self.app(file, "preprocess"), "--model", FLOAT, "--reference", FLOAT,
                                 "--reference-pipeline", f"{PIPELINES / file}:preprocess", expect=0)
            self.assertEqual(verdict["causes"], [])
            self.assertEqual(verdict["verdict"], "agrees")

    def test_distances_of_stages_are_numpys(self):
        data, images = self.pngs(8)
        pipeline = module("torchvision_style")
        target, reference = self.app("torchvision_style.py", "shifted", data=data), self.folder / "reference.mcap"
        run("replay", target, "--pipeline", f"{PIPELINES / 'torchvision_style.py'}:preprocess", "--trace", reference, expect=0)
        result = json.loads(run("compare", reference, target, "--json", expect={0, 3}).out)
        self.assertEqual(result["first_stage"], "cropped")
        self.assertIn("'cropped' is the first that differs", run("compare", reference, target, expect={0, 3}).out)
        layers = {layer["name"]: layer for layer in result["layers"]}
        right, wrong = {}, {}
        for image in images:
            for into, function in ((right, pipeline.preprocess), (wrong, pipeline.shifted)):
                for stage, array in function(image):
                    into.setdefault(stage, []).append(array.astype(np.float64))
        self.assertEqual(layers["resized"]["frames"], len(images))
        self.assertTrue(layers["resized"]["exact"])
        for stage in ("cropped", "to_tensor", "normalized"):
            rmse = np.sqrt(np.mean((np.stack(right[stage]) - np.stack(wrong[stage])) ** 2))
            self.assertGreater(rmse, 0)
            self.assertAlmostEqual(layers[stage]["rmse"], rmse, delta=1e-5 * rmse)

    def test_recorded_stages_are_the_functions(self):
        data, images = self.pngs(4)
        trace, out = self.folder / "t.mcap", self.folder / "stages.npz"
        run("run", FLOAT, "--recipe", RECIPE, *data, "--trace", trace, expect=0)
        run("replay", trace, "--pipeline", f"{PIPELINES / 'keras_style.py'}:preprocess", "--trace", self.folder / "r.mcap", expect=0)
        run("trace", "export", self.folder / "r.mcap", "--npz", out, expect=0)
        arrays, pipeline = np.load(out), module("keras_style")
        for i, image in enumerate(images):
            stages = pipeline.preprocess(image)
            np.testing.assert_array_equal(arrays["intermediate/resized"][i], stages["resized"])
            np.testing.assert_array_equal(arrays["model_input/input"][i].reshape(stages["input"].shape), stages["input"])


BAD = '''
import os, sys, time
import numpy as np
GOOD = np.zeros((1, 64, 64, 3), np.float32)
def raises(image): return {}["no such key"]
def shape(image): return GOOD[:, :32]
def dtype(image): return GOOD.astype(complex)
def nan(image): return GOOD * np.nan
def ragged(image): return [[1, 2], [3]]
def nothing(image): pass
def no_input(image): return {"a": GOOD}
def leaves(image): sys.exit(3)
def dies(image): os.kill(os.getpid(), 11)
def hangs(image): time.sleep(6000)
def many(image): return {str(i): GOOD for i in range(257)}
def large(image): return np.zeros(1 << 31, np.uint8)
def prints(image):
    print("from the user")
    os.write(1, b"raw bytes\\n")
    return GOOD
'''


class BadPipelineTest(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        import tempfile

        cls._own = tempfile.TemporaryDirectory(prefix="edgeprobe_test_")
        cls.trace = pathlib.Path(cls._own.name) / "t.mcap"
        run("run", FLOAT, "--recipe", RECIPE, *DATA[:2], "--frames", 2, "--trace", cls.trace, expect=0)
        cls.file = pathlib.Path(cls._own.name) / "bad.py"
        cls.file.write_text(BAD)

    @classmethod
    def tearDownClass(cls):
        cls._own.cleanup()

    def replay(self, pipeline, *more, expect):
        return run("replay", self.trace, "--pipeline", pipeline, "--model", FLOAT, "--trace", self.folder / "o.mcap", *more, expect=expect)

    def test_what_went_wrong_is_said_with_function_and_sample(self):
        said = {"raises": "KeyError: 'no such key' (bad.py line 5)", "shape": "float32 1x32x64x3, the model expects float32 1x64x64x3",
                "dtype": "complex128", "nan": "not finite", "ragged": "cannot be made an array", "nothing": "None was returned",
                "no_input": "no array called 'input'", "leaves": "exit code 3", "dies": "SIGSEGV"}
        for function, sentence in said.items():
            with self.subTest(function=function):
                done = self.replay(f"{self.file}:{function}", expect={1, 2})
                last = done.err.strip().splitlines()[-1]
                self.assertIn(sentence, last)
                self.assertIn(f"pipeline 'bad.py:{function}' on 'sign_0000.png'", last)
                self.assertFalse((self.folder / "o.mcap").exists())

    def test_limits(self):
        self.assertIn("256", self.replay(f"{self.file}:many", expect=1).err.splitlines()[-1])
        self.assertIn("the limit is 1.07 GB", self.replay(f"{self.file}:large", expect=1).err)

    def test_files_and_names_that_are_none(self):
        for pipeline, sentence in ((f"{self.file}:absent", "has no function 'absent'; it has"), (f"{self.file}:GOOD", "is no function"),
                                   (f"{self.folder}/none.py:f", "no such file"), (str(self.file), "expected FILE.py:FUNCTION")):
            self.assertIn(sentence, self.replay(pipeline, expect={1, 2}).err)
        broken = self.folder / "broken.py"
        broken.write_text("def f(:\n")
        self.assertIn("SyntaxError", self.replay(f"{broken}:f", expect=2).err)
        self.assertIn("cannot be started", self.replay(f"{self.file}:nan", "--python", self.folder / "nopython", expect=1).err)

    def test_prints_stay_out_of_the_results(self):
        done = self.replay(f"{self.file}:prints", "--json", expect=0)
        self.assertEqual(json.loads(done.out)["frames"], 2)
        self.assertIn("from the user", done.err)
        self.assertIn("raw bytes", done.err)

    def test_a_hanging_function_is_stopped_by_the_limit_and_by_ctrl_c(self):
        done = self.replay(f"{self.file}:hangs", "--time-limit", 1, expect=1)
        self.assertIn("limit of 1 s", done.err)
        process = subprocess.Popen([tool.EXECUTABLE, "replay", str(self.trace), "--pipeline", f"{self.file}:hangs", "--trace",
                                    str(self.folder / "o.mcap")], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertTrue(wait_for(lambda: children(process.pid)))
        interrupt(process)
        _, err = process.communicate(timeout=tool.PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assertIn(b"stopped by the user", err)


class GoldenTest(tool.ToolTest):
    """Outputs are computed by the engine's own Python interpreter; the tool compares them with what it recorded."""

    @classmethod
    def setUpClass(cls):
        import tempfile

        cls._own = tempfile.TemporaryDirectory(prefix="edgeprobe_test_")
        folder = pathlib.Path(cls._own.name)
        cls.trace, exported = folder / "t.mcap", folder / "t.npz"
        run("run", INT8, "--recipe", RECIPE + " | quantize(model)", *DATA, "--trace", cls.trace, expect=0)
        run("trace", "export", cls.trace, "--npz", exported, expect=0)
        cls.recorded = np.load(exported)
        # The float model on the same real inputs: what the int8 model should have answered.
        from ai_edge_litert.interpreter import Interpreter

        small = Interpreter(str(INT8))
        scale, zero = small.get_input_details()[0]["quantization"]
        inputs = (cls.recorded["model_input/image"].reshape(FRAMES, 1, 64, 64, 3).astype(np.float32) - zero) * np.float32(scale)
        large = Interpreter(str(FLOAT))
        large.allocate_tensors()
        cls.golden = []
        for values in inputs:
            large.set_tensor(large.get_input_details()[0]["index"], values)
            large.invoke()
            cls.golden.append(large.get_tensor(large.get_output_details()[0]["index"])[0].copy())
        cls.golden = np.stack(cls.golden)
        scale, zero = small.get_output_details()[0]["quantization"]
        cls.real = (cls.recorded["model_output/probabilities"].reshape(FRAMES, 12).astype(np.float32) - zero) * np.float32(scale)

    @classmethod
    def tearDownClass(cls):
        cls._own.cleanup()

    def npz(self, **arrays):
        file = self.folder / "golden.npz"
        np.savez_compressed(file, **arrays)
        return file

    def table(self, scores, names=None, header=None):
        file = self.folder / "golden.csv"
        with open(file, "w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(header or ["sample", *(f"class {i}" for i in range(scores.shape[1]))])
            writer.writerows([name, *map(repr, map(float, row))] for name, row in zip(names or samples(), scores))
        return file

    def compare(self, golden, expect):
        return json.loads(run("compare", self.trace, "--golden", golden, "--json", expect=expect).out)

    def test_every_form_gives_the_same_figures_as_numpy(self):
        distance = np.mean(np.abs(self.real.astype(np.float64) - self.golden).sum(axis=1) / 2)  # total variation
        same = int((self.real.argmax(axis=1) == self.golden.argmax(axis=1)).sum())
        order = np.random.default_rng(1).permutation(FRAMES)
        names = np.array(samples())
        forms = {"in order": lambda: self.npz(probabilities=self.golden), "by name": lambda: self.npz(probabilities=self.golden[order], samples=names[order]),
                 "by frame": lambda: self.npz(probabilities=self.golden[order], frames=order), "one array": lambda: self.npz(arr_0=self.golden),
                 "one a sample": lambda: self.npz(**dict(zip(samples(), self.golden))),
                 "csv": lambda: self.table(self.golden[order], [samples()[i] for i in order]), "double": lambda: self.npz(arr_0=self.golden.astype(np.float64))}
        for form, make in forms.items():
            with self.subTest(form=form):
                result = self.compare(make(), expect=0)
                self.assertEqual(result["frames"]["joined"], FRAMES)
                self.assertAlmostEqual(result["output_distance"]["mean"], distance, delta=1e-6)
                self.assertAlmostEqual(result["classes"]["top1_agreement"], same / FRAMES)

    def test_check_and_diagnose_judge_by_golden_outputs(self):
        golden = self.table(self.golden)
        agrees = verdict_of("check", INT8, "--recipe", RECIPE + " | quantize(model)", "--golden", golden, *DATA, "--level", "io", expect=0)
        self.assertEqual(agrees["verdict"], "agrees")
        swapped = verdict_of("check", INT8, "--recipe", RECIPE.replace("rgb", "bgr") + " | quantize(model)", "--golden", golden, *DATA, "--level", "io", expect=3)
        truth = [labels()[name] for name in samples()]
        self.assertAlmostEqual(swapped["task"]["reference"], np.mean(self.golden.argmax(axis=1) == truth))
        self.assertLess(swapped["task"]["target"], swapped["task"]["reference"])
        self.assertEqual(verdict_of("diagnose", self.trace, "--golden", golden, expect=0)["verdict"], "agrees")

    def test_what_does_not_fit_is_said(self):
        good, names = self.golden, samples()
        broken, objects = good.copy(), np.array([{"a": 1}] * FRAMES, dtype=object)
        broken[3, 4] = np.nan
        cases = [(lambda: self.npz(probabilities=objects), "never loaded"), (lambda: self.npz(probabilites=good), "did you mean 'probabilities'?"),
                 (lambda: self.npz(probabilities=good[:9]), f"it has 9 frames, the target {FRAMES}"), (lambda: self.npz(probabilities=good[:, :10]), "10 values a frame"),
                 (lambda: self.npz(probabilities=broken), f"of '{names[3]}': value 4 is nan"), (lambda: self.npz(probabilities=good.astype(complex)), "'<c16'"),
                 (lambda: self.npz(probabilities=good, samples=np.array([names[0]] * FRAMES)), "one row a frame"),
                 (lambda: self.npz(probabilities=good, samples=np.array(["x"] * FRAMES)), "none of its samples is in the target"),
                 (lambda: self.npz(probabilities=good, samples=np.array(names[:3])), "it names 3 frames"),
                 (lambda: self.table(good, header=[names[0], *map(str, range(12))]), "expected a header with a column 'sample'"),
                 (lambda: self.table(good[:, :11]), "11 values a frame"), (lambda: self.table(broken), "line 5: column 'class 4': 'nan' is no number"),
                 (lambda: self.table(good, [names[0]] * FRAMES), "stands in line 2 already")]
        for make, sentence in cases:
            with self.subTest(sentence=sentence):
                done = run("compare", self.trace, "--golden", make(), expect={1, 2})
                self.assertIn(sentence, done.err)
                self.assertIn("golden", done.err)
        whole = self.npz(probabilities=good).read_bytes()
        for cut in (0, 1, 30, len(whole) // 2, len(whole) - 1):
            (self.folder / "cut.npz").write_bytes(whole[:cut])
            self.assertIn("no sound NumPy archive", run("compare", self.trace, "--golden", self.folder / "cut.npz", expect=1).err)

    def test_sizes_that_are_only_claimed_are_not_believed(self):
        file = self.npz(probabilities=self.golden)
        data = bytearray(file.read_bytes())
        entry = data.rindex(b"PK\x01\x02")
        for size, sentence in ((0xF0000000, "at most 2.15 GB"), (0x7F000000, "claims more bytes than it can hold")):
            data[entry + 24:entry + 28] = size.to_bytes(4, "little")
            file.write_bytes(data)
            self.assertIn(sentence, run("compare", self.trace, "--golden", file, expect=1).err)

    def test_fewer_samples_are_compared_and_said(self):
        done = run("compare", self.trace, "--golden", self.table(self.golden[:5], samples()[:5]), expect=0)
        self.assertIn(f"{FRAMES - 5} of {FRAMES} frames of the target have no golden outputs", done.err)


class ChoiceTest(tool.ToolTest):
    """--map and --layers."""

    def setUp(self):
        super().setUp()
        self.reference, self.target = self.folder / "r.mcap", self.folder / "t.mcap"
        run("run", FLOAT, "--recipe", RECIPE, *DATA[:2], "--frames", 3, "--level", "layers", "--trace", self.reference, expect=0)
        # The same tensors under names that nothing can pair, written by the official library.
        from mcap.reader import make_reader
        from mcap.writer import CompressionType, Writer

        self.names = {}
        with open(self.reference, "rb") as source, open(self.target, "wb") as out:
            writer, ids = Writer(out, compression=CompressionType.NONE), {}
            writer.start(profile="edgeprobe", library="test")
            for _, channel, message in make_reader(source).iter_messages(log_time_order=False):
                stage = channel.topic.split("/")[1]
                if stage == "raw_input" or stage == "frame" and channel.topic != "/frame":
                    continue
                if channel.id not in ids:
                    topic, about = channel.topic, {k: v for k, v in channel.metadata.items() if k in ("dtype", "shape")}
                    if stage == "layer":
                        self.names[channel.topic[len("/layer/"):]] = f"op {len(self.names):02d}"
                        topic = "/layer/" + self.names[channel.topic[len("/layer/"):]]
                        about["layer_type"] = f"KIND_{len(self.names)}"
                    ids[channel.id] = writer.register_channel(topic, channel.message_encoding, 0, about if stage != "frame" else {})
                data = message.data
                if stage == "layer":  # each layer is off by its own factor
                    factor = 1 + 0.001 * (1 + int(self.names[channel.topic[len("/layer/"):]][3:]))
                    data = (np.frombuffer(data, np.float32) * np.float32(factor)).tobytes()
                writer.add_message(ids[channel.id], message.log_time, data, message.publish_time, message.sequence)
            writer.finish()

    def compare(self, *more, expect={0, 3}):
        return json.loads(run("compare", self.reference, self.target, *more, "--json", expect=expect).out)

    def test_a_map_pairs_what_names_do_not(self):
        file = self.folder / "map.csv"
        file.write_text("reference,target\n" + "".join(f'"{r}","{t}"\n' for r, t in self.names.items()))
        mapped = {layer["name"]: layer for layer in self.compare("--map", file)["layers"] if layer["stage"] == "layer"}
        self.assertEqual(set(mapped), set(self.names))
        for name, target in self.names.items():
            self.assertEqual(mapped[name]["target_name"], target)
            self.assertEqual(mapped[name]["matched_by"], "mapping")
            self.assertAlmostEqual(mapped[name]["gain"], 1 + 0.001 * (1 + int(target[3:])), delta=1e-5)
        without = [layer for layer in self.compare()["layers"] if layer["stage"] == "layer" and layer["matched_by"] == "mapping"]
        self.assertEqual(without, [])

    def test_patterns_choose_layers(self):
        file = self.folder / "map.csv"
        file.write_text("".join(f'"{r}","{t}"\n' for r, t in self.names.items()))
        result = self.compare("--map", file, "--layers", "block2/*", "--layers", "op 00")
        wanted = {name for name in self.names if name.startswith("block2/")} | {next(n for n, t in self.names.items() if t == "op 00")}
        self.assertEqual({layer["name"] for layer in result["layers"] if layer["stage"] == "layer"}, wanted)
        self.assertEqual(result["layer_filter"], {"patterns": ["block2/*", "op 00"], "matched": len(wanted), "paired": len(self.names)})
        self.assertIn("fits none of", run("compare", self.reference, self.target, "--map", file, "--layers", "nothing*", expect=2).err)

    def test_maps_that_do_not_fit(self):
        first, second = list(self.names.items())[:2]
        many = self.folder / "many.map"
        many.write_text("".join(f"a{i} b{i}\n" for i in range(100_001)))
        self.assertIn("at most 100000 lines", run("compare", self.reference, self.target, "--map", many, expect=1).err)
        cases = {f'"{first[0]}","nobody"\n': "the target has no tensor 'nobody'", "one\n": "expected two names", "": "holds no pair of names",
                 f'{first[0]},"{first[1]}"\n{first[0]},"{second[1]}"\n': "stands in line 1 already", '"open,x\n': "line 1"}
        for text, sentence in cases.items():
            with self.subTest(sentence=sentence):
                file = self.folder / "map.csv"
                file.write_text(text)
                self.assertIn(sentence, run("compare", self.reference, self.target, "--map", file, expect={1, 2}).err)


if __name__ == "__main__":
    tool.main()
