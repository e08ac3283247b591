# SPDX-License-Identifier: Apache-2.0
"""The pre-processing of apps with sensor models, with planted faults, in NumPy and without code of the search. The readings are synthetic.

app(front, readings, **faults) gives the model input of one window as an app would make it.
"""
import numpy as np
import scipy.interpolate
import scipy.signal

G = 9.80665
# mean and std of the training, for the model's axes in its unit
FRONT_ENDS = {
    "wrist": dict(axes=[0, 1, 2], signs=[1, 1, 1], unit=[G] * 3, rate=100, to=50, steps=128, mean=[.8, -.4, 9.1], std=[3.1, 2.6, 2.2]),
    "imu": dict(axes=[0, 1, 2, 3, 4, 5], signs=[1] * 6, unit=[1, 1, 1] + [np.pi / 180] * 3, rate=50, steps=100,
                mean=[.5, 1.1, 9.6, .02, -.05, .01], std=[2.5, 3.5, 1.8, .9, 1.4, .6], codes=(.04, 7)),
    "counts": dict(axes=[0, 2, 1], signs=[1, -1, 1], unit=[1 / 16384] * 3, rate=200, steps=160, last=True, own="deviation", turned=True),
    "vibration": dict(axes=[0], signs=[1], unit=[1.0], rate=1000, steps=256, mean=[.05], std=[.31]),
}
RECIPES = {
    "wrist": "axes(x, y, z) | scale(9.80665) | rate(50, linear, from=100) | window(128) | normalize(mean=[0.8, -0.4, 9.1], std=[3.1, 2.6, 2.2])",
    "imu": "axes(a0, a1, a2, a3, a4, a5) | scale([1, 1, 1, 0.017453292519943295, 0.017453292519943295, 0.017453292519943295]) | window(100) | "
           "normalize(mean=[0.5, 1.1, 9.6, 0.02, -0.05, 0.01], std=[2.5, 3.5, 1.8, 0.9, 1.4, 0.6]) | quantize(model)",
    "counts": "axes(x, -z, y) | scale(1/16384) | window(160, at=end) | normalize(window=mean_variance) | layout(axes_first)",
    "vibration": "axes(x) | window(256) | normalize(mean=0.05, std=0.31)",
}
STEPS = {"wrist": 640, "imu": 320, "counts": 512, "vibration": 1100}
SHAPES = {"wrist": (1, 128, 3), "imu": (1, 100, 6), "counts": (1, 3, 160), "vibration": (1, 256, 1)}


def generated(front, seed=1):
    """Readings of a person who walks and turns, or of a machine; float32 [steps, axes] in the sensor's unit."""
    o, rng = FRONT_ENDS[front], np.random.default_rng([seed, len(front)])
    n, t = STEPS[front], np.arange(STEPS[front]) / FRONT_ENDS[front]["rate"]
    if front == "vibration":
        x = .3 * np.sin(2 * np.pi * (47 + seed) * t + .4 * np.sin(5 * t)) + .12 * np.sin(2 * np.pi * 141.3 * t) + .05 * rng.normal(size=n)
        return (x + .04)[:, None].astype(np.float32)
    step = 1.7 + .2 * rng.random()
    phase = 2 * np.pi * np.cumsum(step + .15 * np.sin(.7 * t + seed)) / o["rate"]
    columns = []
    for a in range(3):
        x = sum(rng.normal() / k * np.sin(k * phase + 6 * rng.random()) for k in range(1, 6))
        columns.append([.06, -.11, .97][a] + .22 * x + .02 * rng.normal(size=n))
    if front == "imu":
        columns = [G * c for c in columns]
        for a in range(3):
            x = sum(rng.normal() / k * np.cos(k * phase + 6 * rng.random()) for k in range(1, 4))
            columns.append((2, -4, 1)[a] + 45 * x + 1.5 * rng.normal(size=n))
    values = np.stack(columns, 1)
    if front == "counts":
        values = np.round(values * 16384)
    return values.astype(np.float32)


def app(front, readings, **faults):
    o = {**FRONT_ENDS[front], **faults}
    x = readings.astype(np.float64)
    # Rate.
    believed, to = o.get("believed", o["rate"]), o.get("to")
    if to and to != believed:
        at = np.arange(int(round(len(x) * to / believed))) * believed / to
        how = o.get("how", "linear")
        if how == "linear":
            x = np.stack([np.interp(at, np.arange(len(x)), x[:, a]) for a in range(x.shape[1])], 1)
        elif how == "every":
            x = x[np.minimum(np.floor(at + 1e-9).astype(int), len(x) - 1)]
        elif how == "average":
            k = int(round(believed / to))
            x = x[:len(x) // k * k].reshape(-1, k, x.shape[1]).mean(1)
        elif how == "poly":
            x = scipy.signal.resample_poly(x, int(to), int(believed), axis=0)
        elif how == "cubic":
            x = scipy.interpolate.CubicSpline(np.arange(len(x)), x)(at)
    # Window.
    n = o["steps"]
    begin = (len(x) - n if o.get("last") else 0) + o.get("late", 0)
    x = x[begin:begin + n] if begin >= 0 else np.concatenate([np.zeros((-begin, x.shape[1])), x[:n + begin]])
    if "read" in o:
        k = o["read"]
        x = np.concatenate([x[:k], np.repeat(x[k - 1:k], n - k, 0) if o.get("edge") else np.zeros((n - k, x.shape[1]))])
    if "ring" in o:
        x = np.roll(x, o["ring"], 0)
    if o.get("backwards"):
        x = x[::-1]
    # Axes, unit, normalisation.
    def taken(x):
        return x[:, o["axes"]] * np.array(o["signs"])
    if not o.get("axes_last"):
        x = taken(x)
    x = x * np.array(o["unit"])
    if o.get("mean") is not None:
        x = x - np.array(o["mean"])
    if o.get("std") is not None:
        x = x / np.array(o["std"])
    if o.get("own"):
        over = None if o.get("all") else 0
        if o["own"] == "range":
            x = (x - x.min(over)) / (x.max(over) - x.min(over))
        else:
            x = x - x.mean(over)
            if o["own"] in ("deviation", "sample deviation"):
                x = x / x.std(over, ddof=o["own"] == "sample deviation")
    if o.get("axes_last"):
        x = taken(x)
    x = x.astype(np.float32)
    if "foreign_last" in o:
        x = o["foreign_last"](x).astype(np.float32)
    # Faults in the delivery of readings.
    if o.get("turned"):
        x = np.ascontiguousarray(x.T)
    if not o.get("codes"):
        return x.reshape(SHAPES[front])
    scale, zero = o["codes"]
    y = x / np.float32(scale)
    q = {"nearest": np.floor(np.abs(y) + np.float32(.5)) * np.sign(y), "floor": np.floor(y), "cast": np.trunc(y + zero) - zero,
         "even": np.rint(y)}[o.get("rounding", "nearest")] + zero
    if o.get("wraps"):
        return q.astype(np.int64).astype(np.int8).reshape(SHAPES[front])
    q = np.clip(q, -128, 127)
    if o.get("unsigned"):
        return (q + 128).astype(np.uint8).view(np.int8).reshape(SHAPES[front])
    return q.astype(np.int8).reshape(SHAPES[front])


def faults(front):
    """(name, kinds that may be named, options of the app)"""
    o = FRONT_ENDS[front]
    n, u = len(o["axes"]), np.array(o["unit"], float)
    yield from (("times 9.80665", "unit", dict(unit=u * G)), ("divided by 9.80665", "unit", dict(unit=u / G)), ("divided by 9.81", "unit", dict(unit=u / 9.81)),
                ("thousandths", "unit", dict(unit=u * 1000)), ("divided by 1000", "unit", dict(unit=u / 1000)), ("degrees", "unit", dict(unit=u * 180 / np.pi)),
                ("no unit step", "unit", dict(unit=np.ones(n))), ("half range", "unit", dict(unit=u / 2)))
    if n > 1:
        swapped = [*o["axes"]]
        swapped[0], swapped[2] = swapped[2], swapped[0]
        yield from (("two axes exchanged", "axes", dict(axes=swapped)), ("axes rolled", "axes", dict(axes=[*o["axes"][1:3], o["axes"][0], *o["axes"][3:]])),
                    ("first axis twice", "axes", dict(axes=[o["axes"][0]] * 2 + o["axes"][2:])),
                    ("second axis negative", "axes", dict(signs=[o["signs"][0], -o["signs"][1], *o["signs"][2:]])))
    yield "all negative", "axes", dict(signs=[-s for s in o["signs"]])
    if o.get("mean") is not None and n > 1:
        yield "axes rolled behind", "axes|axes,normalisation", dict(axes=[*o["axes"][1:3], o["axes"][0], *o["axes"][3:]], axes_last=True)
    if o.get("to"):
        yield from (("not resampled", "rate", dict(to=None)), ("every second", "rate", dict(how="every")), ("averaged", "rate", dict(how="average")),
                    ("polyphase", "rate", dict(how="poly")), ("taken for 200 Hz", "rate", dict(believed=200)), ("taken for 52 Hz", "rate", dict(believed=52)),
                    ("to 25 Hz", "rate", dict(to=25)), ("to 62.5 Hz", "rate", dict(to=62.5)))
    else:
        yield from (("every second", "rate", dict(to=o["rate"] / 2, how="every")), ("averages of two", "rate", dict(to=o["rate"] / 2, how="average")),
                    ("twice the steps", "rate", dict(to=o["rate"] * 2)))
    yield from (("one late", "window", dict(late=-1 if o.get("last") else 1)), ("23 late", "window", dict(late=-23 if o.get("last") else 23)),
                ("other end", "window", dict(last=not o.get("last"))), ("newest first", "window", dict(backwards=True)), ("ring buffer", "window", dict(ring=37)),
                ("ends early, zeros", "window", dict(read=n * 0 + o["steps"] - 40)), ("ends early, last again", "window", dict(read=o["steps"] - 25, edge=True)))
    if o.get("mean") is not None:
        m, d = np.array(o["mean"]), np.array(o["std"])
        yield from (("not normalised", "normalisation", dict(mean=None, std=None)), ("mean alone", "normalisation", dict(std=None)),
                    ("deviation alone", "normalisation", dict(mean=None)), ("variance for deviation", "normalisation", dict(std=d * d)),
                    ("mean added", "normalisation", dict(mean=-m)),
                    ("other numbers", "normalisation|unit,normalisation", dict(mean=m * 1.13 + .02, std=d * .87)), ("other mean", "normalisation", dict(mean=m + .07)))
        if n > 1:
            yield from (("first axis's", "normalisation", dict(mean=m[0], std=d[0])), ("lists rolled", "normalisation", dict(mean=np.roll(m, 1), std=np.roll(d, 1))))
        yield from (("by the window", "normalisation", dict(mean=None, std=None, own="deviation")), ("the window's mean off", "normalisation", dict(own="mean")),
                    ("by the window's range", "normalisation", dict(mean=None, std=None, own="range")))
    else:
        yield from (("the window's mean alone", "normalisation", dict(own="mean")), ("by the window's range", "normalisation", dict(own="range")),
                    ("not normalised", "normalisation", dict(own=None)))
        if n > 1:
            yield "over all axes", "normalisation", dict(all=True)
    if n > 1:
        yield "other layout", "layout", dict(turned=not o.get("turned"))
    if o.get("codes"):
        s, z = o["codes"]
        yield from (("unsigned codes", "codes", dict(unsigned=True)), ("no zero point", "codes", dict(codes=(s, 0))), ("zero point off", "codes", dict(codes=(s, z - 12))),
                    ("cast", "codes", dict(codes=(1.0, 0), rounding="cast")), ("truncated", "codes", dict(rounding="cast")), ("floor", "codes", dict(rounding="floor")),
                    ("wraps round", "codes|codes,unit|unit", dict(wraps=True, unit=u)), ("1/64", "codes", dict(codes=(1 / 64, z))))


def foreign(front, readings, seed=0):
    """Changes that no recipe describes: (name, the app's readings, options)."""
    x, rng = readings.astype(np.float64), np.random.default_rng(seed)
    n = len(x)
    smooth = np.stack([np.convolve(x[:, a], np.ones(5) / 5, "same") for a in range(x.shape[1])], 1)
    yield "moving average", smooth, {}
    yield "median of 5", scipy.signal.medfilt(x, (5, 1)), {}
    yield "exponential smoothing", scipy.signal.lfilter([.3], [1, -.7], x, axis=0), {}
    yield "high pass", x - scipy.signal.lfilter([.1], [1, -.9], x, axis=0), {}
    yield "noise", x + x.std(0) * .05 * rng.normal(size=x.shape), {}
    yield "gain drifts", x * np.linspace(1, 1.2, n)[:, None], {}
    yield "offset drifts", x + x.std(0) * np.linspace(0, .5, n)[:, None], {}
    low, high = np.quantile(x, [.1, .9], axis=0)
    yield "clipped", np.clip(x, low, high), {}
    held = x.copy()
    for i in range(1, n):
        if i % 11 == 0:
            held[i] = held[i - 1]
    yield "readings held", held, {}
    yield "jitter", x[np.clip(np.arange(n) + rng.integers(-1, 2, n), 0, n - 1)], {}
    if x.shape[1] > 2:
        c, s = np.cos(.2), np.sin(.2)
        turned = x.copy()
        turned[:, 0], turned[:, 1] = c * x[:, 0] - s * x[:, 1], s * x[:, 0] + c * x[:, 1]
        yield "sensor turned by 11 degrees", turned, {}
        length = np.linalg.norm(x[:, :3], axis=1, keepdims=True)
        yield "divided by the length", np.concatenate([x[:, :3] / length, x[:, 3:]], 1), {}
    yield "coarse", np.round(x / (x.std(0) / 3)) * (x.std(0) / 3), {}
    yield "one axis of another window", np.concatenate([np.roll(x[:, :1], 9, 0), x[:, 1:]], 1) if x.shape[1] > 1 else x ** 3, {}
    yield "Hann on the window", x, dict(foreign_last=lambda y: y * np.hanning(len(y))[:, None])
    yield "by the window's RMS", x, dict(mean=None, std=None, own=None, foreign_last=lambda y: y / np.sqrt((y ** 2).mean()))
    yield "tanh", x, dict(foreign_last=np.tanh)
    if FRONT_ENDS[front].get("to"):
        yield "cubic", x, dict(how="cubic")
