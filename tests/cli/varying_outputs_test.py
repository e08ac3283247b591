# SPDX-License-Identifier: Apache-2.0
"""Outputs whose shape depends on the data are compared frame by frame, and a shape is never reported as a value. varying_outputs_test.py EDGEPROBE"""
import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import tool
from tool import run, verdict_of

FRAMES = 6


def saved(path, nodes, inputs, outputs, constants=()):
    ends = [[helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in side] for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, "g", *ends, list(constants))
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def suppression(path, threshold=0.0, scale=1.0):
    """NonMaxSuppression and the boxes that it keeps, as most exported detectors end."""
    constants = [numpy_helper.from_array(np.array(values, kind), name) for name, values, kind in (("most", [20], np.int64), ("iou", [0.5], np.float32), ("least", [threshold], np.float32), ("two", 2, np.int64), ("scale", [scale], np.float32))]
    nodes = [helper.make_node("NonMaxSuppression", ["boxes", "scores", "most", "iou", "least"], ["kept"]),
             helper.make_node("Gather", ["kept", "two"], ["index"], axis=1),
             helper.make_node("Squeeze", ["boxes"], ["all"]),
             helper.make_node("Gather", ["all", "index"], ["rows"]),
             helper.make_node("Mul", ["rows", "scale"], ["found"])]
    return saved(path, nodes, [("boxes", TensorProto.FLOAT, [1, 12, 4]), ("scores", TensorProto.FLOAT, [1, 1, 12])], [("found", TensorProto.FLOAT, ["n", 4]), ("kept", TensorProto.INT64, ["n", 3])], constants)


def nonzero(path, limit=0.0):
    """NonZero, and in addition an output of a fixed size."""
    constants = [numpy_helper.from_array(np.array([limit], np.float32), "limit")]
    nodes = [helper.make_node("Sub", ["x", "limit"], ["s"]), helper.make_node("Relu", ["s"], ["r"]), helper.make_node("NonZero", ["r"], ["places"]), helper.make_node("ReduceSum", ["x"], ["sum"], keepdims=1)]
    return saved(path, nodes, [("x", TensorProto.FLOAT, [1, 9])], [("places", TensorProto.INT64, [2, "n"]), ("sum", TensorProto.FLOAT, [1, 1])], constants)


class VaryingOutputsTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(2)
        corner = random.uniform(0, 1, (FRAMES, 12, 2))
        boxes = np.concatenate([corner, corner + random.uniform(0.1, 0.3, (FRAMES, 12, 2))], 2)
        self.boxes = self.folder / "boxes.npz"
        np.savez(self.boxes, boxes=boxes.astype(np.float32), scores=random.uniform(0, 1, (FRAMES, 1, 12)).astype(np.float32))
        self.values = self.folder / "values.npz"
        np.savez(self.values, x=random.normal(0, 1, (FRAMES, 9)).astype(np.float32))

    def models(self):
        return ((suppression, self.boxes), (nonzero, self.values))

    def test_a_model_agrees_with_itself(self):
        for make, data in self.models():
            model = make(self.folder / "model.onnx")
            for level in ("io", "layers"):
                with self.subTest(model=make.__name__, level=level):
                    verdict = verdict_of("check", model, "--reference", model, "--reference-optimization", "off", "--data", data, "--level", level, expect=0)
                    self.assertEqual(verdict["warnings"], [])
                    self.assertEqual(verdict["causes"], [])
            traces = []
            for name, level in (("one", "all"), ("two", "off")):
                traces.append(self.folder / (name + ".mcap"))
                run("run", model, "--data", data, "--trace", traces[-1], "--optimization", level, "--force", expect=(0, 2))
            done = run("compare", *traces, expect=0)
            self.assertNotIn("missing", done.out)
            self.assertNotIn("another order", done.out)

    def test_nothing_detected_is_no_missing_output(self):
        model = suppression(self.folder / "model.onnx", threshold=2)
        verdict = verdict_of("check", model, "--reference", model, "--data", self.boxes, expect=0)
        self.assertEqual(verdict["warnings"], [])

    def test_other_values_are_measured_and_other_shapes_stated(self):
        reference = suppression(self.folder / "reference.onnx")
        scaled = suppression(self.folder / "scaled.onnx", scale=1.2)
        verdict = verdict_of("check", scaled, "--reference", reference, "--data", self.boxes, expect=3)
        self.assertGreater(verdict["outputs"]["distance"], 0.02)
        for make, changed, data in ((suppression, {"threshold": 0.3}, self.boxes), (nonzero, {"limit": 0.5}, self.values)):
            reference, fewer = make(self.folder / "reference.onnx"), make(self.folder / "fewer.onnx", **changed)
            with self.subTest(model=make.__name__):
                verdict = verdict_of("check", fewer, "--reference", reference, "--data", data, expect=3)
                said = " ".join([verdict["headline"], *verdict["warnings"], *(one["detail"] for one in verdict["causes"])])
                self.assertIn("shape", said)
                self.assertNotIn("another model", said)
                traces = []
                for name, model in (("one", reference), ("two", fewer)):
                    traces.append(self.folder / (name + ".mcap"))
                    run("run", model, "--data", data, "--trace", traces[-1], "--level", "io", "--force", expect=(0, 2))
                self.assertIn("has another shape on both sides in", run("compare", *traces, expect=3).out)

    def test_matrix_states_shapes_that_engines_make(self):
        # OpenVINO 2026.4 suppresses a box at an overlap of exactly the threshold, ONNX Runtime keeps it.
        data = self.folder / "exact.npz"
        np.savez(data, boxes=np.array([[[0, 0, 1, 2], [0, 0, 2, 2]] + [[5 + i, 5 + i, 5.5 + i, 5.5 + i] for i in range(10)]], np.float32), scores=np.linspace(1, 0.5, 12, dtype=np.float32).reshape(1, 1, 12))
        model = suppression(self.folder / "model.onnx")
        done = run("matrix", model, "--engines", "onnxruntime:off,openvino", "--data", data, expect=(0, 3, 4))
        if "cannot" in done.out:
            self.skipTest("OpenVINO is not here")
        self.assertIn("in shape: output 'found' is", done.out)
        self.assertNotIn("bit for bit\n", done.out.split("relative L2")[0])
        self.assertNotIn("zeros on one side", done.out)
        pairs = json.loads(run("matrix", model, "--engines", "onnxruntime:off,openvino", "--data", data, "--json", expect=(0, 3, 4)).out)["pairs"]
        self.assertIn("12x4", pairs[0]["shapes"])


if __name__ == "__main__":
    tool.main()
