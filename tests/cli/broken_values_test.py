# SPDX-License-Identifier: Apache-2.0
"""Traces of failed recordings: answers with NaN or infinity, and a truncated last frame."""
import numpy as np

import tool
from tool import MODELS, RECIPE, run, verdict_of
from traces import rewritten

DATA = ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv", "--frames", 8]
REFERENCE = ["--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE]


class BrokenValuesTest(tool.ToolTest):
    def recorded(self, model, recipe, level):
        trace = self.folder / "good.mcap"
        run("run", MODELS / model, "--recipe", recipe, *DATA, "--level", level, "--trace", trace, expect=0)
        return trace

    def test_answers_of_nan_differ(self):
        good, bad = self.recorded("signs_float.tflite", RECIPE, "layers"), self.folder / "bad.mcap"
        for frames, layers in (({2}, True), (set(range(8)), True), ({2}, False), (set(range(8)), False)):
            with self.subTest(frames=len(frames), layers=layers):
                def change(channel, message):
                    if channel.topic.startswith("/layer/") and not layers:
                        return None
                    if channel.topic.startswith("/model_output/") and message.sequence in frames:
                        return np.full(len(message.data) // 4, np.nan, np.float32).tobytes()
                    return message.data

                rewritten(good, bad, change)
                verdict = verdict_of("diagnose", bad, *REFERENCE, "--model", MODELS / "signs_float.tflite", expect=3)
                cause = verdict["causes"][0]
                if layers:
                    self.assertEqual((cause["kind"], cause["op_type"], cause["status"]), ("kernel", "SOFTMAX", "confirmed"))
                else:
                    self.assertEqual((cause["kind"], cause["status"]), ("unknown", "partial"))
                    self.assertIn("NaN", verdict["headline"])
                self.assertAlmostEqual(verdict["task"]["top1_agreement"], 1 - len(frames) / 8)
                self.assertLessEqual(verdict["task"]["target"], 1 - len(frames) / 8)

    def test_a_frame_that_was_cut_off_is_left_out(self):
        good, cut = self.recorded("signs_int8.tflite", RECIPE + " | quantize(model)", "layers"), self.folder / "cut.mcap"

        def change(channel, message):
            late = channel.topic == "/frame" or channel.topic.startswith("/layer/") and int(channel.metadata["position"]) > 9
            return None if message.sequence == 7 and late else message.data

        rewritten(good, cut, change)
        verdict = verdict_of("diagnose", cut, *REFERENCE, "--model", MODELS / "signs_int8.tflite", expect=0)
        self.assertEqual(verdict["culprits"]["frames"], 7)


if __name__ == "__main__":
    tool.main()
