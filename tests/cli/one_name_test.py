# SPDX-License-Identifier: Apache-2.0
"""A model with two layers of one name: each is captured, as in the same model with different names."""
import json
import struct


import tool
from tool import MODELS, RECIPE, run

FLOAT, PICTURES = MODELS / "signs_float.tflite", MODELS / "data" / "test"


class OneNameTest(tool.ToolTest):
    def record(self, model, name):
        trace = self.folder / name
        run("run", model, "--recipe", RECIPE, "--data", PICTURES, "--frames", 2, "--level", "layers", "--trace", trace, expect=0)
        return trace

    def test_layers_of_one_name(self):
        tensors = json.loads(run("trace", "info", self.record(FLOAT, "plain.mcap"), "--json", expect=0).out)["tensors"]
        names = [t["name"] for t in tensors if t["stage"] == "layer"]
        content = FLOAT.read_bytes()

        def stored(name):  # As a FlatBuffer stores a text: its length before it, a zero byte after it.
            return struct.pack("<I", len(name)) + name.encode() + b"\0"

        pair = next((a, b) for a in names for b in names if a != b and len(a) <= len(b) and content.count(stored(b)) == 1)
        model = self.folder / "twice.tflite"
        model.write_bytes(content.replace(stored(pair[1]), stored(pair[0]).ljust(len(stored(pair[1])), b"\0")))
        twice = self.record(model, "twice.mcap")
        found = [t["name"] for t in json.loads(run("trace", "info", twice, "--json", expect=0).out)["tensors"] if t["stage"] == "layer"]
        self.assertEqual(found, [pair[0] if name == pair[1] else name for name in names])
        self.assertIn("exact", run("compare", twice, self.record(model, "again.mcap"), expect=0).out)


if __name__ == "__main__":
    tool.main()
