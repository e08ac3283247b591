# SPDX-License-Identifier: Apache-2.0
"""A new user's first recording: README's own lines lead to a diagnosis; for anything missing, an error names it and the next step."""
import json
import re
import subprocess
import unittest

import numpy as np
import support

import edgeprobe
from support import MODELS, ROOT

try:
    import cv2
    from ai_edge_litert.interpreter import Interpreter
except ImportError as error:
    print(f"skipped: {error}")
    raise SystemExit(77) from None

PICTURES = sorted((MODELS / "data/test").glob("*.png"))[:8]
REFERENCE = ["--reference", MODELS / "signs_float.tflite", "--reference-recipe", MODELS / "signs.recipe"]


def tool(*arguments):
    return subprocess.run([edgeprobe.executable(), *map(str, arguments)], capture_output=True, text=True, timeout=600)


def preprocess(picture, bgr=True):
    """The recipe of the notebook, except for the order of the channels."""
    height, width = picture.shape[:2]
    h, w = round(height * 0.875), round(width * 0.875)
    top, left = (height - h) // 2, (width - w) // 2
    small = cv2.resize(picture[top:top + h, left:left + w], (64, 64), interpolation=cv2.INTER_AREA)
    return ((small if bgr else small[..., ::-1]) / np.float32(127.5) - 1).astype(np.float32)[np.newaxis]


class App:
    """An app that feeds BGR."""

    def __init__(self, probe):
        self.interpreter = edgeprobe.wrap(Interpreter(str(MODELS / "signs_float.tflite")), probe)
        self.interpreter.allocate_tensors()

    def run(self, picture):
        self.interpreter.set_tensor(self.interpreter.get_input_details()[0]["index"], preprocess(picture))
        self.interpreter.invoke()


class FirstMinutesTest(support.PackageTest):
    def recorded(self, one, **options):
        """A trace in which `one(probe, app, path, picture)` processed each picture."""
        with edgeprobe.Probe(self.path, wait_when_full=True, **options) as probe:
            app = App(probe)
            for path in PICTURES:
                one(probe, app, path, cv2.imread(str(path)))
        return self.path

    def test_the_lines_of_the_readme_lead_to_the_cause(self):
        text = (ROOT / "README.md").read_text()
        section = text[text.index("## In your own app"):]
        code = re.search(r"```python\n(.*?)```", section, re.S)[1]
        head, loop = code.split("with probe.frame")
        # Replaces the dots, and the names that an app has.
        loop = "with probe.frame" + loop.replace("    ...  ", "    feed(interpreter, picture)  ")
        self.assertIn("feed(interpreter", loop)
        (self.folder / "net.tflite").write_bytes((MODELS / "signs_float.tflite").read_bytes())
        program = ["import cv2, edgeprobe, pathlib, sys", f"sys.path.insert(0, {str(ROOT / 'tests/python')!r})",
                   "from first_minutes_test import PICTURES, preprocess",
                   "def feed(interpreter, picture):", "    interpreter.allocate_tensors()",
                   "    interpreter.set_tensor(interpreter.get_input_details()[0]['index'], preprocess(picture[..., ::-1]))",
                   "    interpreter.invoke()", head, "for path in PICTURES:",
                   "    name, picture = path.name, cv2.imread(str(path))[..., ::-1].copy()",
                   *("    " + line for line in loop.splitlines()), "probe.close()"]
        (self.folder / "app.py").write_text("\n".join(program))
        done = subprocess.run([support.sys.executable, "app.py"], cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        line = re.search(r"^edgeprobe diagnose (\S+) --reference TRAINED.tflite --reference-recipe R", section, re.M)
        self.assertEqual(line[1], "app.mcap")
        done = tool("diagnose", self.folder / line[1], *REFERENCE)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("the app feeds BGR", done.stdout.splitlines()[0])

    def test_frames_without_a_name_are_the_reason_and_not_the_folder(self):
        trace = self.recorded(lambda probe, app, path, picture: app.run(picture))
        done = tool("diagnose", trace, *REFERENCE, "--data", MODELS / "data/test")
        self.assertEqual(done.returncode, 1)
        self.assertIn("8 frames without a name: name them by probe.frame(sample=...) or log the picture by frame.image(); --data", done.stderr)
        self.assertIn("holds 480 pictures", done.stderr)
        done = tool("diagnose", trace, *REFERENCE)
        self.assertIn("log the picture by frame.image(), or name it by probe.frame(sample=...) and give its folder with --data DIR", done.stderr)
        done = tool("replay", trace, MODELS / "signs_float.tflite", "--trace", self.folder / "r.mcap")
        self.assertIn("8 frames without a name", done.stderr)

    def test_a_name_alone_is_enough_with_the_folder(self):
        def one(probe, app, path, picture):
            with probe.frame(sample=path.name):
                app.run(picture)

        trace = self.recorded(one)
        self.assertIn("its frames have names, e.g. 'sign_0000.png': give the folder", tool("diagnose", trace, *REFERENCE).stderr)
        done = tool("diagnose", trace, *REFERENCE, "--data", MODELS / "data/test")
        self.assertIn("the app feeds BGR", done.stdout)
        # A verdict about an old recording must not look like one about the present app.
        self.assertRegex("\n".join(done.stdout.splitlines()[:6]), r"\nRecorded     \d{4}-\d\d-\d\d \d\d:\d\d UTC, \d+ (second|minute)s? ago\n")
        done = tool("compare", trace, trace)
        for side in ("reference", "target   "):
            self.assertRegex(done.stdout, rf"\n  recorded  {side} \d{{4}}-\d\d-\d\d \d\d:\d\d UTC, \d+ (second|minute)s? ago\n")

    def test_names_that_are_no_files(self):
        def one(probe, app, path, picture):
            with probe.frame(sample="other/" + path.stem):
                app.run(picture)

        done = tool("diagnose", self.recorded(one), *REFERENCE, "--data", MODELS / "data/test")
        self.assertIn("none of the names of its 8 frames, e.g. 'other/sign_0000', is that of a file", done.stderr)
        self.assertIn("holds 480 pictures, e.g. 'sign_0000.png'", done.stderr)

    def test_pictures_in_other_frames_than_the_tensors(self):
        def one(probe, app, path, picture):
            with probe.frame(sample=path.name) as frame:
                frame.image("camera", picture, "bgr8")
            app.run(picture)

        done = tool("diagnose", self.recorded(one), *REFERENCE)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        said = " ".join(done.stdout.split())
        self.assertIn("undecided: frames 0, 2, 4, … hold pictures, frames 1, 3, 5, … tensors: log both in one frame", said)

    def test_a_trace_of_another_model_has_its_shapes_named(self):
        with edgeprobe.Probe(self.path, wait_when_full=True) as probe:
            for path in PICTURES:
                with probe.frame(sample=path.name) as frame:
                    frame.image("camera", cv2.imread(str(path)), "bgr8")
                    frame.tensor("image", np.random.default_rng(0).random((1, 32, 32, 3), np.float32), "model_input", position=0)
                    frame.tensor("scores", np.zeros((1, 7), np.float32), "model_output", position=0)
        verdict = json.loads(tool("diagnose", self.path, *REFERENCE, "--json").stdout)
        self.assertEqual(verdict["verdict"], "undecided")
        self.assertIn("its model input is 1x32x32x3 and the reference's 1x64x64x3, its output is 1x7 and the reference's 1x12", verdict["headline"])

    def warnings_of(self, trace):
        return " ".join(json.loads(tool("diagnose", trace, *REFERENCE, "--data", MODELS / "data/test", "--json").stdout)["warnings"])

    def test_what_the_recorder_dropped_is_said(self):
        with edgeprobe.Probe(self.path, raw="none") as probe:  # Like an app, it does not wait for the disk.
            app = App(probe)
            for path in PICTURES:
                with probe.frame(sample=path.name):
                    app.run(cv2.imread(str(path)))
            probe.flush()
            begun, large = 0, np.zeros(300_000, np.float32)
            while probe.statistics().dropped_frames == 0 and begun < 5000:
                with probe.frame() as frame:
                    for name in "abcd":
                        frame.tensor(name, large)
                begun += 1
            dropped = probe.close().dropped_frames
        self.assertGreater(dropped, 0)
        self.assertIn(f"the recorder dropped {dropped} of {len(PICTURES) + begun} frames", self.warnings_of(self.path))
        self.assertIn("wait_when_full", self.warnings_of(self.path))
        self.assertIn(f"warning: target: the recorder dropped {dropped} of", tool("compare", self.path, self.path).stderr)

    def test_a_recording_that_came_to_its_size_says_so(self):
        def one(probe, app, path, picture):
            with probe.frame(sample=path.name):
                app.run(picture)

        trace = self.recorded(one, raw="none", total_bytes=200_000)
        said = self.warnings_of(trace)
        self.assertRegex(said, r"from frame \d on nothing was recorded any more: the recording has its 200 KB \(the probe's total_bytes; 0 sets no limit\)")

    def test_a_path_is_no_picture(self):
        with edgeprobe.Probe(self.path) as probe, probe.frame() as frame:
            for path in ("cat.jpg", PICTURES[0]):
                with self.assertRaisesRegex(edgeprobe.UsageError, r"is a path, and frame\.image\(\) takes pixels.*frame\.encoded\('camera'"):
                    frame.image("camera", path)


if __name__ == "__main__":
    unittest.main(verbosity=2)
