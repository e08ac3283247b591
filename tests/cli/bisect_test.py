# SPDX-License-Identifier: Apache-2.0
"""Wrong operators of an engine that does not expose layers. libfaulty.so makes the faults, selected by the tensor that an operator
writes: a cut does not renumber tensors. bisect_test.py EDGEPROBE LIBFAULTY"""
import hashlib
import json
import math
import os
import pathlib
import socket
import sys
import zipfile

import numpy as np
import tool
from tool import MODELS, run

FAULTY = sys.argv.pop(2)
INT8 = MODELS / "signs_int8.tflite"
FLOAT = MODELS / "signs_float.tflite"


def outputs_of(model):
    """Maps each operator to the tensor that it writes, as read by LiteRT's own interpreter."""
    from ai_edge_litert.interpreter import Interpreter

    return [int(op["outputs"][0]) for op in Interpreter(str(model))._get_ops_details()]


def bisect(model, output, kind, *more, expect=3):
    return bisect_with("output=%d kind=%s" % (output, kind), model, *more, expect=expect)


def bisect_with(fault, model, *more, expect=3):
    env = dict(os.environ, EDGEPROBE_FAULT=fault)
    return json.loads(run("bisect", model, "--engine", "tflite:" + FAULTY, "--kernels", "builtin", "--json", *more, expect=expect, env=env).out)


class BisectTest(tool.ToolTest):
    def test_one_wrong_operator_is_found_within_the_bound(self):
        for model in (INT8, FLOAT):
            outputs = outputs_of(model)
            for op in (0, 4, 9, 13, len(outputs) - 2):
                with self.subTest(model=model.name, op=op):
                    found = bisect(model, outputs[op], "chan0")
                    self.assertEqual([wrong["layer"] for wrong in found["wrong"]], [op])
                    self.assertEqual(found["wrong"][0]["certainty"], "alone")
                    self.assertTrue(found["repaired"])
                    self.assertLessEqual(found["device_runs"], math.ceil(math.log2(found["operators"])) + 3)

    def test_all_wrong_operators_of_a_type_are_found_one_after_another(self):
        from ai_edge_litert.interpreter import Interpreter

        planted = [i for i, op in enumerate(Interpreter(str(FLOAT))._get_ops_details()) if op["op_name"] == "ADD"]
        self.assertGreater(len(planted), 2)
        found = bisect_with("type=ADD kind=chan0", FLOAT)
        self.assertEqual([wrong["layer"] for wrong in found["wrong"]], planted)
        self.assertTrue(found["repaired"])
        self.assertLess(found["output_nrmse_repaired"], 1e-3 * found["output_nrmse"])

    def test_an_operator_that_ends_the_process_is_found_and_replayed(self):
        file = self.folder / "crash.zip"
        output = outputs_of(FLOAT)[7]
        found = bisect(FLOAT, output, "crash", "--evidence", file)
        self.assertEqual([(wrong["layer"], wrong["certainty"]) for wrong in found["wrong"]], [(7, "alone")])
        self.assertIn("SIGABRT", found["wrong"][0]["refused"])
        self.assertTrue(found["repaired"])
        env = dict(os.environ, EDGEPROBE_FAULT="output=%d kind=crash" % output)
        replayed = json.loads(run("evidence", file, "--engine", "tflite:" + FAULTY, "--kernels", "builtin", "--json", expect=3, env=env).out)
        self.assertIn("SIGABRT", replayed["replay"]["refused"])
        self.assertFalse(json.loads(run("evidence", file, "--engine", "tflite", "--json", expect=0).out)["replay"]["there"])

    def test_a_hanging_device_is_bisected_within_the_time_limit(self):
        # On a busy machine a healthy operator may take longer than the shortest limit.
        for limit in (0.4, 4, 40):
            found = bisect(FLOAT, outputs_of(FLOAT)[16], "hang", "--time-limit", limit)
            if len(found["wrong"]) == 1:
                break
        self.assertEqual([wrong["layer"] for wrong in found["wrong"]], [16])

    def test_healthy_engines_have_no_wrong_operator(self):
        for model, engine in ((INT8, "tflite"), (FLOAT, "tflite"), (MODELS / "signs_float.onnx", "onnxruntime")):
            with self.subTest(model=model.name):
                found = json.loads(run("bisect", model, "--engine", engine, "--json", expect=(0, 4)).out)
                self.assertEqual(found["wrong"], [])

    def test_evidence_replays_the_fault_and_says_where_it_is_gone(self):
        output, file = outputs_of(INT8)[11], self.folder / "fault.zip"
        found = bisect(INT8, output, "offset", "--evidence", file)
        self.assertLessEqual(file.stat().st_size, 10_000, found["evidence"])
        self.assertEqual(found["evidence"][0]["bytes"], file.stat().st_size)
        env = dict(os.environ, EDGEPROBE_FAULT="output=%d kind=offset" % output)
        self.assertTrue(json.loads(run("evidence", file, "--engine", "tflite:" + FAULTY, "--kernels", "builtin", "--json", expect=3, env=env).out)["replay"]["there"])
        self.assertFalse(json.loads(run("evidence", file, "--engine", "tflite", "--json", expect=0).out)["replay"]["there"])
        listed = json.loads(run("evidence", file, "--json", expect=0).out)
        self.assertIn("model.tflite", [member["file"] for member in listed["contents"]])
        with zipfile.ZipFile(file) as archive:
            held = {name: archive.read(name) for name in archive.namelist()}
        for name, data in held.items():
            for secret in (str(MODELS), str(pathlib.Path(FAULTY).parent), socket.gethostname()):
                self.assertNotIn(secret.encode(), data, name)
        for name, digest in json.loads(held["manifest.json"])["sha256"].items():
            self.assertEqual(hashlib.sha256(held[name]).hexdigest(), digest)
        self.same_by_litert(held, found)

    def same_by_litert(self, held, found):
        """LiteRT's own interpreter, with the cut model and its input, computes the output that the evidence expects."""
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        interpreter = Interpreter(model_content=held["model.tflite"], experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
        about = json.loads(held["manifest.json"])
        shape = about["inputs"][0]["shape"]
        given = interpreter.get_input_details()[0]
        interpreter.resize_tensor_input(given["index"], shape)
        interpreter.allocate_tensors()
        interpreter.set_tensor(given["index"], np.frombuffer(held["input_0.bin"], given["dtype"]).reshape(shape))
        interpreter.invoke()
        made = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
        self.assertEqual(made.tobytes(), held["expected_0.bin"])
        self.assertEqual(about["operators"], "#11 DEPTHWISE_CONV_2D 'block5/depthwise'")


if __name__ == "__main__":
    tool.main()
