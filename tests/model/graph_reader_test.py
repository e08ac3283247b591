# SPDX-License-Identifier: Apache-2.0
"""src/model compared with independent readers: the official schema classes and the LiteRT interpreter.

Its argument is the built tests/model/graph_tool. Models: the project's own, everything under EDGEPROBE_SHARED_DATA if it
exists, and a few that are made here."""

import json
import os
import subprocess
import sys
from pathlib import Path

import flatbuffers

import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

CHECKOUT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("EDGEPROBE_SHARED_DATA", CHECKOUT.parent / "shared" / "data"))
BUILTIN = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
DTYPES = {
    schema.TensorType.FLOAT32: "float32", schema.TensorType.FLOAT16: "float16", schema.TensorType.INT32: "int32",
    schema.TensorType.UINT8: "uint8", schema.TensorType.INT64: "int64", schema.TensorType.BOOL: "bool",
    schema.TensorType.INT16: "int16", schema.TensorType.INT8: "int8", schema.TensorType.FLOAT64: "float64",
    schema.TensorType.UINT64: "uint64", schema.TensorType.UINT32: "uint32", schema.TensorType.UINT16: "uint16",
    schema.TensorType.INT4: "int4", schema.TensorType.BFLOAT16: "bfloat16",
}
# Valid files that no unmodified interpreter runs, because it lacks their custom ops.
CUSTOM = {"model_invoking_error.tflite", "posenet_mobilenet_v1_075_353_481_16_quant_decoder.tflite",
          "audio_preprocessor_float.tflite", "with_metadata.bin"}


def models():
    found = sorted((CHECKOUT / "models").glob("*.tflite"))
    found += sorted(p for p in SHARED.glob("models/*/*") if p.suffix in (".tflite", ".bin"))
    return [p for p in found if p.name not in ("bad_identifier.tflite", "invalid_model.bin", "truncated_half.tflite")]


def runnable():
    return [p for p in models() if p.name not in CUSTOM]


def model_id(path):
    return path.name


def tool(*args):
    done = subprocess.run([os.environ["EDGEPROBE_GRAPH_TOOL"], *map(str, args)], capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def listed(value):
    return [] if value is None else [int(v) for v in value]


def text(value):
    return (value or b"").decode("utf-8")


BUILTIN_NAMES = {code: name for name, code in vars(schema.BuiltinOperator).items() if isinstance(code, int)}


def test_operator_names_are_those_of_the_schema():
    names = tool("names")
    assert len(BUILTIN_NAMES) > 200
    assert {code: names[code] for code in BUILTIN_NAMES} == BUILTIN_NAMES
    assert names[max(BUILTIN_NAMES) + 1] == f"BUILTIN_{max(BUILTIN_NAMES) + 1}"


# The schema's names of options, by our names.
OPTION_NAMES = {
    "padding": "padding", "stride_width": "strideW", "stride_height": "strideH", "fused_activation": "fusedActivationFunction",
    "dilation_width": "dilationWFactor", "dilation_height": "dilationHFactor", "filter_width": "filterWidth", "filter_height": "filterHeight",
    "axis": "axis", "align_corners": "alignCorners", "half_pixel_centers": "halfPixelCenters", "beta": "beta", "alpha": "alpha",
    "keep_dims": "keepDims", "radius": "radius", "bias": "bias", "cell_clip": "cellClip", "proj_clip": "projClip", "time_major": "timeMajor", "block_size": "blockSize",
    "batch_dims": "batchDims", "mode": "mode", "adj_x": "adjX", "adj_y": "adjY", "exclusive": "exclusive", "reverse": "reverse", "approximate": "approximate",
}
OPTION_WORDS = {"padding": schema.Padding, "fused_activation": schema.ActivationFunctionType, "mode": schema.MirrorPadMode}


def test_options_are_those_that_the_official_schema_classes_read():
    compared = set()
    for path in models():
        official = schema.ModelT.InitFromObj(schema.Model.GetRootAs(path.read_bytes(), 0))
        operators = official.subgraphs[0].operators or []
        layers = tool("attributes", path)
        assert len(layers) == len(operators)
        for ours, operator in zip(layers, operators):
            for name, value in ours.items():
                expected = getattr(operator.builtinOptions, OPTION_NAMES[name])
                if name in OPTION_WORDS:
                    expected = next(word for word, code in vars(OPTION_WORDS[name]).items() if code == expected)
                assert value == expected and type(value) is type(expected), (path.name, name, value, expected)
                compared.add((type(operator.builtinOptions).__name__, name))
            if type(operator.builtinOptions).__name__ in ("Conv2DOptionsT", "DepthwiseConv2DOptionsT", "Pool2DOptionsT"):
                assert len(ours) == 6
    print(f"\n{len(compared)} kinds of options as the schema's classes read them")
    assert not SHARED.exists() or len(compared) >= 25


@pytest.mark.parametrize("path", models(), ids=model_id)
def test_reads_what_the_official_schema_classes_read(path):
    graph = tool("dump", path)
    data = path.read_bytes()
    official = schema.ModelT.InitFromObj(schema.Model.GetRootAs(data, 0))
    main = official.subgraphs[0]

    assert graph["size"] == len(data)
    assert graph["description"] == text(official.description)
    assert graph["subgraphs"] == len(official.subgraphs)
    assert graph["inputs"] == listed(main.inputs)
    assert graph["outputs"] == listed(main.outputs)
    assert graph["signatures"] == [text(s.signatureKey) for s in official.signatureDefs or []]
    assert graph["metadata"] == {
        text(m.name): len(official.buffers[m.buffer].data) for m in official.metadata or []}

    assert len(graph["tensors"]) == len(main.tensors)
    for ours, theirs in zip(graph["tensors"], main.tensors):
        values = official.buffers[theirs.buffer].data if theirs.buffer else None
        constant = values is not None and len(values) > 0 and not theirs.isVariable
        shape = listed(theirs.shape)
        signature = listed(theirs.shapeSignature)
        if not constant and len(signature) == len(shape):
            shape = [-1 if s == -1 else d for s, d in zip(signature, shape)]
        assert ours["name"] == text(theirs.name)
        assert ours["dtype"] == DTYPES.get(theirs.type, "other")
        assert ours["shape"] == shape
        assert ours["variable"] == bool(theirs.isVariable)
        assert ours["constant"] == constant
        if constant:
            assert data[ours["offset"]:ours["offset"] + ours["size"]] == bytes(values)
        quantization = theirs.quantization
        scales = [] if quantization is None or quantization.scale is None else quantization.scale
        np.testing.assert_array_equal(np.float32(ours["scale"]), np.float32(scales))
        if len(scales):
            assert ours["zero_point"] == listed(quantization.zeroPoint)
            assert ours["axis"] == quantization.quantizedDimension

    codes = [(max(c.deprecatedBuiltinCode, c.builtinCode), text(c.customCode), c.version)
             for c in official.operatorCodes]
    assert len(graph["layers"]) == len(main.operators)
    for ours, theirs in zip(graph["layers"], main.operators):
        code, custom, version = codes[theirs.opcodeIndex]
        assert ours["type"] == ("CUSTOM:" + custom if code == 32 else BUILTIN_NAMES[code])
        assert ours["version"] == version
        assert ours["inputs"] == listed(theirs.inputs)
        assert ours["outputs"] == listed(theirs.outputs)


@pytest.mark.parametrize("path", runnable(), ids=model_id)
def test_agrees_with_the_interpreter(path):
    graph = tool("dump", path)
    interpreter = Interpreter(model_path=str(path), experimental_op_resolver_type=BUILTIN)
    details = {d["index"]: d for d in interpreter.get_tensor_details()}
    assert [d["index"] for d in interpreter.get_input_details()] == graph["inputs"]
    assert [d["index"] for d in interpreter.get_output_details()] == graph["outputs"]
    compared = 0
    for index, ours in enumerate(graph["tensors"]):
        theirs = details.get(index)
        if theirs is None:
            continue
        compared += 1
        assert ours["name"] == theirs["name"]
        assert ours["shape"] == [int(d) for d in theirs["shape_signature"]]
        if ours["dtype"] != "other":
            assert ours["dtype"] == np.dtype(theirs["dtype"]).name
        quantization = theirs["quantization_parameters"]
        np.testing.assert_array_equal(np.float32(ours["scale"]), quantization["scales"])
        if ours["scale"]:
            assert ours["zero_point"] == quantization["zero_points"].tolist()
            assert ours["axis"] == quantization["quantized_dimension"]
    assert compared >= len(graph["inputs"]) + len(graph["outputs"])
    operators = interpreter._get_ops_details()
    assert len(operators) == len(graph["layers"])
    for ours, theirs in zip(graph["layers"], operators):
        assert ours["type"].removeprefix("CUSTOM:") == theirs["op_name"]
        assert ours["inputs"] == list(theirs["inputs"])
        assert ours["outputs"] == list(theirs["outputs"])


def feed(interpreter, seed):
    random = np.random.default_rng(seed)
    for detail in interpreter.get_input_details():
        dtype = np.dtype(detail["dtype"])
        shape = detail["shape"]
        if dtype.kind == "f":
            value = random.uniform(-1, 1, shape).astype(dtype)
        elif dtype == np.bool_:
            value = random.integers(0, 2, shape).astype(dtype)
        else:
            bounds = np.iinfo(dtype)
            value = random.integers(bounds.min, bounds.max, shape, dtype=dtype, endpoint=True)
        interpreter.set_tensor(detail["index"], value)


def bits(array):
    return array.dtype, array.shape, array.tobytes()


@pytest.mark.parametrize("share", [1.0, 0.3], ids=["one group", "groups"])
@pytest.mark.parametrize("path", runnable(), ids=model_id)
def test_promoted_intermediates_equal_preserved_ones_bit_for_bit(path, share, tmp_path):
    graph = tool("dump", path)
    plain = Interpreter(model_path=str(path), experimental_op_resolver_type=BUILTIN)
    preserving = Interpreter(model_path=str(path), experimental_op_resolver_type=BUILTIN,
                             experimental_preserve_all_tensors=True)
    for interpreter in (plain, preserving):
        interpreter.allocate_tensors()
        feed(interpreter, 5)
        interpreter.invoke()
    details = {d["index"]: d for d in preserving.get_tensor_details()}
    total = sum(int(np.prod(details[i]["shape"])) * np.dtype(details[i]["dtype"]).itemsize
                for i in graph["capturable"])
    groups = tool("promote", path, tmp_path / "promoted", int(total * share) + 1)
    assert len(groups) > 1 or share == 1.0 or len(graph["capturable"]) < 2

    seen = []
    for number, outputs in enumerate(groups):
        promoted = Interpreter(model_path=str(tmp_path / f"promoted.{number}"), experimental_op_resolver_type=BUILTIN)
        promoted.allocate_tensors()
        feed(promoted, 5)
        promoted.invoke()
        assert promoted.get_signature_list() == {}
        assert [d["index"] for d in promoted.get_output_details()] == outputs
        assert outputs[:len(graph["outputs"])] == graph["outputs"]
        for position, index in enumerate(outputs):
            value = bits(promoted.get_tensor(index))
            if position < len(graph["outputs"]):
                assert value == bits(plain.get_tensor(index)), f"output {index} moved"
            else:
                seen.append(index)
                assert value == bits(preserving.get_tensor(index)), f"intermediate {index} differs"
    assert sorted(seen + [o for o in graph["capturable"] if o in graph["outputs"]]) == sorted(graph["capturable"])


@pytest.mark.parametrize("path", runnable(), ids=model_id)
def test_xnnpack_gives_the_same_outputs_with_all_intermediates_promoted(path, tmp_path):
    groups = tool("promote", path, tmp_path / "promoted", 1 << 40)
    promoted_path = tmp_path / "promoted.0" if groups else path
    outputs = []
    for model in (path, promoted_path):
        interpreter = Interpreter(model_path=str(model), num_threads=1)
        interpreter.allocate_tensors()
        feed(interpreter, 11)
        interpreter.invoke()
        count = len(tool("dump", path)["outputs"])
        outputs.append([interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()[:count]])
    for plain, promoted in zip(*outputs):
        np.testing.assert_array_equal(plain, promoted)


# Millions of multiply-accumulates and of parameters, as published for MobileNet v1, v2 and MLPerf Tiny.
@pytest.mark.parametrize("name, macs, parameters", [
    ("mobilenet_v1_0.25_128_quant.tflite", 14, 0.47),
    ("mobilenet_v1_0.25_224_quant.tflite", 41, 0.47),
    ("mobilenet_v2_1.0_224_quant.tflite", 300, 3.5),
    ("vww_96_int8.tflite", 7.5, 0.211),
])
def test_work_matches_the_published_tables(name, macs, parameters):
    path = next((p for p in models() if p.name == name), None)
    if path is None:
        pytest.skip(f"{name} is not under {SHARED}")
    graph = tool("dump", path)
    assert graph["macs"] / 1e6 == pytest.approx(macs, abs=1.0)
    assert graph["parameters"] / 1e6 == pytest.approx(parameters, rel=0.01)


# --- Models made here, for features that no available model has. ---


def built(model, tail=b""):
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output()) + tail


def tensor(name, shape, dtype=schema.TensorType.FLOAT32, buffer=0):
    made = schema.TensorT()
    made.name, made.shape, made.type, made.buffer = name, shape, dtype, buffer
    return made


def buffer_of(values=None):
    made = schema.BufferT()
    if values is not None:
        made.data = np.frombuffer(np.ascontiguousarray(values).tobytes(), np.uint8)
    return made


def operator(code, inputs, outputs, kind=0, options=None):
    made = schema.OperatorT()
    made.opcodeIndex, made.inputs, made.outputs = code, inputs, outputs
    made.builtinOptionsType, made.builtinOptions = kind, options
    return made


def graph_of(tensors, inputs, outputs, operators, name="main"):
    made = schema.SubGraphT()
    made.tensors, made.inputs, made.outputs, made.operators, made.name = tensors, inputs, outputs, operators, name
    return made


def model_of(codes, graphs, buffers):
    made = schema.ModelT()
    made.version, made.description, made.subgraphs, made.buffers = 3, "built", graphs, buffers
    made.operatorCodes = []
    for code in codes:
        entry = schema.OperatorCodeT()
        entry.builtinCode, entry.deprecatedBuiltinCode, entry.version = code, min(code, 127), 1
        made.operatorCodes.append(entry)
    return made


def check_promotion(data, tmp_path, captured):
    """Every tensor of `captured` becomes an output with the values that the interpreter preserves."""
    path = tmp_path / "built.tflite"
    path.write_bytes(data)
    assert tool("dump", path)["capturable"] == captured
    (outputs,) = tool("promote", path, tmp_path / "promoted", 1 << 30)
    assert sorted(outputs) == sorted(captured)
    runs = []
    for file, preserve in ((path, True), (tmp_path / "promoted.0", False)):
        interpreter = Interpreter(model_path=str(file), experimental_op_resolver_type=BUILTIN,
                                  experimental_preserve_all_tensors=preserve)
        interpreter.allocate_tensors()
        feed(interpreter, 3)
        interpreter.invoke()
        runs.append([bits(interpreter.get_tensor(index)) for index in outputs])
    assert runs[0] == runs[1]


OPERATOR = schema.BuiltinOperator


def test_bodies_of_if_are_counted_and_never_promoted(tmp_path):
    boolean = schema.TensorType.BOOL
    branches = [graph_of([tensor("x", [2]), tensor("inner", [2]), tensor("y", [2])], [0], [2],
                         [operator(code, [0, 0], [1]), operator(2, [1, 0], [2])], name)
                for code, name in ((1, "then"), (2, "else"))]
    options = schema.IfOptionsT()
    options.thenSubgraphIndex, options.elseSubgraphIndex = 1, 2
    main = graph_of([tensor("c", [1], boolean), tensor("x", [2]), tensor("chosen", [2]), tensor("y", [2])],
                    [0, 1], [3], [operator(0, [0, 1], [2], schema.BuiltinOptions.IfOptions, options),
                                  operator(2, [2, 1], [3])])
    data = built(model_of([OPERATOR.IF, OPERATOR.ADD, OPERATOR.MUL], [main, *branches], [buffer_of()]))
    check_promotion(data, tmp_path, [2, 3])
    graph = tool("dump", tmp_path / "built.tflite")
    assert graph["subgraphs"] == 3
    assert [layer["type"] for layer in graph["layers"]] == ["IF", "MUL"]
    assert [layer["macs"] for layer in graph["layers"]] == [None, 0]
    assert len(graph["tensors"]) == 4


def test_bodies_of_while_are_counted_and_never_promoted(tmp_path):
    int32, boolean = schema.TensorType.INT32, schema.TensorType.BOOL
    condition = graph_of([tensor("i", [1], int32), tensor("x", [2]), tensor("limit", [1], int32, 1),
                          tensor("goes", [1], boolean)], [0, 1], [3], [operator(1, [0, 2], [3])], "condition")
    body = graph_of([tensor("i", [1], int32), tensor("x", [2]), tensor("one", [1], int32, 2), tensor("next", [1], int32),
                     tensor("y", [2])], [0, 1], [3, 4],
                    [operator(2, [0, 2], [3]), operator(2, [1, 1], [4])], "body")
    options = schema.WhileOptionsT()
    options.condSubgraphIndex, options.bodySubgraphIndex = 1, 2
    main = graph_of([tensor("start", [1], int32, 3), tensor("x", [2]), tensor("end", [1], int32), tensor("y", [2]),
                     tensor("z", [2])], [1], [4],
                    [operator(0, [0, 1], [2, 3], schema.BuiltinOptions.WhileOptions, options), operator(2, [3, 1], [4])])
    numbers = [buffer_of(), *(buffer_of(np.int32([n])) for n in (4, 1, 0))]
    data = built(model_of([OPERATOR.WHILE, OPERATOR.LESS, OPERATOR.ADD], [main, condition, body], numbers))
    check_promotion(data, tmp_path, [2, 3, 4])
    assert tool("dump", tmp_path / "built.tflite")["subgraphs"] == 3


def test_shapes_and_reshapes_by_a_computed_shape_are_not_captured(tmp_path):
    int32 = schema.TensorType.INT32
    tensors = [tensor("x", [1, 4, 2]), tensor("sum", [1, 4, 2]), tensor("shape", [3], int32), tensor("batch", [], int32),
               tensor("wanted", [2], int32), tensor("flat", [1, 8]), tensor("y", [1, 8]), tensor("zero", [1], int32, 1),
               tensor("one", [1], int32, 2), tensor("eight", [], int32, 3)]
    shape, part, pack = schema.ShapeOptionsT(), schema.StridedSliceOptionsT(), schema.PackOptionsT()
    shape.outType, part.shrinkAxisMask, pack.valuesCount = int32, 1, 2
    kinds = schema.BuiltinOptions
    operators = [operator(0, [0, 0], [1]), operator(1, [1], [2], kinds.ShapeOptions, shape),
                 operator(2, [2, 7, 8, 8], [3], kinds.StridedSliceOptions, part),
                 operator(3, [3, 9], [4], kinds.PackOptions, pack), operator(4, [1, 4], [5]), operator(0, [5, 5], [6])]
    codes = [OPERATOR.ADD, OPERATOR.SHAPE, OPERATOR.STRIDED_SLICE, OPERATOR.PACK, OPERATOR.RESHAPE]
    numbers = [buffer_of(), *(buffer_of(np.int32([n])) for n in (0, 1, 8))]
    check_promotion(built(model_of(codes, [graph_of(tensors, [0], [6], operators)], numbers)), tmp_path, [1, 6])
    check_promotion(built(model_of(codes, [graph_of(tensors, [0], [6, 5], operators)], numbers)), tmp_path, [1, 5, 6])


def test_constants_behind_the_flatbuffer_survive_promotion(tmp_path):
    values = np.float32([1.5, -2.0, 0.25, 8.0])

    def data_with(offset):
        outside = schema.BufferT()
        outside.offset, outside.size = offset, values.nbytes
        main = graph_of([tensor("x", [4]), tensor("w", [4], buffer=1), tensor("sum", [4]), tensor("y", [4])],
                        [0], [3], [operator(0, [0, 1], [2]), operator(0, [2, 1], [3])])
        return built(model_of([OPERATOR.ADD], [main], [buffer_of(), outside]))

    length = len(data_with(1 << 20))
    start = (length + 63) // 64 * 64
    data = data_with(start)
    assert len(data) == length
    check_promotion(data + bytes(start - length) + values.tobytes(), tmp_path, [2, 3])
    graph = tool("dump", tmp_path / "built.tflite")
    assert graph["tensors"][1]["constant"] and graph["tensors"][1]["offset"] == start


if __name__ == "__main__":
    os.environ["EDGEPROBE_GRAPH_TOOL"] = sys.argv[1]
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", __file__]))
