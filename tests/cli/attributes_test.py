# SPDX-License-Identifier: Apache-2.0
"""An attribute that an exporter changed is found in its operator, and confirmed by setting it. attributes_test.py EDGEPROBE"""
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

import tool
from tool import MODELS, ROOT, verdict_of

sys.path.append(str(ROOT / "bench" / "attributes"))
import attributes
import nets
import planted

RECIPES = {".onnx": MODELS / "signs_nchw.recipe", ".tflite": MODELS / "signs.recipe"}
DATA = MODELS / "data" / "test"
FRAMES = 4
# One fault of each family that moves the logits, and the value to set, as the file writes it.
ONNX = {"Conv dilation 2": {"dilations": "[1, 1]", "pads": "[1, 1, 1, 1]"}, "AveragePool padding on the other side": {"pads": "[1, 1, 0, 0]"}, "BatchNormalization epsilon 1": {"epsilon": "1e-05"},
        "LeakyRelu alpha 0.6": {"alpha": "0.1"}, "LRN bias 2": {"bias": "0.5"}, "Resize rounding ceil": {"nearest_mode": "floor"}, "Resize coordinates half_pixel": {"coordinate_transformation_mode": "asymmetric"},
        "Clip max 0.3": {"max": "6"}, "DepthToSpace mode CRD": {"mode": "DCR"}, "ReduceMean axes 3": {"axes": "[2]"}, "Gemm alpha 2": {"alpha": "0.8"}, "Transpose perm turned": {"perm": "[0, 1, 2, 3]"}}
TFLITE = {"CONV_2D fused activation NONE": {"fused_activation": "RELU"}, "DEPTHWISE_CONV_2D dilation 1": {"dilation_height": "2", "dilation_width": "2"}, "AVERAGE_POOL_2D window 5": {"filter_height": "3", "filter_width": "3"},
          "LEAKY_RELU alpha 2": {"alpha": "0.1"}, "LOCAL_RESPONSE_NORMALIZATION bias 2": {"bias": "0.5"}, "RESIZE_NEAREST_NEIGHBOR align_corners False half_pixel True": {"half_pixel_centers": "false"},
          "MIRROR_PAD mode symmetric": {"mode": "REFLECT"}, "MEAN axes 2": {"axes": "[1]"}}


def check(target, reference, expect=(0, 3)):
    recipe = RECIPES[reference.suffix]
    return verdict_of("check", target, "--reference", reference, "--recipe", recipe, "--reference-recipe", recipe, "--data", DATA, "--frames", FRAMES, expect=expect)


def changes(cause):
    return {one["values"]["attribute"]: one["values"]["value"] for one in cause["evidence_values"] if one["kind"] == "set_attribute"}


class AttributesTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        nets.both(self.folder, "varied", 1)

    def families(self, suffix, wanted):
        path = self.folder / ("varied" + suffix)
        inputs = nets.pictures(DATA, FRAMES)
        if suffix == ".onnx":
            inputs = [one.transpose(0, 3, 1, 2).copy() for one in inputs]
        whole = attributes.run(path.read_bytes(), suffix, inputs)
        found = {}
        for fault, output, option, apply in (planted.in_onnx if suffix == ".onnx" else planted.in_tflite)(path):
            found.setdefault(fault, (output, apply))
        for fault, setting in wanted.items():
            output, apply = found[fault]
            with self.subTest(fault=fault, output=output):
                changed = self.folder / ("changed" + suffix)
                apply(changed)
                verdict = check(changed, path)
                self.assertEqual(verdict["verdict"], "differs", verdict["headline"])
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["layer"], cause["status"]), ("operator", output, "confirmed"), cause["detail"])
                self.assertEqual(changes(cause), setting, cause["detail"])
                how = next(one["values"] for one in cause["evidence_values"] if one["kind"] == "repaired")
                self.assertEqual(how["how"], "own_attributes")
                self.assertLess(how["after"], 1e-3)
                edited = attributes.mended(cause, changed, self.folder)  # Repairs the file with the code of the verdict.
                self.assertLess(attributes.gap(whole, attributes.run(edited.read_bytes(), suffix, inputs)), 1e-3)

    def test_each_family_in_onnx(self):
        self.families(".onnx", ONNX)

    def test_each_family_in_tflite(self):
        self.families(".tflite", TFLITE)

    def test_two_attributes_of_one_operator_are_both_told_and_no_third(self):
        path, changed = self.folder / "varied.onnx", self.folder / "changed.onnx"
        model = onnx.load(path)
        node = next(one for one in model.graph.node if one.op_type == "HardSigmoid")
        del node.attribute[:]
        node.attribute.extend([helper.make_attribute("alpha", .45), helper.make_attribute("beta", .0)])
        conv = next(one for one in model.graph.node if one.op_type == "Conv")
        conv.attribute.append(helper.make_attribute("auto_pad", "NOTSET"))  # States the default explicitly.
        onnx.save(model, changed)
        cause = check(changed, path)["causes"][0]
        self.assertEqual((cause["status"], changes(cause)), ("confirmed", {"alpha": "0.2", "beta": "0.5"}), cause["detail"])

    def test_one_attribute_in_all_layers_is_told_and_nothing_else(self):
        path, changed = MODELS / "inception_like.onnx", self.folder / "changed.onnx"
        model = onnx.load(path)
        pools = [one for one in model.graph.node if one.op_type == "MaxPool"]
        for one in pools:
            one.op_type = "AveragePool"
        onnx.save(model, self.folder / "averages.onnx")
        for one in pools:
            one.attribute.append(helper.make_attribute("count_include_pad", 1))
            pads = next(a for a in one.attribute if a.name == "pads")
            self.assertGreater(sum(pads.ints), 0)
        onnx.save(model, changed)
        verdict = check(changed, self.folder / "averages.onnx")
        self.assertEqual(verdict["verdict"], "differs", verdict["headline"])
        cause = verdict["causes"][0]
        self.assertEqual((cause["kind"], cause["status"], len(cause["layers"])), ("operator", "confirmed", len(pools)), cause["detail"])
        self.assertEqual([changes(one) for one in verdict["causes"]], [{"count_include_pad": "0"}])

    def test_an_exchanged_operator_is_set_in_the_target_s_own_file(self):
        path, changed = MODELS / "inception_like.onnx", self.folder / "changed.onnx"
        model = onnx.load(path)
        pool = next(one for one in model.graph.node if one.op_type == "MaxPool")
        pool.op_type = "AveragePool"
        onnx.save(model, changed)
        verdict = check(changed, path, expect=3)
        cause = verdict["causes"][0]
        self.assertEqual((cause["kind"], cause["layer"], cause["status"]), ("operator", pool.output[0], "confirmed"), cause["detail"])
        self.assertIn("operator AveragePool in the target (MaxPool in the reference)", cause["detail"])
        self.assertEqual(changes(cause), {"op_type": "MaxPool"})
        code = cause["fix"]["code"]["onnx"].replace("TARGET.onnx", str(changed)).replace("mended.onnx", str(self.folder / "mended.onnx"))
        exec(code, {})
        self.assertEqual(onnx.load(self.folder / "mended.onnx").SerializeToString(deterministic=True), onnx.load(path).SerializeToString(deterministic=True))

    def test_the_same_written_otherwise_is_no_fault(self):
        path, written = MODELS / "signs_float.onnx", self.folder / "written.onnx"
        model = onnx.shape_inference.infer_shapes(onnx.load(path))
        shapes = {one.name: [d.dim_value for d in one.type.tensor_type.shape.dim] for one in [*model.graph.input, *model.graph.value_info]}
        nodes, turn = [], 0
        for node in model.graph.node:
            attributes_of = {one.name: helper.get_attribute_value(one) for one in node.attribute}
            pads = list(attributes_of.get("pads", []))
            if node.op_type == "Conv" and sum(pads):
                turn += 1
                if turn % 2:  # A Pad before a window without padding.
                    amounts = node.output[0] + "_amounts"
                    model.graph.initializer.append(numpy_helper.from_array(np.array([0, 0, *pads[:2], 0, 0, *pads[2:]], np.int64), amounts))
                    nodes.append(helper.make_node("Pad", [node.input[0], amounts], [node.output[0] + "_padded"]))
                    node.input[0] = node.output[0] + "_padded"
                    kept = [one for one in node.attribute if one.name != "pads"]
                else:  # Writes the padding as a word that means the same.
                    sides = [(max(0, (-(-n // s) - 1) * s + k - n)) for n, s, k in zip(shapes[node.input[0]][2:], attributes_of["strides"], attributes_of["kernel_shape"])]
                    if pads != [s // 2 for s in sides] + [s - s // 2 for s in sides]:
                        nodes.append(node)
                        continue
                    kept = [one for one in node.attribute if one.name != "pads"] + [helper.make_attribute("auto_pad", "SAME_UPPER")]
                del node.attribute[:]
                node.attribute.extend(kept)
            if node.op_type == "Softmax":
                rank = len(shapes[node.input[0]])
                axis = attributes_of.get("axis", -1)
                del node.attribute[:]
                node.attribute.append(helper.make_attribute("axis", axis + rank if axis < 0 else axis - rank))
            nodes.append(node)
        del model.graph.node[:], model.graph.value_info[:]
        model.graph.node.extend(nodes)
        onnx.save(model, written)
        inputs = [one.transpose(0, 3, 1, 2).copy() for one in nets.pictures(DATA, 2)]
        r, t = [attributes.run(one.read_bytes(), ".onnx", inputs) for one in (path, written)]
        self.assertLess(attributes.gap(r, t), 1e-4)
        verdict = check(written, path, expect=0)
        self.assertEqual(verdict["causes"], [])
        # With all of these harmless differences, only the one fault is reported.
        fault = next(one for one in planted.in_onnx(written) if one[0] == "Clip max 0.3")
        fault[3](self.folder / "changed.onnx")
        told = [cause for cause in check(self.folder / "changed.onnx", path)["causes"] if cause["status"] == "confirmed"]
        self.assertEqual([(cause["layer"], changes(cause)) for cause in told], [(fault[1], {"max": "6"})])


if __name__ == "__main__":
    tool.main()
