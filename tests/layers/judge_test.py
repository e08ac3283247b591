# SPDX-License-Identifier: Apache-2.0
"""If the host's kernel is the wrong one, no layer of the target is blamed. judge_test.py EDGEPROBE

LiteRT 2.3's built-in kernel that rescales codes rounds some codes up that are below the half; XNNPACK's does not. The model's inputs contain such codes."""
import pathlib
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / one) for one in ("cli", "engine")]
import tool
from small_tflite import Graph
from tool import verdict_of


def built_in(path, codes):
    interpreter = Interpreter(str(path), experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], codes)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


class JudgeTest(tool.ToolTest):
    def test_a_right_kernel_beside_a_biased_host(self):
        for (scale, zero), (to_scale, to_zero) in (((0.06255, 5), (0.13202, -65)), ((0.06, 5), (0.127, -60))):
            with self.subTest(scale=to_scale):
                graph = Graph()
                x, y, z = (graph.tensor(name, (1, 256), kind=np.int8, scale=one) for name, one in (("x", scale), ("y", to_scale), ("z", to_scale)))
                for tensor, point in ((x, zero), (y, to_zero), (z, to_zero)):
                    graph.graph.tensors[tensor].quantization.zeroPoint = np.array([point], np.int64)
                shape = graph.tensor("shape", values=np.array([1, 256], np.int32))
                graph.op("QUANTIZE", [x], [y], options="QuantizeOptions")
                graph.op("RESHAPE", [y, shape], [z], options="ReshapeOptions", newShape=[1, 256])
                graph.save(self.folder / "m.tflite", [x], [z])
                every = np.arange(-128, 128).astype(np.int8)[None]
                real = (every.astype(float) - zero) * np.float32(scale) / np.float32(to_scale) + to_zero
                off = built_in(self.folder / "m.tflite", every) - np.clip(np.round(real), -128, 127)
                worst = every[(off > 0) & (np.abs(real) < 120) & (np.abs(real - to_zero) > 1)]
                self.assertGreater(len(worst), 10)
                codes = np.random.default_rng(1).choice(worst, (4, 1, 256))
                np.savez(self.folder / "x.npz", x=codes)
                verdict = verdict_of("check", self.folder / "m.tflite", "--engine", "litert", "--reference", self.folder / "m.tflite", "--reference-engine", "litert",
                                     "--reference-kernels", "builtin", "--data", self.folder / "x.npz", expect=0)
                self.assertEqual((verdict["verdict"], verdict["causes"]), ("agrees", []))

    def test_rounding_that_adds_up_is_still_told_where_both_sides_layers_are_right(self):
        """A step of the first layer equals 40 steps of the second one."""
        graph = Graph()
        x, y, z = (graph.tensor(name, (1, 256), kind=np.int8, scale=one) for name, one in (("x", 0.06255), ("y", 0.13202), ("z", 0.0033)))
        for tensor, point in ((x, 5), (y, -65), (z, 0)):
            graph.graph.tensors[tensor].quantization.zeroPoint = np.array([point], np.int64)
        graph.op("QUANTIZE", [x], [y], options="QuantizeOptions")
        graph.op("QUANTIZE", [y], [z], options="QuantizeOptions")
        graph.save(self.folder / "m.tflite", [x], [z])
        np.savez(self.folder / "x.npz", x=np.random.default_rng(1).integers(0, 11, (6, 1, 256)).astype(np.int8))
        verdict = verdict_of("check", self.folder / "m.tflite", "--engine", "litert", "--reference", self.folder / "m.tflite", "--reference-engine", "litert",
                             "--reference-kernels", "builtin", "--data", self.folder / "x.npz", expect=4)
        self.assertEqual((verdict["headline_values"]["kind"], verdict["causes"]), ("rounding_adds_up", []))


if __name__ == "__main__":
    tool.main()
