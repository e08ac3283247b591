# SPDX-License-Identifier: Apache-2.0
"""Two converters make float models int8, with right and wrong calibration: what does `edgeprobe check` report, and how many answers are equal?

    requantized.py EDGEPROBE WORK [NAME,...]

The answers are counted by LiteRT's own Python. Exits with 1 when a file with less than 90 % equal answers `agrees`, or one is called another model.
"""
import json
import pathlib
import shutil
import sys

import numpy as np

import common
import numpy_int8

# For each model: how the calibration values are computed from pictures. None: by the recipe.
RESNET = {"right": None, "0..1": "resize(32x32, area) | scale(0..1)", "-1..1": "resize(32x32, area) | scale(-1..1)",
          "0..64": "resize(32x32, area) | scale(0..64)", "black": "black", "noise": "noise", "one": "one"}
SQUARE = "crop(square) | resize(96x96, area, like=opencv)"
VWW = {"right": None, "0..255": SQUARE, "-1..1": SQUARE + " | scale(-1..1)", "0..0.25": SQUARE + " | scale(0..0.25)", "one": "one"}
CASES = [("ai-edge", "resnet", how) for how in RESNET] + [("ai-edge", "vww", how) for how in VWW] + \
        [("numpy", "resnet", how) for how in ("right", "per tensor", "0..1", "0..64", "noise")] + [("numpy", "vww", how) for how in ("right", "per tensor", "0..255")]


def calibration(kind, model, work):
    """(folder of pictures, recipe) for the converter."""
    recipe = common.RECIPES[model]
    source = {"resnet": RESNET, "vww": VWW}[model].get(kind)
    rng = np.random.default_rng(3)
    if source == "black":
        return common.pictures(work / "black", np.zeros((4, 64, 64, 3), np.uint8)), recipe
    if source == "noise":
        return common.pictures(work / "noise", rng.integers(0, 256, (8, 128, 128, 3)).astype(np.uint8)), recipe
    if source == "one":
        (work / "one").mkdir(exist_ok=True)
        shutil.copy(work / "calibration" / "cat_0.png", work / "one" / "cat_0.png")
        return work / "one", recipe
    return work / "calibration", source or recipe


def convert(program, tool, model, kind, work):
    out = work / ("%s_%s_%s.tflite" % (tool, model, kind.replace(" ", "_")))
    if out.exists():
        return out
    data, recipe = calibration(kind, model, work)
    if tool == "ai-edge":
        common.call(program, "convert", work / (model + ".tflite"), "--to", "int8", "--recipe", recipe, "--data", data, "-o", out)
        return out
    trace = work / "calibration.mcap"
    common.call(program, "run", common.FLOATS[model], "--recipe", recipe, "--data", data, "--level", "io", "--trace", trace, "--force")
    numpy_int8.quantise(common.FLOATS[model], common.fed(program, trace, work), kind == "per tensor").save(out)
    return out


def main():
    program, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    wanted = sys.argv[3].split(",") if len(sys.argv) > 3 else []
    common.crops(work / "calibration", each=2, seed=5)
    test = common.crops(work / "test", each=4)
    for model in ("resnet", "vww"):
        common.with_signature(common.FLOATS[model], work / (model + ".tflite"))
    bad, rows = 0, []
    for tool, model, kind in CASES:
        name = "%s %s %s" % (tool, model, kind)
        if wanted and not any(w in name for w in wanted):
            continue
        target = convert(program, tool, model, kind, work)
        verdict = common.check(program, target, common.FLOATS[model], common.RECIPES[model], test, work)
        inputs = common.fed(program, work / "reference.mcap", work)
        equal = float((common.answers(target, inputs) == common.answers(common.FLOATS[model], inputs)).mean())
        first = next((c for c in verdict["causes"] if c["status"] == "confirmed"), None)
        kinds = [c["kind"] for c in verdict["causes"]]
        wrong = (verdict["verdict"] == "agrees" and equal < 0.9) or "other_model" in kinds
        bad += wrong
        rows.append({"case": name, "equal": equal, "verdict": verdict["verdict"], "first": first and first["kind"], "wrong": wrong})
        print("%-4s %-26s equal %.3f  %-9s %s" % ("BAD" if wrong else "ok", name, equal, verdict["verdict"], verdict["headline"][:170]), flush=True)
    (work / "requantized.json").write_text(json.dumps(rows, indent=1))
    print("%d cases, %d wrong" % (len(rows), bad))
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
