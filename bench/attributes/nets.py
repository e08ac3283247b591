# SPDX-License-Identifier: Apache-2.0
"""A net with the operators whose attributes exporters change most, in both formats, with random weights: nets.py FOLDER"""
import pathlib
import sys

import flatbuffers
import numpy as np
import onnx
import onnxruntime
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "layer_matrix"))
from model_file import Model  # noqa: E402

ACT, PAD, OP, KIND = schema.ActivationFunctionType, schema.Padding, schema.BuiltinOperator, schema.BuiltinOptions


def _weights(rng, *shape):
    return (rng.normal(size=shape) * np.sqrt(2 / np.prod(shape[1:]))).astype(np.float32)


def varied_onnx(path, opset=17, seed=1):
    """64x64x3 in, 10 classes out: padded average pool, LRN, two resizes, depth to space, means, Gemm with alpha, and the activations with a number."""
    rng = np.random.default_rng(seed)
    nodes, stored = [], {}

    def add(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], name="node/" + output, **attributes))
        return output

    def constant(name, value):
        stored[name] = np.asarray(value)
        return name

    def conv(source, output, i, o, size=3, **attributes):
        attributes = {"pads": [size // 2] * 4, **attributes}
        return add("Conv", [source, constant(output + "_w", _weights(rng, o, i // attributes.get("group", 1), size, size)), constant(output + "_b", rng.normal(size=o).astype(np.float32) * .1)], output, **attributes)

    x = conv("image", "stem", 3, 16, strides=[2, 2])
    x = add("BatchNormalization", [x] + [constant("bn_" + n, v) for n, v in (("s", rng.uniform(.5, 1.5, 16).astype(np.float32)), ("b", rng.normal(size=16).astype(np.float32) * .1), ("m", rng.normal(size=16).astype(np.float32) * .1), ("v", rng.uniform(.01, .1, 16).astype(np.float32)))], "bn")
    x = add("LeakyRelu", [x], "leaky", alpha=.1)
    x = add("AveragePool", [x], "pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 0, 0], count_include_pad=1)
    x = add("LRN", [x], "lrn", size=3, alpha=.6, beta=.75, bias=.5)
    x = conv(x, "c1", 16, 16, group=16, dilations=[2, 2], pads=[2, 2, 2, 2])
    x = add("Elu", [x], "elu", alpha=.5)
    x = add("Resize", [x, "", constant("scales", np.array([1, 1, 1.5, 1.5], np.float32))], "nearest", mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    x = conv(x, "c2", 16, 16, strides=[2, 2])
    x = add("Clip", [x, constant("low", np.float32(0)), constant("high", np.float32(6))], "clip")
    x = add("Resize", [x, "", "", constant("sizes", np.array([1, 16, 20, 20], np.int64))], "linear", mode="linear", coordinate_transformation_mode="half_pixel")
    x = conv(x, "c3", 16, 16)
    x = add("HardSigmoid", [x], "hard", alpha=.2, beta=.5)
    x = add("DepthToSpace", [x], "blocks", blocksize=2, mode="DCR")
    x = conv(x, "c4", 4, 12, strides=[2, 2])
    x = add("MaxPool", [x], "max", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    x = add("Transpose", [x], "turned", perm=[0, 1, 2, 3])
    x = add("ReduceMean", [x], "mean", axes=[2], keepdims=0)
    x = add("Flatten", [x], "flat")
    width = 12 * 10
    x = add("Gemm", [x, constant("g_w", _weights(rng, 16, width)), constant("g_b", rng.normal(size=16).astype(np.float32))], "square", transB=1, alpha=.8)
    x = add("Gemm", [x, constant("h_w", _weights(rng, 16, 16)), constant("h_b", rng.normal(size=16).astype(np.float32))], "logits", beta=.7)
    add("Softmax", [x], "probabilities", axis=1)
    graph = helper.make_graph(nodes, "varied", [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 64, 64])], [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [1, 16])],
                              [numpy_helper.from_array(value, name) for name, value in stored.items()])
    onnx.save(onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)), path)


class _Tflite:
    def __init__(self):
        self.buffers, self.tensors, self.operators, self.codes = [schema.BufferT()], [], [], []

    def tensor(self, name, shape, data=None):
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.buffer = name, np.array(shape, np.int32), 0
        tensor.type = schema.TensorType.INT32 if data is not None and data.dtype == np.int32 else schema.TensorType.FLOAT32
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
            self.buffers.append(buffer)
            tensor.buffer = len(self.buffers) - 1
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def constant(self, name, data):
        return self.tensor(name, data.shape, data)

    def op(self, builtin, inputs, output, kind=0, version=1, **fields):
        code = schema.OperatorCodeT()
        code.builtinCode, code.deprecatedBuiltinCode, code.version = builtin, min(builtin, 127), version
        self.codes.append(code)
        operator = schema.OperatorT()
        operator.opcodeIndex, operator.inputs, operator.outputs = len(self.codes) - 1, np.array(inputs, np.int32), np.array([output], np.int32)
        if kind:
            name = next(name for name, value in vars(KIND).items() if value == kind)
            operator.builtinOptionsType, operator.builtinOptions = kind, getattr(schema, name + "T")()
            for field, value in fields.items():
                setattr(operator.builtinOptions, field, value)
        self.operators.append(operator)
        return output

    def save(self, path, first, last):
        graph, model = schema.SubGraphT(), schema.ModelT()
        graph.tensors, graph.operators, graph.inputs, graph.outputs = self.tensors, self.operators, np.array([first], np.int32), np.array([last], np.int32)
        model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, self.codes, [graph], self.buffers
        packer = flatbuffers.Builder(1 << 20)
        packer.Finish(model.Pack(packer), b"TFL3")
        pathlib.Path(path).write_bytes(bytes(packer.Output()))


def varied_tflite(path, seed=2):
    rng = np.random.default_rng(seed)
    net = _Tflite()

    def conv(source, name, size, i, o, stride=1, padding=PAD.SAME, act=ACT.NONE, dilation=1, k=3, depthwise=False):
        w = _weights(rng, o, k, k, i) if not depthwise else _weights(rng, 1, k, k, o) * 3
        out = -(-size // stride) if padding == PAD.SAME else (size - (k - 1) * dilation - 1) // stride + 1
        output = net.tensor(name, [1, out, out, o])
        kind, builtin = (KIND.DepthwiseConv2DOptions, OP.DEPTHWISE_CONV_2D) if depthwise else (KIND.Conv2DOptions, OP.CONV_2D)
        fields = dict(padding=padding, strideH=stride, strideW=stride, dilationHFactor=dilation, dilationWFactor=dilation, fusedActivationFunction=act)
        if depthwise:
            fields["depthMultiplier"] = 1
        net.op(builtin, [source, net.constant(name + "_w", w), net.constant(name + "_b", rng.normal(size=o).astype(np.float32) * .1)], output, kind, 2 if depthwise else 1, **fields)
        return output, out

    def pool(source, name, size, c, builtin):
        out = -(-size // 2)
        output = net.tensor(name, [1, out, out, c])
        net.op(builtin, [source], output, KIND.Pool2DOptions, padding=PAD.SAME, strideH=2, strideW=2, filterHeight=3, filterWidth=3)
        return output, out

    def same(builtin, source, name, kind=0, **fields):
        output = net.tensor(name, net.tensors[source].shape)
        return net.op(builtin, [source], output, kind, **fields)

    def resize(source, name, out, c, builtin, kind, **fields):
        output = net.tensor(name, [1, out, out, c])
        return net.op(builtin, [source, net.constant(name + "_size", np.array([out, out], np.int32))], output, kind, 3, **fields), out

    image = net.tensor("image", [1, 64, 64, 3])
    x, n = conv(image, "stem", 64, 3, 16, stride=2)
    x = same(OP.LEAKY_RELU, x, "leaky", KIND.LeakyReluOptions, alpha=.1)
    x, n = pool(x, "average", n, 16, OP.AVERAGE_POOL_2D)
    x = same(OP.LOCAL_RESPONSE_NORMALIZATION, x, "lrn", KIND.LocalResponseNormalizationOptions, radius=1, bias=.5, alpha=.4, beta=.75)
    x, n = conv(x, "c1", n, 16, 16, dilation=2, depthwise=True, act=ACT.RELU6)
    x, n = resize(x, "nearest", 24, 16, OP.RESIZE_NEAREST_NEIGHBOR, KIND.ResizeNearestNeighborOptions)
    x, n = conv(x, "c2", n, 16, 16, stride=2, act=ACT.RELU)
    x, n = resize(x, "linear", 20, 16, OP.RESIZE_BILINEAR, KIND.ResizeBilinearOptions, halfPixelCenters=True)
    x, n = conv(x, "c3", n, 16, 16)
    output = net.tensor("blocks", [1, 2 * n, 2 * n, 4])
    x, n = net.op(OP.DEPTH_TO_SPACE, [x], output, KIND.DepthToSpaceOptions, blockSize=2), 2 * n
    padded = net.tensor("padded", [1, n + 4, n + 4, 4])
    x, n = net.op(OP.MIRROR_PAD, [x, net.constant("paddings", np.array([[0, 0], [2, 2], [2, 2], [0, 0]], np.int32))], padded, KIND.MirrorPadOptions, mode=0), n + 4
    x, n = conv(x, "c4", n, 4, 16, stride=2, padding=PAD.VALID, act=ACT.RELU_N1_TO_1)
    x, n = pool(x, "max", n, 16, OP.MAX_POOL_2D)
    output = net.tensor("mean", [1, n, 16])
    x = net.op(OP.MEAN, [x, net.constant("axes", np.array([1], np.int32))], output, KIND.ReducerOptions, keepDims=False)
    flat = net.tensor("flat", [1, n * 16])
    x = net.op(OP.RESHAPE, [x, net.constant("shape", np.array([1, n * 16], np.int32))], flat, KIND.ReshapeOptions, newShape=np.array([1, n * 16], np.int32))
    hidden = net.tensor("hidden", [1, 16])
    x = net.op(OP.FULLY_CONNECTED, [x, net.constant("f_w", _weights(rng, 16, n * 16)), net.constant("f_b", rng.normal(size=16).astype(np.float32))], hidden, KIND.FullyConnectedOptions, fusedActivationFunction=ACT.NONE)
    logits = net.tensor("logits", [1, 10])
    x = net.op(OP.FULLY_CONNECTED, [x, net.constant("h_w", _weights(rng, 10, 16)), net.constant("h_b", rng.normal(size=10).astype(np.float32))], logits, KIND.FullyConnectedOptions, fusedActivationFunction=ACT.NONE)
    x = same(OP.SOFTMAX, x, "probabilities", KIND.SoftmaxOptions, beta=1.0)
    net.save(path, image, x)


def pictures(folder, count=48):
    """[-1, 1], channels last."""
    return [np.asarray(Image.open(path).convert("RGB").resize((64, 64)), np.float32)[None] / 127.5 - 1 for path in sorted(pathlib.Path(folder).glob("*.png"))[:count]]


def _normal(values):
    """(mean, deviation) of each channel, channels last."""
    flat = np.concatenate([one.reshape(-1, one.shape[-1]) for one in values])
    return flat.mean(0), flat.std(0) + 1e-4


def normalise_onnx(path, images):
    """Weights and biases such that each product's channels have mean 0 and deviation 1 on these pictures: so that the outputs depend on the
    picture."""
    model = onnx.load(path)
    at = {one.name: place for place, one in enumerate(model.graph.initializer)}
    for node in [one for one in model.graph.node if one.op_type in ("Conv", "Gemm")]:
        shown = onnx.ModelProto.FromString(model.SerializeToString())
        del shown.graph.output[:]
        shown.graph.output.extend([helper.make_empty_tensor_value_info(node.output[0])])
        session = onnxruntime.InferenceSession(shown.SerializeToString(), providers=["CPUExecutionProvider"])
        made = [session.run(None, {"image": one.transpose(0, 3, 1, 2).copy()})[0] for one in images]
        mean, deviation = _normal([one.transpose(0, 2, 3, 1) if one.ndim == 4 else one for one in made])
        weights, bias = [numpy_helper.to_array(model.graph.initializer[at[name]]) for name in node.input[1:3]]
        attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        column = node.op_type == "Gemm" and not attributes.get("transB")
        scaled = weights / (deviation if column else deviation.reshape(-1, *[1] * (weights.ndim - 1)))
        for name, value in ((node.input[1], scaled), (node.input[2], (bias - mean / attributes.get("beta", 1)) / deviation)):
            model.graph.initializer[at[name]].CopyFrom(numpy_helper.from_array(value.astype(np.float32), name))
    onnx.save(model, path)


def normalise_tflite(path, images):
    model = Model(path)
    for op in [k for k, kind in enumerate(model.types) if kind in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")]:
        options, output = model.ops[op].builtinOptions, model.output(op)
        fused, outputs = options.fusedActivationFunction, model.graph.outputs
        options.fusedActivationFunction, model.graph.outputs = 0, np.array([output], np.int32)
        model.save(pathlib.Path(path))
        session = Interpreter(model_path=str(path), experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
        session.allocate_tensors()
        made = []
        for one in images:
            session.set_tensor(session.get_input_details()[0]["index"], one)
            session.invoke()
            made.append(session.get_tensor(session.get_output_details()[0]["index"]).copy())
        mean, deviation = _normal(made)
        weights, bias = [int(tensor) for tensor in model.ops[op].inputs[1:3]]
        by_channel = deviation if model.types[op] == "DEPTHWISE_CONV_2D" else deviation.reshape(-1, *[1] * (len(model.tensors[weights].shape) - 1))
        model.set_constant(weights, (model.constant(weights) / by_channel).astype(np.float32))
        model.set_constant(bias, ((model.constant(bias) - mean) / deviation).astype(np.float32))
        options.fusedActivationFunction, model.graph.outputs = fused, outputs
    model.save(pathlib.Path(path))


def both(folder, name, seed):
    """NAME.onnx and NAME.tflite, for the pictures of models/data/test."""
    images = pictures(pathlib.Path(__file__).resolve().parent.parent.parent / "models" / "data" / "test")
    varied_onnx(folder / (name + ".onnx"), seed=seed)
    normalise_onnx(folder / (name + ".onnx"), images)
    varied_tflite(folder / (name + ".tflite"), seed=seed + 1)
    normalise_tflite(folder / (name + ".tflite"), images)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    both(folder, "varied", 1)
