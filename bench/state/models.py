# SPDX-License-Identifier: Apache-2.0
"""Small networks whose states go in and out, written by onnx and by the schema of LiteRT: lstm.onnx, gru.onnx, cell.tflite."""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "engine"))
import small_tflite  # noqa: E402

INPUTS, CLASSES = 6, 4
UNITS = {"lstm": 8, "gru": 16, "cell": 12}
#: State input -> its output, and the shape.
STATES = {"lstm": {"h": ("h_out", (2, 1, 8)), "c": ("c_out", (2, 1, 8))}, "gru": {"h": ("h_out", (1, 1, 16))},
          "cell": {"h": ("h_out", (1, 12)), "m": ("m_out", (1, 12))}}
COUNTERS = {"gru": "position"}
SUFFIX = {"lstm": "onnx", "gru": "onnx", "cell": "tflite"}
SHAPES = {"lstm": (1, 1, INPUTS), "gru": (1, 1, INPUTS), "cell": (1, INPUTS)}


def _values(random, *shape, size=0.5):
    return random.normal(0, size, shape).astype(np.float32)


def _value(name, *shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def _save(path, nodes, inputs, outputs, stored):
    graph = helper.make_graph(nodes, "net", inputs, outputs, [numpy_helper.from_array(one, name) for name, one in stored.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def lstm(path):
    """Two LSTM layers, whose states are stacked along the first axis."""
    random, units = np.random.default_rng(2), UNITS["lstm"]
    stored = {"ones": np.array([1, 1], np.int64), "axes": np.array([1], np.int64), "dense": _values(random, units, CLASSES, size=1)}
    for layer, width in ((0, INPUTS), (1, units)):
        stored |= {f"w{layer}": _values(random, 1, 4 * units, width), f"r{layer}": _values(random, 1, 4 * units, units), f"b{layer}": _values(random, 1, 8 * units, size=0.2)}
    node = helper.make_node
    nodes = [node("Split", ["h", "ones"], ["h0", "h1"], axis=0), node("Split", ["c", "ones"], ["c0", "c1"], axis=0),
             node("LSTM", ["x", "w0", "r0", "b0", "", "h0", "c0"], ["y0", "h0_out", "c0_out"], hidden_size=units), node("Squeeze", ["y0", "axes"], ["s0"]),
             node("LSTM", ["s0", "w1", "r1", "b1", "", "h1", "c1"], ["y1", "h1_out", "c1_out"], hidden_size=units),
             node("Concat", ["h0_out", "h1_out"], ["h_out"], axis=0), node("Concat", ["c0_out", "c1_out"], ["c_out"], axis=0),
             node("MatMul", ["h1_out", "dense"], ["logits"]), node("Softmax", ["logits"], ["y"], axis=2)]
    shape = STATES["lstm"]["h"][1]
    _save(path, nodes, [_value("x", 1, 1, INPUTS), _value("h", *shape), _value("c", *shape)],
          [_value("y", 1, 1, CLASSES), _value("h_out", *shape), _value("c_out", *shape)], stored)


def gru(path):
    """A GRU with the position in its sequence as a further input."""
    random, units = np.random.default_rng(3), UNITS["gru"]
    stored = {"w": _values(random, 1, 3 * units, INPUTS), "r": _values(random, 1, 3 * units, units), "b": _values(random, 1, 6 * units, size=0.2),
              "dense": _values(random, units, CLASSES, size=1), "rate": np.linspace(0.3, 1.1, INPUTS).astype(np.float32)}
    node = helper.make_node
    nodes = [node("Cast", ["position"], ["at"], to=TensorProto.FLOAT), node("Mul", ["at", "rate"], ["angle"]), node("Sin", ["angle"], ["wave"]), node("Add", ["x", "wave"], ["z"]),
             node("GRU", ["z", "w", "r", "b", "", "h"], ["ys", "h_out"], hidden_size=units), node("MatMul", ["h_out", "dense"], ["logits"]), node("Softmax", ["logits"], ["y"], axis=2)]
    _save(path, nodes, [_value("x", 1, 1, INPUTS), _value("position", 1, kind=TensorProto.INT64), _value("h", 1, 1, units)],
          [_value("y", 1, 1, CLASSES), _value("h_out", 1, 1, units)], stored)


def cell(path):
    """h' = tanh(A x + B h + m / 4), m' = 0.7 m + A x + B h + m / 4."""
    random, units = np.random.default_rng(4), UNITS["cell"]
    graph = small_tflite.Graph()
    x, h, m = graph.tensor("x", (1, INPUTS)), graph.tensor("h", (1, units)), graph.tensor("m", (1, units))
    a, b, quarter, sum_ab, kept, before, h_out, m_out, logits, y = (graph.tensor(name, (1, n)) for name, n in (
        ("a", units), ("b", units), ("quarter", units), ("ab", units), ("kept", units), ("before", units), ("h_out", units), ("m_out", units), ("logits", CLASSES), ("y", CLASSES)))
    dense = {"options": "FullyConnectedOptions"}
    graph.op("FULLY_CONNECTED", [x, graph.tensor("wa", values=_values(random, units, INPUTS)), -1], [a], **dense)
    graph.op("FULLY_CONNECTED", [h, graph.tensor("wb", values=_values(random, units, units, size=0.3)), -1], [b], **dense)
    graph.op("MUL", [m, graph.tensor("q", values=np.full((1, units), 0.25, np.float32))], [quarter], options="MulOptions")
    graph.op("ADD", [a, b], [sum_ab], options="AddOptions")
    graph.op("ADD", [sum_ab, quarter], [before], options="AddOptions")
    graph.op("TANH", [before], [h_out], options="NONE")
    graph.op("MUL", [m, graph.tensor("k", values=np.full((1, units), 0.7, np.float32))], [kept], options="MulOptions")
    graph.op("ADD", [kept, before], [m_out], options="AddOptions")
    graph.op("FULLY_CONNECTED", [m_out, graph.tensor("wy", values=_values(random, CLASSES, units, size=1)), -1], [logits], **dense)
    graph.op("SOFTMAX", [logits], [y], options="SoftmaxOptions", beta=1.0)
    graph.save(path, [x, h, m], [y, h_out, m_out])


def inner(path):
    """An LSTM that keeps its states inside, in variable tensors."""
    random, units = np.random.default_rng(5), 8
    graph = small_tflite.Graph()
    x, ys, logits, y = (graph.tensor(name, shape) for name, shape in (("x", (1, 1, INPUTS)), ("ys", (1, 1, units)), ("logits", (1, CLASSES)), ("y", (1, CLASSES))))
    weights = [graph.tensor(f"{kind}{k}", values=_values(random, units, width)) for kind, width in (("w", INPUTS), ("r", units)) for k in range(4)]
    biases = [graph.tensor(f"b{k}", values=_values(random, units, size=0.2)) for k in range(4)]
    h, c = (graph.tensor(name, (1, units), variable=True) for name in ("h", "c"))
    graph.op("UNIDIRECTIONAL_SEQUENCE_LSTM", [x, *weights, -1, -1, -1, *biases, -1, -1, h, c], [ys], options="UnidirectionalSequenceLSTMOptions", fusedActivationFunction=4, timeMajor=False)
    graph.op("FULLY_CONNECTED", [ys, graph.tensor("dense", values=_values(random, CLASSES, units, size=2)), -1], [logits], options="FullyConnectedOptions")
    graph.op("SOFTMAX", [logits], [y], options="SoftmaxOptions", beta=1.0)
    graph.save(path, [x], [y])
    return path


def write(name, folder):
    path = pathlib.Path(folder) / f"{name}.{SUFFIX[name]}"
    {"lstm": lstm, "gru": gru, "cell": cell}[name](path)
    return path
