# SPDX-License-Identifier: Apache-2.0
"""Validates the sample verdicts against docs/reference/report.schema.json: schema_test.py SAMPLES_PROGRAM SCHEMA."""

import base64
import copy
import io
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from jsonschema import Draft202012Validator
from PIL import Image

TOP = ["schema_version", "verdict", "headline", "headline_values", "task", "answer_agreement", "outputs", "causes", "would_decide", "would_decide_values", "layers", "first_layer", "culprits", "scalars", "answers", "written_fix", "samples", "coverage",
       "provenance", "warnings"]
CAUSE = ["kind", "status", "stage", "detail", "layer", "op_type", "scope", "layers", "explains", "explained_together", "contribution", "restored",
         "restored_unit", "restored_unavailable", "restored_unavailable_values", "evidence", "evidence_values", "alternatives", "fix"]


OPTIONAL = {"app", "expected"}  # Keys of a sample that exist only if its app recorded an answer.


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def numbers(value):
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return [value] if isinstance(value, float) else []
    return [number for item in value for number in numbers(item)]


def closed(schema, path="$"):
    """Every object of the schema states whether unknown keys are allowed."""
    if isinstance(schema, dict):
        if "properties" in schema:
            assert "additionalProperties" in schema, path
            assert set(schema.get("required", [])) == set(schema["properties"]) - OPTIONAL, path
        for key, value in schema.items():
            closed(value, f"{path}.{key}")


def pixels(picture):
    """Reads the picture with Pillow; it must have the size that the JSON states."""
    image = Image.open(io.BytesIO(base64.b64decode(picture["png"], validate=True)))
    assert image.size == (picture["png_width"], picture["png_height"]) and max(image.size) <= 128, image.size
    return np.asarray(image.convert("RGB")).astype(int)


def check_pictures(report):
    """The difference must equal that of the two pictures next to it, if neither was scaled down."""
    checked = 0
    for sample in report["samples"]:
        shown = {role: pixels(picture) for role, picture in (sample["pictures"] or {}).items() if picture}
        if "difference" in shown and sample["pictures"]["target_input"]["width"] <= 128:
            assert (shown["difference"] == abs(shown["target_input"] - shown["reference_input"])).all()
            checked += 1
    return checked


def spoilt(report):
    """Reports that must be rejected, each with its error."""
    def change(what, edit):
        wrong = copy.deepcopy(report)
        edit(wrong)
        return what, wrong

    return [
        change("a missing verdict", lambda r: r.pop("verdict")),
        change("an unknown verdict", lambda r: r.update(verdict="fine")),
        change("an unknown key", lambda r: r.update(extra=1)),
        change("a number as text", lambda r: r["task"].update(target="0.41")),
        change("an interval of one number", lambda r: r["task"]["ci95"].update(target=[0.3])),
        change("an unknown kind", lambda r: r["causes"][0].update(kind="bad_luck")),
        change("a fix without code", lambda r: r["causes"][0]["fix"].pop("code")),
        change("a negative count", lambda r: r["coverage"].update(frames=-1)),
        change("the next major version", lambda r: r.update(schema_version="2.0")),
    ]


def main():
    program, schema_path = sys.argv[1:3]
    schema = json.loads(Path(schema_path).read_text())
    Draft202012Validator.check_schema(schema)
    closed(schema)
    validator = Draft202012Validator(schema)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, folder], check=True)
        paths = sorted(Path(folder).glob("*.json"))
        assert len(paths) >= 8, paths
        compared = 0
        for path in paths:
            data = path.read_bytes()
            assert data.isascii() and not any(byte < 0x20 and byte != 0x0A for byte in data), path.name
            report = json.loads(data, parse_constant=no_constant)
            problems = [f"{list(error.absolute_path)}: {error.message[:200]}" for error in validator.iter_errors(report)]
            assert not problems, (path.name, problems)
            assert list(report) == TOP, path.name
            assert all(list(cause) == CAUSE for cause in report["causes"]), path.name
            assert all(math.isfinite(number) for number in numbers(report)), path.name
            compared += check_pictures(report)
            for what, wrong in spoilt(report) if report["causes"] else []:
                assert not validator.is_valid(wrong), f"{path.name}: {what} passes"
            print(f"{path.name}: {len(data)} bytes, valid")
        assert compared == 5, compared


if __name__ == "__main__":
    main()
