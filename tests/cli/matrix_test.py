# SPDX-License-Identifier: Apache-2.0
"""One model on several engines: who agrees with whom. matrix_test.py EDGEPROBE LIBFAULTY"""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "engine"))
import rounding_model
import tool
from tool import MODELS, RECIPE, run

FAULTY = sys.argv.pop(2)
INT8 = MODELS / "signs_int8.tflite"
ONNX = MODELS / "signs_float.onnx"


def matrix(model, *more, expect, fault="", time_limit=20):
    env = dict(os.environ, EDGEPROBE_FAULT=fault) if fault else None
    return json.loads(run("matrix", model, "--json", "--time-limit", time_limit, *more, expect=expect, env=env).out)


class MatrixTest(tool.ToolTest):
    def test_healthy_engines_agree(self):
        found = matrix(INT8, "--engines", "litert:builtin,tflite:builtin,tflite:reference", "--frames", 2, expect=0)
        self.assertEqual(len(found["majority"]), 3)
        self.assertEqual([c["problem"] for c in found["columns"]], [None] * 3)
        self.assertEqual(len(found["rows"]), 19)
        # The same kernels in two builds: bit for bit in every layer.
        self.assertTrue(all(row["from_base"]["tflite builtin"]["exact"] for row in found["rows"]))

    def test_a_faulty_engine_is_outvoted_and_its_first_layer_named(self):
        engines = "tflite:%s:builtin,tflite:builtin,tflite:reference,litert:builtin" % FAULTY
        found = matrix(INT8, "--engines", engines, expect=3, fault="op=7 kind=sat")
        faulty = found["columns"][0]["name"]
        self.assertIsNone(found["columns"][0]["problem"])
        self.assertEqual(found["majority"], ["tflite builtin", "tflite reference", "litert builtin"])
        apart = [row["layer"] for row in found["rows"] if not row["from_base"][faulty]["exact"] and row["from_base"][faulty]["relative_l2"] > found["floor"]]
        self.assertEqual(apart[0], 7)
        text = run("matrix", INT8, "--engines", engines, expect=3, env=dict(os.environ, EDGEPROBE_FAULT="op=7 kind=sat")).out
        self.assertIn("majority: B C D (3 of 4", text)
        self.assertRegex(text, r"A  tflite libfaulty\S* builtin *\S+ +differs from B first at layer 7 ")

    def test_rounding_that_adds_up_is_agreement_and_a_fault_is_not(self):
        model = self.folder / "rounding.tflite"
        rounding_model.write(model)
        found = matrix(model, "--engines", "litert:xnnpack,litert:builtin", expect=0)
        pair = found["pairs"][0]
        self.assertGreater(pair["relative_l2"], found["floor"])
        self.assertEqual((pair["agree"], pair["rounding"]), (True, True))
        self.assertIn("agree layer by layer, up to rounding; that adds up", run("matrix", model, "--engines", "litert:xnnpack,litert:builtin", expect=0).out)
        for fault in ("op=4 kind=trunc", "op=4 kind=offset"):
            with self.subTest(fault=fault):
                found = matrix(model, "--engines", "litert:xnnpack,tflite:%s:builtin" % FAULTY, expect=3, fault=fault)
                self.assertEqual((found["pairs"][0]["agree"], found["pairs"][0]["rounding"]), (False, False))

    def test_a_trusted_engine_is_the_base(self):
        found = matrix(INT8, "--engines", "litert:builtin,tflite:builtin", "--reference-engine", "tflite:reference", expect=0)
        self.assertEqual(found["reference"], "tflite reference")
        self.assertEqual(found["base"], "tflite reference")

    def test_engines_that_crash_hang_or_lack_cost_their_cells(self):
        engines = "tflite:%s:builtin,tflite:builtin,tflite:reference" % FAULTY
        for kind, said in (("crash", "SIGABRT"), ("hang", "limit of 3 s")):
            with self.subTest(kind=kind):
                found = matrix(INT8, "--engines", engines, "--outputs", expect=0, fault="op=3 kind=" + kind, time_limit=3)
                self.assertIn(said, found["columns"][0]["problem"])
                self.assertEqual(found["majority"], ["tflite builtin", "tflite reference"])
        one = matrix(INT8, "--engines", "tflite:/nowhere.so,tflite:builtin", expect=4)
        self.assertIn("/nowhere.so", one["columns"][0]["problem"])

    def test_onnx_on_every_engine_that_reads_it(self):
        if not ONNX.exists():
            self.skipTest("no ONNX model of our own")
        found = json.loads(run("matrix", ONNX, "--json", "--frames", 2, expect={0, 4}).out)
        working = [c["name"] for c in found["columns"] if not c["problem"]]
        if len(working) < 2:
            self.skipTest("only %s installed for ONNX" % working)
        self.assertEqual(found["majority"], working)
        self.assertGreater(len(found["rows"]), 20)

    def test_pictures_through_a_recipe(self):
        found = matrix(INT8, "--engines", "litert:builtin,tflite:reference", "--data", MODELS / "data" / "test", "--frames", 3,
                       "--recipe", RECIPE + " | quantize(model)", expect=0)
        self.assertEqual(found["frames"], 3)


if __name__ == "__main__":
    tool.main()
