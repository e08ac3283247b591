# SPDX-License-Identifier: Apache-2.0
"""A wrong LSTM is named, in an .onnx with carried states and in a .tflite that keeps them inside. lstm_test.py EDGEPROBE"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from ai_edge_litert.interpreter import Interpreter
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "engine"))
import small_tflite
import tool
from tool import verdict_of

INPUTS, UNITS, CLASSES, STEPS = 6, 8, 4, 5
RANDOM = np.random.default_rng(2)
# Gates in ONNX's order: input, output, forget, cell.
W, R = (RANDOM.normal(0, size, (1, 4 * UNITS, width)).astype(np.float32) for size, width in ((0.6, INPUTS), (0.5, UNITS)))
B = RANDOM.normal(0, 0.2, (1, 8 * UNITS)).astype(np.float32)
FRONT, DENSE = (RANDOM.normal(0, size, shape).astype(np.float32) for size, shape in ((0.5, (INPUTS, INPUTS)), (1, (UNITS, CLASSES))))


def edited(values, gate, change):
    values = values.copy()
    parts = values[0].reshape(4, UNITS, -1)
    parts[gate] = change(parts[gate])
    return values


FAULTS = {"cell weights negated": {"w": edited(W, 3, np.negative)}, "recurrent weights reversed": {"r": edited(R, 0, lambda part: part[::-1])},
          "biases 2": {"b": np.full_like(B, 2)}}


def write_onnx(path, w=W, r=R, b=B):
    value = lambda name, *shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    nodes = [helper.make_node("MatMul", ["x", "front"], ["p"], name="front"),
             helper.make_node("LSTM", ["p", "w", "r", "b", "", "h", "c"], ["ys", "h_out", "c_out"], name="cell", hidden_size=UNITS),
             helper.make_node("Squeeze", ["h_out", "axes"], ["last"], name="squeeze"), helper.make_node("MatMul", ["last", "dense"], ["logits"], name="dense"),
             helper.make_node("Softmax", ["logits"], ["y"], name="softmax", axis=1)]
    stored = {"w": w, "r": r, "b": b, "front": FRONT, "dense": DENSE, "axes": np.array([0], np.int64)}
    states = [value(name, 1, 1, UNITS) for name in ("h", "c", "h_out", "c_out")]
    graph = helper.make_graph(nodes, "net", [value("x", STEPS, 1, INPUTS), *states[:2]], [value("y", 1, CLASSES), *states[2:]],
                              [numpy_helper.from_array(one, name) for name, one in stored.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


def write_tflite(path, w=W, r=R, b=B):
    graph = small_tflite.Graph()
    gates = (0, 2, 3, 1)  # TFLite's order: input, forget, cell, output.
    of = lambda values, gate: np.ascontiguousarray(values[0].reshape(4, UNITS, -1)[gate])
    bias = (b[0][:4 * UNITS] + b[0][4 * UNITS:]).reshape(4, UNITS)
    x, p, ys, cut, last, logits, y = (graph.tensor(name, shape) for name, shape in (
        ("x", (1, STEPS, INPUTS)), ("p", (1, STEPS, INPUTS)), ("ys", (1, STEPS, UNITS)), ("cut", (1, 1, UNITS)), ("last", (1, UNITS)), ("logits", (1, CLASSES)), ("y", (1, CLASSES))))
    weights = [graph.tensor(f"w{k}", values=of(w, k)) for k in gates]
    recurrent = [graph.tensor(f"r{k}", values=of(r, k)) for k in gates]
    biases = [graph.tensor(f"b{k}", values=np.ascontiguousarray(bias[k])) for k in gates]
    h, c = (graph.tensor(name, (1, UNITS), variable=True) for name in ("h", "c"))
    graph.op("FULLY_CONNECTED", [x, graph.tensor("front", values=np.ascontiguousarray(FRONT.T)), -1], [p], options="FullyConnectedOptions", keepNumDims=True)
    graph.op("UNIDIRECTIONAL_SEQUENCE_LSTM", [p, *weights, *recurrent, -1, -1, -1, *biases, -1, -1, h, c], [ys], options="UnidirectionalSequenceLSTMOptions",
             fusedActivationFunction=4, timeMajor=False)
    begin, size = graph.tensor("begin", values=np.array([0, STEPS - 1, 0], np.int32)), graph.tensor("size", values=np.array([1, 1, UNITS], np.int32))
    graph.op("SLICE", [ys, begin, size], [cut], options="SliceOptions")
    graph.op("RESHAPE", [cut, graph.tensor("shape", values=np.array([1, UNITS], np.int32))], [last], options="ReshapeOptions", newShape=[1, UNITS])
    graph.op("FULLY_CONNECTED", [last, graph.tensor("dense", values=np.ascontiguousarray(DENSE.T)), -1], [logits], options="FullyConnectedOptions")
    graph.op("SOFTMAX", [logits], [y], options="SoftmaxOptions", beta=1.0)
    graph.save(path, [x], [y])
    return path


class LstmTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.x = np.random.default_rng(4).normal(0, 1, (24, STEPS, 1, INPUTS)).astype(np.float32)

    def flags(self, suffix):
        data, sequences = self.folder / f"{suffix}.npz", np.repeat(range(6), 4)
        if suffix == "onnx":
            np.savez(data, x=self.x, sequences=sequences)
            return ["--data", data, *(flag for side in ("--state", "--reference-state") for pair in ("h_out=h", "c_out=c") for flag in (side, pair))]
        np.savez(data, x=self.x.reshape(24, 1, STEPS, INPUTS), sequences=sequences)
        return ["--data", data, "--engine", "tflite", "--reference-engine", "tflite"]

    def test_both_files_are_one_network(self):
        """Compares ONNX Runtime and LiteRT's own interpreter, over the frames of a sequence."""
        session = onnxruntime.InferenceSession(write_onnx(self.folder / "good.onnx"))
        one = Interpreter(str(write_tflite(self.folder / "good.tflite")))
        one.allocate_tensors()
        h = c = np.zeros((1, 1, UNITS), np.float32)
        for x in self.x[:4]:
            y, h, c = session.run(None, {"x": x, "h": h, "c": c})
            one.set_tensor(one.get_input_details()[0]["index"], x.reshape(1, STEPS, INPUTS))
            one.invoke()
            np.testing.assert_allclose(one.get_tensor(one.get_output_details()[0]["index"]), y, atol=1e-6)

    def test_wrong_constants_are_named(self):
        for suffix, write, layer in (("onnx", write_onnx, "ys"), ("tflite", write_tflite, "ys")):
            good, flags = write(self.folder / f"good.{suffix}"), self.flags(suffix)
            self.assertEqual(verdict_of("check", good, "--reference", good, *flags, expect=0)["causes"], [])
            for fault, change in FAULTS.items():
                with self.subTest(suffix=suffix, fault=fault):
                    verdict = verdict_of("check", write(self.folder / f"bad.{suffix}", **change), "--reference", good, *flags, expect=3)
                    confirmed = [(cause["kind"], cause["layer"]) for cause in verdict["causes"] if cause["status"] == "confirmed"]
                    self.assertEqual(confirmed, [("weights", layer)], verdict["headline"])


if __name__ == "__main__":
    tool.main()
