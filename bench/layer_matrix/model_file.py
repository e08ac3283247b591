# SPDX-License-Identifier: Apache-2.0
"""A .tflite file through the schema classes of ai-edge-litert: its operators, its tensors, and edits of both."""
import pathlib

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

NAMES = {code: name for name, code in vars(schema.BuiltinOperator).items() if not name.startswith("_")}
DTYPES = {schema.TensorType.FLOAT32: np.float32, schema.TensorType.INT32: np.int32, schema.TensorType.INT8: np.int8,
          schema.TensorType.UINT8: np.uint8, schema.TensorType.FLOAT16: np.float16, schema.TensorType.INT64: np.int64}
WEIGHTED = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
CONVERSIONS = ("QUANTIZE", "DEQUANTIZE")
PROBABILITIES = ("SOFTMAX", "LOGISTIC")


class Model:
    def __init__(self, path):
        self._model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(pathlib.Path(path).read_bytes(), 0))
        self.graph = self._model.subgraphs[0]
        self.tensors, self.ops = self.graph.tensors, self.graph.operators
        codes = self._model.operatorCodes
        self.types = [NAMES[max(codes[op.opcodeIndex].builtinCode, codes[op.opcodeIndex].deprecatedBuiltinCode)] for op in self.ops]

    def save(self, path):
        builder = flatbuffers.Builder(1 << 20)
        builder.Finish(self._model.Pack(builder), b"TFL3")
        path.write_bytes(bytes(builder.Output()))

    def name(self, tensor):
        return self.tensors[tensor].name.decode()

    def dtype(self, tensor):
        return DTYPES[self.tensors[tensor].type]

    def output(self, op):
        return int(self.ops[op].outputs[0])

    def consumers(self, tensor):
        return [k for k, op in enumerate(self.ops) if tensor in list(op.inputs)]

    def logits(self):
        """The input of the last SOFTMAX or LOGISTIC, else the output."""
        last = [k for k, kind in enumerate(self.types) if kind in PROBABILITIES]
        return int(self.ops[last[-1]].inputs[0]) if last else int(self.graph.outputs[0])

    def order(self):
        """Operators that compute something, in order; two files of one network have these in common."""
        return [k for k, kind in enumerate(self.types) if kind not in CONVERSIONS]

    def scales(self, tensor):
        """(scales, zero points) as vectors; (None, None) for a tensor of real numbers."""
        q = self.tensors[tensor].quantization
        if q is None or q.scale is None or len(q.scale) == 0:
            return None, None
        zero = q.zeroPoint if q.zeroPoint is not None and len(q.zeroPoint) else np.zeros(len(q.scale), np.int64)
        return np.asarray(q.scale, np.float64), np.asarray(zero, np.int64)

    def set_scales(self, tensor, scales=None, zeros=None):
        q = self.tensors[tensor].quantization
        if scales is not None:
            q.scale = np.broadcast_to(np.asarray(scales, np.float32), np.shape(q.scale)).copy()
        if zeros is not None:
            q.zeroPoint = np.broadcast_to(np.asarray(zeros, np.int64), np.shape(q.zeroPoint)).copy()

    def axis(self, tensor):
        return self.tensors[tensor].quantization.quantizedDimension

    def constant(self, tensor):
        t = self.tensors[tensor]
        raw = np.asarray(self._model.buffers[t.buffer].data, np.uint8).tobytes()
        return np.frombuffer(raw, DTYPES[t.type]).reshape(t.shape).copy()

    def set_constant(self, tensor, values):
        t = self.tensors[tensor]
        self._model.buffers[t.buffer].data = np.frombuffer(np.ascontiguousarray(values, DTYPES[t.type]).tobytes(), np.uint8)

    def real(self, tensor, values):
        """Stored codes as the real numbers they stand for (per tensor)."""
        scales, zeros = self.scales(tensor)
        return values.astype(np.float64) if scales is None else (values.astype(np.float64) - zeros[0]) * scales[0]

    def stored(self, tensor, values):
        scales, zeros = self.scales(tensor)
        if scales is None:
            return values.astype(self.dtype(tensor))
        bounds = np.iinfo(self.dtype(tensor))
        return np.clip(np.rint(values / scales[0]) + zeros[0], bounds.min, bounds.max).astype(self.dtype(tensor))
