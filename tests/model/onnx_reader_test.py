# SPDX-License-Identifier: Apache-2.0
"""src/model for ONNX compared with independent readers: the onnx package and ONNX Runtime.

Its argument is the built tests/model/graph_tool. Models: the project's own, those inside of the onnx package, everything under
EDGEPROBE_SHARED_DATA if it exists, and a few that are made here."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

try:
    import ml_dtypes
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing} (script/requirements-test.txt has it)")
    sys.exit(77)

CHECKOUT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("EDGEPROBE_SHARED_DATA", CHECKOUT.parent / "shared" / "data"))
PACKAGE = Path(onnx.__file__).parent / "backend" / "test" / "data"
INPUT_SEED = 5
FEWEST_REAL_MODELS = 6

DTYPES = {
    TensorProto.FLOAT: "float32", TensorProto.FLOAT16: "float16", TensorProto.BFLOAT16: "bfloat16", TensorProto.DOUBLE: "float64",
    TensorProto.INT8: "int8", TensorProto.UINT8: "uint8", TensorProto.INT16: "int16", TensorProto.UINT16: "uint16",
    TensorProto.INT32: "int32", TensorProto.UINT32: "uint32", TensorProto.INT64: "int64", TensorProto.UINT64: "uint64",
    TensorProto.BOOL: "bool", TensorProto.INT4: "int4",
}
# Kinds of values that are never read as numbers.
WORDS = {"sequence_type": "sequence", "map_type": "map", "optional_type": "optional", "opaque_type": "opaque", "sparse_tensor_type": "sparse_tensor"}


def shared_models():
    return sorted(p for p in SHARED.glob("models/**/*.onnx") if "invalid" not in p.parts)


def own_models():
    return sorted((CHECKOUT / "models").glob("*.onnx"))


def all_models():
    return own_models() + shared_models() + sorted(PACKAGE.glob("**/*.onnx"))


def name_of(path):
    return path.name if path.name != "model.onnx" else path.parent.name


def tool(*args, given=None):
    done = subprocess.run([os.environ["EDGEPROBE_GRAPH_TOOL"], *map(str, args)], capture_output=True, timeout=600, input=given)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def dump(path):
    return json.loads(tool("dump", path))


def dumps(paths):
    lines = tool("dumps", given="\n".join(map(str, paths)).encode() + b"\n").splitlines()
    assert len(lines) == len(paths)
    return [json.loads(line) for line in lines]


def type_word(type_proto):
    """(dtype, stored_type, shape or None) in edgeprobe's words; None if the file does not state it."""
    kind = type_proto.WhichOneof("value")
    if kind is None:
        return None
    if kind != "tensor_type":
        return "other", WORDS[kind], None
    tensor = type_proto.tensor_type
    dtype = DTYPES.get(tensor.elem_type, "other")
    shape = [d.dim_value if d.WhichOneof("value") == "dim_value" and d.dim_value >= 0 else -1 for d in tensor.shape.dim] if tensor.HasField("shape") else None
    return dtype, None if dtype != "other" else TensorProto.DataType.Name(tensor.elem_type).lower(), shape


def qualified(node):
    return node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}:{node.op_type}"


def folded(node):
    return qualified(node) == "Constant" and len(node.output) == 1 and any(a.name == "value" for a in node.attribute)


def plain_bytes(array):
    """The bytes in the file's own form: two int4 per byte."""
    if array.dtype == ml_dtypes.int4:
        nibbles = np.append(array.astype(np.int8).reshape(-1) & 15, [0] * (array.size % 2)).astype(np.uint8)
        return (nibbles[0::2] | nibbles[1::2] << 4).tobytes()
    return array.tobytes()


def check_against_package(path, graph, model, tmp_path):
    """Names, shapes, dtypes, operators and the values of constants. Returns how many constants were compared."""
    main = model.graph
    names = [t["name"] for t in graph["tensors"]]
    initializers = {i.name: i for i in main.initializer} | {n.output[0]: n.attribute[0].t for n in main.node if folded(n)}
    sparse = {s.values.name for s in main.sparse_initializer}
    assert graph["format"] == "onnx" and graph["size"] == path.stat().st_size
    assert graph["opsets"] == {o.domain or "ai.onnx": o.version for o in model.opset_import}
    assert graph["description"] == model.doc_string
    assert graph["producer"] == " ".join(w for w in (model.producer_name, model.producer_version) if w)
    assert graph["metadata"] == {p.key: len(p.value.encode()) for p in model.metadata_props}
    assert [names[i] for i in graph["inputs"]] == [i.name for i in main.input if i.name not in initializers and i.name not in sparse]
    assert [names[i] for i in graph["outputs"]] == [o.name for o in main.output]
    nodes = [n for n in main.node if not folded(n)]
    assert [l["type"] for l in graph["layers"]] == [qualified(n) for n in nodes]
    assert [l["name"] for l in graph["layers"]] == [n.name for n in nodes]
    label = lambda i: "" if i < 0 else names[i]
    for ours, theirs in zip(graph["layers"], nodes):
        assert [label(i) for i in ours["inputs"]] == list(theirs.input)
        assert [label(i) for i in ours["outputs"]] == list(theirs.output)
    assert {names[i] for i, t in enumerate(graph["tensors"]) if t["constant"]} == set(initializers) | sparse
    by_name = dict(zip(names, graph["tensors"]))
    for value in [*main.value_info, *main.input, *main.output]:
        expected = type_word(value.type)
        if value.name not in by_name or value.name in initializers or value.name in sparse or expected is None:
            continue
        ours = by_name[value.name]
        dtype, word, shape = expected
        assert ours["dtype"] == dtype, value.name
        if dtype == "other" and word in WORDS.values():
            assert ours["stored_type"] == word
        if shape is not None:
            assert ours["shape_known"] and len(ours["shape"]) == len(shape), value.name
            assert all(a == b or b == -1 for a, b in zip(ours["shape"], shape)), (value.name, ours["shape"], shape)
    out = tmp_path / "constants"
    index, data, at, compared = json.loads(tool("constants", path, out)), out.read_bytes(), 0, 0
    for entry in index:
        ours = graph["tensors"][entry["index"]]
        if "fault" in entry:
            assert entry["fault"] == "unsupported" and (ours["dtype"] == "other" or ours["sparse"]), ours
            continue
        array = numpy_helper.to_array(initializers[ours["name"]], str(path.parent))
        assert ours["shape"] == list(array.shape)
        if ours["dtype"] != "other":
            assert ours["dtype"] == DTYPES[initializers[ours["name"]].data_type]
            assert data[at:at + entry["size"]] == plain_bytes(array), ours["name"]
            compared += 1
        at += entry["size"]
    assert at == len(data)
    return compared


def test_reads_what_the_onnx_package_reads(tmp_path):
    paths = all_models()
    tensors = constants = layers = 0
    for path, graph in zip(paths, dumps(paths)):
        assert "error" not in graph, (path, graph)
        constants += check_against_package(path, graph, onnx.load(path, load_external_data=False), tmp_path)
        tensors, layers = tensors + len(graph["tensors"]), layers + len(graph["layers"])
    real = len(own_models()) + len(shared_models())
    print(f"\n{len(paths)} models ({real} of them real) read as the onnx package reads them: {layers} layers, {tensors} tensors, {constants} constants with values")
    if SHARED.exists():
        assert real >= FEWEST_REAL_MODELS


OPAQUE = {"TENSOR": "tensor", "TENSORS": "tensors", "GRAPH": "graph", "GRAPHS": "graphs", "SPARSE_TENSOR": "sparse tensor",
          "SPARSE_TENSORS": "sparse tensors", "TYPE_PROTO": "type", "TYPE_PROTOS": "types"}


def attribute_value(attribute):
    """In the format of graph_tool."""
    kind = onnx.AttributeProto.AttributeType.Name(attribute.type)
    if kind in OPAQUE:
        return {"opaque": OPAQUE[kind]}
    value = helper.get_attribute_value(attribute)
    words = lambda v: v.decode("utf-8", "replace") if isinstance(v, bytes) else v if not isinstance(v, float) or np.isfinite(v) else None
    return [words(v) for v in value] if kind.endswith("S") else words(value)


def test_attributes_are_those_that_the_onnx_package_reads(node_tests, tmp_path):
    models = [(path, onnx.load(path, load_external_data=False)) for path in all_models()]
    # Every tenth case, and one with each type of attribute; no case of the package has floats.
    of_type = {a.type: case for case in node_tests for n in case[1].graph.node for a in n.attribute}
    row = [onnx.helper.make_tensor_value_info(end, TensorProto.FLOAT, [1, 2]) for end in "xy"]
    scaler = onnx.helper.make_node("Scaler", ["x"], ["y"], domain="ai.onnx.ml", offset=[0.25, -1.5], scale=[2.0, 1e-7])
    floats = onnx.helper.make_model(onnx.helper.make_graph([scaler], "floats", row[:1], row[1:]))
    for number, (name, model) in enumerate(node_tests[::10] + list(of_type.values()) + [("scaler", floats)]):
        path = tmp_path / f"{number}.onnx"
        path.write_bytes(model.SerializeToString())
        models.append((path, model))
    compared, kinds = 0, set()
    for path, model in models:
        ours = json.loads(tool("attributes", path))
        theirs = [{a.name: attribute_value(a) for a in n.attribute} for n in model.graph.node if not folded(n)]
        assert ours == theirs, path
        compared += sum(map(len, theirs))
        kinds |= {a.type for n in model.graph.node for a in n.attribute}
    print(f"\n{compared} attributes of {len(kinds)} types as the onnx package reads them")
    assert compared > 2000 and len(kinds) >= 8


@pytest.fixture(scope="module")
def node_tests():
    from onnx.backend.test import loader
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The cases cause overflows on purpose.
        # The package returns the order of the file system.
        return sorted(((case.name, case.model) for case in loader.load_model_tests(kind="node") if case.model is not None), key=lambda case: case[0])


def test_every_operator_of_the_standard_is_read_and_what_is_inferred_is_right(node_tests, tmp_path):
    """The package's own case for each operator, without the declarations of its outputs: our inferred types equal the declared ones."""
    paths, declared = [], []
    for number, (name, model) in enumerate(node_tests):
        stripped = onnx.ModelProto()
        stripped.CopyFrom(model)
        outputs = {o.name: type_word(o.type) for o in stripped.graph.output}
        del stripped.graph.output[:]
        stripped.graph.output.extend(onnx.ValueInfoProto(name=o) for o in outputs)
        del stripped.graph.value_info[:]
        path = tmp_path / f"{number}.onnx"
        path.write_bytes(stripped.SerializeToString())
        paths.append(path)
        declared.append((name, outputs))
    types = shapes = dims = open_types = open_shapes = 0
    unknown = set()
    for (name, outputs), graph in zip(declared, dumps(paths)):
        assert "error" not in graph, (name, graph)
        by_name = {t["name"]: t for t in graph["tensors"]}
        for output, expected in outputs.items():
            ours, (dtype, _, shape) = by_name[output], expected
            if ours["stored_type"] == "unknown":
                open_types += 1
                unknown |= {layer["type"] for layer in graph["layers"]}
            else:
                assert ours["dtype"] == dtype, (name, output, ours, expected)
                types += 1
            if shape is None:
                continue
            if not ours["shape_known"]:
                open_shapes += 1
                continue
            assert len(ours["shape"]) == len(shape), (name, output, ours["shape"], shape)
            assert all(a == b or -1 in (a, b) for a, b in zip(ours["shape"], shape)), (name, output, ours["shape"], shape)
            shapes, dims = shapes + 1, dims + sum(a != -1 for a in ours["shape"])
    print(f"\n{len(paths)} operator cases: {types} types right, {open_types} open; {shapes} shapes right ({dims} dimensions), {open_shapes} open")
    print("operators without a rule: " + ", ".join(sorted(unknown)))
    assert types > 2 * open_types and shapes > open_shapes  # Most unknown ones are in the expanded bodies of functions.


# --- Intermediates as outputs. ---

NUMPY = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16, "tensor(int8)": np.int8, "tensor(uint8)": np.uint8,
    "tensor(int16)": np.int16, "tensor(uint16)": np.uint16, "tensor(int32)": np.int32, "tensor(uint32)": np.uint32, "tensor(int64)": np.int64,
    "tensor(uint64)": np.uint64, "tensor(bool)": np.bool_,
}


def session_of(model, folder=None):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    # Above this level, quantised operators become kernels that saturate on processors with AVX2 and without VNNI, if they are fused.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    if folder is not None:
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(folder))
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def feeds_of(session):
    random, feeds = np.random.default_rng(INPUT_SEED), {}
    for one in session.get_inputs():
        shape = [d if isinstance(d, int) else 2 for d in one.shape]
        dtype = NUMPY[one.type]
        if np.dtype(dtype).kind == "f":
            feeds[one.name] = random.uniform(-1, 1, shape).astype(dtype)
        else:
            feeds[one.name] = random.integers(0, 2, shape).astype(dtype)
    return feeds


def same_bits(a, b):
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return a == b  # Sequences and maps.


def official(model, names):
    """The model with `names` as outputs too, added through the onnx package."""
    added = onnx.ModelProto()
    added.CopyFrom(model)
    added.graph.output.extend(onnx.ValueInfoProto(name=n) for n in names)
    return added.SerializeToString()


def compare_promotion(path, tmp_path, share=1.0):
    """The number of tensors for which our patch and the official way give the same bits, the number of node outputs left out, and a sentence with the
    reason if ONNX Runtime does not accept the model."""
    graph, model = dump(path), onnx.load(path, load_external_data=False)
    try:
        plain = session_of(path.read_bytes(), path.parent)
        feeds = feeds_of(plain)
        expected = plain.run(None, feeds)
    except Exception as refused:  # For whatever reason, the engine does not run this model.
        return 0, 0, f"{type(refused).__name__}: {str(refused).splitlines()[0][:160]}"
    tensors = graph["tensors"]
    names = [t["name"] for t in tensors]
    total = sum(int(np.prod([max(d, 1) for d in tensors[i]["shape"]])) * 4 for i in graph["capturable"])
    groups = json.loads(tool("promote", path, tmp_path / "promoted", int(total * share) + 1))
    outputs = [names[i] for i in graph["outputs"]]
    compared = 0
    seen, declared = set(), {v.name for v in [*model.graph.output, *model.graph.value_info]}
    for number, group in enumerate(groups):
        wanted = [names[i] for i in group]
        assert wanted[:len(outputs)] == outputs
        data = (tmp_path / f"promoted.{number}").read_bytes()
        assert data.startswith(path.read_bytes()), "weights are never rewritten"
        ours = session_of(data, path.parent)
        assert [o.name for o in ours.get_outputs()] == wanted
        theirs = session_of(official(model, wanted[len(outputs):]), path.parent)
        for name, a, b in zip(wanted, ours.run(None, feeds), theirs.run(wanted, feeds)):
            assert same_bits(a, b), f"{path}: {name} differs"
            spec = tensors[names.index(name)]
            if isinstance(a, np.ndarray):
                assert spec["dtype"] in ("other", a.dtype.name), (name, spec["dtype"], a.dtype)
                if spec["shape_known"] and name not in declared:  # A file may declare another shape than this input leads to.
                    assert len(spec["shape"]) == a.ndim and all(d in (-1, s) for d, s in zip(spec["shape"], a.shape)), (name, spec["shape"], a.shape)
            compared += 1
            seen.add(name)
        for plain_value, value in zip(expected, ours.run(outputs, feeds)):
            if isinstance(plain_value, np.ndarray) and plain_value.dtype.kind == "f":
                # Outputs prevent fusion: float kernels then sum in another order, and quantised ones round once more, by a step of the answer.
                step = 2 / 255 if any("Quantize" in layer["type"] for layer in graph["layers"]) else 1e-4
                np.testing.assert_allclose(value, plain_value, rtol=1e-3, atol=step)
    made = {names[i] for layer in graph["layers"] for i in layer["outputs"] if i >= 0}
    return compared, len(made - seen - set(outputs)), None


def test_promoted_intermediates_equal_officially_added_outputs_bit_for_bit(tmp_path):
    groups = {"own and shared": own_models() + shared_models(), "the package's": sorted(PACKAGE.glob("**/model.onnx"))}
    for word, paths in groups.items():
        loaded = tensors = left = 0
        refused = []
        for path in paths:
            compared, missing, reason = compare_promotion(path, tmp_path)
            if reason:
                refused.append(f"{name_of(path)}: {reason}")
                continue
            loaded, tensors, left = loaded + 1, tensors + compared, left + missing
        print(f"\n{word} models: {loaded} loaded, {len(refused)} refused, {tensors} tensors equal bit for bit, {left} node outputs left out")
        print("\n".join("  refused: " + one for one in refused))
        if word == "own and shared" and SHARED.exists():
            assert loaded >= FEWEST_REAL_MODELS and tensors >= 300


def test_groups_cover_the_same_tensors(tmp_path):
    for path in own_models():
        compared, _, reason = compare_promotion(path, tmp_path, share=0.3)
        assert reason is None and compared > 5


# --- Models made here, for features that no available model has. ---


def value(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def saved(path, nodes, inputs, outputs, initializers=(), opset=17, **more):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers), **more)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    path.write_bytes(model.SerializeToString())
    return model


F = TensorProto.FLOAT


def test_constants_of_every_type_in_every_form(tmp_path):
    arrays = [np.arange(6, dtype=t).reshape(2, 3) for t in (np.float32, np.float64, np.float16, np.int8, np.uint8, np.int16, np.uint16, np.int32,
                                                             np.uint32, np.int64, np.uint64)]
    arrays += [np.array([[-1, -2, 3]], t) for t in (np.int8, np.int16, np.int32, np.int64, np.float32)]
    arrays += [np.array([True, False, True]), np.zeros((0, 4), np.float32), np.float32(3.5).reshape(()), np.arange(5).astype(ml_dtypes.bfloat16),
               np.array([-8, 7, 3, -1, 0], ml_dtypes.int4)]
    initializers = []
    for number, array in enumerate(arrays):
        code = helper.np_dtype_to_tensor_dtype(array.dtype)
        initializers.append(numpy_helper.from_array(array, f"raw{number}"))
        if array.dtype == ml_dtypes.bfloat16:
            typed = TensorProto(name=f"typed{number}", data_type=code, dims=array.shape, int32_data=array.view(np.uint16).astype(np.int32))
        elif array.dtype == ml_dtypes.int4:
            typed = TensorProto(name=f"typed{number}", data_type=code, dims=array.shape, int32_data=np.frombuffer(plain_bytes(array), np.uint8).astype(np.int32))
        else:
            typed = helper.make_tensor(f"typed{number}", code, array.shape, array.reshape(-1).tolist())
        initializers.append(typed)
    initializers.append(helper.make_tensor("words", TensorProto.STRING, [2], [b"a", b"b"]))
    initializers.append(helper.make_tensor("pair", TensorProto.COMPLEX64, [1], [1 + 2j]))
    path = tmp_path / "constants.onnx"
    model = saved(path, [helper.make_node("Relu", ["x"], ["y"])], [value("x", F, [1])], [value("y", F, [1])], initializers)
    assert check_against_package(path, dump(path), model, tmp_path) == 2 * len(arrays)


def unpacked(tensor, field, payload):
    """The tensor with unpacked entries, as old writers make them."""
    return tensor.SerializeToString() + b"".join(bytes([field]) + p for p in payload)


def test_entries_that_are_not_packed_and_messages_in_parts(tmp_path):
    floats = unpacked(TensorProto(name="w", data_type=F, dims=[2]), 4 << 3 | 5, [np.float32(v).tobytes() for v in (1.5, -2)])
    whole = unpacked(TensorProto(name="n", data_type=TensorProto.INT64, dims=[2]), 7 << 3, [b"\x03", b"\xfe" + b"\xff" * 8 + b"\x01"])
    field = lambda number, data: bytes([number << 3 | 2, len(data)]) + data
    model = helper.make_model(helper.make_graph([helper.make_node("Add", ["x", "w"], ["z"])], "g", [value("x", F, [2])], [value("z", F, [2])]), ir_version=8)
    data = model.SerializeToString() + field(7, field(5, floats)) + field(7, field(5, whole)) + field(100 % 15, b"unknown")
    path = tmp_path / "parts.onnx"
    path.write_bytes(data)
    parsed = onnx.load_from_string(data)
    assert [i.name for i in parsed.graph.initializer] == ["w", "n"]
    assert check_against_package(path, dump(path), parsed, tmp_path) == 2


def quantised_model(path):
    rng = np.random.default_rng(1)
    constants = {"xs": np.float32(0.5), "xz": np.int8(-3), "ws": np.float32([0.1, 0.2, 0.3]), "wz": np.int8([0, 0, 0]),
                 "w": rng.integers(-127, 127, (3, 2, 1, 1), dtype=np.int8), "ys": np.float32(0.25), "yz": np.int8(5),
                 "b": np.int32([1, 2, 3])}
    nodes = [helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["xq"], name="in"),
             helper.make_node("QLinearConv", ["xq", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["c"], name="conv"),
             helper.make_node("MaxPool", ["c"], ["p"], kernel_shape=[2, 2]),
             helper.make_node("DequantizeLinear", ["p", "ys", "yz"], ["y"], name="out")]
    initializers = [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()]
    return saved(path, nodes, [value("x", F, [1, 2, 4, 4])], [value("y", F, [1, 3, 3, 3])], initializers)


def test_quantisation_comes_from_the_nodes_that_hold_it(tmp_path):
    path = tmp_path / "q.onnx"
    quantised_model(path)
    graph = dump(path)
    by_name = {t["name"]: t for t in graph["tensors"]}
    of = lambda n: (np.float32(by_name[n]["scale"]).tolist(), by_name[n]["zero_point"], by_name[n]["axis"], by_name[n]["dtype"], by_name[n]["shape"])
    assert of("xq") == ([0.5], [-3], 0, "int8", [1, 2, 4, 4])
    assert of("w") == (np.float32([0.1, 0.2, 0.3]).tolist(), [0, 0, 0], 0, "int8", [3, 2, 1, 1])
    assert of("c") == ([0.25], [5], 0, "int8", [1, 3, 4, 4])
    assert of("p") == ([0.25], [5], 0, "int8", [1, 3, 3, 3])  # The quantisation is carried over the pool.
    assert of("b")[0] == pytest.approx([0.05, 0.1, 0.15]) and of("b")[3] == "int32"
    assert of("y") == ([], [], 0, "float32", [1, 3, 3, 3])
    assert [l["macs"] for l in graph["layers"]] == [0, 3 * 16 * 2, 0, 0]
    assert [l["parameters"] for l in graph["layers"]] == [0, 6 + 3, 0, 0]
    compared, left, reason = compare_promotion(path, tmp_path)
    assert (compared, left, reason) == (4, 0, None)


def test_our_model_is_the_same_in_both_formats():
    from ai_edge_litert.interpreter import Interpreter
    sys.path.insert(0, str(CHECKOUT / "models"))
    import onnx_writer
    tflite, path = (CHECKOUT / "models" / "signs_float.tflite").read_bytes(), CHECKOUT / "models" / "signs_float.onnx"
    assert onnx_writer.from_tflite(tflite, onnx.load(path).doc_string).SerializeToString() == path.read_bytes()
    session, interpreter = session_of(path.read_bytes()), Interpreter(model_content=tflite)
    interpreter.allocate_tensors()
    random, most = np.random.default_rng(3), 0
    for _ in range(5):
        picture = random.uniform(-1, 1, (1, 64, 64, 3)).astype(np.float32)
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], picture)
        interpreter.invoke()
        theirs = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
        ours = session.run(None, {"image": np.ascontiguousarray(picture.transpose(0, 3, 1, 2))})[0]
        most = max(most, float(np.abs(ours - theirs).max()))
    assert most < 1e-5


class Calibration:
    def __init__(self, name, shape):
        random = np.random.default_rng(2)
        self.left = iter([{name: random.uniform(-1, 1, shape).astype(np.float32)} for _ in range(4)])

    def get_next(self):
        return next(self.left, None)


@pytest.mark.parametrize("source", ["signs_float", "inception_like"])
@pytest.mark.parametrize("form", ["QOperator", "QDQ"])
def test_every_quantised_tensor_of_a_model_has_its_parameters(tmp_path, source, form):
    from onnxruntime import quantization
    path = tmp_path / "quantised.onnx"
    quantization.quantize_static(str(CHECKOUT / "models" / f"{source}.onnx"), str(path), Calibration("image", (1, 3, 64, 64)),
                                 quant_format=quantization.QuantFormat[form], per_channel=True)
    graph, model = dump(path), onnx.load(path)
    assert not graph["warnings"]
    capturable, values = set(graph["capturable"]), {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
    integers = [i for i in capturable if graph["tensors"][i]["dtype"] in ("int8", "uint8")]
    assert len(integers) > 10
    for i in integers:
        assert graph["tensors"][i]["scale"], graph["tensors"][i]
    quantize = next(n for n in model.graph.node if n.op_type == "QuantizeLinear")
    ours = next(t for t in graph["tensors"] if t["name"] == quantize.output[0])
    assert np.float32(ours["scale"]) == values[quantize.input[1]] and ours["zero_point"] == [int(values[quantize.input[2]])]
    assert all(layer["macs"] is not None for layer in graph["layers"]) and graph["macs"] == dump(CHECKOUT / "models" / f"{source}.onnx")["macs"]
    assert graph["parameters"] == dump(CHECKOUT / "models" / f"{source}.onnx")["parameters"]
    for layer in graph["layers"]:  # A value dequantised from a constant belongs to the layer that reads it.
        weighted = layer["type"] in ("Conv", "Gemm", "QLinearConv", "com.microsoft:QGemm")
        assert (layer["parameters"] > 0) == weighted, layer
    compared, left, reason = compare_promotion(path, tmp_path)
    assert reason is None and compared > 10
    print(f"\n{source} as {form}: {compared} tensors equal, {len(integers)} quantised ones with parameters")


def test_bodies_of_if_are_counted_and_never_promoted(tmp_path):
    body = lambda kind: helper.make_graph([helper.make_node(kind, ["x", "x"], ["inner"]), helper.make_node("Relu", ["inner"], [kind])], kind, [], [value(kind, F, [2])])
    nodes = [helper.make_node("If", ["c"], ["chosen"], then_branch=body("Add"), else_branch=body("Mul")), helper.make_node("Relu", ["chosen"], ["y"])]
    path = tmp_path / "if.onnx"
    saved(path, nodes, [value("c", TensorProto.BOOL, []), value("x", F, [2])], [value("y", F, [2])], value_info=[value("chosen", F, [2])])
    graph = dump(path)
    assert graph["subgraphs"] == 3
    assert [l["type"] for l in graph["layers"]] == ["If", "Relu"]
    assert [l["macs"] for l in graph["layers"]] == [None, 0]
    compared, left, reason = compare_promotion(path, tmp_path)
    assert (compared, left, reason) == (2, 0, None)


def test_what_is_no_tensor_is_never_promoted(tmp_path):
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("SplitToSequence", ["r"], ["s"], axis=0),
             helper.make_node("SequenceLength", ["s"], ["n"]), helper.make_node("Relu", ["r"], ["y"])]
    path = tmp_path / "sequence.onnx"
    saved(path, nodes, [value("x", F, [3])], [value("y", F, [3])])
    graph = dump(path)
    by_name = {t["name"]: t for t in graph["tensors"]}
    assert (by_name["s"]["dtype"], by_name["s"]["stored_type"]) == ("other", "sequence")
    assert by_name["s"]["name"] not in [graph["tensors"][i]["name"] for i in graph["capturable"]]
    assert compare_promotion(path, tmp_path)[2] is None


@pytest.mark.parametrize("shape", [["batch", 3], [0, 3], [None, 3]], ids=["named", "zero", "open"])
def test_open_and_empty_dimensions(tmp_path, shape):
    path = tmp_path / "open.onnx"
    saved(path, [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Neg", ["r"], ["y"])], [value("x", F, shape)], [value("y", F, shape)])
    graph = dump(path)
    expected = [0 if shape[0] == 0 else -1, 3]
    assert [t["shape"] for t in graph["tensors"]] == [expected] * 3
    assert compare_promotion(path, tmp_path)[0] == 2


@pytest.mark.parametrize("dtype", [TensorProto.FLOAT16, TensorProto.BFLOAT16], ids=["float16", "bfloat16"])
def test_half_precision_intermediates(tmp_path, dtype):
    path = tmp_path / "half.onnx"
    nodes = [helper.make_node("Cast", ["x"], ["h"], to=dtype), helper.make_node("Identity", ["h"], ["i"]), helper.make_node("Cast", ["i"], ["y"], to=F)]
    saved(path, nodes, [value("x", F, [3])], [value("y", F, [3])])
    by_name = {t["name"]: t for t in dump(path)["tensors"]}
    assert by_name["i"]["dtype"] == DTYPES[dtype]
    if dtype == TensorProto.FLOAT16:
        assert compare_promotion(path, tmp_path)[0] == 3


def test_values_outside_of_the_file(tmp_path):
    weights = np.arange(12, dtype=np.float32).reshape(3, 4)
    model = saved(tmp_path / "plain.onnx", [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Relu", ["m"], ["y"])],
                  [value("x", F, [2, 3])], [value("y", F, [2, 4])], [numpy_helper.from_array(weights, "w")])
    path = tmp_path / "outside.onnx"
    onnx.save(model, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    graph = dump(path)
    by_name = {t["name"]: t for t in graph["tensors"]}
    assert by_name["w"]["external"] == "weights.bin"
    assert check_against_package(path, graph, onnx.load(path, load_external_data=False), tmp_path) == 1
    assert compare_promotion(path, tmp_path) == (2, 0, None)


if __name__ == "__main__":
    os.environ["EDGEPROBE_GRAPH_TOOL"] = sys.argv[1]
    sys.exit(pytest.main(["-q", "-s", "-p", "no:cacheprovider", __file__, *sys.argv[2:]]))
