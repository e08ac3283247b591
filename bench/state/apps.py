# SPDX-License-Identifier: Apache-2.0
"""An application that runs a network with states in the engine's own Python, and mistakes of such applications. The faults are NumPy code on the
application's own buffers, without code of the search.
"""
import numpy as np

import models

LENGTHS = (9, 7, 1, 8, 6)  #: Steps of each sequence.


def engine(name, path, wrap=lambda one: one):
    """A function from inputs by name to outputs by name."""
    if models.SUFFIX[name] == "onnx":
        import onnxruntime
        session = wrap(onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]))
        names = [one.name for one in session.get_outputs()]
        return lambda feeds: dict(zip(names, session.run(None, feeds)))
    from ai_edge_litert.interpreter import Interpreter
    interpreter = Interpreter(str(path))
    interpreter.allocate_tensors()
    interpreter = wrap(interpreter)
    inputs = {one["name"]: one["index"] for one in interpreter.get_input_details()}
    outputs = {one["name"]: one["index"] for one in interpreter.get_output_details()}

    def invoke(feeds):
        for key, value in feeds.items():
            interpreter.set_tensor(inputs[key], value)
        interpreter.invoke()
        return {key: interpreter.get_tensor(index) for key, index in outputs.items()}
    return invoke


class App:
    """Feeds states back from step to step. `fault(self)` runs in every step, after the correct copy, and spoils `self.fed`."""

    def __init__(self, name, fault=None, seed=0, lengths=LENGTHS, initial=0.0):
        self.name, self.fault, self.lengths = name, fault, lengths
        self.random, self.noise = np.random.default_rng(seed), np.random.default_rng(99)
        self.states = {key: output for key, (output, _) in models.STATES[name].items()}
        self.initial = {key: np.full(shape, initial, np.float32) for key, (_, shape) in models.STATES[name].items()}
        self.number, self.counter, self.made, self.before, self.fed = -1, 0, [], {}, {}

    def run(self, infer, frame):
        """`frame(begins)`: a context for one step."""
        for length in self.lengths:
            for self.step in range(length):
                self.number += 1
                self.begins, self.counter = self.step == 0, self.step
                self.before = self.fed
                self.fed = {key: (self.initial[key] if self.begins else self.made[-1][output]).copy() for key, output in self.states.items()}
                if self.fault:
                    self.fault(self)
                feeds = {"x": self.random.normal(0, 1, models.SHAPES[self.name]).astype(np.float32), **self.fed}
                if self.name in models.COUNTERS:
                    feeds[models.COUNTERS[self.name]] = np.array([self.counter], np.int64)
                with frame(self.begins):
                    made = infer(feeds)
                self.made.append({key: np.array(value) for key, value in made.items()})


# ---- faults ------------------------------------------------------------------------------------------------------------
def each(change, states=None, first=True):
    """A fault in every step, in all states or in those at these positions."""
    def fault(app):
        for place, key in enumerate(app.fed):
            if (states is None or place in states) and (first or not app.begins):
                app.fed[key] = np.asarray(change(app, key), np.float32).reshape(app.fed[key].shape)
    return fault


def at(steps, change, states=None):
    """The same fault in single steps."""
    inner = each(change, states)
    return lambda app: inner(app) if app.number in steps else None


def value(function):
    return lambda app, key: function(app.fed[key])


def initial(app, key):
    return app.initial[key]


def from_bits(values, mask, add=0):
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + (add + ((bits >> 16) & 1) if add else 0)) & np.uint32(mask)).astype(np.uint32).view(np.float32)


def int8_symmetric(values):
    scale = np.float32(np.abs(values).max() / 127) or np.float32(1)
    return np.clip(np.rint(values / scale), -127, 127).astype(np.int8).astype(np.float32) * scale


def uint8_between(values):
    low, high = values.min(), values.max()
    scale = np.float32((high - low) / 255) or np.float32(1)
    return np.rint((values - low) / scale).astype(np.uint8).astype(np.float32) * scale + low


def int8_fixed(values):
    return np.clip(np.rint(values * 64), -128, 127).astype(np.int8).astype(np.float32) / np.float32(64)


def text(digits):
    return lambda values: np.array([float(f"{v:.{digits}f}") for v in values.reshape(-1)], np.float32)


def exchanged(app):
    if not app.begins:
        a, b = list(app.fed)
        app.fed[a], app.fed[b] = app.fed[b].reshape(app.fed[a].shape), app.fed[a].reshape(app.fed[b].shape)


def other_output(app):
    if not app.begins:
        a, b = list(app.fed)
        app.fed[b] = app.made[-1][app.states[a]].reshape(app.fed[b].shape)


def late(steps):
    def fault(app):
        for key, output in app.states.items():
            if not app.begins:
                app.fed[key] = app.made[-1 - steps][output].copy() if app.step > steps else app.initial[key].copy()
    return fault


def kept(at_steps):
    def fault(app):
        if app.number in at_steps:
            app.fed = {key: one.copy() for key, one in app.before.items()}
    return fault


def half(at_steps, mixed=False):
    """The next inference begins while the copy is under way: the buffer contains the old state from some position on."""
    def fault(app):
        if app.number in at_steps:
            for key in app.fed:
                new, old = app.fed[key].reshape(-1), app.before[key].reshape(-1)
                old_at = app.noise.random(new.size) < 0.5 if mixed else np.arange(new.size) >= new.size // 3
                app.fed[key] = np.where(old_at, old, new).astype(np.float32).reshape(app.fed[key].shape)
    return fault


def nan_at(step):
    def fault(app):
        if app.number == step:
            next(iter(app.fed.values())).reshape(-1)[1] = np.nan
    return fault


def not_reset(beginnings=None):
    def fault(app):
        if app.begins and app.number and (beginnings is None or app.number in beginnings):
            app.fed = {key: app.made[-1][output].copy() for key, output in app.states.items()}
    return fault


def other_initial(app):
    if app.begins:
        app.fed = {key: np.full_like(one, 0.5) for key, one in app.fed.items()}


def both(*faults):
    def fault(app):
        for one in faults:
            one(app)
    return fault


def counter(change):
    def fault(app):
        app.counter = change(app)
    return fault


def transposed(app, key):
    one = app.fed[key]
    axes = [axis for axis, size in enumerate(one.shape) if size > 1]
    return one.swapaxes(*axes).reshape(one.shape) if len(axes) == 2 else one


#: Name -> (fault, what the cause says, the first bad frame, networks; None: all).
TWO, LAYERS = ("lstm", "cell"), ("lstm",)
FAULTS = {
    "never fed back": (each(initial), r"not fed back", 1, None),
    "one of two never fed back": (each(initial, (1,)), r"state '[cm]' is not fed back", 1, TWO),
    "not fed back from a step on": (at(range(12, 99), initial), r"not fed back.*from frame 12 on", 12, None),
    "set back every 4 steps": (lambda app: each(initial)(app) if app.step % 4 == 0 else None, r"set back.*every 4\. step", 4, None),
    "set back in two steps": (at((5, 20), initial), r"set back.* in 2 of", 5, None),
    "exchanged": (exchanged, r"exchanged", 1, TWO),
    "exchanged in one step": (lambda app: exchanged(app) if app.number == 6 else None, r"exchanged.* in 1 of", 6, TWO),
    "another output": (other_output, r"fed with output 'h_out' in place of '[cm]_out'", 1, TWO),
    "one step late": (late(1), r"1 step late", 1, None),
    "two steps late": (late(2), r"2 steps late", 1, None),
    "three steps late": (late(3), r"3 steps late", 1, None),
    "kept once": (kept((4,)), r"(not copied|1 step late)", 4, None),
    "kept for three steps": (kept((11, 12, 13)), r"not copied", 11, None),
    "float16": (each(value(lambda v: v.astype(np.float16))), r"rounded to float16, in every step", 1, None),
    "bfloat16": (each(value(lambda v: from_bits(v, 0xFFFF0000, 0x7FFF))), r"rounded to bfloat16", 1, None),
    "bfloat16, cut": (each(value(lambda v: from_bits(v, 0xFFFF0000))), r"cut off to bfloat16", 1, None),
    "int8, by the largest": (each(value(int8_symmetric)), r"rounded to 8 bits", 1, None),
    "uint8, least to most": (each(value(uint8_between)), r"rounded to 8 bits", 1, None),
    "int8, one scale": (each(value(int8_fixed)), r"rounded to 8 bits", 1, None),
    "text of 3 decimals": (each(value(text(3))), r"rounded to 3 decimals", 1, None),
    "layers exchanged": (each(value(lambda v: v[::-1])), r"axis 0 \(its layers\) exchanged", 1, LAYERS),
    "axes transposed": (each(transposed), r"axes 0 and 2 transposed", 1, LAYERS),
    "negated": (each(value(np.negative)), r"negated", 1, None),
    "half copied": (half((3, 11, 20)), r"half copied", 3, None),
    "half copied, mixed": (half((3, 5, 11, 12, 20)), r"half copied", 3, None),
    "NaN": (nan_at(13), r"NaN", 13, None),
    "not reset": (not_reset(), r"not set back where a sequence begins.*every beginning", 9, None),
    "not reset once": (not_reset((16,)), r"not set back where a sequence begins.*1 beginning", 16, None),
    "another initial value": (other_initial, r"begins? sequences with another value than the reference", 0, None),
}
COUNTER_FAULTS = {
    "counter one too high": (counter(lambda app: app.step + 1), r"1 too high in every step", 0),
    "counter stuck": (counter(lambda app: 0), r"never advances", 1),
    "counter not set back": (counter(lambda app: app.number), r"not set back", 9),
    "counter by two": (counter(lambda app: 2 * app.step), r"advances by 2 a step", 1),
}
#: Pairs of faults, with the words that the causes must contain.
PAIRS = {
    "float16, and set back": (both(at((12,), initial), each(value(lambda v: v.astype(np.float16)))), (r"float16", r"set back"), None),
    "not reset, and float16": (both(not_reset(), each(value(lambda v: v.astype(np.float16)))), (r"float16", r"not set back where"), None),
    "exchanged, and float16": (both(exchanged, each(value(lambda v: v.astype(np.float16)))), (r"exchanged", r"float16"), TWO),
    "one late, one rounded": (both(lambda app: late(1)(app), each(value(lambda v: v.astype(np.float16)), (1,))), (r"late", r"float16"), TWO),
    "late, and half copied": (both(late(1), at((20,), lambda app, key: np.where(np.arange(app.fed[key].size) < 4, app.made[-1][app.states[key]].reshape(-1), app.fed[key].reshape(-1)))),
                              (r"late",), None),
    "int8, and not reset once": (both(not_reset((16,)), each(value(int8_symmetric))), (r"8 bits", r"not set back where"), None),
    "kept once, and set back": (both(kept((4,)), at((20,), initial)), (r"not copied|late", r"set back"), None),
    "negated, and set back": (both(at((20,), initial), each(value(np.negative))), (r"negated", r"set back"), None),
}


def mean_of_two(app, key):
    return app.fed[key] if app.step < 2 else (app.fed[key] + app.made[-2][app.states[key]]) / 2


def larger_of_two(app, key):
    return app.fed[key] if app.step < 2 else np.maximum(app.fed[key], app.made[-2][app.states[key]])


#: Faults that are not in the list: they may be reported as unknown, but never confirmed.
FOREIGN = {
    "times 0.9": each(value(lambda v: v * np.float32(0.9))),
    "noise": each(lambda app, key: app.fed[key] + app.noise.normal(0, 0.05, app.fed[key].shape), first=False),
    "clipped": each(value(lambda v: np.clip(v, -0.2, 0.2))),
    "negative values dropped": each(value(lambda v: np.maximum(v, 0))),
    "small values dropped": each(value(lambda v: np.where(np.abs(v) < 0.2, 0, v))),
    "mean of two steps": each(mean_of_two),
    "larger of two steps": each(larger_of_two),
    "moved by one": each(value(lambda v: np.roll(v, 1))),
    "normalised": each(value(lambda v: v / np.sqrt((v * v).sum() + 1e-6))),
    "smoothed": each(lambda app, key: app.fed[key] if app.begins else 0.8 * app.fed[key] + 0.2 * app.before[key]),
    "an offset": each(value(lambda v: v + np.float32(0.1)), first=False),
    "one value stuck": each(value(lambda v: np.concatenate([[0.7], v.reshape(-1)[1:]])), first=False),
}


# ---- states inside the model: when they are reset -----------------------------------------------------------------------------
#: Name -> (is the state reset before this step?, words of the cause); `begins`: numbers of the steps that begin a sequence.
RESETS = {
    "before every step": (lambda step, begins: True, r"set back before every step"),
    "never": (lambda step, begins: False, r"never set back"),
    "one step late": (lambda step, begins: step - 1 in begins, r"set back one step late"),
    "one step early": (lambda step, begins: step + 1 in begins, r"set back one step early"),
    "every other": (lambda step, begins: step in begins[::2], r"every other beginning"),
}


def run_inner(path, wrap, frame, is_reset, lengths=LENGTHS, seed=0):
    from ai_edge_litert.interpreter import Interpreter
    plain = Interpreter(str(path))
    plain.allocate_tensors()
    interpreter, random = wrap(plain), np.random.default_rng(seed)
    begins = np.cumsum((0, *lengths[:-1])).tolist()
    given = interpreter.get_input_details()[0]["index"]
    for step in range(sum(lengths)):
        if is_reset(step, begins):
            plain.reset_all_variables()
        with frame():
            interpreter.set_tensor(given, random.normal(0, 1, (1, 1, models.INPUTS)).astype(np.float32))
            interpreter.invoke()
    return begins
