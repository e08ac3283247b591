# SPDX-License-Identifier: Apache-2.0
"""A fault inside the model is found in its layer: libfaulty.so (tests/faulty) changes kernels; edits of the int8 file change constants and
scales. culprit_test.py EDGEPROBE LIBFAULTY POOL_FAULT_DELEGATE"""
import os
import sys

import tool
from tool import MODELS, RECIPE, ROOT, SHARED, run, verdict_of

sys.path.append(str(ROOT / "bench" / "layer_matrix"))
FAULTY, DELEGATE = sys.argv.pop(2), sys.argv.pop(2)

DATA = ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv", "--frames", 16]
REFERENCE = ["--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE]
RECIPES = {"signs_float": RECIPE, "signs_int8": RECIPE + " | quantize(model)"}


def check(model, *more, fault="", engine="tflite:" + FAULTY, target=None, recipe=None, expect=(0, 3)):
    os.environ["EDGEPROBE_FAULT"] = fault
    try:
        return verdict_of("check", target or MODELS / (model + ".tflite"), "--recipe", recipe or RECIPES[model], "--engine", engine, *REFERENCE, *DATA, *more,
                          expect=expect)
    finally:
        del os.environ["EDGEPROBE_FAULT"]


class CulpritTest(tool.ToolTest):
    def edited(self, kind, op, source=MODELS / "signs_int8.tflite"):
        """The file with a fault from bench/layer_matrix."""
        import quant_faults

        target = self.folder / ("%s_%d_%s" % (kind, op, source.name))
        quant_faults.edit(kind, source, op).save(target)
        return target

    def assertCulprit(self, verdict, kind, op_type, layer, scope="op"):
        self.assertEqual(verdict["verdict"], "differs", verdict["headline"])
        cause = verdict["causes"][0]
        self.assertEqual((cause["kind"], cause["op_type"], cause["layers"][:1], cause["scope"]), (kind, op_type, [layer], scope), cause["detail"])
        self.assertEqual(cause["stage"], "model")
        self.assertEqual(cause["status"], "confirmed", cause["detail"])
        self.assertEqual([c for c in verdict["causes"][1:] if c["status"] == "confirmed"], [])
        return cause

    def test_edited_constants_and_scales_are_named(self):
        """Checks the layer, the class, and a repair inside the target's own model that restores the logits."""
        for edit, op, kind, op_type, word in (("permw", 12, "weights", "CONV_2D", "weights"), ("biassat", 7, "weights", "CONV_2D", "bias"),
                                              ("act_d4", 6, "quantization", "DEPTHWISE_CONV_2D", "clips")):
            with self.subTest(edit=edit, op=op):
                verdict = check("signs_int8", target=self.edited(edit, op), engine="litert", expect=3)
                cause = self.assertCulprit(verdict, kind, op_type, op)
                self.assertIn(word, cause["detail"])
                self.assertGreater(cause["explains"], 0.9)
                self.assertGreater(verdict["culprits"]["gap"], 0.25)
                self.assertEqual(cause["restored_unit"], "accuracy")
                self.assertGreaterEqual(cause["restored"], 0.9)
                row = {layer["index"]: layer for layer in verdict["layers"]}[op]
                self.assertEqual(row["class"], "faulty")
                self.assertGreater(row["local_error"], 3 * row["floor"])
                self.assertGreater(row["share"], 0.9)
                self.assertLessEqual(row["residue"], 1)

    def test_a_coarse_scale_that_does_no_harm_is_no_cause(self):
        verdict = check("signs_int8", target=self.edited("act_x4", 4), engine="litert", expect=0)
        self.assertEqual([c for c in verdict["causes"] if c["status"] == "confirmed"], [])

    def test_the_second_fault_is_found_behind_the_first(self):
        twice = self.edited("act_d4", 0, source=self.edited("permw", 12))
        verdict = check("signs_int8", target=twice, engine="litert", expect=3)
        causes = [(c["kind"], c["layers"], c["status"]) for c in verdict["causes"]]
        self.assertEqual(causes, [("weights", [12], "confirmed"), ("quantization", [0], "confirmed")])

    def test_a_kernel_and_other_weights_are_both_named(self):
        verdict = check("signs_int8", fault="op=4 kind=chan0", target=self.edited("permw", 12), expect=3)
        causes = [(c["kind"], c["layers"], c["status"]) for c in verdict["causes"]]
        self.assertEqual(causes, [("kernel", [4], "confirmed"), ("weights", [12], "confirmed")])
        self.assertEqual(verdict["causes"][0]["restored"], 0)  # The weights are still wrong.
        self.assertGreaterEqual(verdict["causes"][1]["restored"], 0.9)

    def test_a_fault_in_front_of_the_model_hides_none_inside(self):
        bgr = RECIPES["signs_int8"].replace("color(rgb)", "color(bgr)")
        verdict = check("signs_int8", fault="type=DEPTHWISE_CONV_2D kind=sat", recipe=bgr, expect=3)
        self.assertEqual([(c["kind"], c["op_type"]) for c in verdict["causes"] if c["status"] == "confirmed"],
                         [("channel_order", None), ("kernel", "DEPTHWISE_CONV_2D")])
        self.assertGreaterEqual(verdict["task"]["fixed"], 0.9)

    def test_a_fault_behind_the_logits_is_confirmed_by_the_outputs(self):
        verdict = check("signs_float", fault="type=SOFTMAX kind=sat", expect=3)
        self.assertEqual(verdict["culprits"]["gap_of"], "outputs")
        self.assertCulprit(verdict, "kernel", "SOFTMAX", 18)

    def test_three_steps_beside_a_faulty_kernel_are_a_note(self):
        import numpy as np
        from traces import rewritten

        check("signs_int8", "--keep-traces", self.folder, fault="op=4 kind=chan0", expect=3)

        def change(channel, message):
            if channel.topic.startswith("/layer/") and channel.metadata["position"] == "10" and message.sequence == 0:
                values = np.frombuffer(message.data, np.int8).copy()
                values[np.argmin(np.abs(values.astype(int)))] += 3
                return values.tobytes()
            return message.data

        rewritten(self.folder / "target.mcap", self.folder / "three.mcap", change)
        verdict = verdict_of("diagnose", self.folder / "three.mcap", *REFERENCE, "--model", MODELS / "signs_int8.tflite", expect=3)
        self.assertEqual(self.assertCulprit(verdict, "kernel", "CONV_2D", 4)["layers"], [4])
        self.assertIn(("kernel", "ADD", "note"), [(c["kind"], c["op_type"], c["status"]) for c in verdict["causes"]])

    def test_a_mild_fault_leads_to_no_wrong_cause(self):
        for fault, op in (("op=3 kind=trunc", 3), ("op=14 kind=scale", 14)):
            with self.subTest(fault=fault):
                for cause in check("signs_int8", fault=fault)["causes"]:
                    if cause["status"] == "confirmed":
                        self.assertEqual((cause["kind"], cause["layers"]), ("kernel", [op]))

    def test_the_gap_is_numpys(self):
        """RMS difference of the logits over their standard deviation, from the recorded tensors and LiteRT's own interpreter."""
        import gap

        verdict = check("signs_int8", "--keep-traces", self.folder, fault="op=10 kind=offset")
        frames = verdict["culprits"]["frames"]
        wanted = gap.Gap(MODELS / "signs_float.tflite").of(Caller(), MODELS / "signs_int8.tflite", self.folder / "target.mcap", self.folder / "t.npz")
        self.assertGreaterEqual(frames, 4)
        # The analysis may use only some of the trace's frames.
        self.assertAlmostEqual(verdict["culprits"]["gap"], wanted, delta=0.02 if frames == 16 else 0.2 * wanted)

    def test_a_delegate_that_miscomputes_is_found(self):
        if not (SHARED / "models" / "mlperf_tiny").is_dir():
            self.skipTest("no model with AVERAGE_POOL_2D: EDGEPROBE_SHARED_DATA is not there")
        models = SHARED / "models" / "mlperf_tiny"
        verdict = verdict_of("check", models / "pretrainedResnet.tflite", "--recipe", "resize(32x32, area)", "--engine", "tflite", "--delegate", DELEGATE,
                             "--reference", models / "pretrainedResnet.tflite", "--reference-recipe", "resize(32x32, area)",
                             "--data", MODELS / "data" / "test", "--frames", 8, expect=3)
        self.assertCulprit(verdict, "kernel", "AVERAGE_POOL_2D", 12)


class Caller:
    """gap.py runs edgeprobe through this class."""

    def call(self, *arguments):
        return run(*arguments, expect=0)


if __name__ == "__main__":
    tool.main()
