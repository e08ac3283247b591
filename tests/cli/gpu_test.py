# SPDX-License-Identifier: Apache-2.0
"""`--engine litert --delegate gpu`: results of LiteRT's GPU accelerator, the operators that it leaves to the processor, and the message without it."""
import glob
import json
import subprocess
import sys
import unittest

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from mcap.reader import make_reader

import tool
from gpu_engines import ACCELERATOR, FOLDER, NEED_GPU, environment
from stretch_models import CPUS, tensors_of, tflite_nets
from tool import ROOT, run

SIZE, WIDTH = 8, 8


class Net(tflite_nets.Net):
    def __init__(self):
        super().__init__(SIZE, 4)

    def shuffled(self, x):
        """Shuffles through five dimensions, which the accelerator does not support."""
        five = self.reshape(x, 1, 2, SIZE // 2, SIZE, WIDTH)
        turned = self.named("turned", 1, SIZE // 2, 2, SIZE, WIDTH)
        self.op("TRANSPOSE", [five, self.tensor("order", values=np.array([0, 2, 1, 3, 4], np.int32))], [turned], options="TransposeOptions")
        return self.reshape(turned, 1, SIZE, SIZE, WIDTH)


def device_text(*names):
    """LiteRT on the first CPU and on the last one, in this order; the one named "gpu" has the delegate."""
    lines = [f"  - {{name: {name}, engine: litert, cpus: [{cpu}]{', delegate: gpu' if name == 'gpu' else ''}}}\n" for name, cpu in zip(names, (CPUS[0], CPUS[-1]))]
    return "device: 1\nprocessors:\n" + "".join(lines)


def layers_alone(model, picture):
    """Every float tensor of the model by name, as LiteRT's own kernels compute it."""
    one = Interpreter(str(model), experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES, experimental_preserve_all_tensors=True)
    one.allocate_tensors()
    one.set_tensor(one.get_input_details()[0]["index"], picture)
    one.invoke()
    return {detail["name"]: one.get_tensor(detail["index"]).ravel() for detail in one.get_tensor_details() if detail["name"] and detail["dtype"] == np.float32}


class GpuTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.picture = np.random.default_rng(1).random((1, SIZE, SIZE, 4), dtype=np.float32)
        np.savez(self.folder / "data.npz", x=self.picture[None])
        self.trace = self.folder / "t.mcap"

    def chain(self):
        net = Net()
        net.save(self.folder / "chain.tflite", [net.x], [net.conv(net.conv(net.x, 4, WIDTH), WIDTH, WIDTH)])
        return self.folder / "chain.tflite"

    def partly(self):
        net = Net()
        net.save(self.folder / "partly.tflite", [net.x], [net.conv(net.shuffled(net.conv(net.x, 4, WIDTH)), WIDTH, WIDTH)])
        return self.folder / "partly.tflite"

    def branches(self):
        net, joined = tflite_nets.fork(SIZE, WIDTH, 2)
        net.save(self.folder / "branches.tflite", [net.x], [joined])
        return self.folder / "branches.tflite"

    def recorded(self, model, *more):
        """The tensors of one frame, and the trace's statements about it."""
        self.trace.unlink(missing_ok=True)
        run("run", model, "--data", self.folder / "data.npz", "--trace", self.trace, *more, expect=0, env=environment())
        with open(self.trace, "rb") as file:
            said = {key: text for record in make_reader(file).iter_metadata() for key, text in record.metadata.items()}
        frames = [tensors_of(self.trace, stage).get(0, {}) for stage in ("model_output", "layer")]
        return frames[0] | frames[1], said

    def difference(self, model, tensors):
        """The largest difference from LiteRT's own kernels, relative to each tensor's largest value."""
        expected = layers_alone(model, self.picture)
        names = tensors.keys() & expected.keys()
        self.assertGreaterEqual(names, {"conv1", "conv2"})
        return max(np.abs(tensors[name] - expected[name]).max() / np.abs(expected[name]).max() for name in names)


@NEED_GPU
class Accelerator(GpuTest):
    def test_it_computes_all_layers_in_float32(self):
        model = self.chain()
        tensors, says = self.recorded(model, "--delegate", "gpu", "--level", "layers")
        self.assertLessEqual(self.difference(model, tensors), 1e-6)
        self.assertEqual(says["delegate.gpu (software)"], "2 of 2 ops")
        self.assertNotIn("delegate.xnnpack", says)
        self.assertNotIn("engine_warnings", says)
        # In the precision that the accelerator chooses itself, results are less exact.
        tensors, _ = self.recorded(model, "--delegate", "gpu", "--level", "layers", "--precision", "engine")
        self.assertTrue(1e-5 < self.difference(model, tensors) < 1e-2)

    def test_reports_operators_that_the_accelerator_leaves(self):
        model = self.partly()
        for kernels, others in (("xnnpack", "4 of 5 ops"), ("builtin", None)):
            tensors, says = self.recorded(model, "--delegate", f"gpu:{ACCELERATOR}", "--kernels", kernels)
            self.assertEqual(says["delegate.gpu (software)"], "1 of 5 ops")
            self.assertEqual(says.get("delegate.xnnpack"), others)
            self.assertIn("delegate 'gpu': Following operations are not supported by GPU delegate: RESHAPE: Tensor dimensions must be less than 5", says["engine_warnings"])
            [got] = tensors.values()
            expected = layers_alone(model, self.picture)["conv5"]
            self.assertLessEqual(np.abs(got - expected).max(), 1e-6 * np.abs(expected).max())

    def test_times_of_operators_are_not_had(self):
        done = run("bench", self.chain(), "--delegate", "gpu", "--layers", "--runs", 3, "--warm-up", 0.01, "--json", self.folder / "b.json", expect=0, env=environment())
        self.assertIn("this engine does not report times of its kernels", done.err)
        [one] = json.loads((self.folder / "b.json").read_text())["configurations"]
        self.assertEqual(one["delegations"], [{"delegate": "gpu (software)", "ops_taken": 2, "ops_total": 2}])

    def test_it_is_a_processor_of_a_plan(self):
        model, plan, device = self.branches(), self.folder / "plan.json", self.folder / "device.yaml"
        device.write_text(device_text("cpu", "gpu"))
        run("stretch", "plan", model, "--device", device, "--output", plan, expect=0)
        processors = {one["name"]: one for one in json.loads(plan.read_text())["processors"]}
        self.assertEqual(processors["gpu"]["delegate"], "gpu")
        tensors, says = self.recorded(model, "--engine", f"stretch:{plan}", "--level", "layers")
        self.assertLessEqual(self.difference(model, tensors), 1e-6)
        self.assertEqual(says["delegate.gpu (software)"], "3 of 3 ops")

    def test_a_table_has_the_whole_model_on_it(self):
        model, plan, device = self.branches(), self.folder / "plan.json", self.folder / "device.yaml"
        # With the GPU first, one thread still means the CPU.
        device.write_text(device_text("gpu", "cpu"))
        run("stretch", "plan", model, "--device", device, "--output", plan, expect=0)
        # Exit code 4: some measurement was not quiet.
        done = run("stretch", "table", plan, model, "--seconds", 0.02, "--rounds", 1, "--time-limit", 200, "--json", self.folder / "t.json", expect=(0, 4), env=environment())
        rows = json.loads((self.folder / "t.json").read_text())["rows"]
        self.assertEqual([row["way"] for row in rows], ["one thread", "all cores", "whole on gpu", "the engine's parallel mode", "layers split by channels", "pieces in sequence", "pieces at once"])
        self.assertTrue(rows[1]["difference"]["bit_equal"])
        for row in (rows[2], rows[-1]):
            self.assertTrue(0 < row["difference"]["relative"] < 1e-5, row)
        self.assertGreater(rows[2]["processes"][0]["median"], 2 * rows[0]["processes"][0]["median"])
        if done.returncode == 0:
            self.assertIn("as the fastest of one thread, all cores and each delegate", done.out)

    def test_no_driver(self):
        done = run("bench", self.chain(), "--delegate", "gpu", "--runs", 1, expect=1, env=environment(VK_DRIVER_FILES=str(self.folder / "none.json")))
        self.assertIn("delegate 'gpu' does not take the model: LiteRT status 3", done.err)
        self.assertIn("name it by VK_DRIVER_FILES, or take the one of script/setup --gpu", done.err)


class Refusals(GpuTest):
    """Refusals that console/misuse.md does not contain."""

    @unittest.skipIf(FOLDER.exists(), "the accelerator is there")
    def test_no_accelerator(self):
        self.assertIn("script/setup --gpu brings it", run("bench", self.chain(), "--engine", "litert", "--delegate", "gpu", "--runs", 1, expect=1).err)


class OnAGpu(tool.ToolTest):
    """bench/stretch/on_gpu.py, on which nothing depends, states why it does nothing."""

    def said(self, *more):
        done = subprocess.run([sys.executable, str(ROOT / "bench" / "stretch" / "on_gpu.py"), tool.EXECUTABLE, str(self.folder), *more], capture_output=True, text=True, timeout=tool.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @unittest.skipIf(any(glob.glob(f"/dev/{name}") for name in ("dri/renderD*", "nvidia[0-9]*", "kfd", "mali*", "dxg")), "there is a GPU")
    def test_no_gpu(self):
        self.assertRegex(self.said(), "^skipped: no GPU here")

    @NEED_GPU
    def test_a_driver_in_software(self):
        said = self.said("--software", "--nets", "fork_16", "--rounds", "1", "--seconds", "0.02")
        self.assertRegex(said, r"litert gpu: litert 2\.3\.0, gpu \(software\), gpu:")
        self.assertRegex(said, r"\nfork_16 +yes +[0-9.]+e-0[78] +[0-9.]+e-0[78] ")
        self.assertIn("table: one thread ", said)


if __name__ == "__main__":
    tool.main()
