# SPDX-License-Identifier: Apache-2.0
"""list and help: built-in engines, plug-ins of packages that are never imported, and the options of one class.

list_test.py EDGEPROBE"""
import json
import os
import sys

import plugin_test
import numpy as np
import tool
from tool import ToolTest, run

ENGINES = plugin_test.HERE / "engines.py"


class ListTest(ToolTest):
    def package(self, name, group, entry, module="import sys; sys.exit('imported')"):
        """An installed package, as pip leaves it."""
        (self.folder / f"{name}_module.py").write_text(module)
        metadata = self.folder / f"{name}-1.2.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        (metadata / "entry_points.txt").write_text(f"[{group}]\n{entry} = {name}_module:Engine\n")

    def edgeprobe(self, *arguments, expect=0):
        return run(*arguments, expect=expect, env={**os.environ, "PYTHONPATH": str(self.folder)})

    def test_nothing_is_imported(self):
        for i in range(20):
            self.package(f"package{i}", "edgeprobe.engines" if i % 2 else "edgeprobe.datasets", f"entry{i}")
        self.package("other", "console_scripts", "other")
        rows = json.loads(self.edgeprobe("list", "--json").out)["rows"]
        named = {row["name"]: row for row in rows}
        self.assertEqual(len([row for row in rows if row["name"].startswith("entry")]), 20)
        self.assertNotIn("other", named)
        self.assertEqual((named["entry1"]["kind"], named["entry1"]["package"], named["entry1"]["version"]), ("engine", "package1", "1.2"))
        self.assertEqual(named["litert"]["formats"], [".tflite"])
        self.assertEqual(named["ncnn"]["formats"], [".param"])
        self.package("small", "edgeprobe.compilers", "smaller")
        self.assertRegex(self.edgeprobe("list", "compilers").out, r"compiler +smaller +- +package small 1.2")
        text = self.edgeprobe("list", "datasets").out
        self.assertIn("package package0 1.2", text)
        self.assertNotIn("litert", text)

    def test_the_extension_of_a_model_chooses_its_engine(self):
        """Each file that the list shows for a plug-in of edgeprobe itself is opened by it."""
        rows = json.loads(self.edgeprobe("list", "engines", "--json").out)["rows"]
        own = {row["name"]: row["formats"] for row in rows if row.get("own")}
        self.assertEqual(sorted(own), ["executorch", "jax", "keras", "mnn", "ncnn", "sklearn", "torch"])
        data = self.folder / "x.npz"
        np.savez(data, x=np.ones((2, 1, 4), np.float32))
        for name, formats in own.items():
            for extension in formats:
                model = self.folder / f"model{extension}"
                model.write_text("no model")
                done = self.edgeprobe("run", model, "--data", data, "--trace", self.folder / "t.mcap", expect={1, 2})
                with self.subTest(model.name):
                    self.assertRegex(done.err, rf"(?i)plug-in '{name}' needs|{name}\.load|{name}\.version|loading 'model\{extension}' in {name}")

    def test_a_package_that_fails_leaves_the_others_usable(self):
        self.package("broken", "edgeprobe.engines", "broken", "import no_such_module")
        self.package("whole", "edgeprobe.engines", "whole", ENGINES.read_text() + "\nEngine = OfLayers\n")
        model, data = self.folder / "m.txt", self.folder / "x.npz"
        model.write_text("")
        np.savez(data, x=np.ones((2, 1, 4), np.float32))
        arguments = ["run", model, "--data", data, "--trace", self.folder / "t.mcap", "--engine"]
        done = self.edgeprobe(*arguments, "python:broken", expect=2)
        self.assertIn("plug-in 'broken' of package broken cannot be imported", done.err)
        self.assertIn("No module named 'no_such_module'", done.err)
        self.edgeprobe(*arguments, "python:whole")

    def test_two_packages_with_one_name(self):
        for name in ("one", "two"):
            self.package(name, "edgeprobe.engines", "same")
        done = self.edgeprobe("help", "same", expect=2)
        self.assertIn("plug-in 'same' is in several packages: one, two", done.err)

    def test_help_shows_the_options_of_that_class(self):
        described = json.loads(self.edgeprobe("help", f"{ENGINES}:Affine", "--json").out)
        self.assertEqual((described["kind"], described["class"]), ("engine", "Affine"))
        options = {one["name"]: one for one in described["options"]}
        self.assertEqual(list(options), ["factor", "offset", "threads", "precision", "fault"])
        self.assertEqual(options["factor"], {"name": "factor", "type": "float", "required": False, "help": "The factor", "default": 2.0, "least": 0, "most": 100})
        self.assertEqual(options["precision"]["choices"], ["f32", "engine"])
        text = self.edgeprobe("help", f"{ENGINES}:Affine").out
        self.assertRegex(text, r"factor +float >= 0, <= 100 +default 2.0 +The factor")
        self.assertIn("factor * x + offset of a float input", text)
        self.package("good", "edgeprobe.engines", "good", ENGINES.read_text() + "\nEngine = Affine\n")
        self.assertIn("factor", self.edgeprobe("help", "python:good").out)
        self.assertIn("It has no options", self.edgeprobe("help", f"{ENGINES}:OfLayers").out)

    def test_help_of_verbs_and_of_nothing(self):
        self.assertEqual(self.edgeprobe("help", "run").out, self.edgeprobe("run", "--help").out)
        self.assertEqual(self.edgeprobe("help", "trace", "info").out, self.edgeprobe("trace", "info", "--help").out)
        self.assertIn("'chek' is neither a verb nor a plug-in; did you mean 'check'?", self.edgeprobe("help", "chek", expect=2).err)
        self.assertIn("'zzzzzz' is unknown", self.edgeprobe("help", "zzzzzz", expect=2).err)


if __name__ == "__main__":
    assert sys.version_info >= (3, 11)
    tool.main()
