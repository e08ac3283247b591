# SPDX-License-Identifier: Apache-2.0
"""A small network with parallel branches that are concatenated, as in Inception: weights drawn from a seed, the last layer fitted.

Nothing is trained by gradients: the branches are random features, and a ridge regression on them gives the answers, so that
the same seed gives the same model in seconds.
"""

import numpy as np
import onnxruntime

from onnx_writer import Builder

SEED, RIDGE, CLASSES = 11, 3.0, 12


def _conv(made, rng, source, name, inputs, outputs, kernel=1, stride=1):
    weights = rng.normal(0, np.sqrt(2 / (inputs * kernel ** 2)), (outputs, inputs, kernel, kernel)).astype(np.float32)
    bias = rng.normal(0, 0.1, outputs).astype(np.float32)
    linear = made.node("Conv", name + "/conv", [source, made.constant(name + "/weights", weights), made.constant(name + "/bias", bias)],
                       kernel_shape=[kernel, kernel], strides=[stride, stride], pads=[kernel // 2] * 4)
    return made.node("Relu", name, [linear])


def _block(made, rng, source, name, inputs, width):
    """Four branches of `width` channels: 1x1, 1x1-3x3, 1x1-5x5, pool-1x1."""
    branches = [_conv(made, rng, source, name + "/one", inputs, width)]
    for kernel in (3, 5):
        reduced = _conv(made, rng, source, f"{name}/reduce{kernel}", inputs, width // 2)
        branches.append(_conv(made, rng, reduced, f"{name}/conv{kernel}", width // 2, width, kernel))
    pooled = made.node("MaxPool", name + "/pool", [source], kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
    branches.append(_conv(made, rng, pooled, name + "/project", inputs, width))
    return made.node("Concat", name + "/concat", branches, axis=1)


def _network(head, side, description):
    """`head`: (weights [classes, features], bias). Without it, the model's output is the features."""
    made, rng = Builder(), np.random.default_rng(SEED)
    x = _conv(made, rng, "image", "stem", 3, 16, 3, 2)
    channels = 16
    for index, width in enumerate((12, 16, 24)):
        x = _block(made, rng, x, f"block{index + 1}", channels, width)
        channels = 4 * width
        if index < 2:
            x = made.node("AveragePool", f"block{index + 1}/reduce", [x], kernel_shape=[2, 2], strides=[2, 2])
    # Pool to 4 x 4 positions: in a global mean, left and right arrows have the same features.
    x = made.node("AveragePool", "pool", [x], kernel_shape=[4, 4], strides=[4, 4])
    features = made.node("Flatten", "features", [x])
    count = channels * (side // 32) ** 2
    if head is None:
        return made.model("image", side, features, count, description)
    logits = made.node("Gemm", "logits", [features, made.constant("logits/weights", head[0]), made.constant("logits/bias", head[1])], transB=1)
    return made.model("image", side, made.node("Softmax", "probabilities", [logits], axis=1), CLASSES, description)


def build(tensors, labels, side, description):
    """The model, its last layer fitted to float tensors [n, 3, side, side] and their labels."""
    session = onnxruntime.InferenceSession(_network(None, side, "").SerializeToString(), providers=["CPUExecutionProvider"])
    features = np.concatenate([session.run(None, {"image": t[None]})[0] for t in tensors]).astype(np.float64)
    center, spread = features.mean(0), features.std(0) + 1e-6
    x = (features - center) / spread
    target = np.eye(CLASSES)[labels] - 1 / CLASSES
    weights = np.linalg.solve(x.T @ x + RIDGE * len(x) / 100 * np.eye(x.shape[1]), x.T @ target).T * 10
    head = (weights / spread).astype(np.float32), (-(weights / spread) @ center).astype(np.float32)
    return _network(head, side, description)
