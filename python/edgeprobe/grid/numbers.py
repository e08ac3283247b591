# SPDX-License-Identifier: Apache-2.0
"""How far the outputs of an importer are from the framework's own. Runs inside cells, which have NumPy."""
from __future__ import annotations

import numpy

from .numbers_rule import NUDGE

def error_of(found, own) -> tuple[float, str]:
    """The error of one output (numbers_rule.RULE) and what is wrong beyond numbers, such as its shape, or ""."""
    found, own = numpy.asarray(found), numpy.asarray(own)
    if found.shape != own.shape:
        if squeezed(found.shape) != squeezed(own.shape):
            return float("inf"), f"the shape is {list(found.shape)}, not {list(own.shape)}"
        found = found.reshape(own.shape)
    if own.dtype.kind not in "fc":
        if not own.size:
            return 0.0, ""
        return float(numpy.mean(found != own)), ""
    if not own.size:
        return 0.0, ""
    # An infinity or NaN must stand on both sides.
    odd = ~numpy.isfinite(own)
    if (odd != ~numpy.isfinite(found)).any():
        return float("inf"), "NaN or infinity on one side only"
    if odd.all():
        return 0.0, ""
    apart = numpy.abs(found.astype(numpy.float64)[~odd] - own.astype(numpy.float64)[~odd]).max()
    size = numpy.abs(own.astype(numpy.float64)[~odd]).max()
    return float(apart / size if size > 0 else apart), ""


def squeezed(shape) -> list[int]:
    return [size for size in shape if size != 1]


def worst(found: list[list], own: list[list], names: list[str]) -> tuple[float, str]:
    """The largest error over samples and outputs, and the output that has it with what is wrong with it."""
    error, where = 0.0, ""
    for sample, (theirs, ours) in enumerate(zip(found, own, strict=True)):
        if len(theirs) != len(ours):
            return float("inf"), f"{len(theirs)} outputs, not {len(ours)}"
        for i, (a, b) in enumerate(zip(theirs, ours)):
            one, wrong = error_of(a, b)
            if one > error:
                name = names[i] if i < len(names) else str(i)
                error, where = one, f"output '{name}' of sample {sample}" + (f": {wrong}" if wrong else "")
    return error, where


def nudged(sample: list, seed: int) -> list:
    """A sample whose real numbers have moved by at most NUDGE of themselves."""
    random = numpy.random.default_rng(seed)
    return [(x * (1 + NUDGE * random.uniform(-1, 1, x.shape))).astype(x.dtype) if x.dtype.kind == "f" else x for x in sample]

