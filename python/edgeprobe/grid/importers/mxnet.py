# SPDX-License-Identifier: Apache-2.0
"""MXNet's own importer, which 1.9 keeps in contrib."""
from __future__ import annotations

import time

from ..statuses import ERROR, Refusal


def run(request: dict, samples: list) -> tuple[list, float]:
    begin = time.monotonic()
    try:
        parts = read(request["model"])
    except KeyError as error:
        if not list_weights(request["model"], error.args[0]):
            raise
        raise Refusal(ERROR, f"KeyError '{error.args[0]}': it knows weights only if the file lists them as inputs too, as before IR 4",
                      tried="with the weights listed there", found=lambda: computed(request, read("listed.onnx"), samples)) from error
    return computed(request, parts, samples), time.monotonic() - begin


def read(model: str) -> tuple:
    from mxnet.contrib import onnx as importer

    return importer.import_model(model)


def list_weights(model: str, name: str) -> bool:
    """Writes a copy whose weights are inputs too. False if `name` is no weight."""
    import onnx

    file = onnx.load(model)
    if name not in {one.name for one in file.graph.initializer}:
        return False
    listed = {one.name for one in file.graph.input}
    for one in file.graph.initializer:
        if one.name not in listed:
            file.graph.input.append(onnx.helper.make_tensor_value_info(one.name, one.data_type, one.dims))
    onnx.save(file, "listed.onnx")
    return True


def computed(request: dict, parts: tuple, samples: list) -> list:
    import mxnet as mx

    symbol, arguments, states = parts
    given = [name for name in request["inputs"] if name in symbol.list_inputs()]
    outputs = []
    for sample in samples:
        shapes = [(name, array.shape) for name, array in zip(given, sample)]
        module = mx.mod.Module(symbol=symbol, data_names=given, label_names=None)
        module.bind(for_training=False, data_shapes=shapes, label_shapes=None)
        module.set_params(arg_params=arguments, aux_params=states, allow_missing=True, allow_extra=True)
        module.forward(mx.io.DataBatch([mx.nd.array(array) for array in sample]), is_train=False)
        outputs.append([value.asnumpy() for value in module.get_outputs()])
    return outputs
