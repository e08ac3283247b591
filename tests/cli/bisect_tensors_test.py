# SPDX-License-Identifier: Apache-2.0
"""bisect on recorded tensors of models with open dimensions: the tensors sent to the device have the data's sizes, not those of the file.

    bisect_tensors_test.py EDGEPROBE LIBFAULTY

libfaulty.so makes the faults, selected by the tensor that an operator writes. LiteRT's own interpreter confirms the numbers."""
import json
import os
import sys
import unittest
import zipfile

import numpy as np
import tool
from tool import MODELS, SHARED, run

sys.path.insert(0, str(tool.ROOT / "bench" / "layer_matrix"))
from model_file import Model  # noqa: E402

FAULTY = sys.argv.pop(2)
ULTRAFACE = SHARED / "models" / "ultraface" / "version-RFB-320_without_postprocessing.tflite"
BATCH = 2


def interpreter(model, shape):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    kernels = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    opened = Interpreter(str(model), experimental_op_resolver_type=kernels, experimental_preserve_all_tensors=True)
    opened.resize_tensor_input(opened.get_input_details()[0]["index"], shape)
    opened.allocate_tensors()
    return opened


def made(opened, given):
    opened.set_tensor(opened.get_input_details()[0]["index"], given)
    opened.invoke()
    return [opened.get_tensor(one["index"]).copy() for one in opened.get_output_details()]


def by_three_quarters(source, tensor, path):
    """The same network with that convolution's weights and bias multiplied by 0.75. This equals libfaulty's 'divisor' fault if no value is clipped."""
    model = Model(source)
    op = next(op for k, op in enumerate(model.ops) if model.output(k) == tensor)
    for constant in list(op.inputs)[1:]:
        model.set_constant(int(constant), model.constant(int(constant)) * np.float32(0.75))
    model.save(path)
    return path


def nrmse(right, wrong):
    return float(np.sqrt(np.mean((right - wrong) ** 2) / np.var(right)))


class OpenDimensions(tool.ToolTest):
    def open_signs(self):
        """Our own network with an open first dimension, as converters write it."""
        model = Model(MODELS / "signs_float.tflite")
        for tensor in model.tensors:
            if tensor.shape is not None and len(tensor.shape) > 1 and tensor.shape[0] == 1 and tensor.name.decode() in ("image", "probabilities"):
                tensor.shapeSignature = np.array([-1, *tensor.shape[1:]], np.int32)
        model.save(self.folder / "open.tflite")
        return self.folder / "open.tflite"

    def bisected(self, model, tensor, data, *more, expect=3):
        env = dict(os.environ, EDGEPROBE_FAULT="output=%d kind=divisor" % tensor)
        return json.loads(run("bisect", model, "--engine", "tflite:" + FAULTY, "--kernels", "builtin", "--data", data, "--json", *more, expect=expect, env=env).out)

    def check(self, model, name, shape, op):
        data = np.random.default_rng(7).uniform(-1, 1, (2, *shape)).astype(np.float32)
        arrays, recording, evidence = self.folder / "d.npz", self.folder / "d.mcap", self.folder / "e.zip"
        np.savez(arrays, **{name: data})
        tensor = Model(model).output(op)
        found = self.bisected(model, tensor, arrays, "--evidence", evidence, "--force")
        self.assertEqual([(one["layer"], one["certainty"]) for one in found["wrong"]], [(op, "alone")])
        self.assertTrue(found["repaired"])
        self.assertEqual((found["frames"], found["inputs"]), (2, "recorded tensors"))
        # The error of the outputs according to LiteRT's own interpreter, for the network with that operator's constants changed.
        right, wrong = interpreter(model, shape), interpreter(by_three_quarters(model, tensor, self.folder / "changed.tflite"), shape)
        outputs = list(zip(*([(a, b) for a, b in zip(made(right, frame), made(wrong, frame))] for frame in data)))
        self.assertEqual(outputs[0][0][0].shape[0], BATCH)
        theirs = max(nrmse(*(np.stack(side) for side in zip(*pairs))) for pairs in outputs)
        self.assertAlmostEqual(found["output_nrmse"], theirs, delta=1e-3 * theirs)
        # A recording of the same data gives the same result.
        run("run", model, "--engine", "tflite", "--kernels", "builtin", "--data", arrays, "--trace", recording, "--force", expect=0)
        again = self.bisected(model, tensor, recording)
        self.assertEqual((again["wrong"], again["output_nrmse"]), (found["wrong"], found["output_nrmse"]))
        self.replays(evidence, tensor)

    def replays(self, evidence, tensor):
        """The small file contains the data's batch and reproduces the fault; no other engine has the fault."""
        with zipfile.ZipFile(evidence) as archive:
            about = json.loads(archive.read("manifest.json"))
            (self.folder / "cut.tflite").write_bytes(archive.read("model.tflite"))
            given, expected = (np.frombuffer(archive.read(file), np.float32) for file in ("input_0.bin", "expected_0.bin"))
        shape = about["inputs"][0]["shape"]
        self.assertEqual(shape[0], BATCH)
        (answer,) = made(interpreter(self.folder / "cut.tflite", shape), given.reshape(shape))
        self.assertEqual(answer.tobytes(), expected.tobytes())
        env = dict(os.environ, EDGEPROBE_FAULT="output=%d kind=divisor" % tensor)
        there = json.loads(run("evidence", evidence, "--engine", "tflite:" + FAULTY, "--kernels", "builtin", "--json", expect=3, env=env).out)
        self.assertTrue(there["replay"]["there"])
        for engine in (("tflite",), ("litert",), ("tflite", "--kernels", "builtin")):  # XNNPACK's kernels, too.
            self.assertFalse(json.loads(run("evidence", evidence, "--engine", *engine, "--json", expect=0).out)["replay"]["there"], engine)

    def test_a_batch_of_our_own_network(self):
        self.check(self.open_signs(), "image", (BATCH, 64, 64, 3), 9)

    @unittest.skipUnless(ULTRAFACE.exists(), "the shared data is absent: no UltraFace, whose reshapes compute their sizes")
    def test_a_batch_of_a_network_that_computes_its_sizes(self):
        # A depthwise convolution, whose channels must not be cut to shrink the evidence, and a convolution between computed reshapes.
        for op in (47, 89):
            with self.subTest(op=op):
                self.check(ULTRAFACE, "input_1", (BATCH, 240, 320, 3), op)

    @unittest.skipUnless(ULTRAFACE.exists(), "the shared data is absent: no UltraFace, whose reshapes compute their sizes")
    def test_a_reshape_that_is_computed_again_is_named_beside_its_reader(self):
        np.savez(self.folder / "d.npz", input_1=np.random.default_rng(7).uniform(-1, 1, (1, BATCH, 240, 320, 3)).astype(np.float32))
        found = self.bisected(ULTRAFACE, Model(ULTRAFACE).output(67), self.folder / "d.npz")
        self.assertEqual([(one["type"], 67 in one["joined"]) for one in found["wrong"]], [("CONCATENATION", True)])

    def test_an_onnx_network_with_an_open_batch_height_and_width(self):
        import onnx

        model = onnx.load(MODELS / "signs_float.onnx")
        for value, names in ((model.graph.input[0], {0: "batch", 2: "height", 3: "width"}), (model.graph.output[0], {0: "batch"})):
            for axis, name in names.items():
                value.type.tensor_type.shape.dim[axis].dim_param = name
        del model.graph.value_info[:]
        onnx.save(model, self.folder / "open.onnx")
        np.savez(self.folder / "d.npz", image=np.random.default_rng(7).uniform(-1, 1, (3, BATCH, 3, 80, 48)).astype(np.float32))
        run("run", self.folder / "open.onnx", "--data", self.folder / "d.npz", "--trace", self.folder / "d.mcap", expect=0)
        for data in ("d.npz", "d.mcap"):
            found = json.loads(run("bisect", self.folder / "open.onnx", "--engine", "onnxruntime", "--data", self.folder / data, "--json", expect=0).out)
            self.assertEqual((found["outcome"], found["wrong"], found["frames"]), ("equal", [], 3))
        # Four channels do not fit the network: the input is refused by its name.
        np.savez(self.folder / "bad.npz", image=np.zeros((3, BATCH, 4, 80, 48), np.float32))
        self.assertIn("image", run("bisect", self.folder / "open.onnx", "--engine", "onnxruntime", "--data", self.folder / "bad.npz", expect={1, 2}).err)


if __name__ == "__main__":
    tool.main()
