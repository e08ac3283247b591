# SPDX-License-Identifier: Apache-2.0
"""A processor that computes something else gets no piece, and is named with the first layer that differs: a delegate with a planted fault, and
ONNX Runtime's WebGPU provider. stretch_wrong_test.py EDGEPROBE POOL_FAULT_DELEGATE"""
import json
import os
import re
import sys

import numpy as np

import tool
from gpu_engines import NEED_GPU, PROVIDER, environment
from stretch_models import CPUS, StretchTest, nets
from tool import ROOT, run

sys.path.insert(0, str(ROOT / "tests" / "engine"))
import small_tflite  # noqa: E402

FAULT = sys.argv.pop(2)
SIZE, WIDTH = 8, 16


def pooled():
    """Two convolutions side by side, each averaged by its pool."""
    graph, random = small_tflite.Graph(), np.random.default_rng(4)
    x = graph.tensor("x", [1, SIZE, SIZE, 4])
    means = []
    for side in ("left", "right"):
        weights = graph.tensor(f"{side}_weights", values=random.standard_normal((WIDTH, 3, 3, 4)).astype(np.float32) / 4)
        conv, mean = graph.tensor(f"{side}_conv", [1, SIZE, SIZE, WIDTH]), graph.tensor(f"{side}_mean", [1, SIZE // 2, SIZE // 2, WIDTH])
        bias = graph.tensor(f"{side}_bias", values=random.standard_normal(WIDTH).astype(np.float32))
        graph.op("CONV_2D", [x, weights, bias], [conv], options="Conv2DOptions", strideH=1, strideW=1, dilationHFactor=1, dilationWFactor=1, fusedActivationFunction=1)
        graph.op("AVERAGE_POOL_2D", [conv], [mean], options="Pool2DOptions", strideH=2, strideW=2, filterHeight=2, filterWidth=2, padding=1)
        means.append(mean)
    both = graph.tensor("both", [1, SIZE // 2, SIZE // 2, 2 * WIDTH])
    graph.op("CONCATENATION", means, [both], options="ConcatenationOptions", axis=3)
    return graph, x, both


def fork(channels):
    """Two convolutions of 3 x 3 side by side, of so many channels."""
    net = nets.Net(3)
    sides = [net.conv("x", channels, 12, 3) for _ in range(2)]
    return net.model([("x", [1, channels, 8, 8])], [net.op("Concat", sides, axis=1)])


class WrongTest(StretchTest):
    def search(self, model, engine, delegate, **more):
        """What a search says of a CPU and a second processor: the JSON, and the second one's row in it."""
        device = self.folder / "device.yaml"
        device.write_text("device: 1\nprocessors:\n"
                          f"  - {{name: good, engine: {engine}, cpus: [{CPUS[0]}]}}\n"
                          f"  - {{name: other, engine: {engine}, cpus: [{CPUS[-1]}], delegate: '{delegate}'}}\n")
        more.setdefault("env", dict(os.environ))["XDG_CACHE_HOME"] = str(self.folder)
        plan = self.folder / "plan.json"
        found = json.loads(run("stretch", "search", model, "--device", device, "--seconds", 0.02, "--rounds", 1, "--best", 1, "--output", plan, "--force", "--json", expect=0, **more).out)
        [other] = [one for one in found["candidates"] if one["plain"] and delegate.split("?")[0].rsplit("/", 1)[1] in one["name"]]
        self.assertEqual([one["name"] for one in json.loads(plan.read_text())["processors"] if one["name"] == "other"], ["other"] if found["chosen"] == other["name"] else [])
        return found, other

    def assertNamed(self, found, other, output, layer):
        self.assertIn(f"piece 'whole' on processor 'other' computes '{output}' otherwise, by ", other["refused"])
        self.assertIn(f" of its largest value; the first layer that differs there is {layer}", other["refused"])
        self.assertNotEqual(found["chosen"], other["name"])
        # It gets no piece of a division either.
        self.assertEqual([one for one in found["candidates"] if not one["plain"]], [])


class PlantedFault(WrongTest):
    def setUp(self):
        super().setUp()
        graph, x, both = pooled()
        self.model = self.folder / "pooled.tflite"
        graph.save(self.model, [x], [both])

    def test_it_is_refused_and_named(self):
        found, other = self.search(self.model, "tflite", f"external:{FAULT}?share=0.999")
        self.assertNamed(found, other, "both", "'left_mean' (AVERAGE_POOL_2D)")
        self.assertAlmostEqual(float(re.search("otherwise, by ([0-9.e-]+) of", other["refused"])[1]), 0.001, places=5)

    def test_the_same_delegate_without_its_fault_is_taken(self):
        found, other = self.search(self.model, "tflite", f"external:{FAULT}?share=1")
        self.assertIsNone(other["refused"])
        self.assertTrue(any(not one["plain"] and not one["refused"] for one in found["candidates"]), found)


@NEED_GPU
class WebGpu(WrongTest):
    def test_a_provider_that_computes_a_convolution_wrongly(self):
        # It is right where the channels are a multiple of four.
        for channels in (6, 8):
            found, other = self.search(self.model(fork(channels), f"fork{channels}"), "onnxruntime", f"external:{PROVIDER}", env=environment())
            self.assertIn("(software)", other["name"])
            if channels == 6:
                self.assertNamed(found, other, "concat5", "'conv1' (Conv)")
            else:
                self.assertIsNone(other["refused"])


if __name__ == "__main__":
    tool.main()
