#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A .onnx model of 150 MB (or --megabytes), read, patched and cut by onnx_patch_bench and, for comparison, by the onnx package.

bench/onnx_patch.py BUILD/bench/onnx_patch_bench [--megabytes N] [--external]; with --external the weights are in a second file.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

WIDTH = 1024  # A MatMul, an Add and a Relu for each 4 MB.


def make(path, megabytes, external):
    rng, nodes, weights, x = np.random.default_rng(1), [], [], "x"
    for i in range(-(-megabytes * 1_000_000 // (4 * WIDTH * WIDTH))):
        weights += [numpy_helper.from_array(rng.normal(0, WIDTH ** -0.5, (WIDTH, WIDTH)).astype(np.float32), f"w{i}"),
                    numpy_helper.from_array(np.zeros(WIDTH, np.float32), f"b{i}")]
        nodes += [helper.make_node("MatMul", [x, f"w{i}"], [f"m{i}"]), helper.make_node("Add", [f"m{i}", f"b{i}"], [f"a{i}"]),
                  helper.make_node("Relu", [f"a{i}"], [f"r{i}"])]
        x = f"r{i}"
    value = lambda n: helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [1, WIDTH])
    model = helper.make_model(helper.make_graph(nodes, "g", [value("x")], [value(x)], weights), ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    onnx.save(model, path, save_as_external_data=external, location="weights.bin")


OFFICIAL = """
import sys, time, onnx
peak = lambda: [int(l.split()[1]) / 1000 for l in open("/proc/self/status") if l.startswith("VmHWM")][0]  # ru_maxrss counts the parent's.
base = peak()
began = time.time(); model = onnx.load(sys.argv[1], load_external_data=False); read = time.time() - began
began = time.time()
have = {o.name for o in model.graph.output}
model.graph.output.extend(onnx.ValueInfoProto(name=n) for node in model.graph.node for n in node.output if n not in have)
data = model.SerializeToString(); patched = time.time() - began
print(f"onnx package: read {read:.3f} s, outputs added and serialised {patched:.3f} s, "
      f"peak {peak():.1f} MB, of which {base:.1f} MB before the model")
open(sys.argv[2], "wb").write(data)
"""


# The package's own ways to extract a part: with the model in memory and its shapes known, and from file to file.
EXTRACT = """
import statistics, sys, time, onnx, onnx.utils
path, out, first, last = sys.argv[1:5]
model = onnx.shape_inference.infer_shapes(onnx.load(path, load_external_data=False))
extractor = onnx.utils.Extractor(model)
def timed(call, rounds):
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - began)
    return result, f"{statistics.median(times):.4f} s ({min(times):.4f} to {max(times):.4f})"
data, inside = timed(lambda: extractor.extract_model([first], [last]).SerializeToString(), 7)
del model, extractor
_, whole = timed(lambda: onnx.utils.extract_model(path, out, [first], [last]), 3)
print(f"onnx package, {first} to {last}: Extractor and serialise {inside}, extract_model {whole}; {len(data)} bytes")
"""


def run_all(path, folder, feed="x"):
    session = onnxruntime.InferenceSession(path.read_bytes(), _options(folder), providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    x = np.random.default_rng(2).normal(size=(1, WIDTH)).astype(np.float32)
    return dict(zip(names, session.run(None, {feed: x})))


def _options(folder):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(folder))
    return options


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench")
    parser.add_argument("--megabytes", type=int, default=150)
    parser.add_argument("--external", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model, ours, theirs = folder / "large.onnx", folder / "ours.onnx", folder / "theirs.onnx"
        make(model, options.megabytes, options.external)
        print(f"{model.stat().st_size} bytes, external data: {options.external}")
        for _ in range(options.rounds):
            text = subprocess.run([options.bench, model, ours], check=True, capture_output=True, text=True).stdout
            print(text, end="")
            print(subprocess.run([sys.executable, "-c", OFFICIAL, model, theirs], check=True, capture_output=True, text=True).stdout, end="")
        a, b = run_all(ours, folder), run_all(theirs, folder)
        same = [n for n in a if n in b and a[n].tobytes() == b[n].tobytes()]
        print(f"{len(same)} of {len(a)} outputs equal bit for bit in ONNX Runtime {onnxruntime.__version__}")
        for first, last in re.findall(r"; (\w+) to (\w+)$", text, re.M):
            part = folder / ("ours.onnx.rest" if last == list(a)[0] else "ours.onnx.op")
            done = subprocess.run([sys.executable, "-c", EXTRACT, model, theirs, first, last], check=True, capture_output=True, text=True)
            print(done.stdout, end="")
            equal = run_all(part, folder, first)[last].tobytes() == run_all(theirs, folder, first)[last].tobytes()
            print(f"{part.name} {'equals' if equal else 'DIFFERS from'} the package's part in ONNX Runtime")
            same = same if equal else []
        sys.exit(len(same) != len(a))


if __name__ == "__main__":
    main()
