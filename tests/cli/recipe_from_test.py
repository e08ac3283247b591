# SPDX-License-Identifier: Apache-2.0
"""`recipe from` writes transforms of Python libraries as recipes, and refuses transforms that recipes cannot express.

    recipe_from_test.py EDGEPROBE

The libraries are recognised by names, modules and attributes, which stand_in_transforms.py has; if torchvision or albumentations is installed, its own
classes are
read as well. Values are compared with Pillow and NumPy, which compute what torchvision is defined to compute."""
import importlib.util
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper
from PIL import Image

import stand_in_transforms as stand_in
import tool
import traces
from tool import run

HERE = pathlib.Path(__file__).resolve().parent
IMAGENET = "normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])"
NORM = "Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])"
SAID = {
    f"Compose([Resize(36), CenterCrop(24), ToTensor(), {NORM}])": f"resize(short=36, bilinear, like=pillow) | crop(center, 24x24) | color(rgb) | scale(0..1) | {IMAGENET} | layout(nchw)",
    "Compose([Resize((20, 24), interpolation=InterpolationMode.LANCZOS), Grayscale(3), ToTensor()])": "resize(20x24, lanczos3, like=pillow) | gray(3, round=pillow) | scale(0..1) | layout(nchw)",
    f"Compose([ToImage(), Resize((20, 24), antialias=True), ToDtype(float32, scale=True), {NORM}])": f"resize(20x24, bilinear, antialias=on, round=uint8) | color(rgb) | scale(0..1) | {IMAGENET} | layout(nchw)",
    "Compose([ToTensor(), Resize((20, 24), interpolation=InterpolationMode.BICUBIC, antialias=False)])": "color(rgb) | scale(0..1) | resize(20x24, bicubic) | layout(nchw)",
    "Preset()": "resize(short=32, bicubic, like=pillow) | crop(center, 24x24) | color(rgb) | scale(0..1) | normalize(mean=[0.5, 0.4, 0.3], std=[0.2, 0.2, 0.1]) | layout(nchw)",
    "Compose([AResize(20, 24, interpolation=2), ANormalize(), ToTensorV2()])": f"resize(20x24, bicubic, like=opencv) | color(rgb) | scale(0..1) | {IMAGENET} | layout(nchw)",
    "Compose([LongestMaxSize(32), PadIfNeeded(32, 32, position='top_left', fill=114), ToGray(p=1)])": "letterbox(32x32, bilinear, like=opencv, fill=114, place=top_left) | gray(3, round=opencv) | layout(nhwc)",
    "Sequential([Resizing(20, 24), Rescaling(1 / 127.5, offset=-1)])": "resize(20x24, bilinear, like=tensorflow) | color(rgb) | scale(-1..1) | layout(nhwc)",
    "Rescaling([1 / 50, 1 / 60, 1 / 70], offset=[0, -1, 0.5])": "color(rgb) | normalize(mean=[0, 60, -35], std=[50, 60, 70]) | layout(nhwc)",
    "preprocess_input": "color(bgr) | normalize(mean=[103.939, 116.779, 123.68], std=1) | layout(nhwc)",
    "mobilenet": "color(rgb) | scale(-1..1) | layout(nhwc)",
    "[NamedResize(8), ToTensor()]": "resize(short=8, bilinear, like=pillow) | color(rgb) | scale(0..1) | layout(nchw)",
    "lambda: [Resize(8), ToTensor()]": "resize(short=8, bilinear, like=pillow) | color(rgb) | scale(0..1) | layout(nchw)",
}
REFUSED = {
    "Compose([RandomCrop(3)])": "RandomCrop(size=3): it draws at random; name the transform of evaluation", "Lambda(None)": "Lambda(lambd=None): no step of a recipe does this",
    "Resize(8, max_size=9)": "max_size limits the longer side", "Resize(8, interpolation=InterpolationMode.HAMMING)": "recipes have no interpolation 'hamming'",
    f"Compose([Resize(8), {NORM}])": "a picture is normalised, not real numbers", "Normalize(0.5, [0.5, 0])": "a picture is normalised",
    "Compose([ToTensor(), Normalize(0.5, [0.5, 0, 1])])": "a deviation is 0", "Compose([ToTensor(), Normalize([float('nan')], [1])])": "a step cannot contain nan",
    "Compose([ToTensor(), Grayscale()])": "a tensor is made gray by other weights", "Compose([ToTensor(), Resize(8, antialias='warn')])": "antialias is not said",
    "LongestMaxSize(32)": "LongestMaxSize leaves the size open", "Compose([LongestMaxSize(32), ANormalize()])": "LongestMaxSize leaves the size open where Normalize(",
    "PadIfNeeded(32, 32)": "it needs LongestMaxSize of the same size before it", "ToGray()": "it runs with a probability of 0.5",
    "ANormalize(normalization='image')": "recipes have no normalization 'image'", "Resizing(8, 8, crop_to_aspect_ratio=True)": "crop_to_aspect_ratio is set", "7": "7 is of no library that is read",
    "Compose([Resize(8), OwnToTensor()])": "ToTensor(): no step of a recipe does this", "Compose([Resize(8), OwnSilent()])": "ToTensor(): no step of a recipe does this",
    "Compose([ToTensor(), OwnNormalize(0.5, 0.5)])": "Normalize(mean=0.5, std=0.5, inplace=False): no step of a recipe does this", "OwnRescaling(1 / 255)": "no step of a recipe does this",
    "OwnCompose([ToTensor()])": "no step of a recipe does this", "LikeCompose()": "Compose() is of no library that is read",
    "lambda x: x": "is a function with arguments", "Resize((1, 2, 3))": "the size (1, 2, 3) is not one of a picture", "Resize(0)": "0", "lambda: 1 / 0": "fails: ZeroDivisionError",
}


class RecipeFromTest(tool.ToolTest):
    def file(self, **objects):
        path = self.folder / "transforms.py"
        path.write_text(stand_in.source(HERE, **objects))
        return path

    def of(self, path, name, expect=0, **more):
        return run("recipe", "from", f"{path}:{name}", "--python", sys.executable, "--json", expect=expect, **more)

    def test_transforms_are_said_as_recipes(self):
        path = self.file(**{f"t{i}": text for i, text in enumerate(SAID)})
        for i, (text, recipe) in enumerate(SAID.items()):
            with self.subTest(transform=text):
                said = json.loads(self.of(path, f"t{i}").out)
                shown = run("recipe", "show", recipe, expect=0).out.split("\n")[0]
                self.assertEqual(said["recipe"], shown)
                self.assertEqual(any("resizes" in note for note in said["notes"]), not any(word in recipe for word in ("resize(", "letterbox(")))
        text = run("recipe", "from", f"{path}:t0", "--python", sys.executable, expect=0).out
        self.assertIn("Resize(size=36, interpolation=<InterpolationMode.BILINEAR: 'bilinear'>, max_size=None, antialias=True)\n    resize(short=36, bilinear, like=pillow)\n", text)
        self.assertIn("note: nothing there resizes the picture", run("recipe", "from", f"{path}:t9", "--python", sys.executable, expect=0).out)

    def test_what_no_recipe_says_is_refused(self):
        path = self.file(**{f"t{i}": text for i, text in enumerate(REFUSED)})
        for i, (text, words) in enumerate(REFUSED.items()):
            with self.subTest(transform=text):
                self.assertIn(words, self.of(path, f"t{i}", expect=2).err)
        for what, words in ((f"{path}:nothing", "has no 'nothing'"), (f"{path}", "is not FILE.py:NAME"), ("absent.py:t", "there is no file 'absent.py'")):
            self.assertIn(words, run("recipe", "from", what, "--python", sys.executable, expect=2).err)
        broken = self.folder / "broken.py"
        broken.write_text("print('hello')\nraise ValueError('two\\nlines')\n")
        self.assertIn("fails while it is imported: ValueError: two lines", self.of(broken, "t", expect=2).err)
        self.assertIn("cannot be", run("recipe", "from", f"{path}:t0", "--python", "no-such-python", expect=1).err)

    def test_what_a_file_prints_is_not_the_answer(self):
        path = self.folder / "loud.py"
        path.write_text(stand_in.source(HERE, t="Compose([Resize(8), ToTensor()])") + "print('{}')\nsys.stdout.flush()\n")
        self.assertIn("resize(short=8", json.loads(self.of(path, "t").out)["recipe"])

    def test_a_recipe_makes_what_torchvision_is_defined_to_make(self):
        path = self.file(t=f"Compose([Resize(36), CenterCrop(24), ToTensor(), {NORM}])")
        recipe = json.loads(self.of(path, "t").out)["recipe"]
        data = self.folder / "pictures"
        data.mkdir()
        picture = Image.fromarray(np.random.default_rng(3).integers(0, 256, (50, 71, 3), dtype=np.uint8))
        picture.save(data / "p.png")
        value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        graph = helper.make_graph([helper.make_node("Flatten", ["image"], ["flat"])], "net", [value("image", [1, 3, 24, 24])], [value("flat", [1, 1728])])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), self.folder / "net.onnx")
        trace = self.folder / "t.mcap"
        run("run", self.folder / "net.onnx", "--recipe", recipe, "--data", data, "--trace", trace, "--level", "io", expect=0)
        made = traces.only(traces.exported(trace), "model_input").reshape(3, 24, 24)
        resized = np.asarray(picture.resize((int(36 * 71 / 50), 36), Image.BILINEAR), np.float64) / 255
        top, left = round((36 - 24) / 2), round((resized.shape[1] - 24) / 2)
        cropped = (resized[top:top + 24, left:left + 24] - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
        np.testing.assert_allclose(made, cropped.transpose(2, 0, 1), atol=1e-5)

    def test_the_real_libraries_where_they_are_installed(self):
        real = {"torchvision": ("import torchvision.transforms as T", "T.Compose([T.Resize(36), T.CenterCrop(24), T.ToTensor()])", "resize(short=36"),
                "albumentations": ("import albumentations as A", "A.Compose([A.Resize(20, 24), A.Normalize()])", "resize(20x24")}
        installed = [name for name in real if importlib.util.find_spec(name)]
        if not installed:
            self.skipTest("neither torchvision nor albumentations is installed: their classes are stand-ins here")
        for name in installed:
            first, transform, words = real[name]
            path = self.folder / f"{name}_file.py"
            path.write_text(f"{first}\nt = {transform}\n")
            self.assertIn(words, json.loads(self.of(path, "t").out)["recipe"])


if __name__ == "__main__":
    tool.main()
