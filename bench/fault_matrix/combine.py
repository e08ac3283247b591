# SPDX-License-Identifier: Apache-2.0
"""Several faults in one app, and which of them are visible, judged only with NumPy."""
import csv
import dataclasses
import functools
import itertools
import pathlib
import re

import numpy as np

from make_cases import changed, picture
from pictures import RANGES, lines, made
from tally import INVISIBLE

HERE = pathlib.Path(__file__).resolve().parent
AXES = {"color": "colour", "camera": "colour", "range": "range", "turn": "orientation", "kernel": "resize", "fit": "crop", "quant": "input quantisation",
        "tone": "tone", "layout": "layout"}
SIX = ("colour", "range", "orientation", "resize", "crop", "input quantisation")


@functools.cache
def faults():
    """Rows of faults.tsv with their axis; decoders and rounding do not count as faults."""
    rows = [{**row, "axis": AXES.get(row["change"].split("=")[0])} for row in csv.DictReader((HERE / "faults.tsv").read_text().splitlines(), delimiter="\t")]
    return [row for row in rows if row["axis"] and row["kind"] != "none"]


cached_picture = functools.lru_cache(32)(picture)


def planted(app, changes):
    """The app with all of these changes, or None if one of them is impossible there or changes nothing."""
    for change in changes:
        other = changed(app, change)
        if other is None or other == app:
            return None
        app = other
    return app


def draw(deployment, count, axes, rng):
    """`count` faults of different axes that exist together in the deployment: (rows, app). Axes first, so that rare ones are drawn
    as often as those with many faults."""
    while True:
        chosen = [rng.choice([f for f in faults() if f["axis"] == axis]) for axis in rng.sample(axes, count)]
        app = planted(deployment.app, [f["change"] for f in chosen])
        alone = [planted(deployment.app, [f["change"]]) for f in chosen]
        if app is not None and None not in alone:
            return chosen, app


def step(app, raw):
    """Stored units of one gray step, averaged over channels."""
    if app.range == "standardize":
        plain = made(raw, dataclasses.replace(app, range="u255", limited=False, quant="float", dtype="float32"))
        unit = 1 / max(float(plain.std()), 1.0)
    elif app.range.startswith("lines:"):
        unit = max(float(np.mean(np.abs(lines(app.range)[0]))), 1e-12)
    else:
        unit = float(np.mean(1 / np.atleast_1d(np.asarray(RANGES[app.range][1], float))))
    return unit * (219 / 255 if app.limited else 1) / (1 if app.quant == "float" else app.scale)


def apart(a, b, unit):
    return float(np.sqrt(np.mean((a.astype(np.float64).ravel() - b.astype(np.float64).ravel()) ** 2)) / unit)


def rms(values):
    return float(np.sqrt(np.mean(np.square(list(values)))))


def visibility(deployment, chosen, app, raws, tensors):
    """For each fault (steps by which it moves the healthy input, steps by which the faulty input moves if only this fault is removed)."""
    out = []
    for fault in chosen:
        single = planted(deployment.app, [fault["change"]])
        rest = planted(deployment.app, [f["change"] for f in chosen if f is not fault])
        # Faults of levels are judged in the healthy app's steps, faults of the picture in the faulty app's steps.
        unit = lambda raw: step(deployment.app if fault["axis"] in ("range", "input quantisation") else app, raw)
        out.append((rms(apart(made(raw, single), made(raw, deployment.app), step(deployment.app, raw)) for raw in raws),
                    rms(apart(t, made(raw, rest), unit(raw)) for t, raw in zip(tensors, raws))))
    return out


def destroyed(app, tensors):
    """0..1 stored as integers: nothing of the picture is left, so no other fault can be recognised."""
    return app.quant != "float" and all(len(np.unique(t)) <= 4 for t in tensors)


def _changes_said(cause):
    """The changes of faults.tsv that the words of a cause describe."""
    app_part = cause["detail"].split("; the reference")[0]
    whole = app_part + " " + " ".join(cause.get("alternatives") or [])
    found = [f["change"] for f in faults() if cause["kind"] in f["kind"].split("|") and f["named"] and any(w in whole for w in f["named"].split("|")) and f["named"] != "window"]
    place = re.search(r"window of (\d+)x(\d+) pixels at top (\d+), left (\d+)", app_part)
    if cause["kind"] == "crop" and place:
        h, w, y, x = place.groups()
        found.append("fit=window:%s:%s:%s:%s" % (y, x, h, w))
    lines = re.findall(r"x(?:\*([-\d.e]+))? ([+-]) ([\d.e-]+)", app_part)
    if cause["kind"] == "value_range" and lines:
        found.append("range=lines:%s:%s" % (",".join(gain or "1" for gain, _, _ in lines), ",".join(sign + offset for _, sign, offset in lines)))
    zero = re.search(r"zero point (-?\d+) instead of", app_part)
    if cause["kind"] == "input_quantization" and zero:
        found = ["zero_point=" + zero.group(1)]
    return found


def _replaced(app, changes):
    """The app with these changes, including changes that are in no row of faults.tsv."""
    free = [c for c in changes if c.startswith(("fit=window", "range=lines", "zero_point="))]
    app = planted(app, [c for c in changes if c not in free])
    return app and dataclasses.replace(app, **{key: int(value) if key == "zero_point" else value for key, value in (c.split("=", 1) for c in free)})


def same_tensor(deployment, causes, raws, tensors):
    """Whether an app with the behaviour in the causes makes the recorded tensors, up to rounding to 8 bits."""
    choices = [_changes_said(c) for c in causes]
    if not all(choices):
        return False
    for changes in itertools.islice(itertools.product(*choices), 16):
        app = _replaced(deployment.app, changes)
        try:
            if app is not None and rms(apart(t, made(raw, app), step(app, raw)) for raw, t in zip(raws, tensors)) <= INVISIBLE:
                return True
        except ValueError:  # The window would be outside of the picture.
            continue
    return False
