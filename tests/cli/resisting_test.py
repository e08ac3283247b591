# SPDX-License-Identifier: Apache-2.0
"""Engines, models and data that resist a layer analysis: everything that can be decided is reported, and everything else is named.
resisting_test.py EDGEPROBE LIBFAULTY"""
import json
import os
import shutil
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

import tool
import traces
from tool import MODELS, RECIPE, ROOT, run, verdict_of

sys.path.append(str(ROOT / "bench" / "layer_matrix"))
sys.path.append(str(ROOT / "tests" / "engine"))
import small_tflite
import stateful_model

FAULTY = "tflite:" + sys.argv.pop(2)
FLOAT, INT8 = MODELS / "signs_float.tflite", MODELS / "signs_int8.tflite"
DATA = ["--data", MODELS / "data" / "test", "--frames", 6]
NCHW = (MODELS / "signs_nchw.recipe").read_text().strip()


def with_fault(fault):
    return dict(os.environ, EDGEPROBE_FAULT=fault)


def weights(name, *shape):
    return numpy_helper.from_array((np.random.default_rng(len(name) + sum(shape)).standard_normal(shape) * 0.3).astype(np.float32), name)


def small_net(path, middle, edit=None, opsets=()):
    """Three convolutions with `middle`, nodes from 'r1' to 'm', after the first."""
    shapes = {"c1": [1, 8, 64, 64], "r1": [1, 8, 64, 64], "m": [1, 8, 64, 64], "c2": [1, 8, 64, 64], "r2": [1, 8, 64, 64], "c3": [1, 16, 32, 32], "p": [1, 16, 1, 1],
              "f": [1, 16], "logits": [1, 5]}
    nodes = [helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], name="first", pads=[1] * 4), helper.make_node("Relu", ["c1"], ["r1"], name="act1"), *middle,
             helper.make_node("Conv", ["m", "w2", "b2"], ["c2"], name="second", pads=[1] * 4), helper.make_node("Relu", ["c2"], ["r2"], name="act2"),
             helper.make_node("Conv", ["r2", "w3", "b3"], ["c3"], name="third", pads=[1] * 4, strides=[2, 2]), helper.make_node("GlobalAveragePool", ["c3"], ["p"], name="pool"),
             helper.make_node("Flatten", ["p"], ["f"], name="flat"), helper.make_node("Gemm", ["f", "w4", "b4"], ["logits"], name="dense"),
             helper.make_node("Softmax", ["logits"], ["y"], name="soft", axis=1)]
    stored = [weights("w1", 8, 3, 3, 3), weights("b1", 8), weights("w2", 8, 8, 3, 3), weights("b2", 8), weights("w3", 16, 8, 3, 3), weights("b3", 16), weights("w4", 16, 5),
              weights("b4", 5)]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 64, 64])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])], stored,
                              value_info=[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13), *opsets], ir_version=8)
    if edit:
        edit(model)
    onnx.save(model, path)
    return path


def scale_weights(name, factor):
    def edit(model):
        stored = next(one for one in model.graph.initializer if one.name == name)
        stored.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(stored) * np.float32(factor), name))

    return edit


class EngineTest(tool.ToolTest):
    def test_outputs_and_layers_of_two_computations_accuse_no_last_layer(self):
        """The logits are wrong only in the plain model: the layers show nothing, and the Softmax after them is right on its inputs."""
        graph = json.loads(run("inspect", FLOAT, "--json", expect=0).out)
        logits = next(layer["index"] for layer in graph["layers"] if layer["type"] == "FULLY_CONNECTED")
        verdict = json.loads(run("check", FLOAT, "--reference", FLOAT, "--recipe", RECIPE, "--reference-recipe", RECIPE, *DATA, "--engine", FAULTY, "--kernels", "builtin",
                                 "--reference-engine", "tflite", "--level", "layers", "--json", expect=(3, 4), env=with_fault(f"op={logits} kind=hidden")).out)
        self.assertEqual([cause for cause in verdict["causes"] if cause["kind"] == "kernel"], [])
        self.assertTrue(any("capturing layers changed the final outputs of 6 of 6 frames" in warning for warning in verdict["warnings"]), verdict["warnings"])
        self.assertIn("of another run", json.dumps(verdict["culprits"]))

    def test_a_reference_that_crashes_on_one_cut_still_judges_the_rest(self):
        import quant_faults

        target = self.folder / "wrong.tflite"
        quant_faults.edit("permw", INT8, 11).save(target)
        verdict = json.loads(run("check", target, "--recipe", RECIPE + " | quantize(model)", "--reference", FLOAT, "--reference-recipe", RECIPE, *DATA, "--reference-engine",
                                 FAULTY, "--reference-kernels", "builtin", "--json", expect=3, env=with_fault("op=4 kind=shown")).out)
        self.assertEqual([(one["layer"], one["name"]) for one in verdict["culprits"]["not_captured"]], [(4, "block2/project")])
        self.assertIn("SIGABRT", verdict["culprits"]["not_captured"][0]["reason"])
        self.assertEqual({(one["name"], one["what"]) for one in verdict["culprits"]["not_measured"] if one["what"] == "local_error"},
                         {("block2/project", "local_error"), ("block2/add", "local_error")})
        self.assertEqual([(cause["kind"], cause["layers"]) for cause in verdict["causes"] if cause["status"] == "confirmed"], [("weights", [11])])
        self.assertEqual(verdict["culprits"]["paired"], {"layers": 19, "of": 19})


    def test_a_host_that_does_not_bear_one_cut_still_bisects(self):
        from ai_edge_litert.interpreter import Interpreter

        writes = [int(op["outputs"][0]) for op in Interpreter(str(FLOAT))._get_ops_details()]
        host = self.folder / "libhost.so"
        shutil.copy(FAULTY.split(":", 1)[1], host)
        for wrong, layers, joined in ((10, [10, 10], None), (4, [4, 5], [5]), (5, [4, 5], [5])):
            with self.subTest(wrong=wrong):
                env = dict(os.environ, EDGEPROBE_FAULT="output=%d kind=chan0" % writes[wrong], EDGEPROBE_FAULT_libhost="output=%d kind=shown" % writes[4])
                args = ["bisect", FLOAT, "--recipe", RECIPE, *DATA, "--engine", FAULTY, "--kernels", "builtin", "--host", "tflite:%s:builtin" % host]
                found = json.loads(run(*args, "--json", expect=3, env=env).out)
                self.assertEqual([(one["layer"], one["name"]) for one in found["not_captured"]], [(4, "block2/project")])
                self.assertIn("SIGABRT", found["not_captured"][0]["reason"])
                self.assertEqual([(one["layers"], one.get("joined")) for one in found["wrong"]], [(layers, joined)])
                self.assertTrue(found["repaired"])
                text = run(*args, expect=3, env=env).out
                self.assertIn("not shown 'block2/project' (CONV_2D) by the host", text)
                if joined:
                    self.assertIn("#4 CONV_2D 'block2/project' with #5 ADD 'block2/add'", text)


class StateTest(tool.ToolTest):
    """In a capture in several groups of outputs, each group must carry the state as in the plain run; LiteRT's own interpreter confirms every tensor."""

    def recorded(self, model, op, **arrays):
        trace, data = self.folder / "s.mcap", self.folder / "s.npz"
        np.savez(data, sequences=[0, 0, 0, 1, 1], **arrays)
        done = run("run", model, "--data", data, "--engine", FAULTY, "--kernels", "builtin", "--level", "layers", "--trace", trace, "--force", *self.state, expect=0,
                   env=with_fault("op=%d kind=shown" % op))
        return done.err, {name.split("/", 1)[1]: values for name, values in traces.exported(trace).items() if name.split("/")[0] in ("layer", "model_output")}

    def interpreter(self, model):
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        one = Interpreter(str(model), experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES, experimental_preserve_all_tensors=True)
        one.allocate_tensors()
        return one, {detail["name"]: detail["index"] for detail in one.get_tensor_details()}

    def assertRecorded(self, model, op, missing, names, found, err, steps):
        self.assertIn("the engine fails when '%s' (" % missing, err)
        self.assertEqual(set(found), set(names) - {missing})
        for name in found:
            np.testing.assert_allclose(found[name], np.stack([step[name] for step in steps]), rtol=1e-6, atol=1e-6, err_msg=name)

    def test_a_carried_state_in_every_group_of_a_halved_capture(self):
        graph, path = small_tflite.Graph(), self.folder / "carried.tflite"
        x, h, k, s, out, a, b, y = (graph.tensor(name, (1, 3)) for name in ("x", "h", "k", "s", "h_out", "a", "b", "y"))
        f, g = graph.tensor("f", values=np.array([0.7], np.float32)), graph.tensor("g", values=np.array([-1.3], np.float32))
        for kind, inputs, made in (("MUL", [h, f], k), ("ADD", [x, k], s), ("TANH", [s], out), ("MUL", [out, g], a), ("ADD", [a, x], b), ("TANH", [b], y)):
            graph.op(kind, inputs, [made], options=kind.capitalize() + "Options" if kind != "TANH" else "NONE")
        graph.save(path, [x, h], [y, out])
        values = np.random.default_rng(3).normal(0, 1, (5, 1, 3)).astype(np.float32)
        one, place = self.interpreter(path)
        names, steps = ("k", "s", "h_out", "a", "b", "y"), []
        for i, value in enumerate(values):
            one.set_tensor(place["x"], value)
            one.set_tensor(place["h"], steps[-1]["h_out"] if i not in (0, 3) else np.zeros((1, 3), np.float32))
            one.invoke()
            steps.append({name: one.get_tensor(place[name]) for name in names})
        self.state = ["--state", "h_out=h"]
        for op, missing in ((1, "s"), (4, "b")):
            with self.subTest(missing=missing):
                err, found = self.recorded(path, op, x=values)
                self.assertRecorded(path, op, missing, names, found, err, steps)

    def test_a_state_inside_of_the_model_in_every_group_of_a_halved_capture(self):
        feature, time = stateful_model.weights()
        graph, path = small_tflite.Graph(), self.folder / "inner.tflite"
        image, flat = graph.tensor("image", (1, 8, 8, 3)), graph.tensor("flat", (1, stateful_model.SIZE))
        u, v, w, y = (graph.tensor(name, (1, stateful_model.UNITS)) for name in ("u", "v", "w", "y"))
        state = graph.tensor("state", (1, stateful_model.UNITS * stateful_model.MEMORY), variable=True)
        shape, g = graph.tensor("shape", values=np.array([1, stateful_model.SIZE], np.int32)), graph.tensor("g", values=np.array([0.3], np.float32))
        of_feature, of_time = graph.tensor("feature", values=feature), graph.tensor("time", values=time)
        graph.op("RESHAPE", [image, shape], [flat], options="ReshapeOptions", newShape=[1, stateful_model.SIZE])
        graph.op("SVDF", [flat, of_feature, of_time, -1, state], [u], options="SVDFOptions", rank=1)
        graph.op("MUL", [u, g], [v], options="MulOptions")
        graph.op("ADD", [v, g], [w], options="AddOptions")
        graph.op("TANH", [w], [y], options="NONE")
        graph.save(path, [image], [y])
        images = np.random.default_rng(6).normal(0, 1, (5, 1, 8, 8, 3)).astype(np.float32)
        one, place = self.interpreter(path)
        names, steps = ("flat", "u", "v", "w", "y"), []
        for i, picture in enumerate(images):
            if i in (0, 3):
                one.reset_all_variables()
            one.set_tensor(place["image"], picture)
            one.invoke()
            steps.append({name: one.get_tensor(place[name]) for name in names})
        # NumPy confirms them, too: the interpreter's values of its state do not come from a formula of the program.
        np.testing.assert_allclose(np.stack([step["u"] for step in steps]), np.stack(stateful_model.expected(images[:3]) + stateful_model.expected(images[3:])), rtol=1e-4, atol=1e-4)
        self.state = []
        for op, missing in ((0, "flat"), (2, "v"), (3, "w")):
            with self.subTest(missing=missing):
                err, found = self.recorded(path, op, image=images)
                self.assertRecorded(path, op, missing, names, found, err, steps)


class ModelTest(tool.ToolTest):
    def test_an_operator_that_no_engine_here_knows_is_named_and_the_rest_is_replayed(self):
        foreign = [helper.make_node("Shrink", ["r1"], ["m"], name="acme/shrink", domain="com.acme")]
        known = [helper.make_node("LeakyRelu", ["r1"], ["m"], name="acme/shrink", alpha=0.1)]
        file = small_net(self.folder / "net.onnx", foreign, opsets=[helper.make_opsetid("com.acme", 1)])
        # A device whose engine has the operator: the same graph with one that computes something. Its third convolution is wrong in the second case.
        for name, edit in (("right", None), ("wrong", scale_weights("w3", 1.5))):
            small_net(self.folder / (name + ".onnx"), known, edit)
            run("run", self.folder / (name + ".onnx"), "--recipe", NCHW, *DATA, "--level", "layers", "--undeclared", "--trace", self.folder / (name + ".mcap"), expect=0)
        verdict = verdict_of("diagnose", self.folder / "wrong.mcap", "--reference-trace", self.folder / "right.mcap", "--model", file, expect=(0, 3))
        self.assertIn("com.acme:Shrink", verdict["warnings"][0])
        self.assertIn("its layers are replayed one by one", verdict["warnings"][0])
        unchecked = verdict["culprits"]["not_checked"]
        self.assertEqual([(one["name"], one["type"]) for one in unchecked], [("m", "com.acme:Shrink")])
        self.assertEqual(verdict["culprits"]["checked"], 9)
        kernels = [cause for cause in verdict["causes"] if cause["kind"] == "kernel"]
        self.assertEqual([(cause["op_type"], cause["layer"]) for cause in kernels], [("Conv", "c3")])
        healthy = verdict_of("diagnose", self.folder / "right.mcap", "--reference-trace", self.folder / "right.mcap", "--model", file, expect=0)
        self.assertEqual(healthy["causes"], [])

    def test_a_loop_is_passed_and_a_fault_behind_it_found(self):
        body = helper.make_graph([helper.make_node("Identity", ["go"], ["go_on"]), helper.make_node("Mul", ["value", "half"], ["next"])], "body",
                                 [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("go", TensorProto.BOOL, []),
                                  helper.make_tensor_value_info("value", TensorProto.FLOAT, [1, 8, 64, 64])],
                                 [helper.make_tensor_value_info("go_on", TensorProto.BOOL, []), helper.make_tensor_value_info("next", TensorProto.FLOAT, [1, 8, 64, 64])],
                                 [numpy_helper.from_array(np.array(0.5, np.float32), "half")])
        loop = [helper.make_node("Constant", [], ["times"], value=numpy_helper.from_array(np.array(3, np.int64))),
                helper.make_node("Constant", [], ["true"], value=numpy_helper.from_array(np.array(True))),
                helper.make_node("Loop", ["times", "true", "r1"], ["m"], name="loop", body=body)]
        right = small_net(self.folder / "right.onnx", loop)
        self.assertEqual(self.check(right, right)["verdict"], "agrees")
        for weights_of, node in (("w1", "c1"), ("w3", "c3")):
            with self.subTest(node=node):
                verdict = self.check(small_net(self.folder / "wrong.onnx", loop, scale_weights(weights_of, 3)), right)
                self.assertEqual(verdict["verdict"], "differs", verdict["headline"])
                self.assertEqual([(cause["kind"], cause["layer"]) for cause in verdict["causes"] if cause["status"] == "confirmed"], [("weights", node)])
                self.assertEqual(verdict["culprits"]["not_checked"], [])

    def check(self, target, reference):
        return verdict_of("check", target, "--reference", reference, "--recipe", NCHW, "--reference-recipe", NCHW, *DATA, expect=(0, 3))

    def test_graphs_that_pair_badly_blame_no_layer(self):
        verdict = verdict_of("check", MODELS / "inception_like.onnx", "--reference", FLOAT, "--recipe", NCHW, "--reference-recipe", RECIPE, *DATA, expect=(0, 3))
        paired = verdict["culprits"]["paired"]
        self.assertLess(2 * paired["layers"], paired["of"])
        self.assertIn("only %d of %d layers have a partner" % (paired["layers"], paired["of"]), verdict["culprits"]["skipped"])
        self.assertEqual([cause for cause in verdict["causes"] if cause["status"] == "confirmed" or cause["layers"]], [])
        text = run("check", MODELS / "inception_like.onnx", "--reference", FLOAT, "--recipe", NCHW, "--reference-recipe", RECIPE, *DATA, expect=(0, 3)).out
        self.assertEqual(" ".join(text.split()).count("have a partner"), 1)

    def test_tensors_of_one_name_are_told_apart(self):
        import model_file

        model = model_file.Model(FLOAT)
        for tensor in model.tensors:
            tensor.name = b"t"
        file = self.folder / "one_name.tflite"
        model.save(file)
        for fault, layers in (("", []), ("op=10 kind=offset", [10]), ("op=4 kind=chan0", [4])):
            with self.subTest(fault=fault):
                verdict = json.loads(run("check", file, "--recipe", RECIPE, "--reference", FLOAT, "--reference-recipe", RECIPE, *DATA, "--engine", FAULTY, "--json", expect=(0, 3),
                                         env=with_fault(fault)).out)
                self.assertEqual([cause["layers"] for cause in verdict["causes"] if cause["status"] == "confirmed"], [layers] if layers else [])
                self.assertEqual(verdict["culprits"]["checked"], 19) if fault else None


class DataTest(tool.ToolTest):
    def check(self, pictures, fault=""):
        return json.loads(run("check", FLOAT, "--recipe", RECIPE, "--reference", FLOAT, "--reference-recipe", RECIPE, "--data", pictures, "--engine", FAULTY, "--json",
                              expect=(0, 3), env=with_fault(fault)).out)

    def test_constant_pictures_are_said_to_tell_little(self):
        for i in range(4):
            Image.new("RGB", (64, 64), (30 + 50 * i,) * 3).save(self.folder / ("gray%d.png" % i))
        said = [text for text in self.check(self.folder)["warnings"] if "constant" in text]
        self.assertEqual(len(said), 1)
        self.assertIn("cannot be determined from these frames", said[0])
        # A kernel is wrong on any input.
        verdict = self.check(self.folder, "op=7 kind=chan0")
        self.assertTrue(any("constant" in text for text in verdict["warnings"]))
        self.assertEqual([cause["layers"] for cause in verdict["causes"] if cause["status"] == "confirmed"], [[7]])

    def test_noise_is_no_fault(self):
        for i in range(4):
            Image.fromarray(np.random.default_rng(i).integers(0, 256, (64, 64, 3), np.uint8)).save(self.folder / ("noise%d.png" % i))
        verdict = self.check(self.folder)
        self.assertEqual((verdict["verdict"], verdict["causes"]), ("agrees", []))
        self.assertFalse(any("constant" in text for text in verdict["warnings"]))


if __name__ == "__main__":
    tool.main()
