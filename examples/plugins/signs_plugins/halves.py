# SPDX-License-Identifier: Apache-2.0
import dataclasses

import numpy as np
import onnx
from onnx import helper, numpy_helper

from edgeprobe.plugins import option


@dataclasses.dataclass
class Halves:
    """Stores the weights of an .onnx model in float16, which halves its size; it computes in float32 as before."""

    formats = (".onnx",)
    result = ".onnx"
    version = onnx.__version__
    least: int = option(256, "Weights with fewer elements stay in float32", least=1)

    def compile(self, model, out):
        net = onnx.load(model)
        casts, beyond = [], 0
        for weights in net.graph.initializer:
            values = numpy_helper.to_array(weights)
            if values.dtype != np.float32 or values.size < self.least:
                continue
            if np.abs(values).max() > np.finfo(np.float16).max:
                beyond += 1
                continue
            stored = weights.name + " in float16"
            casts.append(helper.make_node("Cast", [stored], [weights.name], to=onnx.TensorProto.FLOAT))
            weights.CopyFrom(numpy_helper.from_array(values.astype(np.float16), stored))
        for cast in reversed(casts):
            net.graph.node.insert(0, cast)
        onnx.save(net, out)
        kept = f"; {beyond} beyond its range stay in float32" if beyond else ""
        return f"{len(casts)} of {len(net.graph.initializer)} constants are stored in float16{kept}"
