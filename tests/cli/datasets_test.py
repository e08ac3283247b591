# SPDX-License-Identifier: Apache-2.0
"""Published layouts as --data, and calibration without the test's samples. datasets_test.py EDGEPROBE"""
import hashlib
import json
import shutil
import sys

import numpy as np
import onnx
from mcap.reader import make_reader
from onnx import TensorProto, helper, numpy_helper

import tool
import traces
from tool import MODELS, RECIPE, ToolTest, run

MODEL = MODELS / "signs_float.tflite"
NCHW = RECIPE.replace("layout(nhwc)", "layout(nchw)")
PICTURES = sorted((MODELS / "data" / "test").iterdir())


def labels_of(trace):
    with open(trace, "rb") as file:
        records = [json.loads(message.data) for _, channel, message in make_reader(file).iter_messages() if channel.topic == "/frame"]
    return {record["sample"]: record.get("label") for record in records}


class Datasets(ToolTest):
    def recorded(self, data, *flags, model=MODEL, recipe=("--recipe", RECIPE)):
        trace = self.folder / "t.mcap"
        done = run("run", model, *recipe, "--data", data, "--level", "io", "--trace", trace, "--force", *flags, expect=0)
        return labels_of(trace), done.err

    def refused(self, data, *flags):
        return run("run", MODEL, "--recipe", RECIPE, "--data", data, "--trace", self.folder / "x.mcap", *flags, expect=2).err

    def pets(self):
        root = self.folder / "pets"
        (root / "images").mkdir(parents=True)
        (root / "annotations").mkdir()
        names = [f"{breed}_{i}" for breed in ("Bombay", "beagle", "pug") for i in range(5)]
        for name, picture in zip(names, PICTURES):
            shutil.copy(picture, root / "images" / f"{name}.png")
        (root / "annotations/list.txt").write_text("#Image CLASS-ID SPECIES BREED ID\n" + "".join(
            f"{name} {1 + i // 5} {1 + (i >= 5)} 1\n" for i, name in enumerate(names)))
        return root

    def test_pets(self):
        root = self.pets()
        labels, _ = self.recorded(f"pets:{root}")
        self.assertEqual(labels, {f"images/{breed}_{i}.png": k for k, breed in enumerate(("Bombay", "beagle", "pug")) for i in range(5)})
        labels, _ = self.recorded(f"pets:{root}?classify_by=species", "--split-fraction-test", "0.2")
        self.assertEqual(sorted(labels.values()), [0, 1, 1])
        names = self.folder / "names.txt"
        names.write_text("pug\nBombay\nbeagle\n")
        labels, _ = self.recorded(f"pets:{root}", "--classes", names)
        self.assertEqual({labels[f"images/{breed}_1.png"] for breed in ("Bombay",)} | {labels["images/pug_2.png"]}, {1, 0})
        (root / "images/pug_0.png").unlink()
        _, said = self.recorded(f"pets:{root}")
        self.assertIn("1 pictures of annotations/list.txt do not exist, such as 'pug_0'", said)
        self.assertIn("leave --labels out", self.refused(f"pets:{root}", "--labels", "folders"))
        self.assertIn("expected NAME=VALUE of classify_by, annotations", self.refused(f"pets:{root}?by=breeds"))
        self.assertIn("expected breeds species", self.refused(f"pets:{root}?classify_by=colour"))
        self.assertIn("did you mean 'pets:'?", self.refused(f"pet:{root}"))
        self.assertIn("list.txt' does not exist", self.refused(f"pets:{self.folder}"))
        for i in range(1, 5):
            (root / f"images/pug_{i}.png").unlink()
        self.assertIn("class 'pug' has no sample", self.refused(f"pets:{root}"))
        with open(root / "annotations/list.txt", "a") as file:
            file.write("Bombay_9 1 2 1\n")
        self.assertIn("line 17: class 1 is the dog 'Bombay', and the cat 'Bombay' in line 2", self.refused(f"pets:{root}"))

    def test_a_broken_picture_is_named_and_left_out(self):
        root = self.pets()
        (root / "images/pug_3.png").write_bytes(b"\x89PNG broken")
        labels, said = self.recorded(f"pets:{root}")
        self.assertEqual(len(labels), 14)
        self.assertIn("pug_3.png", said)

    def test_imagenet_with_and_without_a_background(self):
        root = self.folder / "imagenet"
        for i, picture in zip((0, 7, 999), PICTURES):
            (root / f"n{10_000_000 + i}").mkdir(parents=True)
            shutil.copy(picture, root / f"n{10_000_000 + i}" / "a.png")
        (root / "synset_words.txt").write_text("".join(f"n{10_000_000 + i} thing {i}\n" for i in range(1000)))
        for outputs, shift in ((1000, 0), (1001, 1)):
            weights = np.random.default_rng(1).standard_normal((192, outputs)).astype(np.float32)
            graph = helper.make_graph(
                [helper.make_node("Flatten", ["input"], ["flat"]), helper.make_node("MatMul", ["flat", "w"], ["scores"])], "g",
                [helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 8, 8, 3])],
                [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, outputs])], [numpy_helper.from_array(weights, "w")])
            model = self.folder / f"net{outputs}.onnx"
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), model)
            recipe = ("--recipe", "resize(8x8) | scale(0..1)")
            labels, said = self.recorded(f"imagenet:{root}", model=model, recipe=recipe)
            self.assertEqual(sorted(labels.values()), [shift, 7 + shift, 999 + shift])
            self.assertEqual("0 is taken as its background" in said, bool(shift))
            verdict = tool.verdict_of("check", model, "--reference", model, *recipe, "--reference-recipe", recipe[1], "--data", f"imagenet:{root}", expect={0, 3, 4})
            self.assertEqual(any("0 is taken as its background" in text for text in verdict["warnings"]), bool(shift))

    def test_random_numbers_are_those_of_hashes(self):
        model = self.folder / "same.onnx"
        graph = helper.make_graph([helper.make_node("Identity", ["input"], ["out"])], "g",
                                  [helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 20])],
                                  [helper.make_tensor_value_info("out", TensorProto.FLOAT, [1, 20])])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), model)
        labels, _ = self.recorded("random:?shape=1x20&dtype=float32&count=5&classes=2&seed=9", model=model, recipe=())
        self.assertEqual(list(labels.values()), [0, 1, 0, 1, 0])
        values = traces.only(traces.exported(self.folder / "t.mcap"), "model_input").reshape(5, 20)
        for i in range(5):
            data = b"".join(hashlib.sha256(f"9:{i}:{block}".encode()).digest() for block in range(3))[:80]
            self.assertTrue(np.array_equal(values[i], (np.frombuffer(data, "<u4") >> 8).astype(np.float32) / np.float32(2**24)))

    def test_calibration_never_sees_the_test(self):
        root = self.pets()
        data = ["--data", f"pets:{root}", "--split-fraction-test", "0.2", "--split-seed", "3"]
        test = set(self.recorded(*data[1:])[0])
        every = set(self.recorded(f"pets:{root}")[0])
        command = ["convert", MODELS / "signs_float.onnx", "--to", "int8", "--recipe", NCHW, "--python", sys.executable, *data]
        done = run(*command, "-o", self.folder / "a.onnx", "--json", expect={0, 3, 4})
        answer = json.loads(done.out)
        self.assertEqual((answer["calibration_part"], answer["checked_part"], answer["calibration_frames"]), ("train", "test", 12))
        self.assertEqual(answer["verdict"]["coverage"]["frames_compared"], 3)
        self.assertIn("12 samples of the training part calibrate; the check uses the test part, which calibration never sees", done.err)
        listed = self.folder / "calibration.txt"
        listed.write_text("\n".join(sorted(every - test)[:4] + [min(test)]) + "\n")
        said = run(*command, "-o", self.folder / "b.onnx", "--calibration", listed, expect=2).err
        self.assertIn(f"line 5: '{min(test)}' is a sample of the test, which may not calibrate", said)
        self.assertFalse((self.folder / "b.onnx").exists())
        listed.write_text("\n".join(sorted(every - test)[:4]) + "\n")
        done = run(*command, "-o", self.folder / "c.onnx", "--calibration", listed, "--json", expect={0, 3, 4})
        self.assertEqual((json.loads(done.out)["calibration_part"], json.loads(done.out)["calibration_frames"]), ("list", 4))
        said = run(*command, "-o", self.folder / "d.onnx", "--split", "train", expect=2).err
        self.assertIn("--split train would check the result with the samples that calibrate it", said)


if __name__ == "__main__":
    tool.main()
