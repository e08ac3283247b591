# SPDX-License-Identifier: Apache-2.0
"""Codes that fit: the effect of a good calibration, and a model for which int8 does not work. int8_cause_test.py EDGEPROBE"""
import sys
import unittest

import numpy as np
import onnxruntime

import quantized_model
import tool
import traces
from tool import MODELS, ROOT, SHARED, verdict_of

sys.path[:0] = [str(ROOT / "bench" / "requantized"), str(ROOT / "bench" / "layer_matrix")]
import numpy_int8  # noqa: E402
from model_file import Model  # noqa: E402

NCHW = MODELS / "signs_nchw.recipe"
DATA = ["--data", MODELS / "data" / "test", "--frames", 16]
onnxruntime.set_default_logger_severity(4)


def codes(cause):
    """The values in the evidence about codes that fit."""
    return next((said["values"] for said in cause["evidence_values"] if said["kind"] == "fitting_codes"), None)


def answers(path, inputs):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return np.array([int(session.run(None, {session.get_inputs()[0].name: one})[0].ravel().argmax()) for one in inputs])


class Int8Cause(tool.ToolTest):
    def inputs(self, model, recipe, *data):
        trace = self.folder / "in.mcap"
        tool.run("run", model, "--recipe", recipe, *data, "--level", "io", "--trace", trace, expect=0)
        return traces.only(traces.exported(trace), "model_input")

    def quantised(self, source, frames, **options):
        return quantized_model.write(source, self.folder / "m.onnx", frames, **options)

    def checked(self, path, source):
        return verdict_of("check", path, "--reference", source, "--recipe", NCHW, "--reference-recipe", NCHW, *DATA, expect=(0, 3))

    def test_int8_does_not_serve_however_it_is_calibrated(self):
        source = MODELS / "inception_like.onnx"
        inputs = list(self.inputs(source, NCHW, *DATA).reshape(16, 1, 3, 64, 64))
        truth, verdicts = answers(source, inputs), []
        good = self.quantised(source, inputs)
        same = float((answers(good, inputs) == truth).mean())
        self.assertLess(same, 0.5)  # ONNX Runtime's own file, calibrated with the same pictures.
        verdicts.append(self.checked(good, source))
        verdicts.append(self.checked(self.quantised(source, [(one + 1) / 2 for one in inputs]), source))
        for verdict in verdicts:
            first = verdict["causes"][0]
            self.assertEqual((verdict["verdict"], first["kind"], first["status"]), ("differs", "quantization", "confirmed"), first["detail"])
            self.assertIn("int8 does not serve this model", first["detail"])
            self.assertIn("predict-precision", first["fix"]["code"]["edgeprobe"])
            self.assertAlmostEqual(codes(first)["same"], same, delta=0.13)
            self.assertFalse([one for one in verdict["causes"] if one["status"] == "confirmed" and one["kind"] in ("operator", "kernel")])

    def test_a_model_that_int8_serves_is_not_called_so(self):
        source = MODELS / "signs_float.onnx"
        inputs = list(self.inputs(source, NCHW, *DATA).reshape(16, 1, 3, 64, 64))
        verdict = self.checked(self.quantised(source, [one * 128 for one in inputs]), source)
        first = verdict["causes"][0]
        self.assertEqual((first["kind"], first["status"]), ("input_scale", "confirmed"))
        self.assertEqual(codes(first)["same"], 1.0)
        self.assertLess(codes(first)["distance"], 0.05)
        self.assertNotIn("does not serve", " ".join(one["detail"] for one in verdict["causes"]))

    def test_other_weights_are_no_matter_of_codes(self):
        model, path = Model(MODELS / "signs_int8.tflite"), self.folder / "w.tflite"
        tensor = int(model.ops[7].inputs[1])
        model.set_constant(tensor, np.ascontiguousarray(model.constant(tensor)[..., ::-1]))
        model.save(path)
        verdict = verdict_of("check", path, "--reference", MODELS / "signs_float.tflite", "--recipe", tool.RECIPE + " | quantize(model)",
                             "--reference-recipe", tool.RECIPE, *DATA, expect=3)
        self.assertEqual((verdict["causes"][0]["kind"], verdict["causes"][0]["status"]), ("weights", "confirmed"))
        self.assertFalse([one for one in verdict["causes"] if codes(one)])

    @unittest.skipUnless(SHARED.exists(), "the shared data is absent")
    def test_steps_of_the_input_that_are_too_wide(self):
        source = SHARED / "models" / "mlperf_tiny" / "vww_96_float.tflite"
        recipe = "crop(square) | resize(96x96, area, like=opencv) | scale(0..1)"
        pictures = self.folder / "pictures"
        pictures.mkdir()
        for name in ("bird.bmp", "cat.bmp", "grace_hopper.bmp", "squat.bmp", "sunflower.bmp", "owl.jpg", "parrot.jpg", "pets.jpg"):
            (pictures / name).write_bytes((SHARED / "images" / name).read_bytes())
        inputs = self.inputs(source, recipe, "--data", pictures)
        path = self.folder / "m.tflite"
        numpy_int8.quantise(source, [one * 255 for one in inputs]).save(path)
        verdict = verdict_of("check", path, "--reference", source, "--recipe", recipe + " | quantize(model)", "--reference-recipe", recipe,
                             "--data", pictures, expect=3)
        first = verdict["causes"][0]
        self.assertEqual((first["kind"], first["status"]), ("input_scale", "confirmed"), first["detail"])
        self.assertIn("calibrated with other pre-processing", first["detail"])
        self.assertLess(codes(first)["distance"], 0.3 * codes(first)["target_distance"])
        self.assertNotIn("does not serve", " ".join(one["detail"] for one in verdict["causes"]))


if __name__ == "__main__":
    tool.main()
