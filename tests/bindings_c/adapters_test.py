# SPDX-License-Identifier: Apache-2.0
"""The adapters record what the engine received and returned. Every tensor is compared bit for bit with `edgeprobe run` and with the
engines' own Python, for the same model and input; for patched models, every layer is compared.

    adapters_test.py EDGEPROBE APP...

APP: tflite_c_app, tflite_cxx_app, ort_c_app, ort_cxx_app. An app that is missing, because its engine's headers are not installed, is
skipped by name. Other models come from ../shared/data (or EDGEPROBE_SHARED_DATA) if it exists."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from mcap.reader import make_reader

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = ROOT / "models"
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data")) / "models"
TFLITE = ROOT / ".deps/engines/libjnitensorflowlite.so"
# A recipe states that the input of these models is not made of pixels.
RECIPES = {"kws_ref_model.tflite": "resize(49x10, bilinear, antialias=off, align=half_pixel) | gray | scale(-123.4..25.7) | quantize(model)"}
EDGEPROBE, APPS = None, {}


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} returned {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def read(path):
    """{(stage, name): (metadata, bytes)} of the first frame, and its record."""
    tensors, record = {}, None
    with open(path, "rb") as file:
        for _, channel, message in make_reader(file, validate_crcs=True).iter_messages():
            if channel.topic == "/frame":
                record = record or json.loads(message.data)
                continue
            _, stage, name = channel.topic.split("/", 2)
            tensors.setdefault((stage, name), (channel.metadata, message.data))
    return tensors, record


def values(metadata, data):
    shape = [int(n) for n in metadata["shape"].split(",") if n]
    return np.frombuffer(data, np.dtype(metadata["dtype"])).reshape(shape)


class Adapters(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="edgeprobe_adapters_")
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def app(self, name):
        if name not in APPS:
            self.skipTest(f"{name} was not built: its engine or the engine's headers are not here (script/setup --test)")
        return APPS[name]

    def of_app(self, name, model, data, *more):
        given, trace = self.path / "input", self.path / f"{name}-{len(list(self.path.iterdir()))}.mcap"
        given.write_bytes(data)
        run(self.app(name), model, given, trace, *more)
        return read(trace)

    def of_run(self, app, model, level="io"):
        """The recording of one picture by `edgeprobe run` with the same library and its default kernels: built-in ones through the C API;
        XNNPACK through the C++ API if the model is float."""
        kernels = "xnnpack" if app == "tflite_cxx_app" and "float" in model.name else "builtin"
        trace = self.path / f"run-{len(list(self.path.iterdir()))}.mcap"
        recipe = ["--recipe", RECIPES[model.name]] if model.name in RECIPES else []
        run(EDGEPROBE, "run", model, *recipe, "--data", MODELS / "data/test", "--frames", 1, "--engine", f"tflite:{TFLITE}", "--threads", 1,
            "--kernels", kernels, "--no-raw", "--level", level, "--trace", trace)
        return read(trace)[0]

    def assert_same(self, expected, found, stages):
        names = {key for key in expected if key[0] in stages}
        self.assertTrue(names)
        self.assertEqual(names, {key for key in found if key[0] in stages})
        for key in sorted(names):
            for field in ("dtype", "shape", "scale", "zero_point", "axis", "position"):
                default = {"zero_point": "0", "axis": "0"}.get(field)
                ours, theirs = found[key][0].get(field, default), expected[key][0].get(field, default)
                if field == "scale" and ours is not None and theirs is not None:
                    ours, theirs = ([np.float32(n) for n in text.split(",")] for text in (ours, theirs))
                self.assertEqual(ours, theirs, (key, field))
            self.assertEqual(found[key][1], expected[key][1], key)

    def test_tflite_records_what_run_records(self):
        models = [MODELS / "signs_float.tflite", MODELS / "signs_int8.tflite"]
        models += [path for path in (SHARED / "coral/mobilenet_v1_0.25_128_quant.tflite", SHARED / "mlperf_tiny/vww_96_int8.tflite",
                                     SHARED / "mlperf_tiny/kws_ref_model.tflite") if path.exists()]
        for name in ("tflite_c_app", "tflite_cxx_app"):
            with self.subTest(name):
                self.app(name)
                for model in models:
                    expected = self.of_run(name, model)
                    given = b"".join(data for (stage, _), (_, data) in expected.items() if stage == "model_input")
                    found, record = self.of_app(name, model, given)
                    self.assert_same(expected, found, ("model_input", "model_output"))
                    self.assertGreater(record["latency_ns"], 0)
                print(f"{name}: {len(models)} models equal in every bit", flush=True)

    def test_a_patched_model_gives_every_layer(self):
        """`edgeprobe instrument` promotes the layers to outputs; the app records them at level layers."""
        for name in ("tflite_c_app", "tflite_cxx_app"):
            with self.subTest(name):
                self.app(name)
                for model in (MODELS / "signs_float.tflite", MODELS / "signs_int8.tflite"):
                    patched = self.path / f"patched-{name}-{model.name}"
                    told = json.loads(run(EDGEPROBE, "instrument", model, "--out", patched, "--json"))
                    expected = self.of_run(name, model, "layers")
                    given = b"".join(data for (stage, _), (_, data) in expected.items() if stage == "model_input")
                    found, _ = self.of_app(name, patched, given, told["own_outputs"])
                    self.assert_same({k: v for k, v in expected.items() if k[0] != "layer"}, found, ("model_input", "model_output"))
                    layers = {key for key in found if key[0] == "layer"}
                    self.assertTrue(layers)
                    self.assertLessEqual(layers, {key for key in expected if key[0] == "layer"})
                    for key in layers:
                        self.assertEqual(found[key][1], expected[key][1], key)
                    print(f"{name}: {model.name}: {len(layers)} layers equal in every bit", flush=True)

    def test_onnxruntime_records_what_its_python_answers(self):
        try:
            import onnxruntime
        except ImportError:
            self.skipTest("onnxruntime is not in the Python environment")
        rng = np.random.default_rng(1)
        for name in ("ort_c_app", "ort_cxx_app"):
            with self.subTest(name):
                self.app(name)
                for model in (MODELS / "signs_float.onnx", MODELS / "signs_int8.onnx", MODELS / "inception_like.onnx"):
                    settings = onnxruntime.SessionOptions()
                    settings.intra_op_num_threads = 1
                    session = onnxruntime.InferenceSession(str(model), settings, providers=["CPUExecutionProvider"])
                    first = session.get_inputs()[0]
                    shape = [n if isinstance(n, int) and n > 0 else 1 for n in first.shape]
                    given = rng.uniform(-1, 1, shape).astype(np.float32)
                    answers = session.run(None, {first.name: given})
                    found, record = self.of_app(name, model, given.tobytes())
                    self.assertEqual(values(*found["model_input", first.name]).tobytes(), given.tobytes())
                    self.assertEqual(list(values(*found["model_input", first.name]).shape), shape)
                    self.assertEqual(len([key for key in found if key[0] == "model_output"]), len(answers))
                    for position, (output, answer) in enumerate(zip(session.get_outputs(), answers)):
                        metadata, data = found["model_output", output.name]
                        self.assertEqual(metadata["position"], str(position))
                        np.testing.assert_array_equal(values(metadata, data), answer)
                        self.assertEqual(data, answer.tobytes())
                    self.assertGreater(record["latency_ns"], 0)
                print(f"{name}: 3 models equal in every bit", flush=True)


if __name__ == "__main__":
    EDGEPROBE = sys.argv[1]
    APPS = {pathlib.Path(path).name: path for path in sys.argv[2:]}
    unittest.main(argv=sys.argv[:1], verbosity=2)
