# SPDX-License-Identifier: Apache-2.0
""".tflite models with one operator, built from the schema and run by the engine's own Python interpreter."""
import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter


def _tensor(name, shape, kind, buffer):
    tensor = schema.TensorT()
    tensor.name, tensor.shape, tensor.type, tensor.buffer = name, shape, kind, buffer
    return tensor


def resize_model(shape, size, method, half_pixel=False, corners=False):
    """A model with a single RESIZE_BILINEAR or RESIZE_NEAREST_NEIGHBOR of float32 `shape` to `size`."""
    bilinear = method == "bilinear"
    code = schema.OperatorCodeT()
    code.builtinCode = (schema.BuiltinOperator.RESIZE_BILINEAR if bilinear
                        else schema.BuiltinOperator.RESIZE_NEAREST_NEIGHBOR)
    code.deprecatedBuiltinCode, code.version = code.builtinCode, 3
    options = schema.ResizeBilinearOptionsT() if bilinear else schema.ResizeNearestNeighborOptionsT()
    options.halfPixelCenters, options.alignCorners = half_pixel, corners
    operator = schema.OperatorT()
    operator.opcodeIndex, operator.inputs, operator.outputs = 0, [0, 1], [2]
    operator.builtinOptionsType = (schema.BuiltinOptions.ResizeBilinearOptions if bilinear
                                   else schema.BuiltinOptions.ResizeNearestNeighborOptions)
    operator.builtinOptions = options

    empty, constant = schema.BufferT(), schema.BufferT()
    constant.data = np.frombuffer(np.array(size, np.int32).tobytes(), np.uint8)
    graph = schema.SubGraphT()
    graph.tensors = [
        _tensor("image", list(shape), schema.TensorType.FLOAT32, 0),
        _tensor("size", [2], schema.TensorType.INT32, 1),
        _tensor("resized", [shape[0], *size, shape[3]], schema.TensorType.FLOAT32, 0),
    ]
    graph.inputs, graph.outputs, graph.operators = [0], [2], [operator]
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, [code], [graph], [empty, constant]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def engine_resize(image, size, method, half_pixel=False, corners=False, reference=False):
    """float32 [H, W, C] resized by the engine; `reference`: with its plain kernels instead of XNNPACK."""
    from ai_edge_litert.interpreter import OpResolverType
    model = resize_model((1, *image.shape), size, method, half_pixel, corners)
    resolver = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES if reference else OpResolverType.AUTO
    interpreter = Interpreter(model_content=model, experimental_op_resolver_type=resolver, num_threads=1)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], image[None].astype(np.float32))
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])[0]
