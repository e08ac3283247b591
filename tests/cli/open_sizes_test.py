# SPDX-License-Identifier: Apache-2.0
"""Sizes that a model leaves open come from the trace, the data, the recipe or the pipeline. open_sizes_test.py EDGEPROBE"""
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

import tool
from tool import run, verdict_of

FRAMES = 4


def saved(path, nodes, inputs, outputs, constants):
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in side] for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, "g", *ends, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def convolution(path, sides=("height", "width"), classes=False):
    weights = numpy_helper.from_array(np.random.default_rng(1).normal(0, 0.3, (6, 3, 3, 3)).astype(np.float32), "w")
    nodes = [helper.make_node("Conv", ["image", "w"], ["c"], pads=[1, 1, 1, 1]), helper.make_node("Relu", ["c"], ["r"] if classes else ["y"])]
    if classes:
        nodes += [helper.make_node("GlobalAveragePool", ["r"], ["m"]), helper.make_node("Flatten", ["m"], ["y"])]
    return saved(path, nodes, [("image", [None, 3, *sides])], [("y", [None, 6] if classes else [None, 6, *sides])], [weights])


class OpenSizesTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(3)
        self.pictures = self.folder / "pictures"
        self.pictures.mkdir()
        for i in range(FRAMES):
            Image.fromarray(np.kron(random.integers(0, 256, (9, 16, 3), dtype=np.uint8), np.ones((4, 4, 1), np.uint8))).save(self.pictures / f"{i}.png")

    def test_a_recipe_makes_the_size(self):
        for sides in (("height", "width"), ("?", "?"), (None, None)):
            for classes in (False, True):
                model = convolution(self.folder / "model.onnx", sides, classes)
                with self.subTest(sides=sides, classes=classes):
                    recipe = "resize(32x24) | color(rgb) | scale(-1..1) | layout(nchw)"
                    verdict = verdict_of("check", model, "--recipe", recipe, "--reference", model, "--reference-recipe", recipe, "--data", self.pictures, expect=0)
                    self.assertEqual(verdict["warnings"], [])
                    trace = self.folder / "app.mcap"
                    run("run", model, "--recipe", recipe, "--data", self.pictures, "--trace", trace, "--level", "layers", "--force", expect=(0, 2))
                    verdict = verdict_of("diagnose", trace, "--model", model, "--reference", model, "--reference-recipe", recipe, "--data", self.pictures, expect=0)
                    self.assertNotIn("not what recorded", str(verdict))
                    wrong = verdict_of("diagnose", trace, "--model", model, "--reference", model, "--reference-recipe", recipe.replace("rgb", "bgr"), "--data", self.pictures, expect=3)
                    self.assertEqual((wrong["causes"][0]["kind"], wrong["causes"][0]["status"]), ("channel_order", "confirmed"), wrong["headline"])

    def test_one_model_at_two_sizes_is_no_other_model(self):
        recipe = "letterbox({}, fill=114) | color(rgb) | scale(-1..1) | layout(nchw)"
        for classes in (False, True):
            model = convolution(self.folder / "model.onnx", classes=classes)
            for more in ((), ("--input-shape", "1x3x32x32", "--reference-input-shape", "1x3x24x32")):
                with self.subTest(classes=classes, more=more):
                    verdict = verdict_of("check", model, "--recipe", recipe.format("32x32"), "--reference", model, "--reference-recipe", recipe.format("24x32"), "--data", self.pictures, *more, expect=(3, 4))
                    text = str(verdict)
                    self.assertNotIn("another model", text)
                    self.assertNotIn("different models", text)
                    self.assertIn("1x3x24x32", text)

    def test_an_input_of_another_size_is_stated(self):
        # Like a voice detector that is fed without the last samples of the previous chunk.
        top = numpy_helper.from_array(np.random.default_rng(6).normal(0, 1, (1, 4)).astype(np.float32), "top")
        nodes = [helper.make_node("Tanh", ["x"], ["t"]), helper.make_node("ReduceMean", ["t"], ["m"], axes=[1], keepdims=1), helper.make_node("MatMul", ["m", "top"], ["y"])]
        model = saved(self.folder / "voice.onnx", nodes, [("x", ["batch", "samples"])], [("y", ["batch", 4])], [top])
        values = np.random.default_rng(7).normal(0, 1, (FRAMES, 1, 40)).astype(np.float32)
        np.savez(self.folder / "right.npz", x=values)
        np.savez(self.folder / "short.npz", x=values[:, :, 8:])
        trace = self.folder / "app.mcap"
        run("run", model, "--data", self.folder / "short.npz", "--trace", trace, expect=(0, 2))
        verdict = verdict_of("diagnose", trace, "--model", model, "--reference", model, "--data", self.folder / "right.npz", expect=3)
        text = str(verdict)
        self.assertNotIn("not what recorded", text)
        self.assertNotIn("another model", text)
        self.assertIn("the model input 'x' is 1x32 and the reference's 1x40", text)

    def test_a_batch_is_told_as_one(self):
        model = convolution(self.folder / "model.onnx", (8, 8), classes=True)
        values = np.random.default_rng(8).normal(0, 1, (FRAMES, 3, 8, 8)).astype(np.float32)
        np.savez(self.folder / "one.npz", image=values[:, None])
        np.savez(self.folder / "four.npz", image=values[None])
        trace = self.folder / "app.mcap"
        run("run", model, "--data", self.folder / "four.npz", "--trace", trace, expect=(0, 2))
        reference = self.folder / "reference.mcap"
        run("run", model, "--data", self.folder / "one.npz", "--trace", reference, expect=(0, 2))
        verdict = verdict_of("diagnose", trace, "--reference", model, "--reference-trace", reference, expect=(3, 4))
        self.assertNotIn("another model", str(verdict))

    def test_equal_names_bind_nothing_that_the_engine_leaves_free(self):
        # x[N] + zeros[N, N'] of two inputs with one name: ONNX Runtime feeds [2] and [4, 1] to N without an error.
        path = saved(self.folder / "names.onnx", [helper.make_node("Add", ["a", "b"], ["y"])], [("a", ["N"]), ("b", ["N", 1])], [("y", None)], [])
        fed = {"a": np.arange(2, dtype=np.float32), "b": np.arange(4, dtype=np.float32).reshape(4, 1)}
        self.assertEqual(onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, fed)[0].shape, (4, 2))
        data = self.folder / "names.npz"
        np.savez(data, **{name: np.stack([values] * 3) for name, values in fed.items()})
        verdict_of("check", path, "--reference", path, "--data", data, expect=0)

    def test_input_shape_names_one_of_several_inputs(self):
        path = saved(self.folder / "two.onnx", [helper.make_node("MatMul", ["a", "b"], ["y"])], [("a", ["rows", "inner"]), ("b", ["inner", "columns"])], [("y", ["rows", "columns"])], [])
        engines = ("--engines", "onnxruntime:off,onnxruntime:all")
        done = run("matrix", path, *engines, "--input-shape", "a=3x5", "--input-shape", "b=5x2", expect=0)
        self.assertIn("agree", done.out)
        self.assertNotIn("is taken as 1", done.err)
        self.assertIn("the model leaves sizes of input 'a' open (?x?), and each is taken as 1; --input-shape a=SHAPE", run("matrix", path, *engines, expect=0).err)
        self.assertIn("name one: --input-shape NAME=3x5; they are 'a', 'b'", run("matrix", path, "--input-shape", "3x5", expect={1, 2}).err)
        self.assertIn("the model has no such input; its inputs are 'a', 'b'", run("matrix", path, "--input-shape", "c=3x5", expect={1, 2}).err)
        self.assertIn("was given a shape already", run("matrix", path, "--input-shape", "a=3x5", "--input-shape", "a=3x4", expect={1, 2}).err)

    def test_texts_of_their_own_length(self):
        random = np.random.default_rng(4)
        table, top = (numpy_helper.from_array(random.normal(0, 1, shape).astype(np.float32), name) for name, shape in (("table", (20, 8)), ("top", (8, 3))))
        nodes = [helper.make_node("Gather", ["table", "ids"], ["rows"]), helper.make_node("Tanh", ["rows"], ["t"]), helper.make_node("ReduceMean", ["t"], ["pooled"], axes=[1], keepdims=0), helper.make_node("MatMul", ["pooled", "top"], ["y"])]
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "length"])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 3])], [table, top])
        model = self.folder / "text.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), model)
        code = self.folder / "words.py"
        code.write_text("def ids(text):\n    return [len(word) for word in text.split()]\n")
        data = self.folder / "texts.csv"
        data.write_text("text\n" + "\n".join(["a bb ccc", "dddd ee f gg hhhh", "iii j", "kk lll m nnnnn ooo p"]) + "\n")
        python = ("--python", sys.executable)
        trace = self.folder / "app.mcap"
        run("run", model, "--recipe", "tokenize", "--tokenizer", f"{code}:ids", "--data", data, "--trace", trace, "--level", "layers", *python, expect=(0, 2))
        for more in ((), ("--model", model)):
            verdict = verdict_of("diagnose", trace, *more, "--reference", model, "--reference-recipe", "tokenize", "--reference-tokenizer", f"{code}:ids", *python, expect=0)
            self.assertNotIn("not what recorded", str(verdict))
            self.assertEqual(verdict["causes"], [])
        # Both recipes pad to 8, which the model leaves open.
        run("run", model, "--recipe", "tokenize | pad(8)", "--tokenizer", f"{code}:ids", "--data", data, "--trace", trace, "--force", *python, expect=(0, 2))
        verdict = verdict_of("diagnose", trace, "--model", model, "--reference", model, "--reference-recipe", "tokenize | pad(8)", "--reference-tokenizer", f"{code}:ids", *python, expect=0)
        self.assertNotIn("not what recorded", str(verdict))
        # A length other than the reference's is reported as such.
        verdict = verdict_of("diagnose", trace, "--model", model, "--reference", model, "--reference-recipe", "tokenize", "--reference-tokenizer", f"{code}:ids", *python, expect=(3, 4))
        self.assertNotIn("not what recorded", str(verdict))
        self.assertNotIn("another model", str(verdict))


if __name__ == "__main__":
    tool.main()
