"""The example application with one wrong flag after the other: `edgeprobe diagnose` names each from the trace alone."""
import subprocess
import sys

import support

import edgeprobe
from support import MODELS, ROOT

APP = ROOT / "examples" / "classifier" / "python" / "classifier.py"
FAULTS = [
    (["--channels", "bgr"], {"channel_order"}, "the app feeds BGR"),
    (["--range", "0..1"], {"value_range"}, "scales pixels to 0..1"),
    (["--range", "0..255"], {"value_range"}, "0..255"),
    (["--rotation", "90"], {"orientation"}, "rotated by 90"),
    (["--rotation", "180"], {"orientation"}, "rotated by 180"),
    (["--resize", "nearest"], {"resize"}, "nearest"),
    (["--resize", "bilinear"], {"resize"}, "bilinear"),
    (["--crop", "1.0"], {"crop"}, "whole picture"),
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
        self.path = off / "no folder.mcap"  # the probe cannot open: the app goes on
        done = subprocess.run([sys.executable, APP, MODELS / "signs_float.tflite", MODELS / "data" / "test", "--trace", self.path, "--frames", "12", "--verbose"],
                              capture_output=True, text=True)
        self.assertIn("the recording is not whole", done.stderr)
        self.assertEqual({*answers, done.stdout}, {answers[0]})

    def test_video_frames(self):
        import cv2

        video = self.folder / "v.avi"
        writer = cv2.VideoWriter(str(video), cv2.VideoWriter.fourcc(*"MJPG"), 10, (128, 96))
        if not writer.isOpened():
            self.skipTest("this OpenCV writes no video")
        for file in sorted((MODELS / "data" / "test").iterdir())[:6]:
            writer.write(cv2.resize(cv2.imread(str(file)), (128, 96)))
        writer.release()
        self.run_app("--raw", "all", source=video)
        with edgeprobe.load(self.path) as trace:
            self.assertEqual([frame.sample for frame in trace.frames], [f"v.avi#{i}" for i in range(6)])
            self.assertEqual((trace.frames[0]["camera"].shape, trace.frames[0].channel("camera").encoding), ((96, 128, 3), "bgr8"))


if __name__ == "__main__":
    support.main()
