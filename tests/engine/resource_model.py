# SPDX-License-Identifier: Apache-2.0
"""A small .tflite that keeps its last frames in a resource variable, like streaming models of Keras: resource_model.py OUT.tflite

x [1, 1, 5] after the two previous frames, a fully connected layer over all three, and a second one; the variable receives the last two."""
import sys

import numpy as np
from small_tflite import Graph

WIDTH, KEPT, UNITS = 5, 2, 6


def weights():
    random = np.random.default_rng(11)
    return [random.normal(0, 0.5, (UNITS, (KEPT + 1) * WIDTH)).astype(np.float32), random.normal(0, 0.5, (4, UNITS)).astype(np.float32)]


def expected(frames, of=None):
    """The model's outputs for these frames in sequence, according to NumPy."""
    first, second = of or weights()
    kept, outputs = np.zeros((KEPT, WIDTH), np.float32), []
    for frame in frames:
        seen = np.concatenate([kept, frame.reshape(1, WIDTH)])
        kept = seen[1:]
        outputs.append(second @ np.maximum(first @ seen.reshape(-1), 0))
    return np.stack(outputs)


def write(path, of=None):
    graph = Graph()
    first, second = of or weights()
    x, handle = graph.tensor("x", (1, 1, WIDTH)), graph.handle("ring")
    with graph.body("init") as init:
        at_init, zeros = graph.handle("ring"), graph.tensor("zeros", values=np.zeros((1, KEPT, WIDTH), np.float32))
        graph.op("VAR_HANDLE", [], [at_init], options="VarHandleOptions", container="", sharedName="ring")
        graph.op("ASSIGN_VARIABLE", [at_init, zeros], [], options="AssignVariableOptions")
    kept, seen, flat = graph.tensor("kept", (1, KEPT, WIDTH)), graph.tensor("seen", (1, KEPT + 1, WIDTH)), graph.tensor("flat", (1, (KEPT + 1) * WIDTH))
    shape, begin, size = (graph.tensor(name, values=np.array(one, np.int32)) for name, one in
                          (("shape", [1, (KEPT + 1) * WIDTH]), ("begin", [0, 1, 0]), ("size", [1, KEPT, WIDTH])))
    of_first, of_second = graph.tensor("first/weights", values=first), graph.tensor("second/weights", values=second)
    latest, hidden, y = graph.tensor("latest", (1, KEPT, WIDTH)), graph.tensor("hidden", (1, UNITS)), graph.tensor("y", (1, 4))
    graph.op("CALL_ONCE", [], [], options="CallOnceOptions", initSubgraphIndex=init)
    graph.op("VAR_HANDLE", [], [handle], options="VarHandleOptions", container="", sharedName="ring")
    graph.op("READ_VARIABLE", [handle], [kept], options="ReadVariableOptions")
    graph.op("CONCATENATION", [kept, x], [seen], options="ConcatenationOptions", axis=1)
    graph.op("RESHAPE", [seen, shape], [flat], options="ReshapeOptions", newShape=[1, (KEPT + 1) * WIDTH])
    graph.op("FULLY_CONNECTED", [flat, of_first, -1], [hidden], options="FullyConnectedOptions", fusedActivationFunction=1)
    graph.op("FULLY_CONNECTED", [hidden, of_second, -1], [y], options="FullyConnectedOptions")
    graph.op("SLICE", [seen, begin, size], [latest], options="SliceOptions")
    graph.op("ASSIGN_VARIABLE", [handle, latest], [], options="AssignVariableOptions")
    graph.save(path, [x], [y])


if __name__ == "__main__":
    write(sys.argv[1])
