# SPDX-License-Identifier: Apache-2.0
"""Badly quantised files that were not used to develop a rule: other models, pictures and tool options. Is the first confirmed cause right, in words
that a user knows?

    fresh.py EDGEPROBE WORK [NAME,...]

Each file is compared with one that the same tool makes of the same model with the judged pictures. If that file restores less than 30 % of the lost
answers, the right first cause is "int8 does not serve this model"; if it gives less than 70 % of the answers, the report must also say that. Answers
are counted by LiteRT's and ONNX Runtime's own Python. Words count in the cause's own sentence, not in its evidence. Exits with 1 when a confirmed
cause is wrong.
"""
import json
import pathlib
import re
import sys

import numpy as np
import onnx
import onnx.version_converter
import onnxruntime
from onnxruntime import quantization
from PIL import Image

import common
import numpy_int8
from write_fix import onnx_answers

MODELS = common.SHARED / "models"
MOBILENET = "resize(224x224, bilinear) | scale(-1..1)"
DIGITS = "gray | resize(28x28, bilinear) | scale(0..1)"
NCHW_DIGITS = "gray | resize(28x28, bilinear) | scale(0..255) | layout(nchw)"
NCHW = (common.ROOT / "models" / "signs_nchw.recipe").read_text().strip()
INPUT, CALIBRATION, CHANNELS, NOT_SERVED = r"calibrat.*pre-processing|calibrat", r"calibrat", r"one scale", r"int8 does not serve"
Q = quantization
onnxruntime.set_default_logger_severity(4)


def to(low, high):
    """Converts values in -1..1 or 0..1 to another range."""
    return lambda x, span: [(one - span[0]) / (span[1] - span[0]) * (high - low) + low for one in x]


CHANGES = {"range -128..127": (to(-128, 127), INPUT), "range 0..0.1": (to(0, 0.1), INPUT), "range -3..3": (to(-3, 3), INPUT), "range 0..1": (to(0, 1), INPUT),
           "range 0..255": (to(0, 255), INPUT),
           "black": (lambda x, span: [one * 0 + span[0] for one in x[:3]], INPUT),
           "mean picture": (lambda x, span: [np.mean(x, axis=0)], CALIBRATION),
           "low contrast": (lambda x, span: [one * 0.15 + 0.85 * one.mean() for one in x], CALIBRATION),
           "noise": (lambda x, span: list(np.random.default_rng(9).uniform(*span, size=(6, *x[0].shape)).astype(np.float32)), CALIBRATION)}
METHODS = {"entropy of two": ({"calibrate_method": Q.CalibrationMethod.Entropy}, CALIBRATION),
           "percentile 95, uint8": ({"calibrate_method": Q.CalibrationMethod.Percentile, "extra_options": {"CalibPercentile": 95.0},
                                     "activation_type": Q.QuantType.QUInt8}, CALIBRATION),
           "QOperator, low contrast": ({"quant_format": Q.QuantFormat.QOperator, "activation_type": Q.QuantType.QUInt8}, CALIBRATION),
           "symmetric, range 0..0.1": ({"extra_options": {"ActivationSymmetric": True}}, INPUT)}
# Tool, model: recipe, range of its values, and the faults.
CASES = {("numpy", "mobilenet"): (MOBILENET, (-1, 1), ["per tensor", "range 0..255", "range 0..0.1", "range -3..3", "black", "mean picture", "low contrast", "noise"]),
         ("numpy", "digits"): (DIGITS, (0, 1), ["range 0..255", "range 0..0.1", "black", "mean picture", "low contrast", "noise"]),
         ("onnxruntime", "digits"): (NCHW_DIGITS, (0, 255), ["range 0..1", "range -128..127", "black", "low contrast", "noise", "percentile 95, uint8"]),
         ("onnxruntime", "signs"): (NCHW, (-1, 1), ["range -3..3", "range 0..0.1", "noise", "mean picture", "entropy of two", "percentile 95, uint8",
                                                    "QOperator, low contrast", "symmetric, range 0..0.1"]),
         ("onnxruntime", "inception"): (NCHW, (-1, 1), ["range -3..3", "noise", "mean picture", "QOperator, low contrast"])}


class Frames(Q.CalibrationDataReader):
    def __init__(self, name, inputs):
        self.name, self.left = name, iter(inputs)

    def get_next(self):
        frame = next(self.left, None)
        return None if frame is None else {self.name: np.asarray(frame, np.float32)}


def digits(folder, seed, each):
    """The shared digits, slightly shifted and rotated."""
    rng = np.random.default_rng(seed)
    arrays = []
    for path in sorted((common.SHARED / "images" / "mnist").glob("*.png")):
        image = Image.open(path).convert("L").resize((28, 28))
        for _ in range(each):
            arrays.append(np.asarray(image.rotate(float(rng.uniform(-15, 15)), translate=(int(rng.integers(-2, 3)), int(rng.integers(-2, 3))))))
    return common.pictures(folder, [np.stack([one] * 3, axis=-1) for one in arrays])


def float_of(tool, model, work):
    if model == "digits" and tool == "onnxruntime":
        out = work / "digits.onnx"
        if not out.exists():
            onnx.save(onnx.version_converter.convert_version(onnx.load(MODELS / "onnx" / "mnist.onnx"), 13), out)
        return out
    return {"mobilenet": MODELS / "tflite_support" / "mobilenet_v1_0.25_224_1_default_1.tflite", "digits": MODELS / "aeq" / "conv_fc_mnist.tflite",
            "signs": common.ROOT / "models" / "signs_float.onnx", "inception": common.ROOT / "models" / "inception_like.onnx"}[model]


def fed(program, model, recipe, data, work):
    trace = work / "inputs.mcap"
    common.call(program, "run", model, "--recipe", recipe, *data, "--level", "io", "--trace", trace, "--force")
    values = common.fed(program, trace, work)
    return [one.reshape(1, *values.shape[-3:]) for one in values.reshape(-1, *values.shape[-3:])]


def made(tool, source, how, inputs, span, out):
    change, options = CHANGES.get(how, (lambda x, span: x, None))[0], dict(METHODS.get(how, ({}, None))[0])
    if "low contrast" in how:
        change = CHANGES["low contrast"][0]
    if "range 0..0.1" in how:
        change = CHANGES["range 0..0.1"][0]
    frames = change(inputs[:2] if how == "entropy of two" else inputs, span)
    if tool == "numpy":
        numpy_int8.quantise(source, frames, how == "per tensor").save(out)
        return
    name = onnxruntime.InferenceSession(str(source), providers=["CPUExecutionProvider"]).get_inputs()[0].name
    Q.quantize_static(str(source), str(out), Frames(name, frames), **{"per_channel": True, "activation_type": Q.QuantType.QInt8, **options})


def one(program, tool, model, how, recipe, span, work):
    source, suffix = float_of(tool, model, work), "onnx" if tool == "onnxruntime" else "tflite"
    sets = {"signs": "signs", "inception": "signs", "digits": "digits", "mobilenet": "photos"}
    test = {"signs": ["--data", common.ROOT / "models" / "data" / "test", "--frames", 80], "digits": ["--data", work / "digits"],
            "photos": ["--data", work / "photos"]}[sets[model]]
    other = {"signs": ["--data", common.ROOT / "models" / "data" / "train", "--frames", 24], "digits": ["--data", work / "digits_other"],
             "photos": ["--data", work / "photos_other"]}[sets[model]]
    if sets[model] == "signs" and not other[1].exists():
        other = test
    inputs = fed(program, source, recipe, test, work)
    count = onnx_answers if tool == "onnxruntime" else common.answers
    truth = count(source, inputs)
    good = work / ("good_%s_%s.%s" % (tool, model, suffix))
    if not good.exists():
        made(tool, source, "right", inputs[:60], span, good)
    served = float((count(good, inputs) == truth).mean())
    bad = work / ("%s_%s_%s.%s" % (tool, model, re.sub(r"\W+", "_", how), suffix))
    if not bad.exists():
        made(tool, source, how, fed(program, source, recipe, other, work), span, bad)
    before = float((count(bad, inputs) == truth).mean())
    row = {"case": "%s %s %s" % (tool, model, how), "served": served, "before": before, "frames": len(inputs)}
    if before >= 0.95:
        return {**row, "bad": False}
    quantised = tool != "onnxruntime" and common.Model(bad).scales(int(common.Model(bad).graph.inputs[0]))[0] is not None
    verdict = json.loads(common.call(program, "check", bad, "--recipe", recipe + (" | quantize(model)" if quantised else ""), "--reference", source,
                                     "--reference-recipe", recipe, *test, "--json"))
    words = NOT_SERVED if served - before < 0.3 * (1 - before) else CHANNELS if how == "per tensor" else (CHANGES.get(how) or METHODS.get(how))[-1]
    confirmed = [c for c in verdict["causes"] if c["status"] == "confirmed"]
    not_served = any("does not serve" in c["detail"] for c in confirmed)
    wrong = [c["kind"] for c in confirmed if c["kind"] not in ("quantization", "input_scale", "bias", "empty_input")]
    if not_served and served >= 0.9:
        wrong.append("does not serve")
    return {**row, "bad": True, "verdict": verdict["verdict"], "kind": confirmed[0]["kind"] if confirmed else None,
            "told": bool(confirmed and re.search(words, confirmed[0]["detail"])) and (not_served or served >= 0.7), "wrong": wrong, "said": [c["detail"] for c in confirmed],
            "headline": verdict["headline"]}


def main():
    program, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    wanted = sys.argv[3].split(",") if len(sys.argv) > 3 else []
    work.mkdir(parents=True, exist_ok=True)
    common.crops(work / "photos", each=5, seed=31)
    common.crops(work / "photos_other", each=2, seed=77)
    digits(work / "digits", 31, 5)
    digits(work / "digits_other", 77, 2)
    rows = []
    for (tool, model), (recipe, span, hows) in CASES.items():
        for how in hows:
            if wanted and not any(w in "%s %s %s" % (tool, model, how) for w in wanted):
                continue
            row = one(program, tool, model, how, recipe, span, work)
            rows.append(row)
            print("%-44s served %.2f before %.2f %s" % (row["case"], row["served"], row["before"], "healthy" if not row["bad"] else "%s %s %s%s" % (
                "told" if row["told"] else "NOT ", row["kind"], row["headline"][:150], " WRONG " + ",".join(row["wrong"]) if row["wrong"] else "")), flush=True)
    (work / "fresh.json").write_text(json.dumps(rows, indent=1))
    bad = [row for row in rows if row["bad"]]
    print("%d files, %d bad, told in the user's words %d, with a wrong confirmed cause %d" % (
        len(rows), len(bad), sum(row["told"] for row in bad), sum(bool(row["wrong"]) for row in bad)))
    return 1 if not rows or any(row["wrong"] for row in bad) else 0


if __name__ == "__main__":
    sys.exit(main())
