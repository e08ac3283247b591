# SPDX-License-Identifier: Apache-2.0
"""Decodes videos with the three example apps: C++ with FFmpeg's libraries, Java with JavaCV, Python with OpenCV. Each app has its own FFmpeg.

video_test.py BUILD"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cv2
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = ROOT / "models"
sys.path.append(str(ROOT / "bench" / "fault_matrix"))
import apps  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])
FRAMES = 12
# Two builds of FFmpeg may round YUV to RGB differently.
LOSSY_LEVELS = 2


def pictures(size):
    return [cv2.resize(cv2.imread(str(file)), size) for file in sorted((MODELS / "data" / "test").iterdir())[:FRAMES]]


def write(path, codec, shown):
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), 10, shown[0].shape[1::-1])
    if not writer.isOpened():
        raise unittest.SkipTest(f"this OpenCV writes no {codec}")
    for picture in shown:
        writer.write(picture)
    writer.release()
    return path


def recorded(trace, size=(128, 96)):
    """[(sample, RGB pixels that the app saw, the model's input [height, width, channel])] by the official reader."""
    from mcap.reader import make_reader

    frames = {}
    with open(trace, "rb") as file:
        for _, channel, message in make_reader(file).iter_messages():
            frame = frames.setdefault(message.sequence, {})
            if channel.topic.startswith("/raw"):
                pixels = np.frombuffer(message.data, np.uint8).reshape(size[1], size[0], 3)
                frame["raw"] = pixels[..., ::-1] if channel.metadata["encoding"] == "bgr8" else pixels
            elif channel.topic.startswith("/model_input"):
                values = np.frombuffer(message.data, np.float32).reshape([int(n) for n in channel.metadata["shape"].split(",")])[0]
                frame["input"] = values if values.shape[-1] == 3 else values.transpose(1, 2, 0)
            elif channel.topic == "/frame":
                frame["sample"] = json.loads(message.data)["sample"]
    return [(frame["sample"], frame["raw"], frame["input"]) for _, frame in sorted(frames.items())]


class VideoTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="edgeprobe_video_")
        cls.folder = pathlib.Path(cls._folder.name)
        cls.apps = [kind(BUILD, cls.folder / kind.name) for kind in (apps.Cpp, apps.Java, apps.Python)]
        for app in cls.apps:
            if app.missing:
                raise unittest.SkipTest(f"the app in {app.name}: {app.missing}")
        program = cls.apps[0].program
        done = subprocess.run([program, MODELS / "signs_float.tflite", __file__, "--engine", apps.maven.TFLITE], capture_output=True, text=True)
        if "this build reads no video" in done.stderr:
            raise unittest.SkipTest("the C++ app was built without FFmpeg's libraries (script/setup --test)")
        cls.shown = pictures((128, 96))

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def run_app(self, app, video, *flags):
        trace = self.folder / (app.name + ".mcap")
        trace.unlink(missing_ok=True)
        model = MODELS / ("signs_float.onnx" if app.name == "java" else "signs_float.tflite")
        answers = app.run(model, video, ["--trace", trace, "--raw", "all", *flags]).splitlines()
        self.assertEqual([line.split()[0] for line in answers], [f"{video.name}#{i}" for i in range(FRAMES)], app.name)
        return trace, [line.split()[1] for line in answers]

    def seen(self, video, *flags, size=(128, 96)):
        """What each app recorded, by its name; samples and answers are checked."""
        out, answers = {}, {}
        for app in self.apps:
            trace, answers[app.name] = self.run_app(app, video, *flags)
            frames = recorded(trace, size)
            self.assertEqual([sample for sample, _, _ in frames], [f"{video.name}#{i}" for i in range(FRAMES)])
            out[app.name] = frames
        self.assertEqual(len(set(map(tuple, answers.values()))), 1, answers)
        return out

    def test_a_lossless_video_is_the_same_to_the_bit(self):
        for name, codec in (("ffv1.mkv", "FFV1"), ("png.avi", "PNG ")):
            video = write(self.folder / name, codec, self.shown)
            flags = () if codec == "FFV1" else ("--resize", "antialias-lanczos", "--fit", "letterbox", "--rotation", "90")
            for app, frames in self.seen(video, *flags).items():
                for (_, raw, values), shown, (_, _, by_python) in zip(frames, self.shown, recorded(self.folder / "python.mcap"), strict=True):
                    np.testing.assert_array_equal(raw, shown[..., ::-1], app)
                    np.testing.assert_array_equal(values, by_python, app)

    def test_a_lossy_video_is_the_same_within_two_levels(self):
        size = (66, 50)  # The last rows do not fill a vector register.
        seen = self.seen(write(self.folder / "mpeg4.mp4", "mp4v", pictures(size)), size=size)
        for app, frames in seen.items():
            worst = [0, 0]
            for (_, raw, values), (_, other, by_python) in zip(frames, seen["python"], strict=True):
                worst[0] = max(worst[0], int(np.abs(raw.astype(int) - other).max()))
                worst[1] = max(worst[1], float(np.abs(values - by_python).max()) * 127.5)
            print("MPEG-4, %s against Python: pixels %d, model inputs %.2f levels" % (app, *worst))
            self.assertLessEqual(max(worst), LOSSY_LEVELS, app)

    def test_a_fault_is_named_from_the_frames(self):
        video = write(self.folder / "ffv1.mkv", "FFV1", self.shown)
        for app in self.apps:
            trace, _ = self.run_app(app, video, "--channels", "bgr")
            kind = "onnx" if app.name == "java" else "tflite"
            recipe = MODELS / ("signs_nchw.recipe" if app.name == "java" else "signs.recipe")
            done = subprocess.run([BUILD / "edgeprobe", "diagnose", trace, "--reference", MODELS / f"signs_float.{kind}", "--reference-recipe", recipe, "--json"],
                                  capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual([(c["kind"], c["status"]) for c in json.loads(done.stdout)["causes"]], [("channel_order", "confirmed")], app.name)

    def test_what_is_no_video_is_told_in_a_sentence(self):
        nonsense = self.folder / "nonsense.mp4"
        nonsense.write_bytes(bytes(range(256)) * 8)
        for app in self.apps:
            model = MODELS / ("signs_float.onnx" if app.name == "java" else "signs_float.tflite")
            with self.assertRaisesRegex(apps.Failed, r"(?s)^exit code 1 .*nonsense\.mp4"):
                app.run(model, nonsense, ["--trace", self.folder / "none.mcap"])


if __name__ == "__main__":
    del sys.argv[1:]
    unittest.main(verbosity=2)
