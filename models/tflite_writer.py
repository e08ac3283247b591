# SPDX-License-Identifier: Apache-2.0
"""Writes the folded network as a float .tflite, through the schema classes of ai-edge-litert."""

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

import network


class _Builder:
    """Collects buffers, tensors and operators of the one subgraph."""

    def __init__(self):
        self.buffers = [schema.BufferT()]  # buffer 0 means "no data" by convention
        self.buffers[0].data = None
        self.tensors, self.operators, self.codes = [], [], []

    def tensor(self, name, shape, data=None):
        tensor = schema.TensorT()
        tensor.name, tensor.shape = name, np.array(shape, np.int32)
        tensor.type = schema.TensorType.INT32 if data is not None and data.dtype == np.int32 else schema.TensorType.FLOAT32
        tensor.buffer = 0
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
            self.buffers.append(buffer)
            tensor.buffer = len(self.buffers) - 1
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def operator(self, code, version, inputs, output, options_type, options):
        if (code, version) not in self.codes:
            self.codes.append((code, version))
        operator = schema.OperatorT()
        operator.opcodeIndex = self.codes.index((code, version))
        operator.inputs, operator.outputs = np.array(inputs, np.int32), np.array([output], np.int32)
        operator.builtinOptionsType, operator.builtinOptions = options_type, options
        self.operators.append(operator)

    def operator_codes(self):
        out = []
        for builtin, version in self.codes:
            code = schema.OperatorCodeT()
            code.builtinCode, code.deprecatedBuiltinCode, code.version = builtin, min(builtin, 127), version
            out.append(code)
        return out


def _with(options, **fields):
    for name, value in fields.items():
        setattr(options, name, value)
    return options


def _fused(layer):
    act = schema.ActivationFunctionType
    return act.RELU6 if layer.relu6 else act.NONE


def _add_weighted(builder, layer, source, shape, weights, bias):
    op, kinds = schema.BuiltinOperator, schema.BuiltinOptions
    if layer.kind == "dense":
        data, shape = weights.T, (1, layer.channels)
    else:
        data = weights[None] if layer.kind == "depthwise" else weights.transpose(3, 0, 1, 2)
        shape = (1, -(-shape[1] // layer.stride), -(-shape[2] // layer.stride), layer.channels)
    inputs = [source, builder.tensor(layer.name + "/weights", data.shape, data), builder.tensor(layer.name + "/bias", bias.shape, bias)]
    output = builder.tensor(layer.name, shape)
    common = dict(fusedActivationFunction=_fused(layer))
    if layer.kind == "dense":
        builder.operator(op.FULLY_CONNECTED, 1, inputs, output, kinds.FullyConnectedOptions, _with(schema.FullyConnectedOptionsT(), **common))
        return output, shape
    common.update(padding=schema.Padding.SAME, strideH=layer.stride, strideW=layer.stride, dilationHFactor=1, dilationWFactor=1)
    if layer.kind == "conv":
        builder.operator(op.CONV_2D, 1, inputs, output, kinds.Conv2DOptions, _with(schema.Conv2DOptionsT(), **common))
    else:
        options = _with(schema.DepthwiseConv2DOptionsT(), depthMultiplier=1, **common)
        builder.operator(op.DEPTHWISE_CONV_2D, 1, inputs, output, kinds.DepthwiseConv2DOptions, options)
    return output, shape


def _add_layer(builder, layer, source, shape, outputs, folded):
    op, kinds = schema.BuiltinOperator, schema.BuiltinOptions
    if layer.name in folded:
        return _add_weighted(builder, layer, source, shape, *folded[layer.name])
    if layer.kind == "add":
        output = builder.tensor(layer.name, shape)
        builder.operator(op.ADD, 1, [outputs[layer.skip], source], output, kinds.AddOptions, _with(schema.AddOptionsT(), fusedActivationFunction=_fused(layer)))
    elif layer.kind == "mean":
        axes = builder.tensor(layer.name + "/axes", (2,), np.array([1, 2], np.int32))
        shape = (1, layer.channels)
        output = builder.tensor(layer.name, shape)
        builder.operator(op.MEAN, 1, [source, axes], output, kinds.ReducerOptions, _with(schema.ReducerOptionsT(), keepDims=False))
    elif layer.kind == "softmax":
        output = builder.tensor(layer.name, shape)
        builder.operator(op.SOFTMAX, 1, [source], output, kinds.SoftmaxOptions, _with(schema.SoftmaxOptionsT(), beta=1.0))
    else:
        raise ValueError(f"no TFLite operator for a layer of kind {layer.kind!r} ({layer.name})")
    return output, shape


def _signature(source, output):
    maps = []
    for name, index in (("image", source), ("probabilities", output)):
        maps.append(_with(schema.TensorMapT(), name=name, tensorIndex=index))
    return _with(schema.SignatureDefT(), inputs=[maps[0]], outputs=[maps[1]], signatureKey="serving_default", subgraphIndex=0)


def model_bytes(folded, side, description):
    """The .tflite file; `folded` is {layer name: (weights, bias)}, the input is float32 (1, side, side, 3)."""
    builder, outputs, shape = _Builder(), {}, (1, side, side, 3)
    first = current = builder.tensor("image", shape)
    for layer in network.LAYERS:
        current, shape = _add_layer(builder, layer, current, shape, outputs, folded)
        outputs[layer.name] = current
    graph = _with(schema.SubGraphT(), name="main", tensors=builder.tensors, operators=builder.operators,
                  inputs=np.array([first], np.int32), outputs=np.array([current], np.int32))
    model = _with(schema.ModelT(), version=3, description=description, operatorCodes=builder.operator_codes(),
                  subgraphs=[graph], buffers=builder.buffers, signatureDefs=[_signature(first, current)])
    packer = flatbuffers.Builder(1 << 20)
    packer.Finish(model.Pack(packer), file_identifier=b"TFL3")
    return bytes(packer.Output())
