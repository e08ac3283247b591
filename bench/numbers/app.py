# SPDX-License-Identifier: Apache-2.0
"""Post-processing of an embedding model and of an anomaly detector as in apps: float32, loops and lists. Shares no code with the search. `how` is a
dictionary of switches; a fault is another value of one of them.
"""
import numpy as np

F = np.float32


def real(stored, quantisation, how="values"):
    """Converts stored numbers to real ones, as the app does."""
    scale, zero = quantisation
    if not scale:
        return stored.astype(F)
    if how == "sign confused":
        stored = stored.view(np.uint8 if stored.dtype == np.int8 else np.int8)
    if how == "codes for values":
        return stored.astype(F)
    return (stored.astype(F) - F(0 if how == "no zero point" else zero)) * F(scale)


def one_row(rows, mask, how):
    pool = how["pool"]
    if pool == "none":
        return rows.reshape(-1)
    chosen = [row for row, bit in zip(rows, mask) if bit or how["padding"]]
    if how["special"]:
        chosen = chosen[1:-1]
    if pool == "first":
        return chosen[0]
    if pool == "last":
        return chosen[-1]
    out = chosen[0].copy()
    for row in chosen[1:]:
        out = np.maximum(out, row) if pool == "max" else out + row
    return out / F(len(chosen)) if pool == "mean" else out


def scaled(vector, norm):
    if norm == "l2":
        return vector / np.sqrt((vector * vector).sum(dtype=F))
    if norm == "l1":
        return vector / np.abs(vector).sum(dtype=F)
    if norm == "max":
        return vector / np.abs(vector).max()
    if norm == "min_max":
        return (vector - vector.min()) / np.ptp(vector)
    return vector


def vector(outputs, mask, quantisation, how):
    """outputs: stored arrays; mask: 0 or 1 for each row, or None."""
    rows = real(outputs[how["output"]], quantisation[how["output"]], how["read"])
    rows = rows.reshape(-1, rows.shape[-1])
    out = one_row(rows, np.ones(len(rows), int) if mask is None else mask.reshape(-1), how)
    if how["length"] and not how["cut behind"]:
        out = out[: how["length"]]
    out = scaled(out, how["norm"])
    if how["length"] and how["cut behind"]:
        out = out[: how["length"]]
    if how["bits"]:
        codes = np.clip(np.round(out * F(127)), -128, 127)
        out = codes if how["bits"] == "codes" else codes / F(127)
    return out.astype(F)


def error(window, given, measure):
    d = window - given
    squares, sizes = d * d, np.abs(d)
    return {"mse": lambda: squares.mean(), "mae": lambda: sizes.mean(), "rmse": lambda: np.sqrt(squares.mean()), "sse": lambda: squares.sum(), "sae": lambda: sizes.sum(),
            "l2": lambda: np.sqrt(squares.sum()), "max_square": lambda: squares.max(), "max_absolute": lambda: sizes.max()}[measure]()


def score(outputs, inputs, quantisation, how):
    """(score, alarm) of a batch of windows. The quantisation of the input precedes that of the output."""
    given, made = real(inputs[0], quantisation[0], how["read"]), real(outputs[0], quantisation[1], how["read"])
    each = [error(m.reshape(-1), g.reshape(-1), how["measure"]) for m, g in zip(made, given)]
    out = {"mean": lambda: F(sum(each) / len(each)), "max": lambda: max(each), "median": lambda: np.median(np.array(each, F)), "first": lambda: each[0],
           "last": lambda: each[-1], "sum": lambda: F(sum(each))}[how["windows"]]()
    return float(out), bool(out < how["threshold"] if how["alarm below"] else out >= how["threshold"])
