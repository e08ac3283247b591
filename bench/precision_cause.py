# SPDX-License-Identifier: Apache-2.0
"""Which format `diagnose` reports for recordings of less precise devices (the right one, another one, or none), and for devices that are not less
precise.

A device emulated in NumPy (tests/cli/emulated_device.py) runs each model in each arithmetic, with all its layers recorded; then with faults other
than a precision: scaled kernels, operands with random errors or with widths of no known format, another order of float32 sums, other threads. Further
models are random. The data are noise with similar neighbours.

    EDGEPROBE_BUILD=build .deps/venv/bin/python bench/precision_cause.py build/edgeprobe MODEL.onnx...
"""
import collections
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "cli"), str(ROOT / "tests" / "python"), str(ROOT / "python")]
import support  # noqa: E402,F401
import edgeprobe  # noqa: E402

import emulated_device as device  # noqa: E402

FRAMES, NETS = 3, 6
ALIKE = {"tf32": {"float16-products"}, "float16-products": {"tf32"}}


def arithmetics():
    yield "tf32", dict(operands=device.tf32)
    yield "tf32-cut", dict(operands=device.tf32_cut)
    yield "float16-products", dict(operands=device.half)
    yield "bfloat16-products", dict(operands=device.bfloat16)
    yield "bfloat16", dict(stored=device.bfloat16)
    yield "float16", dict(stored=device.half)
    yield "float16-flushed", dict(stored=device.flushed)
    yield "float16-sums", dict(stored=device.half, sums=device.added("straight"))
    yield "float16-blocks", dict(stored=device.half, sums=device.added(32))
    yield "another order", dict(stored=device.half, sums=device.added("back"))
    yield "lanes of 8", dict(stored=device.half, sums=device.added(8))


def others(products, rng):
    """Faults other than a precision."""
    noise = lambda size: lambda values: (values * (1 + rng.normal(0, size, values.shape))).astype(np.float32)
    yield "float32", {}
    yield "float32, two sums", dict(threads=2)
    for bits in (9, 10, 13, 14):
        yield f"{bits} bits", dict(operands=lambda values, bits=bits: device.split(values, bits))
    for size in (2.0**-13, 2.0**-9):
        yield f"noise {size:.1g}", dict(operands=noise(size))
    for factor in (1.001, 1.02, -4.0):
        yield f"kernel x {factor}", dict(fault=(products[len(products) // 2], factor))
    yield "tf32 and kernel x 1.02", dict(operands=device.tf32, fault=(products[len(products) // 2], 1.02))
    yield "bfloat16 and kernel x 1.5", dict(stored=device.bfloat16, fault=(products[len(products) // 2], 1.5))


def random_net(path, seed):
    """Convolutions, depthwise ones, sums, pools and a matrix, of random widths and weights."""
    rng = np.random.default_rng(seed)
    nodes, constants, channels, last = [], {}, 3, "x"

    def conv(source, made, out, size, group=1, stride=1):
        each = channels // group
        constants[made + "/w"] = (rng.normal(0, 1, (out, each, size, size)) * np.sqrt(2 / (each * size * size))).astype(np.float32)
        constants[made + "/b"] = rng.normal(0, 0.2, out).astype(np.float32)
        nodes.append(helper.make_node("Conv", [source, made + "/w", made + "/b"], [made], name=made, group=group, strides=[stride] * 2, pads=[size // 2] * 4, kernel_shape=[size] * 2))
        return made

    for block in range(int(rng.integers(3, 7))):
        out = int(rng.integers(4, 13)) * 4
        last = conv(last, f"c{block}", out, int(rng.choice([1, 3, 5])), stride=int(rng.choice([1, 2])) if block < 3 else 1)
        channels = out
        nodes.append(helper.make_node(str(rng.choice(["Relu", "Sigmoid", "Tanh"])), [last], [last + "/a"]))
        last += "/a"
        if rng.random() < 0.5:
            before = last
            last = conv(last, f"d{block}", channels, 3, group=channels)
            nodes.append(helper.make_node("Add", [before, last], [last + "/s"]))
            last += "/s"
    nodes += [helper.make_node("GlobalAveragePool", [last], ["pool"]), helper.make_node("Flatten", ["pool"], ["flat"])]
    constants["fc/w"] = rng.normal(0, 1, (channels, 10)).astype(np.float32)
    constants["fc/b"] = rng.normal(0, 1, 10).astype(np.float32)
    nodes += [helper.make_node("Gemm", ["flat", "fc/w", "fc/b"], ["logits"]), helper.make_node("Softmax", ["logits"], ["y"])]
    info = lambda name, shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "net", [info("x", [1, 3, 32, 32])], [info("y", [1, 10])], [numpy_helper.from_array(value, name) for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def fragile(path, into, at, offset=12000):
    """A copy of `path` with two convolutions after tensor `at`, which add `offset` and subtract it again."""
    model = onnx.load(path)
    shape = {one.name: [dim.dim_value for dim in one.type.tensor_type.shape.dim] for one in onnx.shape_inference.infer_shapes(model).graph.value_info}[at]
    one = np.eye(shape[1], dtype=np.float32).reshape(shape[1], shape[1], 1, 1)
    nodes = []
    for node in model.graph.node:
        nodes.append(node)
        if at not in node.output:
            continue
        node.output[list(node.output).index(at)] = at + "/before"
        nodes.append(helper.make_node("Conv", [at + "/before", "one", "up"], [at + "/up"], name="up"))
        nodes.append(helper.make_node("Conv", [at + "/up", "one", "down"], [at], name="down"))
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    constants = {"one": one, "up": np.full(shape[1], offset, np.float32), "down": np.full(shape[1], -offset, np.float32)}
    model.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
    onnx.save(model, into)
    return into


def images(model, rng):
    constants = {one.name for one in model.graph.initializer}
    shape = [dim.dim_value or 1 for one in model.graph.input if one.name not in constants for dim in one.type.tensor_type.shape.dim]
    made = []
    for _ in range(FRAMES):
        noise = rng.normal(0, 1, shape)
        for axis in (-1, -2):
            noise = sum(np.roll(noise, k, axis) for k in range(4)) / 2
        made.append(noise.astype(np.float32))
    return made


def diagnosed(edgeprobe_path, folder, path, fed, **how):
    emulated, trace = device.Device(path, **how), folder / "target.mcap"
    trace.unlink(missing_ok=True)
    types = emulated.types()
    with edgeprobe.Probe(str(trace), level="layers", wait_when_full=True) as probe:
        probe.describe(model=path.name, model_sha256=hashlib.sha256(path.read_bytes()).hexdigest())
        for number, image in enumerate(fed):
            made = emulated.run(image)
            with probe.frame(sample=f"{number}") as frame:
                frame.tensor(emulated.input, image, "model_input", position=0)
                for k, (name, kind) in enumerate(types.items()):
                    frame.tensor(name, made[name], "layer", position=k, layer_type=kind)
                for k, name in enumerate(emulated.outputs):
                    frame.tensor(name, made[name], "model_output", position=k)
    done = subprocess.run([edgeprobe_path, "diagnose", trace, "--reference", path, "--model", path, "--data", trace, "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 3, 4):
        raise SystemExit(f"{path} {how}: {done.returncode} {done.stderr}")
    return json.loads(done.stdout)


def told(verdict):
    """(reported formats, whether they are confirmed, other confirmed causes)."""
    cause = next((one for one in verdict["causes"] if one["kind"] == "precision"), None)
    rest = [one["kind"] for one in verdict["causes"] if one["status"] == "confirmed" and one["kind"] != "precision"]
    text = cause["detail"] if cause else " ".join(one for one in verdict["warnings"] if "the target rounds" in one or "the target stored" in one)
    names = {"tf32", "tf32-cut", "float16-products", "bfloat16-products", "bfloat16", "float16", "float16-flushed", "float16-sums", "float16-blocks"}
    words = text.split("predict-precision")[0].replace("(", " ").replace(")", " ").replace(",", " ").replace(";", " ").replace(":", " ").split()
    return {word for word in words if word in names}, bool(cause), rest


def main(path, *models):
    rng, counts = np.random.default_rng(4), collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        nets = [pathlib.Path(model) for model in models] + [random_net(folder / f"random{seed}.onnx", seed) for seed in range(NETS)]
        for net in list(nets):
            model = onnx.shape_inference.infer_shapes(onnx.load(net))
            fours = [one.name for one in model.graph.value_info if len(one.type.tensor_type.shape.dim) == 4]
            convs = [node.output[0] for node in model.graph.node if node.op_type == "Conv" and node.output[0] in fours]
            nets.append(fragile(net, folder / f"fragile_{net.name}", convs[len(convs) * 2 // 3]))
        for net in nets:
            model = onnx.load(net)
            fed = images(model, rng)
            products = [node.output[0] for node in model.graph.node if node.op_type in device.PRODUCTS]
            for kind, cases in (("precise", arithmetics()), ("other", others(products, rng))):
                for what, how in cases:
                    verdict = diagnosed(path, folder, net, fed, **how)
                    formats, confirmed, rest = told(verdict)
                    if kind == "other":
                        stored = what.startswith("bfloat16")  # The warning about the stored format is right.
                        result = "wrongly confirmed" if confirmed else "wrongly told" if formats and not stored and not what.startswith("tf32") else "nothing told"
                    elif what in ("another order", "lanes of 8"):
                        result = "right" if confirmed and {"float16-sums", "float16-blocks"} <= formats or (not confirmed and formats <= {"float16"} and formats) else "wrong" if formats else "nothing told"
                    elif not formats:
                        result = "nothing told"
                    elif what in formats and len(formats) == 1:
                        result = "right"
                    elif what in formats:
                        result = "right, undecided"
                    else:
                        result = "stored, right" if not confirmed and what.startswith("float16-") and formats == {"float16"} else "wrong"
                    counts[kind, result] += 1
                    counts[kind, "confirmed"] += confirmed
                    print(f"{net.name}: {what}: {result}: {sorted(formats)}{' confirmed' if confirmed else ''} {verdict['verdict']} {rest}", flush=True)
    print(json.dumps({" ".join(key): value for key, value in sorted(counts.items())}))


if __name__ == "__main__":
    main(*sys.argv[1:])
