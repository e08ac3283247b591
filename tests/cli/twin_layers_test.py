# SPDX-License-Identifier: Apache-2.0
"""Layers of one kind and shape are paired by graph, weights and values, never by their order. twin_layers_test.py EDGEPROBE"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import tool
from tool import MODELS, run, verdict_of

FRAMES = 6


def constant(values, name):
    return numpy_helper.from_array(np.asarray(values, np.float32), name)


def saved(path, nodes, constants, outputs, inputs=(("image", [1, 3, 16, 16]),)):
    """A model of float32 tensors."""
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in side] for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, "g", *ends, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


class Towers:
    """A stem and two branches of one shape: as two heads with separate outputs, or joined by a Concat or an Add."""

    def __init__(self, seed, join):
        self.join = join
        random = np.random.default_rng(seed)
        self.weights = {"stem": random.normal(0, 0.3, (8, 3, 3, 3))}
        for branch in "ab":
            self.weights[branch + "1"] = random.normal(0, 0.2, (8, 8, 3, 3))
            self.weights[branch + "2"] = random.normal(0, 0.2, (8, 8, 3, 3))
        self.weights["top"] = random.normal(0, 0.2, (8, 16 if join == "Concat" else 8, 1, 1))

    def save(self, path, order="ab", name=lambda layer: layer, **changed):
        """`name`: maps the tensors between the ends to their names."""
        weights = {**self.weights, **changed}
        nodes, used = [], {}

        def conv(layer, reads, out):
            used[layer] = constant(weights[layer], "w_" + name(layer))
            pad = weights[layer].shape[-1] // 2
            nodes.append(helper.make_node("Conv", [reads, "w_" + name(layer)], [out], pads=[pad] * 4))

        conv("stem", "image", name("stem"))
        for branch in order:
            conv(branch + "1", name("stem"), name(branch + "1"))
            nodes.append(helper.make_node("Relu", [name(branch + "1")], [name(branch + "r")]))
            conv(branch + "2", name(branch + "r"), "out_" + branch if self.join == "heads" else name(branch + "2"))
        if self.join == "heads":
            return saved(path, nodes, used.values(), [("out_a", [1, 8, 16, 16]), ("out_b", [1, 8, 16, 16])])
        ends = [name("a2"), name("b2")]
        nodes.append(helper.make_node(self.join, ends, [name("joined")], **({"axis": 1} if self.join == "Concat" else {})))
        conv("top", name("joined"), "y")
        return saved(path, nodes, used.values(), [("y", [1, 8, 16, 16])])


def renamed(layer):
    return "t_" + layer


def numbered(order):
    """Names by position in the file, as an exporter numbers them: in another order, they belong to other layers."""
    places = ["stem"] + [branch + one for branch in order for one in ("1", "r", "2")] + ["joined", "top"]
    return lambda layer: str(places.index(layer))


class TwinLayersTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "x.npz"
        np.savez(self.data, image=np.random.default_rng(9).normal(0, 1, (FRAMES, 3, 16, 16)).astype(np.float32))

    def check(self, target, reference, *more, expect=(0, 3, 4), data=None):
        return verdict_of("check", target, "--reference", reference, "--data", data or self.data, *more, expect=expect)

    def test_branches_in_another_order_are_one_model(self):
        for join in ("heads", "Concat", "Add"):
            towers = Towers(3, join)
            reference = towers.save(self.folder / "reference.onnx")
            for names in (renamed, None):
                target = towers.save(self.folder / "target.onnx", "ba", names or numbered("ba"))
                if names is None:
                    reference = towers.save(self.folder / "reference.onnx", "ab", numbered("ab"))
                for level in ("layers", "io"):
                    with self.subTest(join=join, numbered=names is None, level=level):
                        verdict = self.check(target, reference, "--level", level, expect=0)
                        self.assertEqual(verdict["causes"], [])
                        self.assertNotIn("weights", " ".join(verdict["warnings"]))
                        self.assertNotIn("rmse", str(verdict.get("first_layer")))
                        self.assertTrue(all(layer["exact"] for layer in verdict["layers"]), [layer["name"] for layer in verdict["layers"] if not layer["exact"]])

    def test_a_fault_in_one_of_two_branches_is_named_there(self):
        for join in ("heads", "Add"):
            towers = Towers(4, join)
            reference = towers.save(self.folder / "reference.onnx")
            wrong = np.array(towers.weights["b2"])
            wrong[2] *= -1
            target = towers.save(self.folder / "target.onnx", "ba", renamed, b2=wrong)
            with self.subTest(join=join):
                verdict = self.check(target, reference, expect=3)
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["status"]), ("weights", "confirmed"), cause["detail"])
                self.assertEqual(cause["layer"], "out_b" if join == "heads" else "b2")
                self.assertEqual([one for one in verdict["causes"][1:] if one["status"] == "confirmed"], [])

    def test_compare_pairs_traces_by_their_values(self):
        towers = Towers(5, "Concat")
        traces = []
        for name, order, names in (("reference", "ab", lambda layer: layer), ("target", "ba", renamed)):
            model = towers.save(self.folder / (name + ".onnx"), order, names)
            traces.append(self.folder / (name + ".mcap"))
            run("run", model, "--data", self.data, "--trace", traces[-1], "--level", "layers", expect=0)
        done = run("compare", *traces, expect=0)
        self.assertIn("equal", done.out.splitlines()[0])

    def test_equalised_and_permuted_channels_are_one_model(self):
        towers = Towers(6, "Concat")
        reference = towers.save(self.folder / "reference.onnx")
        scale = np.random.default_rng(1).uniform(0.05, 20, 8)
        order = np.random.default_rng(2).permutation(8)
        # A Relu preserves positive scales, so the channels between two layers may be scaled or permuted.
        equalised = {b + n: towers.weights[b + n] * (scale[:, None, None, None] if n == "1" else 1 / scale[None, :, None, None]) for b in "ab" for n in "12"}
        permuted = {b + n: towers.weights[b + n][order] if n == "1" else towers.weights[b + n][:, order] for b in "ab" for n in "12"}
        for what, changed in (("equalised", equalised), ("permuted", permuted)):
            with self.subTest(what=what):
                target = towers.save(self.folder / "target.onnx", "ab", renamed, **changed)
                verdict = self.check(target, reference, expect=0)
                self.assertEqual([one["status"] for one in verdict["causes"] if one["status"] != "note"], [])
                self.assertNotIn("another model", str(verdict))

    def test_a_fault_beside_equalised_channels_is_not_another_model(self):
        towers = Towers(6, "Concat")
        reference = towers.save(self.folder / "reference.onnx")
        scale = np.random.default_rng(1).uniform(0.05, 20, 8)
        changed = {b + n: towers.weights[b + n] * (scale[:, None, None, None] if n == "1" else 1 / scale[None, :, None, None]) for b in "ab" for n in "12"}
        changed["stem"] = np.array(towers.weights["stem"])
        changed["stem"][3] *= -1
        verdict = self.check(towers.save(self.folder / "target.onnx", "ab", renamed, **changed), reference, expect=3)
        self.assertNotIn("other_model", [one["kind"] for one in verdict["causes"]])
        self.assertEqual([(one["kind"], one["layer"]) for one in verdict["causes"] if one["status"] == "confirmed"], [("weights", "stem")])

    def test_other_weights_throughout_are_another_model(self):
        reference = Towers(7, "heads").save(self.folder / "reference.onnx")
        target = Towers(8, "heads").save(self.folder / "target.onnx")
        verdict = self.check(target, reference, expect=3)
        self.assertEqual((verdict["causes"][0]["kind"], verdict["causes"][0]["status"]), ("other_model", "confirmed"))

    def test_a_map_pairs_what_nothing_else_does(self):
        towers = Towers(10, "heads")
        reference = towers.save(self.folder / "reference.onnx")
        target = towers.save(self.folder / "target.onnx", "ba", renamed)
        names = self.folder / "map.txt"
        names.write_text("a1 t_a1\nb1 t_b1\n")
        verdict = self.check(target, reference, "--map", names, expect=0)
        paired = {layer["name"]: layer for layer in verdict["layers"]}
        self.assertEqual(paired["a1"]["target_name"] if "target_name" in paired["a1"] else "t_a1", "t_a1")
        names.write_text("a1 nowhere\n")
        self.assertIn("nowhere", run("check", target, "--reference", reference, "--data", self.data, "--map", names, expect={1, 2}).err)

    def test_the_inception_net_of_models_in_another_order(self):
        model = onnx.load(MODELS / "inception_like.onnx")
        nodes = list(model.graph.node)
        made = {name: node for node in nodes for name in node.output}
        outputs = {value.name for value in model.graph.output}
        stored = {one.name for one in model.graph.initializer}
        # Depth first from the outputs, the last operand first: this reverses the order of the branches.
        order, seen = [], set()

        def visit(node):
            if id(node) in seen:
                return
            seen.add(id(node))
            for name in reversed(node.input):
                if name in made:
                    visit(made[name])
            order.append(node)
        for name in outputs:
            visit(made[name])
        ends = outputs | {value.name for value in model.graph.input}
        new = {name: f"v{i}" for i, name in enumerate(sorted(made)) if name not in ends}
        self.assertNotEqual([node.output[0] for node in order], [node.output[0] for node in nodes])
        for node in order:
            node.name = ""
            for side in (node.input, node.output):
                for i, name in enumerate(side):
                    side[i] = new.get(name, name if name in ends or name in stored else name)
        del model.graph.node[:]
        del model.graph.value_info[:]
        model.graph.node.extend(order)
        target = self.folder / "target.onnx"
        onnx.save(model, target)
        shape = [d.dim_value or 1 for d in model.graph.input[0].type.tensor_type.shape.dim]
        data = self.folder / "inception.npz"
        np.savez(data, **{model.graph.input[0].name: np.random.default_rng(3).uniform(0, 1, [2, *shape[1:]]).astype(np.float32)})
        verdict = self.check(target, MODELS / "inception_like.onnx", data=data, expect=0)
        self.assertEqual(verdict["causes"], [])
        self.assertTrue(all(layer["exact"] for layer in verdict["layers"]), [layer["name"] for layer in verdict["layers"] if not layer["exact"]])


if __name__ == "__main__":
    tool.main()
