# SPDX-License-Identifier: Apache-2.0
"""A fault inside an .onnx model is found in the node where it is. onnx_layers_test.py EDGEPROBE"""
import sys

import onnx
import onnxruntime

import tool
from tool import MODELS, ROOT, run, verdict_of

sys.path.append(str(ROOT / "bench" / "onnx_layers"))
import onnx_faults

MODEL = MODELS / "signs_float.onnx"
RECIPE = MODELS / "signs_nchw.recipe"
DATA = ["--data", MODELS / "data" / "test", "--frames", 12]


def check(model, *more, expect=(0, 3), reference=MODEL):
    return verdict_of("check", model, "--reference", reference, "--recipe", RECIPE, "--reference-recipe", RECIPE, *DATA, *more, expect=expect)


class OnnxLayersTest(tool.ToolTest):
    def verdict(self, fault, *more):
        changed = fault.apply()
        self.assertIsNotNone(changed, fault.name)
        onnx.save(changed, self.folder / "changed.onnx")
        return check(self.folder / "changed.onnx", *more)

    def test_each_kind_of_fault_is_named_with_its_node(self):
        faults = onnx_faults.planted(onnx.load(MODEL))
        for name in sorted({fault.name for fault in faults}):
            of_kind = [fault for fault in faults if fault.name == name]
            fault = of_kind[len(of_kind) // 2]
            if name == "weights rolled":  # The one in the middle is 1 by 1: rolling it changes nothing.
                fault = of_kind[1]
            with self.subTest(fault=name, node=fault.output):
                verdict = self.verdict(fault)
                self.assertEqual(verdict["verdict"], "differs", verdict["headline"])
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["layer"], cause["status"]), (fault.kind, fault.output, "confirmed"), cause["detail"])
                first = verdict["first_layer"]
                self.assertEqual((first["name"], first["rule"]), (fault.output, "equal_before"))
                self.assertEqual(first["equal_before"], first["compared_before"])

    def test_an_attribute_is_told_with_both_values_and_defaults(self):
        faults = {fault.name: fault for fault in onnx_faults.planted(onnx.load(MODEL))}
        for name, attribute, target, reference in (("alpha 0.4", "alpha", "0.4", "1"), ("clipped at 1", "max", "1", "6")):
            with self.subTest(fault=name):
                cause = self.verdict(faults[name])["causes"][0]
                said = [one["values"] for one in cause["evidence_values"] if one["kind"] == "attribute_differs"]
                self.assertEqual([(one["name"], one["target"].strip("[]"), one["reference"].strip("[]")) for one in said], [(attribute, target, reference)])
                self.assertIn(attribute + " ", cause["detail"])

    def test_the_first_layer_by_the_limit_of_the_user(self):
        fault = next(one for one in onnx_faults.planted(onnx.load(MODEL)) if one.name == "bias zero")
        verdict = self.verdict(fault, "--first-above", 0.02)
        above = [layer for layer in verdict["layers"] if 0 <= layer["index"] and (layer["rmse_over_range"] or 0) > 0.02]
        self.assertEqual(verdict["first_layer"]["rule"], "rmse_over_range")
        self.assertEqual(verdict["first_layer"]["name"], above[0]["name"])
        self.assertIn("--first-above", run("check", MODEL, "--first-above", -1, "--data", MODELS, expect=2).err)

    def test_other_engines_and_optimised_files_are_no_fault(self):
        targets = {"openvino": (MODEL, "--engine", "openvino"), "off": (MODEL, "--optimization", "off")}
        for name, level in (("basic", onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC),
                            ("extended", onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED)):
            options = onnxruntime.SessionOptions()
            options.graph_optimization_level = level
            options.optimized_model_filepath = str(self.folder / (name + ".onnx"))
            onnxruntime.InferenceSession(str(MODEL), options, providers=["CPUExecutionProvider"])
            targets[name] = (self.folder / (name + ".onnx"),)
        for name, target in targets.items():
            with self.subTest(target=name):
                verdict = check(*target, expect=0)
                self.assertEqual(verdict["causes"], [])
                self.assertIsNone(verdict["first_layer"])

    def test_what_is_not_judged_is_said(self):
        skipped = check(MODELS / "signs_int8.onnx")["culprits"]["skipped"]
        self.assertIn("'signs_int8.onnx' computes in integers", skipped)
        self.assertIn("not by openvino", check(MODEL, "--reference-engine", "openvino")["culprits"]["skipped"])


if __name__ == "__main__":
    tool.main()
