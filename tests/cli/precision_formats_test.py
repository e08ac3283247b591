# SPDX-License-Identifier: Apache-2.0
"""diagnose: the lower precision in which a target computes, with devices emulated in NumPy. precision_formats_test.py EDGEPROBE"""
import numpy as np
import onnx
from onnx import helper, numpy_helper

import emulated_device as device
import tool
from emulated_device import Device
from recorded_device import AT, CHANNELS, DeviceTest, with_convolutions
from tool import MODELS


class PrecisionFormatsTest(DeviceTest):
    def diagnosed(self, path, own_model=False, **how):
        """The verdict on an emulated device that runs the model file at `path`."""
        emulated = Device(path, **how)
        return self.verdict_of(path, emulated.run, emulated.types(), *(("--model", path) if own_model else ()))

    def evidence(self, verdict, kind):
        return [one["values"] for one in verdict["causes"][0]["evidence_values"] if one["kind"] == kind]

    def others(self, verdict):
        return {one["other"] for one in self.evidence(verdict, "precision_undecided")}

    def test_operands_of_products(self):
        """Small differences in values near 12000 and 2000 vanish in 11 and in 8 bits."""
        for name, rounds, offset, own_model in (("tf32", device.tf32, 12000, False), ("tf32", device.tf32, 12000, True), ("tf32-cut", device.tf32_cut, 12000, True), ("bfloat16-products", device.bfloat16, 2000, False)):
            with self.subTest(name, own_model=own_model):
                path = with_convolutions(self.folder / "m.onnx", [(1, offset), (1, -offset)])
                verdict = self.diagnosed(path, operands=rounds, own_model=own_model)
                self.assertEqual(self.confirmed(verdict), ["precision"], (name, verdict["causes"], verdict["warnings"]))
                cause = verdict["causes"][0]
                self.assertIn(name, cause["detail"])
                self.assertGreater(cause["restored"], verdict["task"]["target"] + 0.1)
                steps = self.evidence(verdict, "precision_steps")[0]
                self.assertEqual(steps["layers"], steps["of"])
                # 11 significant bits and rounding to nearest: TF32 and float16 differ only in their range.
                self.assertEqual(self.others(verdict), {"float16-products"} if name == "tf32" else set())

    def test_kernels_of_rounded_operands_have_their_name(self):
        """No format explains the error of another layer, so the format is not replayed: the kernels that it explains are still named after it."""
        path = with_convolutions(self.folder / "m.onnx", [(1, 12000), (1, -12000)])
        verdict = self.diagnosed(path, operands=device.tf32, own_model=True, fault=("logits", 1.004))
        confirmed = [one for one in verdict["causes"] if one["status"] == "confirmed"]
        self.assertEqual([one["kind"] for one in confirmed], ["precision"], (verdict["causes"], verdict["warnings"]))
        self.assertIn("undecided between tf32 and float16-products", confirmed[0]["detail"])

    def test_rounded_operands_that_harm_nothing_are_said_and_are_no_cause(self):
        for own_model in (False, True):
            verdict = self.diagnosed(MODELS / "signs_float.onnx", operands=device.tf32, own_model=own_model)
            self.assertEqual((verdict["verdict"], verdict["causes"]), ("agrees", []))
            self.assertIn("undecided between tf32 and float16-products", " ".join(verdict["warnings"]))

    def test_ties_to_even_do_not_make_tf32_float16(self):
        """Weights halfway between two numbers of 11 bits, which devices round either way."""
        model = onnx.load(MODELS / "signs_float.onnx")
        for one in model.graph.initializer:
            values = numpy_helper.to_array(one).copy()
            if values.ndim == 4:
                values.reshape(-1)[::7] = np.where(values.reshape(-1)[::7] < 0, -1, 1) * np.float32(0.0625 * (1 + 2.0**-11))
                one.CopyFrom(numpy_helper.from_array(values, one.name))
        onnx.save(model, self.folder / "m.onnx")
        warnings = " ".join(self.diagnosed(self.folder / "m.onnx", operands=device.tf32, own_model=True)["warnings"])
        self.assertIn("undecided between", warnings)
        self.assertIn("tf32", warnings)

    def test_batch_norms_that_were_recorded_apart(self):
        """If the device shows the values before the norm, weights are rounded without folding the norm into them."""
        model, nodes, rng = onnx.load(MODELS / "signs_float.onnx"), [], np.random.default_rng(5)
        for node in model.graph.node:
            nodes.append(node)
            if node.op_type != "Conv":
                continue
            out, count = node.output[0], next(one.dims[0] for one in model.graph.initializer if one.name == node.input[1])
            node.output[0] = out + "/sum"
            norm = {f"{out}/{name}": values.astype(np.float32) for name, values in
                    (("gain", rng.uniform(0.7, 1.4, count)), ("offset", np.zeros(count)), ("mean", np.zeros(count)), ("variance", np.ones(count)))}
            model.graph.initializer.extend(numpy_helper.from_array(values, name) for name, values in norm.items())
            nodes.append(helper.make_node("BatchNormalization", [out + "/sum", *norm], [out], name=out + "/norm"))
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        onnx.checker.check_model(model)
        onnx.save(model, self.folder / "m.onnx")
        for name, rounds in (("tf32", device.tf32), ("bfloat16-products", device.bfloat16)):
            self.assertIn(name, " ".join(self.diagnosed(self.folder / "m.onnx", operands=rounds, own_model=True)["warnings"]))

    def test_some_layers_alone(self):
        """Only some layers of the device compute in TF32."""
        path = with_convolutions(self.folder / "m.onnx", [(1, 12000), (1, -12000)])
        verdict = self.diagnosed(path, operands=device.tf32, only={"stage0", AT, "block1/project", "block2/project"})
        self.assertEqual(self.confirmed(verdict), ["precision"], verdict["warnings"])

    def test_sums_in_float16(self):
        """A sum goes up to 3000 and down again: if it is kept in float16, the layer's own values are lost."""
        path = self.with_long_sums()
        for name, order, others in (("float16-sums", "straight", set()), ("float16-blocks", 32, set())):
            verdict = self.diagnosed(path, stored=device.half, sums=device.added(order))
            self.assertEqual(self.confirmed(verdict), ["precision"], (name, verdict["causes"], verdict["warnings"]))
            self.assertIn(name, verdict["causes"][0]["detail"])
            self.assertEqual(self.others(verdict), others)

    def test_sums_in_another_order_are_not_told(self):
        for order in ("back", 8):
            verdict = self.diagnosed(self.with_long_sums(), stored=device.half, sums=device.added(order))
            self.assertEqual([cause["kind"] for cause in verdict["causes"]], ["unknown"], order)
            self.assertIn("in float16", " ".join(verdict["warnings"]))
            self.assertNotEqual(verdict["verdict"], "agrees")

    def with_long_sums(self):
        """A convolution after a block that adds 3000, in 32 terms, and subtracts it again after the actual term."""
        model = onnx.load(MODELS / "signs_float.onnx")
        wide, ones = 2 * 32 + CHANNELS, 32
        widen = np.zeros((wide, CHANNELS, 1, 1), np.float32)
        widen[ones : ones + CHANNELS, :, 0, 0] = np.eye(CHANNELS)
        bias = np.zeros(wide, np.float32)
        bias[:ones] = bias[-ones:] = 1
        narrow = np.zeros((CHANNELS, wide, 1, 1), np.float32)
        narrow[:, :ones], narrow[:, -ones:] = 93.75, -93.75
        narrow[:, ones : ones + CHANNELS, 0, 0] = np.eye(CHANNELS)
        nodes = []
        for node in model.graph.node:
            nodes.append(node)
            if node.output[0] == AT:
                node.output[0] = AT + "/before"
                nodes.append(helper.make_node("Conv", [AT + "/before", "widen", "bias"], ["wide"], name="widen"))
                nodes.append(helper.make_node("Conv", ["wide", "narrow"], [AT], name="narrow"))
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        model.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in (("widen", widen), ("bias", bias), ("narrow", narrow)))
        onnx.checker.check_model(model)
        path = self.folder / "long.onnx"
        onnx.save(model, path)
        return path

    def test_denormal_numbers_that_become_zero(self):
        """Down by 2^-16 in two steps and up again: float16 keeps some bits, a device that flushes denormals keeps none."""
        path = with_convolutions(self.folder / "m.onnx", [(2.0**-8, 0)] * 2 + [(2.0**8, 0)] * 2)
        verdict = self.diagnosed(path, stored=device.flushed)
        self.assertEqual(self.confirmed(verdict), ["precision"], (verdict["causes"], verdict["warnings"]))
        self.assertIn("float16-flushed", verdict["causes"][0]["detail"])
        self.assertEqual(self.others(verdict), set())
        verdict = self.diagnosed(path, stored=device.half)
        for cause in verdict["causes"]:
            self.assertNotIn("flushed", cause["detail"])

    def test_what_is_no_precision_is_not_called_so(self):
        """A wrong kernel, a wrong kernel in addition to rounded operands, weights with an equally large error, and a format that edgeprobe does not know."""
        path = with_convolutions(self.folder / "m.onnx", [(1, 12000), (1, -12000)])
        rng = np.random.default_rng(3)
        noise = lambda values: (values * (1 + rng.normal(0, 2.0**-12, values.shape))).astype(np.float32)
        for how in (dict(fault=("block2/project", -4.0)), dict(operands=device.tf32, fault=("block2/project", -4.0)), dict(operands=device.tf32, fault=("block2/project", 1.01)),
                    dict(operands=noise), dict(operands=lambda values: device.split(values, 10)), dict(operands=lambda values: device.split(values, 13))):
            with self.subTest(str(how)):
                verdict = self.diagnosed(path, own_model="fault" in how, **how)
                self.assertNotIn("precision", [one["kind"] for one in verdict["causes"]], how)
                self.assertNotEqual(verdict["verdict"], "agrees", how)


if __name__ == "__main__":
    tool.main()
