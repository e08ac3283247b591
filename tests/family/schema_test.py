# SPDX-License-Identifier: Apache-2.0
"""docs/reference/family.schema.json and the reader agree: schema_test.py EDGEPROBE."""
import copy
import json
import pathlib
import sys

import yaml
from jsonschema import Draft202012Validator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import tool
from tool import ROOT, run

VALIDATOR = Draft202012Validator(json.loads((ROOT / "docs/reference/family.schema.json").read_text()))
PAGE = (ROOT / "docs/reference/families.md").read_text()


class SchemaTest(tool.ToolTest):
    def is_read(self, document):
        path = self.folder / "net.yml"
        path.write_text(yaml.safe_dump(document))
        return run("stretch", "generate", path, "--most-gmacs", 1e6).returncode == 0

    def test_the_shipped_configurations_and_the_pages_example(self):
        example = yaml.safe_load(PAGE.split("```yaml\n")[1].split("```")[0])
        files = sorted((ROOT / "models/families").glob("*.yml"))
        self.assertGreaterEqual(len(files), 8)
        for document in [example, *(yaml.safe_load(file.read_text()) for file in files)]:
            VALIDATOR.validate(document)
            self.assertTrue(self.is_read(document))

    def test_both_refuse_the_same(self):
        good = yaml.safe_load(PAGE.split("```yaml\n")[1].split("```")[0])

        def changed(path, value):
            out = copy.deepcopy(good)
            at = out
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value
            return out

        for path, value in [(["family"], 2), (["family"], "one"), (["classes"], 0), (["classes"], 1.5), (["size"], 8193), (["processors"], []),
                            (["processors"], ["cpu", "cpu"]), (["processors"], ["a b"]), (["block"], "bottlneck"), (["activation"], "gelu"),
                            (["squeeze"], 1.1), (["adapters"], "yes"), (["stem"], {"widht": 8}), (["stem"], {"type": "pool"}), (["stem"], {"kernel": 0}),
                            (["stages"], []), (["stages"], {}), (["stages", 0], {"width": 0}), (["stages", 0, "stride"], 5),
                            (["stages", 0, "branches"], []), (["stages", 0, "branches", 0], {"width": 8, "stride": 2}),
                            (["stages", 1, "branches", 1, "depth"], 257), (["head"], {"width": -1}), (["more"], 1)]:
            document = changed(path, value)
            self.assertTrue(list(VALIDATOR.iter_errors(document)), path)
            self.assertFalse(self.is_read(document), path)


if __name__ == "__main__":
    tool.main()
