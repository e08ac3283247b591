# SPDX-License-Identifier: Apache-2.0
"""A framework of NumPy, whose models end in the ways that a cell can end."""
import os
import time

import numpy as np

NAME = "tiny"
PACKAGES = ("numpy", "onnx")
MODULES = ("numpy", "onnx")
MODELS = ("good", "wrong", "invalid", "raises", "unsupported", "slow", "large", "long", "killed", "unstable", "forks", "pooling", "newest")


def build(model, seed):
    return Pooling(seed) if model == "pooling" else Tiny(model, seed)


class Tiny:
    """x @ a, then the square of the ReLU, then @ b."""

    def __init__(self, model, seed):
        random = np.random.default_rng(seed)
        self.model = model
        self.a, self.b = random.normal(size=(6, 8)).astype(np.float32), random.normal(size=(8, 3)).astype(np.float32)
        self.samples = [[random.normal(size=(2, 6)).astype(np.float32)] for _ in range(2)]

    def run(self, sample):
        made = np.maximum(sample[0] @ self.a, 0) ** 2 @ self.b
        # Digits far behind the point: rounding decides them.
        return [np.sin(made * np.float32(1e7)) if self.model == "unstable" else made]

    def save(self, folder):
        return {}

    def export(self, path):
        if self.model == "raises":
            raise ValueError(f"this layer of {path} has no name\nand no weights")
        if self.model == "unsupported":
            raise NotImplementedError("the operator Spline")
        if self.model in ("slow", "forks"):
            if self.model == "forks" and os.fork() == 0:
                os.setpgid(0, 0)
                with open(os.path.join(os.path.dirname(path), "child"), "w") as file:
                    file.write(str(os.getpid()))
            time.sleep(600)
        if self.model == "large":
            kept = []
            while True:
                kept.append(np.ones(4_000_000))
                time.sleep(0.02)
        if self.model == "long":
            for i in range(1000):
                with open(f"{path}.data{i}", "wb") as file:
                    file.write(b"1" * 1_000_000)
                time.sleep(0.01)
        if self.model == "killed":
            os.kill(os.getpid(), 9)
        self.write(path)

    def write(self, path):
        import onnx
        from onnx import TensorProto, helper, numpy_helper

        value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        middle = "Tanh" if self.model == "wrong" else "Relu"
        nodes = [helper.make_node("MatMul", ["x", "a"], ["p"], name="first"), helper.make_node(middle, ["p"], ["q"], name="middle"),
                 helper.make_node("Mul", ["q", "q"], ["r"], name="square"), helper.make_node("MatMul", ["r", "b"], ["y"], name="last")]
        if self.model == "invalid":
            nodes[1] = helper.make_node("Erfc", ["p"], ["q"])
        weights = [numpy_helper.from_array(self.a, "a"), numpy_helper.from_array(self.b, "b")]
        graph = helper.make_graph(nodes, "tiny", [value("x", [2, 6])], [value("y", [2, 3])], weights)
        if self.model == "newest":  # what onnx writes without being asked
            onnx.save(helper.make_model(graph), path)
            return
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(model, path)


class Pooling:
    """-mean(relu(x)) of 3 x 3 windows with stride 2 and padding 1, the last of which extend beyond the padding. OpenVINO 2026.4.1 counts the cells there."""

    def __init__(self, seed):
        self.samples = [[np.random.default_rng(seed).normal(size=(1, 1, 6, 6)).astype(np.float32)]]

    def run(self, sample):
        padded = np.pad(np.maximum(sample[0][0, 0], 0), 1)
        return [np.array([[[[-padded[y:y + 3, x:x + 3].mean() for x in range(0, 8, 2)] for y in range(0, 8, 2)]]], np.float32)]

    def save(self, folder):
        return {}

    def export(self, path):
        import onnx
        from onnx import TensorProto, helper

        nodes = [helper.make_node("Relu", ["x"], ["positive"]),
                 helper.make_node("AveragePool", ["positive"], ["pooled"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1, count_include_pad=1),
                 helper.make_node("Neg", ["pooled"], ["y"])]
        value = lambda name, size: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1, size, size])
        model = helper.make_model(helper.make_graph(nodes, "pooling", [value("x", 6)], [value("y", 4)]), opset_imports=[helper.make_opsetid("", 19)])
        model.ir_version = 8
        onnx.save(model, path)
