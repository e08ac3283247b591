# SPDX-License-Identifier: Apache-2.0
"""predict-precision: the effect of int8 on a model, compared with NumPy and with files that ONNX Runtime really quantised."""
import json

import numpy as np
import onnx
import onnxruntime
from onnx import helper
from onnxruntime import quantization

import tool
from predict_precision_test import save
from quantized_model import Frames
from tool import MODELS, run

onnxruntime.set_default_logger_severity(4)


def int8(*args, expect=(0, 3)):
    found = json.loads(run("predict-precision", *args, "--precisions", "int8", "--json", expect=expect).out)
    return found["predictions"][0], found["warnings"]


def outputs(path, frames):
    """The outputs of ONNX Runtime with every QuantizeLinear and DequantizeLinear executed as written."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return np.concatenate([session.run(None, {"x": frame})[0] for frame in frames])


def quantised(path, out, frames, **options):
    quantization.quantize_static(str(path), str(out), Frames(frames, "x"), per_channel=True, activation_type=quantization.QuantType.QInt8,
                                 weight_type=quantization.QuantType.QInt8, **options)
    return outputs(out, frames)


def error(exact, made):
    return float(np.sqrt(((exact.astype(np.float64) - made) ** 2).mean() / exact.astype(np.float64).var()))


def codes(values, low, high):
    """Asymmetric 8-bit codes; zero is one of them."""
    low, high = min(0.0, low), max(0.0, high)
    scale = np.float32((high - low) / 255)
    zero = np.clip(np.rint(-128 - low / scale), -128, 127)
    return ((np.clip(np.rint(values / scale) + zero, -128, 127) - zero) * scale).astype(np.float32)


class PredictInt8Test(tool.ToolTest):
    def net(self, outlier=1.0):
        """Three convolutions, a branch that joins, a pool; channel 5 of the second convolution is `outlier` times as large, and scaled back afterwards."""
        rng = np.random.default_rng(4)
        nodes = [
            helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], name="c1", pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["c1"], ["r1"], name="r1"),
            helper.make_node("Conv", ["r1", "w2", "b2"], ["c2"], name="c2", pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["c2"], ["r2"], name="r2"),
            helper.make_node("Conv", ["r2", "w3", "b3"], ["c3"], name="c3"),
            helper.make_node("Add", ["c3", "r1"], ["sum"], name="sum"),
            helper.make_node("GlobalAveragePool", ["sum"], ["pooled"], name="pooled"),
            helper.make_node("Flatten", ["pooled"], ["flat"], name="flat"),
            helper.make_node("Gemm", ["flat", "w4", "b4"], ["y"], name="y", transB=1),
        ]
        constants = {"w1": rng.normal(0, 0.3, (8, 3, 3, 3)), "b1": rng.normal(0, 0.1, 8), "w2": rng.normal(0, 0.2, (8, 8, 3, 3)), "b2": rng.normal(0, 0.1, 8),
                     "w3": rng.normal(0, 0.3, (8, 8, 1, 1)), "b3": rng.normal(0, 0.1, 8), "w4": rng.normal(0, 0.5, (5, 8)), "b4": rng.normal(0, 0.1, 5)}
        constants["w2"][5] *= outlier
        constants["b2"][5] *= outlier
        constants["w3"][:, 5] /= outlier
        path = save(self.folder / f"net_{outlier}.onnx", nodes, {k: v.astype(np.float32) for k, v in constants.items()}, ("x", [1, 3, 10, 10]), ("y", [1, 5]))
        frames = rng.normal(0, 1, (12, 1, 3, 10, 10)).astype(np.float32)
        np.savez(self.folder / "frames.npz", x=frames)
        return path, frames, ["--data", self.folder / "frames.npz", "--frames", 12]

    def test_one_product_is_that_of_numpy(self):
        """Every rule at once: input, weights by channel, bias in steps of both, output."""
        rng = np.random.default_rng(9)
        w, b = rng.normal(0, 1, (6, 16)).astype(np.float32) * np.float32([[1], [10], [0.1], [3], [1], [100]]), rng.normal(0, 5, 6).astype(np.float32)
        x = (rng.normal(0, 1, (5, 1, 16)) ** 3).astype(np.float32)
        path = save(self.folder / "m.onnx", [helper.make_node("Gemm", ["x", "w", "b"], ["y"], transB=1)], {"w": w, "b": b}, ("x", [1, 16]), ("y", [1, 6]))
        np.savez(self.folder / "x.npz", x=x)
        one, _ = int8(path, "--data", self.folder / "x.npz", "--frames", 5)
        scale = np.float32(np.abs(w).max(axis=1, keepdims=True) / 127)
        stored = np.clip(np.rint(w / scale), -127, 127) * scale
        step = np.float32((max(0, x.max()) - min(0, x.min())) / 255) * scale.ravel()
        exact = x[:, 0] @ w.T + b
        made = codes(x[:, 0], x.min(), x.max()) @ stored.T + np.rint(b / step) * step
        made = codes(made, exact.min(), exact.max())
        self.assertAlmostEqual(one["outcome"]["logit_nrmse"], error(exact, made), delta=1e-5)

    def test_a_network_is_what_onnx_runtime_makes_of_it(self):
        path, frames, data = self.net()
        exact, made = outputs(path, frames), quantised(path, self.folder / "q.onnx", frames)
        one, warnings = int8(path, *data)
        real = error(exact, made)
        self.assertAlmostEqual(one["outcome"]["logit_nrmse"], real, delta=0.05 * real)
        self.assertEqual(one["outcome"]["answer_agreement"], float((exact.argmax(1) == made.argmax(1)).mean()))
        self.assertEqual(warnings, [])

    def test_the_planted_layer_is_named_and_the_set_mends_the_real_file(self):
        path, frames, data = self.net(outlier=20000.0)
        exact = outputs(path, frames)
        self.assertGreater(error(exact, quantised(path, self.folder / "q.onnx", frames)), 0.25)
        one, _ = int8(path, *data, expect=3)
        self.assertIn(one["worst_alone"]["output"], ("r2", "c3"))
        kept = [layer["output"] for layer in one["keep_in_float32"]]
        self.assertEqual(kept, ["r2", "c3"])
        keep = lambda names: error(exact, quantised(path, self.folder / "k.onnx", frames, nodes_to_exclude=names))
        self.assertLess(keep(["c2", "r2", "c3"]), 0.25)
        self.assertAlmostEqual(keep(["c2", "r2", "c3"]), one["with_kept"]["logit_nrmse"], delta=0.01)
        self.assertGreater(keep(["c2", "r2"]), 0.25)
        self.assertGreater(keep(["c3"]), 0.25)
        text = run("predict-precision", path, *data, "--precisions", "int8", expect=3).out
        self.assertRegex(text, r"worst layer: #\d \w+ '(r2|c3)': with only this layer in int8, logit NRMSE")

    def test_an_average_pool_keeps_the_step_of_its_input(self):
        """Global averages of a wide tensor span only a few codes: AVERAGE_POOL_2D and AveragePool have the input's scale, GlobalAveragePool has its own."""
        rng = np.random.default_rng(6)
        x = rng.normal(0, 1, (8, 1, 4, 32, 32)).astype(np.float32)
        np.savez(self.folder / "x.npz", x=x)
        found = {}
        for pool in ("AveragePool", "GlobalAveragePool"):
            more = {"kernel_shape": [32, 32]} if pool == "AveragePool" else {}
            nodes = [helper.make_node("Conv", ["x", "w"], ["c"], name="c"), helper.make_node(pool, ["c"], ["y"], name="y", **more)]
            path = save(self.folder / f"{pool}.onnx", nodes, {"w": rng.normal(0, 1, (4, 4, 1, 1)).astype(np.float32)}, ("x", [1, 4, 32, 32]), ("y", [1, 4, 1, 1]))
            one, _ = int8(path, "--data", self.folder / "x.npz", "--frames", 8)
            real = error(outputs(path, x), quantised(path, self.folder / "q.onnx", x))
            self.assertAlmostEqual(one["outcome"]["logit_nrmse"], real, delta=0.05 * real)
            found[pool] = one["outcome"]["logit_nrmse"]
        self.assertGreater(found["AveragePool"], 3 * found["GlobalAveragePool"])

    def test_int8_is_taken_with_data_alone_unless_asked_for(self):
        path, _, data = self.net()
        names = lambda *args: [one["precision"] for one in json.loads(run("predict-precision", path, *args, "--json", expect=(0, 3)).out)["predictions"]]
        self.assertEqual(names(), ["float16", "float16-sums", "bfloat16"])
        self.assertEqual(names(*data), ["float16", "float16-sums", "bfloat16", "int8"])
        self.assertIn("calibrated with random values", int8(path)[1][0])

    def test_operators_that_converters_leave_are_told(self):
        nodes = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("Exp", ["c"], ["e"]), helper.make_node("Neg", ["e"], ["y"])]
        path = save(self.folder / "m.onnx", nodes, {"w": np.full((2, 3, 1, 1), 0.1, np.float32)}, ("x", [1, 3, 4, 4]), ("y", [1, 2, 4, 4]))
        _, warnings = int8(path)
        self.assertIn("int8: converters leave these in float32: 1 Exp, 1 Neg", warnings)

    def test_the_projects_own_model_moves_as_little_as_its_file_does(self):
        # LiteRT's own Python on ai-edge-quantizer's file gives 0.157: its averaged ranges clip values.
        for model, recipe, least, most in (("signs_float.onnx", "signs_nchw.recipe", 0, 0.06), ("signs_float.tflite", "signs.recipe", 0.12, 0.2)):
            one, _ = int8(MODELS / model, "--data", MODELS / "data" / "test", "--recipe", MODELS / recipe, "--labels", MODELS / "data" / "labels.csv", "--frames", 24, expect=0)
            self.assertGreater(one["outcome"]["logit_nrmse"], least)
            self.assertLess(one["outcome"]["logit_nrmse"], most)
            self.assertEqual(one["outcome"]["answer_agreement"], 1)


if __name__ == "__main__":
    tool.main()
