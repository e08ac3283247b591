# SPDX-License-Identifier: Apache-2.0
"""Runs every model that OpenVINO loads in our engine and in OpenVINO's own Python: results must be bit-equal.

Usage: openvino_conformance.py RUN_MODEL GRAPH_TOOL
Both use the same file, the same seeded inputs, float32 and one thread. For intermediate tensors, both get the file with more outputs that
src/model writes. Prints the models loaded and refused with the reason, the tensors compared, and the layers that a kernel names.
Exit code 77: this machine lacks something that the test needs."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import openvino as ov
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

RUN_MODEL, GRAPH_TOOL = sys.argv[1:3]
ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT / "../shared/data")) / "models"
CONFIG = {"INFERENCE_PRECISION_HINT": "f32", "EXECUTION_MODE_HINT": "ACCURACY", "INFERENCE_NUM_THREADS": 1,
          "NUM_STREAMS": 1, "ENABLE_CPU_PINNING": False}
GROUP_BYTES = 256 << 20
core = ov.Core()
failures = []


def check(good, text):
    if not good:
        failures.append(text)
        print("FAILED", text)
    return good


def first_line(error):
    """OpenVINO's reason without positions in its sources."""
    text = str(error).strip().split("\n")[-1]
    return text.split("GeneralFailure: ")[-1].split("OpConversionFailure: ")[-1].strip().rstrip(".")


def ours(model, inputs, folder, mode="supervised", **environment):
    files = []
    for i, value in enumerate(inputs):
        files.append(folder / f"in{i}")
        files[-1].write_bytes(np.ascontiguousarray(value).tobytes())
    command = [RUN_MODEL, "openvino", "-", "1", mode, str(model), str(folder / "out"), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env={**os.environ, **environment})
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
    outputs = {}
    for line in done.stdout.splitlines():
        if line.startswith("output "):
            _, dtype, shape, name = (line + " ").split(" ", 3)
            raw = (folder / f"out.{len(outputs)}").read_bytes()
            outputs[len(outputs), name.strip()] = np.frombuffer(raw, dtype).reshape([int(n) for n in shape.split(",") if n])
    return outputs, done.stdout


class Theirs:
    def __init__(self, path, **config):
        model = core.read_model(path)
        open_inputs = {i: [d.get_length() if d.is_static else 1 for d in port.get_partial_shape()]
                       for i, port in enumerate(model.inputs) if port.get_partial_shape().is_dynamic}
        if open_inputs:
            model.reshape(open_inputs)
        self.model = core.compile_model(model, "CPU", {**CONFIG, **config})
        self.names = [port.get_names() for port in self.model.outputs]

    def inputs(self, seed):
        rng = np.random.default_rng(seed)
        values = []
        for port in self.model.inputs:
            dtype, shape = port.get_element_type().to_dtype(), list(port.get_shape())
            if np.issubdtype(dtype, np.floating):
                values.append(rng.random(shape).astype(dtype))
            else:
                info = np.iinfo(dtype)
                values.append(rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True))
        return values

    def run(self, inputs):
        request = self.model.create_infer_request()
        request.infer(inputs)
        return [request.get_output_tensor(i).data.copy() for i in range(len(self.names))]


def same(name, got, want, names):
    """Number of bit-equal tensors, which must have the names and the order of OpenVINO's own outputs."""
    check(len(got) == len(want), f"{name}: {len(got)} outputs instead of {len(want)}")
    equal = 0
    for (i, tensor), value in got.items():
        if i >= len(want):
            break
        # If an operator only passes its input on, OpenVINO has one tensor with both names.
        passed_on = any(value.tobytes() == other.tobytes() and one in names[i] for (_, one), other in got.items())
        check(tensor in names[i] or passed_on, f"{name}: output {i} is called '{tensor}', not one of {sorted(names[i])}")
        good = value.dtype == want[i].dtype and value.shape == want[i].shape and value.tobytes() == want[i].tobytes()
        equal += check(good, f"{name}: output {i} '{tensor}' differs ({value.dtype} {value.shape}, {want[i].dtype} {want[i].shape})")
    return equal


def intermediates(model, name, folder):
    """(tensors compared, why it could not be done)"""
    done = subprocess.run([GRAPH_TOOL, "promote", str(model), str(folder / "p"), str(GROUP_BYTES)], capture_output=True, text=True)
    if done.returncode != 0:
        return 0, done.stderr.strip()
    compared = 0
    for i, _ in enumerate(json.loads(done.stdout)):
        copy = folder / f"p{i}{model.suffix}"
        shutil.move(folder / f"p.{i}", copy)
        try:
            theirs = Theirs(copy)
        except RuntimeError as refused:
            got, text = ours(copy, [], folder)
            check(got is None, f"{name}: with more outputs only OpenVINO's Python refuses it")
            return compared, first_line(refused)
        inputs = theirs.inputs(2)
        got, text = ours(copy, inputs, folder)
        if check(got is not None, f"{name} with more outputs: {text}"):
            compared += same(f"{name} with more outputs", got, theirs.run(inputs), theirs.names)
    return compared, ""


def coverage(model, name, inputs, folder):
    """(layers that a kernel names, all layers, share of the time in kernels that name layers)"""
    done = subprocess.run([GRAPH_TOOL, "dump", str(model)], capture_output=True, text=True)
    got, text = ours(model, inputs, folder, mode="here", PROFILE="1", KERNELS="1")
    if not check(got is not None, f"{name} profiled: {text}") or done.returncode != 0:
        return None
    total, named, whole, known = len(json.loads(done.stdout)["layers"]), set(), 0, 0
    for line in text.splitlines():
        if line.startswith("kernel "):
            _, precision, ns, layers, _ = line.split(" ", 4)
            check(precision != "bf16", f"{name}: {line} although float32 was asked for")
            whole += int(ns)
            if layers != "-":
                named |= set(map(int, layers.split(",")))
                known += int(ns)
    check(whole > 0 and max(named, default=0) < total, f"{name}: no times, or a layer that does not exist")
    return len(named), total, known / max(whole, 1)


def precisions():
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return {flag for flag in ("avx512_bf16", "amx_bf16") if f" {flag}" in flags}


def bfloat16(folder):
    """The engine's own default, layer by layer."""
    model = ROOT / "models/signs_float.tflite"
    if not precisions():
        print("bf16: not measurable here, this processor has neither avx512_bf16 nor amx_bf16")
        return
    inputs = Theirs(model).inputs(3)
    used, values = {}, {}
    for asked in ("float32", "engine"):
        got, text = ours(model, inputs, folder, PROFILE="1", KERNELS="1", PRECISION=asked)
        check(got is not None, f"precision {asked}: {text}")
        kernels = [line.split(" ")[1] for line in text.splitlines() if line.startswith("kernel ")]
        used[asked] = {p: kernels.count(p) for p in sorted(set(kernels))}
        values[asked] = list(got.values())[0]
    check("bf16" not in used["float32"], f"float32 was asked for: {used['float32']}")
    check(used["engine"].get("bf16", 0) > 0, f"OpenVINO was free to choose and took {used['engine']}")
    by_choice = Theirs(model, INFERENCE_PRECISION_HINT=ov.Type.bf16, EXECUTION_MODE_HINT="PERFORMANCE").run(inputs)[0]
    check(np.array_equal(values["engine"], by_choice), "the engine's choice is not what bf16 gives in Python")
    gap = np.abs(values["engine"] - values["float32"]).max()
    print(f"precision float32: kernels {used['float32']}; precision engine: {used['engine']}; outputs differ by {gap:.3g}")


def outside_values(folder):
    """An ONNX file with weights next to it, below it and outside of its folder."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    home = folder / "home"
    (home / "deep").mkdir(parents=True)
    weights = {"deep/w.bin": np.arange(12, dtype=np.float32).reshape(3, 4), "b.bin": np.full(4, 0.5, np.float32)}
    tensors = []
    for place, value in weights.items():
        (home / place).write_bytes(value.tobytes())
        tensor = numpy_helper.from_array(value, place.split("/")[-1][0])
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=place)
        tensors.append(tensor)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["xw"]), helper.make_node("Add", ["xw", "b"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", 1, [2, 3])],
                              [helper.make_tensor_value_info("y", 1, [2, 4])], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = home / "outside.onnx"
    path.write_bytes(model.SerializeToString())
    theirs = Theirs(path)
    inputs = theirs.inputs(4)
    got, text = ours(path, inputs, folder, FOLDER=str(home))
    if check(got is not None, f"values outside of the file: {text}"):
        same("values outside of the file", got, theirs.run(inputs), theirs.names)
    got, text = ours(path, inputs, folder)
    check(got is None and "folder" in text, f"values outside of the file without a folder: {text}")
    model.graph.initializer[0].external_data[0].value = "../none.bin"
    (folder / "none.bin").write_bytes(bytes(48))
    path.write_bytes(model.SerializeToString())
    got, text = ours(path, inputs, folder, FOLDER=str(home))
    check(got is None and "../none.bin" in text, f"values outside of the folder: {text}")
    print(f"values outside of an ONNX file: equal; outside of its folder: {text}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "none.onnx").write_bytes(b"")
        _, absent = ours(folder / "none.onnx", [], folder)
        if "no library for engine" in absent or "no plug-in" in absent:
            print("skipped:", absent)
            sys.exit(77)
        models = sorted(p for top in (SHARED, ROOT / "models") for p in top.rglob("*") if p.suffix in (".onnx", ".tflite"))
        loaded = {".onnx": 0, ".tflite": 0}
        refused = tensors = layers = all_layers = 0
        for model in models:
            label = str(model.relative_to(SHARED if model.is_relative_to(SHARED) else ROOT))
            try:
                theirs = Theirs(model)
            except RuntimeError as error:
                got, text = ours(model, [], folder)
                check(got is None and len(text) < 700 and "Exception from" not in text, f"{label}: refused with '{text}'")
                print(f"{label:66s} refused: {text}")
                refused += 1
                continue
            inputs = theirs.inputs(1)
            got, text = ours(model, inputs, folder)
            if not check(got is not None, f"{label}: {text}"):
                continue
            loaded[model.suffix] += 1
            outputs = same(label, got, theirs.run(inputs), theirs.names)
            inner, why = intermediates(model, label, folder)
            tensors += outputs + inner
            covered = coverage(model, label, inputs, folder)
            if covered:
                layers, all_layers = layers + covered[0], all_layers + covered[1]
            print(f"{label:66s} {outputs} outputs and {inner} with intermediates equal" + (f" (not all: {why})" if why else "") +
                  (f"; layers with a kernel {covered[0]} of {covered[1]}, {covered[2]:.0%} of the time" if covered else ""))
        print(f"{loaded['.tflite']} tflite and {loaded['.onnx']} onnx models loaded, {refused} refused by both; {tensors} tensors equal; "
              f"{layers} of {all_layers} layers are named by a kernel")
        if SHARED.exists():
            check(loaded[".tflite"] >= 12 and loaded[".onnx"] >= 6, f"only {loaded} models loaded")
        else:
            print(f"the other models are left out: {SHARED} does not exist (EDGEPROBE_SHARED_DATA)")
        outside_values(folder)
        bfloat16(folder)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
