# SPDX-License-Identifier: Apache-2.0
"""Splits of int8 models: ONNX Runtime's own Python computes the same bits with the model in parts as with the whole model, and so does the executed plan."""
import json

import numpy as np
import onnx
from onnx import TensorProto, helper

import quantized_model
import tool
from stretch_models import PAIR, TWO, StretchTest, alone, tensors_of
from stretch_plan_test import in_sequence, sessions
from stretch_split_test import BY, Parts, picture
from tool import MODELS, run

FRAMES = 50
TYPES = {"tensor(int8)": np.int8, "tensor(uint8)": np.uint8}


class Codes(Parts):
    """Operators on stored integers."""

    def weight(self, values):
        """A scalar stays one."""
        name = f"w{len(self.weights)}"
        self.weights.append(onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def scales(self, *shape):
        return self.weight(np.asarray(0.01 * (0.5 + self.random.random(shape)), np.float32))

    def zero(self, dtype, value=0):
        return self.weight(np.array(value, dtype))

    def codes(self, *shape):
        return self.weight(self.random.integers(-100, 101, shape).astype(np.int8))

    def qconv(self, x, inside, out, size=3, dtype=np.int8, by_channel=True, group=1, bias=True, **attributes):
        shape = (out,) if by_channel else ()
        zeros = self.weight(np.zeros(shape, np.int8))
        fan = inside // group * size * size
        made = [x, self.scales(), self.zero(dtype, 3), self.codes(out, inside // group, size, size), self.scales(*shape), zeros, self.weight(np.array(0.01 * fan**0.5 / 2, np.float32)), self.zero(dtype, 3)]
        if bias:
            made.append(self.weight(self.random.integers(-1000, 1000, out).astype(np.int32)))
        return self.op("QLinearConv", made, group=group, **({"pads": [size // 2] * 4} if not attributes else attributes))

    def qadd(self, a, b, dtype=np.int8):
        made = self.op("QLinearAdd", [a, self.scales(), self.zero(dtype), b, self.scales(), self.zero(dtype), self.scales(), self.zero(dtype)])
        self.nodes[-1].domain = "com.microsoft"
        return made

    def made(self, inputs, outputs, opset=17):
        infos = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape) for name, dtype, shape in inputs]
        ends = [helper.make_tensor_value_info(name, kind, [None] * rank) for name, kind, rank in outputs]
        graph = helper.make_graph(self.nodes, "codes", infos, ends, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)], ir_version=9)
        return onnx.shape_inference.infer_shapes(model)


def towers(dtype, kind, opset=17):
    """Convolutions with all that can be cut: per channel and not, with and without bias, by groups and by channel, strided and dilated; and a shortcut."""
    net = Codes()
    x = net.qconv("x", 3, 32, 3, dtype)
    y = net.qconv(x, 32, 32, 3, dtype, by_channel=False, bias=False)
    y = net.qconv(y, 32, 32, 3, dtype, group=32)
    x = net.qadd(net.qconv(y, 32, 32, 1, dtype), x, dtype)
    x = net.op("MaxPool", [net.qconv(x, 32, 48, 3, dtype, strides=[2, 1], auto_pad="SAME_UPPER")], kernel_shape=[2, 2], strides=[2, 2])
    x = net.qconv(net.qconv(x, 48, 48, 3, dtype, group=3), 48, 40, 3, dtype, dilations=[2, 2], pads=[2] * 4)
    return net.made([("x", dtype, [1, 3, 37, 21])], [(x, kind, 4)], opset)


def products():
    """Matrices: QLinearMatMul, MatMulInteger, ConvInteger, and QGemm with a transposed matrix."""
    net = Codes()
    x = net.op("QLinearMatMul", ["x", net.scales(), net.zero(np.uint8, 9), net.codes(24, 48), net.scales(48), net.weight(np.zeros(48, np.int8)), net.weight(np.array(0.05, np.float32)), net.zero(np.uint8, 9)])
    y = net.op("QGemm", [x, net.scales(), net.zero(np.uint8, 9), net.codes(64, 48), net.scales(64), net.weight(np.zeros(64, np.int8)), net.weight(net.random.integers(-500, 500, 64).astype(np.int32)), net.weight(np.array(0.05, np.float32)), net.zero(np.uint8, 9)], transB=1)
    net.nodes[-1].domain = "com.microsoft"
    z = net.op("MatMulInteger", [x, net.codes(48, 32), net.zero(np.uint8, 9), net.zero(np.int8, 1)])
    c = net.op("ConvInteger", ["image", net.weight(net.random.integers(0, 255, (32, 5, 3, 3)).astype(np.uint8)), net.zero(np.uint8, 7), net.zero(np.uint8, 5)], pads=[1] * 4)
    return net.made([("x", np.uint8, [6, 24]), ("image", np.uint8, [1, 5, 9, 9])], [(y, TensorProto.UINT8, 2), (z, TensorProto.INT32, 2), (c, TensorProto.INT32, 4)])


class Integers(StretchTest):
    def quantised(self, made, name):
        """ONNX Runtime's own int8 form, with DequantizeLinear and QuantizeLinear."""
        source = self.model(made, f"{name}_float")
        shape = [one.dim_value for one in made.graph.input[0].type.tensor_type.shape.dim]
        rng = np.random.default_rng(1)
        # On x86, ONNX Runtime computes int8 activations in this form with floating-point numbers in some places, so that its own whole model is not the same bits
        # when another tensor is an output.
        return quantized_model.write(source, self.folder / f"{name}.onnx", [rng.random(shape, dtype=np.float32) for _ in range(4)], "x", activation_type=quantized_model.quantization.QuantType.QUInt8)

    def models(self):
        yield "signs", MODELS / "signs_int8.onnx"
        yield "int8", self.model(towers(np.int8, TensorProto.INT8), "int8")
        yield "uint8", self.model(towers(np.uint8, TensorProto.UINT8, 12), "uint8")
        yield "products", self.model(products(), "products")
        yield "qdq", self.quantised(picture(lambda net, x: net.basic(x, 32), lambda net, x: net.basic(x, 32, group=4)), "qdq")
        yield "swish", self.quantised(picture(lambda net, x: net.swish(x, 32)), "swish")

    def drawn(self, model, count=FRAMES):
        rng = np.random.default_rng(3)

        def values(one):
            if one.type == "tensor(float)":
                return rng.random((count, *one.shape), dtype=np.float32)
            kind = TYPES[one.type]
            return rng.integers(np.iinfo(kind).min, np.iinfo(kind).max + 1, (count, *one.shape)).astype(kind)

        arrays = {one.name: values(one) for one in alone(model).get_inputs()}
        return arrays, [{name: value[i] for name, value in arrays.items()} for i in range(count)]

    def shown(self, path, names):
        """The model with these tensors of integers as outputs, too."""
        made = onnx.load(path)
        there = {one.name for one in made.graph.output}
        made.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in there)
        shown = self.folder / f"shown_{path.name}"
        onnx.save(made, shown)
        return shown

    def test_parts_compute_the_same_bits(self):
        seen = set()
        for name, model in self.models():
            types = {one.output[0]: one.op_type for one in onnx.load(model).graph.node}
            for by, flags in BY:
                for shares in ("1,1", "3,1", "1,1,1"):
                    if (name, by) == ("swish", "rows") and shares != "1,1":
                        continue
                    with self.subTest(model=name, by=by, shares=shares):
                        parts = self.folder / "parts.onnx"
                        run("stretch", "split", model, *flags, "--shares", shares, "--output", parts, "--force", expect=0)
                        told = json.loads(run("stretch", "split", model, *flags, "--shares", shares, "--json", "-", expect=0).out)
                        onnx.checker.check_model(onnx.load(parts))
                        carried = [one for one in told["splits"] if one["parts"]]
                        self.assertTrue(carried)
                        seen.update((one["kind"], types[one["to"]]) for one in carried)
                        ends = [one["to"] for one in carried]
                        whole, split = alone(self.shown(model, ends)), alone(self.shown(parts, ends))
                        names = [one.name for one in whole.get_outputs()]
                        spread = {end: set() for end in names}
                        for inputs in self.drawn(model)[1]:
                            for end, expected, got in zip(names, whole.run(names, inputs), split.run(names, inputs)):
                                self.assertEqual(expected.dtype, got.dtype)
                                if name == "signs":  # int8 activations: see quantised().
                                    self.assertLessEqual(np.abs(got.astype(np.float32) - expected.astype(np.float32)).max(), 2)
                                else:
                                    np.testing.assert_array_equal(got, expected, end)
                                spread[end].update(np.unique(expected)[:9])
                        self.assertTrue(all(len(values) > 5 for values in spread.values()), {end: len(values) for end, values in spread.items()})
        for kind, maker in (("channels", "QLinearConv"), ("channels", "QLinearMatMul"), ("channels", "QGemm"), ("channels", "MatMulInteger"), ("channels", "ConvInteger"), ("channels", "QuantizeLinear"), ("rows", "QuantizeLinear"), ("rows", "QLinearConv")):
            self.assertIn((kind, maker), seen)

    def test_all_that_belongs_to_a_channel_is_cut_with_it(self):
        net = Codes()
        model = self.model(net.made([("x", np.int8, [1, 16, 6, 6])], [(net.qconv("x", 16, 48), TensorProto.INT8, 4)]), "one")
        before = {one.name: onnx.numpy_helper.to_array(one) for one in onnx.load(model).graph.initializer}
        parts = self.folder / "parts.onnx"
        run("stretch", "split", model, "--shares", "2,1", "--output", parts, expect=0)
        made = onnx.load(parts)
        after = {one.name: onnx.numpy_helper.to_array(one) for one in made.graph.initializer}
        first, second = (one for one in made.graph.node if one.op_type == "QLinearConv")
        whole = onnx.load(model).graph.node[0]
        for i, name in enumerate(whole.input):
            if i in (3, 4, 5, 8):  # Weights, their scales and zero points, bias.
                np.testing.assert_array_equal(after[first.input[i]], before[name][:32])
                np.testing.assert_array_equal(after[second.input[i]], before[name][32:])
            else:
                self.assertEqual((first.input[i], second.input[i]), (name, name))

    def test_a_pair_would_have_to_add_sums_that_no_engine_hands_out(self):
        net = Codes()
        end = net.qconv(net.qconv("x", 16, 32), 32, 16)
        model = self.model(net.made([("x", np.int8, [1, 16, 6, 6])], [(end, TensorProto.INT8, 4)]), "pair")
        self.refused(model, {"kind": "pair", "from": "x", "to": end, "parts": [16, 16]}, "no engine hands out the sums of 32 bits that the parts of a pair would have to add; split it by channels")
        model = MODELS / "signs_int8.onnx"
        self.refused(model, {"kind": "channels", "from": "block1/depthwise_DequantizeLinear_Output", "to": "block1/pointwise_QuantizeLinear_Output", "parts": [16, 16]}, "'block1/depthwise_DequantizeLinear_Output' is between the DequantizeLinear and the QuantizeLinear of an operator that engines compute with integers")
        self.refused(model, {"kind": "rows", "from": "block1/depthwise_QuantizeLinear_Output", "to": "block1/pointwise", "parts": [8, 8]}, "'block1/pointwise' is between")

    def test_weights_with_scales_by_block_stay_whole(self):
        """The rest of the model is split."""
        net = Codes()
        weights = net.op("DequantizeLinear", [net.codes(32, 64), net.scales(2, 64), net.weight(np.zeros((2, 64), np.int8))], axis=0, block_size=16)
        x = net.op("MatMul", ["x", weights])
        y = net.op("MatMul", [x, net.op("DequantizeLinear", [net.codes(64, 48), net.scales(48), net.weight(np.zeros(48, np.int8))], axis=1)])
        model = self.model(net.made([("x", np.float32, [4, 32])], [(y, TensorProto.FLOAT, 2)], 21), "blocks")
        parts = self.folder / "parts.onnx"
        told = run("stretch", "split", model, "--output", parts, expect=0)
        self.assertRegex(told.out, "Not: DequantizeLinear '[^']*' has scales by block|Not: MatMul .*has scales by block")
        inputs = self.drawn(model, 1)[1][0]
        (expected,), (got,) = alone(model).run(None, inputs), alone(parts).run(None, inputs)
        self.assertLessEqual(np.abs(got - expected).max(), 1e-6 * np.abs(expected).max())

    def refused(self, model, split, says):
        path = self.folder / "refused.json"
        run("stretch", "plan", model, "--output", path, "--force", "--cpus", PAIR.split(",")[0], expect=0)
        plan = json.loads(path.read_text())
        plan["splits"] = [split]
        path.write_text(json.dumps(plan))
        data = self.npz(**self.drawn(model, 1)[0])
        self.assertIn(says, run("run", model, "--engine", f"stretch:{path}", "--data", data, expect=2).err)

    @TWO
    def test_the_executed_plan_computes_the_same_bits(self):
        for name, model in self.models():
            if name == "signs":
                continue
            arrays, drawn = self.drawn(model)
            data, whole = self.npz(**arrays), alone(model)
            names = [one.name for one in whole.get_outputs()]
            for by in ("channels", "rows"):
                if (name, by) in {("products", "rows"), ("swish", "rows")}:
                    continue
                with self.subTest(model=name, by=by):
                    path, plan = self.plan_of(model, "--split", by)
                    self.assertEqual(len(plan["programs"]), 2)
                    trace = self.folder / "split.mcap"
                    run("run", model, "--engine", f"stretch:{path}", "--data", data, "--trace", trace, "--force", expect=0)
                    recorded = tensors_of(trace)
                    self.assertEqual(len(recorded), FRAMES)
                    for frame, inputs in enumerate(drawn):
                        for end, expected in zip(names, whole.run(names, inputs)):
                            np.testing.assert_array_equal(recorded[frame][end].reshape(expected.shape), expected)

    @TWO
    def test_pieces_of_a_model_with_int8_activations(self):
        """Each piece hands on integers, and computes what ONNX Runtime's own Python computes of it."""
        model = MODELS / "signs_int8.onnx"
        arrays, drawn = self.drawn(model, 10)
        path, plan = self.plan_of(model, "--split", "channels")
        parts, trace = self.folder / "parts.onnx", self.folder / "split.mcap"
        run("stretch", "split", model, "--output", parts, expect=0)
        for piece in plan["pieces"]:
            for name in (*piece["inputs"], *piece["outputs"]):
                self.assertRegex(name, "^image$|^probabilities$|QuantizeLinear_Output(/part[12])?$")
                self.assertNotIn("Dequantize", name)
        pieces = sessions(plan, parts, self.folder)
        run("run", model, "--engine", f"stretch:{path}", "--data", self.npz(**arrays), "--trace", trace, expect=0)
        recorded = tensors_of(trace)
        for frame, inputs in enumerate(drawn):
            expected = in_sequence(plan, pieces, inputs)["probabilities"]
            np.testing.assert_array_equal(recorded[frame]["probabilities"].reshape(expected.shape), expected)


if __name__ == "__main__":
    tool.main()
