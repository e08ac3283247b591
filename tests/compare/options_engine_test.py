# SPDX-License-Identifier: Apache-2.0
"""Operator options in one vocabulary, compared with the engines: two operators are reported as equal if and only if they compute the same.
options_engine_test.py TOOL

Every operator is written twice from random parameters, as ONNX by the onnx package and as TFLite by the schema classes of
ai-edge-litert, with the same weights, and run by ONNX Runtime and by LiteRT on the same values."""
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import flatbuffers
import numpy as np
import onnx
import onnxruntime
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema
from onnx import TensorProto, helper, numpy_helper

TOOL = sys.argv.pop(1)
ACT, PAD, OP, KIND = schema.ActivationFunctionType, schema.Padding, schema.BuiltinOperator, schema.BuiltinOptions
RNG = np.random.default_rng(7)


def onnx_model(nodes, shape, constants, opset=17):
    """`nodes` read x and the constants; the last makes y."""
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return onnx.shape_inference.infer_shapes(model).SerializeToString()


def tflite_model(ops, shape, out_shape, tensors):
    """`ops` are (builtin, options type, options, inputs, output) by name; `tensors` {name: constant or shape}."""
    buffers, made, names = [schema.BufferT()], [], {}
    for name, value in {"x": tuple(shape), "y": tuple(out_shape), **tensors}.items():
        tensor = schema.TensorT()
        tensor.name, tensor.buffer = name, 0
        if isinstance(value, np.ndarray):
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(value).tobytes(), np.uint8)
            buffers.append(buffer)
            tensor.buffer = len(buffers) - 1
            tensor.shape, tensor.type = np.array(value.shape, np.int32), {np.dtype(np.float32): schema.TensorType.FLOAT32, np.dtype(np.int32): schema.TensorType.INT32}[value.dtype]
        else:
            tensor.shape, tensor.type = np.array(value, np.int32), schema.TensorType.FLOAT32
        names[name] = len(made)
        made.append(tensor)
    codes, operators = [], []
    for builtin, kind, options, inputs, output in ops:
        code = schema.OperatorCodeT()
        code.builtinCode, code.deprecatedBuiltinCode, code.version = builtin, min(builtin, 127), 3 if builtin in (OP.RESIZE_BILINEAR, OP.RESIZE_NEAREST_NEIGHBOR) else 2 if builtin == OP.DEPTHWISE_CONV_2D else 1
        codes.append(code)
        operator = schema.OperatorT()
        operator.opcodeIndex, operator.inputs, operator.outputs = len(codes) - 1, np.array([names[one] for one in inputs], np.int32), np.array([names[output]], np.int32)
        operator.builtinOptionsType, operator.builtinOptions = kind, options
        operators.append(operator)
    graph = schema.SubGraphT()
    graph.tensors, graph.operators, graph.inputs, graph.outputs = made, operators, np.array([0], np.int32), np.array([1], np.int32)
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, codes, [graph], buffers
    packer = flatbuffers.Builder(1 << 16)
    packer.Finish(model.Pack(packer), b"TFL3")
    return bytes(packer.Output())


def options(kind, **fields):
    made = getattr(schema, kind + "T")()
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def run_onnx(model, x):
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    return onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]


def run_tflite(model, x):
    one = litert.Interpreter(model_content=model, experimental_op_resolver_type=litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    one.allocate_tensors()
    one.set_tensor(one.get_input_details()[0]["index"], x)
    one.invoke()
    return one.get_tensor(one.get_output_details()[0]["index"])


def to_nchw(values):
    return values.transpose(0, 3, 1, 2) if values.ndim == 4 else values


class Net:
    """One operator in one format; `run` takes and returns channels first."""

    def __init__(self, format, model, x):
        self.format, self.model, self.x = format, model, x

    def output(self, model=None):
        model = model or self.model
        if self.format == "onnx":
            return run_onnx(model, self.x)
        return to_nchw(run_tflite(model, np.ascontiguousarray(self.x.transpose(0, 2, 3, 1)) if self.x.ndim == 4 else self.x))


def conv_nets(rng, x, weights):
    """Conv in both formats with random options; weights [O, I, kh, kw]."""
    o, i, kh, kw = weights.shape
    stride, dilation = [rng.choice([1, 2]) for _ in range(2)], [1, 1]
    if stride == [1, 1] and rng.random() < .4:
        dilation = [2, 2]
    act = rng.choice(["none", "relu", "relu6"])
    padding = rng.choice(["SAME", "VALID", "pads", "SAME_LOWER", "Pad"])
    common = dict(strides=stride, dilations=dilation)
    if padding.startswith("SAME"):  # ONNX Runtime does not support dilation together with auto_pad.
        common["dilations"] = [1, 1]
    nodes, constants, conv_in = [], {"w": weights}, "x"
    if padding == "SAME":
        common["auto_pad"] = "SAME_UPPER"
    elif padding == "SAME_LOWER":
        common["auto_pad"] = "SAME_LOWER"
    elif padding == "pads":
        common["pads"] = [rng.choice([0, 1]) for _ in range(4)]
    elif padding == "Pad":
        amounts = [rng.choice([0, 1]) for _ in range(4)]
        constants["p"] = np.array([0, 0, *amounts[:2], 0, 0, *amounts[2:]], np.int64)
        nodes.append(helper.make_node("Pad", ["x", "p"], ["padded"]))
        conv_in = "padded"
    nodes.append(helper.make_node("Conv", [conv_in, "w"], ["y" if act == "none" else "c"], **common))
    if act != "none":
        if act == "relu":
            nodes.append(helper.make_node("Relu", ["c"], ["y"]))
        else:
            constants |= {"low": np.float32(0), "high": np.float32(6)}
            nodes.append(helper.make_node("Clip", ["c", "low", "high"], ["y"]))
    yield Net("onnx", onnx_model(nodes, x.shape, constants), x)
    act = rng.choice(["none", "relu", "relu6"])
    same = rng.random() < .5
    h, w = x.shape[2:]
    size = [(-(-n // s) if same else (n - (k - 1) * d - 1) // s + 1) for n, s, k, d in zip((h, w), stride, (kh, kw), dilation)]
    fused = {"none": ACT.NONE, "relu": ACT.RELU, "relu6": ACT.RELU6}[act]
    fields = dict(padding=PAD.SAME if same else PAD.VALID, strideH=stride[0], strideW=stride[1], dilationHFactor=dilation[0], dilationWFactor=dilation[1], fusedActivationFunction=fused)
    ops, tensors, source = [], {"w": np.ascontiguousarray(weights.transpose(0, 2, 3, 1)), "b": np.zeros(o, np.float32)}, "x"
    if rng.random() < .3 and not same:
        amounts = [rng.choice([0, 1]) for _ in range(4)]
        tensors["p"] = np.array([[0, 0], [amounts[0], amounts[2]], [amounts[1], amounts[3]], [0, 0]], np.int32)
        padded = (1, h + amounts[0] + amounts[2], w + amounts[1] + amounts[3], i)
        tensors["padded"] = padded
        ops.append((OP.PAD, KIND.PadOptions, schema.PadOptionsT(), ["x", "p"], "padded"))
        source = "padded"
        size = [(n - (k - 1) * d - 1) // s + 1 for n, s, k, d in zip(padded[1:3], stride, (kh, kw), dilation)]
    ops.append((OP.CONV_2D, KIND.Conv2DOptions, options("Conv2DOptions", **fields), [source, "w", "b"], "y"))
    yield Net("tflite", tflite_model(ops, (1, h, w, i), (1, *size, o), tensors), x)


def pool_nets(rng, x):
    kind = rng.choice(["Average", "Max"])
    window, stride = [rng.choice([2, 3]) for _ in range(2)], [rng.choice([1, 2]) for _ in range(2)]
    fields, how = dict(kernel_shape=window, strides=stride), rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID", "pads", "ceil"])
    if how in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        fields["auto_pad"] = how
    elif how == "ceil":
        fields["ceil_mode"] = 1
    else:
        fields["pads"] = [rng.choice([0, 1]) for _ in range(4)]
    if kind == "Average" and rng.random() < .5:
        fields["count_include_pad"] = 1
    yield Net("onnx", onnx_model([helper.make_node(kind + "Pool", ["x"], ["y"], **fields)], x.shape, {}, opset=19), x)
    same = rng.random() < .6
    h, w = x.shape[2:]
    size = [(-(-n // s) if same else (n - k) // s + 1) for n, s, k in zip((h, w), stride, window)]
    made = options("Pool2DOptions", padding=PAD.SAME if same else PAD.VALID, strideH=stride[0], strideW=stride[1], filterHeight=window[0], filterWidth=window[1])
    code = OP.AVERAGE_POOL_2D if kind == "Average" else OP.MAX_POOL_2D
    yield Net("tflite", tflite_model([(code, KIND.Pool2DOptions, made, ["x"], "y")], (1, h, w, x.shape[1]), (1, *size, x.shape[1]), {}), x)


def resize_nets(rng, x):
    out = rng.choice([(8, 8), (14, 12), (3, 4), (5, 9)])
    nearest = rng.random() < .5
    # ONNX Runtime's scales are those of the sizes; position and rounding are any of the standard's.
    fields = dict(mode="nearest" if nearest else "linear", coordinate_transformation_mode=rng.choice(["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"]))
    if nearest:
        fields["nearest_mode"] = rng.choice(["floor", "round_prefer_floor", "round_prefer_ceil", "ceil"])
    sizes = np.array([*x.shape[:2], *out], np.int64)
    yield Net("onnx", onnx_model([helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], **fields)], x.shape, {"sizes": sizes}, opset=18), x)
    corners, half = rng.choice([(False, False), (True, False), (False, True)])
    name = "ResizeNearestNeighborOptions" if nearest else "ResizeBilinearOptions"
    made = options(name, alignCorners=corners, halfPixelCenters=half)
    code, kind = (OP.RESIZE_NEAREST_NEIGHBOR, KIND.ResizeNearestNeighborOptions) if nearest else (OP.RESIZE_BILINEAR, KIND.ResizeBilinearOptions)
    n, c, h, w = x.shape
    yield Net("tflite", tflite_model([(code, kind, made, ["x", "size"], "y")], (n, h, w, c), (n, *out, c), {"size": np.array(out, np.int32)}), x)


def vector_nets(rng, x):
    """Operators on a matrix: softmax, leaky ReLU, reduction, fully connected, concatenation with itself."""
    which = rng.choice(["softmax", "leaky", "mean"])
    if which == "softmax":
        opset, axis = rng.choice([(11, 1), (11, 0), (13, -1), (13, 0), (13, 1)])
        yield Net("onnx", onnx_model([helper.make_node("Softmax", ["x"], ["y"], axis=axis)], x.shape, {}, opset), x)
        yield Net("onnx", onnx_model([helper.make_node("Softmax", ["x"], ["y"])], x.shape, {}, rng.choice([11, 13])), x)
        yield Net("tflite", tflite_model([(OP.SOFTMAX, KIND.SoftmaxOptions, options("SoftmaxOptions", beta=rng.choice([1.0, .5])), ["x"], "y")], x.shape, x.shape, {}), x)
    elif which == "leaky":
        fields = {} if rng.random() < .5 else {"alpha": rng.choice([.2, .01])}
        yield Net("onnx", onnx_model([helper.make_node("LeakyRelu", ["x"], ["y"], **fields)], x.shape, {}), x)
        yield Net("tflite", tflite_model([(OP.LEAKY_RELU, KIND.LeakyReluOptions, options("LeakyReluOptions", alpha=rng.choice([.2, .01])), ["x"], "y")], x.shape, x.shape, {}), x)
    else:
        axis = rng.choice([0, 1, -1])
        opset = rng.choice([13, 18])
        node, constants = (helper.make_node("ReduceMean", ["x"], ["y"], axes=[axis]), {}) if opset < 18 else (helper.make_node("ReduceMean", ["x", "a"], ["y"]), {"a": np.array([axis], np.int64)})
        yield Net("onnx", onnx_model([node], x.shape, constants, opset), x)
        axis = rng.choice([0, 1])
        yield Net("tflite", tflite_model([(OP.MEAN, KIND.ReducerOptions, options("ReducerOptions", keepDims=True), ["x", "a"], "y")], x.shape, [1 if d == axis else n for d, n in enumerate(x.shape)], {"a": np.array([axis], np.int32)}), x)


def gemm_nets(rng, x):
    b = RNG.normal(size=(x.shape[1], x.shape[1])).astype(np.float32)
    c = RNG.normal(size=x.shape[1]).astype(np.float32)
    for _ in range(2):
        fields = {name: value for name, value in dict(alpha=rng.choice([.5, 1.0]), beta=rng.choice([1.0, .3]), transB=rng.choice([0, 1])).items() if rng.random() < .6}
        yield Net("onnx", onnx_model([helper.make_node("Gemm", ["x", "b", "c"], ["y"], **fields)], x.shape, {"b": b, "c": c}), x)


def norm_nets(rng, x):
    numbers = {name: np.abs(RNG.normal(size=x.shape[1])).astype(np.float32) * .1 for name in "sbmv"}
    for _ in range(2):
        fields = {} if rng.random() < .5 else {"epsilon": rng.choice([1e-3, 1e-5])}
        yield Net("onnx", onnx_model([helper.make_node("BatchNormalization", ["x", *"sbmv"], ["y"], **fields)], x.shape, numbers), x)


def tool_answers(pairs, folder):
    lines = []
    for number, (r, t) in enumerate(pairs):
        paths = []
        for side, net in (("r", r), ("t", t)):
            path = folder / f"{number}{side}.{net.format}"
            path.write_bytes(net.model)
            paths.append(path)
        lines.append(f"{paths[0]} {paths[1]} {folder / f'{number}out'}")
    out = subprocess.run([TOOL], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


class OptionsTest(unittest.TestCase):
    def judge(self, groups, least_changed):
        """All ordered pairs of each group. Two operators are reported as equal if and only if they compute the same. If all differences could be named, the
        changed target computes the reference's result."""
        pairs = [(r, t) for nets in groups for r, t in itertools.permutations(nets, 2)]
        changed = equal = 0
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            answers = tool_answers(pairs, folder)
            self.assertEqual(len(answers), len(pairs))
            for number, ((r, t), said) in enumerate(zip(pairs, answers)):
                with self.subTest(pair=number, reference=said.get("reference"), target=said.get("target")):
                    self.assertNotIn("error", said)
                    in_r, in_t = r.output(), t.output()
                    same = in_r.shape == in_t.shape and np.allclose(in_r, in_t, rtol=1e-4, atol=1e-4)
                    self.assertEqual(said["different"] == [], same, (in_r.shape, in_t.shape, said))
                    equal += same
                    if same or said["not_said"]:
                        continue
                    self.assertNotIn("refused", said)
                    mended = t.output((folder / f"{number}out").read_bytes())
                    self.assertTrue(mended.shape == in_r.shape and np.allclose(in_r, mended, rtol=1e-4, atol=1e-4), said)
                    changed += 1
        print(f"{self.id()}: {len(pairs)} pairs, {equal} equal, {changed} mended")
        self.assertGreaterEqual(changed, least_changed)
        self.assertGreater(equal, 0)

    def draw(self, make, count, shape, *more):
        rng = random.Random(3)
        groups = []
        for _ in range(count):
            x = RNG.normal(size=shape).astype(np.float32) * 4
            groups.append(list(make(rng, x, *(one() for one in more))))
        return groups

    def test_convolutions(self):
        weights = lambda: RNG.normal(size=(4, 3, 3, 3)).astype(np.float32)
        self.judge(self.draw(conv_nets, 120, (1, 3, 8, 9), weights), 40)

    def test_convolutions_of_one_format(self):
        rng, groups = random.Random(5), []
        for _ in range(60):
            x, weights = RNG.normal(size=(1, 3, 9, 8)).astype(np.float32) * 4, RNG.normal(size=(4, 3, 3, 3)).astype(np.float32)
            nets = list(conv_nets(rng, x, weights)) + list(conv_nets(rng, x, weights))
            groups += [nets[0::2], nets[1::2]]
        self.judge(groups, 20)

    def test_pools(self):
        self.judge(self.draw(pool_nets, 120, (1, 2, 7, 8)), 20)

    def test_resizes(self):
        self.judge(self.draw(resize_nets, 150, (1, 2, 6, 7)), 60)

    def test_vectors(self):
        self.judge(self.draw(vector_nets, 60, (3, 5)), 20)

    def test_products(self):
        self.judge(self.draw(gemm_nets, 30, (5, 5)), 20)

    def test_norms(self):
        self.judge(self.draw(norm_nets, 20, (1, 3, 4, 4)), 5)


if __name__ == "__main__":
    unittest.main()
