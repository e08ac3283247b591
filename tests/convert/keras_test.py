# SPDX-License-Identifier: Apache-2.0
"""Conversions of Keras models, compared with TensorFlow's own converter and interpreter, and with NumPy on the weights that were written.

Usage: keras_test.py EDGEPROBE. Runs where EDGEPROBE_KERAS_PYTHON names a Python that has Keras and TensorFlow (that of `edgeprobe fetch keras`)."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import numpy as np  # noqa: E402
import tool  # noqa: E402
from tool import PATIENCE, ToolTest, run  # noqa: E402

PYTHON = os.environ.get("EDGEPROBE_KERAS_PYTHON", "")

# Trains a classifier of noisy patterns for a moment, and writes it in each form.
MAKE = '''
import sys, numpy as np, keras
folder = sys.argv[1]
L = keras.layers
keras.utils.set_random_seed(1)
rng = np.random.default_rng(1)
patterns = rng.normal(size=(4, 12, 12, 2))
def examples(count, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, count)
    return (patterns[labels] + 2.2 * rng.normal(size=(count, 12, 12, 2))).astype(np.float32), labels
i = keras.Input((12, 12, 2), name="x")
a = L.Conv2D(8, 3, padding="same", name="a", use_bias=False)(i)
a = L.ReLU(6.0)(L.BatchNormalization(name="n", momentum=0.8)(a))
b = L.Conv2D(8, 3, padding="same", activation="relu", name="b")(a)
t = L.Add(name="sum")([a, b])
t = L.DepthwiseConv2D(3, strides=2, name="d")(t)
t = L.Conv2D(12, 1, activation="relu", name="c")(t)
t = L.Flatten()(t)
model = keras.Model(i, L.Dense(4, activation="softmax", name="scores")(t))
model.compile(keras.optimizers.Adam(0.004), "sparse_categorical_crossentropy")
x, y = examples(512, 2)
model.fit(x, y, batch_size=64, epochs=4, verbose=0)
model.save(f"{folder}/m.keras")
model.save(f"{folder}/m.h5")
model.export(f"{folder}/saved", verbose=False)
x, y = examples(80, 3)
np.savez(f"{folder}/test.npz", x=x[:, None], labels=y)
np.savez(f"{folder}/floats.npz", x=x[:20, None])
x, y = examples(256, 4)
np.savez(f"{folder}/train.npz", x=x[:, None], labels=y)
x, y = i, L.Lambda(lambda v: v * 2)(i)
keras.Model(x, L.Dense(4)(L.Flatten()(y))).save(f"{folder}/code.h5")
# An operator without an integer kernel.
import tensorflow as tf
class Floats(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec((1, 12, 12, 2), tf.float32, name="x")])
    def __call__(self, x):
        return {"y": tf.math.cos(tf.nn.relu(tf.reshape(x, (1, 288)) @ tf.ones((288, 3)) * 0.01))}
m = Floats()
tf.saved_model.save(m, f"{folder}/floats", signatures=m.__call__)
'''

# Converts with TensorFlow directly, runs files with its interpreter, and reads weights back.
TRUTH = '''
import json, sys, numpy as np, keras, tensorflow as tf
folder = sys.argv[1]
data = np.load(f"{folder}/test.npz")
x, labels = data["x"][:, 0], data["labels"]
model = keras.saving.load_model(f"{folder}/m.keras", compile=False)
said, arrays = {}, {"m.keras": model.predict(x, verbose=0)}
def run(name, content=None):
    it = tf.lite.Interpreter(model_path=None if content else f"{folder}/{name}.tflite", model_content=content)
    it.allocate_tensors()
    i, o = it.get_input_details()[0], it.get_output_details()[0]
    out = []
    for one in x:
        value = one[None]
        if i["dtype"] != np.float32:
            scale, zero = i["quantization"]
            info = np.iinfo(i["dtype"])
            value = np.clip(np.round(value / scale) + zero, info.min, info.max).astype(i["dtype"])
        it.set_tensor(i["index"], value)
        it.invoke()
        got = it.get_tensor(o["index"])[0]
        out.append((got.astype(np.float32) - o["quantization"][1]) * o["quantization"][0] if o["dtype"] != np.float32 else got)
    arrays[name] = np.stack(out)
    said[name] = {"in": i["dtype"].__name__, "out": o["dtype"].__name__, "names": [i["name"], o["name"]],
                  "signature": {key: one["inputs"] + one["outputs"] for key, one in it.get_signature_list().items()}}
for name in ("float", "float16", "int8", "int16x8"):
    run(name)
def converter():
    return tf.lite.TFLiteConverter.from_keras_model(model)
c = converter(); run("own float", c.convert())
c = converter(); c.optimizations = [tf.lite.Optimize.DEFAULT]; c.target_spec.supported_types = [tf.float16]; run("own float16", c.convert())
c = converter(); c.optimizations = [tf.lite.Optimize.DEFAULT]; c.representative_dataset = lambda: ([one[None]] for one in x[:100])
c.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]; run("own int8", c.convert())
for name in ("pruned", "channels", "clustered"):
    made = keras.saving.load_model(f"{folder}/{name}.keras")
    arrays[name] = made.predict(x, verbose=0)
    said[name] = {"optimizer": getattr(made, "optimizer", None) is not None}
    for layer in made.layers:
        for weight in layer.weights:
            arrays[f"{name} {layer.name}/{weight.name}"] = np.array(weight)
for layer in model.layers:
    for weight in layer.weights:
        arrays[f"m {layer.name}/{weight.name}"] = np.array(weight)
np.savez(f"{folder}/truth.npz", **{key.replace("/", ":"): value for key, value in arrays.items()})
json.dump(said, open(f"{folder}/truth.json", "w"))
'''


@unittest.skipUnless(PYTHON, "no Python with TensorFlow is named (EDGEPROBE_KERAS_PYTHON)")
class Keras(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.place = cls.class_folder()
        cls.python(MAKE)
        cls.said = {}
        for name, words in {
                "float.tflite": ["--to", "tflite"], "float16.tflite": ["--to", "float16"],
                "int8.tflite": ["--to", "int8", "--inference-input-type", "uint8", "--inference-output-type", "int8"],
                "int16x8.tflite": ["--to", "int16x8"],
                "pruned.keras": ["--to", "prune?sparsity=0.6&fine_tune=2", *cls.train()],
                "clustered.keras": ["--to", "cluster?clusters=5&dense=false"],
                "channels.keras": ["--to", "prune-channels?sparsity=0.25&fine_tune=1", *cls.train()]}.items():
            done = run("convert", cls.place / "m.keras", *words, "-o", cls.place / name, *cls.data(), "--json", cls.place / "said.json", expect={0, 3, 4})
            cls.said[name] = json.loads((cls.place / "said.json").read_text())
        cls.python(TRUTH)
        cls.truth, cls.facts = np.load(cls.place / "truth.npz"), json.loads((cls.place / "truth.json").read_text())
        cls.labels = np.load(cls.place / "test.npz")["labels"]

    @classmethod
    def python(cls, code):
        subprocess.run([PYTHON, "-c", code, cls.place], check=True, capture_output=True, timeout=PATIENCE)

    @classmethod
    def data(cls):
        return ["--data", cls.place / "test.npz", "--python", PYTHON]

    @classmethod
    def train(cls):
        return ["--train-data", cls.place / "train.npz"]

    def weights(self, name, weight):
        return self.truth[f"{name} {weight}".replace("/", ":")]

    def accuracy(self, name):
        return float(np.mean(self.truth[name].argmax(1) == self.labels))

    def test_tflite_equals_the_converter_of_tensorflow(self):
        np.testing.assert_allclose(self.truth["float"], self.truth["m.keras"], atol=2e-6)
        np.testing.assert_allclose(self.truth["float"], self.truth["own float"], atol=2e-6)
        np.testing.assert_allclose(self.truth["float16"], self.truth["own float16"], atol=2e-6)
        # Rounding of the input to codes comes on top of what TensorFlow's own file has.
        off = np.abs(self.truth["own int8"] - self.truth["m.keras"]).mean()
        self.assertLess(np.abs(self.truth["int8"] - self.truth["own int8"]).mean(), 2 * off + 0.004)
        self.assertLess(np.abs(self.truth["int16x8"] - self.truth["m.keras"]).mean(), off + 1e-3)
        self.assertEqual([(self.facts[name]["in"], self.facts[name]["out"]) for name in ("float", "int8", "int16x8")],
                         [("float32", "float32"), ("uint8", "int8"), ("float32", "float32")])
        self.assertEqual(self.facts["int8"]["names"], ["x", "scores"])
        self.assertEqual(self.facts["float"]["signature"], {"serving_default": ["x", "scores"]})

    def test_accuracies_are_those_of_numpy(self):
        for file, name in (("float.tflite", "float"), ("int8.tflite", "int8"), ("pruned.keras", "pruned"), ("clustered.keras", "clustered")):
            task = self.said[file]["verdict"]["task"]
            self.assertAlmostEqual(task["target"], self.accuracy(name), delta=0.0126, msg=file)
            self.assertAlmostEqual(task["reference"], self.accuracy("m.keras"), places=9)
        self.assertGreater(self.accuracy("m.keras"), 0.8)
        self.assertEqual(self.said["float.tflite"]["verdict"]["verdict"], "agrees")

    def test_weights_that_are_pruned(self):
        counted = 0
        for one in self.said["pruned.keras"]["weights"]:
            written = self.weights("pruned", one["name"])
            self.assertEqual((written.size, np.count_nonzero(written == 0)), (one["weights"], one["zero"]))
            self.assertEqual(one["zero"], int(0.6 * written.size), one)
            # Those of the source with the smallest magnitude are zero, and fine-tuning changed the others.
            before = np.abs(self.weights("m", one["name"]))
            self.assertLessEqual(before[written == 0].max(), before[written != 0].min())
            self.assertFalse(np.array_equal(written[written != 0], self.weights("m", one["name"])[written != 0]))
            counted += 1
        self.assertEqual(counted, 5)
        self.assertFalse(self.facts["pruned"]["optimizer"])
        self.assertEqual(self.said["pruned.keras"]["train_frames"], 256)

    def test_weights_that_are_clustered(self):
        for name in ("a/kernel", "b/kernel", "d/kernel", "c/kernel"):
            written, before = self.weights("clustered", name), self.weights("m", name)
            values = np.unique(written)
            self.assertLessEqual(values.size, 5)
            # Each weight has the nearest value, and each value is the mean of its weights: a result of k-means.
            np.testing.assert_allclose(np.abs(written - before), np.abs(before[..., None] - values).min(-1), atol=1e-6)
            for value in values:
                self.assertAlmostEqual(float(before[written == value].mean()), float(value), places=5)
        np.testing.assert_array_equal(self.weights("clustered", "scores/kernel"), self.weights("m", "scores/kernel"))

    def test_channels_that_are_removed(self):
        # The residual addition makes one group of a and b; c is another.
        shapes = {name: self.weights("channels", name).shape for name in ("a/kernel", "n/gamma", "b/kernel", "d/kernel", "c/kernel", "scores/kernel")}
        self.assertEqual(shapes, {"a/kernel": (3, 3, 2, 6), "n/gamma": (6,), "b/kernel": (3, 3, 6, 6), "d/kernel": (3, 3, 6, 1), "c/kernel": (1, 1, 6, 9),
                                  "scores/kernel": (5 * 5 * 9, 4)})
        self.assertEqual({one["name"]: one["channels"] for one in self.said["channels.keras"]["weights"]}, {"a": 6, "b": 6, "c": 9})
        notes = " ".join(self.said["channels.keras"]["notes"])
        self.assertIn("layers that keep all channels: 'scores'", notes)

    def test_other_sources(self):
        done = run("convert", self.place / "saved" / "saved_model.pb", "--to", "tflite", "-o", self.folder / "s.tflite", *self.data(), "--json", expect=0)
        self.assertGreater(json.loads(done.out)["source_bytes"], (self.place / "saved" / "saved_model.pb").stat().st_size)
        done = run("convert", self.place / "code.h5", "--to", "tflite", "-o", self.folder / "c.tflite", *self.data(), expect=1)
        self.assertIn("'code.h5' has code inside, such as that of a Lambda layer, and is refused", done.err)
        self.assertFalse((self.folder / "c.tflite").exists())
        done = run("convert", self.place / "floats" / "saved_model.pb", "--to", "int8", "-o", self.folder / "f.tflite", "--data", self.place / "floats.npz",
                   "--python", PYTHON, "--json", expect={0, 3, 4})
        self.assertEqual([one.split(" ")[0] for one in json.loads(done.out)["float_operators"]], ["COS"])
        self.assertIn("note: still computed in float: COS '", done.err)

    def test_a_chain(self):
        words = ["--to", "prune-channels?sparsity=0.5", "--to", "int8", "-o", self.folder / "m.tflite", "--links", self.folder / "links", *self.data()]
        done = run("convert", self.place / "m.h5", *words, "--json", self.folder / "said.json", expect={0, 3, 4})
        said = json.loads((self.folder / "said.json").read_text())
        self.assertEqual([pathlib.Path(one["out"]).suffix for one in said["links"]], [".h5", ".tflite"])
        if said["verdict"]["verdict"] == "differs":
            self.assertEqual(said["lost_at"], 1)
            self.assertIn("link 1 (prune-channels?sparsity=0.5) differs from the model before it: the link changed weights on purpose", done.out)
        self.assertEqual(run("convert", self.place / "m.h5", *words, expect={0, 3, 4}).err.count("kept: "), 2)


if __name__ == "__main__":
    tool.main()
