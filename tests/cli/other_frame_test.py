# SPDX-License-Identifier: Apache-2.0
"""Model inputs that contain another frame's picture, or two at once."""
import numpy as np

import tool
from tool import MODELS, RECIPE, run, verdict_of
from traces import rewritten

DATA = MODELS / "data" / "test"


class OtherFrameTest(tool.ToolTest):
    def recorded(self, model, recipe, frames):
        trace = self.folder / "good.mcap"
        run("run", MODELS / model, "--recipe", recipe, "--data", DATA, "--frames", frames, "--level", "io", "--trace", trace, "--force", expect=0)
        inputs = {}

        def message(channel, message):
            if channel.topic.startswith("/model_input/"):
                inputs[message.sequence] = message.data
            return message.data

        rewritten(trace, self.folder / "copy.mcap", message)
        return trace, inputs

    def diagnosed(self, trace, inputs, model, recipe, *more):
        """The diagnosis of the trace with these model inputs; its answers stay."""
        bad = self.folder / "bad.mcap"
        rewritten(trace, bad, lambda channel, message: inputs[message.sequence] if channel.topic.startswith("/model_input/") else message.data)
        return verdict_of("diagnose", bad, "--reference", MODELS / model, "--reference-recipe", recipe, "--data", DATA, *more, expect={0, 3, 4})

    def test_the_frame_before(self):
        for model, recipe in (("signs_float.tflite", RECIPE), ("signs_int8.tflite", RECIPE + " | quantize(model)")):
            trace, inputs = self.recorded(model, recipe, 12)
            for late, words in ((1, "the frame before"), (3, "3 frames before"), (-1, "the next frame")):
                with self.subTest(model=model, late=late):
                    fed = {n: inputs.get(n - late, data) for n, data in inputs.items()}
                    cause = self.diagnosed(trace, fed, model, recipe)["causes"][0]
                    self.assertEqual(cause["kind"], "other_frame")
                    self.assertNotEqual(cause["status"], "partial")
                    self.assertIn("in %d of 12 frames the app feeds the picture of %s" % (12 - abs(late), words), cause["detail"])
                    self.assertGreater(cause["explains"], 0.99)

    def test_two_frames_at_once(self):
        trace, inputs = self.recorded("signs_float.tflite", RECIPE, 9)
        for row in (20, 45):
            with self.subTest(row=row):
                at = row * 64 * 3 * 4
                fed = {n: data[:at] + inputs[n - 1][at:] if n % 2 else data for n, data in inputs.items()}
                cause = self.diagnosed(trace, fed, "signs_float.tflite", RECIPE)["causes"][0]
                self.assertEqual(cause["kind"], "other_frame")
                self.assertIn("in 4 of 9 frames the app feeds two pictures at once: frame 1 has from row", cause["detail"])
                self.assertIn("the frame before", cause["detail"])

    def test_noise_is_no_other_frame(self):
        trace, inputs = self.recorded("signs_float.tflite", RECIPE, 6)
        random = np.random.default_rng(3)
        fed = {n: (np.frombuffer(data, np.float32) + random.normal(0, 0.2, len(data) // 4).astype(np.float32)).tobytes() for n, data in inputs.items()}
        verdict = self.diagnosed(trace, fed, "signs_float.tflite", RECIPE)
        self.assertNotIn("other_frame", [cause["kind"] for cause in verdict["causes"]])


if __name__ == "__main__":
    tool.main()
