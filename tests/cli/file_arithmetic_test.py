# SPDX-License-Identifier: Apache-2.0
"""The reference computes exactly what its file states, whatever optimisations its engine prefers. file_arithmetic_test.py EDGEPROBE

At its default level, ONNX Runtime quantises the float weights of `classes` and ignores the scale of the bias of `biased`. The reference evaluator of the
onnx package computes what the files state."""
import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import tool
from tool import run, verdict_of


def save(path, nodes, constants, shape, outputs):
    value = lambda name, dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
    graph = helper.make_graph([helper.make_node(kind, ins, outs, **more) for kind, ins, outs, more in nodes], "g", [value("x", shape)], [value("y", outputs)],
                              [numpy_helper.from_array(np.asarray(one), name) for name, one in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9), path)
    return path


CODES = {"s0": np.float32(2 / 255), "z0": np.uint8(128), "z1": np.uint8(128)}
INPUT = [("QuantizeLinear", ["x", "s0", "z0"], ["q0"], {}), ("DequantizeLinear", ["q0", "s0", "z0"], ["d0"], {})]


def classes(path):
    """A Conv with float weights between codes, in which one channel has weights 50 times as large, and scores of six classes."""
    random = np.random.default_rng(5)
    weights, scores = random.normal(0, 0.05, (6, 3, 3, 3)).astype(np.float32), np.eye(6, dtype=np.float32) * 40
    weights[5] *= 50
    scores[5, 5] = 1
    return save(path, [*INPUT, ("Conv", ["d0", "w"], ["c"], {"name": "conv", "pads": [1] * 4}), ("QuantizeLinear", ["c", "s1", "z1"], ["q1"], {}),
                       ("DequantizeLinear", ["q1", "s1", "z1"], ["d1"], {}), ("ReduceMean", ["d1", "axes"], ["m"], {"keepdims": 0}), ("MatMul", ["m", "v"], ["l"], {}),
                       ("Softmax", ["l"], ["y"], {})],
                {**CODES, "w": weights, "s1": np.float32(0.02), "axes": np.array([2, 3]), "v": scores}, [1, 3, 8, 8], [1, 6])


def biased(path):
    """A Gemm whose bias has four times the scale of its products."""
    random = np.random.default_rng(6)
    constants = {**CODES, "w": random.integers(-100, 100, (8, 4)).astype(np.int8), "sw": np.float32(0.01), "zw": np.int8(0),
                 "b": random.integers(-3000, 3000, 4).astype(np.int32), "sb": np.float32(0.01 * 2 / 255 * 4), "zb": np.int32(0), "s1": np.float32(0.05)}
    return save(path, [*INPUT, ("DequantizeLinear", ["w", "sw", "zw"], ["dw"], {}), ("DequantizeLinear", ["b", "sb", "zb"], ["db"], {}),
                       ("Gemm", ["d0", "dw", "db"], ["c"], {"name": "gemm"}), ("QuantizeLinear", ["c", "s1", "z1"], ["q1"], {}), ("DequantizeLinear", ["q1", "s1", "z1"], ["y"], {})],
                constants, [1, 8], [1, 4])


def said_by(path, x):
    evaluator = ReferenceEvaluator(str(path))
    return np.concatenate([evaluator.run(None, {"x": one[None]})[0] for one in x])


class FileArithmeticTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(1)
        x = random.uniform(-1, 1, (64, 3, 8, 8)) + random.normal(0, 0.05, (64, 3, 1, 1))
        self.classes, self.biased = classes(self.folder / "classes.onnx"), biased(self.folder / "biased.onnx")
        self.x = x.astype(np.float32)
        self.right = said_by(self.classes, self.x).argmax(1)
        np.savez(self.folder / "x.npz", x=self.x)
        np.savez(self.folder / "labelled.npz", x=self.x, labels=self.right)
        np.savez(self.folder / "b.npz", x=random.uniform(-1, 1, (32, 8)).astype(np.float32))

    def check(self, model, data, *more, expect):
        return verdict_of("check", model, "--reference", model, "--data", self.folder / data, *more, expect=expect)

    def test_a_target_that_does_what_the_file_says_agrees(self):
        for model, data in ((self.classes, "labelled.npz"), (self.biased, "b.npz")):
            with self.subTest(model=model.name):
                verdict = self.check(model, data, "--optimization", "off", expect=0)
                self.assertLess(verdict["headline_values"]["values"].get("distance", 0), 1e-5)
                self.assertEqual((verdict["verdict"], verdict["causes"]), ("agrees", []))
                self.assertEqual(verdict["provenance"]["reference.optimization"], "file")
        verdict = self.check(self.classes, "labelled.npz", "--optimization", "off", expect=0)
        self.assertEqual(verdict["task"]["reference"], 1)  # every answer is the reference evaluator's

    def test_the_layer_that_the_target_s_engine_computes_otherwise_is_named(self):
        for model, data, layer in ((self.classes, "labelled.npz", "c"), (self.biased, "b.npz", "c")):
            with self.subTest(model=model.name):
                verdict = self.check(model, data, expect=3)
                self.assertEqual([(one["kind"], one["layer"], one["status"]) for one in verdict["causes"]], [("kernel", layer, "confirmed")])
                self.assertGreater(verdict["causes"][0]["restored"], 0.99)

    def test_without_labels_changed_answers_are_undecided(self):
        verdict = self.check(self.classes, "x.npz", expect=4)
        changed = int((self.answers("off") != self.answers("all")).sum())
        self.assertEqual((verdict["headline_values"]["kind"], verdict["headline_values"]["values"]["changed"]), ("answers_changed", changed))
        self.assertIn("answers are not the reference's, although the outputs differ little", verdict["headline"])
        self.assertEqual([one["kind"] for one in verdict["would_decide_values"]], ["give_labels_for_answers"])

    def test_a_reference_that_does_otherwise_is_the_bad_side_and_no_rounding(self):
        verdict = self.check(self.biased, "b.npz", "--optimization", "off", "--reference-optimization", "all", expect=3)
        self.assertIn("the reference itself is the bad side: its engine does not compute what the file says of Gemm", verdict["headline"])
        self.assertNotIn("adds up", json.dumps(verdict))

    def test_matrix_tells_changed_answers(self):
        done = run("matrix", self.classes, "--engines", "onnxruntime:off,onnxruntime:all,onnxruntime:file", "--data", self.folder / "x.npz", "--json", expect=3)
        pairs = {(one["a"], one["b"]): one for one in json.loads(done.out)["pairs"]}
        self.assertTrue(pairs["onnxruntime off", "onnxruntime file"]["exact"])
        off, usual = (self.answers(level) for level in ("off", "all"))
        changed = int((off != usual).sum())
        self.assertGreater(changed, 2)
        self.assertEqual(pairs["onnxruntime off", "onnxruntime all"]["changed_answers"], changed)

    def answers(self, level):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = {"off": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL, "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL}[level]
        session = onnxruntime.InferenceSession(str(self.classes), options)
        return np.concatenate([session.run(None, {"x": one[None]})[0] for one in self.x]).argmax(1)


if __name__ == "__main__":
    tool.main()
