# SPDX-License-Identifier: Apache-2.0
"""One network in two formats: .tflite with channels last, .onnx with channels first, other names and another order of outputs."""
import json

import numpy as np

import tool
import traces
from tool import MODELS, RECIPE, SHARED, run

ULTRAFACE = SHARED / "models" / "ultraface" / "version-RFB-320_without_postprocessing"
FACE = "resize(240x320, bilinear) | color(rgb) | normalize(mean=127, std=128)"


def compare(reference, target, *more, expect):
    return json.loads(run("compare", reference, target, "--json", *more, expect=expect).out)


class FormatsTest(tool.ToolTest):
    def record(self, model, recipe, data, *more):
        trace = self.folder / (model.stem + model.suffix[1:] + ".mcap")
        run("run", model, "--recipe", recipe, "--data", data, "--level", "layers", "--trace", trace, *more, expect=0)
        return trace

    def test_our_own_network(self):
        if not (MODELS / "signs_float.onnx").exists():
            self.skipTest("no ONNX model of our own")
        data = [MODELS / "data" / "test", "--frames", 3]
        reference = self.record(MODELS / "signs_float.tflite", RECIPE, *data)
        target = self.record(MODELS / "signs_float.onnx", RECIPE.replace("layout(nhwc)", "layout(nchw)"), *data)
        found = compare(reference, target, expect=0)
        self.assertLess(found["output_distance"]["mean"], 1e-4)
        far = [layer["name"] for layer in found["layers"] if (layer["relative_l2"] or 0) > 1e-3]
        self.assertEqual(far, [])
        self.assertGreater(found["coverage"]["share"], 0.9)

    def test_settings_that_an_engine_lacks_are_refused(self):
        for verb, more in (("run", ["--data", MODELS / "data" / "test", "--trace", self.folder / "t.mcap"]), ("bench", ["--runs", 5])):
            for flag in (["--optimization", "off"], ["--no-spinning"]):
                with self.subTest(verb=verb, flag=flag):
                    self.assertIn("is for onnxruntime", run(verb, MODELS / "signs_float.tflite", *flag, *more, expect=2).err)
        self.assertIn("is a model of format onnx", run("bench", MODELS / "signs_float.onnx", "--engine", "litert", "--runs", 5, expect=2).err)

    def test_frames_that_leave_out_classes_are_told(self):
        args = ["run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv"]
        few = run(*args, "--frames", 8, "--trace", self.folder / "few.mcap", expect=0)
        self.assertRegex(few.err, r"of \d+ of the 12 classes")
        self.assertNotIn("classes", run(*args, "--trace", self.folder / "all.mcap", expect=0).err)

    def test_quantised_onnx(self):
        """The layers of a quantised .onnx are the integers between DequantizeLinear, operator and QuantizeLinear. Capturing them changes no output,
        unless ONNX Runtime fuses them into kernels that saturate (processors with AVX2 and without VNNI); edgeprobe then says so."""
        if not (MODELS / "signs_int8.onnx").exists():
            self.skipTest("no ONNX model of our own")
        recipe = RECIPE.replace("layout(nhwc)", "layout(nchw)")
        data = [MODELS / "data" / "test", "--frames", 3]
        target = self.record(MODELS / "signs_int8.onnx", recipe, *data)
        info = json.loads(run("trace", "info", target, "--json", expect=0).out)
        layers = [t for t in info["tensors"] if t["stage"] == "layer"]
        self.assertEqual({t["dtype"] for t in layers}, {"int8"})
        self.assertTrue(all(len(t["scale"]) == 1 for t in layers), layers)
        self.assertIn("Conv", {t["layer_type"] for t in layers})
        def moved(*more):
            return json.loads(run("run", MODELS / "signs_int8.onnx", "--recipe", recipe, "--data", *data, "--level", "layers", "--json", "--trace",
                                  self.folder / "again.mcap", "--force", *more, expect=0).out)
        self.assertEqual(moved("--optimization", "basic")["frames_moved_by_capture"], 0)
        done = moved()
        if done["frames_moved_by_capture"]:
            self.assertIn("try --optimization off", " ".join(done["warnings"]))
            self.assertLess(done["moved_by"], 0.05)
        else:
            self.assertEqual(done["warnings"], [])
        for reference in ("signs_float.onnx", "signs_float.tflite"):
            with self.subTest(reference=reference):
                plain = self.record(MODELS / reference, recipe if reference.endswith("onnx") else RECIPE, *data)
                found = compare(plain, target, expect=0)
                far = [layer["name"] for layer in found["layers"] if (layer["relative_l2"] or 0) > 0.1]
                self.assertEqual(far, [])
                # Two forms of one network's weights count as one set of weights; weights of two formats are not compared.
                verdict = json.loads(run("check", MODELS / "signs_int8.onnx", "--recipe", recipe, "--reference", MODELS / reference, "--reference-recipe",
                                         recipe if reference.endswith("onnx") else RECIPE, "--data", *data, "--json", expect=0).out)
                self.assertEqual([c["kind"] for c in verdict["causes"]], [])

    def test_ultraface(self):
        if not ULTRAFACE.with_suffix(".onnx").exists():
            self.skipTest("no UltraFace (EDGEPROBE_SHARED_DATA)")
        data = [SHARED / "images" / "grace_hopper.bmp"]
        reference = self.record(ULTRAFACE.with_suffix(".onnx"), FACE + " | layout(nchw)", *data)
        target = self.record(ULTRAFACE.with_suffix(".tflite"), FACE, *data)
        found = compare(reference, target, expect=0)
        for layer in found["layers"]:
            if layer["stage"] == "model_output":
                self.assertLess(layer["max_abs"] or 0, 1e-3, layer)
        far = [(layer["name"], layer["target_name"], layer["relative_l2"]) for layer in found["layers"] if (layer["relative_l2"] or 0) > 1e-3]
        self.assertEqual(far, [])
        self.assertGreater(found["coverage"]["share"], 0.8)
        # The values agree with a separate run of the same two files.
        import edgeprobe
        import onnxruntime

        trace = edgeprobe.load(str(reference))
        frame = trace.frames[0]
        onnxruntime.set_default_logger_severity(3)
        session = onnxruntime.InferenceSession(str(ULTRAFACE.with_suffix(".onnx")))
        feed = {session.get_inputs()[0].name: frame[session.get_inputs()[0].name]}
        for output, value in zip(session.get_outputs(), session.run(None, feed)):
            np.testing.assert_allclose(frame[output.name], value, atol=1e-5)

    def test_swapped_outputs_are_named(self):
        if not ULTRAFACE.with_suffix(".onnx").exists():
            self.skipTest("no UltraFace (EDGEPROBE_SHARED_DATA)")
        reference = self.record(ULTRAFACE.with_suffix(".onnx"), FACE + " | layout(nchw)", SHARED / "images" / "grace_hopper.bmp")
        swapped = self.folder / "swapped.mcap"
        rename(reference, swapped, {"/model_output/scores": "/model_output/boxes", "/model_output/boxes": "/model_output/scores"})
        done = run("compare", reference, swapped, expect=(0, 3))
        self.assertIn("SWAPPED", done.out)
        self.assertEqual(done.returncode, 3, done.out)
        verdict = json.loads(run("diagnose", swapped, "--reference", ULTRAFACE.with_suffix(".onnx"), "--reference-recipe", FACE + " | layout(nchw)",
                                 "--json", expect=3).out)
        self.assertEqual([(c["kind"], c["status"]) for c in verdict["causes"]], [("output_order", "confirmed")])


def rename(source, target, topics):
    """A copy of the trace, made by the official MCAP writer, with other topics."""
    with traces.Copy(source, target, groups=()) as copy:
        for channel, message in copy.messages:
            copy.add(topics.get(channel.topic, channel.topic), channel.message_encoding, dict(channel.metadata), message.data, message)


if __name__ == "__main__":
    tool.main()
