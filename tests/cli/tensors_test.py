# SPDX-License-Identifier: Apache-2.0
"""Models with several inputs and with a state, fed with recorded tensors. tensors_test.py EDGEPROBE"""
import hashlib
import json
import pathlib
import sys
import unittest.mock

import numpy as np
import onnx
import onnxruntime
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "engine"))
import small_tflite
import stateful_model
import tool
from quantized_model import Frames
from tool import MODELS, SHARED, run, verdict_of
from traces import exported

FLOAT = TensorProto.FLOAT
stateful_model_weights = stateful_model.weights


def two_inputs(path, swapped=False, weight=None, batch=1):
    """relu(a W) * b + b, four values each: the two inputs of one shape are not exchangeable."""
    random = np.random.default_rng(5)
    w = random.normal(0, 1, (4, 4)).astype(np.float32) if weight is None else weight
    first, second = ("b", "a") if swapped else ("a", "b")
    nodes = [helper.make_node("MatMul", [first, "w"], ["m"]), helper.make_node("Relu", ["m"], ["r"]), helper.make_node("Mul", [second, "r"], ["p"]),
             helper.make_node("Add", [second, "p"], ["y"])]
    value = lambda name: helper.make_tensor_value_info(name, FLOAT, [batch, 4])
    graph = helper.make_graph(nodes, "g", [value("a"), value("b")], [value("y")], [numpy_helper.from_array(w, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


def recurrent(path, factor=0.5):
    """h' = tanh(x + factor h), y = 2 h': an output that is an input of the next frame."""
    nodes = [helper.make_node("Mul", ["h", "f"], ["k"]), helper.make_node("Add", ["x", "k"], ["s"]), helper.make_node("Tanh", ["s"], ["h_out"]),
             helper.make_node("Add", ["h_out", "h_out"], ["y"])]
    value = lambda name: helper.make_tensor_value_info(name, FLOAT, [1, 3])
    graph = helper.make_graph(nodes, "g", [value("x"), value("h")], [value("y"), value("h_out")],
                              [numpy_helper.from_array(np.array([factor], np.float32), "f")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


def by_onnxruntime(model, feeds, carried=(), begins=(0,)):
    """Outputs of each frame according to ONNX Runtime's own Python; `carried`: pairs of output and input."""
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    names, shapes = [o.name for o in session.get_outputs()], {i.name: i.shape for i in session.get_inputs()}
    outputs, state = [], {}
    for k in range(len(next(iter(feeds.values())))):
        if k in begins:
            state = {to: np.zeros(shapes[to], np.float32) for _, to in carried}
        found = dict(zip(names, session.run(names, {**{n: v[k] for n, v in feeds.items()}, **state})))
        state = {to: found[of] for of, to in carried}
        outputs.append(found)
    return {name: np.stack([one[name] for one in outputs]) for name in names}


class RunTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(1)
        self.a, self.b = (random.normal(0, 1, (6, 1, 4)).astype(np.float32) for _ in range(2))
        self.model, self.data, self.trace = two_inputs(self.folder / "two.onnx"), self.folder / "d.npz", self.folder / "t.mcap"

    def refused(self, said, *more, model=None, **arrays):
        if arrays:
            np.savez(self.data, **arrays)
        done = run("run", model or self.model, "--data", self.data, "--trace", self.trace, *more, expect=(1, 2))
        for words in said if isinstance(said, tuple) else (said,):
            self.assertIn(words, done.err)
        self.assertFalse(self.trace.exists())

    def test_arrays_by_name_give_what_onnxruntime_gives(self):
        np.savez(self.data, b=self.b, a=self.a, labels=np.arange(6) % 4)
        for level in "io", "layers":
            run("run", self.model, "--data", self.data, "--trace", self.trace, "--level", level, "--force", expect=0)
            found = exported(self.trace)
            wanted = by_onnxruntime(self.model, {"a": self.a, "b": self.b})
            np.testing.assert_array_equal(found["model_output/y"], wanted["y"])
            np.testing.assert_array_equal(found["model_input/a"], self.a)
            np.testing.assert_array_equal(found["model_input/b"], self.b)
            np.testing.assert_array_equal(found["labels"], np.arange(6) % 4)
        relu = next(v for n, v in found.items() if n.startswith("layer/") and n.endswith("r"))
        np.testing.assert_allclose(relu, np.maximum(self.a @ numpy_helper.to_array(onnx.load(self.model).graph.initializer[0]), 0), rtol=1e-5)

    def test_a_trace_is_data_again(self):
        np.savez(self.data, a=self.a, b=self.b)
        run("run", self.model, "--data", self.data, "--trace", self.trace, expect=0)
        again = self.folder / "again.mcap"
        run("run", self.model, "--data", self.trace, "--trace", again, expect=0)
        np.testing.assert_array_equal(exported(again)["model_output/y"], exported(self.trace)["model_output/y"])
        replayed = self.folder / "replayed.mcap"
        run("replay", self.trace, self.model, "--trace", replayed, expect=0)
        np.testing.assert_array_equal(exported(replayed)["model_output/y"], exported(self.trace)["model_output/y"])
        run("compare", self.trace, replayed, expect=0)

    def test_frames_are_the_first_and_positional_names_work(self):
        np.savez(self.data, self.a, self.b)  # arr_0, arr_1
        run("run", self.model, "--data", self.data, "--trace", self.trace, "--frames", 2, expect=0)
        np.testing.assert_array_equal(exported(self.trace)["model_output/y"], by_onnxruntime(self.model, {"a": self.a, "b": self.b})["y"][:2])

    def test_open_dimensions_get_the_sizes_of_the_data(self):
        model = two_inputs(self.folder / "open.onnx", batch="batch")
        a, b = np.tile(self.a, (1, 3, 1)), np.tile(self.b, (1, 3, 1))
        np.savez(self.data, a=a, b=b)
        run("run", model, "--data", self.data, "--trace", self.trace, expect=0)
        np.testing.assert_array_equal(exported(self.trace)["model_output/y"], by_onnxruntime(model, {"a": a, "b": b})["y"])

    def test_four_inputs_of_tflite_equal_litert(self):
        model = SHARED / "models" / "litert_testdata" / "multi_add.bin"
        if not model.exists():
            self.skipTest(f"{model} is not there")
        own = self.folder / "multi_add.tflite"
        own.write_bytes(model.read_bytes())
        random = np.random.default_rng(2)
        feeds = {name: random.normal(0, 1, (3, 1, 8, 8, 3)).astype(np.float32) for name in "abcd"}
        np.savez(self.data, **feeds)
        interpreter = Interpreter(str(own))
        interpreter.allocate_tensors()
        wanted = {o["name"]: [] for o in interpreter.get_output_details()}
        for k in range(3):
            for one in interpreter.get_input_details():
                interpreter.set_tensor(one["index"], feeds[one["name"]][k])
            interpreter.invoke()
            for one in interpreter.get_output_details():
                wanted[one["name"]].append(interpreter.get_tensor(one["index"]))
        run("run", own, "--data", self.data, "--trace", self.trace, "--level", "layers", expect=0)
        found = exported(self.trace)
        for name, values in wanted.items():
            np.testing.assert_array_equal(found[f"model_output/{name}"], np.stack(values))

    def test_a_recipe_makes_one_of_the_inputs(self):
        node = helper.make_node
        value = lambda name, shape: helper.make_tensor_value_info(name, FLOAT, shape)
        graph = helper.make_graph([node("ReduceMean", ["image"], ["m"], axes=[1, 2, 3], keepdims=0), node("Add", ["m", "gain"], ["y"])], "g",
                                  [value("gain", [1]), value("image", [1, 4, 4, 3])], [value("y", [1])])
        model = self.folder / "image.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), model)
        pixels = np.random.default_rng(3).integers(0, 256, (2, 4, 4, 3)).astype(np.uint8)
        gain = np.array([[1], [2]], np.float32)
        np.savez(self.data, image=pixels, gain=gain)
        self.refused(("input 'image'", "expected float32 [1,4,4,3]", "found uint8 [4,4,3]", "--recipe 'image:"), model=model)
        self.refused("say which of them the recipe makes", "--recipe", "scale(0..1)", model=model)
        self.refused("no such input", "--recipe", "picture: scale(0..1)", model=model)
        run("run", model, "--data", self.data, "--recipe", "image: scale(0..1)", "--trace", self.trace, expect=0)
        found = exported(self.trace)
        wanted = by_onnxruntime(model, {"image": (pixels / np.float32(255)).astype(np.float32)[:, None], "gain": gain})
        np.testing.assert_allclose(found["model_output/y"], wanted["y"], rtol=1e-6)
        again = self.folder / "again.mcap"  # the trace contains the picture itself: another recipe reads it
        run("replay", self.trace, model, "--recipe", "image: scale(0..2)", "--trace", again, expect=0)
        np.testing.assert_allclose(exported(again)["model_input/image"], found["model_input/image"] * 2, rtol=1e-6)
        np.testing.assert_array_equal(exported(again)["model_input/gain"], gain)

    def test_onnx_test_data_gives_what_it_expects(self):
        vectors = SHARED / "models" / "onnx_vectors"
        if not vectors.exists():
            self.skipTest(f"{vectors} is not there")
        for model in sorted(vectors.iterdir()):
            try:
                onnxruntime.InferenceSession(str(model / "model.onnx"))
            except Exception:  # an operator of the first versions
                continue
            with self.subTest(model=model.name):
                expected = onnx.numpy_helper.to_array(onnx.load_tensor(model / "test_data_set_0" / "output_0.pb"))
                for data in (model, model / "test_data_set_0"):
                    run("run", model / "model.onnx", "--data", data, "--trace", self.trace, "--force", expect=0)
                    found = next(v for n, v in exported(self.trace).items() if n.startswith("model_output/"))
                    np.testing.assert_allclose(found[0], expected, rtol=1e-3, atol=1e-5)
        (self.folder / "set").mkdir()
        (self.folder / "set" / "input_0.pb").write_bytes(b"\xff\xff")
        done = run("run", self.model, "--data", self.folder / "set", "--trace", self.trace, "--force", expect=(1, 2))
        self.assertIn("input_0.pb' is not an ONNX tensor", done.err)

    def test_what_does_not_fit_is_said(self):
        a, b = self.a, self.b
        self.refused(("input 'b' (float32 [1,4]) has no array", "the data holds 'a'"), a=a)
        self.refused(("array 'c' is not an input", "'a', 'b'"), a=a, b=b, c=b)
        self.refused(("input 'b'", "expected float32 [1,4]", "found float32 [1,5]"), a=a, b=np.zeros((6, 1, 5), np.float32))
        self.refused(("input 'b'", "found int64 [1,4]", ".astype(numpy.float32)"), a=a, b=np.zeros((6, 1, 4), np.int64))
        self.refused(("'b' holds 5 samples", "'a' 6"), a=a, b=b[:5])
        self.refused("is empty: it contains no sample", a=a[:0], b=b[:0])
        self.refused("is a single number", a=np.float32(3), b=b)
        broken = b.copy()
        broken[3, 0, 2] = np.nan
        np.savez(self.data, a=a, b=broken)
        done = run("run", self.model, "--data", self.data, "--trace", self.trace, "--force", expect=(1, 2))
        self.assertIn("'0003': input 'b' holds 1 NaN, the first at offset 2", done.err)
        self.trace.unlink(missing_ok=True)
        self.refused("holds texts", a=np.array(["x", "y"]))
        self.data.write_bytes(b"")
        self.refused("is empty")
        np.savez(self.data, a=a, b=b)
        self.data.write_bytes(self.data.read_bytes()[:-40])
        self.refused("NumPy archive")
        run("run", self.model, "--data", MODELS / "data" / "test", "--trace", self.trace, expect=(1, 2))


class StateTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.x = np.random.default_rng(4).normal(0, 1, (7, 1, 3)).astype(np.float32)
        self.data, self.trace = self.folder / "d.npz", self.folder / "t.mcap"

    def test_a_state_is_carried_and_reset(self):
        model = recurrent(self.folder / "r.onnx")
        for sequences, begins in ((None, (0,)), (np.array([1, 1, 1, 2, 2, 2, 2]), (0, 3)), (np.array(list("aabbbcc")), (0, 2, 5))):
            np.savez(self.data, x=self.x, **({} if sequences is None else {"sequences": sequences}))
            for level in "io", "layers":
                run("run", model, "--data", self.data, "--state", "h_out=h", "--level", level, "--trace", self.trace, "--force", expect=0)
                found = exported(self.trace)
                wanted = by_onnxruntime(model, {"x": self.x}, [("h_out", "h")], begins)
                np.testing.assert_array_equal(found["model_output/y"], wanted["y"])
            tanh_inputs = next(v for n, v in found.items() if n.startswith("layer/") and n.endswith("s"))
            np.testing.assert_array_equal(np.tanh(tanh_inputs).astype(np.float32).round(5), found["model_output/h_out"].round(5))
            again = self.folder / "again.mcap"
            run("replay", self.trace, model, "--state", "h_out=h", "--trace", again, "--force", expect=0)
            np.testing.assert_array_equal(exported(again)["model_output/y"], wanted["y"])

    def test_a_given_state_is_the_first(self):
        model = recurrent(self.folder / "r.onnx")
        first = np.tile(np.float32([[[1, -1, 2]]]), (7, 1, 1))
        np.savez(self.data, x=self.x, h=first)
        run("run", model, "--data", self.data, "--state", "h_out=h", "--trace", self.trace, expect=0)
        state, wanted = first[0], []
        session = onnxruntime.InferenceSession(str(model))
        for x in self.x:
            y, state = session.run(["y", "h_out"], {"x": x, "h": state})
            wanted.append(y)
        np.testing.assert_array_equal(exported(self.trace)["model_output/y"], np.stack(wanted))

    def test_wrong_states_are_refused(self):
        model = recurrent(self.folder / "r.onnx")
        np.savez(self.data, x=self.x)
        for state, said in (("h_out", "expected OUTPUT=INPUT"), ("no=h", "no output 'no'"), ("h_out=no", "no input 'no'")):
            done = run("run", model, "--data", self.data, "--state", state, "--trace", self.trace, expect=(1, 2))
            self.assertIn(said, done.err)

    def test_a_tflite_keeps_its_state_over_the_frames_of_a_sequence(self):
        model = self.folder / "state.tflite"
        stateful_model.write(model)
        images = np.random.default_rng(6).normal(0, 1, (6, 1, 8, 8, 3)).astype(np.float32)
        np.savez(self.data, image=images, sequences=[0, 0, 0, 0, 1, 1])
        interpreter = Interpreter(str(model))
        interpreter.allocate_tensors()
        place, out = interpreter.get_input_details()[0]["index"], interpreter.get_output_details()[0]["index"]
        wanted = []
        for k, image in enumerate(images):
            if k == 4:
                interpreter.reset_all_variables()
            interpreter.set_tensor(place, image)
            interpreter.invoke()
            wanted.append(interpreter.get_tensor(out))
        for level in "io", "layers":
            run("run", model, "--data", self.data, "--level", level, "--trace", self.trace, "--force", expect=0)
            found = exported(self.trace)["model_output/out"]
            np.testing.assert_allclose(found, np.stack(wanted), rtol=1e-5, atol=1e-5)  # another library of kernels
            by_numpy = stateful_model.expected(images[:4]) + stateful_model.expected(images[4:])
            np.testing.assert_allclose(found, np.stack(by_numpy), rtol=1e-4, atol=1e-4)


class VerdictTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(9)
        self.a, self.b = (random.normal(0, 1, (24, 1, 4)).astype(np.float32) for _ in range(2))
        self.model, self.data = two_inputs(self.folder / "two.onnx"), self.folder / "d.npz"
        np.savez(self.data, a=self.a, b=self.b)

    def record(self, name, model=None, level="layers", **arrays):
        data, trace = self.folder / f"{name}.npz", self.folder / f"{name}.mcap"
        np.savez(data, **arrays)
        run("run", model or self.model, "--data", data, "--level", level, "--trace", trace, expect=0)
        return trace

    def diagnose(self, target, reference, *more, expect=3):
        return verdict_of("diagnose", target, "--reference", self.model, "--reference-trace", reference, "--model", self.model, *more, expect=expect)

    def test_a_healthy_pair_agrees(self):
        other = two_inputs(self.folder / "other.onnx")
        verdict = verdict_of("check", other, "--reference", self.model, "--data", self.data, expect=0)
        self.assertEqual((verdict["verdict"], verdict["causes"]), ("agrees", []))

    def test_a_wrong_constant_is_found_behind_two_inputs(self):
        weight = numpy_helper.to_array(onnx.load(self.model).graph.initializer[0]).copy()
        weight[:, 1] *= -1
        target = two_inputs(self.folder / "wrong.onnx", weight=weight)
        verdict = verdict_of("check", target, "--reference", self.model, "--data", self.data, expect=3)
        cause = verdict["causes"][0]
        self.assertEqual((cause["kind"], cause["status"], cause["layer"]), ("weights", "confirmed", "m"), cause["detail"])
        self.assertEqual(verdict["first_layer"]["name"], "m")

    def test_what_a_repair_restores_is_measured_with_an_open_dimension(self):
        for batch in (1, "N"):
            reference = two_inputs(self.folder / f"good_{batch}.onnx", batch=batch)
            weight = numpy_helper.to_array(onnx.load(reference).graph.initializer[0]).copy()
            weight[:, 1] *= -1
            target = two_inputs(self.folder / f"wrong_{batch}.onnx", weight=weight, batch=batch)
            cause = verdict_of("check", target, "--reference", reference, "--data", self.data, expect=3)["causes"][0]
            self.assertEqual((cause["kind"], cause["status"]), ("weights", "confirmed"), cause["detail"])
            self.assertAlmostEqual(cause["restored"], 1, places=4, msg=f"{batch}: {cause['restored_unavailable']}")

    def test_inputs_exchanged_inside_the_model_differ(self):
        target = two_inputs(self.folder / "exchanged.onnx", swapped=True)
        verdict = verdict_of("check", target, "--reference", self.model, "--data", self.data, expect=3)
        self.assertEqual(verdict["first_layer"]["name"], "m")
        self.assertNotIn("input_order", [cause["kind"] for cause in verdict["causes"]])  # the app feeds them correctly

    def test_inputs_exchanged_by_the_app_are_named(self):
        verdict = self.diagnose(self.record("t", a=self.b, b=self.a), self.record("r", a=self.a, b=self.b))
        cause = verdict["causes"][0]
        self.assertEqual((cause["kind"], cause["status"]), ("input_order", "confirmed"), cause["detail"])
        self.assertIn("inputs 'a' and 'b' are exchanged", cause["detail"])
        self.assertAlmostEqual(cause["restored"], 1, places=3)
        self.assertEqual(len(verdict["causes"]), 1, verdict["causes"])

    def test_each_input_is_answered_by_its_name(self):
        reference = self.record("r", a=self.a, b=self.b)
        for k, (fault, kind, said) in enumerate((((self.a * 2 + 1, self.b), "value_range", "input 'a' is the reference's times 2 plus 1"), ((self.a, self.b * 0 + 3), "pipeline_stage", "input 'b' is 3 everywhere"),
                                                 ((self.a, self.b * self.b), "value_range", "input 'b' is the square of the reference's"), ((self.a, self.b[::-1].copy()), "other_frame", "input 'b' is that of another frame: frame 0 has the reference's of frame 23"))):
            verdict = self.diagnose(self.record(f"t{k}", a=fault[0], b=fault[1]), reference)
            cause = verdict["causes"][0]
            self.assertEqual((cause["kind"], cause["status"]), (kind, "confirmed"), cause["detail"])
            self.assertIn(said, cause["detail"])
            self.assertEqual(len(verdict["causes"]), 1)

    def test_codes_of_the_target_are_real_numbers_for_a_float_reference(self):
        x = np.random.default_rng(3).integers(-128, 128, (5, 1, 4)).astype(np.int8)
        value, make = helper.make_tensor_value_info, helper.make_node
        scale, zero = numpy_helper.from_array(np.float32(0.1), "s"), numpy_helper.from_array(np.int8(3), "z")
        coded = helper.make_graph([make("DequantizeLinear", ["x", "s", "z"], ["r"]), make("Relu", ["r"], ["y"])], "g", [value("x", TensorProto.INT8, [1, 4])],
                                  [value("y", FLOAT, [1, 4])], [scale, zero])
        real = helper.make_graph([make("Relu", ["x"], ["y"])], "g", [value("x", FLOAT, [1, 4])], [value("y", FLOAT, [1, 4])])
        for name, graph in (("coded", coded), ("real", real)):
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), self.folder / f"{name}.onnx")
        np.savez(self.data, x=x)
        traces = self.folder / "kept"
        run("check", self.folder / "coded.onnx", "--reference", self.folder / "real.onnx", "--data", self.data, "--keep-traces", traces, expect=0)
        np.testing.assert_array_equal(exported(traces / "target.mcap")["model_input/x"], x)
        np.testing.assert_allclose(exported(traces / "reference.mcap")["model_input/x"], (x.astype(np.float32) - 3) * np.float32(0.1), rtol=1e-6)

    def test_matrix_takes_recorded_tensors(self):
        run("matrix", self.model, "--data", self.data, "--frames", 3, expect=0)


class OtherVerbsTest(tool.ToolTest):
    """Recorded tensors with the other verbs that accept them."""

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(12)
        self.feeds = {name: random.normal(0, 1, (16, 1, 4)).astype(np.float32) for name in "ab"}
        self.model, self.data = two_inputs(self.folder / "two.onnx"), self.folder / "d.npz"
        np.savez(self.data, **self.feeds)

    def test_data_that_meets_no_frame_of_a_trace_is_not_passed_over(self):
        model, random = two_inputs(self.folder / "net.onnx"), np.random.default_rng(11)
        a, b = random.normal(0, 1, (12, 4)).astype(np.float32), random.normal(0, 1, (12, 4)).astype(np.float32)
        np.savez(self.folder / "app.npz", a=np.roll(a, 1, axis=0), b=b)  # One sample late.
        np.savez(self.folder / "frames.npz", a=a, b=b)
        np.savez(self.folder / "named.npz", a=a, b=b, samples=[f"clip{i}" for i in range(12)])
        run("run", model, "--data", self.folder / "app.npz", "--trace", self.folder / "app.mcap", expect=0)
        diagnose = lambda data, expect: run("diagnose", self.folder / "app.mcap", "--reference", model, "--data", self.folder / data, expect=expect)
        self.assertIn("differs", diagnose("frames.npz", 3).out)
        refused = diagnose("named.npz", 2).err
        self.assertIn("none of its samples is a frame of the trace", refused)
        self.assertIn("the data begins with 'clip0', the trace with '0000'", refused)

    def test_predict_precision(self):
        self.assertIn("frames of recorded tensors", run("predict-precision", self.model, "--data", self.data, expect=0).out)
        overflows = two_inputs(self.folder / "big.onnx", weight=np.full((4, 4), 3e4, np.float32))
        np.savez(self.data, a=self.feeds["a"] + 4, b=self.feeds["b"])
        text = run("predict-precision", overflows, "--data", self.data, expect=(0, 3)).out
        self.assertGreater(by_onnxruntime(overflows, {"a": self.feeds["a"] + 4, "b": self.feeds["b"]})["y"].max(), 65504)
        self.assertRegex(text, "float16 +breaks")
        self.assertIn("first not finite: #0 MatMul 'r'", text)
        self.assertRegex(text, "bfloat16 +holds")

    def test_bench(self):
        told = json.loads(run("bench", self.model, "--data", self.data, "--runs", 50, "--warm-up", 0.2, "--json", expect=0).out)
        self.assertIn("edgeprobe_bench", told)

    def test_instrument(self):
        made = self.folder / "layers.onnx"
        run("instrument", self.model, "--data", self.data, "--out", made, expect=0)
        session = onnxruntime.InferenceSession(str(made), providers=["CPUExecutionProvider"])
        first = {name: values[0] for name, values in self.feeds.items()}
        found = dict(zip([o.name for o in session.get_outputs()], session.run(None, first)))
        np.testing.assert_array_equal(found["y"], by_onnxruntime(self.model, self.feeds)["y"][0])
        self.assertIn("r", found)

    def test_convert_calibrates_with_them(self):
        made, own = self.folder / "int8.onnx", self.folder / "own.onnx"
        answer = json.loads(run("convert", self.model, "--to", "int8", "--data", self.data, "-o", made, "--json", "--python", sys.executable, expect={0, 3, 4}).out)
        self.assertEqual(answer["calibration_frames"], 16)

        frames = Frames({name: values[k] for name, values in self.feeds.items()} for k in range(16))
        prepared = self.folder / "prepared.onnx"
        quant_pre_process(str(self.model), str(prepared), skip_symbolic_shape=True)
        quantization.quantize_static(str(prepared), str(own), frames, quant_format=quantization.QuantFormat.QDQ, per_channel=True,
                                     activation_type=quantization.QuantType.QInt8, weight_type=quantization.QuantType.QInt8)
        constants = lambda path: {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}
        wanted, found = constants(own), constants(made)
        self.assertEqual(wanted.keys(), found.keys())
        for name, values in wanted.items():
            np.testing.assert_array_equal(found[name], values, err_msg=name)


class QuantisedInputTest(tool.ToolTest):
    def test_exact_halves_become_what_tflite_makes_of_them(self):
        scale, count = np.float32(0.007), 4096
        # Real numbers whose float32 quotient is an exact half; in float64, most quotients are not.
        halves = (np.arange(count) % 250 - 125 + np.float32(0.5)).astype(np.float32)
        reals = halves * scale
        for _ in range(4):  # the neighbours whose float32 quotient is the half
            off = reals / scale - halves
            reals = np.where(off > 0, np.nextafter(reals, np.float32(-9)), np.where(off < 0, np.nextafter(reals, np.float32(9)), reals)).astype(np.float32)
        exact = reals / scale == halves
        double = np.round(np.abs(reals.astype(np.float64) / np.float64(scale))) != np.floor(np.abs(halves) + 0.5)
        self.assertGreater(np.count_nonzero(exact & double), 100, "doubles would put these elsewhere")
        graphs = {}
        for name in "given", "made":
            graph = graphs[name] = small_tflite.Graph()
            coded, out = graph.tensor("coded", (1, count), kind=np.int8, scale=scale), graph.tensor("y", (1, count))
            real = graph.tensor("x", (1, count))
            if name == "made":
                graph.op("QUANTIZE", [real], [coded], options="QuantizeOptions")
                graph.save(self.folder / "made.tflite", [real], [coded])
            else:
                graph.op("DEQUANTIZE", [coded], [out], options="DequantizeOptions", version=2)
                graph.save(self.folder / "given.tflite", [coded], [out])
        interpreter = Interpreter(str(self.folder / "made.tflite"), experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        interpreter.allocate_tensors()
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], reals[None])
        interpreter.invoke()
        wanted = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
        data, trace = self.folder / "d.npz", self.folder / "t.mcap"
        np.savez(data, coded=reals[None, None])
        run("run", self.folder / "given.tflite", "--data", data, "--trace", trace, expect=0)
        np.testing.assert_array_equal(exported(trace)["model_input/coded"][0], wanted)


class StateVerdictTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "d.npz"
        np.savez(self.data, x=np.random.default_rng(8).normal(0, 1, (20, 1, 3)).astype(np.float32), sequences=np.repeat([0, 1], 10))

    def test_a_wrong_constant_in_a_loop_is_found(self):
        good, bad = recurrent(self.folder / "good.onnx"), recurrent(self.folder / "bad.onnx", factor=-0.9)
        flags = ("--data", self.data, "--state", "h_out=h", "--reference-state", "h_out=h")
        self.assertEqual(verdict_of("check", good, "--reference", good, *flags, expect=0)["causes"], [])
        verdict = verdict_of("check", bad, "--reference", good, *flags, expect=3)
        self.assertEqual(verdict["causes"][0]["layer"], "k", verdict["causes"])
        self.assertNotIn("preprocessing", [cause["stage"] for cause in verdict["causes"]])
        # A reference with the same names has the same state.
        self.assertEqual(verdict_of("check", bad, "--reference", good, *flags[:4], expect=3)["causes"], verdict["causes"])
        trace = self.folder / "bad.mcap"
        run("run", bad, *flags[:4], "--level", "layers", "--trace", trace, expect=0)
        told = verdict_of("diagnose", trace, "--reference", good, "--model", bad, *flags[2:4], expect=3)
        self.assertEqual(told["causes"][0]["layer"], "k", told["causes"])

    def test_the_effect_of_an_input_is_that_over_the_sequence(self):
        """An offset moves one step by less than the floor, but accumulates in the state."""
        x = np.random.default_rng(8).normal(0, .05, (40, 1, 3)).astype(np.float32)
        app = self.folder / "app.npz"
        for factor, offset in ((.97, .006), (.9, .011)):
            with self.subTest(factor):
                model = recurrent(self.folder / "r.onnx", factor=factor)
                for data, values in ((self.data, x), (app, x + np.float32(offset))):
                    np.savez(data, x=values, sequences=np.repeat([0, 1], 20))
                    run("run", model, "--data", data, "--state", "h_out=h", "--trace", data.with_suffix(".mcap"), "--force", expect=0)
                verdict = verdict_of("diagnose", app.with_suffix(".mcap"), "--reference", model, "--reference-trace", self.data.with_suffix(".mcap"),
                                     "--model", model, "--state", "h_out=h", expect=3)
                [cause] = [one for one in verdict["causes"] if one["stage"] == "preprocessing"]
                self.assertIn(f"input 'x' is {offset:g} too high in every value", cause["detail"])
                self.assertEqual(cause["status"], "confirmed")
                (left,) = [one["values"] for one in cause["evidence_values"] if one["kind"] == "reference_with_fault_distance"]
                self.assertLess(left["distance"], left["without"] / 10)

    def inner_state(self, name, factor=1.0):
        """The SVDF model; its weights over time are this many times as large for the oldest input."""
        def scaled():
            feature, time = stateful_model_weights()
            return feature, time * np.array([factor, 1, 1], np.float32)

        path = self.folder / name
        with unittest.mock.patch.object(stateful_model, "weights", scaled):
            stateful_model.write(path)
        return path

    def test_a_state_inside_of_a_tflite(self):
        good, same, bad = self.inner_state("good.tflite"), self.inner_state("same.tflite"), self.inner_state("bad.tflite", -2.0)
        images = np.random.default_rng(6).normal(0, 1, (20, 1, 8, 8, 3)).astype(np.float32)
        np.savez(self.data, image=images, sequences=np.repeat([0, 1, 2, 3], 5))
        healthy = verdict_of("check", same, "--reference", good, "--data", self.data, expect=0)
        self.assertEqual((healthy["verdict"], healthy["causes"]), ("agrees", []))
        traces = self.folder / "kept"
        verdict = verdict_of("check", bad, "--reference", good, "--data", self.data, "--keep-traces", traces, expect=3)
        self.assertEqual(verdict["verdict"], "differs")
        for name, factor in (("target", -2.0), ("reference", 1.0)):
            with unittest.mock.patch.object(stateful_model, "weights", lambda: (stateful_model_weights()[0], stateful_model_weights()[1] * np.array([factor, 1, 1], np.float32))):
                wanted = [one for k in range(0, 20, 5) for one in stateful_model.expected(images[k:k + 5])]
            np.testing.assert_allclose(exported(traces / f"{name}.mcap")["model_output/out"], np.stack(wanted), rtol=1e-4, atol=1e-4)
        flags = (traces / "target.mcap", "--reference", good, "--reference-trace", traces / "reference.mcap", "--model", bad)
        for one in verdict, verdict_of("diagnose", *flags, expect=3):
            self.assertEqual([(cause["kind"], cause["status"]) for cause in one["causes"]], [("unknown", "partial")])
        # The one layer with the state is reported as unchecked, not as right; the layer before it is right.
        text = " ".join(run("diagnose", *flags, expect=3).out.split())
        self.assertIn("Not checked: 1 'out' (SVDF): it keeps a state from one run to the next; every layer is judged only on frames that begin a sequence", text)

    def test_a_state_that_is_not_reset_differs(self):
        model, once = recurrent(self.folder / "r.onnx", factor=0.9), self.folder / "once.npz"
        with np.load(self.data) as data:
            np.savez(once, x=data["x"])
        for name, data in (("target", once), ("reference", self.data)):
            run("run", model, "--data", data, "--state", "h_out=h", "--level", "layers", "--trace", self.folder / f"{name}.mcap", expect=0)
        verdict = verdict_of("diagnose", self.folder / "target.mcap", "--reference", model, "--reference-trace", self.folder / "reference.mcap", "--model", model,
                             "--state", "h_out=h", expect=(3, 4))
        self.assertNotEqual(verdict["verdict"], "agrees")
        self.assertEqual([cause for cause in verdict["causes"] if cause["status"] == "confirmed" and cause["stage"] == "model"], [])

    def test_layers_after_an_operator_of_unknown_type_are_recorded(self):
        # The types of its result and of all later tensors come from the engine; NumPy computes the values.
        random = np.random.default_rng(8)
        w, x = random.normal(0, 1, (4, 4)).astype(np.float32), random.normal(0, 1, (3, 1, 4, 4)).astype(np.float32)
        value = lambda name: helper.make_tensor_value_info(name, FLOAT, [1, 4, 4])
        nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Inverse", ["a"], ["b"], domain="com.microsoft"), helper.make_node("MatMul", ["b", "w"], ["c"]),
                 helper.make_node("Relu", ["c"], ["d"]), helper.make_node("Add", ["d", "w"], ["y"])]
        graph = helper.make_graph(nodes, "g", [value("x")], [value("y")], [numpy_helper.from_array(w, "w")])
        net, data, trace = self.folder / "net.onnx", self.folder / "x.npz", self.folder / "t.mcap"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)], ir_version=8), net)
        np.savez(data, x=x)
        done = run("run", net, "--data", data, "--level", "layers", "--trace", trace, expect=0)
        self.assertIn("4 layers each", done.out)
        self.assertNotIn("warning", done.err)
        values = exported(trace)
        b = np.linalg.inv(x @ w)
        expected = {"a": x @ w, "b": b, "c": b @ w, "d": np.maximum(b @ w, 0)}
        for name, array in expected.items():
            np.testing.assert_allclose(values[f"layer/{name}"].reshape(array.shape), array, rtol=1e-3, atol=1e-3)
        # The model is still that of the file.
        told = json.loads(run("trace", "info", trace, "--json", expect=0).out)
        self.assertIn(hashlib.sha256(net.read_bytes()).hexdigest(), json.dumps(told))


if __name__ == "__main__":
    tool.main()
