# SPDX-License-Identifier: Apache-2.0
"""A fault in one of two files of one network, a .tflite and an .onnx, is found with the other as the reference. two_formats_test.py EDGEPROBE"""
import sys

import numpy as np
import onnx

import tool
from tool import MODELS, ROOT, verdict_of

sys.path.append(str(ROOT / "bench" / "onnx_layers"))
import onnx_faults

FLOAT = {"onnx": MODELS / "signs_float.onnx", "tflite": MODELS / "signs_float.tflite"}
RECIPE = {"onnx": MODELS / "signs_nchw.recipe", "tflite": MODELS / "signs.recipe"}
DATA = ["--data", MODELS / "data" / "test", "--frames", 8]


def check(target, reference, expect=(0, 3)):
    def recipe(path):
        return RECIPE[path.suffix[1:]].read_text().strip() + (" | quantize(model)" if path.name == "signs_int8.tflite" else "")

    return verdict_of("check", target, "--reference", reference, "--recipe", recipe(target), "--reference-recipe", recipe(reference), *DATA, expect=expect)


class TwoFormatsTest(tool.ToolTest):
    def test_healthy_pairs_have_no_cause(self):
        for target, reference in ((FLOAT["onnx"], FLOAT["tflite"]), (FLOAT["tflite"], FLOAT["onnx"]), (MODELS / "signs_int8.tflite", FLOAT["onnx"]),
                                  (MODELS / "signs_int8.onnx", FLOAT["tflite"])):
            with self.subTest(target=target.name, reference=reference.name):
                verdict = check(target, reference, expect=0)
                self.assertEqual([cause["detail"] for cause in verdict["causes"] if cause["status"] != "note"], [])
                self.assertIsNone(verdict["culprits"]["skipped"])
                self.assertGreaterEqual(verdict["culprits"]["checked"], 19)

    def test_faults_of_the_onnx_are_named_by_the_layer_of_the_tflite(self):
        faults = onnx_faults.planted(onnx.load(FLOAT["onnx"]))
        for name, output, layer, kind in (("filters reversed", "block4/project", "block4/project", "weights"),
                                          ("bias zero", "block3/depthwise/linear", "block3/depthwise", "weights"),
                                          ("padding on the other side", "block3/depthwise/linear", "block3/depthwise", "operator")):
            with self.subTest(fault=name, node=output):
                fault = next(fault for fault in faults if (fault.name, fault.output) == (name, output))
                onnx.save(fault.apply(), self.folder / "changed.onnx")
                verdict = check(self.folder / "changed.onnx", FLOAT["tflite"])
                self.assertEqual(verdict["verdict"], "differs", verdict["headline"])
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["layer"], cause["status"]), (kind, layer, "confirmed"), cause["detail"])
                self.assertEqual(verdict["first_layer"]["name"], layer)

    def test_faults_of_the_tflite_are_named_by_the_node_of_the_onnx(self):
        stored = {one.name: onnx.numpy_helper.to_array(one) for one in onnx.load(FLOAT["onnx"]).graph.initializer}
        content = FLOAT["tflite"].read_bytes()
        for name, moves, node in (("block4/project/weights", (0, 2, 3, 1), "block4/project"), ("block3/depthwise/weights", (1, 2, 3, 0), "block3/depthwise")):
            with self.subTest(weights=name):
                weights = np.ascontiguousarray(stored[name].transpose(moves))
                self.assertEqual(content.count(weights.tobytes()), 1)
                (self.folder / "changed.tflite").write_bytes(content.replace(weights.tobytes(), (weights * np.float32(2)).tobytes()))
                verdict = check(self.folder / "changed.tflite", FLOAT["onnx"])
                self.assertEqual(verdict["verdict"], "differs", verdict["headline"])
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["status"]), ("weights", "confirmed"), cause["detail"])
                self.assertIn(cause["layer"], (node, node + "/linear"))


if __name__ == "__main__":
    tool.main()
