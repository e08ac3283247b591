# SPDX-License-Identifier: Apache-2.0
"""Chains of conversions and the search over them, with compilers of a user's own, which need no tool.

Usage: chains_test.py EDGEPROBE"""
import json
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import tool  # noqa: E402
from tool import MODELS, ToolTest, run  # noqa: E402

COMPILERS = '''
import dataclasses, os, pathlib
import numpy as np, onnx
from onnx import numpy_helper

@dataclasses.dataclass
class Scale:
    """Multiplies the first convolution's weights, or ends as a tool does that goes away."""
    formats, result, version = (".onnx",), ".onnx", "1"
    by: float = 1.0
    away: str = ""

    def compile(self, model, out):
        if self.away and not os.path.exists(self.away):
            os._exit(9)
        net = onnx.load(model)
        weights = next(one for one in net.graph.initializer if len(one.dims) == 4)
        weights.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weights) * np.float32(self.by), weights.name))
        net.doc_string = "x" * int(1000 * self.by)
        onnx.save(net, out)
        return [f"scaled by {self.by}"]

class Text:
    formats, result = (".onnx",), ".txt"
    def compile(self, model, out):
        out.write_text("no model")
'''


class ChainTest(ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "own.py").write_text(COMPILERS)
        self.model, self.out = self.folder / "net.onnx", self.folder / "end.onnx"
        shutil.copy(MODELS / "signs_float.onnx", self.model)
        self.data = ["--recipe", MODELS / "signs_nchw.recipe", "--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv", "--frames", 8,
                     "--python", sys.executable]

    def to(self, *links):
        return [word for link in links for word in ("--to", f"{self.folder}/own.py:{link}")]

    def convert(self, *links, expect, more=()):
        return run("convert", self.model, *self.to(*links), "-o", self.out, *self.data, *more, expect=expect)

    def first_weights(self, file):
        return onnx.numpy_helper.to_array(next(one for one in onnx.load(file).graph.initializer if len(one.dims) == 4))


class Chains(ChainTest):
    def test_a_loss_has_a_link(self):
        done = self.convert("Scale?by=1", "Scale?by=-3", "Scale?by=1.0", expect=3, more=["--json", self.folder / "said.json"])
        said = json.loads((self.folder / "said.json").read_text())
        self.assertEqual([one["verdict"]["verdict"] for one in said["links"]], ["agrees", "differs", "agrees"])
        self.assertEqual((said["lost_at"], said["verdict"]["verdict"]), (2, "differs"))
        self.assertRegex(done.out, r"link 2 \(.*by=-3\) differs from the model before it: ")
        np.testing.assert_array_equal(self.first_weights(self.out), self.first_weights(self.model) * np.float32(-3))
        self.assertEqual(said["sha256"], said["links"][2]["sha256"])
        # Every link is still there, and the middle one is what the last one read.
        np.testing.assert_array_equal(self.first_weights(said["links"][1]["out"]), self.first_weights(self.out))
        # The end is judged against the source, not against the link before it.
        self.assertLess(said["links"][2]["verdict"]["outputs"]["distance"], 1e-6)
        self.assertEqual(said["verdict"]["outputs"]["distance"], said["links"][1]["verdict"]["outputs"]["distance"])

    def test_what_is_finished_is_kept(self):
        flag = self.folder / "flag"
        links = ["Scale?by=1", f"Scale?by=1&away={flag}"]
        done = self.convert(*links, expect=1)
        self.assertIn("link 2 of 2", done.err)
        self.assertIn("the same command goes on from there", done.err)
        self.assertFalse(self.out.exists())
        flag.touch()
        done = self.convert(*links, expect=0)
        self.assertEqual(done.err.count("kept: "), 1)
        self.assertIn("(kept)", done.out)
        done = self.convert(*links, expect=0)
        self.assertEqual(done.err.count("kept: "), 2)
        # A link whose file or source is another one now is made again, and so are those that follow it.
        kept = next((self.folder / "end.onnx.links").glob("*/end.onnx"))
        kept.write_bytes(kept.read_bytes() + b"\0")
        self.assertEqual(self.convert(*links, expect=0).err.count("kept: "), 1)
        self.model.write_bytes(onnx.load(self.model).SerializeToString() + b"\x32\x01x")
        self.assertEqual(self.convert(*links, expect=0).err.count("kept: "), 0)
        # So are all links if the code of a compiler changes.
        (self.folder / "own.py").write_text(COMPILERS + "# other\n")
        self.assertEqual(self.convert(*links, expect=0).err.count("kept: "), 0)

    def test_mistakes_are_known_before_the_work(self):
        model, out = self.model, self.out
        cases = [
            (["--to", "int8", "--to", "int16x8"], 1, "--to int16x8 is for .keras, .h5, .pb"),
            (["--to", "int8", "--to", "openvino"], 2, "the last --to writes a .xml file"),
            (["--to", "int8", "--to", "edgetpu"], 1, "run 'edgetpu_compiler OUT.tflite'"),
            (["--to", "prune?sparsity=0.5"], 1, "--to prune is for .keras, .h5"),
            (["--to", "tvm?opt_level=9"], 2, "opt_level=9: expected a whole number from 0 to 4"),
            (["--to", "tvm?level=1"], 2, "it has no option 'level'; it has target and opt_level"),
            (["--to", "int8?sparsity"], 2, "is not OPTION=VALUE"),
            (["--to", "int8", "--inference-input-type", "int8"], 2, "it has no option 'inference_input_type'"),
            (["--to", "int8", "--links", self.folder / "links"], 2, "--links is for a chain"),
            ([*self.to("Text"), *self.to("Scale")], 2, "takes .onnx files"),
            ([*self.to("Scale", "Scale"), "--keep-float", self.folder / "own.py"], 2, "--keep-float: no link of the chain takes it"),
        ]
        for words, code, text in cases:
            with self.subTest(text):
                done = run("convert", model, *words, "-o", out, *self.data, expect=code)
                self.assertIn(text, done.err)
                self.assertFalse(out.exists())
        keras = self.folder / "m.keras"
        keras.write_bytes(b"no model")
        for words, text in [(["--to", "prune?sparsity=1"], "sparsity=1: expected a number from 0 to 0.99"),
                            (["--to", "prune?scope=all"], "expected one of layer|global"),
                            (["--to", "prune?fine_tune=2"], "--to prune with fine_tune trains the model: give --train-data and --train-labels"),
                            (["--to", "prune?fine_tune=2", "--split", "train"], "--split train would check the result with the samples that train it"),
                            (["--to", "prune?fine_tune=2", "--to", "cluster"], "trains the model: give --train-data")]:
            with self.subTest(text):
                self.assertIn(text, run("convert", keras, *words, "-o", self.folder / "o.keras", *self.data, expect=2).err)


class Search(ChainTest):
    def optimize(self, *stages, expect, more=()):
        words = [word for stage in stages for word in ("--stage", " | ".join(f"{self.folder}/own.py:{link}" for link in stage))]
        done = run("optimize", self.model, *words, "-o", self.folder / "found", "--duration", 0.1, *self.data, *more, expect=expect)
        return done, json.loads((self.folder / "found" / "results.json").read_text())["chains"]

    def test_all_chains_are_measured(self):
        flag = self.folder / "never"
        done, rows = self.optimize(["Scale?by=1", "Scale?by=-3"], [f"Scale?away={flag}"], expect=0)
        names = [[link.split(":", 1)[1] for link in row["chain"]] for row in rows]
        self.assertEqual(names[0], [])
        self.assertEqual(sorted(map(len, names)), [0, 1, 1, 1, 2, 2])
        failed = [row for row in rows if row["failed"]]
        self.assertEqual(len(failed), 3)
        self.assertTrue(all("ended with exit code 9" in row["failed"] for row in failed))
        good = [row for row in rows if not row["failed"]]
        # The front by hand: intervals of latency that overlap count as equal.
        def beats(a, b):
            x, y = a["latency_ms"], b["latency_ms"]
            known = None not in (x["low"], x["high"], y["low"], y["high"])  # too few runs have no interval
            faster, slower = known and x["high"] < y["low"], known and y["high"] < x["low"]
            return (not slower and a["bytes"] <= b["bytes"] and a["accuracy"] >= b["accuracy"]
                    and (faster or a["bytes"] < b["bytes"] or a["accuracy"] > b["accuracy"]))
        for row in good:
            self.assertEqual(row["front"], not any(beats(other, row) for other in good), row)
        self.assertTrue(rows[0]["front"] or any(beats(row, rows[0]) for row in good))
        same = next(row for row, name in zip(rows, names) if name == ["Scale?by=1"])
        self.assertEqual((same["accuracy"], same["outputs_distance"]), (rows[0]["accuracy"], 0))
        self.assertEqual(same["bytes"], pathlib.Path(same["file"]).stat().st_size)
        self.assertIn("failed: ", done.out)
        picture = (self.folder / "found" / "pareto.svg").read_text()
        self.assertEqual(picture.count("<circle"), len(good))
        # A second run measures nothing again.
        again, second = self.optimize(["Scale?by=1", "Scale?by=-3"], [f"Scale?away={flag}"], expect=0)
        self.assertEqual([row.get("latency_ms") for row in second], [row.get("latency_ms") for row in rows])
        self.assertEqual(again.err.count("checking it against the source"), 0)

    def test_mistakes_are_known_before_the_work(self):
        for stage, code, text in [("int8 |", 2, "expected links separated by '|'"), ("int9", 2, "did you mean 'int8'"), ("prune", 1, "--to prune is for .keras, .h5"),
                                  ("edgetpu", 1, "edgetpu_compiler")]:
            with self.subTest(stage):
                done = run("optimize", self.model, "--stage", stage, "-o", self.folder / "found", *self.data, expect=code)
                self.assertIn(text, done.err)
                self.assertFalse((self.folder / "found").exists())


if __name__ == "__main__":
    tool.main()
