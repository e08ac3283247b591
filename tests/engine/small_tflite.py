# SPDX-License-Identifier: Apache-2.0
"""Writes a .tflite from a list of tensors and operators, through the schema classes of ai-edge-litert."""
import contextlib

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

KINDS = {np.dtype(np.float32): schema.TensorType.FLOAT32, np.dtype(np.int32): schema.TensorType.INT32, np.dtype(np.int8): schema.TensorType.INT8}


class Graph:
    def __init__(self):
        self.model, self.graph = schema.ModelT(), schema.SubGraphT()
        self.model.version, self.model.description, self.model.buffers = 3, "test", [schema.BufferT()]
        self.model.operatorCodes, self.model.subgraphs = [], [self.graph]
        self.graph.tensors, self.graph.operators, self.graph.name = [], [], b"main"

    def tensor(self, name, shape=None, values=None, kind=np.float32, scale=None, variable=False):
        """Returns the index of a new tensor; a constant if it has values. Integers with a scale have the zero point 0."""
        one = schema.TensorT()
        if values is not None:
            shape, kind = values.shape, values.dtype
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(values).tobytes(), np.uint8)
            self.model.buffers.append(buffer)
        one.name, one.shape, one.type, one.isVariable = name.encode(), list(shape), KINDS[np.dtype(kind)], variable
        one.buffer = len(self.model.buffers) - 1 if values is not None else 0
        if scale is not None:
            one.quantization = schema.QuantizationParametersT()
            one.quantization.scale, one.quantization.zeroPoint = np.array([scale], np.float32), np.array([0], np.int64)
        self.graph.tensors.append(one)
        return len(self.graph.tensors) - 1

    def handle(self, name):
        """A tensor that names a resource variable."""
        index = self.tensor(name, (1,))
        self.graph.tensors[index].type = schema.TensorType.RESOURCE
        return index

    @contextlib.contextmanager
    def body(self, name):
        """Operators added inside belong to another subgraph, whose index is returned; it has no inputs or outputs."""
        main, self.graph = self.graph, schema.SubGraphT()
        self.graph.tensors, self.graph.operators, self.graph.name = [], [], name.encode()
        self.graph.inputs, self.graph.outputs = [], []
        self.model.subgraphs.append(self.graph)
        yield len(self.model.subgraphs) - 1
        self.graph = main

    def op(self, kind, inputs, outputs, **options):
        """Adds an operator by its name in schema.BuiltinOperator; options are those of its options class."""
        code, one = schema.OperatorCodeT(), schema.OperatorT()
        code.builtinCode = getattr(schema.BuiltinOperator, kind)
        code.deprecatedBuiltinCode = min(code.builtinCode, 127)
        code.version = options.pop("version", 1)
        self.model.operatorCodes.append(code)
        one.opcodeIndex, one.inputs, one.outputs = len(self.model.operatorCodes) - 1, list(inputs), list(outputs)
        name = options.pop("options")
        if name != "NONE":
            one.builtinOptionsType, one.builtinOptions = getattr(schema.BuiltinOptions, name), getattr(schema, name + "T")()
        for key, value in options.items():
            setattr(one.builtinOptions, key, value)
        self.graph.operators.append(one)

    def save(self, path, inputs, outputs):
        self.graph.inputs, self.graph.outputs = list(inputs), list(outputs)
        builder = flatbuffers.Builder(1 << 14)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        with open(path, "wb") as file:
            file.write(bytes(builder.Output()))
