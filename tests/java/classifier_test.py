# SPDX-License-Identifier: Apache-2.0
"""The example app in Java: compares its trace with `edgeprobe run`; `edgeprobe diagnose` judges some of the faults that its flags make."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

import maven

sys.path.append(str(maven.ROOT / "bench" / "fault_matrix"))
import apps  # noqa: E402

EDGEPROBE, BUILD = sys.argv[1], pathlib.Path(sys.argv[2])
MODELS = maven.ROOT / "models"
MODEL = MODELS / "signs_float.onnx"
RECIPE = MODELS / "signs_nchw.recipe"
DATA = MODELS / "data" / "test"
FRAMES = 40


def edgeprobe(*arguments):
    return subprocess.run([EDGEPROBE, *map(str, arguments)], capture_output=True, text=True, timeout=600)


def official(path):
    """{(frame, topic): bytes} by the official reader."""
    from mcap.reader import make_reader

    with open(path, "rb") as file:
        return {(message.sequence, channel.topic): message.data for _, channel, message in make_reader(file).iter_messages()}


class ClassifierTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="edgeprobe_test_")
        cls.folder = pathlib.Path(cls._folder.name)
        cls.classes = cls.folder / "classes"
        maven.javac(BUILD, cls.classes, *sorted((maven.ROOT / "examples/classifier/java").glob("*.java")))

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def classify(self, name, *flags):
        trace = self.folder / f"{name}.mcap"
        done = maven.java(BUILD, self.classes, "Classifier", MODEL, DATA, "--labels", MODELS / "data/labels.csv", "--trace", trace,
                          "--frames", FRAMES, *flags)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        return trace, done.stdout

    def diagnose(self, trace, expect):
        done = edgeprobe("diagnose", trace, "--reference", MODEL, "--reference-recipe", RECIPE, "--model", MODEL, "--data", DATA, "--json")
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_a_healthy_app_agrees(self):
        trace, said = self.classify("healthy")
        right, of = map(int, said.splitlines()[-1].removeprefix("right: ").split(" of "))
        self.assertEqual(of, FRAMES)
        self.assertGreater(right, 0.9 * FRAMES)
        self.assertEqual(len(said.splitlines()), FRAMES + 1)
        self.diagnose(trace, 0)

    def test_equals_edgeprobe_run_with_the_same_library(self):
        """`edgeprobe run` uses the library from Java's own jar on the same pictures: inputs and outputs are bit-equal."""
        library = self.folder / "libonnxruntime.so"
        with zipfile.ZipFile(maven.ONNXRUNTIME) as jar:
            library.write_bytes(jar.read("ai/onnxruntime/native/linux-x64/libonnxruntime.so"))
        few = self.folder / "pictures"
        few.mkdir()
        for picture in sorted(DATA.glob("*.png"))[:8]:
            (few / picture.name).write_bytes(picture.read_bytes())
        ours, theirs = self.folder / "ours.mcap", self.folder / "theirs.mcap"
        recipe = RECIPE.read_text().strip().replace("half_pixel", "half_pixel, round=pillow")  # Like the app: rounds to 8 bits after each pass.
        done = edgeprobe("run", MODEL, "--recipe", recipe, "--data", few, "--engine", f"onnxruntime:{library}", "--trace", theirs)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = maven.java(BUILD, self.classes, "Classifier", MODEL, few, "--trace", ours)
        self.assertEqual(done.returncode, 0, done.stderr)
        ours, theirs = official(ours), official(theirs)
        compared = [key for key in theirs if key[1].startswith(("/model_input/", "/model_output/"))]
        self.assertEqual(len(compared), 16)
        for key in compared:
            self.assertEqual(ours[key], theirs[key], key)

    def test_a_sample_of_the_fault_matrix(self):
        self.assertEqual(apps.main([str(BUILD), "--edgeprobe", EDGEPROBE, "--apps", "java", "--quick"]), 0)

    def test_hardware_that_is_not_there_is_told(self):
        done = maven.java(BUILD, self.classes, "Classifier", MODEL, DATA, "--hardware", "nnapi")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
        self.assertIn("NNAPI", done.stderr)

    def test_wrong_flags_are_told(self):
        done = maven.java(BUILD, self.classes, "Classifier", MODEL, DATA, "--channels", "yuv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'yuv': expected rgb, bgr, gray", done.stderr)


if __name__ == "__main__":
    maven.require(javacv=True)
    if not (maven.target(BUILD) / "classes").exists():
        maven.skip("java_test has not built the module")
    del sys.argv[1:]
    unittest.main(verbosity=2)
