# SPDX-License-Identifier: Apache-2.0
"""Plans compared with docs/reference/plan.schema.json, which refuses the same as read_plan() (plan_test.cc has the same cases): plan_schema_test.py ROOT."""
import json
import pathlib
import re
import sys
import unittest

from cases import changed
from jsonschema import Draft202012Validator

ROOT = pathlib.Path(sys.argv.pop(1))
SCHEMA = json.loads((ROOT / "docs/reference/plan.schema.json").read_text())
PLAN = json.loads((ROOT / "tests/golden/stretch/plan.json").read_text())


class PlanSchemaTest(unittest.TestCase):
    validator = Draft202012Validator(SCHEMA)

    def test_the_schema_is_one(self):
        Draft202012Validator.check_schema(SCHEMA)

    def test_plans_are_valid(self):
        self.validator.validate(PLAN)
        examples = re.findall(r"```json\n(.*?)```", (ROOT / "docs/reference/plan.md").read_text(encoding="utf-8"), re.DOTALL)
        self.assertEqual(len(examples), 1)
        self.validator.validate(json.loads(examples[0]))

    def test_what_it_can_tell_is_refused_and_nothing_else(self):
        cases = json.loads((ROOT / "tests/stretch/refused_plans.json").read_text())
        self.assertGreater(sum(case["schema"] for case in cases), 30)
        for case in cases:
            with self.subTest(case["says"]):
                self.assertEqual(not self.validator.is_valid(changed(PLAN, case)), case["schema"])

    def test_every_object_is_closed(self):
        """Except 'found', in which any key is allowed."""
        def walk(node):
            if isinstance(node, dict):
                if "properties" in node:
                    self.assertIs(node["additionalProperties"], False)
                for value in node.values():
                    walk(value)
            elif isinstance(node, list):
                for value in node:
                    walk(value)
        walk(SCHEMA)


if __name__ == "__main__":
    unittest.main()
