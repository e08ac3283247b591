# SPDX-License-Identifier: Apache-2.0
"""A fault inside a model whose reference only records its layers: the operators are named, and what is known of the fault.

The reference is NumPy's own arithmetic, channels last, as an engine plug-in; the target is an .onnx with channels first.

recorded_fault_test.py EDGEPROBE"""
import json
import textwrap

import plugin_test  # noqa: F401
import numpy as np
import onnx
import tool
from onnx import TensorProto, helper, numpy_helper
from tool import ToolTest, run

REFERENCE = '''
import numpy as np
from edgeprobe.plugins import Tensor

class Net:
    formats = (".npz",)

    def load(self, file):
        self.w = dict(np.load(file))
        self.inputs = [Tensor("x", "float32", (1, 3, 8, 8))]
        self.outputs = [Tensor("y", "float32", (1, 5))]
        self.layers = [Tensor(n, "float32", (1, 8, 8, 6), layer_type="Conv") for n in ("stem", "left", "right", "sum")] + [Tensor("pool", "float32", (1, 6))]

    @staticmethod
    def conv(x, w, b, slope=None):
        """3x3, or 1x1, with zeros around it."""
        r = w.shape[2] // 2
        padded = np.pad(x, ((0, 0), (r, r), (r, r), (0, 0)))
        y = sum(padded[:, i:i + 8, j:j + 8] @ w[:, :, i, j].T for i in range(w.shape[2]) for j in range(w.shape[3])) + b
        return (np.maximum(y, 0) if slope is None else np.where(y > 0, y, slope * y)).astype(np.float32)

    def run(self, inputs):
        w = self.w
        x = np.moveaxis(inputs[0], 1, 3).astype(np.float64)
        stem = self.conv(x, w["w0"], w["b0"])
        left = self.conv(stem, w["w1"], w["b1"])
        right = self.conv(stem, w["w2"], w["b2"], slope=0.1)
        total = left + right
        pool = total.mean((1, 2))
        self.kept = [stem, left, right, total, pool]
        return [(pool @ w["w3"] + w["b3"]).astype(np.float32)]

    def layer_values(self, numbers):
        return [self.kept[i].astype(np.float32) for i in numbers]
'''


class RecordedFault(ToolTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(7)
        normal = lambda *shape: random.normal(0, 0.4, shape).astype(np.float32)  # noqa: E731
        self.weights = {"w0": normal(6, 3, 3, 3), "b0": normal(6), "w1": normal(6, 6, 3, 3), "b1": normal(6), "w2": normal(6, 6, 1, 1), "b2": normal(6),
                        "w3": normal(6, 5), "b3": normal(5)}
        np.savez(self.folder / "net.npz", **self.weights)
        np.savez(self.folder / "x.npz", x=random.normal(0, 1, (12, 1, 3, 8, 8)).astype(np.float32))
        (self.folder / "net.py").write_text(textwrap.dedent(REFERENCE))

    def target(self, weights=None, slope=0.1, pads=(1, 1, 1, 1), alpha=1.0, pool="GlobalAveragePool", last=()):
        path = self.folder / f"net{len(list(self.folder.glob('*.onnx')))}.onnx"
        node = helper.make_node
        nodes = [node("Conv", ["x", "w0", "b0"], ["c0"], pads=[1, 1, 1, 1]), node("Relu", ["c0"], ["a"]),
                 node("Conv", ["a", "w1", "b1"], ["c1"], pads=list(pads)), node("Relu", ["c1"], ["b"]),
                 node("Conv", ["a", "w2", "b2"], ["c2"]), node("LeakyRelu", ["c2"], ["c"], alpha=slope),
                 node("Add", ["b", "c"], ["d"]), node(pool, ["d"] if pool.startswith("Global") else ["d", "axes"], ["e"]),
                 node("Flatten", ["e"], ["f"]), node("Gemm", ["f", "w3", "b3"], ["z" if last else "y"], alpha=alpha), *last]
        graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])],
                                  [numpy_helper.from_array(v, k) for k, v in {**(weights or self.weights), "axes": np.array([2, 3])}.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        return path

    def check(self, model, *flags, expect=3):
        return json.loads(run("check", model, "--reference", self.folder / "net.npz", "--reference-engine", f"{self.folder / 'net.py'}:Net", "--data", self.folder / "x.npz",
                              "--level", "layers", "--json", *flags, expect=expect).out)

    def cause(self, model):
        said = self.check(model)
        (cause,) = said["causes"]
        return cause

    def changed(self, key, change):
        return {**self.weights, key: change(self.weights[key].copy())}

    def test_a_healthy_pair(self):
        self.assertEqual(self.check(self.target(), expect=0)["causes"], [])

    def test_weights_and_biases(self):
        """Of a convolution in one of two branches, and of the first."""
        def some(w):
            w[2:4] *= 0.5
            return w

        for name, weights, layer, kind, words in (
            ("scale", self.changed("w2", lambda w: w * np.float32(1.5)) | {"b2": self.weights["b2"] * np.float32(1.5)}, "right", "weights", "1.5 times the reference's values"),
            ("channels", {**self.changed("w1", some), "b1": some(self.weights["b1"].copy())}, "left", "weights", "0.5 times the reference's values in 2 of 6 channels"),
            ("bias", self.changed("b0", lambda b: b + np.float32(0.75)), "stem", "bias", "the reference's values plus 0.75"),
        ):
            with self.subTest(name):
                cause = self.cause(self.target(weights))
                self.assertEqual((cause["layer"], cause["kind"], cause["status"], cause["stage"]), (layer, kind, "confirmed", "model"))
                self.assertIn(words, cause["detail"])
                self.assertGreater(cause["restored"], 0.999)
                alone, _, rest = cause["evidence_values"]
                self.assertLess(alone["values"]["recorded"], 1e-5)
                self.assertLess(rest["values"]["after"], 1e-5)

    def test_what_no_line_explains(self):
        """The place is named, and the cause stays unknown."""
        for name, model, layer in (("rounded", self.target(self.changed("w1", lambda w: np.round(w * 4) / np.float32(4))), "left"),
                                   ("slope", self.target(slope=0.9), "sum"),
                                   ("padding", self.target(pads=(0, 0, 2, 2)), "pool")):
            with self.subTest(name):
                cause = self.cause(model)
                self.assertEqual((cause["layer"], cause["kind"], cause["status"]), (layer, "unknown", "partial"))
                self.assertIn("something else than the reference", cause["detail"])
                self.assertGreater(cause["restored"], 0.999)

    def test_options_are_not_taken_for_weights(self):
        """They scale as weights do. Inside, the place and the relation are stated; of an output, what it is."""
        cause = self.cause(self.target(pool="ReduceSum"))
        self.assertEqual((cause["layer"], cause["kind"], cause["status"]), ("pool", "unknown", "partial"))
        self.assertIn("64 times the reference's values", cause["detail"])
        for model in (self.target(alpha=1.5), self.target(last=[helper.make_node("Neg", ["z"], ["y"])])):
            self.assertNotIn(self.cause(model)["kind"], ("weights", "bias"))

    def test_two_faults(self):
        """The second one is after the first: only all operators up to the output hold both."""
        weights = self.changed("w1", lambda w: w * np.float32(1.5)) | {"w3": self.weights["w3"] * np.float32(0.5)}
        cause = self.cause(self.target(weights))
        self.assertEqual((cause["kind"], cause["layer"], cause["status"]), ("unknown", "y", "partial"))
        self.assertIn("between 'stem', 'right' and 'y'", cause["detail"])


if __name__ == "__main__":
    tool.main()
