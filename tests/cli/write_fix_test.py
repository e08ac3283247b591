# SPDX-License-Identifier: Apache-2.0
"""--write-fix: the tools themselves apply the files that it writes, and ONNX Runtime counts the answers. write_fix_test.py EDGEPROBE

ONNX Runtime quantises in this Python; the .tflite case needs the environment of `edgeprobe convert`, and is skipped if that
environment does not exist."""
import csv
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

import numpy as np
import onnx
import onnxruntime

import quantized_model
import tool
from processes import interrupt, wait_for
from tool import MODELS, ROOT, verdict_of

sys.path[:0] = [str(ROOT / "bench" / "layer_matrix")]

FLOAT, NCHW = MODELS / "signs_float.onnx", MODELS / "signs_nchw.recipe"
PICTURES = MODELS / "data" / "test"
DATA = ["--data", PICTURES, "--frames", 48, "--labels", MODELS / "data" / "labels.csv"]
ONNX = ["--recipe", NCHW, "--reference-recipe", NCHW, *DATA, "--fix-python", sys.executable]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "edgeprobe"
onnxruntime.set_default_logger_severity(4)


def setUpModule():
    with tool.tempfile.TemporaryDirectory(prefix="edgeprobe_test_") as folder:
        tool.run("run", FLOAT, "--recipe", NCHW, "--data", PICTURES, "--frames", 48, "--trace", folder + "/t.mcap", expect=0)
        tool.run("trace", "export", folder + "/t.mcap", "--npz", folder + "/t.npz", expect=0)
        Fix.inputs = list(np.load(folder + "/t.npz")["model_input/image"])
    every = sorted(path.name for path in PICTURES.iterdir())
    Fix.names = [every[i * len(every) // 48] for i in range(48)]


class Fix(tool.ToolTest):
    def quantised(self, inputs, source=FLOAT, out="bad.onnx", **more):
        return quantized_model.write(source, self.folder / out, inputs, **more)

    def flat(self, contrast=0.05, out="bad.onnx"):
        """Calibrated with pictures of little contrast, and one white and one black pixel so that the input's scale is right."""
        changed = [(image * contrast).astype(np.float32) for image in self.inputs]
        for image in changed:
            image[..., 0, :2] = 1, -1
        return self.quantised(changed, out=out)

    def accuracy(self, path, names=None):
        """Accuracy in ONNX Runtime's own Python, on the same pictures or on some of them."""
        with open(MODELS / "data" / "labels.csv", newline="") as rows:
            labels = {row["file"]: int(row["label"]) for row in csv.DictReader(rows)}
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        right = [int(np.argmax(session.run(None, {"image": image})[0])) == labels[name] for name, image in zip(self.names, self.inputs)
                 if names is None or name in names]
        return sum(right) / len(right)

    def files(self, folder="fix"):
        return sorted(p.name for p in (self.folder / folder).iterdir()) if (self.folder / folder).exists() else None

    def test_a_calibration_is_mended_by_another_one_alone(self):
        bad, fix = self.flat(), self.folder / "fix"
        page = self.folder / "page.html"
        verdict = verdict_of("check", bad, "--reference", FLOAT, *ONNX, "--write-fix", fix, "--html", page, expect=3)
        self.assertEqual(self.files(), ["README", "calibration.txt", "fix.json", "signs_float_int8.onnx"])
        written = verdict["written_fix"]
        self.assertEqual(written["kept_float"], [])
        self.assertEqual(written["after"]["verdict"], "agrees")
        self.assertAlmostEqual(written["before"]["score"], self.accuracy(bad), delta=1e-9)
        self.assertAlmostEqual(written["after"]["score"], self.accuracy(fix / "signs_float_int8.onnx"), delta=1e-9)
        self.assertGreater(written["restored"], 0.8)
        low, high = written["after"]["ci95"]
        self.assertTrue(low < written["after"]["score"] < high + 1e-9)
        listed = [line for line in (fix / "calibration.txt").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(len(listed), written["calibration_samples"])
        self.assertTrue(set(listed) <= set(self.names))
        # Every fourth sample is not used for calibration, and judges the result.
        held = self.names[3::4]
        self.assertFalse(set(listed) & set(held))
        self.assertEqual(written["held_out"]["samples"], len(held))
        self.assertAlmostEqual(written["held_out"]["before"]["score"], self.accuracy(bad, held), delta=1e-9)
        self.assertAlmostEqual(written["held_out"]["after"]["score"], self.accuracy(fix / "signs_float_int8.onnx", held), delta=1e-9)
        self.assertIn("neither calibrated nor chose layers", (fix / "README").read_text())
        # The chosen pictures have the same ranges as all pictures, according to ONNX Runtime.
        self.assertIn("calibration.txt", (fix / "README").read_text())
        self.assertEqual(json.loads((fix / "fix.json").read_text())["after"], written["after"])
        self.assertIn("Written fix", page.read_text())
        # The reported command makes the same file.
        command = next(one["command"] for one in written["files"] if one["kind"] == "model")
        words = shlex.split(command)
        self.assertEqual(words[0], "edgeprobe")
        words[words.index("-o") + 1] = str(self.folder / "again.onnx")
        tool.run(*words[1:], "--python", sys.executable, expect=0)
        self.assertEqual((self.folder / "again.onnx").read_bytes(), (fix / "signs_float_int8.onnx").read_bytes())
        text = tool.run("check", bad, "--reference", FLOAT, *ONNX, "--write-fix", self.folder / "fix2", expect=3).out
        self.assertRegex(re.sub(r"\s+", " ", text), r"with the fix: accuracy [^;]*; \d+.\d % of what was lost is restored")

    def spread(self):
        """The same function, through a tensor with one channel 4000 times as large: 8 bits represent nothing of the others."""
        model = onnx.load(FLOAT)
        graph, tensor = model.graph, "block6/pointwise"
        k = next(i for i, node in enumerate(graph.node) if node.output[0] == tensor)
        channels = next(one for one in graph.initializer if one.name == "block6/pointwise/weights").dims[0]
        factor = np.ones((1, channels, 1, 1), np.float32)
        factor[0, 0] = 4000
        graph.initializer.extend([onnx.numpy_helper.from_array(factor, "factor"), onnx.numpy_helper.from_array(1 / factor, "inverse")])
        for node in graph.node:
            for i, name in enumerate(node.input):
                if name == tensor:
                    node.input[i] = "gathered"
        graph.node.insert(k + 1, onnx.helper.make_node("Mul", ["spread", "inverse"], ["gathered"], "gather"))
        graph.node.insert(k + 1, onnx.helper.make_node("Mul", [tensor, "factor"], ["spread"], "spread"))
        path = self.folder / "spread.onnx"
        onnx.save(model, path)
        return path

    def test_layers_stay_in_float_where_no_calibration_does(self):
        source, fix = self.spread(), self.folder / "fix"
        bad = self.quantised(self.inputs, source)
        self.assertLess(self.accuracy(bad), 0.6)
        verdict = verdict_of("check", bad, "--reference", source, *ONNX, "--write-fix", fix, expect=3)
        written = verdict["written_fix"]
        self.assertEqual(self.files(), ["README", "calibration.txt", "fix.json", "nodes_to_exclude.json", "spread_int8.onnx"])
        kept = json.loads((fix / "nodes_to_exclude.json").read_text())
        self.assertEqual(kept, written["kept_float"])
        self.assertTrue(set(kept) <= {node.name for node in onnx.load(source).graph.node})
        self.assertIn("spread", kept)
        self.assertLessEqual(len(kept), 3)
        self.assertTrue(written["kept_float_smallest"])
        self.assertGreater(written["restored"], 0.8)
        self.assertAlmostEqual(written["after"]["score"], self.accuracy(fix / "spread_int8.onnx"), delta=1e-9)
        # Passes the list to ONNX Runtime's own quantizer: with the list the answers are right; without any one of its entries they are wrong.
        self.assertGreater(self.accuracy(self.quantised(self.inputs, source, "own.onnx", nodes_to_exclude=kept)), 0.9)
        for one in kept:
            fewer = [name for name in kept if name != one]
            self.assertLess(self.accuracy(self.quantised(self.inputs, source, "fewer.onnx", nodes_to_exclude=fewer)), 0.9, one)

    def test_without_the_tool_the_list_is_written_and_said_to_be_unchecked(self):
        fix = self.folder / "fix"
        flags = [*ONNX[:-2], "--fix-python", "/nowhere/python"]
        verdict = verdict_of("check", self.flat(), "--reference", FLOAT, *flags, "--write-fix", fix, expect=3)
        self.assertEqual(self.files(), ["README", "calibration.txt", "fix.json"])
        self.assertIsNone(verdict["written_fix"]["after"])
        self.assertIn("not checked", " ".join(verdict["written_fix"]["not_done"]))

    def test_what_does_not_help_is_not_written(self):
        bad = self.flat()
        same = self.folder / "same"  # A converter that makes the same bad model again.
        same.write_text("#!%s\nimport json, shutil, sys\nshutil.copy(%r, json.load(sys.stdin)['out'])\nprint('{\"tool\": \"same 1\"}')\n"
                        % (sys.executable, str(bad)))
        same.chmod(0o755)
        flags = [*ONNX[:-2], "--fix-python", same]
        done = tool.run("check", bad, "--reference", FLOAT, *flags, "--write-fix", self.folder / "fix", "--json", self.folder / "v.json", expect=3)
        self.assertIsNone(self.files())
        written = json.loads((self.folder / "v.json").read_text())["written_fix"]
        self.assertEqual(written["files"], [])
        self.assertGreater(len(written["tried"]), 1)
        self.assertRegex(re.sub(r"\s+", " ", done.out), "quantising again does not help, so neither the model nor its files are written")

    def test_what_makes_it_worse_is_told_and_not_written(self):
        bad, worse = self.flat(0.3), self.flat(0.05, "worse.onnx")
        self.assertLess(self.accuracy(worse), self.accuracy(bad) - 0.2)
        tool_of_it = self.folder / "worse"
        tool_of_it.write_text("#!%s\nimport json, shutil, sys\nshutil.copy(%r, json.load(sys.stdin)['out'])\nprint('{\"tool\": \"worse 1\"}')\n"
                              % (sys.executable, str(worse)))
        tool_of_it.chmod(0o755)
        done = tool.run("check", bad, "--reference", FLOAT, *ONNX[:-1], tool_of_it, "--write-fix", self.folder / "fix", "--json", self.folder / "v.json", expect=3)
        self.assertIsNone(self.files())
        written = json.loads((self.folder / "v.json").read_text())["written_fix"]
        self.assertEqual((written["files"], written["after"]), ([], None))
        others = [name for i, name in enumerate(self.names) if i % 4 != 3]
        for tried in written["tried"]:
            self.assertAlmostEqual(tried["result"]["score"], self.accuracy(worse, others), delta=1e-9)
        # Each trial is reported when it ends, with its result.
        self.assertEqual(len(re.findall(r"^write-fix: .*accuracy", done.err, re.M)), len(written["tried"]))
        self.assertIn("does not help", " ".join(written["not_done"]))

    def test_a_trace_gets_the_same_fix(self):
        trace, fix = self.folder / "t.mcap", self.folder / "fix"
        tool.run("run", self.flat(), "--recipe", NCHW, *DATA, "--level", "layers", "--trace", trace, expect=0)
        verdict = verdict_of("diagnose", trace, "--reference", FLOAT, "--reference-recipe", NCHW, "--model", self.folder / "bad.onnx",
                             "--fix-python", sys.executable, "--write-fix", fix, expect=3)
        self.assertEqual(self.files(), ["README", "calibration.txt", "fix.json", "signs_float_int8.onnx"])
        self.assertEqual(verdict["written_fix"]["after"]["verdict"], "agrees")

    def test_ctrl_c_keeps_what_is_done(self):
        slow = self.folder / "slow"
        slow.write_text("#!/bin/sh\necho > " + str(self.folder / "begun") + "\nsleep 6000\n")
        slow.chmod(0o755)
        fix = self.folder / "fix"
        work = subprocess.Popen([tool.EXECUTABLE, "check", *map(str, [self.flat(), "--reference", FLOAT, *ONNX[:-1], slow, "--write-fix", fix])],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: (self.folder / "begun").exists() or work.poll() is not None)
        interrupt(work)
        out, _ = work.communicate(timeout=tool.PATIENCE)
        self.assertEqual(work.returncode, 130)
        self.assertIn("quantization", out)
        self.assertEqual(self.files(), ["README", "calibration.txt", "fix.json"])
        self.assertTrue(json.loads((fix / "fix.json").read_text())["stopped"])

    @unittest.skipUnless(list(CACHE.glob("convert-quantizer-*/ready")), "the environment of ai-edge-quantizer has not been made")
    def test_a_tflite_model_gets_a_recipe_of_its_quantiser(self):
        from model_file import WEIGHTED, Model
        bad, fix = self.folder / "bad.tflite", self.folder / "fix"
        model = Model(MODELS / "signs_int8.tflite")
        for op in range(len(model.ops) - 1):
            model.set_scales(model.output(op), model.scales(model.output(op))[0] * 0.25)
        for op, kind in enumerate(model.types):
            if kind in WEIGHTED:
                source, weights, bias = (int(one) for one in list(model.ops[op].inputs)[:3])
                unit, before = model.scales(source)[0][0] * model.scales(weights)[0], model.scales(bias)[0]
                model.set_constant(bias, np.round(model.constant(bias) * (before / unit)).astype(np.int32))
                model.set_scales(bias, unit)
        model.save(bad)
        verdict = verdict_of("check", bad, "--reference", MODELS / "signs_float.tflite", "--recipe", tool.RECIPE + " | quantize(model)",
                             "--reference-recipe", tool.RECIPE, *DATA, "--write-fix", fix, expect=3)
        self.assertEqual(self.files(), ["README", "calibration.txt", "fix.json", "signs_float_int8.tflite"])
        self.assertEqual(verdict["written_fix"]["after"]["verdict"], "agrees")
        self.assertGreater(verdict["written_fix"]["restored"], 0.8)


if __name__ == "__main__":
    tool.main()
