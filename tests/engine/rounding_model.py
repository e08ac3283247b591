# SPDX-License-Identifier: Apache-2.0
"""A healthy int8 .tflite in which rounding adds up: rounding_model.py OUT.tflite

Fully connected layers, then two of the same weights with slightly different output scales, and their difference: only rounding remains.
Kernel sets that are right within one step in every layer therefore differ widely on the output."""
import sys

import numpy as np
from small_tflite import Graph

WIDTH, DEPTH = 256, 8


def write(path):
    random, graph = np.random.default_rng(3), Graph()
    scale, at = 0.05, graph.tensor("input", (1, WIDTH), kind=np.int8, scale=0.05)
    source = at

    def layer(name, origin, weights, bias, out_scale):
        w, b = graph.tensor(name + "/w", values=weights, scale=0.01), graph.tensor(name + "/b", values=bias, scale=scale * 0.01)
        out = graph.tensor(name, (1, WIDTH), kind=np.int8, scale=out_scale)
        graph.op("FULLY_CONNECTED", [origin, w, b], [out], options="FullyConnectedOptions", version=4)
        return out

    def values():
        # Each sum has the spread of its inputs, so no layer shrinks or saturates.
        return random.integers(-11, 12, (WIDTH, WIDTH)).astype(np.int8), random.integers(-300, 300, WIDTH).astype(np.int32)

    for i in range(DEPTH):
        at = layer(f"fc{i}", at, *values(), scale)
    weights, bias = values()
    first, second = layer("first", at, weights, bias, scale), layer("second", at, weights, bias, scale * 1.07)
    out = graph.tensor("difference", (1, WIDTH), kind=np.int8, scale=scale / 8)
    graph.op("SUB", [first, second], [out], options="SubOptions", version=3)
    graph.save(path, [source], [out])


if __name__ == "__main__":
    write(sys.argv[1])
