# SPDX-License-Identifier: Apache-2.0
"""Checks every report of an evaluation against docs/reference/report.schema.json."""
import functools
import json
import pathlib

from jsonschema import Draft202012Validator

SCHEMA = pathlib.Path(__file__).resolve().parents[1] / "docs" / "reference" / "report.schema.json"


@functools.cache
def validator():
    return Draft202012Validator(json.loads(SCHEMA.read_text()))


def problems(report):
    """A sentence for each part of the report that the schema does not allow."""
    return ["%s: %s" % ("/".join(map(str, error.absolute_path)) or "report", error.message[:200]) for error in validator().iter_errors(report)]
