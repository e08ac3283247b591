# SPDX-License-Identifier: Apache-2.0
"""How far a fault moves the logits, computed without edgeprobe from the recorded tensors and LiteRT's own interpreter."""
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from model_file import Model


def _member(tool, trace, stage, name, npz):
    tool.call("trace", "export", trace, "--npz", npz, "--tensor", stage + "/" + name, "--force")
    arrays = np.load(npz)
    if stage + "/" + name not in arrays.files:
        raise ValueError("no tensor %s/%s in the trace" % (stage, name))
    return arrays[stage + "/" + name]


class Gap:
    """Gaps against one reference; caches its outputs by input."""

    def __init__(self, reference):
        self._model = Model(reference)
        self._interpreter = Interpreter(str(reference), num_threads=1, experimental_preserve_all_tensors=True,
                                        experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
        self._interpreter.allocate_tensors()
        self._known = {}

    def _logits(self, inputs):
        key = inputs.tobytes()
        if key not in self._known:
            fed, wanted, out = int(self._model.graph.inputs[0]), self._model.logits(), []
            shape = self._interpreter.get_input_details()[0]["shape"]
            for frame in self._model.stored(fed, inputs):
                self._interpreter.set_tensor(fed, frame.reshape(shape))
                self._interpreter.invoke()
                out.append(self._interpreter.get_tensor(wanted).ravel().copy())
            self._known[key] = self._model.real(wanted, np.stack(out))
        return self._known[key]

    def of(self, tool, target, trace, npz):
        """RMS(target - reference) / std(reference) over all frames and classes of the logits, on the inputs that the target had."""
        model = Model(target)
        fed, wanted = int(model.graph.inputs[0]), model.logits()
        inputs = model.real(fed, _member(tool, trace, "model_input", model.name(fed), npz))
        got = model.real(wanted, _member(tool, trace, "layer", model.name(wanted), npz))
        right = self._logits(inputs)
        return float(np.sqrt(np.mean((got.reshape(right.shape) - right) ** 2)) / max(right.std(), 1e-9))
