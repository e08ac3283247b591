# SPDX-License-Identifier: Apache-2.0
"""A small .tflite with an operator that keeps a state from one inference to the next (a variable tensor): stateful_model.py OUT.tflite

A picture of 8x8 float values, RESHAPE, SVDF with 4 units over the last 3 inputs. Its outputs are known: filters of random values, and the
sum over time of their last three results."""
import sys

import numpy as np
from small_tflite import Graph

SIZE, UNITS, MEMORY = 8 * 8 * 3, 4, 3


def weights():
    random = np.random.default_rng(7)
    return random.uniform(-0.2, 0.2, (UNITS, SIZE)).astype(np.float32), random.uniform(0.1, 1, (UNITS, MEMORY)).astype(np.float32)


def expected(inputs):
    """The model's outputs for these inputs in sequence, according to NumPy."""
    feature, time = weights()
    state, outputs = np.zeros((UNITS, MEMORY), np.float32), []
    for one in inputs:
        state = np.concatenate([state[:, 1:], (feature @ one.reshape(-1))[:, None]], 1)
        outputs.append((state * time).sum(1)[None])
    return outputs


def write(path):
    graph = Graph()
    feature, time = weights()
    image, shape, flat = graph.tensor("image", (1, 8, 8, 3)), graph.tensor("shape", values=np.array([1, SIZE], np.int32)), graph.tensor("flat", (1, SIZE))
    of_feature, of_time = graph.tensor("feature", values=feature), graph.tensor("time", values=time)
    state, out = graph.tensor("state", (1, UNITS * MEMORY), variable=True), graph.tensor("out", (1, UNITS))
    graph.op("RESHAPE", [image, shape], [flat], options="ReshapeOptions", newShape=[1, SIZE])
    graph.op("SVDF", [flat, of_feature, of_time, -1, state], [out], options="SVDFOptions", rank=1)
    graph.save(path, [image], [out])


if __name__ == "__main__":
    write(sys.argv[1])
