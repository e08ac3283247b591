# SPDX-License-Identifier: Apache-2.0
"""Finds the first node whose result differs, by edgeprobe's own check of layers. Runs in a cell."""
from __future__ import annotations

import json
import os

from .program import call
from .statuses import clean

#: Attributes of a node that are shown, and the longest of them.
MOST_ATTRIBUTES, LONGEST = 12, 60


def first_difference(request: dict) -> dict:
    """{"first_node": …, "cause": …}, each "" if no layers can be compared.

    The node is found against an engine that computes the file like the framework; the framework's own layer against the framework."""
    answer = {"first_node": "", "cause": ""}
    engine, saved = request["engine"], request["saved"]
    parts = []
    if request["reference_engine"] and request["reference_engine"] != engine:
        verdict = checked(request, engine, ["--reference", request["model"], "--reference-engine", request["reference_engine"]])
        if layer := (verdict or {}).get("first_layer"):
            answer["first_node"] = f"{node_text(request['model'], layer)}, against {request['reference_engine']} {distance_text(layer)}"
            parts += causes_of(verdict)
    if saved:
        reference = ["--reference", os.path.join(request["row"], saved["model"]), "--reference-engine", saved["engine"],
                     "--reference-python", request["reference_python"]]
        verdict = checked(request, engine, reference)
        if layer := (verdict or {}).get("first_layer"):
            text = f"{clean(layer['type'], 60)} '{clean(layer['name'], 120)}' {distance_text(layer)}"
            if answer["first_node"]:
                parts.append(f"In the framework it is {text}")
            else:
                answer["first_node"] = f"the framework's {text}"
            parts += [text for text in causes_of(verdict) if text not in parts]
    answer["cause"] = ". ".join(parts)
    return answer


def checked(request: dict, engine: str, reference: list[str]) -> dict | None:
    """The verdict of `edgeprobe check` on layers; None if it cannot be made."""
    words = ["check", request["model"], "--engine", engine, *reference, "--data", request["inputs_file"], "--level", "layers", "--images", "none",
             "--time-limit", str(request["seconds"]), "--json"]
    done = call(request["program"], words)
    if done.returncode not in (0, 3, 4):
        print(done.stderr)
        return None
    try:
        return json.loads(done.stdout)
    except ValueError:
        return None


def distance_text(layer: dict) -> str:
    text = f"({layer['rule'].upper()} {layer['value']:.2g}"
    before = layer.get("compared_before")
    return text + (f"; the {before} tensors before it are within {layer['largest_before']:.1g})" if before else ")")


def causes_of(verdict: dict) -> list[str]:
    """The causes that edgeprobe confirmed."""
    return [clean(cause["detail"]) for cause in verdict.get("causes", []) if cause.get("status") == "confirmed" and cause.get("detail")]


def node_text(model: str, layer: dict) -> str:
    """The node that makes a tensor, with the attributes by which its kind can be computed differently."""
    import onnx

    text = f"{clean(layer['type'], 60)} '{clean(layer['name'], 120)}'"
    for node in onnx.load(model, load_external_data=False).graph.node:
        if layer["name"] in node.output:
            given = [shown for one in node.attribute if (shown := attribute_text(onnx.helper.get_attribute_value(one), one.name))]
            return text + (f" with {', '.join(given[:MOST_ATTRIBUTES])}" if given else "")
    return text


def attribute_text(value, name: str) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, (str, int, float, list)):
        return ""
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{name}={clean(text, LONGEST)}"
