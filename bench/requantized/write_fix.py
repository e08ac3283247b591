# SPDX-License-Identifier: Apache-2.0
"""Badly re-quantised models of three converters: is the cause reported in words that a user knows, and what does --write-fix restore?

    write_fix.py EDGEPROBE WORK [NAME,...] [--causes]

ONNX Runtime's quantize_static makes int8 .onnx files of two models, ai-edge-quantizer and numpy_int8.py int8 .tflite files of three. Answers are
counted by ONNX Runtime's and LiteRT's own Python: how many of the float model's classes the bad file and the fixed file give. A file counts as bad
below 95 %. If ONNX Runtime's file, calibrated with the same pictures, restores less than 30 % of the lost answers, the right words are "int8 does not
serve". Words count in the cause's own sentence, not in its evidence. `--causes`: nothing is fixed, WORK/causes.jsonl is kept. WORK/write_fix.jsonl
keeps finished cases, and they are not run again.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

import numpy as np
import onnxruntime
from onnxruntime import quantization

import common
import numpy_int8
import requantized

MODELS = common.ROOT / "models"
NCHW = (MODELS / "signs_nchw.recipe").read_text().strip()
ONNX = {"signs": MODELS / "signs_float.onnx", "inception": MODELS / "inception_like.onnx"}
FRAMES = 60
onnxruntime.set_default_logger_severity(4)

NOT_SERVED = r"int8 does not serve"
CALIBRATION, INPUT, CHANNELS = r"calibrat", r"codes|calibrat|range", r"one scale|per channel|channels"


def kept_ends(changed):
    """One white and one black pixel, so that the input's own scale is right."""
    for image in changed:
        image[..., 0, :2] = 1, -1
    return changed


# Calibration values for inputs in -1..1, and the words that the verdict must contain.
ONNX_CASES = {
    "flat pictures": (lambda x: kept_ends([i * 0.05 for i in x]), {}, CALIBRATION),
    "pale pictures": (lambda x: kept_ends([i * 0.2 for i in x]), {}, CALIBRATION),
    "gray pictures": (lambda x: kept_ends([i * 0 for i in x]), {}, CALIBRATION),
    "fed 0..1": (lambda x: [(i + 1) / 2 for i in x], {}, INPUT),
    "fed 0..255": (lambda x: [(i + 1) * 127.5 for i in x], {}, INPUT),
    "fed 0..1/255": (lambda x: [(i + 1) / 510 for i in x], {}, INPUT),
    "fed -128..127": (lambda x: [i * 128 for i in x], {}, INPUT),
    "black": (lambda x: [i * 0 - 1 for i in x[:4]], {}, INPUT),
    "one dark picture": (lambda x: [np.minimum(x[0] * 0.3 - 0.7, 0)], {}, INPUT),
    "percentile 90": (lambda x: x, {"calibrate_method": quantization.CalibrationMethod.Percentile, "extra_options": {"CalibPercentile": 90.0}}, CALIBRATION + "|range"),
    "percentile 99": (lambda x: x, {"calibrate_method": quantization.CalibrationMethod.Percentile, "extra_options": {"CalibPercentile": 99.0}}, CALIBRATION + "|range"),
    "per tensor": (lambda x: x, {"per_channel": False}, CHANNELS),
}
TFLITE_CASES = {("ai-edge", "resnet"): {"0..1": INPUT, "-1..1": INPUT, "0..64": INPUT, "black": INPUT, "noise": CALIBRATION, "one": CALIBRATION},
                ("ai-edge", "vww"): {"0..255": INPUT, "-1..1": INPUT, "0..0.25": INPUT, "one": CALIBRATION},
                ("ai-edge", "signs"): {"0..1": INPUT, "0..255": INPUT, "-0.2..0.2": INPUT, "black": INPUT},
                ("numpy", "resnet"): {"per tensor": CHANNELS, "0..1": INPUT, "0..64": INPUT, "noise": CALIBRATION},
                ("numpy", "vww"): {"per tensor": CHANNELS, "0..255": INPUT}}
SIGNS = {"0..1": "scale(0..1)", "0..255": "scale(0..255)", "-0.2..0.2": "scale(-0.2..0.2)"}


class Frames(quantization.CalibrationDataReader):
    def __init__(self, inputs):
        self.left = iter(inputs)

    def get_next(self):
        frame = next(self.left, None)
        return None if frame is None else {"image": np.asarray(frame, np.float32)}


def onnx_answers(path, inputs):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return np.array([int(session.run(None, {name: one})[0].ravel().argmax()) for one in inputs])


def cases():
    for model in ONNX:
        for how in ONNX_CASES:
            yield "onnxruntime", model, how
    for (tool, model), hows in TFLITE_CASES.items():
        for how in hows:
            yield tool, model, how


def recipe_of(tool, model):
    return NCHW if tool == "onnxruntime" else common.RECIPES[model]


def float_of(tool, model, work):
    return ONNX[model] if tool == "onnxruntime" else work / (model + ".tflite") if model != "signs" else common.FLOATS[model]


def bad_file(program, tool, model, how, inputs, work):
    out = work / ("%s_%s_%s.%s" % (tool, model, re.sub(r"\W+", "_", how), "onnx" if tool == "onnxruntime" else "tflite"))
    if out.exists():
        return out
    if tool == "onnxruntime":
        make, options, _ = ONNX_CASES[how]
        quantization.quantize_static(str(ONNX[model]), str(out), Frames(make([i.copy() for i in inputs[:24]])),
                                     **{"per_channel": True, "activation_type": quantization.QuantType.QInt8, **options})
        return out
    if model == "signs":
        data = work / "black" if how == "black" else MODELS / "data" / "test"
        if how == "black":
            common.pictures(data, np.zeros((4, 64, 64, 3), np.uint8))
        recipe = common.RECIPES[model]
        if how in SIGNS:
            recipe = re.sub(r"scale\(-1\.\.1\)", SIGNS[how], recipe)
        common.call(program, "convert", common.FLOATS[model], "--to", "int8", "--recipe", recipe, "--data", data, "--frames", 24 if how != "black" else 4, "-o", out)
        return out
    return shutil.move(requantized.convert(program, tool, model, how, work), out)


def one(program, tool, model, how, work, fixes=True):
    is_onnx = tool == "onnxruntime"
    reference, recipe = float_of(tool, model, work), recipe_of(tool, model)
    data = ["--data", MODELS / "data" / "test", "--frames", FRAMES] if is_onnx or model == "signs" else ["--data", work / "test"]
    inputs_file = work / ("inputs_%s_%s.npy" % ("onnx" if is_onnx else "tflite", model))
    if not inputs_file.exists():
        trace = work / "inputs.mcap"
        common.call(program, "run", reference, "--recipe", recipe, *data, "--level", "io", "--trace", trace, "--force")
        np.save(inputs_file, common.fed(program, trace, work))
    inputs = np.load(inputs_file)
    inputs = inputs.reshape(len(inputs), 1, *inputs.shape[-3:])
    count = onnx_answers if is_onnx else common.answers
    truth = count(reference, inputs)
    bad = bad_file(program, tool, model, how, inputs, work)
    before = float((count(bad, inputs) == truth).mean())
    row = {"case": "%s %s %s" % (tool, model, how), "before": before, "frames": len(inputs)}
    if before >= 0.95:
        return {**row, "bad": False}
    fix = work / "fix"
    shutil.rmtree(fix, ignore_errors=True)
    quantised = not is_onnx and common.Model(bad).scales(int(common.Model(bad).graph.inputs[0]))[0] is not None
    start = time.time()
    verdict = json.loads(common.call(program, "check", bad, "--recipe", recipe + (" | quantize(model)" if quantised else ""), "--reference", reference,
                                     "--reference-recipe", recipe, *data, "--json", *(["--write-fix", fix, *(["--fix-python", sys.executable] if is_onnx else [])] if fixes else [])))
    written = verdict["written_fix"] if fixes else {"files": [], "kept_float": [], "tried": [], "not_done": []}
    words = ONNX_CASES[how][2] if is_onnx else TFLITE_CASES[tool, model][how]
    if is_onnx:
        good = work / ("good_%s.onnx" % model)
        if not good.exists():
            quantization.quantize_static(str(reference), str(good), Frames(list(inputs)), per_channel=True, activation_type=quantization.QuantType.QInt8)
        if (count(good, inputs) == truth).mean() - before < 0.3 * (1 - before):
            words = NOT_SERVED
    confirmed = [c for c in verdict["causes"] if c["status"] == "confirmed"]
    first = confirmed[0] if confirmed else None
    said = first["detail"] if first else ""
    model_file = next((fix / f["file"] for f in written["files"] if f["kind"] == "model"), None)
    after = float((count(model_file, inputs) == truth).mean()) if model_file else None
    return {**row, "bad": True, "cause": first and first["kind"], "told": bool(re.search(words, said)), "headline": verdict["headline"],
            "after": after, "restored": None if after is None else (after - before) / (1 - before), "kept_float": written["kept_float"],
            "tried": len(written["tried"]), "best_tried": max([t["result"]["score"] or 0 for t in written["tried"]], default=None),
            "not_done": written["not_done"], "seconds": round(time.time() - start, 1)}


def main():
    program, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    names = [one for one in sys.argv[3:] if not one.startswith("--")]
    wanted, fixes = names[0].split(",") if names else [], "--causes" not in sys.argv
    work.mkdir(parents=True, exist_ok=True)
    common.crops(work / "calibration", each=2, seed=5)
    common.crops(work / "test", each=4)
    for model in ("resnet", "vww"):
        common.with_signature(common.FLOATS[model], work / (model + ".tflite"))
    kept = work / ("write_fix.jsonl" if fixes else "causes.jsonl")
    rows = {row["case"]: row for row in map(json.loads, kept.read_text().splitlines())} if kept.exists() else {}
    for tool, model, how in cases():
        name = "%s %s %s" % (tool, model, how)
        if wanted and not any(w in name for w in wanted) or name in rows:
            continue
        try:
            row = one(program, tool, model, how, work, fixes)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            row = {"case": name, "bad": True, "error": str(error)[:400]}
        rows[name] = row
        with kept.open("a") as out:
            out.write(json.dumps(row) + "\n")
        print(json.dumps(row)[:400], flush=True)
    table(rows.values())


def table(rows):
    bad = [row for row in rows if row.get("bad") and "error" not in row]
    for row in rows:
        if "error" in row:
            print("| %s | error: %s |" % (row["case"], row["error"]))
        elif not row["bad"]:
            print("| %-32s | %5.3f | healthy |" % (row["case"], row["before"]))
        else:
            print("| %-32s | %5.3f | %-14s | %-3s | %-5s | %-7s | %d | %d |" % (
                row["case"], row["before"], row["cause"], "yes" if row["told"] else "no", "–" if row["after"] is None else "%.3f" % row["after"],
                "–" if row["restored"] is None else "%.0f %%" % (100 * row["restored"]), len(row["kept_float"]), row["tried"]))
    told = sum(row["told"] for row in bad)
    fixed = [row for row in bad if row["restored"] is not None]
    good = sum(row["restored"] >= 0.8 - 1e-9 for row in fixed)
    print("%d bad files; cause in the user's words %d; fix written %d, of these %d restore at least 80 %%" % (len(bad), told, len(fixed), good))


if __name__ == "__main__":
    main()
