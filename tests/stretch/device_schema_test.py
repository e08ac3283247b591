# SPDX-License-Identifier: Apache-2.0
"""Devices compared with docs/reference/device.schema.json, which refuses the same as device_from_text() (device_test.cc has the same
cases): device_schema_test.py ROOT."""
import json
import pathlib
import re
import sys
import unittest

from cases import changed
from jsonschema import Draft202012Validator

ROOT = pathlib.Path(sys.argv.pop(1))
SCHEMA = json.loads((ROOT / "docs/reference/device.schema.json").read_text())
DEVICE = json.loads((ROOT / "tests/golden/stretch/device.json").read_text())


def from_yaml(text):
    """Parses the few forms of YAML in the page's example: lines of keys, and maps of one line in a list."""
    lines = [re.sub(r'": ([a-z][^,}]*)', r'": "\1"', re.sub(r"(\w+): ", r'"\1": ', line)) for line in text.splitlines()]
    version, head, *maps = lines
    assert head == "processors:", head
    return json.loads("{" + version + ', "processors": [' + ", ".join(line.strip().removeprefix("- ") for line in maps) + "]}")


class DeviceSchemaTest(unittest.TestCase):
    validator = Draft202012Validator(SCHEMA)

    def test_the_schema_is_one(self):
        Draft202012Validator.check_schema(SCHEMA)

    def test_devices_are_valid(self):
        self.validator.validate(DEVICE)
        for page, count in (("docs/reference/device.md", 3), ("docs/guides/stretch.md", 3)):
            examples = re.findall(r"```yaml\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
            self.assertEqual(len(examples), 1, page)
            device = from_yaml(examples[0])
            self.assertEqual(len(device["processors"]), count)
            self.validator.validate(device)

    def test_what_it_can_tell_is_refused_and_nothing_else(self):
        cases = json.loads((ROOT / "tests/stretch/refused_devices.json").read_text())
        self.assertGreater(sum(case["schema"] for case in cases), 25)
        for case in cases:
            with self.subTest(at=case["at"], says=case["says"]):
                self.assertEqual(not self.validator.is_valid(changed(DEVICE, case)), case["schema"])

    def test_as_many_processors_as_a_plan_has(self):
        one = DEVICE["processors"][1]
        many = [{**one, "name": str(i)} for i in range(65)]
        self.assertTrue(self.validator.is_valid({**DEVICE, "processors": many[:64]}))
        self.assertFalse(self.validator.is_valid({**DEVICE, "processors": many}))


if __name__ == "__main__":
    unittest.main()
