# SPDX-License-Identifier: Apache-2.0
"""Post-processing as in apps, in float32 NumPy, with typical mistakes. Shares no code with the search."""
import numpy as np

F = np.float32


def exp_norm(v):
    e = np.exp(v - np.max(v))
    return (e / np.sum(e)).astype(F)


def squash(v):
    return (F(1) / (F(1) + np.exp(-v.astype(np.float64)))).astype(F)


class App:
    """The behaviour of an app as switches; the defaults are those of a correct app."""

    def __init__(self, **switches):
        self.read = "values"          # how stored numbers become real ones
        self.act = ()                 # functions, one after the other
        self.best_first = True        # False: worst first; None: unsorted
        self.k = None
        self.least = None
        self.names = None             # a list: class -> text
        self.drop_first = 0           # number of leading classes that are cut off, which shifts all class numbers
        self.ignore_first = False     # the first class is never reported
        self.move = 0                 # offset that is added to the class before its name is looked up
        self.times = F(1)
        self.digits = None            # decimals that are kept
        self.mix = None               # "rank": names by rank; "plain": scores by class
        self.which = 0
        self.label_only = False
        self.after = None             # any other fault, applied to the finished list of (text, score)
        self.on_scores = None         # any other fault, applied to all scores
        for key, value in switches.items():
            assert hasattr(self, key), key
            setattr(self, key, value)

    def real(self, stored, scale, zero):
        if stored.dtype.kind == "f" or not scale:
            return stored.astype(F).reshape(-1)
        how = self.read
        if how.startswith("twisted"):
            stored = stored.view(np.uint8 if stored.dtype == np.int8 else np.int8)
        codes = stored.astype(F).reshape(-1)
        if how.endswith("codes"):
            return codes
        if how == "of255":
            return ((codes + F(128)) if stored.dtype == np.int8 else codes) / F(255)
        if how.endswith("no zero"):
            return codes * F(scale)
        return (codes - F(zero)) * F(scale)

    def answer(self, outputs):
        v = self.real(*outputs[self.which])
        for function in self.act:
            v = function(v)
        if self.on_scores:
            v = self.on_scores(v)
        v = v[self.drop_first:]
        if self.best_first is None:
            order = list(range(len(v)))
        else:
            order = np.argsort(-v if self.best_first else v, kind="stable").tolist()
        if self.ignore_first:
            order = [i for i in order if i != 0]
        if self.k is not None:
            order = order[:self.k]
        if self.least is not None:
            order = [i for i in order if v[i] >= F(self.least)]
        out = []
        for rank, i in enumerate(order):
            line = (rank if self.mix == "rank" else i) + self.move
            text = self.names[line] if 0 <= line < len(self.names) else ""
            score = v[rank] if self.mix == "plain" else v[i]
            score = F(score * self.times)
            if self.digits is not None:
                score = F(round(float(score), self.digits))
            out.append((text, score))
        return self.after(out) if self.after else out


ACTIVATIONS = {
    "none": (), "softmax": (exp_norm,), "softmax+softmax": (exp_norm, exp_norm), "sigmoid": (squash,),
    "sigmoid+sigmoid": (squash, squash), "sigmoid+softmax": (squash, exp_norm), "softmax+sigmoid": (exp_norm, squash),
    "log_softmax": (lambda v: (v - np.max(v) - np.log(np.sum(np.exp(v - np.max(v))))).astype(F),),
    "share": (lambda v: (v / np.sum(v)).astype(F),), "exp": (np.exp,), "of_largest": (lambda v: v / np.max(v),),
    "softmax+of_largest": (exp_norm, lambda v: v / np.max(v)),
    "stretch": (lambda v: (v - v.min()) / (v.max() - v.min()),),
    "batch_softmax": (lambda v: np.exp(v[None] - v[None].max(0))[0] / np.exp(v[None] - v[None].max(0)).sum(0),),
}


def text_order(n):
    return sorted(range(n), key=str)


def faults(model, base):
    """name -> (changed switches, words that the search must name). `base`: the switches of the correct app."""
    n, names = len(model.labels), model.labels
    out = {}
    for name, act in ACTIVATIONS.items():
        if [f.__code__.co_code if hasattr(f, "__code__") else f for f in act] != \
                [f.__code__.co_code if hasattr(f, "__code__") else f for f in base["act"]]:
            out[f"activation {name}"] = ({"act": act}, f"activation={name}")
    if model.outputs[0][0][0].dtype.kind != "f":
        for how, word in (("codes", "codes"), ("no zero", "no_zero_point"), ("of255", "of_255"), ("twisted", "flipped_sign"),
                          ("twisted codes", "flipped_codes"), ("twisted no zero", "flipped_no_zero_point")):
            out[f"read {how}"] = ({"read": how}, f"reading={word}")
    out["worst first"] = ({"best_first": False}, "order=ascending")
    out["not sorted"] = ({"best_first": None}, "order=none")
    out["per cent"] = ({"times": F(100)}, "percent=changed")
    out["names by rank"] = ({"mix": "rank"}, "pairing=rank_for_class")
    out["scores by class"] = ({"mix": "plain"}, "pairing=scores_unsorted")
    out["first class cut"] = ({"drop_first": 1}, "skip=1")
    out["first class never"] = ({"ignore_first": True}, "left_out=1")
    for move in (-1, 1, 2):
        out[f"moved {move}"] = ({"move": move}, f"shift={move}")
    out["alphabetical"] = ({"names": sorted(names)}, "table=alphabetical")
    out["alphabetical, no case"] = ({"names": sorted(names, key=str.lower)}, "table=no_case")
    out["numbers as text"] = ({"names": [names[i] for i in text_order(n)]}, "table=as_text")
    out["reversed"] = ({"names": names[::-1]}, "table=reversed")
    out["numbers for names"] = ({"names": [str(i) for i in range(n)]}, "table=numbers")
    if model.other:
        out["another file"] = ({"names": model.other}, "table=other")
    for at in (n // 4, n // 2):
        out[f"line {at} lost"] = ({"names": names[:at] + names[at + 1:]}, ("table=line_lost", at))
        out[f"line {at} added"] = ({"names": names[:at] + ["# comment"] + names[at:]}, ("table=line_added", at))
    mixed = np.random.default_rng(n).permutation(n)
    out["own table"] = ({"names": [names[i] for i in mixed]}, "table=own_table")
    for k in (1, 2, 4, 7):
        if k != base["k"]:
            out[f"top {k}"] = ({"k": k}, f"most={min(k, n)}")
    out["all classes"] = ({"k": None}, "most=all")
    for least in (0.1, 0.25, 0.4, 0.003):
        if least != base["least"]:
            out[f"least {least}"] = ({"least": least}, ("threshold=", least))
    if base["least"] is not None:
        out["no least score"] = ({"least": None}, "threshold=none")
    return out


def foreign(model, base, rng):
    """Faults that are in no list: name -> changed switches."""
    n, names = len(model.labels), model.labels
    temperature = lambda t: (lambda v: exp_norm(v / F(t)))
    last = base["act"]
    scaled = lambda f: {"on_scores": f}
    out = {
        "temperature 2": {"act": (temperature(2.0),)}, "temperature 0.5": {"act": (temperature(0.5),)},
        "temperature 1.1": {"act": (temperature(1.1),)}, "tanh": {"act": last + (np.tanh,)},
        "square root": scaled(lambda v: np.sqrt(np.abs(v))), "square": scaled(lambda v: v * v),
        "times 0.7616": scaled(lambda v: v * F(0.7616)), "times 1.02": scaled(lambda v: v * F(1.02)),
        "plus 0.01": scaled(lambda v: v + F(0.01)), "erf-like": scaled(lambda v: v / np.sqrt(1 + v * v)),
        "relu6 / 6": scaled(lambda v: np.clip(v, 0, 6) / F(6)), "hard sigmoid": {"act": (lambda v: np.clip(v / F(6) + F(0.5), 0, 1).astype(F),)},
        "softmax base 2": {"act": (lambda v: (np.exp2(v - v.max()) / np.exp2(v - v.max()).sum()).astype(F),)},
        "softplus": {"act": (lambda v: np.log1p(np.exp(-np.abs(v))) + np.maximum(v, 0),)},
        "mean off": scaled(lambda v: v - v.mean()), "smoothed labels": scaled(lambda v: v * F(0.9) + F(0.1 / n)),
        "down to 2 decimals": scaled(lambda v: np.floor(v * 100) / 100), "in steps of 0.03": scaled(lambda v: np.rint(v / F(0.03)) * F(0.03)),
        "noise": scaled(lambda v: v + rng.normal(0, 0.02, v.shape).astype(F)), "one minus": scaled(lambda v: F(1) - v),
        "random names": {"after": lambda a: [(names[rng.integers(n)], s) for _, s in a]},
        "names mixed in a frame": {"after": lambda a: list(zip([a[i][0] for i in rng.permutation(len(a))], [s for _, s in a]))},
        "scores mixed in a frame": {"after": lambda a: list(zip([t for t, _ in a], [a[i][1] for i in rng.permutation(len(a))]))},
        "names of the frame before": {"after": Late()}, "some left out": {"after": lambda a: [x for x in a if rng.random() < 0.6]},
        "second of two": {"after": lambda a: a[1::2]}, "scores of one class for all": {"after": lambda a: [(t, a[0][1]) for t, _ in a]},
        "16 levels": scaled(lambda v: np.rint(v * 15) / 15), "another model's scores": scaled(lambda v: rng.permutation(v)),
        "scores of pairs": scaled(lambda v: (v + np.roll(v, 1)) / F(2)), "scores of two frames": scaled(Blend()),
    }
    return out


class Blend:
    """The mean of the scores of this frame and the one before."""

    def __init__(self):
        self.last = None

    def __call__(self, scores):
        mean = scores if self.last is None else (scores + self.last) / F(2)
        self.last = scores
        return mean


class Late:
    """Returns the names of the frame before."""

    def __init__(self):
        self.last = None

    def __call__(self, answer):
        now, self.last = self.last, [t for t, _ in answer]
        return answer if now is None else [(now[i] if i < len(now) else t, s) for i, (t, s) in enumerate(answer)]
