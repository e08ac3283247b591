# SPDX-License-Identifier: Apache-2.0
"""Faults inside a model, after or before a layer without a partner. inside_test.py EDGEPROBE"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference

import tool
from tool import verdict_of


def save(path, nodes, constants, inputs, outputs, kind=TensorProto.FLOAT):
    graph = helper.make_graph([helper.make_node(one, ins, outs, **more) for one, ins, outs, more in nodes], "g", [helper.make_tensor_value_info("x", kind, inputs)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, outputs)], [numpy_helper.from_array(np.asarray(one), name) for name, one in constants.items()])
    onnx.save(shape_inference.infer_shapes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)), path)
    return path


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(0, 0.4, shape).astype(np.float32)


def shuffled(path, perm):
    """A channel shuffle between two convolutions: another perm changes its shape."""
    return save(path, [("Conv", ["x", "w1"], ["c1"], {"pads": [1] * 4}), ("Relu", ["c1"], ["r1"], {}), ("Reshape", ["r1", "groups"], ["a"], {}),
                       ("Transpose", ["a"], ["b"], {"name": "shuffle", "perm": perm}), ("Reshape", ["b", "whole"], ["c"], {}), ("Conv", ["c", "w2"], ["d"], {"pads": [1] * 4}),
                       ("GlobalAveragePool", ["d"], ["e"], {}), ("Flatten", ["e"], ["f"], {}), ("MatMul", ["f", "fc"], ["y"], {})],
                {"w1": normal(1, 12, 3, 3, 3), "w2": normal(2, 8, 12, 3, 3), "fc": normal(3, 8, 6), "groups": np.array([1, 3, 4, 8, 8]), "whole": np.array([1, 12, 8, 8])},
                [1, 3, 8, 8], [1, 6])


def heads(path, perm):
    """Attention whose heads are joined again."""
    nodes = []
    for one in "qkv":
        nodes += [("MatMul", ["x", "w" + one], [one], {}), ("Reshape", [one, "heads"], [one + "r"], {}),
                  ("Transpose", [one + "r"], [one + "t"], {"perm": [0, 2, 3, 1] if one == "k" else [0, 2, 1, 3]})]
    nodes += [("MatMul", ["qt", "kt"], ["s"], {}), ("Softmax", ["s"], ["p"], {}), ("MatMul", ["p", "vt"], ["o"], {}),
              ("Transpose", ["o"], ["ot"], {"name": "back", "perm": perm}), ("Reshape", ["ot", "together"], ["m"], {}), ("MatMul", ["m", "wo"], ["y"], {})]
    return save(path, nodes, {**{"w" + one: normal(k, 16, 16) for k, one in enumerate("qkvo")}, "heads": np.array([1, 10, 4, 4]), "together": np.array([1, 10, 16])}, [1, 10, 16], [1, 10, 16])


def embedded(path, table, width=8):
    """Ids, a table, and two products after it."""
    return save(path, [("Gather", ["E", "x"], ["e"], {"name": "emb"}), ("MatMul", ["e", "w1"], ["h"], {}), ("Tanh", ["h"], ["t"], {}), ("ReduceMean", ["t", "axes"], ["m"], {"keepdims": 0}),
                       ("MatMul", ["m", "w2"], ["y"], {})],
                {"E": table, "w1": normal(7, width, 12), "axes": np.array([1]), "w2": normal(8, 12, 3)}, [1, 9], [1, 3], TensorProto.INT64)


def scaled(path, factor):
    """Attention's scale as the factor of a Mul."""
    return save(path, [("MatMul", ["x", "w1"], ["h"], {}), ("Mul", ["h", "factor"], ["s"], {"name": "scale"}), ("Softmax", ["s"], ["p"], {}), ("MatMul", ["p", "w2"], ["y"], {})],
                {"w1": normal(4, 10, 10), "w2": normal(5, 10, 4), "factor": np.float32(factor)}, [1, 6, 10], [1, 6, 4])


def chain(path, kind, first, w, r, last):
    """Two products with a recurrent layer between them; its error hides that of the last product."""
    return save(path, [("MatMul", ["x", "first"], ["u"], {}), ("Tanh", ["u"], ["t"], {}), (kind, ["t", "W", "R"], ["", "h"], {"hidden_size": 10}), ("Squeeze", ["h", "axes"], ["s"], {}),
                       ("MatMul", ["s", "last"], ["y"], {})], {"first": first, "W": w, "R": r, "last": last, "axes": np.array([0])}, [7, 1, 6], [1, 4])


def rounded(values, bits):
    step = np.abs(values).max() / (2 ** (bits - 1) - 1)
    return (np.round(values / step) * step).astype(np.float32)


def packed(path, codes, scales, second, swapped=False):
    """A product with 4-bit weights in blocks of 32, two per byte, the low one first, as ONNX Runtime's own operator reads them."""
    rows, width = codes.shape
    low, high = (codes[:, k::2] + 8 for k in ((1, 0) if swapped else (0, 1)))
    blocks = (low | high << 4).astype(np.uint8).reshape(rows, width // 32, 16)
    graph = helper.make_graph([helper.make_node("MatMulNBits", ["x", "B", "scales"], ["h"], domain="com.microsoft", K=width, N=rows, bits=4, block_size=32), helper.make_node("Relu", ["h"], ["r"]),
                               helper.make_node("MatMul", ["r", "w2"], ["y"])], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, width])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, second.shape[1]])],
                              [numpy_helper.from_array(blocks, "B"), numpy_helper.from_array(scales.reshape(-1), "scales"), numpy_helper.from_array(second, "w2")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)], ir_version=9), path)
    return path


class InsideTest(tool.ToolTest):
    def check(self, target, reference, x):
        np.savez(self.folder / "x.npz", x=x)
        return verdict_of("check", target, "--reference", reference, "--data", self.folder / "x.npz", expect=3)

    def first(self, verdict):
        cause = verdict["causes"][0]
        return cause["kind"], cause["status"], cause["layer"]

    def test_a_transpose_whose_shape_has_no_partner(self):
        for build, right, wrong, layer, shape in ((shuffled, [0, 2, 1, 3, 4], [0, 1, 2, 3, 4], "b", (3, 8, 8)), (heads, [0, 2, 1, 3], [0, 1, 2, 3], "ot", (10, 16))):
            with self.subTest(net=build.__name__):
                verdict = self.check(build(self.folder / "t.onnx", wrong), build(self.folder / "r.onnx", right), normal(9, 12, *shape))
                self.assertEqual(self.first(verdict), ("operator", "confirmed", layer), verdict["headline"])
                self.assertIn(f"has perm {wrong} in the target ({right} in the reference)", verdict["headline"])
                self.assertGreater(verdict["causes"][0]["restored"], 0.99)

    def test_a_table_whose_rows_are_shifted(self):
        for width, by in ((8, 1), (16, -2)):
            with self.subTest(width=width, by=by):
                table = normal(10, 30, width)
                target = embedded(self.folder / "t.onnx", np.roll(table, by, 0), width)
                verdict = self.check(target, embedded(self.folder / "r.onnx", table, width), np.random.default_rng(1).integers(0, 30, (16, 9)))
                self.assertEqual(self.first(verdict), ("weights", "confirmed", "e"), verdict["headline"])
                self.assertIn("the constant 'E' of Gather layer 0 (node 'emb') is not the reference's: its rows stand " +
                              ("1 place later" if by == 1 else "2 places earlier"), verdict["headline"])

    def test_a_factor_that_is_another(self):
        verdict = self.check(scaled(self.folder / "t.onnx", 1), scaled(self.folder / "r.onnx", 0.25), normal(11, 12, 6, 10) * 3)
        self.assertEqual(self.first(verdict)[::2], ("weights", "s"), verdict["headline"])
        self.assertIn("the constant 'factor' of Mul layer 1", verdict["headline"])

    def test_an_operator_of_onnx_runtime_s_own_hides_no_layer(self):
        random = np.random.default_rng(2)
        codes, scales, second = random.integers(-8, 8, (12, 64)), random.uniform(0.01, 0.05, (12, 2)).astype(np.float32), normal(6, 12, 4)
        real = (codes * np.repeat(scales, 32, 1)).astype(np.float32).T
        reference = save(self.folder / "r.onnx", [("MatMul", ["x", "w1"], ["h"], {}), ("Relu", ["h"], ["r"], {}), ("MatMul", ["r", "w2"], ["y"], {})], {"w1": real, "w2": second}, [1, 64], [1, 4])
        np.savez(self.folder / "x.npz", x=random.normal(0, 1, (12, 64)).astype(np.float32))
        for swapped in False, True:
            with self.subTest(swapped=swapped):
                verdict = verdict_of("check", packed(self.folder / "t.onnx", codes, scales, second, swapped), "--optimization", "off", "--reference", reference,
                                     "--data", self.folder / "x.npz", expect=3 if swapped else 0)
                self.assertNotIn("records 0 of", " ".join(verdict["warnings"]))
                self.assertEqual({one["name"] for one in verdict["layers"]} & {"h", "r"}, {"h", "r"})
                if swapped:
                    self.assertEqual(verdict["causes"][0]["layer"], "h", verdict["headline"])

    def test_every_layer_of_one_fault_is_repaired(self):
        """The weights of all layers have few bits: a layer whose repair shows no effect at first is tried again in addition to the others."""
        for kind, gates in (("LSTM", 4), ("GRU", 3)):
            with self.subTest(kind=kind):
                weights = [normal(20 + k, *shape) * 2 for k, shape in enumerate(((6, 8), (1, gates * 10, 8), (1, gates * 10, 10), (10, 4)))]
                verdict = self.check(chain(self.folder / "t.onnx", kind, *(rounded(one, 3) for one in weights)), chain(self.folder / "r.onnx", kind, *weights), normal(12, 16, 7, 1, 6) * 2)
                self.assertEqual([(one["kind"], one["status"]) for one in verdict["causes"]], [("weights", "confirmed")] * 3, verdict["headline"])
                self.assertGreater(verdict["headline_values"]["values"]["difference_gone"], 0.95)


if __name__ == "__main__":
    tool.main()
