# SPDX-License-Identifier: Apache-2.0
"""Faults unrelated to quantisation in a quantised file: another option of an operator, biases that were clipped or not
rescaled. named_test.py EDGEPROBE"""
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "cli"), str(ROOT / "bench" / "layer_matrix")]

import tool  # noqa: E402
from model_file import Model  # noqa: E402
from tool import MODELS, RECIPE, verdict_of  # noqa: E402

FLOAT, INT8 = MODELS / "signs_float.tflite", MODELS / "signs_int8.tflite"
RELU = 1


def confirmed(verdict):
    return [cause for cause in verdict["causes"] if cause["status"] == "confirmed"]


class NamedTest(tool.ToolTest):

    def check(self, target, reference=FLOAT, expect=3):
        path = self.folder / "target.tflite"
        target.save(path)
        if isinstance(reference, Model):
            reference.save(self.folder / "reference.tflite")
            reference = self.folder / "reference.tflite"
        quantised = target.scales(int(target.graph.inputs[0]))[0] is not None
        return verdict_of("check", path, "--recipe", RECIPE + (" | quantize(model)" if quantised else ""), "--reference", reference, "--reference-recipe", RECIPE,
                          "--data", MODELS / "data" / "test", "--frames", 8, expect=expect)

    def test_another_activation_is_no_quantisation(self):
        for source in (INT8, FLOAT):
            with self.subTest(source=source.name):
                model = Model(source)
                model.ops[4].builtinOptions.fusedActivationFunction = RELU  # Its output is added to another one.
                verdict = self.check(model)
                self.assertNotIn("quantization", [cause["kind"] for cause in confirmed(verdict)])
                cause = confirmed(verdict)[0]
                self.assertEqual((cause["kind"], cause["layers"]), ("operator", [4]))
                self.assertIn("fused_activation RELU in the target (NONE in the reference)", cause["detail"])

    def test_biases_that_were_not_rescaled_are_named(self):
        model = Model(INT8)
        tensor = model.output(8)
        readers = [k for k in model.consumers(tensor)]
        model.set_scales(tensor, model.scales(tensor)[0] * 4)
        verdict = self.check(model)
        cause = confirmed(verdict)[0]
        self.assertEqual((cause["kind"], cause["layers"]), ("bias", readers))
        self.assertIn("not rescaled", cause["detail"])
        self.assertIn("4 times as wide", cause["detail"])

    def test_biases_of_dead_channels_that_were_cut_off_are_named_and_make_no_other_model(self):
        target, reference = Model(INT8), Model(FLOAT)
        layers = [1, 3, 6, 8, 11, 14]  # More than a third of the layers with weights.
        for k in layers:
            (_, w, b), (_, rw, rb) = (list(map(int, m.ops[k].inputs)) for m in (target, reference))
            dead = np.arange(target.constant(b).size) % 4 == 0
            weights, real, bias = target.constant(w), reference.constant(rw), reference.constant(rb)
            weights[..., dead], real[..., dead], bias[dead] = 0, 0, 3
            fed, scales = target.scales(int(target.ops[k].inputs[0]))[0][0], target.scales(w)[0]
            scales[dead] = 8e-12
            codes = np.clip(np.rint(bias / (fed * scales)), -(2**31), 2**31 - 1)
            self.assertTrue((codes[dead] == 2**31 - 1).all())
            target.set_constant(w, weights)
            target.set_scales(w, scales)
            target.set_constant(b, codes)
            target.set_scales(b, fed * scales)
            reference.set_constant(rw, real)
            reference.set_constant(rb, bias)
        verdict = self.check(target, reference)
        self.assertNotIn("other_model", [cause["kind"] for cause in verdict["causes"]])
        cause = confirmed(verdict)[0]
        self.assertEqual((cause["kind"], cause["layers"]), ("bias", layers))
        self.assertIn("cut off at the end of their 32 bits", cause["detail"])
        self.assertGreater(cause["restored"], 0.25)  # The ranges after these layers were not made for such biases, either.


if __name__ == "__main__":
    tool.main()
