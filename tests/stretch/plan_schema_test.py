# SPDX-License-Identifier: Apache-2.0
"""Plans against docs/reference/plan.schema.json, which refuses what read_plan() does (plan_test.cc has the same cases): plan_schema_test.py ROOT."""
import copy
import json
import pathlib
import re
import sys
import unittest

from jsonschema import Draft202012Validator

ROOT = pathlib.Path(sys.argv.pop(1))
SCHEMA = json.loads((ROOT / "docs/reference/plan.schema.json").read_text())
PLAN = json.loads((ROOT / "tests/golden/stretch/plan.json").read_text())


def changed(case):
    """The plan with the value at a JSON pointer, or without it."""
    plan = copy.deepcopy(PLAN)
    *way, last = case["at"].split("/")[1:]
    around = plan
    for key in way:
        around = around[int(key) if isinstance(around, list) else key]
    if isinstance(around, list):
        last = len(around) if last == "-" else int(last)
    if "value" not in case:
        del around[last]
    elif isinstance(around, list) and last == len(around):
        around.append(case["value"])
    else:
        around[last] = case["value"]
    return plan


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
                self.assertEqual(not self.validator.is_valid(changed(case)), case["schema"])

    def test_every_object_is_closed(self):
        """But for 'found', which is anybody's."""
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
