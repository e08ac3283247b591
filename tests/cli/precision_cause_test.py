# SPDX-License-Identifier: Apache-2.0
"""diagnose: a target that computes in float16 or bfloat16 although its model states float32. precision_cause_test.py EDGEPROBE"""
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

import tool
from recorded_device import DATA, RECIPE, DeviceTest, with_convolutions
from tool import MODELS, run

FLOAT16, BFLOAT16 = onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16


def rounded(values, to):
    """Rounds to the format with ONNX's own conversion."""
    tensor = helper.make_node("Cast", ["x"], ["y"], to=to), helper.make_node("Cast", ["y"], ["z"], to=onnx.TensorProto.FLOAT)
    info = lambda name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, values.shape)
    model = helper.make_model(helper.make_graph(tensor, "cast", [info("x")], [info("z")]),
                              opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": values})[0]


def fake_device(path, to, fault=None):
    """A session that stores weights and values of each node in `to`, and the layers that it shows. `fault`: node, factor."""
    model = onnx.load(path)
    nodes, outputs, shown = [], {one.name for one in model.graph.output}, {}
    for constant in model.graph.initializer:
        if to and constant.data_type == onnx.TensorProto.FLOAT:
            constant.CopyFrom(numpy_helper.from_array(rounded(numpy_helper.to_array(constant), to), constant.name))
    for node in model.graph.node:
        nodes.append(node)
        name = node.output[0]
        if name in outputs:
            continue
        shown[name] = node.op_type
        made = name + "/made"
        node.output[0] = made
        if fault and name == fault[0]:
            model.graph.initializer.append(numpy_helper.from_array(np.array([fault[1]], np.float32), "fault"))
            nodes.append(helper.make_node("Mul", [made, "fault"], [made + "/wrong"]))
            made += "/wrong"
        if to:
            nodes.append(helper.make_node("Cast", [made], [name + "/narrow"], to=to))
            made = name + "/narrow"
        nodes.append(helper.make_node("Cast", [made], [name], to=onnx.TensorProto.FLOAT))
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    model.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in shown)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options), shown


class PrecisionCauseTest(DeviceTest):
    FRAMES = 48

    def fragile(self, gain, offset):
        """The classifier with two convolutions that change nothing in float32: x * gain + offset, and back."""
        return with_convolutions(self.folder / "m.onnx", [(gain, offset), (1 / gain, -offset / gain)])

    def diagnosed(self, path, to, fault=None, layers=True):
        """The verdict on a fake device that runs the model file at `path`."""
        session, shown = fake_device(path, to, fault)
        names, image_name = [one.name for one in session.get_outputs()], session.get_inputs()[0].name
        return self.verdict_of(path, lambda image: dict(zip(names, session.run(None, {image_name: image}))), shown if layers else {})

    def test_bfloat16_that_loses_small_differences_is_confirmed(self):
        verdict = self.diagnosed(self.fragile(1, 3000), BFLOAT16)
        self.assertEqual([(one["kind"], one["status"]) for one in verdict["causes"]], [("precision", "confirmed")])
        cause = verdict["causes"][0]
        self.assertIn("bfloat16", cause["detail"])
        self.assertEqual(cause["restored_unit"], "accuracy")
        self.assertAlmostEqual(cause["restored"], verdict["task"]["reference"])
        self.assertGreater(cause["restored"], verdict["task"]["target"] + 0.3)
        self.assertIn("predict-precision", cause["fix"]["code"]["edgeprobe"])

    def test_float16_that_overflows_is_confirmed(self):
        verdict = self.diagnosed(self.fragile(2.0**15, 0), FLOAT16)
        self.assertEqual([(one["kind"], one["status"]) for one in verdict["causes"]], [("precision", "confirmed")])
        self.assertIn("float16", verdict["causes"][0]["detail"])
        self.assertIn("precision_breaks", [one["kind"] for one in verdict["causes"][0]["evidence_values"]])

    def test_another_fault_in_a_device_of_less_precision_is_not_called_precision(self):
        for path in (MODELS / "signs_float.onnx", self.fragile(1, 3000)):
            verdict = self.diagnosed(path, BFLOAT16, fault=("block2/project", -4.0))
            self.assertEqual(verdict["verdict"], "differs")
            self.assertNotIn("precision", self.confirmed(verdict), path.name)
            self.assertIn("in bfloat16", " ".join(verdict["warnings"]))

    def test_float32_with_a_fault_and_precision_that_harms_nothing_are_not_called_precision(self):
        verdict = self.diagnosed(MODELS / "signs_float.onnx", None, fault=("block2/project", -4.0))
        self.assertNotIn("precision", [one["kind"] for one in verdict["causes"]])
        for to in (FLOAT16, BFLOAT16):
            verdict = self.diagnosed(MODELS / "signs_float.onnx", to)
            self.assertEqual((verdict["verdict"], verdict["causes"]), ("agrees", []))

    def test_without_recorded_layers_nothing_is_said_of_precision(self):
        verdict = self.diagnosed(self.fragile(1, 3000), BFLOAT16, layers=False)
        self.assertNotIn("precision", [one["kind"] for one in verdict["causes"]])

    def test_openvino_in_bfloat16(self):
        """A real engine: if the processor has no bfloat16 products, it computes in float32, and the test says so."""
        model, trace = self.fragile(1, 3000), self.folder / "t.mcap"
        run("run", model, "--engine", "openvino", "--precision", "engine", *DATA, "--recipe", RECIPE, "--frames", 48,
            "--level", "layers", "--trace", trace, expect=0)
        verdict = tool.verdict_of("diagnose", trace, "--reference", model, "--reference-recipe", RECIPE, *DATA,
                                  "--labels", MODELS / "data" / "labels.csv", expect={0, 3, 4})
        if verdict["verdict"] == "agrees":
            self.skipTest("OpenVINO computes in float32 on this processor")
        self.assertEqual(self.confirmed(verdict), ["precision"])


if __name__ == "__main__":
    tool.main()
