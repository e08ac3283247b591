# SPDX-License-Identifier: Apache-2.0
"""Parts of ONNX models compared with ONNX Runtime, the onnx package and the bytes of the file.

onnx_cut_test.py GRAPH_TOOL [--all]. Every node is cut out by itself, and for some of them everything after them. With the values of the whole model as
inputs, each part computes the whole model's values bit for bit, since both run without optimisation, with one thread and the same kernels; float16 within
four roundings (see within_half_roundings). Without --all, only every n-th node (EVERY) of models with more than QUICK_NODES nodes is cut out, and the
operator cases of the onnx package are left out."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np

try:
    import onnx
    import onnxruntime
    import pytest
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing} (script/requirements-test.txt has it)")
    sys.exit(77)

CHECKOUT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("EDGEPROBE_SHARED_DATA", CHECKOUT.parent / "shared" / "data"))
PACKAGE = Path(onnx.__file__).parent / "backend" / "test" / "data"
ALL = bool(os.environ.get("EDGEPROBE_CUT_ALL"))
RESTS = 6
QUICK_NODES = 40
INPUT_SEED = 7

F, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
NUMPY = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16, "tensor(int8)": np.int8, "tensor(uint8)": np.uint8,
    "tensor(int16)": np.int16, "tensor(uint16)": np.uint16, "tensor(int32)": np.int32, "tensor(uint32)": np.uint32, "tensor(int64)": np.int64,
    "tensor(uint64)": np.uint64, "tensor(bool)": np.bool_, "tensor(string)": np.str_,
}
# Their results do not follow from their inputs.
RANDOM = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli"}


def tool(*args):
    done = subprocess.run([os.environ["EDGEPROBE_GRAPH_TOOL"], *map(str, args)], capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


# --- The bytes of a file, field by field. ---


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def fields(data, at=0, end=None):
    """(number, whole field, contents) of each field of a message."""
    end = len(data) if end is None else end
    while at < end:
        start = at
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
            yield tag >> 3, data[start:at], value
            continue
        size, at = varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
        yield tag >> 3, data[start:at + size], data[at:at + size]
        at += size
    assert at == end


def in_graph(data, *numbers):
    """The contents of these fields in all messages that form the main graph."""
    return [contents for number, _, graph in fields(data) if number == 7 for inner, _, contents in fields(graph) if inner in numbers]


def others(data, without):
    return [(number, whole) for number, whole, _ in fields(data) if number not in without]


def folded(node):
    return node.op_type == "Constant" and node.domain in ("", "ai.onnx") and len(node.output) == 1 and any(a.name == "value" for a in node.attribute)


def bodies(node):
    for attribute in node.attribute:
        yield from attribute.graphs
        if attribute.HasField("g"):
            yield attribute.g


def free_names(graph):
    """Names outside of a body that it reads."""
    made = {i.name for i in graph.input} | {i.name for i in graph.initializer} | {s.values.name for s in graph.sparse_initializer}
    made |= {o for n in graph.node for o in n.output}
    return set().union(*(reads(n) for n in graph.node), (o.name for o in graph.output)) - made


def reads(node):
    return set(node.input) - {""} | {name for body in bodies(node) for name in free_names(body)}


def check_bytes(whole, part, cut):
    """The part contains exactly the bytes of the file that it needs."""
    model = onnx.load_from_string(whole)
    graph, nodes = model.graph, in_graph(whole, 1)
    assert len(nodes) == len(graph.node)
    of_layers = [i for i, node in enumerate(graph.node) if not folded(node)]
    kept = {of_layers[layer] for layer in cut["layers"]}
    needed = set(cut["outputs"]).union(*(reads(graph.node[i]) for i in kept))
    names = needed | set(cut["inputs"]).union(*(graph.node[i].output for i in kept))
    annotated = [a for a in graph.quantization_annotation if a.tensor_name in names]
    needed |= {p.value for a in annotated for p in a.quant_parameter_tensor_names}
    kept |= {i for i, node in enumerate(graph.node) if folded(node) and node.output[0] in needed}
    assert in_graph(part, 1) == [nodes[i] for i in sorted(kept)]
    constants = in_graph(whole, 5)
    assert in_graph(part, 5) == [constants[i] for i, one in enumerate(graph.initializer) if one.name in needed]
    sparse = in_graph(whole, 15)
    assert in_graph(part, 15) == [sparse[i] for i, one in enumerate(graph.sparse_initializer) if one.values.name in needed]
    assert in_graph(part, 14) == [a for a, one in zip(in_graph(whole, 14), graph.quantization_annotation) if one.tensor_name in names]
    assert set(in_graph(part, 13)) <= set(in_graph(whole, 13))
    assert others(part, {7}) == others(whole, {7, 20})
    listed = {1, 5, 11, 12, 13, 14, 15}
    for (ours, theirs) in zip([g for n, _, g in fields(part) if n == 7], [g for n, _, g in fields(whole) if n == 7], strict=True):
        assert others(ours, listed) == others(theirs, listed)


# --- Values. ---


def session_of(model, folder):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(folder))
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def feeds_of(session, given):
    random, feeds = np.random.default_rng(INPUT_SEED), {}
    for one in session.get_inputs():
        if one.name in given:
            feeds[one.name] = given[one.name]
            continue
        shape = [d if isinstance(d, int) else 2 for d in one.shape]
        dtype = NUMPY[one.type]
        feeds[one.name] = random.uniform(-1, 1, shape).astype(dtype) if np.dtype(dtype).kind == "f" else random.integers(0, 2, shape).astype(dtype)
    return feeds


def values_of(path, given=()):
    """Every value of the whole model by name; the onnx package, not our code, adds them as outputs."""
    model = onnx.load(path, load_external_data=False)
    have = {o.name for o in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=o) for n in model.graph.node for o in n.output if o and o not in have)
    session = session_of(model.SerializeToString(), path.parent)
    feeds = feeds_of(session, dict(given))
    names = [o.name for o in session.get_outputs()]
    return {**feeds, **dict(zip(names, session.run(names, feeds)))}


def same_bits(a, b):
    if isinstance(a, np.ndarray):
        same = isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape
        return same and (a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes())
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(same_bits(x, y) for x, y in zip(a, b))
    return a == b


def within_half_roundings(a, b):
    """ONNX Runtime's CPU kernels compute float16 as float32. Even without optimisation, it removes the casts between two such nodes,
    so the whole model rounds less often than its parts."""
    return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.dtype == b.dtype == np.float16 and a.shape == b.shape and \
        np.allclose(a.astype(np.float64), b.astype(np.float64), rtol=4 * 2.0**-11, atol=4 * 2.0**-24, equal_nan=True)


class Count:
    def __init__(self):
        self.models = self.parts = self.values = self.halves = self.random = self.untyped = 0
        self.refused = []

    def __str__(self):
        return (f"{self.models} models, {self.parts} parts, {self.values} values equal bit for bit, {self.halves} float16 values within four roundings, {self.random} parts with random numbers "
                f"only loaded, {self.untyped} not cut for an input of open type, {len(self.refused)} models refused by ONNX Runtime")


def is_valid(model, path):
    try:
        onnx.checker.check_model(str(path) if path else model)
        return True
    except onnx.checker.ValidationError:
        return False


def compare(path, folder, count, given=(), every=1):
    """Cuts the model in all ways and compares; returns the number of cuts."""
    whole = path.read_bytes()
    cuts = tool("cuts", path, folder / "part", RESTS)
    try:
        values = values_of(path, given)
    except Exception as refused:  # For whatever reason, the engine does not run this model.
        count.refused.append(f"{path.parent.name}/{path.name}: {type(refused).__name__}: {str(refused).splitlines()[0][:140]}")
        values = None
    count.models += values is not None
    checked = is_valid(None, path)
    for number, cut in enumerate(cuts):
        if cut["kind"] == "one_op" and cut["layer"] % every:
            continue
        where = f"{path}: {cut['kind']} {cut['layer']}"
        if "error" in cut:
            assert cut["fault"] == "unsupported" and "is unknown" in cut["error"], (where, cut)
            count.untyped += 1
            continue
        part = Path(cut["file"]).read_bytes()
        check_bytes(whole, part, cut)
        parsed = onnx.load_from_string(part)
        # The checker needs a shape for each input and output; some are unknown.
        if checked and all(v.type.tensor_type.HasField("shape") for v in [*parsed.graph.input, *parsed.graph.output]):
            beside = None
            if any(i.data_location == TensorProto.EXTERNAL for i in parsed.graph.initializer):
                beside = path.with_suffix(".part")  # The checker searches for the values next to the file.
                beside.write_bytes(part)
            assert is_valid(parsed, beside), where
        constants = {i.name for i in parsed.graph.initializer} | {s.values.name for s in parsed.graph.sparse_initializer}
        assert [i.name for i in parsed.graph.input if i.name not in constants] == cut["inputs"], where
        assert [o.name for o in parsed.graph.output] == cut["outputs"], where
        count.parts += 1
        if values is None:
            continue
        try:
            session = session_of(part, path.parent)
            assert [i.name for i in session.get_inputs()] == cut["inputs"], where
            got = session.run(None, {name: values[name] for name in cut["inputs"]})
        except Exception as refused:
            raise AssertionError(f"{where} {cut}: {refused}") from refused
        if any(n.op_type in RANDOM or (n.op_type == "Dropout" and len(n.input) > 2) for n in parsed.graph.node):
            count.random += 1
            continue
        for name, value in zip(cut["outputs"], got, strict=True):
            if name in values:  # An output that is a constant, not a node's result, has no value in the whole run.
                if same_bits(value, values[name]):
                    count.values += 1
                    continue
                assert within_half_roundings(value, values[name]), f"{where}: {name} differs"
                count.halves += 1
    for file in folder.glob("part.*"):
        file.unlink()
    return cuts


def model_files():
    return sorted((CHECKOUT / "models").glob("*.onnx")) + sorted(p for p in SHARED.glob("models/**/*.onnx") if "invalid" not in p.parts)


def test_parts_of_real_models_compute_what_the_whole_computes(tmp_path):
    count = Count()
    for path in model_files():
        nodes = len(onnx.load(path, load_external_data=False).graph.node)
        compare(path, tmp_path, count, every=1 if ALL else -(-nodes // QUICK_NODES))
    print(f"\n{count}")
    print("\n".join("  refused: " + one for one in count.refused))
    if SHARED.exists():
        assert count.models >= 6 and count.values >= 100 and len(count.refused) <= 1


def quantised(source, form, path):
    from onnxruntime import quantization

    class Calibration:
        left = iter([{"image": np.random.default_rng(2).uniform(-1, 1, (1, 3, 64, 64)).astype(np.float32)} for _ in range(2)])

        def get_next(self):
            return next(self.left, None)

    quantization.quantize_static(str(CHECKOUT / "models" / f"{source}.onnx"), str(path), Calibration(), quant_format=quantization.QuantFormat[form], per_channel=True)


@pytest.mark.parametrize("form", ["QOperator", "QDQ"])
def test_quantised_models(tmp_path, form):
    path, count = tmp_path / "quantised.onnx", Count()
    quantised("signs_float", form, path)
    compare(path, tmp_path, count)
    print(f"\n{form}: {count}")
    assert count.models == 1 and count.values > 20


@pytest.mark.skipif(not ALL, reason="only with --all")
def test_models_and_operator_cases_of_the_onnx_package(tmp_path):
    from onnx.backend.test import loader
    count = Count()
    for path in sorted(PACKAGE.glob("**/*.onnx")):
        compare(path, tmp_path, count)
    print(f"\nmodels of the package: {count}")
    count = Count()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The cases cause overflows on purpose.
        cases = [case for case in loader.load_model_tests(kind="node") if case.model is not None]
    path = tmp_path / "case.onnx"
    for case in cases:
        path.write_bytes(case.model.SerializeToString())
        given = {}
        if case.data_sets:
            names = [i.name for i in case.model.graph.input]
            given = {n: v for n, v in zip(names, case.data_sets[0][0]) if isinstance(v, (np.ndarray, list))}
        compare(path, tmp_path, count, given)
    print(f"operator cases: {count}")
    assert count.models > 1000


# --- Models that are made here. ---


def value(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def tensor(name, values):
    return numpy_helper.from_array(np.asarray(values), name)


def saved(path, nodes, inputs, outputs, initializers=(), ir=10, domains=(), functions=(), **more):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers), **more)
    imports = [helper.make_opsetid("", 17), *(helper.make_opsetid(d, v) for d, v in domains)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=ir, functions=list(functions))
    model.metadata_props.add(key="author", value="test")
    path.write_bytes(model.SerializeToString())
    return model


def all_equal(path, tmp_path, **more):
    count = Count()
    cuts = compare(path, tmp_path, count, **more)
    assert count.models == 1 and not count.untyped, str(count) + str(count.refused)
    return {(c["kind"], c["layer"]): c for c in cuts}, count


node = helper.make_node


def test_what_branches_read_is_fed_kept_or_computed(tmp_path):
    # The branch reads the graph's input, an initializer, a Constant's value, a computed value and, one level
    # deeper, a sequence, which cannot be an input of a part.
    inner = helper.make_graph([node("SequenceAt", ["s", "zero"], ["first"]), node("Add", ["first", "inside"], ["deep"])], "inner", [], [value("deep", F, None)])
    empty = helper.make_graph([node("Identity", ["inside"], ["flat"])], "flat", [], [value("flat", F, None)])
    then = helper.make_graph([node("Mul", ["a", "w"], ["inside"]), node("Add", ["inside", "k"], ["t0"]),
                              node("If", ["c"], ["t1"], then_branch=inner, else_branch=empty), node("Add", ["t0", "t1"], ["then"])],
                             "then", [], [value("then", F, None)])
    other = helper.make_graph([node("Sub", ["x", "v"], ["else"])], "else", [], [value("else", F, None)])
    nodes = [node("Constant", [], ["k"], value=tensor("", np.float32([5, 6]))), node("Relu", ["x"], ["a"]), node("Neg", ["x"], ["hidden"]),
             node("SequenceConstruct", ["a", "hidden"], ["s"]), node("If", ["c"], ["chosen"], then_branch=then, else_branch=other, name="choose"),
             node("Exp", ["chosen"], ["y"])]
    path = tmp_path / "if.onnx"
    saved(path, nodes, [value("x", F, [2]), value("c", BOOL, [])], [value("y", F, [2])],
          [tensor("w", np.float32([2, 3])), tensor("v", np.float32([1, 1])), tensor("zero", np.int64(0)), tensor("unused", np.float32([1]))])
    for condition in (True, False):
        cuts, _ = all_equal(path, tmp_path, given={"c": np.array(condition)})
    one = cuts["one_op", 3]
    assert one["layers"] == [2, 3] and one["inputs"] == ["x", "c", "a", "hidden"]
    assert cuts["one_op", 4]["layers"] == [2, 3, 4], "nothing tells the type of what a branch answers: it is computed"


def test_loops_and_scans(tmp_path):
    body = helper.make_graph([node("Add", ["state", "step"], ["next"]), node("Mul", ["next", "factor"], ["seen"]), node("Identity", ["go"], ["on"])], "body",
                             [value("i", I64, []), value("go", BOOL, []), value("state", F, [2])],
                             [value("on", BOOL, []), value("next", F, [2]), value("seen", F, [2])])
    scanned = helper.make_graph([node("Add", ["sum", "row"], ["sum_out"]), node("Add", ["sum_out", "step"], ["row_out"])], "scan",
                                [value("sum", F, [2]), value("row", F, [2])], [value("sum_out", F, [2]), value("row_out", F, [2])])
    nodes = [node("Relu", ["x"], ["step"]), node("Loop", ["count", "", "x"], ["last", "all"], body=body),
             node("Scan", ["last", "all"], ["total", "rows"], body=scanned, num_scan_inputs=1), node("Neg", ["rows"], ["y"])]
    path = tmp_path / "loop.onnx"
    saved(path, nodes, [value("x", F, [2])], [value("y", F, None), value("total", F, [2])], [tensor("count", np.int64(3)), tensor("factor", np.float32([2, 3]))])
    all_equal(path, tmp_path)


def test_sequences_and_optionals_are_computed(tmp_path):
    nodes = [node("Relu", ["x"], ["r"]), node("SplitToSequence", ["r"], ["s"], axis=0, keepdims=0), node("SequenceAt", ["s", "one"], ["a"]),
             node("SequenceLength", ["s"], ["n"]), node("ConcatFromSequence", ["s"], ["c"], axis=0, new_axis=1), node("Add", ["a", "c"], ["y"]),
             node("Optional", ["r"], ["o"]), node("OptionalGetElement", ["o"], ["z"])]
    path = tmp_path / "sequence.onnx"
    saved(path, nodes, [value("x", F, [3, 2])], [value("y", F, None), value("n", I64, []), value("z", F, None)], [tensor("one", np.int64(1))])
    cuts, _ = all_equal(path, tmp_path)
    assert cuts["one_op", 2] == {**cuts["one_op", 2], "layers": [1, 2], "inputs": ["r"]}


def test_values_outside_of_the_file(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    path = folder / "outside.onnx"
    random = np.random.default_rng(1)
    model = saved(path, [node("MatMul", ["x", "w"], ["m"]), node("Add", ["m", "b"], ["a"]), node("MatMul", ["a", "u"], ["y"])],
                  [value("x", F, [2, 3])], [value("y", F, [2, 5])],
                  [tensor(n, random.normal(size=s).astype(np.float32)) for n, s in (("w", (3, 4)), ("b", (4,)), ("u", (4, 5)))])
    onnx.save(model, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    outside = (folder / "weights.bin").read_bytes()
    _, count = all_equal(path, tmp_path)
    assert count.values == 3 + 7 and (folder / "weights.bin").read_bytes() == outside


def test_several_domains_functions_and_absent_inputs(tmp_path):
    function = helper.make_function("local", "Twice", ["a"], ["b"], [node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 17)])
    nodes = [node("Twice", ["x"], ["t"], domain="local"), node("Clip", ["t", "", "high"], ["c"]), node("Gelu", ["c"], ["g"], domain="com.microsoft"),
             node("Scaler", ["g"], ["s"], domain="ai.onnx.ml", offset=[1.0], scale=[2.0]), node("Dropout", ["s"], ["d", ""]), node("Constant", [], ["f"], value_float=2.0),
             node("Mul", ["d", "f"], ["y"])]
    path = tmp_path / "domains.onnx"
    model = saved(path, nodes, [value("x", F, ["batch", 2])], [value("y", F, ["batch", 2])], [tensor("high", np.float32(0.5))],
                  domains=[("local", 1), ("com.microsoft", 1), ("ai.onnx.ml", 3)], functions=[function])
    model.graph.value_info.extend([value("t", F, ["batch", 2]), value("c", F, ["batch", "width"])])
    path.write_bytes(model.SerializeToString())
    cuts = tool("cuts", path, tmp_path / "part", 0)
    part = onnx.load(cuts[2]["file"])
    dims = [d.dim_param or d.dim_value for d in part.graph.input[0].type.tensor_type.shape.dim]
    assert dims == ["batch", 2], "the name of an open dimension is kept beside the size of the other, which follows"
    all_equal(path, tmp_path)


def test_initializers_that_are_inputs_and_outputs(tmp_path):
    for ir in (3, 8):  # Up to version 3, every initializer is listed among the inputs; later, this makes it a default.
        nodes = [node("Add", ["x", "w"], ["a"]), node("Mul", ["a", "v"], ["y"])]
        path = tmp_path / f"ir{ir}.onnx"
        saved(path, nodes, [value("w", F, [2]), value("x", F, [2]), value("v", F, [2])], [value("y", F, [2]), value("w", F, [2]), value("x", F, [2])],
              [tensor("w", np.float32([1, 2])), tensor("v", np.float32([3, 4]))], ir=ir)
        cuts, _ = all_equal(path, tmp_path)
        assert cuts["rest_after", -1]["inputs"] == ["x"] and cuts["rest_after", -1]["outputs"] == ["y", "w", "x"]
    cuts = tool("cuts", path, tmp_path / "part", 0)
    session = session_of(Path(cuts[0]["file"]).read_bytes(), tmp_path)
    x = np.float32([1, 1])
    assert session.run(None, {"x": x, "w": x})[0].tolist() == [2, 2], "a default can still be overruled"


def test_sparse_constants_annotations_and_a_graph_without_a_name(tmp_path):
    sparse = helper.make_sparse_tensor(tensor("w", np.float32([3, 4])), tensor("", np.int64([1, 2])), [4])
    unread = helper.make_sparse_tensor(tensor("u", np.float32([3])), tensor("", np.int64([1])), [4])
    path = tmp_path / "sparse.onnx"
    model = saved(path, [node("Add", ["x", "w"], ["a"]), node("Relu", ["a"], ["y"])], [value("x", F, [4])], [value("y", F, [4])],
                  [tensor("scale", np.float32(0.5)), tensor("other", np.float32(0.25))], sparse_initializer=[sparse, unread])
    for name, scale in (("a", "scale"), ("y", "other")):
        annotation = model.graph.quantization_annotation.add(tensor_name=name)
        annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value=scale)
    model.graph.ClearField("name")
    path.write_bytes(model.SerializeToString())
    all_equal(path, tmp_path)
    cuts = tool("cuts", path, tmp_path / "part", 0)
    assert [i.name for i in onnx.load(cuts[0]["file"]).graph.initializer] == ["scale"]


def test_a_graph_in_several_messages(tmp_path):
    field = lambda number, data: bytes([number << 3 | 2, len(data)]) + data
    first = helper.make_model(helper.make_graph([node("Add", ["x", "w"], ["a"])], "g", [value("x", F, [2])], [], [tensor("w", np.float32([1, 2]))]), ir_version=8,
                              opset_imports=[helper.make_opsetid("", 17)])
    second = helper.make_graph([node("Relu", ["a"], ["r"]), node("Neg", ["r"], ["y"])], "g", [], [value("y", F, [2])], [tensor("unused", np.float32([1, 2]))])
    path = tmp_path / "parts.onnx"
    path.write_bytes(first.SerializeToString() + field(7, second.SerializeToString()))
    all_equal(path, tmp_path)


if __name__ == "__main__":
    os.environ["EDGEPROBE_GRAPH_TOOL"] = sys.argv[1]
    if "--all" in sys.argv:
        sys.argv.remove("--all")
        os.environ["EDGEPROBE_CUT_ALL"] = "1"
    sys.exit(pytest.main(["-q", "-s", "-p", "no:cacheprovider", __file__, *sys.argv[2:]]))
