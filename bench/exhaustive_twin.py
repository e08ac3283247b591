#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for the program in a matrix: runs each `check` and `diagnose --json` with and without `--exhaustive`, and compares the two verdicts.

  EDGEPROBE_TWIN_OF=build/edgeprobe EDGEPROBE_TWIN_LOG=twins.jsonl EDGEPROBE_TWIN_FRAMES=48 bench/layer_matrix/matrix.py bench/exhaustive_twin.py --quick
  bench/exhaustive_twin.py --tally twins.jsonl

The matrix grades the verdict without the flag (EDGEPROBE_TWIN_PRINT=exhaustive: with it). EDGEPROBE_TWIN_FRAMES
replaces the matrix's own number, so that more frames are there than the layers of 16. Compared are the outcome, the causes' names (kind, status, layer,
operator) and all figures that both state: outputs, task, causes, and layers over the same number of frames.
"""
import json
import math
import os
import subprocess
import sys

NAMES = ("kind", "status", "stage", "layer", "op_type", "scope", "layers")
FIGURES = ("explains", "explained_together", "contribution", "restored")


def figures(value, path=""):
    """(path, number) of all numbers in a JSON value."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return
    if isinstance(value, (int, float)):
        yield path, value
    else:
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from figures(one, f"{path}/{key}")


def stated(report):
    """The figures of a report, by their place."""
    shown = {"outputs": report["outputs"], "task": report["task"], "causes": [{key: cause[key] for key in FIGURES} for cause in report["causes"]]}
    return dict(figures(shown))


def of_layers(report):
    return {(layer["index"], layer["name"]): layer for layer in report["layers"]}


def difference(a, b):
    return 0.0 if a == b else abs(a - b) / max(abs(a), abs(b))


def compared(plain, whole):
    names = [[[cause[key] for key in NAMES] for cause in report["causes"]] for report in (plain, whole)]
    one, other = stated(plain), stated(whole)
    apart = {path: [one[path], other[path]] for path in one.keys() & other.keys() if names[0] == names[1] and difference(one[path], other[path]) > 1e-12}
    rows, theirs = of_layers(plain), of_layers(whole)
    common = [key for key in rows.keys() & theirs.keys() if rows[key]["frames"] == theirs[key]["frames"]]
    values = ("rmse", "mae", "cosine", "rmse_over_range")
    unlike = [str(key) for key in common
              if any(difference(*pair) > 1e-12 for pair in zip(*([row[value] for value in values if row.get(value) is not None] for row in (rows[key], theirs[key]))))]
    return {"verdict": [plain["verdict"], whole["verdict"]], "names": names, "first": [(plain["first_layer"] or {}).get("name"), (whole["first_layer"] or {}).get("name")],
            "figures": len(one.keys() & other.keys()), "apart": apart, "layers": len(common), "layers_apart": unlike,
            "sampled": plain["coverage"]["layers_sampled"]}


def twin(words):
    program = os.environ["EDGEPROBE_TWIN_OF"]
    if words[:1] not in (["check"], ["diagnose"]) or "--json" not in words:
        os.execv(program, [program, *words])
    if "EDGEPROBE_TWIN_FRAMES" in os.environ and "--frames" in words:
        words[words.index("--frames") + 1] = os.environ["EDGEPROBE_TWIN_FRAMES"]
    plain, whole = (subprocess.run([program, *words, *more], capture_output=True, text=True) for more in ([], ["--exhaustive"]))
    try:
        line = compared(json.loads(plain.stdout), json.loads(whole.stdout))
    except ValueError:
        line = {"codes": [plain.returncode, whole.returncode]}
    with open(os.environ["EDGEPROBE_TWIN_LOG"], "a") as log:
        log.write(json.dumps({**line, "command": words}) + "\n")
    shown = whole if os.environ.get("EDGEPROBE_TWIN_PRINT") == "exhaustive" else plain
    sys.stdout.write(shown.stdout)
    sys.stderr.write(shown.stderr)
    sys.exit(shown.returncode)


def tally(files):
    lines = [json.loads(line) for file in files for line in open(file)]
    whole = [line for line in lines if "verdict" in line]
    print(f"pairs {len(whole)}, without a verdict {sum(line['codes'][0] == line['codes'][1] for line in lines if 'codes' in line)} alike,",
          sum(line["codes"][0] != line["codes"][1] for line in lines if "codes" in line), "unlike; layers sampled in", sum(line["sampled"] for line in whole))
    for what, same in (("verdict", lambda line: line["verdict"][0] == line["verdict"][1]), ("names", lambda line: line["names"][0] == line["names"][1]),
                       ("first layer", lambda line: line["first"][0] == line["first"][1]), ("figures", lambda line: not line["apart"]),
                       ("layers over the same frames", lambda line: not line["layers_apart"])):
        print(f"{what}: {sum(map(same, whole))} of {len(whole)} equal")
        for line in whole:
            if not same(line):
                print("  ", line["verdict"], [[(cause[0], cause[1], cause[3]) for cause in causes] for causes in line["names"]], line["first"], line["apart"], line["layers_apart"][:3])
                print("     ", " ".join(line["command"])[:600])
    print("figures compared:", sum(line["figures"] for line in whole), "and rows of layers:", sum(line["layers"] for line in whole),
          "; largest difference:", max((difference(*pair) for line in whole for pair in line["apart"].values() if not any(map(math.isnan, pair))), default=0))


if __name__ == "__main__":
    tally(sys.argv[2:]) if sys.argv[1:2] == ["--tally"] else twin(sys.argv[1:])
