# SPDX-License-Identifier: Apache-2.0
"""The code of docs/extending.md, and examples/plugins installed into an environment of its own.

package_test.py EDGEPROBE"""
import json
import os
import pathlib
import re
import subprocess
import sys

import plugin_test  # noqa: F401
import numpy as np
import onnx
import onnxruntime
import tool
import edgeprobe
from tool import MODELS, RECIPE, ROOT, ToolTest, run

EXAMPLE = ROOT / "examples" / "plugins"


class Page(ToolTest):
    def test_its_code_is_the_example_package(self):
        """Each block of Python is a module of the package, without its licence line, and at most 40 lines long."""
        blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / "extending.md").read_text(), re.S | re.M)
        modules = {path.name: path.read_text().partition("\n")[2] for path in (EXAMPLE / "signs_plugins").glob("*.py") if path.name != "__init__.py"}
        self.assertEqual(sorted(blocks), sorted(modules.values()))
        for block in blocks:
            self.assertLessEqual(len(block.splitlines()), 40)


class Package(ToolTest):
    @classmethod
    def setUpClass(cls):
        """A clean environment with NumPy, onnx and Pillow of the tests, and the package installed without a network."""
        cls.environment = cls.class_folder()
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", cls.environment], check=True)
        site = next(cls.environment.glob("lib/python*/site-packages"))
        source = next(path for path in sys.path if path.endswith("site-packages"))
        version = [path.name for path in pathlib.Path(source).glob("onnx-*.dist-info")]  # onnx reads its version there.
        for name in ("numpy", "numpy.libs", "PIL", "pillow.libs", "onnx", *version, "google", "ml_dtypes", "typing_extensions.py"):
            if os.path.exists(os.path.join(source, name)):
                os.symlink(os.path.join(source, name), site / name)
        copy = cls.environment / "source"
        subprocess.run(["cp", "-r", EXAMPLE, copy], check=True)
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check",
                        "--target", site, copy], check=True, capture_output=True)
        cls.python = cls.environment / "bin" / "python"

    def edgeprobe(self, *arguments, expect=0):
        return run(*arguments, "--python", self.python, expect=expect, env={k: v for k, v in os.environ.items() if k != "EDGEPROBE_PYTHON"})

    def load(self, trace):
        opened = edgeprobe.load(trace)
        self.addCleanup(opened.close)
        return opened

    def test_its_plugins_are_listed(self):
        text = self.edgeprobe("list").out
        for kind, name in (("dataset", "signs"), ("engine", "nearest"), ("metric", "calibration"), ("compiler", "halves"), ("model", "small")):
            self.assertRegex(text, rf"{kind} +{name} .*package signs-plugins 0.1")
        self.assertIn("Leave out all but the last 100 pictures", self.edgeprobe("help", "signs").out)

    def test_the_data_set(self):
        data = f"python:signs?root={MODELS / 'data'}"
        trace = self.folder / "t.mcap"
        self.edgeprobe("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", data + "&last=true", "--trace", trace)
        self.assertEqual(len(self.load(trace).frames), 100)
        done = self.edgeprobe("check", MODELS / "signs_float.tflite", "--recipe", RECIPE.replace("rgb", "bgr"), "--reference", MODELS / "signs_float.tflite",
                              "--reference-recipe", RECIPE, "--data", data, expect=3)
        self.assertIn("with that fixed your model is right on 95.4 % again, not 41.2 %", " ".join(done.out.split()))
        done = self.edgeprobe("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", "python:signs", "--trace", self.folder / "u.mcap", expect=2)
        self.assertIn("Signs needs option 'root' (a path): Folder with labels.csv", done.err)

    def test_the_engine(self):
        random = np.random.default_rng(5)
        prototypes, x = random.normal(size=(3, 4)).astype(np.float32), random.normal(size=(5, 1, 4)).astype(np.float32)
        model, data, trace = (self.folder / name for name in ("prototypes.npy", "x.npz", "t.mcap"))
        np.save(model, prototypes)
        np.savez(data, features=x)
        self.edgeprobe("run", model, "--engine", "python:nearest", "--data", data, "--trace", trace, "--level", "layers")
        opened = self.load(trace)
        distances = ((x - prototypes[None]) ** 2).sum(axis=2)
        np.testing.assert_allclose(opened.stack("layer/distances")[:, 0], distances, rtol=1e-6)
        np.testing.assert_array_equal(opened.stack("model_output/scores")[:, 0].argmax(1), distances.argmin(1))

    def test_the_metric(self):
        """Equal to an error that is summed bin by bin."""
        trace = self.folder / "t.mcap"
        self.edgeprobe("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", f"python:signs?root={MODELS / 'data'}&last=true", "--trace", trace)
        said = json.loads(self.edgeprobe("compare", trace, trace, "--metric", "python:calibration?bins=4", "--json").out)["metric"]
        opened = self.load(trace)
        scores = opened.stack("model_output/probabilities")[:, 0].astype(float)
        right = scores.argmax(1) == [frame.record["label"] for frame in opened.frames]
        error = 0
        for low in (0, 0.25, 0.5, 0.75):
            inside = (scores.max(1) >= low) & (scores.max(1) < low + 0.25 + (low == 0.75))
            error += abs(scores.max(1)[inside].sum() - right[inside].sum()) / len(right)
        self.assertEqual((said["name"], said["frames"]), ("calibration error", 100))
        self.assertAlmostEqual(said["target"]["value"], error, places=6)

    def test_the_compiler(self):
        """Half of the size, and the values that NumPy and ONNX Runtime give for weights rounded to float16."""
        source, out = MODELS / "signs_float.onnx", self.folder / "small.onnx"
        recipe = RECIPE.replace("layout(nhwc)", "layout(nchw)")
        done = self.edgeprobe("convert", source, "--to", "python:halves?least=1000", "--recipe", recipe, "--data", MODELS / "data" / "test", "--frames", 12,
                              "-o", out, "--json", self.folder / "c.json")
        self.assertIn("constants are stored in float16", done.err)
        said = json.loads((self.folder / "c.json").read_text())
        self.assertEqual((said["compiler"], said["compiler_version"], said["compiler_options"]), ("halves", onnx.__version__, {"least": "1000"}))
        self.assertEqual((said["source_bytes"], said["bytes"]), (source.stat().st_size, out.stat().st_size))
        self.assertLess(said["bytes"], 0.7 * said["source_bytes"])
        rounded = onnx.load(source)
        for weights in rounded.graph.initializer:
            values = onnx.numpy_helper.to_array(weights)
            if values.size >= 1000:
                weights.CopyFrom(onnx.numpy_helper.from_array(values.astype(np.float16).astype(np.float32), weights.name))
        x = np.random.default_rng(2).uniform(-1, 1, (1, 3, 64, 64)).astype(np.float32)
        wanted, got = (onnxruntime.InferenceSession(model).run(None, {"image": x})[0] for model in (rounded.SerializeToString(), str(out)))
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


if __name__ == "__main__":
    tool.main()
