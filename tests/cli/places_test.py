# SPDX-License-Identifier: Apache-2.0
"""Masks and key points that an app records in addition to a model's outputs, with typical faults of post-processing.

The app is bench/places/app.py: NumPy, OpenCV and Pillow, which share no code with the search."""
import base64
import io
import json
import re
import shutil
import sys
import unittest

import numpy as np
from PIL import Image

import tool
import traces
from tool import ROOT, SHARED, run, verdict_of

sys.path.insert(0, str(ROOT / "bench" / "places"))
import app  # noqa: E402

MODELS = {"deeplab": SHARED / "models/coral/deeplabv3_mnv2_dm05_pascal_quant.tflite", "movenet": SHARED / "models/coral/movenet_single_pose_lightning_ptq.tflite"}
RECIPES = {"deeplab": "resize(513x513, bilinear) | scale(-1..1) | quantize(model)", "movenet": "resize(192x192, bilinear) | scale(0..255) | quantize(scale=1, zero_point=0)"}
BEHIND = {"deeplab": "ids | resize(picture, nearest)", "movenet": "keypoints(yxs) | threshold(0.3) | points(pixels)"}
SIDES = {"deeplab": (513, 513), "movenet": (192, 192)}
PICTURES = {"deeplab": ["bird_segmentation.bmp", "grace_hopper.bmp"], "movenet": ["squat.bmp", "grace_hopper.bmp", "bird_segmentation.bmp"]}


@unittest.skipUnless(SHARED.exists(), f"no {SHARED}: the models are not at hand")
class PlacesTest(tool.ToolTest):
    def recorded(self, kind, resized=()):
        data = self.folder / kind
        data.mkdir()
        self.sizes = []
        for name in sorted(PICTURES[kind]):
            shutil.copy(SHARED / "images" / name, data / name)
            if name in resized:
                with Image.open(data / name) as picture:
                    picture.resize(resized[name]).save(data / name)
            with Image.open(data / name) as picture:
                self.sizes.append(picture.size)
        trace = self.folder / f"{kind}.mcap"
        run("run", MODELS[kind], "--recipe", RECIPES[kind], "--data", data, "--level", "io", "--trace", trace, expect=0)
        return trace

    def answered(self, trace, kind, faults, broken=None, first=0, unanswered=()):
        """A copy of the trace with the app's answers; they have the faults from frame `first` on. The frames `unanswered` have no answer."""
        def answer(_, outputs, frame):
            own = set(faults) if frame >= first else set()
            made = app.mask(kind, outputs, [(0, 0)], self.sizes[frame], SIDES[kind], own) if kind == "deeplab" else app.points(kind, outputs, self.sizes[frame], SIDES[kind], own)
            return None if frame in unanswered else traces.answer(**{"mask" if kind == "deeplab" else "points": broken(made) if broken else made})

        return traces.answered(trace, self.folder / "app.mcap", answer)

    def diagnosed(self, trace, kind, *more, expect=3, behind=None):
        return verdict_of("diagnose", trace, "--reference", MODELS[kind], "--reference-recipe", RECIPES[kind] + " || " + (behind or BEHIND[kind]), "--data", self.folder / kind, *more,
                          expect=expect)

    def named(self, kind, cases):
        trace = self.recorded(kind)
        for faults, *words in cases:
            with self.subTest(faults=faults):
                verdict = self.diagnosed(self.answered(trace, kind, faults), kind)
                confirmed = [cause for cause in verdict["causes"] if cause["status"] == "confirmed"]
                self.assertEqual({(cause["kind"], cause["stage"]) for cause in confirmed}, {("postprocessing", "outputs")}, verdict["causes"])
                told = " / ".join(cause["detail"] for cause in confirmed)
                for word in words:
                    self.assertIn(word, told)
                self.assertEqual((verdict["answers"]["status"], verdict["answers"]["frames"]), ("explained", len(self.sizes)))
                self.assertEqual(verdict["answers"]["judged"], ["mask"] if kind == "deeplab" else ["points", "scores"])

    def test_faults_of_masks_are_named(self):
        self.named("deeplab", [(["mirrored"], "mirrors the mask left and right"), (["bilinear classes"], "resizes class numbers bilinearly"), (["top left"], "from the top left corner"),
                               (["not resized"], "does not resize the mask"), (["one too high", "turned by 90"], "one too high", "90 degrees counterclockwise")])

    def test_faults_of_key_points_are_named(self):
        self.named("movenet", [(["shares"], "leaves points as shares (0..1)"), (["left and right"], "exchanges the names of left and right"), (["y first"], "hands on y before x"),
                               (["mirrored", "centred letterbox"], "mirrors points", "takes off bars around the picture")])

    def test_what_may_be_luck_is_not_confirmed(self):
        """Only one of the two pictures contains class 15: that the answer lacks it may have other reasons."""
        verdict = self.diagnosed(self.answered(self.recorded("deeplab"), "deeplab", ["left out"]), "deeplab")
        cause = verdict["causes"][0]
        self.assertIn("leaves out class 15", cause["detail"])
        self.assertEqual((cause["status"], verdict["answers"]["status"]), ("partial", "explained"))
        self.assertIn("another picture with class 15 next to another class would decide", cause["evidence"])

    def test_the_frame_that_would_decide_is_named(self):
        """In a picture of 400 x 300, the shorter side and a factor of 300 fit equally well: a picture of another shape decides, and a frame with one
        is named."""
        kept = list(PICTURES["movenet"])
        self.addCleanup(PICTURES["movenet"].__setitem__, slice(None), kept)
        PICTURES["movenet"][:] = ["squat.bmp", "grace_hopper.bmp"]
        trace = self.recorded("movenet", {"grace_hopper.bmp": (400, 300)})
        cause = self.diagnosed(self.answered(trace, "movenet", ["shorter side"], unanswered=[1]), "movenet")["causes"][0]
        self.assertTrue(cause["alternatives"])
        self.assertIn("frame 1 ('squat.bmp') would decide: its outputs are recorded, and what the app makes of them is not", cause["evidence"])
        cause = self.diagnosed(self.answered(trace, "movenet", ["shorter side"]), "movenet")["causes"][0]
        self.assertEqual((cause["status"], cause["alternatives"]), ("confirmed", []))
        self.assertNotIn("would decide", json.dumps(cause["evidence"]))

        trace.unlink()
        shutil.rmtree(self.folder / "movenet")
        PICTURES["movenet"][:] = ["grace_hopper.bmp"]
        trace = self.recorded("movenet", {"grace_hopper.bmp": (400, 300)})
        cause = self.diagnosed(self.answered(trace, "movenet", ["shorter side"]), "movenet")["causes"][0]
        self.assertIn("an upright picture would decide", cause["evidence"])

    def test_faults_of_some_frames_are_named_with_them(self):
        verdict = self.diagnosed(self.answered(self.recorded("movenet"), "movenet", ["mirrored"], first=1), "movenet")
        self.assertEqual((verdict["answers"]["status"], verdict["answers"]["unlike"]), ("some_frames", 2))
        self.assertEqual((verdict["causes"][0]["kind"], verdict["causes"][0]["status"]), ("postprocessing", "confirmed"), verdict["causes"])
        self.assertIn("mirrors points left and right", verdict["causes"][0]["detail"])
        self.assertIn("in 2 of 3 frames", verdict["causes"][0]["detail"])

    def test_the_page_draws_what_the_app_answered(self):
        """A mask's classes are translucent over the raw picture, in the colours of PASCAL VOC; points are at the app's positions."""
        page = self.folder / "page.html"
        self.diagnosed(self.answered(self.recorded("deeplab"), "deeplab", ()), "deeplab", "--html", page, expect=0)
        shown = [Image.open(io.BytesIO(base64.b64decode(png))) for png in re.findall(r"base64,([^\"]+)\"[^<]*><figcaption>the app’s mask", page.read_text())]
        self.assertEqual(len(shown), len(self.sizes))
        person = np.asarray(shown[1].convert("RGB")).astype(int)  # grace_hopper.bmp: class 15 is (192, 128, 128).
        with Image.open(SHARED / "images" / "grace_hopper.bmp") as raw:
            own = np.asarray(raw.convert("RGB").resize(shown[1].size, Image.BOX)).astype(int)
        middle = tuple(side // 2 for side in person.shape[:2])
        np.testing.assert_allclose(person[middle], (own[middle] + [192, 128, 128]) / 2, atol=6)
        np.testing.assert_allclose(person[4, 4], own[4, 4], atol=6)

        self.diagnosed(self.answered(self.recorded("movenet"), "movenet", ["mirrored"]), "movenet", "--html", self.folder / "points.html")
        text = (self.folder / "points.html").read_text()
        self.assertIn("dashed, what the reference’s recipe makes", text)
        drawn = text.split("<svg viewBox")[1]
        circles = [(float(x), float(full)) for x, full in re.findall(r'<circle cx="([0-9.e+-]+)"[^>]*fill="(?:none|#ffd400)"[^>]*stroke-width="(\d)"', drawn)]
        self.assertGreater(len(circles), 4)
        width = float(re.match(r'="0 0 (\d+)', drawn).group(1))
        half = len(circles) // 2  # The reference's points come first; the app's are their mirror images.
        for (expected, _), (given, _) in zip(circles[:half], circles[half:]):
            self.assertAlmostEqual(expected + given, width, delta=0.1)

    def test_right_apps_agree(self):
        for kind, faults in (("deeplab", ()), ("movenet", ()), ("movenet", ("rounded", "scores rounded"))):
            with self.subTest(kind=kind, faults=faults):
                if not (self.folder / kind).exists():
                    trace = self.recorded(kind)
                verdict = self.diagnosed(self.answered(trace, kind, faults), kind, expect=0)
                self.assertEqual((verdict["verdict"], verdict["answers"]["status"], verdict["causes"]), ("agrees", "agrees", []))
        trace = self.recorded("movenet") if not (self.folder / "movenet").exists() else trace
        for rounded in (lambda points: np.float32(np.float16(points)), lambda points: np.round(points, 1)):
            verdict = self.diagnosed(self.answered(trace, "movenet", (), rounded), "movenet", expect=0)
            self.assertEqual((verdict["verdict"], verdict["answers"]["status"], verdict["causes"]), ("agrees", "agrees", []))

    def test_numbers_that_are_not_finite_are_nobodys(self):
        trace = self.recorded("movenet")
        for column, value in ((2, np.nan), (2, np.inf), (1, np.inf)):

            def broken(points, column=column, value=value):
                points = np.array(points, np.float32)
                points[3, column] = value
                return points

            verdict = self.diagnosed(self.answered(trace, "movenet", (), broken), "movenet")
            self.assertIn(verdict["answers"]["status"], ("unknown", "partial"), (column, value))

    def test_what_no_list_holds_is_never_confirmed(self):
        for kind, broken in (("deeplab", lambda mask: np.roll(mask, (5, -7), (0, 1))), ("movenet", lambda points: points * [1.07, 0.93, 1] + [3, 0, 0])):
            verdict = self.diagnosed(self.answered(self.recorded(kind), kind, (), broken), kind)
            self.assertNotIn("confirmed", [cause["status"] for cause in verdict["causes"]])
            self.assertIn(verdict["answers"]["status"], ("unknown", "partial"))

    def test_what_cannot_be_judged_is_said(self):
        trace = self.answered(self.recorded("deeplab"), "deeplab", ())
        for behind, why in (("argmax | resize(picture, nearest)", "[1,H,W,C]"), ("keypoints(yxs) | points(pixels)", "no answer has points")):
            verdict = self.diagnosed(trace, "deeplab", behind=behind, expect={0, 3, 4})
            self.assertEqual(verdict["answers"]["status"], "not_judged")
            self.assertIn(why, verdict["answers"]["skipped"])
        done = run("diagnose", trace, "--reference", MODELS["deeplab"], "--reference-recipe", RECIPES["deeplab"] + " || ids | argmax", "--data", self.folder / "deeplab", expect={1, 2})
        self.assertIn("ids and argmax exclude each other", done.err)


if __name__ == "__main__":
    tool.main()
