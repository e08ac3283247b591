# SPDX-License-Identifier: Apache-2.0
"""Exchanges operators and options in healthy files: none may be confirmed as quantisation.

    options.py EDGEPROBE WORK [NAME,...]

Exits with 1 when a confirmed cause of kind `quantization` names the edited layer, or any cause calls the file another model.
"""
import copy
import pathlib
import sys

import common
from model_file import Model, schema

NONE, RELU, RELU6 = 0, 1, 3


def other_pool(model, op):
    code = copy.deepcopy(model._model.operatorCodes[model.ops[op].opcodeIndex])
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.MAX_POOL_2D
    code.version = max(code.version, 2)
    model._model.operatorCodes.append(code)
    model.ops[op].opcodeIndex = len(model._model.operatorCodes) - 1


def window(width, height):
    def edit(model, op):
        options = model.ops[op].builtinOptions
        options.filterWidth, options.filterHeight = max(1, options.filterWidth // width), max(1, options.filterHeight // height)
    return edit


def fused(value):
    def edit(model, op):
        model.ops[op].builtinOptions.fusedActivationFunction = value
    return edit


def plain(model, kind):
    """Operators of that type without an activation that are not the last one."""
    return [k for k, one in enumerate(model.types) if one == kind and model.ops[k].builtinOptions.fusedActivationFunction == NONE]


def cases():
    for files, number in ((common.INT8, "int8"), (common.FLOATS, "float")):
        for name, path in files.items():
            model = Model(path)
            for op in [k for k, kind in enumerate(model.types) if kind == "AVERAGE_POOL_2D"]:
                yield "%s %s max for average" % (name, number), name, path, op, other_pool
                yield "%s %s window half as high" % (name, number), name, path, op, window(1, 2)
                yield "%s %s window of a quarter" % (name, number), name, path, op, window(2, 2)
            for op in plain(model, "CONV_2D")[-2:]:
                yield "%s %s relu at CONV_2D %d" % (name, number, op), name, path, op, fused(RELU)
            for op in plain(model, "FULLY_CONNECTED")[-1:]:
                yield "%s %s relu at FULLY_CONNECTED %d" % (name, number, op), name, path, op, fused(RELU)


def main():
    program, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    wanted = sys.argv[3].split(",") if len(sys.argv) > 3 else []
    test = common.crops(work / "test", each=4)
    bad = n = 0
    for title, name, path, op, edit in cases():
        if wanted and not any(w in title for w in wanted):
            continue
        target = work / "edited.tflite"
        model = Model(path)
        edit(model, op)
        model.save(target)
        verdict = common.check(program, target, common.FLOATS[name], common.RECIPES[name], test, work)
        confirmed = [c for c in verdict["causes"] if c["status"] == "confirmed"]
        wrong = any(c["kind"] == "quantization" and op in c["layers"] for c in confirmed) or any(c["kind"] == "other_model" for c in verdict["causes"])
        bad += wrong
        n += 1
        print("%-4s %-40s %-9s %s: %s" % ("BAD" if wrong else "ok", title, verdict["verdict"], verdict["causes"][0]["kind"] if verdict["causes"] else "-",
                                         verdict["headline"][:150]), flush=True)
    print("%d cases, %d wrong" % (n, bad))
    return 1 if bad or not n else 0


if __name__ == "__main__":
    sys.exit(main())
