# SPDX-License-Identifier: Apache-2.0
"""The planted faults and their places."""
import csv
import dataclasses
import pathlib

import quant_faults
from model_file import CONVERSIONS, Model

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Case:
    pair: object
    fault: str            # id of faults.tsv, or "healthy"
    kind: str             # the class that must be named: kernel, quantization, weights, or none
    op: int = -1          # the (first) faulty operator of the target's file
    type: str = ""
    whole: bool = False   # every operator of the type
    only: bool = True     # the model has one operator of that type
    kernels: str = "xnnpack"
    engine: str = "tflite"

    def id(self):
        return "%s %s %s" % (self.pair.name, self.fault, "%s:%s" % (self.engine, self.kernels) if self.kind == "none" else
                             "all " + self.type if self.whole else "op %d %s" % (self.op, self.type))


def faults(wanted):
    rows = list(csv.DictReader(open(HERE / "faults.tsv"), delimiter="\t"))
    unknown = set(wanted) - {row["id"] for row in rows} - {"healthy"}
    if unknown:
        raise SystemExit("no such fault: " + ", ".join(sorted(unknown)))
    return [row for row in rows if not wanted or row["id"] in wanted]


def _spread(items, count, turn):
    """`count` evenly spread items, another choice for each `turn`."""
    if len(items) <= count:
        return items
    step = len(items) / count
    return [items[int((i + (turn * 0.37) % 1) * step)] for i in range(count)]


def kernel_cases(pair, rows, singles):
    """For each operator type: a fault in all its operators, and in `singles` single ones, different ones for each kind of fault."""
    model, turn = Model(pair.target), 0
    by_type = {}
    for k in model.order():
        by_type.setdefault(model.types[k], []).append(k)
    for row in rows:
        for kind in row["types"].split(","):
            ops = by_type.get(kind, [])
            if not ops:
                continue
            turn += 1
            kernels = "builtin" if turn % 3 == 2 else "xnnpack"
            yield Case(pair, row["id"], "kernel", ops[0], kind, True, len(ops) == 1, kernels)
            if len(ops) > 1 and row["id"] != "delegate":
                for op in _spread(ops, singles, turn):
                    yield Case(pair, row["id"], "kernel", op, kind, False, False, kernels)


def edit_cases(pair, rows, singles):
    model = Model(pair.target)
    for turn, row in enumerate(rows):
        able = [k for k in model.order() if quant_faults.edit(row["id"], pair.target, k)]
        for op in _spread(able, singles, turn):
            yield Case(pair, row["id"], row["class"], op, model.types[op], False, False, "builtin" if turn % 3 == 2 else "xnnpack")


def healthy_cases(pair, quick):
    for engine, kernels in (("faulty", "xnnpack"),) if quick else (
            ("tflite", "xnnpack"), ("tflite", "builtin"), ("tflite", "reference"), ("litert", "xnnpack"), ("litert", "builtin"), ("faulty", "xnnpack")):
        yield Case(pair, "healthy", "none", kernels=kernels, engine=engine)


def all_cases(pair, wanted, singles, edits, quick):
    rows = faults(wanted)
    yield from kernel_cases(pair, [r for r in rows if r["class"] == "kernel"], singles)
    if pair.edited:
        yield from edit_cases(pair, [r for r in rows if r["class"] != "kernel"], edits)
    if not wanted or "healthy" in wanted:
        yield from healthy_cases(pair, quick)


def counterpart(target, reference, op):
    """The reference's operator that corresponds to `op` of the target, by position; conversions do not count."""
    mine, other = target.order(), reference.order()
    if len(mine) != len(other):
        raise ValueError("the pair has %d and %d operators" % (len(mine), len(other)))
    if target.types[op] in CONVERSIONS:
        raise ValueError("operator %d is a conversion" % op)
    return other[mine.index(op)]
