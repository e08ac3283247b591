# SPDX-License-Identifier: Apache-2.0
"""Compares our onnxruntime engine with ONNX Runtime's own Python on the same library version: outputs and all intermediate tensors that can
be captured, bit for bit; then models that are refused or fail, each with its sentence.

    onnxruntime_conformance.py RUN_MODEL"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

RUN_MODEL = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared/data"))
LEVELS = {"off": ort.GraphOptimizationLevel.ORT_DISABLE_ALL, "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL}
BFLOAT16 = TensorProto.BFLOAT16
failures = []
ort.set_default_logger_severity(4)


def check(good, text):
    if not good:
        failures.append(text)
        print("FAILED", text)


def run(model, inputs, folder, level="all", shapes=(), **environment):
    """({name: (dtype, shape, bytes)}, printed text) or (None, error text)."""
    files = []
    for i, value in enumerate(inputs):
        files.append(folder / f"in{i}")
        files[-1].write_bytes(np.ascontiguousarray(value).tobytes())
    command = [RUN_MODEL, "onnxruntime", "-", "1", "supervised", str(model), str(folder / "out"), *map(str, files)]
    done = subprocess.run(command + (["--", *shapes] if shapes else []), capture_output=True, text=True, timeout=600,
                          env={**os.environ, "OPTIMIZATION": level, **environment})
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
    outputs = {}
    for line in done.stdout.splitlines():
        if line.startswith("output "):
            _, dtype, shape, name = line.split(" ", 3)
            outputs[name] = (dtype, [int(n) for n in shape.split(",") if n], (folder / f"out.{len(outputs)}").read_bytes())
    return outputs, done.stdout


def session(model, level):
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = LEVELS[level]
    return ort.InferenceSession(model, options)


def seeded(made, seed):
    rng = np.random.default_rng(seed)
    values = {}
    for spec in made.get_inputs():
        shape = [n if isinstance(n, int) else 1 for n in spec.shape]
        dtype = {"tensor(float)": np.float32, "tensor(uint8)": np.uint8, "tensor(int8)": np.int8, "tensor(int64)": np.int64}[spec.type]
        values[spec.name] = rng.random(shape).astype(dtype) if dtype == np.float32 else rng.integers(0, 100, shape).astype(dtype)
    return values


def with_outputs(model, names):
    """The official way: value infos without a type, which the checker accepts as outputs."""
    loaded = onnx.load(model)
    have = {output.name for output in loaded.graph.output}
    for name in names:
        if name not in have:
            loaded.graph.output.append(onnx.ValueInfoProto(name=name))
    return loaded.SerializeToString()


def compare(ours, theirs, text):
    equal = 0
    for name, value in theirs.items():
        if name not in ours:
            check(False, f"{text}: output '{name}' is missing")
            continue
        dtype, shape, raw = ours[name]
        same = dtype == value.dtype.name and shape == list(value.shape) and raw == value.tobytes()
        check(same, f"{text}: '{name}' differs ({dtype} {shape}, {value.dtype.name} {list(value.shape)})")
        equal += same
    return equal


def all_models(folder):
    models = sorted((ROOT / "models").glob("*.onnx")) + sorted(SHARED.glob("models/onnx*/**/*.onnx")) + sorted(SHARED.glob("models/ultraface/*.onnx"))
    loaded, refused, tensors = 0, 0, 0
    for model in models:
        name = "/".join(model.parts[-2:])
        for level in LEVELS:
            try:
                plain = session(str(model), level)
                values = seeded(plain, 3)
                wanted = [o.name for o in plain.get_outputs() if o.type.startswith("tensor(")]
                theirs = dict(zip(wanted, plain.run(wanted, values)))
            except Exception as error:  # The binding has an exception class for each kind of failure.
                _, text = run(model, [], folder, level)
                reason = str(error).split(" : ")[-1].strip().rstrip(".")
                check(isinstance(text, str) and reason[:60] in text, f"{name}: refused with '{text}', not '{reason}'")
                print(f"{name:60s} refused by both: {reason}")
                refused += 1
                break
            ours, text = run(model, values.values(), folder, level)
            if ours is None:
                check(False, f"{name} {level}: {text}")
                continue
            outputs = compare(ours, theirs, f"{name} {level}")
            promoted, text = run(model, values.values(), folder, level, PROMOTE="1")
            if promoted is None:
                check(False, f"{name} {level}, with its intermediates: {text}")
                continue
            official = session(with_outputs(model, promoted), level)
            # Our engine returns no sequences, so it does not return their names.
            inner = compare(promoted, dict(zip(promoted, official.run(list(promoted), values))), f"{name} {level}, intermediates")
            for output in ours:
                check(promoted[output] == ours[output] or level == "all", f"{name} {level}: '{output}' moved when intermediates were asked for")
            print(f"{name:60s} {level:4s} {outputs} outputs and {inner - outputs} intermediates equal bit for bit")
            tensors += outputs + inner
        else:
            loaded += 1
    print(f"{loaded} models loaded, {refused} refused, {tensors} tensors compared bit for bit")
    check(loaded >= 6 or not SHARED.exists(), f"only {loaded} models loaded")


def model_of(nodes, inputs, outputs, initializers=(), opset=17, **more):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers), **more)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)], ir_version=10)


def value(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def kinds_of_tensors(folder):
    """Types and shapes that are unusual but valid."""
    cases = {}
    for kind, dtype in ((TensorProto.FLOAT16, "float16"), (TensorProto.DOUBLE, "float64"), (TensorProto.INT64, "int64"), (TensorProto.BOOL, "bool"),
                        (BFLOAT16, "bfloat16")):
        cases[f"identity of {dtype}"] = (model_of([helper.make_node("Identity", ["x"], ["y"])], [value("x", kind, [2, 3])], [value("y", kind, [2, 3])]),
                                         np.arange(6).astype(np.uint16 if dtype == "bfloat16" else dtype), (dtype, [2, 3]), ())
    scalar = model_of([helper.make_node("Neg", ["x"], ["y"])], [value("x", TensorProto.FLOAT, [])], [value("y", TensorProto.FLOAT, [])])
    cases["a scalar"] = (scalar, np.float32(2), ("float32", []), ())
    named = model_of([helper.make_node("Neg", ["x"], ["y"])], [value("x", TensorProto.FLOAT, ["batch", 3])], [value("y", TensorProto.FLOAT, ["batch", 3])])
    cases["an open dimension left open"] = (named, np.ones(3, np.float32), ("float32", [1, 3]), ())
    cases["an open dimension that is set"] = (named, np.ones(12, np.float32), ("float32", [4, 3]), ("x=4,3",))
    grown = model_of([helper.make_node("NonZero", ["x"], ["y"])], [value("x", TensorProto.FLOAT, [5])], [value("y", TensorProto.INT64, [1, None])])
    cases["a shape that the values decide"] = (grown, np.array([0, 1, 0, 1, 1], np.float32), ("int64", [1, 3]), ())
    cases["a result of no elements"] = (grown, np.zeros(5, np.float32), ("int64", [1, 0]), ())
    for what, (model, data, (dtype, shape), shapes) in cases.items():
        path = folder / "case.onnx"
        path.write_bytes(model.SerializeToString())
        ours, text = run(path, [data], folder, shapes=shapes)
        check(ours is not None and ours["y"][:2] == (dtype, shape), f"{what}: {text if ours is None else ours}")
        if what.startswith("identity") and ours:
            check(ours["y"][2] == data.tobytes(), f"{what}: other bytes")
    print(f"{len(cases)} unusual types and shapes come back as they are")


def endless():
    body = helper.make_graph([helper.make_node("Identity", ["condition"], ["again"]), helper.make_node("Neg", ["state"], ["next"])], "body",
                             [value("i", TensorProto.INT64, []), value("condition", TensorProto.BOOL, []), value("state", TensorProto.FLOAT, [1])],
                             [value("again", TensorProto.BOOL, []), value("next", TensorProto.FLOAT, [1])])
    yes = numpy_helper.from_array(np.array(True), "yes")
    return model_of([helper.make_node("Loop", ["", "yes", "x"], ["y"], body=body)], [value("x", TensorProto.FLOAT, [1])],
                    [value("y", TensorProto.FLOAT, [1])], [yes])


def refusals(folder):
    relu = [helper.make_node("Relu", ["x"], ["y"])]
    x, y = value("x", TensorProto.FLOAT, [1, 3]), value("y", TensorProto.FLOAT, [1, 3])
    good = model_of(relu, [x], [y])
    strings = model_of([helper.make_node("Identity", ["x"], ["y"])], [value("x", TensorProto.STRING, [1])], [value("y", TensorProto.STRING, [1])])
    sequence = model_of([helper.make_node("SequenceConstruct", ["x", "x"], ["y"])], [x],
                        [helper.make_tensor_sequence_value_info("y", TensorProto.FLOAT, [1, 3])])
    fed = model_of([helper.make_node("SequenceAt", ["x", "zero"], ["y"])], [helper.make_tensor_sequence_value_info("x", TensorProto.FLOAT, [1, 3])], [y],
                   [numpy_helper.from_array(np.array(0, np.int64), "zero")])
    four = model_of([helper.make_node("DequantizeLinear", ["x", "s"], ["y"])], [value("x", TensorProto.INT4, [4])], [value("y", TensorProto.FLOAT, [4])],
                    [numpy_helper.from_array(np.float32(1), "s")], opset=21)
    cases = [
        ("an operator set of the future", model_of(relu, [x], [y], opset=99), r"the engine refuses the model: .*[Oo]pset 99", {}),
        ("an operator that nobody has", model_of([helper.make_node("Frobnicate", ["x"], ["y"])], [x], [y]), "unsupported: .*Frobnicate", {}),
        ("a kernel that is not there", model_of([helper.make_node("Relu", ["x"], ["y"])], [value("x", TensorProto.BFLOAT16, [3])], [value("y", TensorProto.BFLOAT16, [3])]),
         "Could not find an implementation for Relu", {}),
        ("half a file", good.SerializeToString()[:40], "corrupt: .*(protobuf|Protobuf)", {}),
        ("no file at all", b"", "corrupt: .*the file is empty", {}),
        ("another format", b"\x1c\x00\x00\x00TFL3" + bytes(40), "corrupt: .*rotobuf", {}),
        ("strings", strings, "input 0 'x' is of type string, which edgeprobe cannot feed", {}),
        ("4-bit integers as input", four, "input 0 'x' is of type int4", {}),
        ("a sequence as the only output", sequence, "none of the model's 1 outputs is a tensor of numbers: output 0 'y' is a sequence", {}),
        ("a sequence as input", fed, "input 0 'x' is a sequence", {}),
        ("a dimension of zero", model_of(relu, [value("x", TensorProto.FLOAT, [0, 3])], [value("y", TensorProto.FLOAT, [0, 3])]),
         "cannot have shape 0x3: every dimension must be at least 1", {}),
        ("a loop without an end", endless(), "longer than the limit of 700 ms and was stopped", {"LIMIT_MS": "700"}),
    ]
    for what, model, sentence, environment in cases:
        path = folder / "case.onnx"
        path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
        ours, text = run(path, [], folder, **environment)
        check(ours is None and re.search(sentence, text) and "\n" not in text, f"{what}: {text}")
        print(f"{what}: {text}")


def outside(folder):
    """Weights next to the model are read only from the named folder."""
    weight = np.arange(400, dtype=np.float32)
    made = model_of([helper.make_node("Add", ["x", "w"], ["y"])], [value("x", TensorProto.FLOAT, [400])], [value("y", TensorProto.FLOAT, [400])],
                    [numpy_helper.from_array(weight, "w")])
    home = folder / "home"
    home.mkdir()
    onnx.save_model(made, home / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    ours, text = run(home / "m.onnx", [np.zeros(400, np.float32)], folder, FOLDER=str(home))
    check(ours is not None and ours["y"][2] == weight.tobytes(), f"external data: {text}")
    # The working folder of this process must make no difference.
    os.chdir(home)
    ours, text = run(home / "m.onnx", [np.zeros(400, np.float32)], folder)
    check(ours is None and "outside its file" in text, f"external data without a folder: {text}")
    print("external data without a folder:", text)
    os.chdir(folder)
    (folder / "empty").mkdir()
    ours, text = run(home / "m.onnx", [np.zeros(400, np.float32)], folder, FOLDER=str(folder / "empty"))
    check(ours is None and "w.bin" in text, f"external data that is missing: {text}")
    print("external data that is missing:", text)
    loaded = onnx.load(home / "m.onnx", load_external_data=False)
    for entry in loaded.graph.initializer[0].external_data:
        if entry.key == "location":
            entry.value = "../home/w.bin"
    (folder / "empty" / "up.onnx").write_bytes(loaded.SerializeToString())
    ours, text = run(folder / "empty" / "up.onnx", [np.zeros(400, np.float32)], folder, FOLDER=str(folder / "empty"))
    check(ours is None, "external data above the folder was read")
    print("external data above the folder:", text)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "none").write_bytes(b"")
        _, absent = run(folder / "none", [], folder)
        if "no library for engine" in absent:
            print("skipped:", absent)
            sys.exit(77)
        all_models(folder)
        kinds_of_tensors(folder)
        refusals(folder)
        outside(folder)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
