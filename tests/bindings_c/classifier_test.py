# SPDX-License-Identifier: Apache-2.0
"""Runs the example app in C++ as an app developer would. `edgeprobe diagnose` judges some of the faults that the app's flags make, and
healthy runs. Recording changes no answer.

    classifier_test.py EDGEPROBE CLASSIFIER"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = ROOT / "models"
sys.path.append(str(ROOT / "bench" / "fault_matrix"))
import apps  # noqa: E402

ENGINE = ROOT / ".deps/engines/libjnitensorflowlite.so"
EDGEPROBE = CLASSIFIER = None
FRAMES = 40


class Classifier(unittest.TestCase):
    def setUp(self):
        if not ENGINE.exists():
            self.skipTest("no TensorFlow Lite library (script/setup --test brings it)")
        self.folder = tempfile.TemporaryDirectory(prefix="edgeprobe_classifier_")
        self.addCleanup(self.folder.cleanup)
        self.trace = pathlib.Path(self.folder.name) / "app.mcap"

    def classify(self, *flags, model="signs_int8.tflite", frames=FRAMES):
        done = subprocess.run([CLASSIFIER, MODELS / model, MODELS / "data/test", f"--engine={ENGINE}", "--labels", MODELS / "data/labels.csv",
                               "--frames", str(frames), *map(str, flags)], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_sample_of_the_fault_matrix(self):
        self.assertEqual(apps.main([str(pathlib.Path(CLASSIFIER).parents[3]), "--edgeprobe", EDGEPROBE, "--apps", "cpp", "--quick"]), 0)

    def test_what_it_cannot_do_is_told(self):
        for arguments, said in [(["no such folder"], "no such folder does not exist"), (["--delegate", "/no/such.so"], "/no/such.so")]:
            done = subprocess.run([CLASSIFIER, MODELS / "signs_int8.tflite", *arguments, *([MODELS / "data/test"] if len(arguments) > 1 else []),
                                   f"--engine={ENGINE}"], capture_output=True, text=True, timeout=600)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
            self.assertIn(said, done.stderr)

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
