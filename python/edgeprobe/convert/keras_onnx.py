# SPDX-License-Identifier: Apache-2.0
"""Keras or SavedModel -> .onnx: tf2onnx. Inputs keep the layout of the source."""
import onnx
import tf2onnx

from . import keras_model


def renamed(graph, names):
    """Gives tensors of the main graph other names. The operators' bodies read tensors by name, too."""
    for node in graph.node:
        for field in (node.input, node.output):
            for i, name in enumerate(field):
                field[i] = names.get(name, name)
        for attribute in node.attribute:
            for body in [attribute.g, *attribute.graphs]:
                renamed(body, names)
    for field in (graph.input, graph.output, graph.value_info):
        for one in field:
            one.name = names.get(one.name, one.name)


def convert(request):
    function, specs, keep = keras_model.function_of(request)
    model, _ = tf2onnx.convert.from_function(function, input_signature=specs, opset=int(request["options"]["opset"]))
    graph = model.graph
    taken = {name for node in graph.node for name in node.output} | {one.name for one in graph.initializer}
    notes, names = [], {}
    for kind, found in (("inputs", graph.input), ("outputs", graph.output)):
        if len(found) != len(request[kind]):
            raise ValueError(f"tf2onnx wrote {len(found)} {kind} where the model has {len(request[kind])}")
        for one, wanted in zip(found, request[kind]):
            if wanted["name"] in taken and wanted["name"] != one.name:
                notes.append(f"'{wanted['name']}' is called '{one.name}' in the result, where another tensor has its name")
            else:
                names[one.name] = wanted["name"]
    renamed(graph, names)
    onnx.checker.check_model(model)
    onnx.save(model, request["out"])
    del keep
    return {"tool": f"tf2onnx {tf2onnx.__version__}", "notes": notes}
