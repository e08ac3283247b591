# SPDX-License-Identifier: Apache-2.0
"""A device of lower precision in NumPy and ONNX Runtime, node by node; the result of each node is recorded.

Shares no code with the emulation in src/precision: operands are rounded by NumPy's float16, by Veltkamp's splitting or by bit masks;
float16 sums are computed from matrices of patches."""
import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

onnxruntime.set_default_logger_severity(3)
PRODUCTS = {"Conv", "Gemm", "MatMul", "ConvTranspose"}


def half(values):
    with np.errstate(over="ignore"):
        return values.astype(np.float16).astype(np.float32)


def flushed(values):
    values = half(values)
    return np.where(np.abs(values) < 2.0**-14, np.float32(0), values)


def split(values, bits):
    """Rounds to `bits` significant bits (Veltkamp, Dekker 1971), to nearest."""
    wide = values.astype(np.float64)
    away = wide * (2.0 ** (53 - bits) + 1)
    return (away - (away - wide)).astype(np.float32)


def tf32(values):
    return split(values, 11)


def bfloat16(values):
    return split(values, 8)


def tf32_cut(values):
    """Ignores the last 13 bits of the fraction."""
    whole = np.frombuffer(np.ascontiguousarray(values, np.float32).tobytes(), np.uint32) >> 13 << 13
    return np.frombuffer(whole.astype(np.uint32).tobytes(), np.float32).reshape(values.shape)


def patches(image, kernel, strides, pads, dilations, groups):
    """[groups][terms][positions] of an image [1, C, H, W]; terms in the order window, channel."""
    _, channels, _, _ = image.shape
    padded = np.pad(image[0], ((0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    reach = [(size - 1) * step + 1 for size, step in zip(kernel, dilations)]
    out = [(padded.shape[i + 1] - reach[i]) // strides[i] + 1 for i in range(2)]
    each = channels // groups
    terms = np.empty((groups, kernel[0] * kernel[1], each, out[0] * out[1]), np.float32)
    for y in range(kernel[0]):
        for x in range(kernel[1]):
            top, left = y * dilations[0], x * dilations[1]
            window = padded[:, top : top + (out[0] - 1) * strides[0] + 1 : strides[0], left : left + (out[1] - 1) * strides[1] + 1 : strides[1]]
            terms[:, y * kernel[1] + x] = window.reshape(groups, each, -1)
    return terms.reshape(groups, -1, out[0] * out[1]), out


def added(order):
    """How a device sums float16 products; `order` of the terms: "straight", "back", or the number of terms in a block."""

    def add(weights, terms):
        """[out, K] by [K, positions]."""
        count = terms.shape[0]
        block = order if isinstance(order, int) else count
        places = range(count - 1, -1, -1) if order == "back" else range(count)
        total = np.zeros((weights.shape[0], terms.shape[1]), np.float32)
        part = np.zeros_like(total)
        for i, k in enumerate(places):
            if i % block == 0 and i > 0:
                total, part = half(total + part), np.zeros_like(part)
            part = half(part + weights[:, k : k + 1] * terms[k])
        return half(total + part) if isinstance(order, int) else part

    return add


def attributes(node):
    return {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}


def padding(own, size, kernel, strides, dilations):
    """Top, left, bottom, right of a Conv, as ONNX's specification of auto_pad says."""
    automatic = own.get("auto_pad", b"NOTSET")
    if automatic in (b"NOTSET", b""):
        return own.get("pads", [0] * 4)
    if automatic == b"VALID":
        return [0] * 4
    whole = [max(0, (-(-size[i] // strides[i]) - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 - size[i]) for i in range(2)]
    less, more = [one // 2 for one in whole], [one - one // 2 for one in whole]
    return less + more if automatic == b"SAME_UPPER" else more + less


def summed(node, inputs, add):
    """A Conv or Gemm whose sums are kept in float16."""
    own = attributes(node)
    bias = inputs[2] if len(inputs) > 2 else np.float32(0)
    if node.op_type == "Gemm":
        weights = inputs[1] if own.get("transB") else inputs[1].T
        made = add(weights, (inputs[0].T if own.get("transA") else inputs[0]).T.copy())
        return half(made.T + bias)
    weights, groups = inputs[1], own.get("group", 1)
    kernel = weights.shape[2:]
    strides, dilations = own.get("strides", [1, 1]), own.get("dilations", [1, 1])
    pads = padding(own, inputs[0].shape[2:], kernel, strides, dilations)
    terms, out = patches(inputs[0], kernel, strides, pads, dilations, groups)
    by_window = weights.transpose(0, 2, 3, 1).reshape(groups, weights.shape[0] // groups, -1)
    made = np.concatenate([add(by_window[g], terms[g]) for g in range(groups)])
    return half(made + np.reshape(bias, (-1, 1))).reshape(1, weights.shape[0], *out)


class Device:
    """`operands` rounds the operands of products, `stored` all stored values (weights too), `sums` accumulates in float16.
    
    `fault`: node output and factor. `only`: names of the product nodes with lower precision; if unset, all."""

    def __init__(self, path, operands=None, stored=None, sums=None, fault=None, only=None, threads=1):
        self.model = onnx.load(path)
        self.operands, self.stored, self.sums, self.fault, self.only, self.threads = operands, stored, sums, fault, only, threads
        self.constants = {one.name: numpy_helper.to_array(one) for one in self.model.graph.initializer}
        self.input = next(one.name for one in self.model.graph.input if one.name not in self.constants)
        self.outputs = [one.name for one in self.model.graph.output]
        self.sessions = {}
        if stored:
            self.constants = {name: stored(value) if value.dtype == np.float32 else value for name, value in self.constants.items()}

    def node(self, node, inputs):
        key = node.output[0]
        if key not in self.sessions:
            info = lambda name, value: onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
            read = {name: value for name, value in zip(node.input, inputs) if name}
            graph = onnx.helper.make_graph([node], "one", [info(*one) for one in read.items()], [onnx.helper.make_empty_tensor_value_info(name) for name in node.output if name])
            model = onnx.helper.make_model(graph, opset_imports=self.model.opset_import, ir_version=min(self.model.ir_version, 10))
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self.threads
            self.sessions[key] = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return self.sessions[key].run(None, {name: value for name, value in zip(node.input, inputs) if name})

    def run(self, value):
        """{tensor: value} for all results of nodes, in the nodes' order."""
        known, made = dict(self.constants), {}
        known[self.input] = self.stored(value) if self.stored else value
        for node in self.model.graph.node:
            inputs = [known[name] if name else None for name in node.input]
            narrow = node.op_type in PRODUCTS and (self.only is None or node.output[0] in self.only)
            if narrow and self.operands:
                inputs = [self.operands(one) for one in inputs[:2]] + inputs[2:]
            if narrow and self.sums and node.op_type in ("Conv", "Gemm"):
                results = [summed(node, inputs, self.sums)]
            else:
                results = self.node(node, inputs)
            for name, result in zip([one for one in node.output if one], results):
                if self.fault and name == self.fault[0]:
                    result = (result * np.float32(self.fault[1])).astype(result.dtype)
                if self.stored and result.dtype == np.float32:
                    result = self.stored(result)
                known[name] = made[name] = result
        return made

    def types(self):
        """Operator for each tensor that is not an output of the model."""
        return {name: node.op_type for node in self.model.graph.node for name in node.output if name and name not in self.outputs}
