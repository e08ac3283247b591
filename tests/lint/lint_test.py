# SPDX-License-Identifier: Apache-2.0
"""inspect --lint on files with one injected fault each, and on healthy ones. lint_test.py EDGEPROBE"""
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "cli"),
                str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench" / "layer_matrix")]
import tool  # noqa: E402
from model_file import Model  # noqa: E402
from tool import MODELS, SHARED, run  # noqa: E402


def found(path, expect):
    return json.loads(run("inspect", path, "--lint", "--json", expect=expect).out)["lint"]


def rules(path, expect):
    return [(one["rule"], one["level"], one["layer"]) for one in found(path, expect)]


class Tflite(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.model = Model(MODELS / "signs_int8.tflite")
        self.path = self.folder / "m.tflite"

    def of_type(self, kind):
        return self.model.types.index(kind)

    def operand(self, op, slot):
        return int(self.model.ops[op].inputs[slot])

    def quantization(self, tensor):
        return self.model.tensors[tensor].quantization

    def linted(self, expect=3):
        self.model.save(self.path)
        return rules(self.path, expect)

    def test_a_bias_in_another_unit(self):
        op = self.of_type("DEPTHWISE_CONV_2D")
        bias = self.operand(op, 2)
        self.model.set_scales(bias, self.model.scales(bias)[0] / 4)
        self.assertEqual(self.linted(), [("bias_scale", "fault", op)])
        self.assertIn("count it 4 times", found(self.path, 3)[0]["text"])

    def test_a_bias_that_is_cut_off(self):
        bias = self.operand(0, 2)
        values = self.model.constant(bias)
        values[[1, 5]] = 2**31 - 1, -(2**31)
        self.model.set_constant(bias, values)
        self.assertEqual(self.linted(), [("bias_cut_off", "fault", 0)])
        self.assertIn("2 of 16 channels", found(self.path, 3)[0]["text"])

    def test_weights_with_one_scale_for_channels_that_differ(self):
        """Quantised again with one scale: a converter that does not quantise by channel makes such files."""
        op = self.of_type("DEPTHWISE_CONV_2D")
        weights, bias = self.operand(op, 1), self.operand(op, 2)
        real = self.model.constant(weights) * self.model.scales(weights)[0]
        real *= 2.0 ** -np.linspace(0, 5, real.shape[-1])  # channels of very different size
        scale = np.abs(real).max() / 127
        codes = np.round(real / scale).astype(np.int8)
        self.model.set_constant(weights, codes)
        self.model.set_constant(bias, self.model.constant(bias) * 0)  # its unit is not tested here
        for tensor in (weights, bias):
            self.quantization(tensor).scale, self.quantization(tensor).zeroPoint = np.float32([scale]), np.int64([0])
        self.assertEqual(self.linted(0), [("wide_weights", "risk", op)])
        largest = np.abs(codes.astype(int)).max(axis=(0, 1, 2))
        text = found(self.path, 0)[0]["text"]
        self.assertIn(f"{np.sum((largest > 0) & (largest < 32))} of {np.sum(largest > 0)} channels", text)
        self.assertIn(f"the least {largest[largest > 0].min()}:", text)

    def test_a_zero_point_of_weights(self):
        self.quantization(self.operand(0, 1)).zeroPoint = np.full(16, 7)
        self.assertEqual(self.linted(), [("weight_zero_point", "fault", 0)])

    def test_a_scale_that_is_no_number(self):
        op = self.of_type("ADD")
        self.quantization(self.model.output(op)).scale = np.float32([0])
        self.assertIn(("bad_scale", "fault", op), self.linted())

    def test_probabilities_with_few_codes(self):
        op = self.of_type("SOFTMAX")
        for scale, level, code in ((0.05, "risk", 0), (0.9, "fault", 3)):
            self.quantization(self.model.output(op)).scale = np.float32([scale])
            self.assertEqual(self.linted(code), [("few_codes", level, op)])

    def test_text_names_layer_and_rule_and_counts(self):
        self.quantization(self.operand(0, 1)).zeroPoint = np.full(16, 7)
        self.model.save(self.path)
        text = run("inspect", self.path, "--lint", expect=3).out.split("\n  lint\n")[1]
        self.assertTrue(text.startswith("    fault: #0 CONV_2D 'stem/conv': the zero point of the int8 weights is 7"), text)
        self.assertIn("1 fault, 0 risks", text)


class Onnx(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "m.onnx"

    def save(self, nodes, constants, shape, result, kind=onnx.TensorProto.FLOAT):
        initializers = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
        graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)],
                                  [helper.make_tensor_value_info("y", kind, result)], initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        onnx.checker.check_model(model)
        onnx.save(model, self.path)
        return self.path

    def quantised(self, name, scale, nodes, constants, signed=True):
        """Quantises and dequantises a tensor; returns the name of the real numbers."""
        constants |= {name + "_s": np.float32(scale), name + "_z": (np.int8 if signed else np.uint8)(0)}
        nodes.append(helper.make_node("QuantizeLinear", [name, name + "_s", name + "_z"], [name + "_q"]))
        nodes.append(helper.make_node("DequantizeLinear", [name + "_q", name + "_s", name + "_z"], [name + "_d"]))
        return name + "_d"

    def test_scores_that_share_the_scale_of_boxes(self):
        for own, codes in ((True, None), (False, "one code")):
            nodes, constants = [], {}
            nodes.append(helper.make_node("Mul", ["x", "big"], ["boxes"]))
            constants["big"] = np.float32(200)
            nodes.append(helper.make_node("Sigmoid", ["x"], ["scores"]))
            a = self.quantised("boxes", 0.9, nodes, constants)
            b = self.quantised("scores", 1 / 255, nodes, constants, signed=False)
            nodes.append(helper.make_node("Concat", [a, b], ["joined"], name="join", axis=1))
            joined = "joined" if own else self.quantised("joined", 0.9, nodes, constants)
            nodes.append(helper.make_node("Identity", [joined], ["y"]))
            self.save(nodes, constants, [1, 4], [1, 8])
            if own:
                self.assertEqual(found(self.path, 0), [])
                continue
            one, = found(self.path, 3)
            self.assertEqual((one["rule"], one["level"], one["node"]), ("shared_scale", "fault", "join"))
            self.assertIn(codes, one["text"])

    def test_weights_and_variances_that_are_no_numbers(self):
        weights = np.ones((2, 3, 1, 1), np.float32)
        weights[1, 1] = np.nan
        nodes = [helper.make_node("Conv", ["x", "w"], ["c"]),
                 helper.make_node("BatchNormalization", ["c", "g", "b", "m", "v"], ["y"])]
        constants = {"w": weights, **{k: np.float32([1, 2]) for k in "gbm"}, "v": np.float32([1, -1])}
        self.save(nodes, constants, [1, 3, 4, 4], [1, 2, 4, 4])
        self.assertEqual(rules(self.path, 3), [("not_finite", "fault", 0), ("not_finite", "fault", 1)])

    def test_a_bias_in_another_unit(self):
        for unit, expected in ((0.5, []), (0.125, [("bias_scale", "risk")])):
            nodes, constants = [], {"w": np.ones((1, 1, 1, 1), np.int8), "ws": np.float32(2), "wz": np.int8(0),
                                    "b": np.int32([40]), "bs": np.float32(unit), "bz": np.int32(0)}
            x = self.quantised("x", 0.25, nodes, constants)
            nodes.append(helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wd"]))
            nodes.append(helper.make_node("DequantizeLinear", ["b", "bs", "bz"], ["bd"]))
            nodes.append(helper.make_node("Conv", [x, "wd", "bd"], ["c"]))
            nodes.append(helper.make_node("Identity", [self.quantised("c", 1, nodes, constants)], ["y"]))
            self.save(nodes, constants, [1, 1, 2, 2], [1, 1, 2, 2])
            self.assertEqual([one[:2] for one in rules(self.path, 0)], expected)

    def test_float_weights_among_integers_and_dynamic_ones_are_notes(self):
        nodes = [helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
                 helper.make_node("MatMulInteger", ["q", "w", "z", "wz"], ["i"]),
                 helper.make_node("Cast", ["i"], ["f"], to=onnx.TensorProto.FLOAT),
                 helper.make_node("Mul", ["f", "s"], ["y"])]
        self.save(nodes, {"w": np.ones((3, 2), np.int8), "wz": np.int8(0)}, [1, 3], [1, 2])
        self.assertEqual(rules(self.path, 0), [("dynamic_range", "note", None)])


class Healthy(tool.ToolTest):
    def test_models_of_the_project_have_nothing(self):
        for path in sorted(MODELS.glob("*.tflite")) + sorted(MODELS.glob("*.onnx")):
            self.assertEqual(found(path, 0), [], path.name)

    def test_published_models_have_no_fault(self):
        files = [path for kind in ("tflite", "onnx") for path in sorted(SHARED.rglob("*." + kind)) if "invalid" not in path.parts]
        if not files:
            self.skipTest("no models beside the checkout")
        for path in files:
            done = run("inspect", path, "--lint", "--json")
            if done.returncode == 1:  # edgeprobe says that the file is not a model
                continue
            levels = [one["level"] for one in json.loads(done.out)["lint"]]
            self.assertNotIn("fault", levels, path.name)


class OnnxTypes(tool.ToolTest):
    def save(self, nodes, constants, inputs):
        value = lambda name, kind, dims: helper.make_tensor_value_info(name, kind, dims)
        graph = helper.make_graph(nodes, "g", [value("x", *inputs)], [value("y", onnx.TensorProto.FLOAT, None)], constants)
        path = self.folder / "m.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)
        return path

    def test_inputs_of_two_types(self):
        half, full = (numpy_helper.from_array(np.ones(8, kind), name) for kind, name in ((np.float16, "half"), (np.float32, "full")))
        floats = (onnx.TensorProto.FLOAT, [1, 4, 8])
        for nodes, layer, names in (([helper.make_node("LayerNormalization", ["x", "half", "full"], ["y"])], 0, ("'x' is float32", "'half' float16")),
                                    ([helper.make_node("Cast", ["x"], ["c"], to=onnx.TensorProto.FLOAT16), helper.make_node("Add", ["c", "full"], ["y"])], 1, ("'c' is float16", "'full' float32"))):
            with self.subTest(node=nodes[-1].op_type):
                path = self.save(nodes, [half, full], floats)
                self.assertEqual(rules(path, 3), [("mixed_types", "fault", layer)])
                for words in names:
                    self.assertIn(words, found(path, 3)[0]["text"])
        # A condition is of another type by right, and so are the statistics of a norm.
        nodes = [helper.make_node("Greater", ["x", "full"], ["g"]), helper.make_node("Where", ["g", "x", "full"], ["y"])]
        self.assertEqual(rules(self.save(nodes, [full], floats), 0), [])

    def test_the_width_of_weights(self):
        for kind, text in ((onnx.TensorProto.INT4, "1 layers have 4-bit weights"), (onnx.TensorProto.INT8, "1 layers have 8-bit weights")):
            with self.subTest(kind=text):
                weights = helper.make_tensor("w", kind, [8, 6], np.arange(48) % 15 - 7)
                nodes = [helper.make_node("DequantizeLinear", ["w", "scale"], ["d"]), helper.make_node("MatMul", ["x", "d"], ["y"])]
                path = self.save(nodes, [weights, numpy_helper.from_array(np.float32(0.1), "scale")], (onnx.TensorProto.FLOAT, [1, 8]))
                [note] = [one["text"] for one in found(path, 0) if one["rule"] == "dynamic_range"]
                self.assertIn(text, note)


if __name__ == "__main__":
    tool.main()
