# SPDX-License-Identifier: Apache-2.0
"""Outputs that no operator makes are still outputs of the model; edgeprobe runs them in a place where they come out right. borrowed_output_test.py EDGEPROBE"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "engine"))
import tool
import traces
from small_tflite import Graph
from tool import run, verdict_of

X = np.array([[0.5, -1, 2, 3], [-4, 1, 0, 0.25], [1, 1, -1, 2]], np.float32)


def write(path, outputs):
    """y = max(x, 0), z = y + c."""
    graph = Graph()
    of = {"x": graph.tensor("x", (1, 4)), "y": graph.tensor("y", (1, 4)), "c": graph.tensor("c", values=np.full((1, 4), 0.5, np.float32)), "z": graph.tensor("z", (1, 4))}
    graph.op("RELU", [of["x"]], [of["y"]], options="NONE")
    graph.op("ADD", [of["y"], of["c"]], [of["z"]], options="AddOptions")
    graph.save(path, [of["x"]], [of[one] for one in outputs])
    return path


class BorrowedOutputTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "x.npz"
        np.savez(self.data, x=X)

    def test_an_input_that_is_an_output(self):
        right = {"x": X, "y": np.maximum(X, 0), "z": np.maximum(X, 0) + 0.5}
        for outputs in ("zx", "yxz"):
            with self.subTest(outputs=outputs):
                model, trace = write(self.folder / f"{outputs}.tflite", outputs), self.folder / f"{outputs}.mcap"
                done = run("run", model, "--data", self.data, "--trace", trace, expect=0)
                self.assertIn("the model has an output 'x', which is also an input: LiteRT's compiled models do not return it, so it runs on engine tflite", done.err)
                found = traces.exported(trace)
                for name in outputs:
                    np.testing.assert_allclose(found[f"model_output/{name}"].reshape(X.shape), right[name], atol=1e-6)
                refused = run("run", model, "--engine", "litert", "--data", self.data, "--trace", trace, "--force", expect=1).err
                self.assertIn("its output 'x' is also an input, which LiteRT's compiled models do not return: use engine tflite", refused)
                self.assertEqual(verdict_of("check", model, "--reference", model, "--data", self.data, expect=0)["causes"], [])

    def test_others_are_known_from_the_file_too(self):
        for outputs, why in (("zc", "'c', which is a constant"), ("zz", "'z', which is listed twice")):
            with self.subTest(outputs=outputs):
                done = run("run", write(self.folder / f"{outputs}.tflite", outputs), "--data", self.data, "--trace", self.folder / f"{outputs}.mcap", expect=0)
                self.assertIn(f"the model has an output {why}", done.err)

    def test_usual_outputs_stay_on_the_usual_engine(self):
        done = run("run", write(self.folder / "zy.tflite", "zy"), "--data", self.data, "--trace", self.folder / "zy.mcap", expect=0)
        self.assertNotIn("do not return it", done.err)
        self.assertIn("litert", run("trace", "info", self.folder / "zy.mcap", expect=0).out)


if __name__ == "__main__":
    tool.main()
