# SPDX-License-Identifier: Apache-2.0
"""One model on several engines: distinguishes rounding from faults. Words: console/faulty.md. matrix_test.py EDGEPROBE LIBFAULTY"""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "engine"))
import rounding_model
import tool
from tool import MODELS, run

FAULTY = sys.argv.pop(2)
ONNX = MODELS / "signs_float.onnx"


def matrix(model, *more, expect, fault=""):
    env = dict(os.environ, EDGEPROBE_FAULT=fault) if fault else None
    return json.loads(run("matrix", model, "--json", "--time-limit", 20, *more, expect=expect, env=env).out)


class MatrixTest(tool.ToolTest):
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

    def test_onnx_on_every_engine_that_reads_it(self):
        if not ONNX.exists():
            self.skipTest("no ONNX model of our own")
        found = json.loads(run("matrix", ONNX, "--json", "--frames", 2, expect={0, 4}).out)
        working = [c["name"] for c in found["columns"] if not c["problem"]]
        if len(working) < 2:
            self.skipTest("only %s installed for ONNX" % working)
        self.assertEqual(found["majority"], working)
        self.assertGreater(len(found["rows"]), 20)


if __name__ == "__main__":
    tool.main()
