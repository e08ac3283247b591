# SPDX-License-Identifier: Apache-2.0
"""A check's reference that is not a recipe: the user's own Python pipeline, or golden outputs. Also the choice of compared tensors."""
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
import traces
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
        """An app's recording: its own pre-processing before the model."""
        trace = self.folder / f"{function}.mcap"
        run("run", model, "--pipeline", f"{PIPELINES / file}:{function}", *(data or DATA), "--trace", trace, "--force", expect=0)
        return trace

    def pngs(self, count):
        """Only the first PNG files: two decoders may differ by a step on JPEG files, but not on these pixels."""
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
                            continue  # one model per pipeline: the second model gives the same
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
        # An app that names no stages: only its model input can be compared.
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
        trace = self.folder / "t.mcap"
        run("run", FLOAT, "--recipe", RECIPE, *data, "--trace", trace, expect=0)
        run("replay", trace, "--pipeline", f"{PIPELINES / 'keras_style.py'}:preprocess", "--trace", self.folder / "r.mcap", expect=0)
        arrays, pipeline = traces.exported(self.folder / "r.mcap"), module("keras_style")
        for i, image in enumerate(images):
            stages = pipeline.preprocess(image)
            np.testing.assert_array_equal(arrays["intermediate/resized"][i], stages["resized"])
            np.testing.assert_array_equal(arrays["model_input/input"][i].reshape(stages["input"].shape), stages["input"])


class HangingTest(tool.ToolTest):
    """Other errors in a function: console/pipelines.md."""

    def test_ctrl_c_stops_a_function_that_hangs(self):
        trace, file = self.folder / "t.mcap", self.folder / "bad.py"
        run("run", FLOAT, "--recipe", RECIPE, *DATA[:2], "--frames", 2, "--trace", trace, expect=0)
        file.write_text("import time\ndef hangs(image): time.sleep(6000)\n")
        process = subprocess.Popen([tool.EXECUTABLE, "replay", trace, "--pipeline", f"{file}:hangs", "--trace", self.folder / "o.mcap"], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertTrue(wait_for(lambda: children(process.pid)))
        interrupt(process)
        _, err = process.communicate(timeout=tool.PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assertIn(b"stopped by the user", err)


class GoldenTest(tool.ToolTest):
    """The engine's own Python interpreter computes the outputs; the tool compares them with those that it recorded."""

    @classmethod
    def setUpClass(cls):
        folder = cls.class_folder()
        cls.trace = folder / "t.mcap"
        run("run", INT8, "--recipe", RECIPE + " | quantize(model)", *DATA, "--trace", cls.trace, expect=0)
        cls.recorded = traces.exported(cls.trace)
        # The float model on the same real inputs: the correct answers of the int8 model.
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
                 (lambda: self.table(good[:, :11]), "11 values a frame"), (lambda: self.table(broken), "line 5: column 'class 4': 'nan' is not a finite number"),
                 (lambda: self.table(good, [names[0]] * FRAMES), "is in line 2 already")]
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
    """The flags --map and --layers."""

    def setUp(self):
        super().setUp()
        self.reference, self.target = self.folder / "r.mcap", self.folder / "t.mcap"
        run("run", FLOAT, "--recipe", RECIPE, *DATA[:2], "--frames", 3, "--level", "layers", "--trace", self.reference, expect=0)
        # The same tensors under names that cannot be paired, written by the official library.
        self.names = {}
        with traces.Copy(self.reference, self.target, groups=()) as copy:
            for channel, message in copy.messages:
                stage, _, name = channel.topic[1:].partition("/")
                if stage == "raw_input" or stage == "frame" and name:
                    continue
                topic, data, about = channel.topic, message.data, {k: v for k, v in channel.metadata.items() if k in ("dtype", "shape") and stage != "frame"}
                if stage == "layer":  # each layer is off by its own factor
                    number = int(self.names.setdefault(name, f"op {len(self.names):02d}")[3:])
                    topic, about["layer_type"] = "/layer/" + self.names[name], f"KIND_{number + 1}"
                    data = (np.frombuffer(data, np.float32) * np.float32(1 + 0.001 * (1 + number))).tobytes()
                copy.add(topic, channel.message_encoding, about, data, message)

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


if __name__ == "__main__":
    tool.main()
