# SPDX-License-Identifier: Apache-2.0
"""Changes one attribute of a model: .onnx by the onnx package, .tflite by the schema classes of ai-edge-litert, without edgeprobe. Each function
yields (name of the fault, output of the faulty operator, accepted words for its option, apply(path)).
"""
import copy
import pathlib
import sys

import onnx
from onnx import helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "layer_matrix"))
from model_file import Model  # noqa: E402


def _get(node, name, absent=None):
    found = next((one for one in node.attribute if one.name == name), None)
    return absent if found is None else helper.get_attribute_value(found)


def _onnx_edits(node):
    kind, pads = node.op_type, list(_get(node, "pads", []))
    yield_one = []

    def one(name, option, **attributes):
        yield_one.append((name, option, attributes))

    if kind in ("Conv", "AveragePool", "MaxPool") and sum(pads) > 0:
        half = len(pads) // 2
        other = pads[half:] + pads[:half]
        if other != pads:
            one("padding on the other side", {"padding"}, pads=other)
        one("padding at the end", {"padding"}, pads=[0] * half + [a + b for a, b in zip(pads[:half], pads[half:])])
        one("padding at the front", {"padding"}, pads=[a + b for a, b in zip(pads[:half], pads[half:])] + [0] * half)
    size = list(_get(node, "kernel_shape", []))
    if kind == "Conv" and pads == [1, 1, 1, 1] and _get(node, "dilations", [1, 1]) == [1, 1] and size in ([3, 3], []):
        one("dilation 2", {"padding", "dilation"}, dilations=[2, 2], pads=[2, 2, 2, 2])
    if kind == "Conv" and _get(node, "dilations", [1, 1]) == [2, 2]:
        one("dilation 1", {"padding", "dilation"}, dilations=[1, 1], pads=[1, 1, 1, 1])
    if kind == "AveragePool":
        one("padding counted otherwise", {"padding_counted"}, count_include_pad=1 - _get(node, "count_include_pad", 0))
    if kind in ("AveragePool", "MaxPool") and size == [3, 3] and pads == [1, 1, 1, 1] and _get(node, "strides", [1, 1]) == [1, 1]:
        one("window 1", {"padding", "window"}, kernel_shape=[1, 1], pads=[0, 0, 0, 0])
        one("window 5", {"padding", "window"}, kernel_shape=[5, 5], pads=[2, 2, 2, 2])
    if kind == "BatchNormalization":
        one("epsilon 1e-1", {"epsilon"}, epsilon=.1)
        one("epsilon 1", {"epsilon"}, epsilon=1.0)
    if kind in ("LeakyRelu", "Elu"):
        one("alpha 0.6", {"alpha"}, alpha=.6)
        one("alpha 2", {"alpha"}, alpha=2.0)
    if kind == "HardSigmoid":
        one("alpha 1/6", {"alpha"}, alpha=1 / 6)
        one("beta 0", {"beta"}, beta=0.0)
    if kind == "LRN":
        one("alpha 1e-4", {"alpha"}, alpha=1e-4)
        one("bias 2", {"bias"}, bias=2.0)
        one("beta 2", {"beta"}, beta=2.0)
        one("size 7", {"size"}, size=7)
    if kind == "Gemm":
        one("alpha 0.3", {"alpha"}, alpha=.3)
        one("beta 3", {"beta"}, beta=3.0)
        one("alpha 2", {"alpha"}, alpha=2.0)
    if kind == "Resize":
        for place in ("half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn"):
            nearest = _get(node, "mode") == b"nearest"
            if _get(node, "coordinate_transformation_mode", b"half_pixel").decode() != place and (nearest or "nn" not in place):
                one("coordinates " + place, {"coordinates"}, coordinate_transformation_mode=place)
        if _get(node, "mode") == b"nearest":
            one("rounding ceil", {"coordinates"}, nearest_mode="ceil")
            one("mode linear", {"mode", "coordinates"}, mode="linear")
        else:
            one("mode nearest", {"mode", "coordinates"}, mode="nearest")
            one("mode cubic", {"mode", "coordinates"}, mode="cubic")
    if kind == "DepthToSpace":
        one("mode CRD", {"order"}, mode="CRD")
    if kind == "Softmax":
        one("axis 0", {"axes"}, axis=0)
    if kind == "Transpose" and list(_get(node, "perm", [])) == [0, 1, 2, 3]:
        one("perm turned", {"order"}, perm=[0, 1, 3, 2])
    if kind == "ReduceMean" and _get(node, "axes") == [2]:
        one("axes 3", {"axes"}, axes=[3])
    return yield_one


def in_onnx(path):
    model = onnx.load(path)
    for index, node in enumerate(model.graph.node):
        for name, option, attributes in _onnx_edits(node):
            def apply(out, index=index, attributes=attributes):
                changed = copy.deepcopy(model)
                changed_node = changed.graph.node[index]
                kept = [one for one in changed_node.attribute if one.name not in attributes]
                del changed_node.attribute[:]
                changed_node.attribute.extend(kept + [helper.make_attribute(key, value) for key, value in attributes.items()])
                onnx.save(changed, out)
            yield f"{node.op_type} {name}", node.output[0], option, apply
        if node.op_type == "Clip" and len(node.input) > 2:
            for slot, name, value in ((2, "max", 1.0), (2, "max", .3), (1, "min", -1.0)):
                def limit(out, index=index, slot=slot, value=value):
                    changed = copy.deepcopy(model)
                    changed.graph.initializer.append(onnx.numpy_helper.from_array(__import__("numpy").float32(value), "planted"))
                    changed.graph.node[index].input[slot] = "planted"
                    onnx.save(changed, out)
                yield f"Clip {name} {value}", node.output[0], {name}, limit


def _tflite_edits(kind, o, constants):
    edits = []

    def one(name, option, **fields):
        edits.append((name, option, fields))

    act = getattr(o, "fusedActivationFunction", None)
    if act is not None and kind in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "ADD"):
        for value, name in ((0, "NONE"), (1, "RELU"), (2, "RELU_N1_TO_1"), (3, "RELU6")):
            if value != act:
                one("fused activation " + name, {"activation"}, fusedActivationFunction=value)
    if kind in ("CONV_2D", "DEPTHWISE_CONV_2D") and o.padding == 0 and o.strideH == 1:
        now = o.dilationHFactor
        one("dilation " + str(3 - now), {"dilation", "padding"}, dilationHFactor=3 - now, dilationWFactor=3 - now)
    if kind in ("AVERAGE_POOL_2D", "MAX_POOL_2D") and o.padding == 0:
        one("window 2", {"window", "padding"}, filterHeight=2, filterWidth=2)
        one("window 5", {"window", "padding"}, filterHeight=5, filterWidth=5)
    if kind in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"):
        for corners, half in ((False, False), (True, False), (False, True)):
            if (corners, half) != (bool(o.alignCorners), bool(o.halfPixelCenters)):
                one(f"align_corners {corners} half_pixel {half}", {"coordinates"}, alignCorners=corners, halfPixelCenters=half)
    if kind == "LEAKY_RELU":
        one("alpha 0.6", {"alpha"}, alpha=.6)
        one("alpha 2", {"alpha"}, alpha=2.0)
    if kind == "LOCAL_RESPONSE_NORMALIZATION":
        one("radius 3", {"size", "alpha"}, radius=3)
        one("bias 2", {"bias"}, bias=2.0)
        one("beta 2", {"beta"}, beta=2.0)
        one("alpha 0.01", {"alpha"}, alpha=.01)
    if kind == "SOFTMAX":
        one("beta 0.2", {"beta"}, beta=.2)
        one("beta 3", {"beta"}, beta=3.0)
    if kind == "MIRROR_PAD":
        one("mode symmetric", {"mode"}, mode=1)
    return edits


def in_tflite(path):
    model = Model(path)
    for index, kind in enumerate(model.types):
        for name, option, fields in _tflite_edits(kind, model.ops[index].builtinOptions, None):
            def apply(out, index=index, fields=fields):
                changed = Model(path)
                for field, value in fields.items():
                    setattr(changed.ops[index].builtinOptions, field, value)
                changed.save(out)
            yield f"{kind} {name}", model.name(model.output(index)), option, apply
        if kind == "MEAN" and len(model.tensors[model.ops[index].inputs[0]].shape) == 4 and list(model.constant(int(model.ops[index].inputs[1]))) == [1]:
            def axes(out, index=index):
                import numpy as np
                changed = Model(path)
                changed.set_constant(int(changed.ops[index].inputs[1]), np.array([2], np.int32))
                changed.save(out)
            yield "MEAN axes 2", model.name(model.output(index)), {"axes"}, axes
