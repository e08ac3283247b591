# SPDX-License-Identifier: Apache-2.0
"""A model whose input codes cannot represent the recipe's result, as after calibration with other pre-processing. Both sides of a
comparison in codes are clipped equally, so only real values show the difference. input_scale_test.py EDGEPROBE"""
import pathlib
import re
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "cli"), str(ROOT / "bench" / "layer_matrix")]

import tool  # noqa: E402
import traces  # noqa: E402
from model_file import Model  # noqa: E402
from tool import MODELS, RECIPE, run, verdict_of  # noqa: E402

FRAMES = 12


def with_input_scale(factor):
    """signs_int8 with another step of its input; the bias of its first layer is rescaled as a converter would do it."""
    model = Model(MODELS / "signs_int8.tflite")
    tensor, bias = int(model.graph.inputs[0]), int(model.ops[0].inputs[2])
    model.set_constant(bias, np.rint(model.constant(bias) / factor))
    model.set_scales(bias, model.scales(bias)[0] * factor)
    model.set_scales(tensor, model.scales(tensor)[0] * factor)
    return model


class InputScaleTest(tool.ToolTest):

    def check(self, model, **expected):
        path = self.folder / "edited.tflite"
        model.save(path)
        return verdict_of("check", path, "--recipe", RECIPE + " | quantize(model)", "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE,
                          "--data", MODELS / "data" / "test", "--frames", FRAMES, "--keep-traces", self.folder, **expected)

    def real_inputs(self):
        return traces.only(traces.exported(self.folder / "reference.mcap"), "model_input").astype(np.float64).ravel()

    def test_a_range_that_cuts_the_input_off_is_the_cause(self):
        model = with_input_scale(1 / 8)
        verdict = self.check(model, expect=3)
        cause = verdict["causes"][0]
        self.assertEqual((cause["kind"], cause["status"], cause["stage"]), ("input_scale", "confirmed", "model"))
        values = self.real_inputs()
        scale, zero = (v[0] for v in model.scales(int(model.graph.inputs[0])))
        beyond = (values > (127 - zero) * scale + 0.75 * scale) | (values < (-128 - zero) * scale - 0.75 * scale)
        said = float(re.search(r"([0-9.]+) % of the values are cut off", cause["detail"]).group(1)) / 100
        self.assertGreater(said, 0.3)
        self.assertAlmostEqual(said, beyond.mean(), delta=0.002)
        self.assertTrue(any("quantise the model again" in line for line in cause["evidence"]))
        self.assertFalse(any("JPEG decoders" in line for line in verdict["warnings"]))

    def test_a_step_that_leaves_few_codes_is_the_cause(self):
        model = with_input_scale(64)
        verdict = self.check(model, expect=3)
        cause = verdict["causes"][0]
        self.assertEqual((cause["kind"], cause["status"]), ("input_scale", "confirmed"))
        scale, zero = (v[0] for v in model.scales(int(model.graph.inputs[0])))
        left = len(np.unique(np.clip(np.rint(self.real_inputs() / scale + zero), -128, 127)))
        self.assertIn("only %d codes are left" % left, cause["detail"])

    def test_against_a_guessed_recipe_it_is_not_confirmed(self):
        path = self.folder / "edited.tflite"
        with_input_scale(1 / 8).save(path)
        run("run", path, "--recipe", RECIPE + " | quantize(model)", "--data", MODELS / "data" / "test", "--frames", 4, "--level", "io", "--trace",
            self.folder / "t.mcap", expect=0)
        verdict = verdict_of("diagnose", self.folder / "t.mcap", "--reference", MODELS / "signs_float.tflite", "--model", path, expect=(3, 4))
        found = [cause for cause in verdict["causes"] if cause["kind"] == "input_scale"]
        self.assertEqual([cause["status"] for cause in found], ["partial"])
        self.assertIn("that recipe was guessed", found[0]["detail"])

    def test_nothing_is_said_of_a_scale_that_fits(self):
        for factor in (1, 2):
            verdict = self.check(with_input_scale(factor), expect=(0, 3, 4))
            self.assertNotIn("input_scale", [cause["kind"] for cause in verdict["causes"]])


if __name__ == "__main__":
    tool.main()
