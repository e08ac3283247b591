# SPDX-License-Identifier: Apache-2.0
"""The answer of a tool: the program's JSON, a few lines for the model that reads it, and the next command."""
from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from ..folders import FOLDERS, checkout
from ..notebook.parts import microseconds
from ..verbs.deploying import explanation
from ..verbs.verbs import Result
from .tools import Tool

OUTCOMES = {0: "done, or agrees", 3: "differs", 4: "undecided"}
#: Most entries of a list in an answer. A bench lists every single time, and a large model thousands of layers. Each compared layer has thirty
#: figures.
_MOST, _MOST_LAYERS = 40, 10
Json = dict[str, Any]


def published_schema(name: str) -> Json | None:
    """A schema of docs/reference; an installed package contains a copy."""
    places = [os.path.join(folder, "schemas", name) for folder in FOLDERS]
    places.append(os.path.join(checkout(), "docs", "reference", name))
    for place in places:
        if os.path.isfile(place):
            with open(place, encoding="utf-8") as file:
                found: Json = json.load(file)
                return found
    return None


def output_schema(tool: Tool) -> Json:
    """The schema of a tool's structured content. For a verdict it has only the keys with their types; the whole schema is a resource, because it has
    60 kB."""
    result: Json = {"type": "object"}
    if tool.name in ("check", "diagnose") and (published := published_schema("report.schema.json")) is not None:
        result = {"type": "object", "required": published["required"], "properties": {
            key: _outline(value, published["$defs"]) for key, value in published["properties"].items()}}
    return {"type": "object", "required": ["exit_code", "outcome", "result", "left_out", "notes", "next"], "properties": {
        "exit_code": {"enum": list(OUTCOMES)}, "outcome": {"enum": list(OUTCOMES.values())}, "result": result,
        "left_out": {"type": "object", "description": "Entries left out of long lists, by the list's place", "additionalProperties": {"type": "integer"}},
        "notes": {"type": "array", "items": {"type": "string"}, "description": "The program's notes in addition to the result"},
        "next": {"type": "object", "required": ["command", "why"], "properties": {
            "command": {"type": "string", "description": "The next best command line; words in capitals are the user's to fill in"},
            "why": {"type": "string"}}}}}


def _outline(schema: Json, definitions: Json) -> Json:
    """The type and the description of a key, without nested keys."""
    kinds: list[Any] = []
    for one in schema.get("anyOf", [schema]):
        one = definitions[one["$ref"].rpartition("/")[2]] if "$ref" in one else one
        if "enum" in one:
            return {key: schema[key] for key in ("enum", "description") if key in schema}
        kinds += one["type"] if isinstance(one["type"], list) else [one["type"]]
    found: Json = {"type": kinds[0] if len(kinds) == 1 else kinds}
    if "description" in schema:
        found["description"] = schema["description"]
    return found


def structured(tool: Tool, arguments: Mapping[str, Any], result: Result, code: int, notes: Sequence[str]) -> Json:
    left_out: dict[str, int] = {}
    short = _shortened(result, "", left_out)
    command, why = next_step(tool, arguments, result, code)
    return {"exit_code": code, "outcome": OUTCOMES[code], "result": short, "left_out": left_out, "notes": list(notes),
            "next": {"command": command, "why": why}}


def _shortened(value: Any, place: str, left_out: dict[str, int]) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(one, f"{place}.{key}" if place else key, left_out) for key, one in value.items()}
    if isinstance(value, list):
        kept = _kept(value)
        if len(kept) < len(value):
            left_out[place] = left_out.get(place, 0) + len(value) - len(kept)
        return [_shortened(one, place, left_out) for one in kept]
    return value


def _kept(entries: list[Any]) -> list[Any]:
    """The first entries; of compared layers the worst, in their original order."""
    if len(entries) > _MOST_LAYERS and all(isinstance(one, dict) and "rmse_over_range" in one for one in entries):
        worst = sorted(range(len(entries)), key=lambda i: -(entries[i]["rmse_over_range"] or 0))[:_MOST_LAYERS]
        return [entries[i] for i in sorted(worst)]
    return entries[:_MOST]


def text(tool: Tool, answer: Json, result: Result) -> str:
    said = {"check": _verdict, "diagnose": _verdict, "compare": lambda r: r["headline"], "run": _run, "bench": _bench, "inspect": _inspect}[tool.name](result)
    lines = [said, *(f"note: {one}" for one in answer["notes"]), f"next: {answer['next']['command']}", f"  {answer['next']['why']}"]
    return "\n".join(lines)


def _verdict(result: Result) -> str:
    first, _, rest = explanation(result).partition("\n")
    return f"{result['verdict']}: {first}" + (f"\n{rest}" if rest else "")


def _run(result: Result) -> str:
    return "\n".join([f"{result['frames']} frames recorded into {result['trace']}", *(f"warning: {one}" for one in result["warnings"])])


def _bench(result: Result) -> str:
    lines = [f"{result['model']['name']} on {result['engine']['kind']} {result['engine']['version']}, {result['machine']['processor']}"]
    for one in result["configurations"]:
        low, high = one["inferencetime_p50_interval"]
        lines.append(f"{one['name']}: median {microseconds(one['inferencetime_p50'])} (95 %: {microseconds(low)} to {microseconds(high)}), "
                     f"p90 {microseconds(one['inferencetime_p90'])}, {one['inferencetime_count']} runs")
        lines += [f"warning: {warning}" for warning in one["warnings"]]
    return "\n".join(lines)


def _inspect(result: Result) -> str:
    work = "an unknown number of" if result["macs"] is None else result["macs"]
    lines = [f"{result['format']}, {len(result['layers'])} layers, {result['parameters']} parameters, {work} multiply-accumulates"]
    for role in ("inputs", "outputs"):
        for number in result[role]:
            tensor = next(one for one in result["tensors"] if one["index"] == number)
            lines.append(f"{role[:-1]} {tensor['name']!r}: {tensor['dtype']} {tensor['shape']}")
    if result["proposed_recipe"]:
        lines.append(f"proposed recipe: {result['proposed_recipe']}")
    return "\n".join([*lines, *(f"warning: {one}" for one in result["warnings"]), *(f"lint: {json.dumps(one)}" for one in result.get("lint", [])[:5])])


def next_step(tool: Tool, arguments: Mapping[str, Any], result: Result, code: int) -> tuple[str, str]:
    """The best next command, with the reason."""
    if tool.name in ("check", "diagnose"):
        return _after_verdict(tool, arguments, result, code)
    if tool.name == "inspect":
        return (_line("check", arguments["model"], reference="REFERENCE", reference_recipe="RECIPE", recipe="RECIPE", data="PICTURES"),
                "whether the model does what was trained; the reference is the float model with the pre-processing of its training")
    if tool.name == "run":
        return (_line("diagnose", arguments["trace"], reference="REFERENCE", reference_recipe="RECIPE"), "why this recording differs from the reference, if it does")
    if tool.name == "compare":
        trace = arguments.get("target", arguments["reference"])
        if code == 0:
            return _line("contract learn", trace, out="contract.json"), "keeps what was recorded as bounds that CI checks"
        return (_line("diagnose", trace, reference="REFERENCE", reference_recipe="RECIPE"), "the comparison says where they differ; this says why")
    return _line("bench diff", arguments["model"], "OTHER_MODEL"), "whether another model is slower, with both measured in turns"


def _after_verdict(tool: Tool, arguments: Mapping[str, Any], result: Result, code: int) -> tuple[str, str]:
    again = {key: value for key, value in arguments.items() if key not in ("model", "trace", "html") or (tool.name == "diagnose" and key == "model")}
    subject = arguments["model" if tool.name == "check" else "trace"]
    if code == 0:
        if tool.name == "diagnose":
            return _line("contract learn", subject, out="contract.json"), "keeps what was recorded as bounds that CI checks"
        return _line("bench", subject), "the answers agree; this measures how fast they come"
    if code == 4:
        return _line(tool.name, subject, **again), "with what would decide it: " + "; ".join(result["would_decide"][:2])
    if any(cause["status"] == "confirmed" for cause in result["causes"]):
        return _line(tool.name, subject, **again, write_fix="fix"), "the cause is confirmed; this writes the fix into a folder and measures what it restores"
    if tool.name == "check" and arguments.get("level") != "layers":
        return _line("check", subject, **{**again, "level": "layers"}, html="page.html"), "no cause is confirmed; this also looks inside the model and writes a page with the pictures"
    return _line(tool.name, subject, **again, html="page.html"), "no cause is confirmed; the page shows the pictures and the worst layers"


def _line(verb: str, *positional: str, **options: Any) -> str:
    words = ["edgeprobe", *verb.split(), *positional]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        words += [flag] if value is True else [] if value is False else [flag, str(value)]
    return shlex.join(words)
