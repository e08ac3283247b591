# SPDX-License-Identifier: Apache-2.0
"""The example application with one or two wrong flags: `edgeprobe diagnose` names them using only the trace."""
import os
import subprocess
import sys

import support

import edgeprobe
from support import MODELS, ROOT

APP = ROOT / "examples" / "classifier" / "python" / "classifier.py"
sys.path.append(str(ROOT / "bench" / "fault_matrix"))
FAULTS = [
    (["--range", "0..1"], {"value_range"}, "scales pixels to 0..1"),
    (["--channels", "bgr", "--rotation", "270"], {"channel_order", "orientation"}, ""),
]


class ExampleTest(support.PackageTest):
    def setUp(self):
        super().setUp()
        try:
            import ai_edge_litert  # noqa: F401
            import cv2  # noqa: F401
            import PIL  # noqa: F401
        except ImportError as error:
            self.skipTest(str(error))

    def run_app(self, *flags, model="signs_float.tflite", source=MODELS / "data" / "test"):
        self.path.unlink(missing_ok=True)
        done = subprocess.run([sys.executable, APP, MODELS / model, source, "--trace", self.path, *flags], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def diagnose(self, model="signs_float.tflite"):
        return edgeprobe.diagnose(self.path, reference=MODELS / "signs_float.tflite", reference_recipe=MODELS / "signs.recipe", model=MODELS / model,
                                  data=MODELS / "data" / "test", labels=MODELS / "data" / "labels.csv")

    def test_each_fault_is_named(self):
        for flags, kinds, said in FAULTS:
            with self.subTest(" ".join(flags)):
                self.run_app("--frames", "48", *flags)
                found = self.diagnose()
                self.assertTrue(found.differs, found.headline)
                self.assertEqual({cause.kind for cause in found.causes if cause.status == "confirmed"}, kinds, found.headline)
                self.assertIn(said, found.headline)

    def test_a_sample_of_the_fault_matrix(self):
        import apps

        self.assertEqual(apps.main([os.environ["EDGEPROBE_BUILD"], "--apps", "python", "--quick"]), 0)

    def test_a_healthy_app_agrees_also_with_the_int8_model(self):
        for model in ("signs_float.tflite", "signs_int8.tflite"):
            done = self.run_app("--frames", "48", "--labels", MODELS / "data" / "labels.csv", "--verbose", model=model)
            self.assertEqual(len(done.stdout.splitlines()), 49)
            self.assertRegex(done.stdout.splitlines()[-1], r"^right: 4\d of 48$")
            found = self.diagnose(model)
            self.assertTrue(found.agrees, found.headline)

    def test_the_recording_changes_no_answer(self):
        answers = [self.run_app("--frames", "12", "--verbose", "--level", level).stdout for level in ("none", "io")]
        off = self.folder / "taken"
        off.write_text("")
        self.path = off / "no folder.mcap"  # the probe cannot open its file: the app continues
        done = subprocess.run([sys.executable, APP, MODELS / "signs_float.tflite", MODELS / "data" / "test", "--trace", self.path, "--frames", "12", "--verbose"],
                              capture_output=True, text=True)
        self.assertIn("the recording is not whole", done.stderr)
        self.assertEqual({*answers, done.stdout}, {answers[0]})


if __name__ == "__main__":
    support.main()
