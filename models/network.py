# SPDX-License-Identifier: Apache-2.0
"""The network as data (LAYERS), its forward pass in JAX, and the folding of batch normalisation."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np


@dataclass(frozen=True)
class Layer:
    """`kind`: conv, depthwise, add, mean, dense or softmax. `name` is the name of its output tensor.

    `skip` names the earlier output that an `add` adds; `relu6` is fused into the op.
    """
    kind: str
    name: str
    channels: int = 0
    kernel: int = 1
    stride: int = 1
    relu6: bool = True
    skip: str = ""


CLASS_COUNT = 12
EPSILON = 1e-3

LAYERS = [
    Layer("conv", "stem/conv", 16, 3, 2),
    Layer("depthwise", "block1/depthwise", 16, 3, 2),
    Layer("conv", "block1/pointwise", 32),
    Layer("depthwise", "block2/depthwise", 32, 3),
    Layer("conv", "block2/project", 32, relu6=False),
    Layer("add", "block2/add", 32, skip="block1/pointwise", relu6=False),
    Layer("depthwise", "block3/depthwise", 32, 3, 2),
    Layer("conv", "block3/project", 48, relu6=False),
    Layer("depthwise", "block4/depthwise", 48, 3),
    Layer("conv", "block4/project", 48, relu6=False),
    Layer("add", "block4/add", 48, skip="block3/project", relu6=False),
    Layer("depthwise", "block5/depthwise", 48, 3),
    Layer("conv", "block5/project", 48, relu6=False),
    Layer("add", "block5/add", 48, skip="block4/add", relu6=False),
    Layer("depthwise", "block6/depthwise", 48, 3, 2),
    Layer("conv", "block6/pointwise", 96),
    Layer("mean", "pool/mean", 96),
    Layer("dense", "logits", CLASS_COUNT, relu6=False),
    Layer("softmax", "probabilities", CLASS_COUNT),
]


def initial_parameters(seed, in_channels=3):
    """{layer name: {weights, gamma, beta} or {weights, bias}}; conv weights are HWIO, depthwise HWC, dense IO."""
    rng, parameters, channels = np.random.default_rng(seed), {}, in_channels
    for layer in LAYERS:
        if layer.kind == "conv":
            shape, fan_in = (layer.kernel, layer.kernel, channels, layer.channels), layer.kernel ** 2 * channels
        elif layer.kind == "depthwise":
            shape, fan_in = (layer.kernel, layer.kernel, channels), layer.kernel ** 2
        elif layer.kind == "dense":
            shape, fan_in = (channels, layer.channels), channels
        channels = layer.channels
        if layer.kind not in ("conv", "depthwise", "dense"):
            continue
        weights = rng.normal(0, np.sqrt(2 / fan_in), shape).astype(np.float32)
        if layer.kind == "dense":
            parameters[layer.name] = {"weights": 0.3 * weights, "bias": np.zeros(channels, np.float32)}
        else:
            parameters[layer.name] = {"weights": weights, "gamma": np.ones(channels, np.float32), "beta": np.zeros(channels, np.float32)}
    return jax.tree.map(jnp.asarray, parameters)


def _same_padding(size, kernel, stride):
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


def _patches(x, kernel, stride):
    """The kernel*kernel shifted views of x under SAME padding, row by row."""
    pads = [_same_padding(n, kernel, stride) for n in x.shape[1:3]]
    outs = [-(-n // stride) for n in x.shape[1:3]]
    x = jnp.pad(x, ((0, 0), pads[0], pads[1], (0, 0)))
    return [x[:, dy:dy + (outs[0] - 1) * stride + 1:stride, dx:dx + (outs[1] - 1) * stride + 1:stride]
            for dy in range(kernel) for dx in range(kernel)]


def _linear(layer, x, weights):
    if layer.kind == "depthwise":
        taps = weights.reshape(-1, weights.shape[-1])
        return sum(view * tap for view, tap in zip(_patches(x, layer.kernel, layer.stride), taps))
    if layer.kernel > 1 or layer.stride > 1:
        x = jnp.concatenate(_patches(x, layer.kernel, layer.stride), axis=-1)
    return x @ weights.reshape(-1, weights.shape[-1])


def forward(parameters, x):
    """Logits with batch statistics, and {layer name: (mean, variance)} of this batch."""
    outputs, statistics = {}, {}
    for layer in LAYERS:
        own = parameters.get(layer.name)
        if layer.kind in ("conv", "depthwise"):
            x = _linear(layer, x, own["weights"])
            mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
            statistics[layer.name] = (mean, variance)
            x = (x - mean) * (own["gamma"] * jax.lax.rsqrt(variance + EPSILON)) + own["beta"]
            if layer.relu6:
                x = jnp.clip(x, 0, 6)
        elif layer.kind == "add":
            x = x + outputs[layer.skip]
        elif layer.kind == "mean":
            x = x.mean((1, 2))
        elif layer.kind == "dense":
            x = x @ own["weights"] + own["bias"]
        outputs[layer.name] = x
    return outputs["logits"], statistics


def folded(parameters, statistics):
    """{layer name: (weights, bias)} as float32 NumPy arrays, normalisation folded in."""
    out = {}
    for name, own in parameters.items():
        if "gamma" not in own:
            out[name] = (np.asarray(own["weights"]), np.asarray(own["bias"]))
            continue
        mean, variance = statistics[name]
        factor = own["gamma"] / jnp.sqrt(variance + EPSILON)
        out[name] = (np.asarray(own["weights"] * factor), np.asarray(own["beta"] - mean * factor))
    return out
