"""The example app in C++, as an app developer would drive it: each fault that its flags can make is named by `edgeprobe diagnose`
from the app's trace and the reference recipe; without one it agrees, and recording changes no answer.

    classifier_test.py EDGEPROBE CLASSIFIER
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = ROOT / "models"
ENGINE = ROOT / ".deps/engines/libjnitensorflowlite.so"
EDGEPROBE = CLASSIFIER = None
FRAMES = 40
FAULTS = {  # flags: the kind of the only cause, words of its sentence
    ("--channels", "bgr"): ("channel_order", "BGR"),
    ("--range", "0..1"): ("value_range", "0..1"),
    ("--range", "0..255"): ("value_range", "0..255"),
    ("--resize", "nearest"): ("resize", "nearest"),
    ("--resize", "bilinear"): ("resize", "bilinear (OpenCV"),
    ("--resize", "area"): ("resize", "area"),
    ("--rotation", "90"): ("orientation", "90° clockwise"),
    ("--rotation", "270"): ("orientation", "270° clockwise"),
    ("--crop", "1"): ("crop", "whole picture"),
}


class Classifier(unittest.TestCase):
    def setUp(self):
        if not ENGINE.exists():
            self.skipTest("no TensorFlow Lite library (script/setup --test brings it)")
        self.folder = tempfile.TemporaryDirectory(prefix="edgeprobe_classifier_")
        self.addCleanup(self.folder.cleanup)
        self.trace = pathlib.Path(self.folder.name) / "app.mcap"

    def classify(self, *flags, model="signs_int8.tflite", frames=FRAMES):
        done = subprocess.run([CLASSIFIER, MODELS / model, MODELS / "data/test", f"--engine={ENGINE}", "--labels", MODELS / "data/labels.csv",
                               "--frames", str(frames), *map(str, flags)], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def diagnose(self, expect, model="signs_int8.tflite"):
        done = subprocess.run([EDGEPROBE, "diagnose", self.trace, "--reference", MODELS / "signs_float.tflite", "--reference-recipe",
                               MODELS / "signs.recipe", "--model", MODELS / model, "--json"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, expect, done.stderr)
        return json.loads(done.stdout)

    def test_without_a_fault_it_agrees(self):
        self.classify("--trace", self.trace)
        self.assertEqual(self.diagnose(0)["causes"], [])

    def test_every_fault_is_named(self):
        for flags, (kind, words) in FAULTS.items():
            with self.subTest(flags):
                self.trace.unlink(missing_ok=True)
                # 0..255 saturates every value of the int8 model's input, from which nothing can be concluded.
                model = "signs_float.tflite" if flags[1] == "0..255" else "signs_int8.tflite"
                self.classify(*flags, "--trace", self.trace, model=model)
                causes = self.diagnose(3, model)["causes"]
                self.assertEqual([(cause["kind"], cause["status"]) for cause in causes], [(kind, "confirmed")])
                self.assertIn(words, causes[0]["detail"])
                print(" ".join(flags) + ": " + causes[0]["detail"].split(";")[0], flush=True)

    def test_recording_changes_no_answer(self):
        for model in ("signs_float.tflite", "signs_int8.tflite"):
            plain = self.classify(model=model)
            self.trace.unlink(missing_ok=True)
            self.assertEqual(self.classify("--trace", self.trace, "--raw", "all", model=model), plain)

    def test_it_is_right_as_often_as_the_model(self):
        answers = self.classify(frames=480)
        right = int(answers.splitlines()[-1].split()[1])
        self.assertAlmostEqual(right, 458, delta=2)  # models/README.md: 95.4 % of 480, by Pillow and the engine's Python

    def test_a_trace_that_cannot_be_written_does_not_stop_it(self):
        self.assertEqual(self.classify("--trace", "/no/such/folder/app.mcap"), self.classify())


if __name__ == "__main__":
    EDGEPROBE, CLASSIFIER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=2)
