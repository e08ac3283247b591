# SPDX-License-Identifier: Apache-2.0
"""inspect proposes the author's own pre-processing: preprocessor_config.json, metadata of a .tflite file, Ultralytics' imgsz.

    inspect_front_test.py EDGEPROBE

A proposed recipe's result is compared with Pillow and NumPy, which compute what Hugging Face's image processors are defined to compute."""
import json
import re

import flatbuffers
import numpy as np
import onnx
from ai_edge_litert import schema_py_generated as schema
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

import tool
import traces
from tool import run

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
VIT = {"image_processor_type": "ViTImageProcessor", "do_resize": True, "size": {"height": 20, "width": 24}, "resample": 2, "do_rescale": True, "rescale_factor": 0.00392156862745098, "do_normalize": True, "image_mean": MEAN, "image_std": STD}
CLIP = {"feature_extractor_type": "CLIPFeatureExtractor", "do_resize": True, "size": 26, "resample": 3, "do_center_crop": True, "crop_size": 20, "do_normalize": True, "image_mean": [0.5], "image_std": [0.25]}


def model(path, sides, outputs, properties=None):
    """A model with outputs of these shapes, computed from the picture."""
    value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    nodes, constants = [helper.make_node("ReduceMean", ["image"], ["all"], axes=[0, 1, 2, 3], keepdims=0)], []
    for name, shape in outputs.items():
        constants.append(numpy_helper.from_array(np.zeros([side if isinstance(side, int) else 1 for side in shape], np.float32), f"{name}_zeros"))
        nodes.append(helper.make_node("Add", ["all", f"{name}_zeros"], [name]))
    if "anchors" in sum(outputs.values(), []):  # One value for each pixel: their number stays open in the file.
        nodes = [helper.make_node("Flatten", ["image"], ["flat"]), helper.make_node("Unsqueeze", ["flat", "axis"], ["row"]), helper.make_node("Concat", ["row"] * 6, ["output0"], axis=1)]
        constants = [numpy_helper.from_array(np.array([1]), "axis")]
    graph = helper.make_graph(nodes, "net", [value("image", sides)], [value(name, shape) for name, shape in outputs.items()], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    if properties:
        helper.set_model_props(made, properties)
    onnx.save(made, path)
    return path


def with_metadata(source, target, mean, std):
    """A copy of a .tflite file whose metadata state this normalisation of the first input: tables written field by field."""
    builder = flatbuffers.Builder(0)

    def vector(values, put, size):
        builder.StartVector(size, len(values), size)
        for one in reversed(values):
            put(one)
        return builder.EndVector()

    def table(count, **fields):
        builder.StartObject(count)
        for at, (put, value) in fields.items():
            put(int(at[1:]), value, 0)
        return builder.EndObject()

    floats = [vector(list(numbers), builder.PrependFloat32, 4) for numbers in (mean, std)]
    offset = builder.PrependUOffsetTRelativeSlot
    options = table(2, _0=(offset, floats[0]), _1=(offset, floats[1]))
    unit = table(2, _0=(builder.PrependUint8Slot, 1), _1=(offset, options))
    tensor = table(7, _4=(offset, vector([unit], builder.PrependUOffsetTRelative, 4)))
    graph = table(7, _2=(offset, vector([tensor], builder.PrependUOffsetTRelative, 4)))
    builder.Finish(table(8, _3=(offset, vector([graph], builder.PrependUOffsetTRelative, 4))), b"M001")
    made = schema.ModelT.InitFromPackedBuf(source.read_bytes(), 0)
    buffer, entry = schema.BufferT(), schema.MetadataT()
    buffer.data = np.frombuffer(bytes(builder.Output()), np.uint8)
    made.buffers.append(buffer)
    entry.name, entry.buffer = b"TFLITE_METADATA", len(made.buffers) - 1
    made.metadata = (made.metadata or []) + [entry]
    packer = flatbuffers.Builder(0)
    packer.Finish(made.Pack(packer), b"TFL3")
    target.write_bytes(bytes(packer.Output()))
    return target


class InspectFrontTest(tool.ToolTest):
    def proposed(self, path):
        return json.loads(run("inspect", path, "--json", expect=0).out)["proposed_recipe"]

    def folder_with(self, config, name="preprocessor_config.json"):
        (self.folder / name).write_text(config if isinstance(config, str) else json.dumps(config))

    def input_made(self, path, recipe):
        """The recipe's result for a picture, as the model received it, and the picture."""
        data = self.folder / "pictures"
        data.mkdir(exist_ok=True)
        picture = Image.fromarray(np.random.default_rng(7).integers(0, 256, (41, 63, 3), dtype=np.uint8))
        picture.save(data / "p.png")
        trace = self.folder / "t.mcap"
        run("run", path, "--recipe", recipe, "--data", data, "--trace", trace, "--level", "io", "--force", expect=0)
        return traces.only(traces.exported(trace), "model_input")[0], picture

    def test_a_vit_is_resized_to_both_sides(self):
        path = model(self.folder / "net.onnx", [1, 3, 20, 24], {"logits": [1, 10]})
        self.folder_with(VIT)
        proposed = self.proposed(path)
        self.assertEqual(proposed["recipe"], "resize(20x24, bilinear, like=pillow) | color(rgb) | scale(0..1) | normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]) | layout(nchw) || softmax | topk(5)")
        self.assertEqual((proposed["front_source"], proposed["front_unsaid"]), ("preprocessor_config.json", None))
        made, picture = self.input_made(path, proposed["recipe"].split(" || ")[0])
        expected = (np.asarray(picture.resize((24, 20), Image.BILINEAR), np.float64) * VIT["rescale_factor"] - MEAN) / STD
        np.testing.assert_allclose(made.reshape(3, 20, 24), expected.transpose(2, 0, 1), atol=1e-5)

    def test_clip_is_resized_to_the_shorter_side_and_cropped(self):
        (self.folder / "onnx").mkdir()  # Exporters leave the file in the parent folder.
        path = model(self.folder / "onnx" / "net.onnx", [1, 3, 20, 20], {"embeds": [1, 10, 4]})
        self.folder_with(CLIP)
        recipe = self.proposed(path)["recipe"]
        self.assertEqual(recipe, "resize(short=26, bicubic, like=pillow) | crop(center, 20x20, offset=floor) | color(rgb) | scale(0..1) | normalize(mean=0.5, std=0.25) | layout(nchw)")
        made, picture = self.input_made(path, recipe)
        resized = np.asarray(picture.resize((int(26 * 63 / 41), 26), Image.BICUBIC), np.float64)
        left = (resized.shape[1] - 20) // 2
        np.testing.assert_allclose(made.reshape(3, 20, 20), ((resized[3:23, left:left + 20] / 255 - 0.5) / 0.25).transpose(2, 0, 1), atol=1e-5)

    def test_what_no_recipe_says_is_told(self):
        path = model(self.folder / "net.onnx", [1, 3, 20, 24], {"logits": [1, 10]})
        for change, words in (({"size": {"shortest_edge": 800, "longest_edge": 1333}}, 'size is {"longest_edge":1333,"shortest_edge":800}'), ({"resample": 5}, "resample is 5, a kernel that recipes do not have"),
                              ({"size": 224, "image_processor_type": "SomeProcessor"}, "which processors of SomeProcessor take in different ways"), ({"do_pad": True}, "do_pad is set"), ({"rescale_factor": 0.5}, "rescale_factor is 0.5"),
                              ({"image_std": [0, 1, 1]}, "a deviation is 0"), ({"crop_pct": 0.9}, "crop_pct"), ({"image_mean": "half"}, 'image_mean is "half"'), ({"resample": 1e300}, "resample is 1e+300"), ({"size": {"height": -1, "width": 4}}, "size is")):
            with self.subTest(change=change):
                self.folder_with({**VIT, **change})
                proposed = self.proposed(path)
                self.assertIsNone(proposed["recipe"])
                self.assertIn(words, proposed["front_unsaid"])
                self.assertRegex(run("inspect", path, expect=0).out, r"\n  front end +preprocessor_config\.json: " + re.escape(proposed["front_unsaid"]) + r"\n")
        for text, words in (("{", "it is not a JSON object"), ("[1]", "it is not a JSON object"), ("", "it is not a JSON object")):
            self.folder_with(text)
            self.assertIn(words, self.proposed(path)["front_unsaid"])

    def test_a_detector_gets_both_halves(self):
        path = model(self.folder / "net.onnx", [1, 3, 64, 64], {"logits": [1, 100, 92], "pred_boxes": [1, 100, 4]})
        self.assertIsNone(self.proposed(path))  # Neither the sizes nor these names show whether the last class is "no object".
        self.folder_with({**VIT, "size": {"height": 64, "width": 64}})
        for kind, behind in (("detr", "softmax | skip(1, last) | best_class | threshold(0.7) | boxes(xyxy, pixels)"), ("rt_detr", "sigmoid | threshold(0.5) | topk(100) | boxes(xyxy, pixels)")):
            self.folder_with({"model_type": kind}, "config.json")
            recipe = self.proposed(path)["recipe"]
            self.assertTrue(recipe.startswith("resize(64x64, bilinear, like=pillow) | color(rgb) | scale(0..1) | normalize(mean=["), recipe)
            self.assertTrue(recipe.endswith(f" || outputs(boxes=1, scores=0) | decode(none, order=cxcywh) | {behind}"), recipe)
            self.input_made(path, recipe)

    def test_open_sizes_are_those_that_ultralytics_wrote_down(self):
        properties = {"author": "Ultralytics", "task": "detect", "names": "{0: 'cup', 1: 'jug'}", "imgsz": "[64, 96]"}
        path = model(self.folder / "net.onnx", ["batch", 3, "height", "width"], {"output0": ["batch", 6, "anchors"]}, properties)
        proposed = self.proposed(path)
        self.assertEqual(proposed["looks_like"], "YOLOv8's head (4 + 2 classes)")
        self.assertTrue(proposed["recipe"].startswith("letterbox(64x96, bilinear, like=opencv, fill=114) | "))
        path = model(self.folder / "other.onnx", ["batch", 3, "height", "width"], {"output0": ["batch", 6, "anchors"]}, {**properties, "imgsz": "[64"})
        self.assertIsNone(self.proposed(path))

    def test_numbers_of_a_tflite_files_metadata_are_read(self):
        source = tool.MODELS / "signs_float.tflite"
        self.assertIsNone(self.proposed(source))
        path = with_metadata(source, self.folder / "named.tflite", [127.5], [64])
        shape = json.loads(run("inspect", path, "--json", expect=0).out)
        shape = next(one["shape"] for one in shape["tensors"] if one["role"] == "input")
        recipe = self.proposed(path)["recipe"]
        self.assertTrue(recipe.startswith(f"resize({shape[1]}x{shape[2]}) | "), recipe)
        self.assertIn(" | normalize(mean=127.5, std=64) || softmax | topk(5)", recipe)
        made, picture = self.input_made(path, recipe)
        self.assertAlmostEqual(float(made.mean()), (127.5 - 127.5) / 64, delta=0.3)
        self.assertAlmostEqual(float(made.max()), (255 - 127.5) / 64, delta=0.6)
        for mean, std in (([1, 2], [1]), ([1], [0]), ([], []), ([float("nan")], [1])):
            self.assertIsNone(self.proposed(with_metadata(source, self.folder / "odd.tflite", mean, std)))
        broken = bytearray(path.read_bytes())
        at = bytes(broken).rindex(b"M001")
        broken[at - 4:at] = b"\xff\xff\xff\x7f"
        (self.folder / "broken.tflite").write_bytes(broken)
        self.assertIsNone(self.proposed(self.folder / "broken.tflite"))


if __name__ == "__main__":
    tool.main()
