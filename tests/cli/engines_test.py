# SPDX-License-Identifier: Apache-2.0
"""Models that the default engine cannot run, layers that are not recorded, and integer inputs."""
import json
import os
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "engine"))
import stateful_model
import tool
import traces
from tool import MODELS, run

PICTURES = ("--data", MODELS / "data" / "test", "--frames", 5, "--recipe", "resize(8x8) | cast(float32)")


def save_onnx(path, nodes, inputs, outputs, constants=(), opset=13):
    value = lambda name, kind, shape: helper.make_tensor_value_info(name, kind, shape)
    graph = helper.make_graph(nodes, "g", [value(*one) for one in inputs], [value(*one) for one in outputs], list(constants))
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)], ir_version=8), path)
    return path


def warnings_of(done):
    return " ".join(line for line in done.err.splitlines() if line.startswith("warning:"))


class StateTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "state.tflite"
        stateful_model.write(self.model)

    def test_a_model_with_a_state_runs_on_tflite_by_itself(self):
        trace = self.folder / "t.mcap"
        done = run("run", self.model, *PICTURES, "--level", "layers", "--trace", trace, expect=0)
        self.assertIn("variable tensor 'state'", warnings_of(done))
        found = traces.exported(trace)
        inputs, outputs = (traces.only(found, stage) for stage in ("model_input", "model_output"))
        self.assertEqual(len(inputs), 5)
        expected = stateful_model.expected(inputs)
        np.testing.assert_allclose(outputs.reshape(5, -1), np.concatenate(expected), rtol=1e-4, atol=1e-3)
        self.assertGreater(np.abs(expected[4] - stateful_model.expected(inputs[4:])[0]).max(), 1)  # the state matters
        info = run("trace", "info", trace, expect=0).out
        self.assertIn("tflite", info)
        self.assertIn("variable tensor", info)
        self.assertIn("variable tensor 'state'", run("bench", self.model, "--runs", 5, "--warm-up", 0.1, expect=0).err)

    def test_where_tflite_is_not_the_sentence_says_what_to_do(self):
        for flags, environment in ((("--engine", "litert"), {}), ((), {"EDGEPROBE_TFLITE_LIB": "/nowhere/lib.so"})):
            with self.subTest(flags=flags):
                done = run("run", self.model, *PICTURES, "--trace", self.folder / "t.mcap", *flags, expect=1, env={**os.environ, **environment})
                self.assertIn("variable tensor 'state'", done.err)
                self.assertIn("use engine tflite (script/setup --tflite", done.err)


class LayersTest(tool.ToolTest):
    def test_layers_after_an_operator_of_unknown_type_are_recorded(self):
        node = helper.make_node
        model = save_onnx(self.folder / "inverse.onnx", [node("Inverse", ["x"], ["s"], domain="com.microsoft"), node("Relu", ["s"], ["r"]), node("Neg", ["r"], ["y"])],
                          [("x", TensorProto.FLOAT, [1, 3, 8, 8])], [("y", TensorProto.FLOAT, [1, 3, 8, 8])])
        flags = (*PICTURES[:-1], "resize(8x8) | cast(float32) | layout(nchw)", "--force", "--trace", self.folder / "t.mcap")
        done = run("run", model, *flags, "--level", "layers", expect=0)
        self.assertIn("2 layers each", done.out)
        self.assertEqual(warnings_of(done), "")
        self.assertEqual(warnings_of(run("run", model, *flags, "--level", "io", expect=0)), "")

    def test_an_image_scaler_hands_its_type_on(self):
        node = helper.make_node
        model = save_onnx(self.folder / "scaler.onnx", [node("ImageScaler", ["x"], ["s"], bias=[1.0, 2.0, 3.0], scale=2.0), node("Relu", ["s"], ["r"]), node("Neg", ["r"], ["y"])],
                          [("x", TensorProto.FLOAT, [1, 3, 8, 8])], [("y", TensorProto.FLOAT, [1, 3, 8, 8])], opset=9)
        done = run("run", model, *PICTURES[:-1], "resize(8x8) | cast(float32) | layout(nchw)", "--level", "layers", "--trace", self.folder / "t.mcap", expect=0)
        self.assertIn("2 layers each", done.out)
        self.assertEqual(warnings_of(done), "")


class IntegersTest(tool.ToolTest):
    def test_matrix_and_bench_feed_legal_indices_and_open_masks(self):
        node = helper.make_node
        words = np.arange(1, 7, dtype=np.float32).reshape(1, 6)  # With one row, index 1 is out of range.
        model = save_onnx(self.folder / "text.onnx",
                          [node("Gather", ["words", "ids"], ["e"]), node("Cast", ["mask"], ["m"], to=TensorProto.FLOAT), node("ReduceSum", ["m"], ["n"], keepdims=0),
                           node("Mul", ["e", "n"], ["y"])],
                          [("ids", TensorProto.INT64, [4]), ("mask", TensorProto.INT64, [4])], [("y", TensorProto.FLOAT, [4, 6])],
                          [onnx.numpy_helper.from_array(words, "words")])
        said = "ids 0 to 0 (rows of 'words'), mask all 1"
        found = json.loads(run("matrix", model, "--engines", "onnxruntime,onnxruntime:off", "--json", expect=0).out)
        self.assertEqual([c["problem"] for c in found["columns"]], [None, None])
        self.assertEqual(found["inputs"], "seeded random inputs; " + said)
        self.assertIn(said, run("matrix", model, "--engines", "onnxruntime,onnxruntime:off", expect=0).out)
        measured = json.loads(run("bench", model, "--runs", 5, "--warm-up", 0.1, "--json", expect=0).out)
        self.assertEqual(measured["inputs"], "random, seed 1; " + said)


if __name__ == "__main__":
    tool.main()
