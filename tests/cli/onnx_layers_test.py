# SPDX-License-Identifier: Apache-2.0
"""A fault inside an .onnx model is found in its node. onnx_layers_test.py EDGEPROBE"""
import re
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from onnxruntime import quantization

import tool
import traces
from quantized_model import Frames
from tool import MODELS, ROOT, run, verdict_of

sys.path.append(str(ROOT / "bench" / "onnx_layers"))
import dynamic_faults
import onnx_faults
import qdq_faults
import qoperator_faults

MODEL = MODELS / "signs_float.onnx"
QUANTIZED = MODELS / "signs_int8.onnx"
RECIPE = MODELS / "signs_nchw.recipe"
DATA = ["--data", MODELS / "data" / "test", "--frames", 12]


def check(model, *more, expect=(0, 3), reference=MODEL, reference_recipe=RECIPE):
    return verdict_of("check", model, "--reference", reference, "--recipe", RECIPE, "--reference-recipe", reference_recipe, *DATA, *more, expect=expect)


def quantize(path, frames, **options):
    quantization.quantize_static(str(MODEL), str(path), Frames(frames, "image"), **options)


class OnnxLayersTest(tool.ToolTest):
    def verdict(self, fault, *more):
        changed = fault.apply()
        self.assertIsNotNone(changed, fault.name)
        onnx.save(changed, self.folder / "changed.onnx")
        return check(self.folder / "changed.onnx", *more)

    def test_each_kind_of_fault_is_named_with_its_node(self):
        faults = onnx_faults.planted(onnx.load(MODEL))
        for name in sorted({fault.name for fault in faults}):
            of_kind = [fault for fault in faults if fault.name == name]
            fault = of_kind[len(of_kind) // 2]
            if name == "weights rolled":  # The middle one is 1 by 1: rolling changes nothing.
                fault = of_kind[1]
            with self.subTest(fault=name, node=fault.output):
                verdict = self.verdict(fault)
                self.assertEqual(verdict["verdict"], "differs", verdict["headline"])
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["layer"], cause["status"]), (fault.kind, fault.output, "confirmed"), cause["detail"])
                first = verdict["first_layer"]
                self.assertEqual((first["name"], first["rule"]), (fault.output, "equal_before"))
                self.assertEqual(first["equal_before"], first["compared_before"])

    def test_an_attribute_is_told_with_both_values_and_defaults(self):
        faults = {fault.name: fault for fault in onnx_faults.planted(onnx.load(MODEL))}
        for name, attribute, target, reference in (("alpha 0.4", "alpha", "0.4", "1"), ("clipped at 1", "max", "1", "6")):
            with self.subTest(fault=name):
                cause = self.verdict(faults[name])["causes"][0]
                said = [one["values"] for one in cause["evidence_values"] if one["kind"] == "attribute_differs"]
                self.assertEqual([(one["name"], one["target"].strip("[]"), one["reference"].strip("[]")) for one in said], [(attribute, target, reference)])
                self.assertIn(attribute + " ", cause["detail"])

    def test_the_first_layer_by_the_limit_of_the_user(self):
        fault = next(one for one in onnx_faults.planted(onnx.load(MODEL)) if one.name == "bias zero")
        verdict = self.verdict(fault, "--first-above", 0.02)
        above = [layer for layer in verdict["layers"] if 0 <= layer["index"] and (layer["rmse_over_range"] or 0) > 0.02]
        self.assertEqual(verdict["first_layer"]["rule"], "rmse_over_range")
        self.assertEqual(verdict["first_layer"]["name"], above[0]["name"])
        self.assertIn("--first-above", run("check", MODEL, "--first-above", -1, "--data", MODELS, expect=2).err)

    def test_compare_names_the_first_layer_of_two_recordings(self):
        fault = [one for one in onnx_faults.planted(onnx.load(MODEL)) if one.name == "bias zero"][4]
        onnx.save(fault.apply(), self.folder / "changed.onnx")
        scaled = self.folder / "scaled.recipe"
        scaled.write_text(RECIPE.read_text().replace("-1..1", "-0.9..0.9"))
        traces = {}
        for name, model, recipe in (("good", MODEL, RECIPE), ("same", MODEL, RECIPE), ("bad", self.folder / "changed.onnx", RECIPE), ("other input", MODEL, scaled)):
            traces[name] = self.folder / (name + ".mcap")
            run("run", model, "--recipe", recipe, *DATA, "--level", "layers", "--trace", traces[name], expect=0)

        def first(target, *more):
            return verdict_of("compare", traces["good"], traces[target], *more, expect=(0, 3))["first_layer"]

        found = first("bad")
        self.assertEqual((found["name"], found["rule"]), (fault.output, "equal_before"))
        self.assertEqual(found["equal_before"], found["compared_before"])
        self.assertEqual(first("bad", "--first-above", 1e-9)["rule"], "rmse_over_range")
        self.assertIsNone(first("same"))
        self.assertIsNone(first("other input"))  # all layers differ, and none is at fault
        text = run("compare", traces["good"], traces["bad"], expect=3).out
        self.assertIn(f"('{fault.output}'); before it all {found['equal_before']} are equal", text)

    def test_other_engines_and_optimised_files_are_no_fault(self):
        targets = {"openvino": (MODEL, "--engine", "openvino"), "off": (MODEL, "--optimization", "off")}
        for name, level in (("basic", onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC),
                            ("extended", onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED)):
            options = onnxruntime.SessionOptions()
            options.graph_optimization_level = level
            options.optimized_model_filepath = str(self.folder / (name + ".onnx"))
            onnxruntime.InferenceSession(str(MODEL), options, providers=["CPUExecutionProvider"])
            targets[name] = (self.folder / (name + ".onnx"),)
        for name, target in targets.items():
            with self.subTest(target=name):
                verdict = check(*target, expect=0)
                self.assertEqual(verdict["causes"], [])
                self.assertIsNone(verdict["first_layer"])

    def test_each_kind_of_fault_in_a_quantised_model_is_named_with_its_node(self):
        faults = qdq_faults.planted(onnx.load(QUANTIZED), onnx.load(MODEL))
        # In these nodes, the fault moves the logits by at least .3 of their standard deviation; a scale of 16 times never does.
        nodes = {"weight scale doubled": 3, "filters reversed": 3, "filters upside down": 1, "bias zero": 3, "padding on the other side": 1,
                 "GlobalMaxPool instead": 0, "scale / 8": 8}
        for name, place in nodes.items():
            fault = [fault for fault in faults if fault.name == name][place]
            with self.subTest(fault=name, node=fault.output):
                verdict = self.verdict(fault)
                self.assertEqual(verdict["verdict"], "differs", verdict["headline"])
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["layer"], cause["status"]), (fault.kind, fault.output, "confirmed"), cause["detail"])

    def test_the_scale_that_a_verdict_advises_mends_the_file(self):
        model = onnx.load(QUANTIZED)
        fault = next(fault for fault in qdq_faults.planted(model, onnx.load(MODEL)) if (fault.name, fault.output) == ("scale / 8", "block2/project"))
        changed = fault.apply()
        onnx.save(changed, self.folder / "changed.onnx")
        cause = check(self.folder / "changed.onnx")["causes"][0]
        said = {one["kind"]: one["values"] for one in cause["evidence_values"]}
        mended = onnx.ModelProto()
        mended.CopyFrom(changed)
        node = next(node for node in mended.graph.node if node.op_type == "QuantizeLinear" and node.input[0] == "block2/project")
        for name, value in ((node.input[1], np.float32(said["fitting_scale"]["scale"])), (node.input[2], np.int8(said["fitting_scale"]["zero_point"]))):
            next(one for one in mended.graph.initializer if one.name == name).CopyFrom(numpy_helper.from_array(np.asarray(value), name))
        gaps = [self.gap(changed), self.gap(mended)]
        for gap, told in zip(gaps, (said["repaired"]["before"], said["repaired"]["after"])):
            self.assertAlmostEqual(gap, told, delta=0.1 * told)

    def test_a_reference_with_a_bad_scale_is_told_to_be_the_bad_side(self):
        fault = next(fault for fault in qdq_faults.planted(onnx.load(QUANTIZED), onnx.load(MODEL)) if (fault.name, fault.output) == ("scale / 8", "block2/project"))
        onnx.save(fault.apply(), self.folder / "bad.onnx")
        for target in (MODEL, QUANTIZED):
            with self.subTest(target=target.name):
                verdict = check(target, reference=self.folder / "bad.onnx")
                self.assertEqual(verdict["verdict"], "differs", verdict["headline"])
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["layer"], cause["status"]), ("unknown", "block2/project", "partial"), cause["detail"])
                self.assertIn("the reference itself is the bad side: the quantised range of its Conv layer", cause["detail"])

    def gap(self, changed):
        """RMS error of the logits over their standard deviation, from ONNX Runtime's own Python without its optimiser, on the recorded inputs."""
        inputs = self.inputs()
        float_model = onnx.load(MODEL)
        float_model.graph.output.append(onnx.helper.make_empty_tensor_value_info("logits"))
        changed = onnx.ModelProto.FromString(changed.SerializeToString())
        changed.graph.output.append(onnx.helper.make_empty_tensor_value_info("logits_DequantizeLinear_Output"))
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        r, t = [np.stack([session.run([session.get_outputs()[-1].name], {"image": one})[0] for one in inputs])
                for session in (onnxruntime.InferenceSession(model.SerializeToString(), options) for model in (float_model, changed))]
        return float(np.sqrt(np.mean((t - r) ** 2) / np.var(r)))

    def inputs(self):
        trace = self.folder / "float.mcap"
        run("run", MODEL, "--recipe", RECIPE, *DATA, "--level", "io", "--trace", trace, "--force", expect=0)
        return list(traces.only(traces.exported(trace), "model_input").reshape(-1, 1, 3, 64, 64))

    def test_healthy_quantised_models_have_no_cause(self):
        frames = self.inputs()
        for name, options in (("per channel", {"per_channel": True}), ("per tensor", {}), ("reduced range", {"reduce_range": True}),
                              ("uint8", {"activation_type": quantization.QuantType.QUInt8}), ("symmetric", {"extra_options": {"ActivationSymmetric": True}})):
            with self.subTest(options=name):
                quantize(self.folder / "healthy.onnx", frames, **options)
                verdict = check(self.folder / "healthy.onnx", expect=0)
                self.assertEqual([cause["detail"] for cause in verdict["causes"] if cause["status"] != "note"], [])
                self.assertIsNone(verdict["culprits"]["skipped"])

    def integers(self, **options):
        """The model with operators that compute in integers."""
        path = self.folder / "operators.onnx"
        quantize(path, self.inputs(), quant_format=quantization.QuantFormat.QOperator, **options)
        return path

    def test_healthy_integer_operators_have_no_cause(self):
        for name, options in (("per channel", {"per_channel": True}), ("uint8", {"activation_type": quantization.QuantType.QUInt8})):
            with self.subTest(options=name):
                verdict = check(self.integers(**options), expect=0)
                self.assertEqual(verdict["causes"], [])
                self.assertEqual((verdict["culprits"]["skipped"], verdict["culprits"]["not_checked"]), (None, []))
                self.assertEqual(verdict["culprits"]["checked"], 21)

    def test_each_kind_of_fault_in_integer_operators_is_named_with_its_node(self):
        faults = qoperator_faults.planted(onnx.load(self.integers(per_channel=True)), onnx.load(MODEL))
        for name, output in (("weight scale doubled", "block3/project"), ("filters reversed", "block4/project"), ("bias zero", "block5/project"),
                             ("scale / 8", "block2/project"), ("scale / 8", "block3/depthwise")):
            fault = next(fault for fault in faults if (fault.name, fault.output) == (name, output))
            with self.subTest(fault=name, node=output):
                verdict = self.verdict(fault)
                self.assertEqual(verdict["verdict"], "differs", verdict["headline"])
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["layer"], cause["status"]), (fault.kind, output, "confirmed"), cause["detail"])

    def while_running(self, source=MODEL, **options):
        """The model with operators that quantise while they run."""
        path = self.folder / "while_running.onnx"
        quantization.quantize_dynamic(str(source), str(path), **options)
        return path

    def test_each_kind_of_fault_in_what_is_quantised_while_it_runs_is_named_with_its_node(self):
        for name, output, options in (("weight scale doubled", "block1/depthwise/linear", {}), ("filters reversed", "block3/project", {}),
                                      ("bias zero", "block1/pointwise/linear", {}), ("zero point + 16", "block3/depthwise/linear", {}),
                                      ("filters reversed", "logits", {}), ("weight scale doubled", "logits", {"per_channel": True})):
            path = self.while_running(weight_type=quantization.QuantType.QUInt8, **options)
            faults = dynamic_faults.planted(onnx.load(path), onnx.load(MODEL))
            fault = next(fault for fault in faults if (fault.name, fault.output) == (name, output))
            with self.subTest(fault=name, node=output):
                verdict = self.verdict(fault)
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["layer"]), ("weights", output), cause["detail"])
                self.assertEqual((cause["status"], verdict["verdict"]), ("confirmed", "differs"), verdict["headline"])

    def test_a_layer_that_does_not_bear_to_be_quantised_while_it_runs_is_left_alone_by_the_line_that_the_verdict_gives(self):
        source = MODELS / "inception_like.onnx"
        verdict = check(self.while_running(source), reference=source, expect=3)
        [cause] = verdict["causes"]
        self.assertEqual((cause["kind"], cause["layer"], cause["status"]), ("quantization", "logits", "confirmed"), cause["detail"])
        name = re.search(r'nodes_to_exclude=\["(.*)"\]', cause["fix"]["code"]["onnxruntime"]).group(1)
        mended = check(self.while_running(source, nodes_to_exclude=[name]), reference=source, expect=0)
        self.assertEqual(mended["causes"], [])

    def test_batch_norms_behind_what_is_quantised_while_it_runs_belong_to_both_sides(self):
        made = np.random.default_rng(5)
        nodes, stored, last, channels = [], [], "image", 3

        def keep(name, values):
            stored.append(numpy_helper.from_array(np.asarray(values, np.float32), name))
            return name

        for i, wider in enumerate((8, 12, 16, 16)):
            weights = keep(f"w{i}", made.normal(0, (2 / 9 / channels) ** .5, (wider, channels, 3, 3)))
            norm = [keep(f"{name}{i}", values) for name, values in (("gamma", made.uniform(.5, 2, wider)), ("beta", made.normal(0, .3, wider)),
                                                                   ("mean", made.normal(0, .2, wider)), ("variance", made.uniform(.5, 2, wider)))]
            nodes += [onnx.helper.make_node("Conv", [last, weights], [f"conv{i}"], f"conv{i}", strides=[2, 2], pads=[1] * 4),
                      onnx.helper.make_node("BatchNormalization", [f"conv{i}", *norm], [f"norm{i}"], f"norm{i}"),
                      onnx.helper.make_node("Relu", [f"norm{i}"], [f"relu{i}"], f"relu{i}")]
            last, channels = f"relu{i}", wider
        nodes += [onnx.helper.make_node("GlobalAveragePool", [last], ["pool"], "pool"), onnx.helper.make_node("Flatten", ["pool"], ["out"], "out")]
        graph = onnx.helper.make_graph(nodes, "norms", [onnx.helper.make_tensor_value_info("image", onnx.TensorProto.FLOAT, [1, 3, 64, 64])],
                                       [onnx.helper.make_tensor_value_info("out", onnx.TensorProto.FLOAT, [1, 16])], stored)
        source = self.folder / "norms.onnx"
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8), source)
        path = self.while_running(source, weight_type=quantization.QuantType.QUInt8)
        self.assertEqual(check(path, reference=source, expect=0)["causes"], [])
        faults = dynamic_faults.planted(onnx.load(path), onnx.load(source))
        fault = next(fault for fault in faults if (fault.name, fault.output) == ("filters reversed", "conv1"))
        onnx.save(fault.apply(), path)
        [cause] = check(path, reference=source, expect=3)["causes"]
        self.assertEqual((cause["kind"], cause["layer"], cause["status"]), ("weights", "conv1", "confirmed"), cause["detail"])

    def test_what_is_quantised_while_it_runs_is_held_against_the_other_format(self):
        other = {"reference": MODELS / "signs_float.tflite", "reference_recipe": MODELS / "signs.recipe"}
        path = self.while_running(weight_type=quantization.QuantType.QUInt8)
        self.assertEqual(check(path, expect=0, **other)["causes"], [])
        faults = dynamic_faults.planted(onnx.load(path), onnx.load(MODEL))
        for name, output, layer in (("weight scale doubled", "block1/pointwise/linear", "block1/pointwise"), ("bias zero", "block1/pointwise/linear", "block1/pointwise"),
                                    ("weight scale doubled", "logits", "logits")):
            onnx.save(next(fault for fault in faults if (fault.name, fault.output) == (name, output)).apply(), path)
            with self.subTest(fault=name, node=output):
                [cause] = check(path, expect=3, **other)["causes"]
                self.assertEqual((cause["kind"], cause["layer"], cause["status"]), ("weights", layer, "confirmed"), cause["detail"])

    def test_healthy_models_that_are_quantised_while_they_run_have_no_cause(self):
        for kind in (quantization.QuantType.QUInt8, quantization.QuantType.QInt8):
            for per_channel in (False, True):
                with self.subTest(kind=kind, per_channel=per_channel):
                    verdict = check(self.while_running(weight_type=kind, per_channel=per_channel), expect=0)
                    self.assertEqual(verdict["causes"], [])
                    self.assertIsNone(verdict["culprits"]["skipped"])

    def test_files_out_of_the_ordinary(self):
        """Nodes without names, an open batch, weights next to the file, a branch, shapes computed from shapes: the node is still named."""
        faults = onnx_faults.planted(onnx.load(MODEL))
        fault = next(fault for fault in faults if (fault.name, fault.output) == ("filters reversed", "block4/project"))

        def without_names(model):
            for node in model.graph.node:
                node.ClearField("name")

        def open_batch(model):
            for value in [*model.graph.input, *model.graph.output]:
                value.type.tensor_type.shape.dim[0].dim_param = "N"

        def in_a_branch(model):
            last = model.graph.node.pop()
            body = lambda name: onnx.helper.make_graph([onnx.helper.make_node("Softmax", last.input, [name], axis=-1)], name, [],
                                                       [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 12])])
            model.graph.initializer.append(onnx.helper.make_tensor("yes", onnx.TensorProto.BOOL, [], [True]))
            model.graph.node.append(onnx.helper.make_node("If", ["yes"], last.output, then_branch=body("one"), else_branch=body("other")))

        def shapes_from_shapes(model):
            nodes = list(model.graph.node)
            place = next(i for i, node in enumerate(nodes) if node.op_type == "Flatten")
            read, made = nodes[place].input[0], nodes[place].output[0]
            model.graph.initializer.extend([numpy_helper.from_array(np.int64([0]), "first"), numpy_helper.from_array(np.int64([-1]), "rest")])
            make = onnx.helper.make_node
            nodes[place:place + 1] = [make("Shape", [read], ["its_shape"]), make("Gather", ["its_shape", "first"], ["its_batch"], axis=0),
                                      make("Concat", ["its_batch", "rest"], ["wanted"], axis=0), make("Reshape", [read, "wanted"], [made])]
            del model.graph.node[:]
            model.graph.node.extend(nodes)

        for change in (without_names, open_batch, in_a_branch, shapes_from_shapes, None):
            with self.subTest(file=change.__name__ if change else "weights beside the file"):
                reference, target = onnx.load(MODEL), fault.apply()
                folder = self.folder / (change.__name__ if change else "beside")
                folder.mkdir()
                if change:
                    change(reference)
                    change(target)
                onnx.save(reference, folder / "reference.onnx")
                onnx.save(target, folder / "target.onnx", save_as_external_data=change is None, location="weights.bin", size_threshold=100)
                verdict = check(folder / "target.onnx", reference=folder / "reference.onnx")
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["layer"], cause["status"]), (fault.kind, fault.output, "confirmed"), cause["detail"])
                self.assertGreaterEqual(verdict["culprits"]["checked"], 29)
                self.assertIsNotNone(cause["restored"])

    def test_a_reference_on_an_engine_that_replays_no_layers(self):
        verdict = check(MODEL, "--reference-engine", "openvino", expect=0)
        self.assertEqual((verdict["causes"], verdict["culprits"]["skipped"]), ([], None))
        faults = onnx_faults.planted(onnx.load(MODEL))
        fault = next(fault for fault in faults if (fault.name, fault.output) == ("filters reversed", "block4/project"))
        cause = self.verdict(fault, "--reference-engine", "openvino")["causes"][0]
        self.assertEqual((cause["kind"], cause["layer"], cause["status"]), (fault.kind, fault.output, "confirmed"), cause["detail"])


if __name__ == "__main__":
    tool.main()
