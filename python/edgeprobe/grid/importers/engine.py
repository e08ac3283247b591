# SPDX-License-Identifier: Apache-2.0
"""An engine of edgeprobe, by `edgeprobe run`."""
from __future__ import annotations

import json
import re

from ..program import call
from ..statuses import ERROR, UNSUPPORTED, UNVERIFIED, Refusal, clean, is_unsupported


def run(request: dict, samples: list) -> tuple[list, float]:
    return computed(request, request["model"], request["importer"], len(samples)), 0.0


def computed(request: dict, model: str, engine: str, count: int) -> list:
    """The outputs of each sample, in the file's order."""
    import numpy

    recorded(request, model, engine, "t.mcap", "io")
    must(request, ["trace", "export", "t.mcap", "--npz", "t.npz"])
    with numpy.load("t.npz") as arrays:
        # In the file's order. Names may have lost a converter's suffix, such as ":0".
        found = [name for name in arrays if name.startswith("model_output/")]
        if len(found) != len(request["outputs"]):
            raise Refusal(ERROR, f"{engine} gives {len(found)} outputs, the file has {len(request['outputs'])}")
        return [[arrays[name][sample] for name in found] for sample in range(count)]


def recorded(request: dict, model: str, engine: str, trace: str, level: str) -> None:
    must(request, ["run", model, "--engine", engine, "--data", request["inputs_file"], "--level", level, "--trace", trace,
                   "--time-limit", str(request["seconds"])])


def must(request: dict, words: list[str]) -> None:
    done = call(request["program"], words)
    if done.returncode:
        raise refusal_of(done.stderr)


def refusal_of(said: str) -> Refusal:
    """edgeprobe's own sentence, and whether the engine says that it lacks something or is not there."""
    lines = [line for line in said.splitlines() if line.strip()]
    text = next((line.removeprefix("edgeprobe: ") for line in reversed(lines) if line.startswith("edgeprobe: ")), lines[-1] if lines else "no reason given")
    # OpenVINO explains here how to extend it.
    text = clean(text.partition(" To facilitate")[0])
    if re.search(r"edgeprobe fetch|is not installed|no library|was not found", text):
        return Refusal(UNVERIFIED, text)
    return Refusal(UNSUPPORTED if is_unsupported(text) else ERROR, text)


def versions(program: str) -> dict[str, str]:
    """Engine -> its version, of those that work."""
    done = call(program, ["doctor", "--json"])
    try:
        return {one["kind"]: one["version"] for one in json.loads(done.stdout)["engines"] if one.get("works")}
    except (ValueError, KeyError, TypeError):
        return {}
