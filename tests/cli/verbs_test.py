# SPDX-License-Identifier: Apache-2.0
"""inspect, recipe, trace and doctor as a user calls them."""
import json
import os
import unittest

import tool
from tool import MODELS, RECIPE, ROOT, run


class VerbsTest(tool.ToolTest):
    def test_inspect_equals_the_engines_interpreter(self):
        from ai_edge_litert.interpreter import Interpreter

        told = json.loads(run("inspect", MODELS / "signs_int8.tflite", "--json", expect=0).out)
        interpreter = Interpreter(str(MODELS / "signs_int8.tflite"))
        interpreter.allocate_tensors()
        mine = told["tensors"][told["inputs"][0]]
        (theirs,) = interpreter.get_input_details()
        self.assertEqual(mine["shape"], theirs["shape"].tolist())
        self.assertEqual(mine["dtype"], theirs["dtype"].__name__)
        self.assertEqual(mine["name"], theirs["name"])
        self.assertEqual([op["type"] for op in told["layers"]], [op["op_name"] for op in interpreter._get_ops_details() if op["op_name"] != "DELEGATE"])

    def test_recipe_explain_writes_a_picture_for_each_step(self):
        from PIL import Image

        steps = self.folder / "steps"
        run("recipe", "explain", RECIPE, MODELS / "data" / "test" / "sign_0000.png", "--model", MODELS / "signs_float.tflite", "--out", steps, expect=0)
        names = sorted(os.listdir(steps))
        self.assertEqual(len(names), 6)
        sizes = []
        for name in (names[1], names[-1]):
            with Image.open(steps / name) as picture:
                sizes.append(picture.size)
        self.assertEqual(sizes, [(126, 98), (64, 64)])

    def test_doctor_knows_the_engines_of_this_machine(self):
        told = json.loads(run("doctor", "--json", expect=0).out)
        text = json.dumps(told)
        self.assertIn("litert", text)
        self.assertIn("2.3.0", text)
        for engine in told["engines"]:
            self.assertTrue(not engine["works"] or (len(engine["sha256"]) == 64 and engine["formats"]), engine)
        missing = run("doctor", env=dict(os.environ, EDGEPROBE_ONNXRUNTIME_LIB="/nowhere/libonnxruntime.so"), expect=0).out
        self.assertIn("onnxruntime  cannot be used", missing)
        self.assertIn("script/setup --onnxruntime", missing)

    def test_other_weights_with_outputs_that_agree_are_a_warning(self):
        shared = tool.SHARED
        if not shared.exists():
            self.skipTest("the shared data is absent")
        verdict = tool.verdict_of("check", shared / "models/aeq/conv_fc_mnist_srq_a8w8.tflite", "--recipe", "gray | scale(0..1) | quantize(model)",
                                  "--reference", shared / "models/aeq/conv_fc_mnist.tflite", "--reference-recipe", "gray | scale(0..1)",
                                  "--data", shared / "images/mnist", expect=0)
        self.assertEqual(verdict["causes"], [])
        self.assertIn("weights differ by more than rounding in 3 of 3 layers", " ".join(verdict["warnings"]))

    @unittest.skipUnless((ROOT / ".deps/engines/libjnitensorflowlite.so").exists(), "no TensorFlow Lite: run script/setup --tflite")
    def test_a_delegate_that_a_library_lacks_is_named(self):
        for delegate, words in (("gpu", ("lacks TfLiteGpuDelegateV2Create", "tensorflowlite")), ("nnapi", ("lacks TfLiteNnapiDelegateCreate",)),
                                ("external:/nowhere.so?a=b", ("does not exist",))):
            done = run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", MODELS / "data" / "test", "--frames", 1, "--engine", "tflite",
                       "--delegate", delegate, "--trace", self.folder / "d.mcap", expect=1)
            for one in words:
                self.assertIn(one, done.err)


if __name__ == "__main__":
    tool.main()
