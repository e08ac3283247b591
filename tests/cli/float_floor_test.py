# SPDX-License-Identifier: Apache-2.0
"""A float model keeps its noise floor if its integers are not codes. float_floor_test.py EDGEPROBE"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import tool
from tool import run, verdict_of

FRAMES = 16


class FloatFloorTest(tool.ToolTest):
    def model(self, path, gain, mask, raw=False):
        """y = gain * W2 relu(W1 x); `mask`: how the relu is written. `raw`: x is a picture of bytes."""
        random = np.random.default_rng(5)
        first, second = random.normal(0, 0.3, (12, 16)), random.normal(0, 0.3, (16, 6)) * gain
        constants = [numpy_helper.from_array(values.astype(np.float32), name) for values, name in ((first, "w1"), (second, "w2"), (np.zeros(1), "zero"))]
        nodes = [helper.make_node("Cast", ["x"], ["real"], to=TensorProto.FLOAT), helper.make_node("Mul", ["real", "scale"], ["fed"])] if raw else []
        if raw:
            constants.append(numpy_helper.from_array(np.array([1 / 127], np.float32), "scale"))
        nodes.append(helper.make_node("MatMul", ["fed" if raw else "x", "w1"], ["a"]))
        nodes += {"relu": [helper.make_node("Relu", ["a"], ["b"])],
                  "where": [helper.make_node("Greater", ["a", "zero"], ["m"]), helper.make_node("Where", ["m", "a", "zero"], ["b"])],
                  "not": [helper.make_node("LessOrEqual", ["a", "zero"], ["m"]), helper.make_node("Not", ["m"], ["n"]), helper.make_node("Cast", ["n"], ["c"], to=TensorProto.FLOAT), helper.make_node("Mul", ["a", "c"], ["b"])]}[mask]
        nodes.append(helper.make_node("MatMul", ["b", "w2"], ["y"]))
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.UINT8 if raw else TensorProto.FLOAT, [1, 12])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 6])], constants)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
        return path

    def test_weights_that_are_8_percent_off_are_seen_beside_a_mask_and_bytes(self):
        random = np.random.default_rng(1)
        data = {False: self.folder / "real.npz", True: self.folder / "bytes.npz"}
        np.savez(data[False], x=random.normal(0, 1, (FRAMES, 12)).astype(np.float32))
        np.savez(data[True], x=random.integers(0, 256, (FRAMES, 12), dtype=np.uint8))
        for mask, raw in (("relu", False), ("where", False), ("not", False), ("relu", True)):
            right, wrong = self.model(self.folder / "right.onnx", 1, mask, raw), self.model(self.folder / "wrong.onnx", 1.08, mask, raw)
            for level in ("io", "layers"):
                with self.subTest(mask=mask, raw=raw, level=level):
                    verdict = verdict_of("check", wrong, "--reference", right, "--data", data[raw], "--level", level, expect=3)
                    self.assertAlmostEqual(verdict["outputs"]["floor"], 0.02 * (1 + FRAMES**-0.5), places=6)
            traces = [self.folder / "right.mcap", self.folder / "wrong.mcap"]
            for model, trace in zip((right, wrong), traces):
                run("run", model, "--data", data[raw], "--trace", trace, "--level", "layers", "--force", expect=(0, 2))
            with self.subTest(mask=mask, raw=raw, verb="compare"):
                self.assertIn("above the floor of 0.025", run("compare", *traces, expect=3).out)


if __name__ == "__main__":
    tool.main()
