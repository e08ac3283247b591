# SPDX-License-Identifier: Apache-2.0
"""Model inputs that contain nothing of the picture, or values that are not numbers: named, on one frame and on many."""
import numpy as np

import tool
from tool import MODELS, RECIPE, run, verdict_of
from traces import rewritten

DATA = MODELS / "data" / "test"


class NoPictureTest(tool.ToolTest):
    def recorded(self, model, recipe, frames):
        trace = self.folder / "good.mcap"
        run("run", MODELS / model, "--recipe", recipe, "--data", DATA, "--frames", frames, "--level", "io", "--trace", trace, "--force", expect=0)
        return trace

    def spoilt(self, good, change):
        """A copy of the trace with changed model inputs; its answers stay, as those of a harmless model would."""
        bad = self.folder / "bad.mcap"

        def message(channel, message):
            return change(message.sequence, message.data) if channel.topic.startswith("/model_input/") else message.data

        rewritten(good, bad, message)
        return bad

    def verdict(self, trace, model, recipe, *more, expect=3):
        return verdict_of("diagnose", trace, "--reference", MODELS / model, "--reference-recipe", recipe, "--data", DATA, *more, expect=expect)

    def test_one_value_in_all_frames(self):
        for model, recipe, kind in (("signs_float.tflite", RECIPE, np.float32), ("signs_int8.tflite", RECIPE + " | quantize(model)", np.int8)):
            for frames in (1, 5):
                for value in (0, 7):
                    with self.subTest(model=model, frames=frames, value=value):
                        good = self.recorded(model, recipe, frames)
                        bad = self.spoilt(good, lambda number, data: np.full(len(data) // np.dtype(kind).itemsize, value, kind).tobytes())
                        for more in ((), ("--model", MODELS / model)):
                            verdict = self.verdict(bad, model, recipe, *more)
                            cause = verdict["causes"][0]
                            self.assertEqual((cause["kind"], cause["status"]), ("empty_input", "confirmed"))
                            self.assertIn("nothing of the picture arrives: the model input is", verdict["headline"])
                            self.assertIn("everywhere in %d of %d frame" % (frames, frames), verdict["headline"])
                            self.assertEqual(any("cast to integers" in a or "whole numbers" in a for a in cause["alternatives"]), value == 0)
                            self.assertTrue(cause["fix"]["code"]["numpy"])

    def test_one_value_without_recipe_and_pictures(self):
        good = self.recorded("signs_float.tflite", RECIPE, 3)
        bad = self.spoilt(good, lambda number, data: bytes(len(data)))
        verdict = verdict_of("diagnose", bad, "--reference-trace", good, expect=3)
        self.assertEqual((verdict["causes"][0]["kind"], verdict["causes"][0]["status"]), ("empty_input", "confirmed"))

    def test_some_frames_beside_another_fault(self):
        recipe = RECIPE.replace("color(rgb)", "color(bgr)")
        self.assertNotEqual(recipe, RECIPE)
        good = self.recorded("signs_float.tflite", recipe, 9)
        bad = self.spoilt(good, lambda number, data: bytes(len(data)) if number % 3 == 1 else data)
        verdict = self.verdict(bad, "signs_float.tflite", RECIPE, "--model", MODELS / "signs_float.tflite")
        named = {cause["kind"]: cause for cause in verdict["causes"] if cause["status"] == "confirmed"}
        self.assertEqual(set(named), {"channel_order", "empty_input"})
        self.assertIn("in 3 of 9 frames", named["empty_input"]["detail"])
        self.assertIn("nothing of the picture arrives", verdict["headline"])

    def test_nan_in_a_channel(self):
        good = self.recorded("signs_float.tflite", RECIPE, 6)
        for which in ({2}, {0, 1, 2, 3, 4, 5}):
            with self.subTest(frames=len(which)):
                def change(number, data):
                    values = np.frombuffer(data, np.float32).copy()
                    if number in which:
                        values[2::3] = np.nan
                    return values.tobytes()

                verdict = self.verdict(self.spoilt(good, change), "signs_float.tflite", RECIPE)
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["status"], cause["explains"]), ("non_finite_input", "confirmed", None))
                self.assertIn("the app feeds NaN in channel B of %d of 6 frames" % len(which), verdict["headline"])

    def test_a_black_picture_is_no_fault(self):
        """The reference's input is also a single value."""
        from PIL import Image
        folder = self.folder / "pictures"
        folder.mkdir()
        for n in range(3):
            Image.new("RGB", (80, 80)).save(folder / f"{n}.png")
        trace = self.folder / "black.mcap"
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", folder, "--trace", trace, expect=0)
        verdict = verdict_of("diagnose", trace, "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, "--data", folder, expect=0)
        self.assertEqual(verdict["causes"], [])


if __name__ == "__main__":
    tool.main()
