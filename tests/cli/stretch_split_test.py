# SPDX-License-Identifier: Apache-2.0
"""stretch split, and plans that split layers: ONNX Runtime's own Python computes the same with the model in parts as with the whole model, and the engine
computes the same with parts in parallel as with parts in sequence."""
import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import tool
from stretch_models import CPUS, PAIR, TWO, StretchTest, alone, nets, tensors_of
from stretch_plan_test import in_sequence, sessions
from tool import MODELS, run

BY = (("channels", ()), ("rows", ("--rows",)))


class Parts(nets.Net):
    """Networks with something to split for each kind of split."""

    def norm(self, x, width):
        scale, bias, mean, variance = (self.weight((base + 0.1 * self.random.random(width)).astype(np.float32)) for base in (1, 0, 0, 1))
        return self.op("BatchNormalization", [x, scale, bias, mean, variance])

    def scalar(self, value):
        return self.weight(np.array(value, np.float32))

    def basic(self, x, width, norm=False, group=1):
        """The block of ResNet-18."""
        y = self.conv(x, width, width, 3, relu=False)
        y = self.op("Relu", [self.norm(y, width) if norm else y])
        if group > 1:
            y = self.conv(y, width, width, 3, group=group)
        y = self.conv(y, width, width, 3, relu=False)
        return self.op("Relu", [self.op("Add", [self.norm(y, width) if norm else y, x])])

    def swish(self, x, width):
        """The block of MobileNetV2 with another activation, which two layers form together."""
        y = self.conv(x, width, 4 * width, relu=False)
        y = self.op("Mul", [y, self.op("Sigmoid", [y])])
        y = self.op("Clip", [self.conv(y, 4 * width, 4 * width, 3, group=4 * width), self.scalar(0), self.scalar(6)])
        return self.op("Add", [x, self.conv(y, 4 * width, width, relu=False)])

    def forward(self, x, width):
        """The feed-forward part of a transformer, with GELU as separate operators."""
        y = self.op("Add", [self.matmul(x, width, 4 * width), self.drawn(4 * width, fan=2)])
        y = self.op("Mul", [self.op("Mul", [y, self.op("Add", [self.op("Erf", [self.op("Div", [y, self.scalar(1.41421356)])]), self.scalar(1)])]), self.scalar(0.5)])
        return self.op("Add", [x, self.op("Add", [self.matmul(y, 4 * width, width), self.drawn(width, fan=2)])])


def picture(*blocks, width=32, size=20):
    net = Parts()
    x = net.op("MaxPool", [net.conv("x", 3, width, 7, 2)], kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 1])
    for block in blocks:
        x = block(net, x)
    x = net.op("AveragePool", [x], kernel_shape=[3, 3], auto_pad="SAME_LOWER", strides=[2, 2])
    x = net.op("Conv", [x, net.drawn(48, width, 3, 3, fan=9 * width)], auto_pad="SAME_UPPER", kernel_shape=[3, 3])
    return net.model([("x", [1, 3, 2 * size, 2 * size])], [x])


def words(width=32, tokens=6):
    net = Parts()
    x = net.forward(net.forward("x", width), width)
    x = net.op("Flatten", [x])
    return net.model([("x", [1, tokens, width])], [net.dense(net.dense(x, tokens * width, 64, relu=True), 64, 10)])


def packed_weights():
    """A product with weights of four bits, two in a byte."""
    net = Parts()
    codes = net.weight(np.random.default_rng(7).integers(0, 256, (32, 2, 16)).astype(np.uint8))
    x = net.op("MatMulNBits", ["x", codes, net.weight(np.full(64, 0.1, np.float32))], K=64, N=32, bits=4, block_size=32, domain="com.microsoft")
    graph = helper.make_graph(net.nodes, "packed", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64])], [helper.make_tensor_value_info(x, TensorProto.FLOAT, [1, 32])], net.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=9)


NETS = {
    "basic": lambda: picture(lambda net, x: net.basic(x, 32), lambda net, x: net.basic(x, 32)),
    "norm": lambda: picture(lambda net, x: net.basic(x, 32, norm=True), lambda net, x: net.basic(x, 32, norm=True)),
    "group": lambda: picture(lambda net, x: net.basic(x, 32, group=4)),
    "swish": lambda: picture(lambda net, x: net.swish(x, 32)),
    "words": words,
}


class Splits(StretchTest):
    def split(self, model, *more):
        parts = self.folder / "parts.onnx"
        run("stretch", "split", model, "--output", parts, "--force", *more, expect=0)
        return parts, json.loads(run("stretch", "split", model, *more, "--json", "-", expect=0).out)

    def test_a_model_in_parts_computes_what_the_whole_one_does(self):
        kinds = set()
        for name, made in NETS.items():
            model = self.model(made(), name)
            whole = alone(model)
            _, drawn = self.data_of(model, 3)
            for by, flags in BY:
                for shares in ("1,1", "3,1", "1,1,1"):
                    with self.subTest(model=name, by=by, shares=shares):
                        parts, told = self.split(model, *flags, "--shares", shares)
                        onnx.checker.check_model(onnx.load(parts), full_check=True)
                        carried = [one for one in told["splits"] if one["parts"]]
                        kinds.update(one["kind"] for one in carried)
                        for one in carried:
                            self.assertEqual(len(one["parts"]), shares.count(",") + 1)
                            if one["kind"] != "rows":
                                self.assertTrue(all(part % 16 == 0 for part in one["parts"][:-1]), one)
                        session = alone(parts)
                        for inputs in drawn:
                            for expected, got in zip(whole.run(None, inputs), session.run(None, inputs)):
                                self.assertLessEqual(np.abs(got - expected).max(), 1e-6 * np.abs(expected).max())
        self.assertEqual(kinds, {"pair", "channels", "rows"})

    def test_weights_are_cut_and_rows_are_computed_where_they_are_needed(self):
        net = Parts()
        net.basic("x", 64)
        model = self.model(net.model([("x", [1, 64, 12, 12])], [net.nodes[-1].output[0]]), "block")
        parts, told = self.split(model)
        self.assertEqual([(one["kind"], one["parts"]) for one in told["splits"]], [("pair", [32, 32])])
        before = {one.name: numpy_helper.to_array(one) for one in onnx.load(model).graph.initializer}
        after = {one.name: numpy_helper.to_array(one) for one in onnx.load(parts).graph.initializer}
        np.testing.assert_array_equal(after["w0/axis0/32to64"], before["w0"][32:])
        np.testing.assert_array_equal(after["w1/axis0/0to32"], before["w1"][:32])
        np.testing.assert_array_equal(after["w2/axis1/32to64"], before["w2"][:, 32:])
        np.testing.assert_array_equal(after["w3"], before["w3"])
        self.assertEqual(set(after), {f"{name}/axis{axis}/{part}" for name, axis in (("w0", 0), ("w1", 0), ("w2", 1)) for part in ("0to32", "32to64")} | {"w3"})
        biases = [len(node.input) for node in onnx.load(parts).graph.node if node.op_type == "Conv" and node.input[1].startswith("w2")]
        self.assertEqual(biases, [3, 2])  # Only the first part adds it.
        _, told = self.split(model, "--rows")
        # The first convolution computes 2 rows more than the 12 that are needed; the second none.
        self.assertEqual([(one["kind"], one["parts"]) for one in told["splits"]], [("rows", [6, 6])])
        self.assertAlmostEqual(told["splits"][0]["more"], (14 + 12) / 24 - 1)

    def test_what_cannot_be_split_is_told_with_its_reason(self):
        lite = run("stretch", "split", MODELS / "signs_float.tflite", expect=1)
        self.assertIn("layers of a .tflite are not split", lite.err)
        packed = self.model(packed_weights(), "packed")
        told = run("stretch", "split", packed, expect=0)
        self.assertIn("no layers can be computed in parts", told.out)
        self.assertRegex(told.out, "Not: com.microsoft:MatMulNBits '[^']*' has weights in a form that is not cut")
        net = Parts()
        weights = net.op("Mul", ["x", net.weight(np.ones((32, 3, 3, 3), np.float32))])
        model = self.model(net.model([("x", [1, 3, 3, 3])], [net.op("Conv", [net.weight(np.ones((1, 3, 8, 8), np.float32)), weights])]), "computed")
        self.assertIn("computes its weights", run("stretch", "split", model, expect=0).out)
        for flags, says in ((("--shares", "1"), "expected 2 to 64 numbers"), (("--shares", "1,-1"), "expected numbers above 0, got -1"), (("--shares", "1,nan"), "expected numbers above 0, got nan")):
            self.assertIn(says, run("stretch", "split", model, *flags, expect=2).err)
        plan = run("stretch", "plan", packed, "--split", "channels", "--cpus", PAIR, "--output", self.folder / "p.json", expect=1)
        self.assertIn("'edgeprobe stretch split' reports why", plan.err)

    def test_one_weight_in_two_blocks_and_an_output_between_them(self):
        """Two towers with the same weights, as in siamese networks, and a layer that the user reads."""
        net = Parts()
        weights = [net.drawn(32, 32, 3, 3, fan=288) for _ in range(2)]
        outs = []
        for name in ("a", "b"):
            y = net.op("Relu", [net.op("Conv", [name, weights[0]], pads=[1] * 4)])
            outs.append(net.op("Conv", [y, weights[1]], pads=[1] * 4))
        inside = net.nodes[0].output[0]
        model = self.model(net.model([("a", [1, 32, 8, 8]), ("b", [1, 32, 8, 8])], [*outs, inside]), "siamese")
        parts, told = self.split(model)
        self.assertEqual([one["kind"] for one in told["splits"]], ["channels", "channels", "pair"])
        _, (inputs,) = self.data_of(model, 1)
        for expected, got in zip(alone(model).run(None, inputs), alone(parts).run(None, inputs)):
            self.assertLessEqual(np.abs(got - expected).max(), 1e-6 * np.abs(expected).max())

    def test_weights_of_half_precision_and_an_old_operator_set(self):
        net = Parts()
        x = net.op("Conv", ["x", net.weight(net.random.standard_normal((32, 3, 3, 3)).astype(np.float16))], pads=[1] * 4)
        y = net.op("Conv", [net.op("Relu", [x]), net.weight(net.random.standard_normal((16, 32, 3, 3)).astype(np.float16))], pads=[1] * 4)
        graph = helper.make_graph(net.nodes, "half", [helper.make_tensor_value_info("x", TensorProto.FLOAT16, [1, 3, 9, 9])], [helper.make_tensor_value_info(y, TensorProto.FLOAT16, [1, 16, 9, 9])], net.weights)
        model = self.model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=4), "half")
        inputs = {"x": np.random.default_rng(0).random((1, 3, 9, 9)).astype(np.float16)}
        expected, = alone(model).run(None, inputs)
        for by, flags in BY:
            parts, told = self.split(model, *flags)
            self.assertEqual(told["splits"][0]["kind"], "pair" if by == "channels" else "rows")
            got, = alone(parts).run(None, inputs)
            np.testing.assert_allclose(got.astype(np.float32), expected.astype(np.float32), atol=4e-3 * np.abs(expected).max())

    def agrees(self, model, parts, inputs):
        for expected, got in zip(alone(model).run(None, inputs), alone(parts).run(None, inputs)):
            self.assertLessEqual(np.abs(got - expected).max(), 1e-6 * np.abs(expected).max())

    def two(self, name="x", out="y", weights=None, shape=(1, 16, 8, 8), ir=9, opset=17, pads=1, sparse=(), given=(), order=(0, 1, 2), save=None, **first):
        """Two convolutions, in a file with the requested peculiarities."""
        random = np.random.default_rng(1)
        weights = weights or [numpy_helper.from_array((0.1 * random.standard_normal(one)).astype(np.float32), each) for each, one in (("w", (32, 16, 3, 3)), ("v", (16, 32, 3, 3)))]
        nodes = [helper.make_node("Conv", [name, "w"], ["m"], **(first or {"pads": [pads] * 4})), helper.make_node("Relu", ["m"], ["r"]), helper.make_node("Conv", ["r", "v"], [out], pads=[pads] * 4)]
        inputs = [helper.make_tensor_value_info(each, TensorProto.FLOAT, each_shape) for each, each_shape in ((name, shape), *given)]
        graph = helper.make_graph([nodes[i] for i in order], "two", inputs, [helper.make_tensor_value_info(out, TensorProto.FLOAT, [None] * 4)], weights, sparse_initializer=list(sparse))
        path = self.folder / "two.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir), path, **(save or {}))
        return path

    def kinds(self, told):
        return [one["kind"] for one in told["splits"] if one["parts"]]

    def test_reasons_of_several_layers_are_whole_sentences(self):
        """Some reasons begin with the name of the layer, others do not."""
        ones = [numpy_helper.from_array(np.ones(one, np.float32), name) for name, one in (("w", (1, 16, 3, 3)), ("v", (1, 1, 3, 3)))]
        done = run("stretch", "split", self.two(weights=ones), expect={0, 1})
        said = [line for line in done.out.splitlines() if line.startswith("Not: ")]
        self.assertTrue(said, done.out + done.err)
        for line in said:
            self.assertRegex(line, r"^Not: Conv '[^']*'( and [0-9]+ more, each)?(: | has )", line)

    def test_what_cannot_be_in_parts_is_left_out_and_the_rest_is_split(self):
        random = np.random.default_rng(4)
        inputs = {"x": random.random((1, 16, 8, 8), dtype=np.float32)}
        # A part with only the first rows would be computed from padding.
        padded = self.two(shape=(1, 16, 4, 8), pads=4)
        self.assertIn("can be computed in parts", run("stretch", "split", padded, "--rows", "--shares", "1,9", "--output", self.folder / "n.onnx", expect=1).err)
        parts, told = self.split(padded, "--rows")
        self.assertEqual(self.kinds(told), ["rows"])
        self.agrees(padded, parts, {"x": inputs["x"][:, :, :4]})
        # If the number of columns is open, the node's explicit padding is used, not one that the engine would choose.
        wide = self.two(shape=(1, 16, 8, "W"))
        parts, told = self.split(wide, "--rows")
        self.assertEqual(self.kinds(told), ["rows"])
        self.agrees(wide, parts, inputs)
        wide = self.two(shape=(1, 16, 8, "W"), auto_pad="SAME_UPPER", strides=[2, 2])
        parts, told = self.split(wide, "--rows")
        self.assertEqual([(one["kind"], one["from"]) for one in told["splits"]], [("rows", "m")])
        self.agrees(wide, parts, inputs)
        # '#' begins the number of a tensor in a plan, so that no split can name this one.
        strange = self.two(out="#1")
        parts, told = self.split(strange)
        self.assertEqual([(one["kind"], one["to"]) for one in told["splits"]], [("channels", "r")])
        self.agrees(strange, parts, inputs)
        self.assertIn("has no name for a plan", run("stretch", "split", self.two(name="#1"), expect=0).out)
        values = np.zeros((32, 16, 3, 3), np.float32)
        values.flat[::7] = random.standard_normal(len(values.flat[::7]))
        places = np.flatnonzero(values)
        thin = helper.make_sparse_tensor(helper.make_tensor("w", TensorProto.FLOAT, [len(places)], values.flat[places]), helper.make_tensor("at", TensorProto.INT64, [len(places)], places), values.shape)
        sparse = self.two(weights=[numpy_helper.from_array(random.standard_normal((16, 32, 3, 3)).astype(np.float32), "v")], sparse=[thin])
        self.assertIn("is stored without its zeros", run("stretch", "split", sparse, expect=0).out)
        parts, told = self.split(sparse, "--rows")
        self.assertEqual(self.kinds(told), ["rows"])
        self.agrees(sparse, parts, inputs)

    def test_layers_in_no_order_are_told(self):
        told = run("stretch", "split", self.two(order=(2, 0, 1)), "--rows", expect=0)
        self.assertIn("comes before the layer that makes 'r'", told.out)

    def test_old_files_have_the_new_constants_among_their_inputs(self):
        model = self.two(ir=3, opset=8, given=[("w", (32, 16, 3, 3)), ("v", (16, 32, 3, 3))])
        onnx.checker.check_model(model)
        inputs = {"x": np.random.default_rng(5).random((1, 16, 8, 8), dtype=np.float32)}
        for _, flags in BY:
            parts, told = self.split(model, *flags)
            self.assertEqual(len(self.kinds(told)), 1)
            onnx.checker.check_model(parts, full_check=True)
            self.agrees(model, parts, inputs)

    def test_weights_beside_the_model_stay_where_they_are_found(self):
        model = self.two(save={"save_as_external_data": True, "location": "two.bin", "size_threshold": 0})
        away = self.folder / "away"
        away.mkdir()
        # The new file contains the cut channels; a split by rows reads the existing weights.
        run("stretch", "split", model, "--output", away / "parts.onnx", expect=0)
        inputs = {"x": np.random.default_rng(6).random((1, 16, 8, 8), dtype=np.float32)}
        self.agrees(model, away / "parts.onnx", inputs)
        refused = run("stretch", "split", model, "--rows", "--output", away / "rows.onnx", expect=2)
        self.assertIn("'w' has its values in 'two.bin' next to the model", refused.err)
        self.assertFalse((away / "rows.onnx").exists())
        parts, _ = self.split(model, "--rows")
        self.agrees(model, parts, inputs)


@TWO
class Plans(StretchTest):
    def test_parts_at_once_are_parts_in_sequence_and_the_whole_model(self):
        for name in ("norm", "swish", "words"):
            model = self.model(NETS[name](), name)
            whole = alone(model)
            data, drawn = self.data_of(model, 20)
            for by in ("channels", "rows"):
                if (name, by) == ("words", "rows"):
                    continue  # The model has none.
                with self.subTest(model=name, by=by):
                    path, plan = self.plan_of(model, "--split", by)
                    self.assertEqual(len(plan["programs"]), 2)
                    parts = self.folder / "parts.onnx"
                    run("stretch", "split", model, "--output", parts, "--force", *dict(BY)[by], expect=0)
                    pieces = sessions(plan, parts, self.folder)
                    trace = self.folder / "split.mcap"
                    run("run", model, "--engine", f"stretch:{path}", "--data", data, "--trace", trace, "--force", expect=0)
                    recorded = tensors_of(trace)
                    for frame, inputs in enumerate(drawn):
                        expected = dict(zip((one.name for one in whole.get_outputs()), whole.run(None, inputs)))
                        sequence = in_sequence(plan, pieces, inputs)
                        for output, value in expected.items():
                            got = recorded[frame][output].reshape(value.shape)
                            self.assertTrue(np.array_equal(got, sequence[output]))
                            self.assertLessEqual(np.abs(got - value).max(), 1e-6 * np.abs(value).max())
                            self.assertEqual(got.argmax(), value.argmax())

    def test_narrow_layers_have_fewer_parts_than_there_are_processors(self):
        model = self.model(nets.blocks(32, 8, 1), "narrow")
        device = self.folder / "device.yaml"
        device.write_text("device: 1\nprocessors:\n" + "".join(f"  - {{name: p{i}, engine: onnxruntime, cpus: [{CPUS[i % 2]}]}}\n" for i in range(3)))
        plan = self.folder / "p.json"
        run("stretch", "plan", model, "--split", "channels", "--device", device, "--output", plan, expect=0)
        told = json.loads(plan.read_text())
        self.assertEqual([one["parts"] for one in told["splits"]], [[16, 16]])
        self.assertEqual([one["processor"] for one in told["programs"]], ["p0", "p1"])

    def test_two_engines_share_layers(self):
        model = self.model(NETS["basic"](), "basic")
        path, plan = self.plan_of(model, "--split", "channels")
        plan["processors"][1]["engine"] = "openvino"
        path.write_text(json.dumps(plan))
        data, drawn = self.data_of(model, 20)
        trace = self.folder / "two.mcap"
        run("run", model, "--engine", f"stretch:{path}", "--data", data, "--trace", trace, expect=0)
        recorded, whole = tensors_of(trace), alone(model)
        for frame, inputs in enumerate(drawn):
            (value,), (got,) = whole.run(None, inputs), recorded[frame].values()
            self.assertLessEqual(np.abs(got.reshape(value.shape) - value).max(), 1e-5 * np.abs(value).max())
            self.assertEqual(got.argmax(), value.argmax())

    def test_a_plan_whose_splits_do_not_suit_the_model(self):
        model = self.model(NETS["basic"](), "basic")
        path, plan = self.plan_of(model, "--split", "channels")
        pair = next(i for i, one in enumerate(plan["splits"]) if one["kind"] == "pair")

        def refused(change, says):
            changed = json.loads(json.dumps(plan))
            change(changed["splits"])
            bad = self.folder / "bad.json"
            bad.write_text(json.dumps(changed))
            self.assertIn(says, run("run", model, "--engine", f"stretch:{bad}", "--data", self.data_of(model, 1)[0], expect=2).err)

        refused(lambda splits: splits[pair].update(parts=[16, 32]), f"splits[{pair}]: parts: they add up to 48, the model has 32")
        refused(lambda splits: splits[pair].update(parts=[8, 24]), f"splits[{pair}]: parts[1]: begins at 8; parts begin at multiples of 16 there")
        refused(lambda splits: splits[pair].update({"from": "rel1"}), "the model has no tensor 'rel1'; did you mean 'relu")
        refused(lambda splits: splits[pair].update({"from": splits[pair]["to"], "to": splits[pair]["from"]}), "is computed of 'x', too")
        refused(lambda splits: splits.append(splits[pair]), "is in another split already")
        refused(lambda splits: splits[pair].update(kind="channels"), "mixes channels")

    def test_layers_inside_of_a_split_are_not_captured_and_that_is_told(self):
        model = self.model(NETS["basic"](), "basic")
        path, plan = self.plan_of(model, "--split", "channels")
        trace = self.folder / "layers.mcap"
        done = run("run", model, "--engine", f"stretch:{path}", "--data", self.data_of(model, 2)[0], "--level", "layers", "--trace", trace, expect=0)
        self.assertIn("where it is not whole", done.err)
        layers = tensors_of(trace, "layer")[0]
        self.assertIn(plan["splits"][-1]["from"], layers)  # Tensors between splits are in the plan.

    def test_two_splits_by_rows_read_one_tensor(self):
        net = Parts()
        ends = [net.conv("x", 8, 16, 3, relu=False), net.conv("x", 8, 24, 3, relu=False)]
        model = self.model(net.model([("x", [1, 8, 9, 9])], ends), "fork")
        path = self.folder / "fork.json"
        run("stretch", "plan", model, "--output", path, "--cpus", PAIR.split(",")[0], expect=0)
        plan = json.loads(path.read_text())
        plan["splits"] = [{"kind": "rows", "from": "x", "to": end, "parts": [4, 5]} for end in ends]
        path.write_text(json.dumps(plan))
        data, (inputs,) = self.data_of(model, 1)
        run("run", model, "--engine", f"stretch:{path}", "--data", data, "--trace", self.folder / "fork.mcap", expect=0)
        recorded = tensors_of(self.folder / "fork.mcap")[0]
        for end, value in zip(ends, alone(model).run(None, inputs)):
            self.assertLessEqual(np.abs(recorded[end].reshape(value.shape) - value).max(), 1e-6 * np.abs(value).max())

    def test_an_input_that_nothing_reads(self):
        net = Parts()
        net.basic("x", 32)
        model = self.model(net.model([("idle", [1, 3]), ("x", [1, 32, 8, 8])], [net.nodes[-1].output[0]]), "idle")
        path, _ = self.plan_of(model, "--split", "channels")
        data, (inputs,) = self.data_of(model, 1)
        run("run", model, "--engine", f"stretch:{path}", "--data", data, "--trace", self.folder / "idle.mcap", expect=0)
        (got,), (value,) = tensors_of(self.folder / "idle.mcap")[0].values(), alone(model).run(None, inputs)
        self.assertLessEqual(np.abs(got.reshape(value.shape) - value).max(), 1e-6 * np.abs(value).max())

    def test_more_pieces_than_a_plan_can_have(self):
        net = Parts()
        weights = net.drawn(32, 32, 1, 1, fan=32)
        ends = [net.op("Conv", ["x", weights]) for _ in range(2100)]
        model = self.model(net.model([("x", [1, 32, 2, 2])], [net.op("Sum", ends)]), "many")
        refused = run("stretch", "plan", model, "--split", "channels", "--cpus", PAIR, "--output", self.folder / "many.json", expect=1)
        self.assertIn("2100 splits need 4200 pieces or more; a plan has at most 4096", refused.err)

    def test_a_search_looks_at_splits(self):
        model = self.model(NETS["basic"](), "basic")
        done = run("stretch", "search", model, "--fresh", "--cpus", PAIR, "--seconds", "0.02", "--rounds", "1", "--plans", self.folder / "plans", "--json", "-", expect={0, 4})  # 4: undecided
        ways = json.loads(done.out)["candidates"]
        for number, way in enumerate(ways, 1):
            plan = json.loads((self.folder / "plans" / f"{number}.json").read_text())
            self.assertEqual("split" in way["name"], "splits" in plan, way["name"])
            if "splits" in plan:
                self.assertLessEqual(way["difference"]["relative"], 1e-5)
        packed = run("stretch", "search", self.model(packed_weights(), "packed"), "--fresh", "--cpus", PAIR, "--seconds", "0.02", "--rounds", "1", expect={0, 4})
        self.assertIn("layers are not split: com.microsoft:MatMulNBits", packed.err + packed.out)


if __name__ == "__main__":
    tool.main()
