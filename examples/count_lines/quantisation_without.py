# SPDX-License-Identifier: Apache-2.0
"""How far is each layer of the int8 model from the float model? By hand."""
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from app import MODELS, SPREAD, load, preprocess


# begin
def open_model(name):
    interpreter = Interpreter(str(MODELS / name), experimental_preserve_all_tensors=True,
                              experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    interpreter.allocate_tensors()
    return interpreter


def real(interpreter, details):
    values = interpreter.get_tensor(details["index"]).astype(np.float64)
    scales, zeros = (details["quantization_parameters"][key] for key in ("scales", "zero_points"))
    return (values - zeros[0]) * scales[0] if scales.size == 1 else values


def run(interpreter, values):
    given = interpreter.get_input_details()[0]
    if given["dtype"] == np.int8:
        scale, zero = given["quantization"]
        values = np.clip(np.rint(values / scale) + zero, -128, 127).astype(np.int8)
    interpreter.set_tensor(given["index"], values)
    interpreter.invoke()


def activations(interpreter):
    made = {index for operator in interpreter._get_ops_details() for index in operator["outputs"]}
    return {details["name"]: details for details in interpreter.get_tensor_details() if details["index"] in made}


reference, quantised = open_model("signs_float.tflite"), open_model("signs_int8.tflite")
ours, theirs = activations(quantised), activations(reference)
layers = [name for name in theirs if name in ours]
squares, lowest, highest = (dict.fromkeys(layers, start) for start in (0.0, np.inf, -np.inf))
for file in SPREAD:
    values = preprocess(load(file), channels="rgb")
    run(reference, values)
    run(quantised, values)
    for name in layers:
        expected, found = real(reference, theirs[name]), real(quantised, ours[name])
        squares[name] += float(np.mean((expected - found) ** 2)) / 16
        lowest[name], highest[name] = min(lowest[name], expected.min()), max(highest[name], expected.max())
for name in layers:
    print(name, np.sqrt(squares[name]) / (highest[name] - lowest[name]))
# end
