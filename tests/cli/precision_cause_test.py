# SPDX-License-Identifier: Apache-2.0
"""diagnose: a target that computes in float16 or bfloat16 what its model says in float32. precision_cause_test.py EDGEPROBE"""
import hashlib
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

import tool
from tool import MODELS, ROOT, run

sys.path.insert(0, str(ROOT / "tests" / "python"))
import support  # noqa: E402,F401  finds the Python package of this build, or skips
import edgeprobe  # noqa: E402
import onnxruntime  # noqa: E402

AT, CHANNELS = "block4/add", 48
RECIPE = MODELS / "signs_nchw.recipe"
DATA = ["--data", MODELS / "data" / "test"]
FLOAT16, BFLOAT16 = onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16


def fragile(path, gain, offset):
    """The classifier with two convolutions that change nothing in float32: x * gain + offset, and back."""
    model = onnx.load(MODELS / "signs_float.onnx")
    nodes, one = [], np.eye(CHANNELS, dtype=np.float32).reshape(CHANNELS, CHANNELS, 1, 1)
    constants = {"away/weight": one * gain, "away/bias": np.full(CHANNELS, offset, np.float32),
                 "back/weight": one / np.float32(gain), "back/bias": np.full(CHANNELS, -offset / gain, np.float32)}
    for node in model.graph.node:
        nodes.append(node)
        if node.output[0] != AT:
            continue
        node.output[0] = AT + "/before"
        nodes.append(helper.make_node("Conv", [AT + "/before", "away/weight", "away/bias"], [AT + "/away"], name="away"))
        nodes.append(helper.make_node("Conv", [AT + "/away", "back/weight", "back/bias"], [AT], name="back"))
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    model.graph.initializer.extend(numpy_helper.from_array(value.astype(np.float32), name) for name, value in constants.items())
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def rounded(values, to):
    """Numbers of the format by ONNX's own conversion."""
    tensor = helper.make_node("Cast", ["x"], ["y"], to=to), helper.make_node("Cast", ["y"], ["z"], to=onnx.TensorProto.FLOAT)
    info = lambda name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, values.shape)
    model = helper.make_model(helper.make_graph(tensor, "cast", [info("x")], [info("z")]),
                              opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": values})[0]


def fake_device(path, to, fault=None):
    """A session that stores weights and values of each node in `to`, and the layers it shows. `fault`: node, factor."""
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


class PrecisionCauseTest(tool.ToolTest):
    def inputs(self):
        """(sample, model input) of 48 pictures."""
        trace = self.folder / "inputs.mcap"
        run("run", MODELS / "signs_float.onnx", *DATA, "--recipe", RECIPE, "--frames", 48, "--trace", trace, "--force", expect=0)
        with edgeprobe.Trace(str(trace)) as opened:
            return [(frame.sample, np.array(frame["model_input/image"])) for frame in opened.frames]

    def diagnosed(self, path, to, fault=None, layers=True):
        """The verdict about a fake device that runs the model file at `path`."""
        session, shown = fake_device(path, to, fault)
        trace, names = self.folder / "target.mcap", [one.name for one in session.get_outputs()]
        trace.unlink(missing_ok=True)
        with edgeprobe.Probe(str(trace), level="layers", wait_when_full=True) as probe:
            probe.describe(model=path.name, model_sha256=hashlib.sha256(path.read_bytes()).hexdigest())
            for sample, image in self.inputs():
                made = dict(zip(names, session.run(None, {session.get_inputs()[0].name: image})))
                with probe.frame(sample=sample) as frame:
                    frame.tensor("image", image, "model_input", position=0)
                    for k, (name, kind) in enumerate(shown.items() if layers else ()):
                        frame.tensor(name, made[name], "layer", position=k, layer_type=kind)
                    frame.tensor("probabilities", made["probabilities"], "model_output", position=0)
        return tool.verdict_of("diagnose", trace, "--reference", path, "--reference-recipe", RECIPE, *DATA,
                               "--labels", MODELS / "data" / "labels.csv", expect={0, 3, 4})

    def confirmed(self, verdict):
        return [one["kind"] for one in verdict["causes"] if one["status"] == "confirmed"]

    def test_bfloat16_that_loses_small_differences_is_confirmed(self):
        verdict = self.diagnosed(fragile(self.folder / "m.onnx", 1, 3000), BFLOAT16)
        self.assertEqual([(one["kind"], one["status"]) for one in verdict["causes"]], [("precision", "confirmed")])
        cause = verdict["causes"][0]
        self.assertIn("bfloat16", cause["detail"])
        self.assertEqual(cause["restored_unit"], "accuracy")
        self.assertAlmostEqual(cause["restored"], verdict["task"]["reference"])
        self.assertGreater(cause["restored"], verdict["task"]["target"] + 0.3)
        self.assertIn("predict-precision", cause["fix"]["code"]["edgeprobe"])

    def test_float16_that_overflows_is_confirmed(self):
        verdict = self.diagnosed(fragile(self.folder / "m.onnx", 2.0**15, 0), FLOAT16)
        self.assertEqual([(one["kind"], one["status"]) for one in verdict["causes"]], [("precision", "confirmed")])
        self.assertIn("float16", verdict["causes"][0]["detail"])
        self.assertIn("precision_breaks", [one["kind"] for one in verdict["causes"][0]["evidence_values"]])

    def test_another_fault_in_a_device_of_less_precision_is_not_called_precision(self):
        for path in (MODELS / "signs_float.onnx", fragile(self.folder / "m.onnx", 1, 3000)):
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
        verdict = self.diagnosed(fragile(self.folder / "m.onnx", 1, 3000), BFLOAT16, layers=False)
        self.assertNotIn("precision", [one["kind"] for one in verdict["causes"]])

    def test_openvino_in_bfloat16(self):
        """A real engine: where the processor has no bfloat16 products it computes in float32, and the test says so."""
        model, trace = fragile(self.folder / "m.onnx", 1, 3000), self.folder / "t.mcap"
        run("run", model, "--engine", "openvino", "--precision", "engine", *DATA, "--recipe", RECIPE, "--frames", 48,
            "--level", "layers", "--trace", trace, expect=0)
        verdict = tool.verdict_of("diagnose", trace, "--reference", model, "--reference-recipe", RECIPE, *DATA,
                                  "--labels", MODELS / "data" / "labels.csv", expect={0, 3, 4})
        if verdict["verdict"] == "agrees":
            self.skipTest("OpenVINO computes in float32 on this processor")
        self.assertEqual(self.confirmed(verdict), ["precision"])


if __name__ == "__main__":
    tool.main()
