# SPDX-License-Identifier: Apache-2.0
"""A difference in the graph is named: another input, exchanged constants, operators in another order or omitted. graph_faults_test.py EDGEPROBE"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import tool
from tool import MODELS, verdict_of

RECIPE = "resize(24x24) | color(rgb) | scale(-1..1) | layout(nchw)"
DATA = MODELS / "data" / "test"
CHANNELS = 8


def block(i, reads, out, order=("Conv", "BatchNormalization", "Relu"), constants=("gain", "shift", "mean", "variance")):
    """Convolution, batch norm and activation, or some of them, in the given order."""
    nodes = []
    for step, operator in enumerate(order):
        to = out if step + 1 == len(order) else f"{operator.lower()}{i}"
        more = {"Conv": [f"w{i}"], "BatchNormalization": [f"{name}{i}" for name in constants], "Relu": []}[operator]
        nodes.append(helper.make_node(operator, [reads, *more], [to], name=f"n_{to}", **({"pads": [1] * 4} if operator == "Conv" else {})))
        reads = to
    return nodes


def saved(path, seed, skip=("c", "b"), orders=None, constants=None):
    """Three blocks, of which two tensors are added; `orders` and `constants` of a block by its number."""
    orders, constants = orders or {}, constants or {}
    random = np.random.default_rng(seed)
    values = {}
    for i, channels in enumerate((3, CHANNELS, CHANNELS)):
        values |= {f"w{i}": random.normal(0, 0.4, (CHANNELS, channels, 3, 3)), f"gain{i}": random.uniform(0.6, 1.6, CHANNELS), f"shift{i}": random.normal(0, 0.5, CHANNELS),
                   f"mean{i}": random.normal(0, 0.5, CHANNELS), f"variance{i}": random.uniform(0.5, 2, CHANNELS)}
    values["top"] = random.normal(0, 0.5, (CHANNELS, 5))
    nodes = []
    for i, (reads, out) in enumerate((("image", "a"), ("a", "b"), ("b", "c"))):
        more = {key: given[i] for key, given in (("order", orders), ("constants", constants)) if i in given}
        nodes += block(i, reads, out, **more)
    nodes += [helper.make_node("Add", list(skip), ["sum"], name="n_sum"), helper.make_node("GlobalAveragePool", ["sum"], ["pooled"]), helper.make_node("Flatten", ["pooled"], ["flat"]),
              helper.make_node("MatMul", ["flat", "top"], ["y"])]
    ends = [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 24, 24])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])]
    graph = helper.make_graph(nodes, "g", *ends, [numpy_helper.from_array(value.astype(np.float32), name) for name, value in values.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


# The injected fault, the words of the cause, and its kind.
FAULTS = {
    "a sum of one tensor with itself": ({"skip": ("c", "c")}, "reads 'c' in the target instead of 'b'", "operator"),
    "a sum of an earlier tensor": ({"skip": ("c", "a")}, "reads 'a' in the target instead of 'b'", "operator"),
    "two constants exchanged": ({"constants": {1: ("gain", "mean", "shift", "variance")}}, "the constants 'mean1' and 'shift1'", "weights"),
    "the activation in front of the norm": ({"orders": {1: ("Conv", "Relu", "BatchNormalization")}}, "the target computes Relu, BatchNormalization and the reference BatchNormalization, Relu", "operator"),
    "no activation": ({"orders": {1: ("Conv", "BatchNormalization")}}, "the target computes BatchNormalization and the reference BatchNormalization, Relu", "operator"),
}


class GraphFaultsTest(tool.ToolTest):
    def verdict(self, target, reference):
        return verdict_of("check", target, "--recipe", RECIPE, "--reference", reference, "--reference-recipe", RECIPE, "--data", DATA, "--frames", 6, expect=3)

    def test_each_is_named_and_its_weights_are_not_accused(self):
        for seed in (1, 3):
            reference = saved(self.folder / "reference.onnx", seed)
            for fault, (changes, words, kind) in FAULTS.items():
                with self.subTest(fault=fault, seed=seed):
                    verdict = self.verdict(saved(self.folder / "target.onnx", seed, **changes), reference)
                    cause = verdict["causes"][0]
                    self.assertIn(words, cause["detail"])
                    self.assertEqual((cause["kind"], cause["status"]), (kind, "confirmed"))
                    self.assertGreater(cause["restored"], 0.99)
                    if kind == "weights":
                        self.assertIn("are exchanged: each holds the reference's other one", cause["detail"])
                    else:
                        self.assertFalse([one["detail"] for one in verdict["causes"] if one["kind"] == "weights"])


if __name__ == "__main__":
    tool.main()
