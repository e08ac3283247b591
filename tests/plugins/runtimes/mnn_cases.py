# SPDX-License-Identifier: Apache-2.0
"""Models of MNN, converted from ONNX by its own converter, and what MNN's own Python computes. mnn_cases.py FOLDER"""
import sys

import _tools
import MNN
import numpy as np
import onnx
import onnxruntime
from cases import Cases
from onnx import TensorProto, helper, numpy_helper

KINDS = {MNN.Halide_Type_Float: np.float32, MNN.Halide_Type_Int: np.int32, MNN.Halide_Type_Uint8: np.uint8, MNN.Halide_Type_Int64: np.int64}


def model_of(nodes, inputs, outputs, constants):
    made = {"float32": TensorProto.FLOAT, "int32": TensorProto.INT32, "int64": TensorProto.INT64}
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info(n, made[t], s) for n, t, s in inputs],
                              [helper.make_tensor_value_info(n, made[t], s) for n, t, s in outputs],
                              [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def plain(tensor):
    """A tensor's values in the order of its shape, through MNN's own copy to a host tensor of the plain layout."""
    kind = KINDS[tensor.getDataType()]
    layout = MNN.Tensor_DimensionType_Tensorflow if tensor.getDimensionType() == MNN.Tensor_DimensionType_Tensorflow else MNN.Tensor_DimensionType_Caffe
    host = MNN.Tensor(tuple(tensor.getShape()), tensor.getDataType(), np.zeros(tensor.getShape(), kind), layout)
    assert tensor.copyToHostTensor(host)
    return np.array(host.getData(), kind).reshape(tensor.getShape())


def expected(file, samples):
    interpreter = MNN.Interpreter(str(file))
    session = interpreter.createSession({"numThread": 1, "precision": "high"})
    for name, tensor in interpreter.getSessionInputAll(session).items():
        interpreter.resizeTensor(tensor, samples[0][name].shape)
    interpreter.resizeSession(session)
    answers, layers = [], []
    for sample in samples:
        for name, tensor in interpreter.getSessionInputAll(session).items():
            host = MNN.Tensor(sample[name].shape, tensor.getDataType(), sample[name], MNN.Tensor_DimensionType_Caffe)
            tensor.copyFrom(host)
        seen = []

        def after(tensors, operator, seen=seen):
            if operator.getType() != "Raster":
                for at, tensor in enumerate(tensors):
                    seen.append((operator.getName() + (f":{at}" if at else ""), operator.getType(), plain(tensor)))
            return True

        interpreter.runSessionWithCallBackInfo(session, lambda *_: True, after)
        answers.append([(name, plain(tensor)) for name, tensor in interpreter.getSessionOutputAll(session).items()])
        layers.append(seen)
    return answers, layers


def by_module(file, samples):
    """The same by the interface that also computes loops; it shows no layers."""
    F, nn = MNN.expr, MNN.nn
    module = nn.load_module_from_file(str(file), [], [], runtime_manager=nn.create_runtime_manager(({"numThread": 1, "precision": "high", "backend": "CPU"},)))
    names = module.get_info()["outputNames"]
    answers = []
    for sample in samples:
        answer = module.forward([F.const(array.reshape(-1).tolist(), list(array.shape), F.NCHW) for array in sample.values()])
        answers.append([(name, np.array(one.read())) for name, one in zip(names, answer)])
    return answers, None


def case(cases, name, model, samples, *convert, flags=(), near=True, how=expected):
    home = cases.home(name)
    onnx.checker.check_model(model)
    onnx.save(model, home / "net.onnx")
    _tools.mnnconvert(["mnnconvert", "-f", "ONNX", "--modelFile", str(home / "net.onnx"), "--MNNModel", str(home / "net.mnn"), "--bizCode", "x", *convert])
    assert (home / "net.mnn").exists(), name
    session = onnxruntime.InferenceSession(home / "net.onnx", providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    types = {one.name: np.int64 if "int64" in one.type else np.int32 if "int32" in one.type else np.float32 for one in session.get_inputs()}
    others = [dict(zip(names, session.run(None, {n: a.astype(types[n]) for n, a in sample.items()}))) for sample in samples]
    answers, layers = how(home / "net.mnn", samples)
    cases.write(home, home / "net.mnn", samples, answers, layers, flags=flags, near=[[o[n] for n, _ in a] for o, a in zip(others, answers)] if near else None)


def main(folder):
    cases = Cases(folder)
    normal, node = cases.normal, helper.make_node

    nodes = [node("Conv", ["x", "w", "b"], ["c"], "conv", pads=[1, 1, 1, 1]), node("BatchNormalization", ["c", "s", "o", "m", "v"], ["n"], "bn"),
             node("Relu", ["n"], ["r"], "relu"), node("MaxPool", ["r"], ["p"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
             node("Flatten", ["p"], ["f"], "flat"), node("MatMul", ["f", "k"], ["l"], "fc"), node("Softmax", ["l"], ["y"], "prob", axis=1)]
    constants = {"w": normal(8, 3, 3, 3) * .3, "b": normal(8), "s": normal(8), "o": normal(8), "m": normal(8), "v": np.abs(normal(8)) + .5,
                 "k": normal(8 * 30, 5) * .1}
    plain_net = model_of(nodes, [("x", "float32", [1, 3, 10, 12])], [("y", "float32", [1, 5])], constants)
    pictures = [{"x": normal(1, 3, 10, 12)} for _ in range(3)]
    case(cases, "convolution", plain_net, pictures)
    case(cases, "half_weights", plain_net, pictures, "--fp16", near=False)
    case(cases, "int8_weights", plain_net, pictures, "--weightQuantBits", "8", near=False)

    nodes = [node("Conv", ["x", "d"], ["c"], "dw", group=6, strides=[2, 2]), node("Clip", ["c", "lo", "hi"], ["k"], "relu6"),
             node("Conv", ["k", "p"], ["q"], "pw"), node("Add", ["q", "half"], ["a"], "add"), node("GlobalAveragePool", ["a"], ["y"], "gap")]
    constants = {"d": normal(6, 1, 3, 3), "p": normal(7, 6, 1, 1), "lo": np.float32(0), "hi": np.float32(6), "half": np.float32(.5)}
    case(cases, "depthwise_open", model_of(nodes, [("x", "float32", ["n", 6, "h", "w"])], [("y", "float32", ["n", 7, 1, 1])], constants),
         [{"x": normal(2, 6, 11, 9)} for _ in range(2)], flags=["--input-shape", "x=2x6x11x9"])

    nodes = [node("Concat", ["a", "b"], ["c"], "cat", axis=1), node("Transpose", ["c"], ["t"], "turn", perm=[0, 2, 1]),
             node("MatMul", ["t", "w"], ["y"], "fc"), node("Sub", ["a", "b"], ["d"], "sub"), node("Tanh", ["d"], ["z"], "tanh")]
    case(cases, "two_and_two", model_of(nodes, [("a", "float32", [1, 3, 5]), ("b", "float32", [1, 3, 5])], [("y", "float32", [1, 5, 4]), ("z", "float32", [1,
        3, 5])],
                                        {"w": normal(6, 4)}), [{"a": normal(1, 3, 5), "b": normal(1, 3, 5)} for _ in range(4)])

    nodes = [node("Gather", ["table", "ids"], ["e"], "words"), node("ReduceMean", ["e"], ["m"], "mean", axes=[1], keepdims=0),
             node("Gemm", ["m", "w", "b"], ["y"], "fc")]
    case(cases, "embedding", model_of(nodes, [("ids", "int32", [1, 6])], [("y", "float32", [1, 3])], {"table": normal(11, 4), "w": normal(4, 3),
        "b": normal(3)}),
         [{"ids": cases.random.integers(0, 11, (1, 6)).astype(np.int32)} for _ in range(3)])

    nodes = [node("LSTM", ["x", "w", "r", "b"], ["all", "h", "c"], "lstm", hidden_size=4), node("Squeeze", ["h", "zero"], ["y"], "squeeze")]
    recurrent = model_of(nodes, [("x", "float32", [7, 1, 5])], [("y", "float32", [1, 4])],
                         {"w": normal(1, 16, 5) * .4, "r": normal(1, 16, 4) * .4, "b": normal(1, 32) * .2, "zero": np.array([0])})
    steps = [{"x": normal(7, 1, 5)} for _ in range(2)]
    case(cases, "loop", recurrent, steps, how=by_module)
    case(cases, "recurrent", recurrent, steps, "--useOriginRNNImpl")

    nodes = [node("ArgMax", ["x"], ["best"], "best", axis=1, keepdims=0), node("TopK", ["x", "k"], ["v", "i"], "top", axis=1)]
    case(cases, "integer_answers", model_of(nodes, [("x", "float32", [2, 8])], [("best", "int64", [2]), ("v", "float32", [2, 3]), ("i", "int64", [2, 3])],
                                            {"k": np.array([3])}),
         [{"x": normal(2, 8)} for _ in range(2)])


main(sys.argv[1])
