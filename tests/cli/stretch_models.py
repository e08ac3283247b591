# SPDX-License-Identifier: Apache-2.0
"""Networks with branches, their plans, and the results of their own runtimes, for the tests of `edgeprobe stretch`."""
import json
import os
import sys
import unittest

import numpy as np
import onnx
import onnxruntime

import tool
from tool import ROOT, run
from traces import tensors as tensors_of  # noqa: F401

sys.path.insert(0, str(ROOT / "bench" / "stretch"))
import nets  # noqa: E402
import tflite_nets  # noqa: E402, F401

CPUS = sorted(os.sched_getaffinity(0))
PAIR = ",".join(map(str, CPUS[:2]))
TWO = unittest.skipIf(len(CPUS) < 2, "one CPU: a second processor cannot be had here")


def alone(path):
    """ONNX Runtime's own session, with one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def spread(size=16, width=8):
    """Two convolutions in parallel, one of a picture and one of its logarithm: the second gives NaN for negative values of the picture."""
    net = nets.Net()
    plain, log = net.op("Relu", [net.conv("x", 1, width, 3)]), net.conv(net.op("Log", ["x"]), 1, width, 3)
    return net.model([("x", [1, 1, size, size])], [net.conv(net.op("Concat", [plain, log], axis=1), 2 * width, 4, relu=False)])


class StretchTest(tool.ToolTest):
    def model(self, made, name="net"):
        path = self.folder / f"{name}.onnx"
        onnx.save(made, path)
        return path

    def plan_of(self, model, *more):
        """The file of a plan for two CPUs, and its contents."""
        path = self.folder / f"{model.stem}.json"
        run("stretch", "plan", model, "--output", path, "--cpus", PAIR, "--force", *more, expect=0)
        return path, json.loads(path.read_text())

    def data_of(self, model, count):
        """Random inputs as .npz, and the same as one dictionary per frame."""
        rng = np.random.default_rng(2)
        arrays = {one.name: rng.random((count, *one.shape), dtype=np.float32) for one in alone(model).get_inputs()}
        return self.npz(**arrays), [{name: values[i] for name, values in arrays.items()} for i in range(count)]

    def npz(self, **arrays):
        file = self.folder / f"data{len(list(self.folder.glob('data*.npz')))}.npz"
        np.savez(file, **arrays)
        return file
