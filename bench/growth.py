#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How `edgeprobe check` grows: processor time and memory over frames, layers and sizes of pictures.

  bench/growth.py build/edgeprobe [--only frames] [--rounds 3] [--largest 1.0]

Rows: the CPU seconds of all processes (median of the rounds) and the most memory of the tree at one time (proportional set size). The slope is that of a
straight line through the logarithms of the three largest sizes: 1 is linear, and what every check costs (start, loading) lowers it. A slope above 1.1 is marked.
Frames: recorded inputs of the keyword model (EDGEPROBE_SHARED_DATA). Layers: a chain of small matrix products and tanh in ONNX (neither dies out nor overflows). Pictures: photographs in front
of ResNet-8. `--largest` scales the largest sizes down.
"""
import argparse
import pathlib
import statistics
import sys
import tempfile

import numpy as np

from diagnosis_cost import SHARED, photographs
from price import MODELS, features, measured

STEEP = 1.1


def chain(file, layers, shift=0.0):
    """A model of that many operators; `shift` moves the weights of the middle one."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    chance = np.random.default_rng(3)
    nodes, weights, last = [], [], "x"
    for i in range(layers):
        name = f"t{i}" if i < layers - 1 else "y"
        if i % 2:
            nodes.append(helper.make_node("Tanh", [last], [name]))
        else:
            matrix = 1.5 * np.linalg.qr(chance.normal(size=(16, 16)))[0] + (shift if i // 2 == layers // 4 else 0)
            weights.append(numpy_helper.from_array(matrix.astype(np.float32), f"w{i}"))
            nodes.append(helper.make_node("MatMul", [last, f"w{i}"], [name]))
        last = name
    shape = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "chain", [shape("x", TensorProto.FLOAT, [1, 16])], [shape("y", TensorProto.FLOAT, [1, 16])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), file)


def of_frames(program, size, folder):
    model, data = SHARED / "models" / MODELS["keywords float"][0], folder / "inputs.npz"
    features(data, size, model)
    check = [program, "check", model, "--reference", model, "--data", data, "--level", "io", "--max-size", "50GB", "--json"]
    yield "healthy, io", check
    yield "healthy, io, --exhaustive", [*check, "--exhaustive"]


def of_layers(program, size, folder):
    good, bad, data = folder / "good.onnx", folder / "bad.onnx", folder / "x.npz"
    chain(good, size)
    chain(bad, size, 0.2)
    np.savez(data, x=np.random.default_rng(5).normal(size=(16, 1, 16)).astype(np.float32))
    for way, target in (("healthy, layers", good), ("other weights, layers", bad)):
        yield way, [program, "check", target, "--reference", good, "--data", data, "--level", "layers", "--json"]


def of_pictures(program, size, folder):
    file, reference, bgr, _ = MODELS["resnet-8 float"]
    model, data = SHARED / "models" / file, folder / "photos"
    data.mkdir()
    photographs(data, 16, (size, size * 3 // 4), quality=90)
    for way, recipe in (("healthy, io", reference), ("BGR, io", bgr)):
        yield way, [program, "check", model, "--reference", model, "--recipe", recipe, "--reference-recipe", reference, "--data", data, "--level", "io",
                    "--max-size", "50GB", "--json"]


# The sizes, what a size means in elements, and the commands.
KINDS = {"frames": ((100, 300, 1000, 3000, 10_000), lambda n: n, of_frames), "layers": ((10, 40, 150, 550, 2000), lambda n: n, of_layers),
         "pictures": ((240, 480, 960, 1920, 3840), lambda n: n * n * 3 // 4, of_pictures)}


def slope(sizes, values):
    return float(np.polyfit(np.log(sizes[-3:]), np.log(values[-3:]), 1)[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("edgeprobe", type=pathlib.Path)
    parser.add_argument("--only", default="", help="only kinds whose names contain this")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--largest", type=float, default=1.0, help="leave out sizes above this share of the largest")
    args = parser.parse_args()
    for kind, (sizes, elements, commands) in KINDS.items():
        if args.only not in kind:
            continue
        sizes = [size for size in sizes if size <= args.largest * sizes[-1]]
        rows = {}
        for size in sizes:
            with tempfile.TemporaryDirectory() as temporary:
                for way, command in commands(args.edgeprobe, size, pathlib.Path(temporary)):
                    cpu = statistics.median(measured(command)[0] for _ in range(args.rounds))
                    rows.setdefault(way, []).append((cpu, measured(command, memory=True)[2]))
                    print(f"{kind} {size:6} {way:27} {cpu:8.2f} CPU s {rows[way][-1][1]:6.0f} MB", flush=True)
        for way, found in rows.items():
            slopes = [slope([elements(size) for size in sizes], [row[i] for row in found]) for i in (0, 1)]
            print(f"{kind:8} {way:27} slope of time {slopes[0]:.2f}, of memory {slopes[1]:.2f}", "STEEP" if max(slopes) > STEEP else "", flush=True)


if __name__ == "__main__":
    sys.exit(main())
