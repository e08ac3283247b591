# SPDX-License-Identifier: Apache-2.0
"""`edgeprobe train`: what it refuses before work begins, and with Keras what it leaves.

train_test.py EDGEPROBE. Training runs where EDGEPROBE_KERAS_PYTHON names a Python that has Keras and TensorFlow."""
import csv
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
import numpy as np  # noqa: E402
import onnx  # noqa: E402

import tool  # noqa: E402
from processes import wait_for  # noqa: E402
from tool import MODELS, PATIENCE, SHARED, ToolTest, run  # noqa: E402

sys.path.insert(0, str(MODELS))
KERAS = os.environ.get("EDGEPROBE_KERAS_PYTHON", "")
MOBILENET = SHARED / "models/tflite_support/mobilenet_v1_0.25_224_1_default_1.tflite"
needs_keras = unittest.skipUnless(KERAS, "no Python with Keras is named (EDGEPROBE_KERAS_PYTHON)")
SMALL = "resize(32x32, bilinear, like=pillow) | color(rgb) | scale(-1..1) | layout(nhwc)"

OWN = '''
import dataclasses
from edgeprobe.plugins import option

@dataclasses.dataclass
class Tiny:
    """Two convolutions, the first of which is the backbone."""

    width: int = option(8, "Channels", least=1)
    recipe = "%s"

    def build(self, input_shape, classes):
        import keras
        inputs = keras.Input(input_shape)
        values = keras.layers.ReLU()(keras.layers.Conv2D(self.width, 3, strides=2, name="first")(inputs))
        values = keras.layers.BatchNormalization(momentum=.5, name="norm")(values)
        features = keras.layers.GlobalAveragePooling2D()(values)
        self.part = keras.Model(inputs, features)
        values = keras.layers.Dropout(.2)(keras.layers.Dense(32, activation="relu")(features))
        return keras.Model(inputs, keras.layers.Dense(classes, activation="softmax")(values))

    def backbone(self, model):
        return self.part

class Bare:
    def build(self, input_shape, classes):
        raise ValueError("no network for this")

class Nothing:
    pass
''' % SMALL


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def write_onnx(file, weights, divided):
    """The backbone of Tiny, with another epsilon than Keras's."""
    kernel, bias = weights["first/kernel"].transpose(3, 2, 0, 1), weights["first/bias"]
    gamma, beta, mean, variance = (weights["norm/" + name] for name in ("gamma", "beta", "moving_mean", "moving_variance"))
    values, epsilon = {"k": kernel, "b": bias}, 1e-5
    variance = variance + np.float32(1e-3 - epsilon)
    if divided:
        scale = gamma / np.sqrt(variance + epsilon)
        values |= {"s": scale.reshape(1, -1, 1, 1), "t": (beta - mean * scale).reshape(1, -1, 1, 1)}
        nodes = [onnx.helper.make_node("Mul", ["c", "s"], ["m"]), onnx.helper.make_node("Add", ["m", "t"], ["n"])]
    else:
        values |= {"g": gamma, "h": beta, "i": mean, "j": variance}
        nodes = [onnx.helper.make_node("BatchNormalization", ["c", "g", "h", "i", "j"], ["n"], epsilon=epsilon)]
    nodes = [onnx.helper.make_node("Conv", ["x", "k", "b"], ["c"], strides=[2, 2]), *nodes, onnx.helper.make_node("GlobalAveragePool", ["n"], ["y"])]
    graph = onnx.helper.make_graph(nodes, "tiny", [onnx.helper.make_tensor_value_info("x", 1, [1, 3, 32, 32])], [onnx.helper.make_tensor_value_info("y", 1, [1, 8, 1, 1])],
                                   [onnx.numpy_helper.from_array(np.ascontiguousarray(value, np.float32), name) for name, value in values.items()])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8), file)


def draw_pets(folder, per_breed, side=40):
    import pets
    pets.write(folder, per_breed, side, 5)
    return ["--data", folder / "images", "--labels", folder / "labels.csv", "--classes", folder / "classes.txt"]


class TrainTest(ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "own.py").write_text(OWN)
        self.model = f"{self.folder}/own.py:Tiny"
        self.out = self.folder / "net.keras"

    def refused(self, words, *args, model=None, out=None, python=sys.executable, expect=2, **more):
        done = run("train", model or self.model, "--model-path", out or self.out, "--python", python, *args, expect=expect, **more)
        self.assertIn(words, done.err)
        self.assertFalse((out or self.out).exists())
        return done


class Refusals(TrainTest):
    """None of them needs Keras."""

    def setUp(self):
        super().setUp()
        self.data = ["--data", MODELS / "data/test", "--labels", MODELS / "data/labels.csv", "--classes", MODELS / "data/labels.txt"]

    def test_flags(self):
        self.refused("expected mobilenet_v1, mobilenet_v2, mobilenet_v2_torch, signal, or a class of your own as FILE.py:CLASS or python:NAME; did you mean 'mobilenet_v2'?",
                     *self.data, model="mobilnet_v2")
        self.refused("DATASET is missing")
        self.refused("the data is named twice", *self.data, "--dataset-root", "/elsewhere")
        self.refused("--fine-tune unfreezes blocks of a backbone; name its weights with --backbone", *self.data, "--fine-tune", 2)
        for rate in ("0", "-1", "nan", "101"):
            self.refused("--learning-rate", *self.data, "--learning-rate", rate)
        self.refused("--batch-size", *self.data, "--batch-size", 0)
        self.refused("--num-epochs", *self.data, "--num-epochs", 0)
        self.refused("its folder does not exist", *self.data, out=self.folder / "none" / "net.keras")
        self.refused("expected a file such as pets.keras", *self.data, out=self.folder / "net")
        self.refused("is not a file", *self.data, "--backbone", self.folder / "none.npz")
        self.refused("--checkpoint-every", *self.data, "--checkpoint-every", -1)
        for share in ("1.5", "-0.1", "nan"):
            self.refused("--split-fraction-test", *self.data, "--split-fraction-test", share)
        self.refused("together 1 or more: nothing would be left to train with", *self.data, "--split-fraction-test", "0.6", "--split-fraction-val", "0.5")

    def test_data(self):
        self.refused("no sample of the data has a class", "--data", MODELS / "data/test")
        one = self.folder / "one.csv"
        one.write_text("file,label\n" + "".join(f"{path.name},0\n" for path in sorted((MODELS / "data/test").iterdir())[:20]))
        self.refused("the data has 1 class; a classifier needs at least two", "--data", MODELS / "data/test", "--labels", one)
        names = self.folder / "names.txt"
        names.write_text((MODELS / "data/labels.txt").read_text().strip() + "\nghost\n")
        self.refused("no training sample is of class 'ghost': the model could never answer it; add samples, or leave the class out",
                     *self.data[:4], "--classes", names)

    def test_models(self):
        self.refused("has no method 'build'", *self.data, model=f"{self.folder}/own.py:Nothing")
        self.refused("has no class 'Tinny'; did you mean 'Tiny'?", *self.data, model=f"{self.folder}/own.py:Tinny")
        self.refused("has no option 'hight'", *self.data, model=f"{self.model}?hight=3")
        self.refused("--recipe is missing", *self.data, model=f"{self.folder}/own.py:Bare")
        self.refused("Tiny is written as .keras or .h5", *self.data, out=self.folder / "net.tflite")
        self.refused("mobilenet_v2' needs the package keras", *self.data, model="mobilenet_v2")
        done = self.refused("this Python has no keras: name one that has it with --python", *self.data)
        self.assertIn("recipe of the model: resize(32x32", done.err)
        self.refused("cannot be started", *self.data, python="/nowhere/python", expect=1)
        self.refused("recipe step 1", *self.data, "--recipe", "crop(window, 500, 500, 4, 4) | layout(nhwc)")

    def test_weights_that_are_not_float_are_named(self):
        self.refused("; a backbone needs stored float32 weights: take the float model", *self.data, "--backbone", MODELS / "signs_int8.tflite")
        (self.folder / "bad.tflite").write_bytes(b"TFL3")
        self.refused("bad.tflite", *self.data, "--backbone", self.folder / "bad.tflite", expect={1, 2})

    def test_names_of_the_models_are_those_of_the_package(self):
        from edgeprobe.plugins.own import OWN
        source = (tool.ROOT / "src/cli/commands/train/train_flags.cc").read_text()
        self.assertIn("kModels{" + ", ".join(f'"{name}"' for name in sorted(OWN["model"])) + "}", source)
        shown = run("list", "models", "--python", sys.executable, expect=0).out
        self.assertIn("mobilenet_v2_torch", shown)
        self.assertIn("keras", run("help", "signal", "--python", sys.executable, expect=2).err)


@needs_keras
class Training(TrainTest):
    @classmethod
    def setUpClass(cls):
        cls.pets = cls.class_folder()
        cls.data = draw_pets(cls.pets, 12)

    def train(self, *args, expect=0, model=None, out=None, **more):
        return run("train", model or self.model, *self.data, "--model-path", out or self.out, "--python", KERAS, "--batch-size", 8, *args, expect=expect, **more)

    @staticmethod
    def curve(record):
        return [{key: value for key, value in row.items() if key not in ("seconds", "time")} for row in record["history"]]

    def record(self, stem="net"):
        return json.loads((self.folder / f"{stem}.training.json").read_text())

    def test_what_it_leaves(self):
        (self.pets / "images" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
        labels = self.folder / "labels.csv"
        labels.write_text((self.pets / "labels.csv").read_text() + "broken.png,1\n")
        try:
            done = run(
                "train", self.model, self.pets / "images", "--labels", labels, "--classes", self.pets / "classes.txt", "--model-path", self.out, "--python", KERAS,
                "--batch-size", 8, "--num-epochs", 3, "--augment", "shift=0.1,rotate=10", "--json", self.folder / "said.json", expect=0)
        finally:
            (self.pets / "images" / "broken.png").unlink()
        self.assertIn("1 sample left out", done.err)
        self.assertIn("broken.png", done.err)
        self.assertRegex(done.out, r"epoch +phase +loss")
        record, said = self.record(), json.loads((self.folder / "said.json").read_text())
        self.assertEqual(said["left_out"][0]["sample"], "broken.png")
        self.assertEqual(len(record["history"]), 3)
        self.assertEqual(record["data"]["left_out"][0]["sample"], "broken.png")
        for file in record["files"].values():
            self.assertEqual(sha256(file["path"]), file["sha256"])
        self.assertEqual((self.folder / "net.labels.txt").read_text(), (self.pets / "classes.txt").read_text())
        with open(self.folder / "net.split.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 96)
        for row in rows[::17]:
            self.assertEqual(row["sha256"], sha256(self.pets / "images" / row["sample"]))
            self.assertTrue(row["sample"].startswith(row["class"]))
        parts = {part: sum(row["part"] == part for row in rows) for part in ("train", "validation", "test")}
        self.assertEqual(parts, {part: end - begin for part, (begin, end) in record["data"]["parts"].items()})
        # TensorFlow reads the log, and the saved model answers the test as the record says, from the values of the recipe.
        check = '''if True:
            import glob, json, sys, keras, numpy as np, tensorflow as tf
            folder = sys.argv[1]
            (log,) = glob.glob(folder + "/net-training/events*")
            events = [tf.compat.v1.Event.FromString(bytes(one.numpy())) for one in tf.data.TFRecordDataset(log)]
            losses = [value.simple_value for event in events for value in event.summary.value if value.tag == "train/loss"]
            store = folder + "/net-training/store/"
            about = json.load(open(store + "store.json"))
            begin, end = about["parts"]["test"]
            values = np.load(store + "table.npy")[0][np.load(store + "inputs.npy")[begin:end]]
            model = keras.saving.load_model(folder + "/net.keras")
            right = int((model.predict(values, verbose=0).argmax(1) == np.load(store + "labels.npy")[begin:end]).sum())
            print(json.dumps([losses, right, end - begin]))'''
        answer = subprocess.run([KERAS, "-c", check, self.folder], capture_output=True, text=True, timeout=PATIENCE)
        losses, right, count = json.loads(answer.stdout.splitlines()[-1])
        np.testing.assert_allclose(losses, [row["loss"] for row in record["history"]], rtol=1e-6)
        self.assertAlmostEqual(right / count, record["test"]["accuracy"])

    def test_a_killed_run_continues_to_the_same_curve(self):
        self.train("--num-epochs", 3, "--checkpoint-every", 0, "--logdir", self.folder / "whole", out=self.folder / "whole.keras")
        kills = 0
        command = [tool.EXECUTABLE, "train", self.model, *map(str, self.data), "--model-path", str(self.out), "--python", KERAS, "--batch-size", "8", "--num-epochs", "3",
                   "--checkpoint-every", "0", "--logdir", str(self.folder / "log")]
        for steps, number in ((4, signal.SIGKILL), (11, signal.SIGINT)):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            wait_for(lambda: process.poll() is not None or any(int(path.stem[5:]) >= steps for path in (self.folder / "log").glob("step-*.checkpoint")))
            process.send_signal(number)
            said = process.communicate(timeout=PATIENCE)[1]
            kills += process.returncode in (-9, 130)
            if number == signal.SIGINT:
                self.assertIn("stopped at step", said)
        self.assertEqual(kills, 2)
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: continues at step", done.stderr)
        self.assertIn("prepared before: ", done.stderr)
        self.assertIn("(before)", done.stdout)
        self.assertEqual(self.curve(self.record()), self.curve(self.record("whole")))
        other = self.train("--num-epochs", 3, "--learning-rate", "0.01", "--logdir", self.folder / "log", expect=2)
        self.assertIn("holds another run: its learning rate is 0.001, now 0.01; name another folder, or --restart to begin anew there", other.err)

    def test_backbones_of_other_files(self):
        make = '''if True:
            import keras, numpy as np, sys
            sys.path.insert(0, sys.argv[1]); sys.path.insert(0, sys.argv[2])
            import own
            maker = own.Tiny(); model = maker.build((32, 32, 3), 5); part = maker.backbone(model)
            model.save(sys.argv[1] + "/w.keras"); model.save(sys.argv[1] + "/w.h5")
            np.savez(sys.argv[1] + "/w.npz", **{f"{layer.name}/{w.name}": w.numpy() for layer in part.layers for w in layer.weights})
            wide = own.Tiny(width=12).build((32, 32, 3), 5); wide.save(sys.argv[1] + "/wide.keras")
            code = keras.Sequential([keras.Input((32, 32, 3)), keras.layers.Lambda(lambda x: x, name="mine"), keras.layers.Conv2D(8, 3, strides=2)])
            code.save(sys.argv[1] + "/code.keras"); code.save(sys.argv[1] + "/code.h5")'''
        subprocess.run([KERAS, "-c", make, self.folder, tool.ROOT / "python"], check=True, capture_output=True, timeout=PATIENCE)
        curves = []
        for name in ("w.keras", "w.h5", "w.npz"):
            done = self.train("--num-epochs", 1, "--fine-tune", 1, "--backbone", self.folder / name, "--logdir", self.folder / name.replace(".", "_"))
            self.assertIn(f"backbone: 6 tensors from '{name}'", done.err)
            self.assertEqual([row["phase"] for row in self.record()["history"]], ["frozen", "fine"])
            curves.append(self.curve(self.record()))
        self.assertEqual(curves[0], curves[1])
        self.assertEqual(curves[0], curves[2])
        # An .onnx with the norm as such, and divided into a scale and a shift, as tf2onnx leaves it after a depthwise convolution.
        for name, divided in (("norm.onnx", False), ("divided.onnx", True)):
            write_onnx(self.folder / name, np.load(self.folder / "w.npz"), divided)
            done = self.train("--num-epochs", 1, "--fine-tune", 1, "--backbone", self.folder / name, "--logdir", self.folder / name.replace(".", "_"))
            self.assertIn(f"backbone: 6 tensors from '{name}'", done.err)
            losses = [[row["loss"] for row in curve] for curve in (self.curve(self.record()), curves[0])]
            np.testing.assert_allclose(*losses, rtol=1e-4)
        self.out.unlink()
        for name, words in {"wide.keras": "tensor 1 of the backbone, 'first/kernel', is [3, 3, 3, 8]; the file has 'conv2d/kernel' [3, 3, 3, 12] there",
                            "code.keras": "its model has a Lambda layer ('mine'), which is code of its author", "code.h5": "its model has a Lambda layer ('mine')"}.items():
            self.refused(words, *self.data, "--num-epochs", 1, "--backbone", self.folder / name, python=KERAS)

    @unittest.skipUnless(MOBILENET.exists(), f"no {MOBILENET.name} in the shared data")
    def test_features_of_a_real_backbone_are_those_of_tflite(self):
        check = '''if True:
            import glob, json, sys, numpy as np, tensorflow as tf
            store = sys.argv[2] + "/store/"
            codes, table = np.load(store + "inputs.npy", mmap_mode="r"), np.load(store + "table.npy")[0]
            (features,) = glob.glob(store + "features-*.npy")
            features = np.load(features)
            lite = tf.lite.Interpreter(sys.argv[1], experimental_preserve_all_tensors=True)
            lite.allocate_tensors()
            (pool,) = [one["index"] for one in lite.get_tensor_details() if one["name"].endswith("AvgPool_1a/AvgPool")]
            worst = 0
            for row in range(0, len(codes), 9):
                lite.set_tensor(lite.get_input_details()[0]["index"], table[codes[row]][None])
                lite.invoke()
                worst = max(worst, float(np.abs(lite.get_tensor(pool).ravel() - features[row]).max()))
            print(json.dumps([worst, float(features.max())]))'''
        done = self.train("--num-epochs", 1, "--backbone", MOBILENET, "--logdir", self.folder / "log", model="mobilenet_v1?alpha=0.25")
        self.assertIn("the file's convolutions contain 27 batch norms", done.err)
        answer = subprocess.run([KERAS, "-c", check, MOBILENET, self.folder / "log"], capture_output=True, text=True, timeout=PATIENCE)
        worst, largest = json.loads(answer.stdout.splitlines()[-1])
        self.assertGreater(largest, 1)
        self.assertLess(worst, 1e-4)


if __name__ == "__main__":
    tool.main()
