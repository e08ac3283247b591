# SPDX-License-Identifier: Apache-2.0
"""The libraries with a known fault behave as documented: without a fault they change nothing, and each fault equals NumPy's formula on the healthy tensor.

faulty_test.py EDGEPROBE LIBFAULTY POOL_FAULT_DELEGATE; exits 77 without the TFLite library."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RECIPE = (ROOT / "models" / "signs.recipe").read_text().strip()
RECIPES = {"signs_float": RECIPE, "signs_int8": RECIPE + " | quantize(model)"}
EDGEPROBE, FAULTY, DELEGATE = sys.argv[1:4]
PROJECT, PROJECT_OP = "layer/block2/project", 4
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))


def command(*arguments, fault=None):
    environment = {k: v for k, v in os.environ.items() if k != "EDGEPROBE_FAULT"}
    if fault:
        environment["EDGEPROBE_FAULT"] = fault
    return subprocess.run([EDGEPROBE, *map(str, arguments)], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL)


def recorded(model="signs_int8", engine="tflite:" + FAULTY, kernels="builtin", fault=None, more=(), path=None, recipe=None, data=None, level="layers"):
    """{member: array} of a trace of three pictures."""
    with tempfile.TemporaryDirectory(prefix="edgeprobe_faulty_") as folder:
        trace, npz = folder + "/t.mcap", folder + "/t.npz"
        done = command("run", path or ROOT / "models" / (model + ".tflite"), "--recipe", recipe or RECIPES[model], "--data",
                       data or ROOT / "models" / "data" / "test", "--frames", 3, "--level", level, "--engine", engine, "--kernels", kernels,
                       "--no-raw", "--trace", trace, *more, fault=fault)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        exported = command("trace", "export", trace, "--npz", npz)
        if exported.returncode != 0:
            raise AssertionError(exported.stderr)
        arrays = np.load(npz)
        return {name: arrays[name] for name in arrays.files if name != "frames"}


def quantization(tensor_name):
    """(scale, zero point) as LiteRT's own interpreter reads them."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(str(ROOT / "models" / "signs_int8.tflite"))
    return next(d["quantization"] for d in interpreter.get_tensor_details() if d["name"] == tensor_name)


def expected(kind, healthy, zero):
    """The corrupted tensor of one frame, in double, before rounding; None where only a bound is known."""
    y = healthy.astype(np.float64)
    if kind == "chan0":
        y[..., np.argmax(((y - zero).reshape(-1, y.shape[-1]) ** 2).sum(0))] = zero
    elif kind == "lastch":
        y[..., -1] = y[..., 0]
    elif kind == "offset":
        y = y + (5 if healthy.dtype != np.float32 else 0.02 * np.ptp(y))
    elif kind == "sat":
        limit = 0.35 * np.abs(y - zero).max()
        y = np.clip(y, zero - limit, zero + limit)
    elif kind in ("scale", "divisor"):
        y = (y - zero) * (1.1 if kind == "scale" else 0.75) + zero
    else:
        return None
    if healthy.dtype == np.float32:
        return y.astype(np.float32)
    bounds = np.iinfo(healthy.dtype)
    return np.clip(np.rint(y), bounds.min, bounds.max).astype(healthy.dtype)


class FaultyTest(unittest.TestCase):
    def assertSame(self, a, b, names=None):
        for name in names or a:
            np.testing.assert_array_equal(a[name], b[name], name)

    def test_without_a_fault_every_tensor_is_the_real_librarys(self):
        for model in RECIPES:
            for kernels in ("xnnpack", "builtin", "reference"):
                with self.subTest(model=model, kernels=kernels):
                    self.assertSame(recorded(model, "tflite", kernels), recorded(model, kernels=kernels))

    def test_each_fault_is_its_formula_on_one_operator(self):
        for model in RECIPES:
            zero = quantization("block2/project")[1] if model == "signs_int8" else 0
            healthy = recorded(model)
            order = [name for name in healthy if name.startswith("layer/")]
            before = order[: order.index(PROJECT)]
            for kind in ("chan0", "lastch", "offset", "pad", "sat", "scale", "divisor", "trunc"):
                with self.subTest(model=model, kind=kind):
                    faulty = recorded(model, fault="op=%d kind=%s" % (PROJECT_OP, kind))
                    self.assertSame(healthy, faulty, ["model_input/image", *before])
                    self.assertFalse(np.array_equal(healthy["layer/logits"], faulty["layer/logits"]))
                    for good, bad in zip(healthy[PROJECT], faulty[PROJECT]):
                        wanted = expected(kind, good[None], zero)
                        if wanted is not None:
                            np.testing.assert_allclose(bad[None].astype(float), wanted.astype(float), rtol=1e-6, atol=0)
                        if kind == "trunc":
                            step = np.ptp(good) / 255 if model == "signs_float" else 1
                            lost = good.astype(float) - bad
                            self.assertGreaterEqual(lost.min(), -1e-6 * step)
                            self.assertLessEqual(lost.max(), 1.0001 * step)
                            self.assertAlmostEqual(lost[good > good.min()].mean() / step, 0.5, delta=0.1)

    def test_a_padding_fault_is_the_kernel_on_a_shifted_input(self):
        """The pointwise convolution in NumPy, on the input shifted down by one row."""
        healthy, faulty = recorded("signs_float"), recorded("signs_float", fault="op=%d kind=pad" % PROJECT_OP)
        x, y = healthy["layer/block2/depthwise"], healthy[PROJECT]
        shifted = np.roll(x, 1, axis=2 if x.ndim == 5 else 1).reshape(3, 16, 16, -1)
        shifted[:, 0] = 0
        rows = np.c_[x.reshape(-1, x.shape[-1]), np.ones(x.size // x.shape[-1])].astype(float)
        weights, *_ = np.linalg.lstsq(rows, y.reshape(-1, y.shape[-1]).astype(float), rcond=None)
        again = shifted.reshape(-1, x.shape[-1]) @ weights[:-1] + weights[-1]
        np.testing.assert_allclose(again, faulty[PROJECT].reshape(again.shape), atol=1e-3 * np.abs(y).max())

    def test_a_type_is_corrupted_everywhere_and_xnnpack_keeps_the_rest(self):
        healthy = recorded(kernels="xnnpack")
        faulty = recorded(kernels="xnnpack", fault="type=ADD kind=lastch")
        self.assertSame(healthy, faulty, ["layer/stem/conv", "layer/block2/project"])
        for name in ("layer/block2/add", "layer/block4/add", "layer/block5/add"):
            np.testing.assert_array_equal(faulty[name][..., -1], faulty[name][..., 0], name)

    def test_an_output_tensor_names_the_same_operator(self):
        self.assertSame(recorded(fault="op=%d kind=scale" % PROJECT_OP), recorded(fault="output=15 kind=scale"))

    def test_the_fault_does_not_depend_on_what_is_captured(self):
        layers, io = (recorded(fault="type=CONV_2D kind=offset", kernels="xnnpack", level=level) for level in ("layers", "io"))
        self.assertSame(io, layers, io)

    def test_a_fault_that_nobody_knows_is_said(self):
        done = command("run", ROOT / "models" / "signs_int8.tflite", "--recipe", RECIPES["signs_int8"], "--data", ROOT / "models" / "data" / "test",
                       "--frames", 1, "--level", "none", "--engine", "tflite:" + FAULTY, fault="op=3 kind=offest")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("kind=offest", done.stderr)


@unittest.skipUnless((SHARED / "models" / "mlperf_tiny").is_dir(), "no model with AVERAGE_POOL_2D: EDGEPROBE_SHARED_DATA is not there")
class DelegateTest(unittest.TestCase):
    POOL, INPUT = "layer/model/average_pooling2d/AvgPool", "layer/model/activation_6/Relu;model/add_2/add"

    def pooled(self, option):
        found = {}
        for file in ("pretrainedResnet", "pretrainedResnet_quant"):
            found[file] = recorded(path=SHARED / "models" / "mlperf_tiny" / (file + ".tflite"), data=ROOT / "models" / "data" / "test",
                                   recipe="resize(32x32, area)" + (" | quantize(model)" if "quant" in file else ""), engine="tflite",
                                   more=["--delegate", DELEGATE + option])
        return found

    def test_it_computes_the_average_times_its_share(self):
        for option, share in (("?share=1", 1), ("", 0.75)):
            for file, arrays in self.pooled(option).items():
                with self.subTest(file=file, share=share):
                    x = arrays[self.INPUT].astype(np.float64)
                    pooled = arrays[self.POOL].reshape(3, -1).astype(np.float64)
                    if file.endswith("quant"):  # Both tensors share scale and zero point, -128 here (ReLU).
                        wanted = share * (x.reshape(3, -1, x.shape[-1]) + 128).mean(1) - 128
                        self.assertLessEqual(np.abs(pooled - wanted).max(), 0.5 + 1e-6)
                    else:
                        np.testing.assert_allclose(pooled, share * x.reshape(3, -1, x.shape[-1]).mean(1), rtol=1e-5, atol=1e-6)


def main():
    probe = command("doctor", "tflite")
    if probe.returncode != 0 or "works" not in probe.stdout:
        print("skipped: no TFLite library on this machine (edgeprobe doctor)")
        return 77
    del sys.argv[1:]
    unittest.main(verbosity=2)


if __name__ == "__main__":
    sys.exit(main())
