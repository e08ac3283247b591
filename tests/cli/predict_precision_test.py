# SPDX-License-Identifier: Apache-2.0
"""predict-precision: the effect of float16 and bfloat16 on a model, compared with NumPy. predict_precision_test.py EDGEPROBE"""
import json
import subprocess

import numpy as np
import onnx
from onnx import helper, numpy_helper

import tool
from processes import children, interrupt, is_busy, wait_for
from tool import MODELS, SHARED, run

HALF = np.float16
DATA = ["--data", MODELS / "data" / "test", "--recipe", MODELS / "signs.recipe"]


def save(path, nodes, constants, source, result):
    """Saves a model with one input and one output: name and shape each."""
    info = lambda name, shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
    initializers = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "net", [info(*source)], [info(*result)], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def predict(*args, expect=(0, 3)):
    found = json.loads(run("predict-precision", *args, "--json", expect=expect).out)
    return {one["precision"]: one for one in found["predictions"]}


def names(layers):
    return [layer["output"] for layer in layers]


class PredictPrecisionTest(tool.ToolTest):
    def squeeze_excite(self):
        """A sum over 64 x 64 values of about 40 passes 65504; its mean does not."""
        nodes = [
            helper.make_node("Conv", ["x", "w"], ["conv"]),
            helper.make_node("Relu", ["conv"], ["features"]),
            helper.make_node("ReduceSum", ["features", "axes"], ["total"], keepdims=1),
            helper.make_node("Mul", ["total", "share"], ["mean"]),
            helper.make_node("Conv", ["mean", "squeeze"], ["gate"]),
            helper.make_node("Sigmoid", ["gate"], ["open"]),
            helper.make_node("Mul", ["features", "open"], ["scaled"]),
            helper.make_node("GlobalAveragePool", ["scaled"], ["pooled"]),
            helper.make_node("Flatten", ["pooled"], ["y"]),
        ]
        rng = np.random.default_rng(5)
        constants = {
            "w": rng.uniform(40, 90, (4, 3, 1, 1)).astype(np.float32),
            "axes": np.array([2, 3], np.int64),
            "share": np.array([1 / 4096], np.float32),
            "squeeze": rng.normal(0, 0.02, (4, 4, 1, 1)).astype(np.float32),
        }
        return save(self.folder / "se.onnx", nodes, constants, ("x", [1, 3, 64, 64]), ("y", [1, 4]))

    def test_a_sum_in_squeeze_excite_that_passes_65504(self):
        found = predict(self.squeeze_excite(), expect=3)
        half = found["float16"]
        self.assertEqual(half["outcome"]["level"], "breaks")
        self.assertEqual(half["first_not_finite"]["output"], "total")
        self.assertEqual(half["first_not_finite"]["reason"], "value")
        # The reader of the total must be kept too; the layers before and after need not.
        self.assertEqual(names(half["keep_in_float32"]), ["total", "mean"])
        self.assertEqual(half["with_kept"]["level"], "holds")
        self.assertEqual(found["bfloat16"]["outcome"]["level"], "holds")

    def test_the_text_says_the_layer_the_values_and_what_to_keep(self):
        text = run("predict-precision", self.squeeze_excite(), expect=3).out
        self.assertRegex(text, r"first not finite: #2 ReduceSum 'total': its values reach 1\.?\d*e\+05, float16 ends at 65504")
        self.assertIn("keep in float32:\n    #2 ReduceSum 'total'", text)

    def partial_sums(self):
        """A convolution with positive weights first, then negative ones: large partial sums, but a small result."""
        rng = np.random.default_rng(7)
        weights = rng.uniform(1500, 2500, (3, 128, 1, 1)).astype(np.float32)
        weights[:, 64:] = -weights[:, :64] + rng.uniform(-40, 40, (3, 64, 1, 1)).astype(np.float32)
        nodes = [
            helper.make_node("Conv", ["x", "spread"], ["wide"]),
            helper.make_node("Conv", ["wide", "w"], ["narrow"]),
            helper.make_node("GlobalAveragePool", ["narrow"], ["pooled"]),
            helper.make_node("Flatten", ["pooled"], ["y"]),
        ]
        constants = {"spread": np.ones((128, 1, 1, 1), np.float32), "w": weights}
        return save(self.folder / "partial.onnx", nodes, constants, ("x", [1, 1, 4, 4]), ("y", [1, 3]))

    def test_partial_sums_that_pass_the_range_although_the_sum_fits(self):
        found = predict(self.partial_sums(), "--precisions", "float16,float16-sums", expect=3)
        self.assertNotEqual(found["float16"]["outcome"]["level"], "breaks")
        sums = found["float16-sums"]
        self.assertEqual(sums["outcome"]["level"], "breaks")
        self.assertEqual(sums["first_not_finite"]["output"], "narrow")
        self.assertEqual(sums["first_not_finite"]["reason"], "partial_sum")
        self.assertEqual(names(sums["keep_in_float32"]), ["narrow"])
        self.assertLess(sums["layers"][1]["largest"], 65504)

    def test_errors_and_partial_sums_are_those_of_numpy(self):
        """Inputs in float32 from a picture; sums one term after the other, the bias last."""
        rng = np.random.default_rng(3)
        weights, bias = rng.normal(0, 1, (5, 2, 3, 3)).astype(np.float32), rng.normal(0, 1, 5).astype(np.float32)
        source = rng.normal(0, 1, (1, 2, 7, 6)).astype(np.float32)
        nodes = [
            helper.make_node("Mul", ["x", "zero"], ["none"]),
            helper.make_node("Add", ["none", "source"], ["source_again"]),
            helper.make_node("Conv", ["source_again", "w", "b"], ["y"], strides=[2, 1], pads=[1, 0, 1, 0]),
        ]
        constants = {"zero": np.zeros(1, np.float32), "source": source, "w": weights, "b": bias}
        path = save(self.folder / "conv.onnx", nodes, constants, ("x", [1, 2, 7, 6]), ("y", [1, 5, 4, 4]))

        def convolve(x, w, b, step):
            padded = np.pad(x[0], ((0, 0), (1, 1), (0, 0)))
            out, largest = np.zeros((5, 4, 4), np.float32), 0.0
            for o, y, col in np.ndindex(5, 4, 4):
                total = np.float32(0)
                for ky, kx, c in np.ndindex(3, 3, 2):
                    total = step(total + np.float32(padded[c, 2 * y + ky, col + kx]) * np.float32(w[o, c, ky, kx]))
                    largest = max(largest, abs(float(total)))
                out[o, y, col] = step(total + np.float32(b[o]))
            return out, largest

        half = lambda value: np.asarray(value, HALF).astype(np.float32)
        exact, _ = convolve(source, weights, bias, np.float32)
        stored = half(convolve(half(source), half(weights), half(bias), np.float32)[0])
        summed, largest = convolve(half(source), half(weights), half(bias), half)
        error = lambda values: np.sqrt(np.mean((values - exact) ** 2) / np.var(exact))
        found = predict(path, "--precisions", "float16,float16-sums", expect=0)
        self.assertAlmostEqual(found["float16"]["outcome"]["logit_nrmse"], error(stored), delta=2e-6)
        self.assertAlmostEqual(found["float16-sums"]["outcome"]["logit_nrmse"], error(summed), delta=2e-6)
        self.assertGreater(error(summed), 1.5 * error(stored))
        self.assertAlmostEqual(found["float16-sums"]["layers"][2]["largest_partial_sum"], largest, delta=1e-6)

    def one_convolution(self, factor=1.0):
        """A convolution of 36 terms on a constant, and its result with each operand and each sum rounded."""
        rng = np.random.default_rng(8)
        weights, bias = rng.normal(0, factor, (3, 4, 3, 3)).astype(np.float32), rng.normal(0, factor, 3).astype(np.float32)
        source = rng.normal(0, 1, (1, 4, 6, 6)).astype(np.float32)
        nodes = [helper.make_node("Mul", ["x", "zero"], ["none"]), helper.make_node("Add", ["none", "source"], ["again"]), helper.make_node("Conv", ["again", "w", "b"], ["y"])]
        path = save(self.folder / "one.onnx", nodes, {"zero": np.zeros(1, np.float32), "source": source, "w": weights, "b": bias}, ("x", [1, 4, 6, 6]), ("y", [1, 3, 4, 4]))

        def convolve(operand=np.float32, step=np.float32, stored=np.float32, block=36):
            image, taps, out = operand(stored(source))[0], operand(stored(weights)), np.zeros((3, 4, 4), np.float32)
            for o, row, col in np.ndindex(3, 4, 4):
                total = part = np.float32(0)
                for i, (ky, kx, c) in enumerate(np.ndindex(3, 3, 4)):
                    if i % block == 0 and i > 0:
                        total, part = step(total + part), np.float32(0)
                    part = step(part + np.float32(image[c, row + ky, col + kx]) * np.float32(taps[o, c, ky, kx]))
                out[o, row, col] = stored(step(step(total + part) + stored(bias)[o]))
            return out

        exact = convolve()
        return path, convolve, lambda values: np.sqrt(np.mean((values.astype(np.float64) - exact) ** 2) / np.var(exact.astype(np.float64)))

    def test_rounded_operands_are_those_of_numpy(self):
        """TF32: 11 significant bits, the nearest, ties away; bfloat16: 8, ties to even."""
        def tf32(values):
            bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
            return (((bits + 0x1000) >> 13) << 13).astype(np.uint32).view(np.float32)

        def bfloat16(values):
            bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
            return (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) << 16).astype(np.uint32).view(np.float32)

        path, convolve, error = self.one_convolution()
        found = predict(path, "--precisions", "tf32,bfloat16-products", expect=(0, 3))
        for name, operand, least in (("tf32", tf32, 1e-4), ("bfloat16-products", bfloat16, 1e-3)):
            with self.subTest(name):
                wanted = error(convolve(operand=operand))
                self.assertGreater(wanted, least)
                self.assertAlmostEqual(found[name]["outcome"]["logit_nrmse"], wanted, delta=2e-6)

    def test_blocks_and_flushed_numbers_are_those_of_numpy(self):
        half = lambda value: np.asarray(value, HALF).astype(np.float32)
        flush = lambda value: np.where(np.abs(half(value)) < 2.0**-14, np.float32(0), half(value)).astype(np.float32)
        path, convolve, error = self.one_convolution()
        found = predict(path, "--precisions", "float16-sums,float16-blocks", expect=(0, 3))
        blocks, straight = error(convolve(stored=half, step=half, block=32)), error(convolve(stored=half, step=half))
        self.assertGreater(abs(blocks - straight), 2e-5)
        self.assertAlmostEqual(found["float16-blocks"]["outcome"]["logit_nrmse"], blocks, delta=2e-6)
        self.assertAlmostEqual(found["float16-sums"]["outcome"]["logit_nrmse"], straight, delta=2e-6)
        path, convolve, error = self.one_convolution(factor=2.0**-16)
        found = predict(path, "--precisions", "float16,float16-flushed", expect=(0, 3))
        kept, flushed = error(convolve(stored=half)), error(convolve(stored=flush))
        self.assertGreater(flushed, 5 * kept)
        self.assertAlmostEqual(found["float16"]["outcome"]["logit_nrmse"], kept, delta=2e-6)
        self.assertAlmostEqual(found["float16-flushed"]["outcome"]["logit_nrmse"], flushed, delta=2e-6)

    def test_rounding_that_wipes_out_a_difference(self):
        nodes = [
            helper.make_node("Conv", ["x", "w"], ["conv"]),
            helper.make_node("Add", ["conv", "far"], ["moved"]),
            helper.make_node("Sub", ["moved", "far"], ["back"]),
            helper.make_node("GlobalMaxPool", ["back"], ["pooled"]),
            helper.make_node("Flatten", ["pooled"], ["y"]),
        ]
        constants = {"w": np.random.default_rng(1).normal(0, 1, (6, 3, 3, 3)).astype(np.float32), "far": np.array([3e4], np.float32)}
        found = predict(save(self.folder / "far.onnx", nodes, constants, ("x", [1, 3, 9, 9]), ("y", [1, 6])), expect=3)
        for precision in ("float16", "bfloat16"):
            one = found[precision]
            self.assertEqual(one["outcome"]["level"], "breaks")
            self.assertIsNone(one["first_not_finite"])
            self.assertEqual(names(one["keep_in_float32"]), ["moved", "back"])
            self.assertEqual({kept["reason"] for kept in one["keep_in_float32"]}, {"rounding"})
            self.assertEqual(one["with_kept"]["level"], "holds")

    def test_a_batch_norm_is_folded_before_weights_are_rounded(self):
        """Weights of 1e-7 are not binary16 numbers; folded with their batch norm, they are about 1."""
        rng = np.random.default_rng(2)
        nodes = [
            helper.make_node("Conv", ["x", "w"], ["conv"]),
            helper.make_node("BatchNormalization", ["conv", "scale", "shift", "mean", "var"], ["norm"], epsilon=1e-20),
            helper.make_node("Relu", ["norm"], ["relu"]),
            helper.make_node("GlobalAveragePool", ["relu"], ["pooled"]),
            helper.make_node("Flatten", ["pooled"], ["y"]),
        ]
        constants = {
            "w": rng.normal(0, 1e-7, (4, 3, 3, 3)).astype(np.float32),
            "scale": np.ones(4, np.float32),
            "shift": rng.normal(0, 1, 4).astype(np.float32),
            "mean": np.zeros(4, np.float32),
            "var": np.full(4, 1e-14, np.float32),
        }
        path = save(self.folder / "norm.onnx", nodes, constants, ("x", [1, 3, 9, 9]), ("y", [1, 4]))
        found = predict(path)
        self.assertEqual({one["outcome"]["level"] for one in found.values()}, {"holds"})
        self.assertIsNotNone(found["float16-sums"]["layers"][0]["largest_partial_sum"])

    def test_healthy_models_hold_with_accuracy_before_and_after(self):
        for model in ("signs_float.tflite", "signs_float.onnx"):
            recipe = MODELS / ("signs.recipe" if model.endswith("tflite") else "signs_nchw.recipe")
            done = run("predict-precision", MODELS / model, "--data", MODELS / "data" / "test", "--recipe", recipe, "--labels", MODELS / "data" / "labels.csv", "--frames", 12, "--precisions", "float16,float16-sums,float16-blocks,float16-flushed,bfloat16,bfloat16-products,tf32", "--json", expect=0)
            found = json.loads(done.out)
            self.assertEqual((found["frames"], found["frames_with_annotation"], found["warnings"]), (12, 12, []))
            for one in found["predictions"]:
                self.assertEqual(one["outcome"]["level"], "holds")
                self.assertEqual(one["outcome"]["accuracy"], found["accuracy"])
                self.assertTrue(all(layer["relative_error"] < 0.02 for layer in one["layers"]))

    def test_healthy_public_models_do_not_break_in_float16(self):
        models = ["aeq/conv_fc_mnist.tflite", "mlperf_tiny/kws_ref_model_float32.tflite", "mlperf_tiny/pretrainedResnet.tflite", "mlperf_tiny/vww_96_float.tflite", "onnx/mnist.onnx", "tflite_support/mobilenet_v1_0.25_224_1_default_1.tflite"]
        if not (SHARED / "models").is_dir():
            self.skipTest("no shared data on this machine")
        for model in models:
            with self.subTest(model=model):
                found = predict(SHARED / "models" / model, "--precisions", "float16", expect=0)
                self.assertNotEqual(found["float16"]["outcome"]["level"], "breaks")

    def test_limits_of_a_clip_that_are_computed(self):
        """The limits are computed after the convolution that the Clip follows, so the two are not one step."""
        nodes = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("ReduceMax", ["x"], ["most"], keepdims=0),
                 helper.make_node("Clip", ["c", "", "most"], ["y"])]
        constants = {"w": np.random.default_rng(1).normal(0, 1, (2, 3, 1, 1)).astype(np.float32)}
        model = save(self.folder / "m.onnx", nodes, constants, ("x", [1, 3, 4, 4]), ("y", [1, 2, 4, 4]))
        self.assertEqual({one["outcome"]["level"] for one in predict(model).values()}, {"holds"})

    def test_sums_that_are_not_emulated_are_told(self):
        nodes = [helper.make_node("ConvTranspose", ["x", "w"], ["y"])]
        model = save(self.folder / "m.onnx", nodes, {"w": np.ones((3, 2, 2, 2), np.float32)}, ("x", [1, 3, 4, 4]), ("y", [1, 2, 5, 5]))
        self.assertIn("sums of 1 steps are added up in float32: ConvTranspose is not emulated", run("predict-precision", model, expect=0).out)

    def test_open_dimensions_are_asked_for_and_given(self):
        nodes = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("GlobalAveragePool", ["c"], ["y"])]
        constants = {"w": np.random.default_rng(1).normal(0, 1, (4, 3, 3, 3)).astype(np.float32)}
        model = save(self.folder / "m.onnx", nodes, constants, ("x", ["n", 3, "h", "w"]), ("y", ["n", 4, 1, 1]))
        self.assertIn("say them with --input-shape", run("predict-precision", model, expect=1).err)
        for verb in ("predict-precision", "matrix"):
            run(verb, model, "--input-shape", "1x3x16x16", expect=0)

    def test_whole_numbers_as_outputs_are_refused(self):
        nodes = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("ArgMax", ["c"], ["y"], axis=1)]
        graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 3, 4, 4])],
                                  [helper.make_tensor_value_info("y", onnx.TensorProto.INT64, [1, 1, 4, 4])],
                                  [numpy_helper.from_array(np.ones((2, 3, 1, 1), np.float32), "w")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), self.folder / "m.onnx")
        self.assertIn("make the tensor before them an output", run("predict-precision", self.folder / "m.onnx", expect=1).err)

    def test_a_mask_in_front_of_the_last_softmax(self):
        """The mask breaks nothing, and hides nothing that does."""
        for value in (-np.inf, -1e9, -1e4):
            for offset, level in ((0, "holds"), (3e4, "breaks")):
                nodes = [helper.make_node("Add", ["x", "far"], ["a"]), helper.make_node("Sub", ["a", "far"], ["b"]),
                         helper.make_node("Add", ["b", "mask"], ["logits"]), helper.make_node("Softmax", ["logits"], ["y"])]
                constants = {"far": np.float32([offset]), "mask": np.float32([0] * 6 + [value] * 2)}
                model = save(self.folder / "m.onnx", nodes, constants, ("x", [1, 8]), ("y", [1, 8]))
                self.assertEqual(predict(model)["float16"]["outcome"]["level"], level, (value, offset))

    def test_a_folded_batch_norm_that_overflows(self):
        """The weights, then the bias, exceed 65504 after the norm is folded in; neither does by itself."""
        for gain, mean in ((1e4, 0), (1, 9e4)):
            nodes = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("BatchNormalization", ["c", "g", "b", "m", "v"], ["n"], epsilon=0.0),
                     helper.make_node("Mul", ["n", "small"], ["y"])]
            constants = {"w": np.full((2, 3, 1, 1), 10, np.float32), "g": np.float32([gain] * 2), "b": np.float32([0, 1]), "m": np.float32([mean] * 2),
                         "v": np.float32([1, 1]), "small": np.float32([1e-5])}
            model = save(self.folder / "m.onnx", nodes, constants, ("x", [1, 3, 4, 4]), ("y", [1, 2, 4, 4]))
            self.assertEqual({one["outcome"]["level"] for name, one in predict(model).items() if name != "bfloat16"}, {"breaks"}, (gain, mean))

    def test_what_is_inside_a_loop_is_told(self):
        body = helper.make_graph([helper.make_node("Mul", ["x", "big"], ["inner"]), helper.make_node("Div", ["inner", "big"], ["then"])], "t", [],
                                 [helper.make_tensor_value_info("then", onnx.TensorProto.FLOAT, [1, 4])])
        other = helper.make_graph([helper.make_node("Neg", ["x"], ["else"])], "e", [], [helper.make_tensor_value_info("else", onnx.TensorProto.FLOAT, [1, 4])])
        nodes = [helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0), helper.make_node("Greater", ["s", "zero"], ["c"]),
                 helper.make_node("If", ["c"], ["y"], then_branch=body, else_branch=other)]
        model = save(self.folder / "m.onnx", nodes, {"big": np.float32([1e4]), "zero": np.float32(0)}, ("x", [1, 4]), ("y", [1, 4]))
        self.assertIn("compute in float32 inside", run("predict-precision", model, expect=(0, 3)).out)

    def test_a_model_that_is_not_finite_in_float32(self):
        nodes = [helper.make_node("Log", ["minus"], ["y"]), helper.make_node("Sub", ["x", "far"], ["minus"])][::-1]
        path = save(self.folder / "nan.onnx", nodes, {"far": np.array([100], np.float32)}, ("x", [1, 3]), ("y", [1, 3]))
        self.assertIn("gives NaN or infinity in float32 already", run("predict-precision", path, expect=1).err)

    def recorded(self, model, name):
        trace = self.folder / name
        recipe = MODELS / "signs_nchw.recipe"
        run("run", model, "--data", MODELS / "data" / "test", "--recipe", recipe, "--frames", 6, "--level", "layers", "--trace", trace, expect=0)
        return tool.verdict_of("diagnose", trace, "--reference", MODELS / "signs_float.onnx", "--reference-recipe", recipe, expect={0, 3, 4})["warnings"]

    def rounding_device(self, to):
        """The classifier with two casts after each node: an engine that stores values in `to`."""
        model = onnx.load(MODELS / "signs_float.onnx")
        nodes, outputs = [], {one.name for one in model.graph.output}
        for node in model.graph.node:
            nodes.append(node)
            name = node.output[0]
            if name in outputs:
                continue
            node.output[0] = name + "/wide"
            nodes.append(helper.make_node("Cast", [name + "/wide"], [name + "/narrow"], to=to))
            nodes.append(helper.make_node("Cast", [name + "/narrow"], [name], to=onnx.TensorProto.FLOAT))
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        onnx.save(model, self.folder / "device.onnx")
        return self.folder / "device.onnx"

    def test_a_recording_tells_in_what_precision_values_were_stored(self):
        for to, name in ((onnx.TensorProto.BFLOAT16, "bfloat16"), (onnx.TensorProto.FLOAT16, "float16")):
            told = [one for one in self.recorded(self.rounding_device(to), f"{name}.mcap") if "recorded float32 layers in" in one]
            self.assertEqual(len(told), 1, name)
            self.assertIn(f"layers in {name}, from 'stem/conv/linear' on", told[0])
            self.assertIn("and the reference's are not", told[0])

    def test_float32_and_integer_recordings_are_not_told_so(self):
        for model in ("signs_float.onnx", "signs_int8.onnx"):
            self.assertEqual([one for one in self.recorded(MODELS / model, f"{model}.mcap") if "recorded float32 layers in" in one], [])

    def test_ctrl_c_ends_it_at_once(self):
        command = [tool.EXECUTABLE, "predict-precision", MODELS / "signs_float.tflite", *DATA, "--frames", "400"]
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(wait_for(lambda: process.poll() is not None or is_busy(process.pid) or any(map(is_busy, children(process.pid)))))
        self.assertIsNone(process.poll(), "it was done before it could be stopped")
        interrupt(process)
        _, err = process.communicate(timeout=tool.PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn(b"stopped by the user", err)


if __name__ == "__main__":
    tool.main()
