# SPDX-License-Identifier: Apache-2.0
"""Which channels of a Keras model's layers belong together: a space is a set of channels that several tensors share.

A convolution or a fully connected layer makes a space; a normalisation, an activation or a pooling hands it on; an addition makes one of two, so that a
residual branch loses the same channels as what it is added to. A space is frozen if an output, or a layer that is not in the tables below, reads it.
"""
import math

from .keras_model import keras

# Weights of layers that make channels: name, axis of the input's channels, axis of the result's.
MAKERS = {
    **{kind: [("kernel", -2, -1), ("bias", None, 0)] for kind in ("Conv1D", "Conv2D", "Conv3D", "Dense")},
    **{kind: [("kernel", -1, -2), ("bias", None, 0)] for kind in ("Conv2DTranspose", "Conv3DTranspose")},
    **{kind: [("depthwise_kernel", -2, None), ("pointwise_kernel", -2, -1), ("bias", None, 0)] for kind in ("SeparableConv1D", "SeparableConv2D")},
}
# Weights of layers that hand channels on: name, axis of the channels.
FOLLOWERS = {
    "BatchNormalization": [("gamma", 0), ("beta", 0), ("moving_mean", 0), ("moving_variance", 0)],
    **{kind: [("kernel", -2), ("bias", 0)] for kind in ("DepthwiseConv1D", "DepthwiseConv2D")},
}
PASSES = {"Activation", "ReLU", "LeakyReLU", "ELU", "Dropout", "SpatialDropout1D", "SpatialDropout2D", "GaussianNoise", "GaussianDropout", "ZeroPadding1D",
          "ZeroPadding2D", "Cropping1D", "Cropping2D", "UpSampling1D", "UpSampling2D",
          *(f"{kind}Pooling{n}D" for kind in ("Max", "Average", "GlobalMax", "GlobalAverage") for n in (1, 2, 3))}
MERGES = {"Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"}


class Space:
    """Channels that are removed together. `frozen`: why none may be; `makers`: (layer, variable, axis) of their filters."""

    def __init__(self, size, frozen=""):
        self.size, self.frozen, self.makers, self.same = size, frozen, [], None

    def root(self):
        return self if self.same is None else self.same.root()

    def join(self, other):
        a, b = self.root(), other.root()
        if a is not b:
            b.same, a.frozen, a.makers = a, a.frozen or b.frozen, a.makers + b.makers


class Layout:
    """The last axis of a tensor: spaces one after the other, all of them `repeats` times (after a Flatten)."""

    def __init__(self, spaces, repeats=1):
        self.spaces, self.repeats = spaces, repeats

    def freeze(self, why):
        for space in self.spaces:
            space.root().frozen = space.root().frozen or why

    def kept(self):
        """The positions that stay; call it when each root has `keep`."""
        base, at = [], 0
        for space in self.spaces:
            base += [at + c for c in space.root().keep]
            at += space.size
        return [repeat * at + position for repeat in range(self.repeats) for position in base]


def _variable(layer, name):
    found = getattr(layer, name, None)
    return found if found is not None and hasattr(found, "assign") else None


def _refusal(layer, calls, rank):
    """Why the channels around this layer must stay, or ""."""
    kind = type(layer).__name__
    if calls > 1:
        return "is used more than once"
    if not isinstance(layer, keras.layers.Layer) or type(layer).__module__.split(".")[0] != "keras":
        return f"is a {kind}, of which edgeprobe does not know the channels"
    if getattr(layer, "data_format", "channels_last") not in ("channels_last", None):
        return "computes channels first"
    if kind in MAKERS and (getattr(layer, "groups", 1) != 1 or getattr(layer, "depth_multiplier", 1) != 1):
        return "has groups"
    if kind in FOLLOWERS and getattr(layer, "depth_multiplier", 1) != 1:
        return "makes several channels of each"
    if kind == "BatchNormalization" and layer.axis not in (-1, rank - 1):
        return "normalises another axis"
    if kind in PASSES and getattr(getattr(layer, "activation", None), "__name__", "") in ("softmax", "log_softmax"):
        return "computes a softmax of the channels"
    if kind not in {*MAKERS, *FOLLOWERS, *PASSES, *MERGES, "Concatenate", "Flatten", "InputLayer"}:
        return f"is a {kind}, of which edgeprobe does not know the channels"
    return ""


class Channels:
    """The spaces of a functional or sequential model, and for each variable the layouts of its axes."""

    def __init__(self, model):
        self.spaces, self.layouts, self.axes = [], {}, {}
        graph = getattr(model, "_functional", None) or model
        if not hasattr(graph, "_nodes_by_depth"):
            raise ValueError(f"the model is a {type(model).__name__}; channels are removed from a Sequential or a functional model")
        nodes = [node for depth in sorted(graph._nodes_by_depth, reverse=True) for node in graph._nodes_by_depth[depth]]
        calls = {}
        for node in nodes:
            calls[id(node.operation)] = calls.get(id(node.operation), 0) + 1
        for node in nodes:
            self._take(node, calls[id(node.operation)])
        for tensor in keras.tree.flatten(graph.outputs):
            self.layouts[id(tensor)].freeze("is an output of the model")

    def _space(self, size, frozen=""):
        self.spaces.append(Space(int(size or 0), frozen))
        return self.spaces[-1]

    def _fixed(self, tensor, why):
        size = tensor.shape[-1] if len(tensor.shape) else 1
        return Layout([self._space(size, why)])

    def _take(self, node, calls):
        layer, results = node.operation, node.output_tensors
        given = [] if node.is_input else [self.layouts[id(tensor)] for tensor in node.arguments.keras_tensors]
        why = "" if node.is_input else _refusal(layer, calls, len(results[0].shape))
        if node.is_input or why:
            why = f"'{layer.name}' {why or 'is an input'}"
            for one in given:
                one.freeze(why)
            for tensor in results:
                self.layouts[id(tensor)] = self._fixed(tensor, why)
            return
        self.layouts[id(results[0])] = self._made(layer, given, node.arguments.keras_tensors, results[0])

    def _made(self, layer, given, tensors, result):
        kind = type(layer).__name__
        if kind in MAKERS:
            softmax = getattr(layer.activation, "__name__", "") == "softmax"
            space = self._space(result.shape[-1], f"'{layer.name}' computes a softmax of its channels" if softmax else "")
            made = Layout([space])
            for name, taken, makes in MAKERS[kind]:
                variable = _variable(layer, name)
                if variable is None:
                    continue
                self.axes[id(variable)] = {axis: layout for axis, layout in ((taken, given[0]), (makes, made)) if axis is not None}
                if makes is not None and name != "bias":
                    space.makers.append((layer, variable, makes))
            return made
        if kind in FOLLOWERS:
            for name, axis in FOLLOWERS[kind]:
                variable = _variable(layer, name)
                if variable is not None:
                    self.axes[id(variable)] = {axis: given[0]}
            return given[0]
        if kind in PASSES:
            return given[0]
        if kind == "Flatten":
            inner = math.prod(tensors[0].shape[1:-1])
            if given[0].repeats == 1:
                return Layout(given[0].spaces, inner)
        if kind == "Concatenate" and layer.axis in (-1, len(result.shape) - 1) and all(one.repeats == 1 for one in given):
            return Layout([space for one in given for space in one.spaces])
        if kind in MERGES and len({tuple(space.size for space in one.spaces) + (one.repeats,) for one in given}) == 1:
            for other in given[1:]:
                for mine, its in zip(given[0].spaces, other.spaces):
                    mine.join(its)
            return given[0]
        why = f"'{layer.name}' combines them in a way that edgeprobe does not follow"
        for one in given:
            one.freeze(why)
        return self._fixed(result, why)
