# SPDX-License-Identifier: Apache-2.0
"""Models calibrated with the wrong pictures are reported as such; a single wrong scale is not. calibration_test.py EDGEPROBE"""
import sys

import numpy as np
import onnxruntime

import quantized_model
import tool
from tool import MODELS, ROOT, verdict_of

sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "bench" / "layer_matrix")]
import support  # noqa: E402,F401  finds the Python package of this build, or skips
import edgeprobe  # noqa: E402
from model_file import WEIGHTED, Model  # noqa: E402

FLOAT, NCHW = MODELS / "signs_float.onnx", MODELS / "signs_nchw.recipe"
DATA = ["--data", MODELS / "data" / "test", "--frames", 48, "--labels", MODELS / "data" / "labels.csv"]
onnxruntime.set_default_logger_severity(4)


def ranges(verdict):
    """The causes that mention calibration."""
    return [one for one in verdict["causes"] if any(said["kind"] == "calibrated_ranges" for said in one["evidence_values"])]


class Onnx(tool.ToolTest):
    """A model quantised again by ONNX Runtime's own tool."""

    @classmethod
    def setUpClass(cls):
        with tool.tempfile.TemporaryDirectory(prefix="edgeprobe_test_") as folder:
            trace = folder + "/t.mcap"
            edgeprobe.run(str(FLOAT), str(MODELS / "data" / "test"), recipe=NCHW.read_text(), frames=24, trace=trace)
            with edgeprobe.Trace(trace) as opened:
                cls.inputs = [np.array(frame["model_input/image"]) for frame in opened.frames]

    def checked(self, frames):
        path = quantized_model.write(FLOAT, self.folder / "m.onnx", frames)
        return verdict_of("check", path, "--reference", FLOAT, "--recipe", NCHW, "--reference-recipe", NCHW, *DATA, expect=(0, 3))

    def pictures(self, contrast):
        """Pictures with that contrast, and one white and one black pixel, so that the input's scale is right."""
        changed = [(image * contrast).astype(np.float32) for image in self.inputs]
        for image in changed:
            image[..., 0, :2] = 1, -1
        return changed

    def test_calibrated_with_flat_pictures(self):
        right = self.checked(self.inputs)
        self.assertEqual((right["verdict"], ranges(right)), ("agrees", []))
        for contrast in (0.05, 0.3):
            verdict = self.checked(self.pictures(contrast))
            cause, = verdict["causes"]
            self.assertEqual((cause["kind"], cause["status"]), ("quantization", "confirmed"), cause["detail"])
            self.assertIn("too narrow", cause["detail"])
            self.assertIn("calibration", cause["detail"])
            self.assertEqual(len(ranges(verdict)), 1)
            # As accurate as the file that was calibrated with the right pictures.
            self.assertAlmostEqual(cause["restored"], right["task"]["target"], delta=0.03)
            self.assertGreater(cause["restored"], verdict["task"]["target"] + 0.2)
            self.assertIn("convert", cause["fix"]["code"]["edgeprobe"])


class Tflite(tool.ToolTest):
    """Changes scales of the project's int8 file, and the biases that depend on them."""

    def checked(self, factor, layers=None):
        model, path = Model(MODELS / "signs_int8.tflite"), self.folder / "m.tflite"
        shown = [model.output(op) for op in range(len(model.ops) - 1)]  # not the probabilities
        for tensor in shown if layers is None else [shown[i] for i in layers]:
            model.set_scales(tensor, model.scales(tensor)[0] * factor)
        for op, kind in enumerate(model.types):
            if kind not in WEIGHTED:
                continue
            source, weights, bias = (int(one) for one in list(model.ops[op].inputs)[:3])
            unit, before = model.scales(source)[0][0] * model.scales(weights)[0], model.scales(bias)[0]
            model.set_constant(bias, np.round(model.constant(bias) * (before / unit)).astype(np.int32))
            model.set_scales(bias, unit)
        model.save(path)
        return verdict_of("check", path, "--reference", MODELS / "signs_float.tflite", "--recipe", tool.RECIPE + " | quantize(model)",
                          "--reference-recipe", tool.RECIPE, *DATA, expect=(0, 3))

    def test_ranges_that_are_too_narrow(self):
        verdict = self.checked(0.25)
        cause, = ranges(verdict)
        self.assertEqual(cause["status"], "confirmed")
        self.assertIn("too narrow", cause["detail"])
        self.assertGreater(cause["restored"], 0.9)
        self.assertLess(verdict["task"]["target"], 0.5)

    def test_steps_that_are_too_wide(self):
        cause, = ranges(self.checked(16))
        self.assertEqual(cause["status"], "confirmed")
        self.assertIn("wider than these pictures need", cause["detail"])
        self.assertGreater(cause["restored"], 0.9)

    def test_one_wrong_scale_is_its_own_layer_s(self):
        verdict = self.checked(0.1, [6])
        self.assertEqual(verdict["verdict"], "differs")
        self.assertEqual(ranges(verdict), [])
        self.assertEqual((verdict["causes"][0]["kind"], verdict["causes"][0]["layer"]), ("quantization", "block3/depthwise"))

    def test_what_the_file_alone_shows_of_a_blamed_layer_is_told(self):
        model, path = Model(MODELS / "signs_int8.tflite"), self.folder / "m.tflite"
        tensor = model.output(6)
        model.set_scales(tensor, model.scales(tensor)[0] * 0.1)  # The biases of the next layer stay unchanged.
        model.save(path)
        check = ["check", path, "--reference", MODELS / "signs_float.tflite", "--recipe", tool.RECIPE + " | quantize(model)",
                 "--reference-recipe", tool.RECIPE, *DATA]
        verdict = verdict_of(*check, expect=3)
        self.assertIn(7, verdict["causes"][0]["layers"])
        told = [text for text in verdict["warnings"] if "[bias_scale]" in text]
        self.assertEqual(len(told), 1, verdict["warnings"])
        self.assertIn("at a layer that is blamed: #7 CONV_2D 'block3/project'", told[0])
        trace = self.folder / "t.mcap"
        tool.run("run", path, "--recipe", tool.RECIPE + " | quantize(model)", *DATA, "--level", "layers", "--trace", trace, expect=0)
        again = verdict_of("diagnose", trace, "--reference", MODELS / "signs_float.tflite", "--reference-recipe", tool.RECIPE, "--model", path, expect=3)
        self.assertIn(told[0], again["warnings"])
        # The same file compared with itself agrees: no layer is blamed.
        itself = verdict_of("check", path, "--reference", path, "--recipe", tool.RECIPE + " | quantize(model)",
                            "--reference-recipe", tool.RECIPE + " | quantize(model)", *DATA, expect=0)
        self.assertFalse([text for text in itself["warnings"] if "blamed" in text])

    def test_scales_that_harm_nothing_are_no_cause(self):
        self.assertEqual(ranges(self.checked(2)), [])


if __name__ == "__main__":
    tool.main()
