# SPDX-License-Identifier: Apache-2.0
"""A verdict never accepts a visible fault, confirms nothing against a guess, and its words fit the outputs."""
import csv
import shutil

import numpy as np
from PIL import Image

import tool
from tool import MODELS, RECIPE, run, verdict_of

FLOAT, INT8 = MODELS / "signs_float.tflite", MODELS / "signs_int8.tflite"
TEST = MODELS / "data" / "test"
SHARED_MODELS = tool.SHARED / "models"
FAULTS = {
    "channel_order": RECIPE.replace("color(rgb)", "color(bgr)"),
    "value_range": RECIPE.replace("scale(-1..1)", "scale(0..1)"),
    "resize": RECIPE.replace("bilinear, antialias=on", "nearest"),
    "crop": RECIPE.replace("crop(center, 0.875) | ", ""),
    "orientation": "flip(horizontal) | " + RECIPE,
}


def confirmed(verdict):
    return [cause for cause in verdict["causes"] if cause["status"] == "confirmed"]


class VerdictTest(tool.ToolTest):
    def trace(self, model, recipe, *more, data=TEST, undeclared=True, name="app.mcap"):
        path = self.folder / name
        run("run", model, "--recipe", recipe, "--data", data, "--trace", path, "--force", *(["--undeclared"] if undeclared else []), *more, expect=0)
        return path

    def some(self, count, seed=3):
        """`n` of the test pictures in a folder."""
        folder = self.folder / f"some_{count}_{seed}"
        if not folder.exists():
            folder.mkdir()
            files = sorted(TEST.glob("sign_*"))
            for file in np.random.default_rng(seed).choice(np.array(files, dtype=object), count, replace=False):
                shutil.copy(file, folder)
        return folder

    def test_a_visible_named_fault_never_agrees(self):
        """A few frames of quantised outputs without the target's model: the floor would accept half of the faults."""
        seen = set()
        for kind, recipe in FAULTS.items():
            for count in (1, 4):
                with self.subTest(fault=kind, frames=count):
                    trace = self.trace(INT8, recipe + " | quantize(model)", data=self.some(count))
                    reference = ["--reference", INT8, "--reference-recipe", RECIPE + " | quantize(model)"]
                    for more in ([], ["--model", INT8]):
                        verdict = verdict_of("diagnose", trace, *reference, *more, expect={0, 3, 4})
                        named = [c for c in verdict["causes"] if c["status"] in ("confirmed", "note") and (c["contribution"] or 0) >= 1]
                        seen.add(verdict["verdict"])
                        if named:
                            self.assertNotEqual(verdict["verdict"], "agrees", verdict["headline"])
                        if verdict["verdict"] == "undecided" and named:
                            self.assertIn("59 frames", verdict["would_decide"][0])
                            self.assertIn(f"on {'this frame' if count == 1 else f'these {count} frames'} that moves the outputs by", verdict["headline"])
        self.assertIn("differs", seen)

    def test_a_guessed_recipe_confirms_nothing(self):
        """The app is right, but it is unknown what its model was trained with."""
        trace = self.trace(FLOAT, RECIPE, "--frames", 12)
        for more in ([], ["--model", FLOAT], ["--model", FLOAT, "--labels", MODELS / "data" / "labels.csv", "--data", TEST]):
            with self.subTest(more=more):
                verdict = verdict_of("diagnose", trace, "--reference", FLOAT, *more, expect=4)
                self.assertEqual(verdict["verdict"], "undecided")
                self.assertIn("what was the model trained with? give --reference-recipe; the app does: ", verdict["headline"])
                for step in ("crop(center, 0.875)", "scale(-1..1)"):
                    self.assertIn(step, verdict["headline"])
                self.assertEqual(confirmed(verdict), [])
                for cause in verdict["causes"]:
                    self.assertEqual(cause["status"], "partial")
                    self.assertIsNone(cause["fix"]["step"])
                    self.assertEqual(set(cause["fix"]["code"].values()), {None})

    def test_the_range_that_an_integer_input_states_serves_both_sides(self):
        """signs_int8 takes -1..1: its float twin's default is not 0..1 then."""
        for target, reference in ((INT8, FLOAT), (FLOAT, INT8)):
            with self.subTest(target=target.name):
                verdict = verdict_of("check", target, "--reference", reference, "--data", TEST, "--frames", 12, "--level", "io", expect=0)
                self.assertEqual([c for c in verdict["causes"] if c["status"] != "note"], [])
                self.assertIn("scale(-1..1)", verdict["provenance"]["reference.recipe"])
        # Known facts are stated: an app that leaves half of the codes unused is reported.
        plain = RECIPE.replace("crop(center, 0.875) | ", "").replace("bilinear, antialias=on", "bilinear").replace("scale(-1..1)", "scale(0..1)")
        trace = self.trace(INT8, plain.replace(", round=uint8", "") + " | quantize(model)", "--frames", 12)
        verdict = verdict_of("diagnose", trace, "--reference", FLOAT, "--model", INT8, expect={3, 4})
        self.assertTrue({c["kind"] for c in confirmed(verdict)} <= {"value_range", "input_quantization"}, verdict["causes"])

    def exchanged(self, count=6):
        """The files, and the same with red and blue exchanged, as PNG files of the same names."""
        right, wrong = self.folder / "right", self.folder / "exchanged"
        right.mkdir()
        wrong.mkdir()
        for file in sorted(TEST.glob("*.png"))[:count]:
            shutil.copy(file, right)
            Image.fromarray(np.asarray(Image.open(file).convert("RGB"))[:, :, ::-1]).save(wrong / file.name)
        return right, wrong

    def test_pictures_logged_in_the_wrong_order_are_no_fault_of_the_app(self):
        right, wrong = self.exchanged(24)
        # The app's picture is BGR, logged as if it were RGB; what it feeds is right.
        trace = self.trace(FLOAT, FAULTS["channel_order"], "--raw", "pixels", data=wrong)
        reference = ["--reference", FLOAT, "--reference-recipe", RECIPE]
        said = "the recorded pictures are the files with red and blue exchanged: log them as bgr8"
        verdict = verdict_of("diagnose", trace, *reference, "--model", FLOAT, "--data", right, expect=0)
        self.assertTrue(verdict["headline"].startswith(said + "; read like that, the target does what the reference does"), verdict["headline"])
        self.assertEqual(verdict["warnings"][0], said)
        self.assertEqual(verdict["causes"], [])
        # Without the files this is unknown, and edgeprobe says so.
        alone = verdict_of("diagnose", trace, *reference, expect={3, 4})
        self.assertEqual(alone["causes"][0]["kind"], "channel_order")
        self.assertIn("the picture was logged as rgb8 but holds BGR", " ".join(alone["causes"][0]["alternatives"]))
        # Files of another size cannot be compared. Their labels show it: the app is right far more often than with the fix.
        half = self.folder / "half"
        half.mkdir()
        for file in right.iterdir():
            picture = Image.open(file)
            picture.resize((picture.width // 2, picture.height // 2)).save(half / file.name)
        labels = ["--model", FLOAT, "--data", half, "--labels", MODELS / "data" / "labels.csv"]
        labelled = verdict_of("diagnose", trace, *reference, *labels, expect=4)
        self.assertIn("the app seems right and its pictures logged in the wrong channel order", labelled["headline"])
        self.assertEqual(confirmed(labelled), [])
        # Pictures equal to the files do not excuse an app that really exchanges the channels.
        faulty = self.trace(FLOAT, FAULTS["channel_order"], "--raw", "pixels", data=right, name="faulty.mcap")
        self.assertEqual([c["kind"] for c in confirmed(verdict_of("diagnose", faulty, *reference, *labels, expect=3))], ["channel_order"])
        verdict = verdict_of("diagnose", faulty, *reference, "--data", right, expect={3, 4})
        self.assertEqual(verdict["causes"][0]["kind"], "channel_order")
        self.assertNotIn("logged as", " ".join(verdict["causes"][0]["alternatives"]))

    def test_a_trace_of_another_model_says_so(self):
        other = SHARED_MODELS / "mlperf_tiny" / "pretrainedResnet.tflite"
        if not other.exists():
            self.skipTest("no shared data")
        trace = self.trace(other, "resize(32x32, area)", "--frames", 4)
        verdict = verdict_of("diagnose", trace, "--reference", FLOAT, "--reference-recipe", RECIPE, expect=4)
        self.assertTrue(verdict["headline"].startswith("undecided: the trace is of another model than the reference: its model input is 1x32x32x3"),
                        verdict["headline"])
        self.assertNotIn("record both with --level io", " ".join(verdict["would_decide"]))
        # A model of another size is noticed, too, even if the trace declares nothing.
        trace = self.trace(FLOAT, RECIPE, "--frames", 4)
        verdict = verdict_of("diagnose", trace, "--reference", FLOAT, "--reference-recipe", RECIPE, "--model", other, expect=0)
        self.assertTrue(verdict["headline"].startswith("--model is not what recorded this trace (its input is ?x32x32x3"), verdict["headline"])

    def test_a_reference_near_chance_is_suspected_aloud(self):
        rows = list(csv.reader(open(MODELS / "data" / "labels.csv", newline="")))
        classes = 1 + max(int(row[1]) for row in rows[1:])
        wrong = self.folder / "labels.csv"
        wrong.write_text("file,label\n" + "".join(f"{row[0]},{(int(row[1]) + 1) % classes}\n" for row in rows[1:]))
        arguments = ["check", FLOAT, "--recipe", RECIPE, "--reference", FLOAT, "--reference-recipe", RECIPE, "--data", TEST, "--frames", 24, "--level", "io"]
        verdict = verdict_of(*arguments, "--labels", wrong, expect=0)
        self.assertIn("the reference itself is right on ", verdict["headline"])
        self.assertIn(f"near chance for {classes} classes: check labels and recipe", verdict["headline"])
        right = verdict_of(*arguments, "--labels", MODELS / "data" / "labels.csv", expect=0)
        self.assertNotIn("near chance", right["headline"] + " ".join(right["warnings"]))


if __name__ == "__main__":
    tool.main()
