# SPDX-License-Identifier: Apache-2.0
"""Plants faults in the post-processing of embedding models and anomaly detectors and counts which of them the search names.

    numbers_bench.py SEARCH_NUMBERS [--data DIR] [--pairs N] [--verbose]

DIR: the shared models; without it only our own encoder and auto-encoder. A case is without effect if every answer stays as it was to
the tolerances of the search. `named`: first of the explanations; `shared`: among those that fit as well; `wrong`: an exact recipe
that is another one.
"""
import argparse
import collections
import copy
import itertools
import pathlib
import random
import subprocess
import tempfile

import numpy as np

import app
import recorded

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
F = np.float32


def vector_switches(recipe):
    return {"output": 0, "read": "values", "pool": recipe.split("pool(")[1].split(",")[0].split(")")[0], "padding": False, "special": False,
            "norm": recipe.split("normalize(")[1].split(")")[0], "length": None, "cut behind": False, "bits": None}


def score_switches(recipe, threshold):
    measure = recipe.split("score(")[1].split(",")[0].split(")")[0]
    windows = recipe.split("windows=")[1].split(")")[0] if "windows=" in recipe else "mean"
    return {"read": "values", "measure": measure, "windows": windows, "threshold": threshold, "alarm below": False}


def vector_faults(model, base):
    """Fault -> (changed switches, accepted words in the answer of the search)."""
    width = model.frames[0][1][0].shape[-1]
    out = {f"pool {p}": ({"pool": p}, [w]) for p, w in (("mean", "the mean of the rows"), ("first", "takes the first row"), ("last", "takes the last row"), ("max", "largest of each column"),
                                                     ("sum", "the sum of the rows"), ("none", "without pooling")) if p != base["pool"]}
    out |= {f"norm {n}": ({"norm": n}, [w]) for n, w in (("none", "does not normalise"), ("l2", "L2 norm"), ("l1", "L1 norm"), ("max", "its largest number"), ("min_max", "stretches the vector")) if n != base["norm"]}
    out["special tokens left out"] = ({"special": True}, ["first and the last row out"])
    out["cut"] = ({"length": width // 2}, [f"first {width // 2} numbers"])
    out["cut behind the norm"] = ({"length": width // 4, "cut behind": True}, [f"first {width // 4} numbers, after the norm"])
    out["8 bits"] = ({"bits": "values"}, ["rounds the vector to 8 bits"])
    out["codes of 8 bits"] = ({"bits": "codes"}, ["hands on codes of 8 bits"])
    if model.masked:
        out["padding counted"] = ({"padding": True}, ["counts padding"])
    if len(model.frames[0][1]) > 1:
        out["other output"] = ({"output": 1}, ["reads output 1"])
    return out | readings(model)


def readings(model):
    return {k: ({"read": k}, [w]) for k, w in (("codes for values", "codes"), ("no zero point", "without"), ("sign confused", "signed codes"))} if model.outputs[0][0] else {}


def score_faults(model, base, scores):
    words = {"mse": "mean squared error of", "mae": "mean absolute error", "rmse": "root of the mean squared", "sse": "sum of squared", "sae": "sum of absolute", "l2": "L2 norm",
             "max_square": "largest squared", "max_absolute": "largest absolute"}
    out = {f"measure {m}": ({"measure": m}, [w]) for m, w in words.items() if m != base["measure"]}
    kinds = {"mean": "mean over the windows", "max": "largest of the windows", "median": "median of the windows", "first": "first window", "last": "last window", "sum": "sum over the windows"}
    out |= {f"windows {k}": ({"windows": k}, [w]) for k, w in kinds.items() if k != base["windows"]}
    for name, share in (("lower threshold", 0.25), ("higher threshold", 0.9)):
        out[name] = ({"threshold": float(np.quantile(scores, share) * 1.0001)}, ["alarm at another score"])
    out["alarm below"] = ({"alarm below": True}, ["alarm below the threshold"])
    return out | readings(model)


class Late:
    def __init__(self):
        self.last = None

    def __call__(self, value):
        now, self.last = self.last, value
        return value if now is None else now


class Blend(Late):
    def __call__(self, value):
        now, self.last = self.last, value
        return value if now is None else (F(0.7) * np.asarray(now) + F(0.3) * np.asarray(value))


def foreign_vectors(dice, width):
    """Faults that are in no list: name -> function of (right vector, rows)."""
    order, noise = dice.permutation(width), dice.normal(0, 0.02, width)
    norm = lambda v: v / np.linalg.norm(v)
    return {"times 1.1": lambda v, r: v * 1.1, "times 100": lambda v, r: v * 100, "plus 0.01": lambda v, r: v + 0.01 * np.abs(v).max(), "noise": lambda v, r: v * (1 + dice.normal(0, 0.01, v.size)),
            "fixed noise": lambda v, r: v + np.abs(v).max() * np.resize(noise, v.size), "other order": lambda v, r: np.resize(v, width)[order], "reversed": lambda v, r: v[::-1],
            "late": (late := Late()) and (lambda v, r: late(v)), "absolute": lambda v, r: np.abs(v) if (v < 0).any() else np.sqrt(v), "relu": lambda v, r: np.maximum(v - np.median(v), 0),
            "tanh": lambda v, r: np.tanh(3 * v / np.abs(v).max()), "clipped": lambda v, r: np.clip(v, -np.abs(v).max() / 2, np.abs(v).max() / 2), "centred": lambda v, r: norm(v - v.mean()),
            "standardised": lambda v, r: (v - v.mean()) / v.std(), "rows normalised": lambda v, r: (r / np.linalg.norm(r, axis=1, keepdims=True)).mean(0), "half of the rows": lambda v, r: norm(r[: len(r) // 3].mean(0)),
            "median of the rows": lambda v, r: norm(np.median(r, 0)), "weighted by place": lambda v, r: norm((r * np.arange(1, len(r) + 1)[:, None]).sum(0)), "third norm": lambda v, r: v / (np.abs(v) ** 3).sum() ** (1 / 3),
            "4 bits": lambda v, r: np.rint(v / np.abs(v).max() * 7) / 7, "softmax": lambda v, r: np.exp(v) / np.exp(v).sum(), "blend": (blend := Blend()) and (lambda v, r: np.asarray(blend(v))),
            "one number off": lambda v, r: np.where(np.arange(v.size) == np.abs(v).argmax(), 1.2 * v, v), "root mean square": lambda v, r: v / np.sqrt((v * v).mean()), "between quantiles": lambda v, r: (v - np.quantile(v, 0.05)) / (np.quantile(v, 0.95) - np.quantile(v, 0.05) + 1e-9)}


def foreign_scores(dice):
    """name -> function of (right score, differences [windows, n])."""
    late, blend = Late(), Blend()
    return {"log": lambda s, d: np.log(s), "times 1.7": lambda s, d: 1.7 * s, "plus 1": lambda s, d: s + 1, "cube": lambda s, d: s ** 3, "huber": lambda s, d: np.where(np.abs(d) < 1, d * d / 2, np.abs(d) - 0.5).mean(),
            "90th percentile": lambda s, d: np.quantile((d * d).mean(1), 0.9) * 1.01, "top 3": lambda s, d: np.sort(np.abs(d).mean(1))[-3:].mean() * 0.9, "deviation": lambda s, d: d.std() * 1.3, "late": lambda s, d: late(s),
            "smoothed": lambda s, d: float(blend(s)), "half of the features": lambda s, d: (d[:, : d.shape[1] // 2] ** 2).mean(), "noise": lambda s, d: s * (1 + dice.normal(0, 0.02)), "bias alone": lambda s, d: abs(d.mean()),
            "median of squares": lambda s, d: np.median(d * d), "capped": lambda s, d: np.minimum(np.abs(d), 2).mean() * 0.97, "relative": lambda s, d: s / 37.3, "random": lambda s, d: dice.uniform(0.1, 10)}


class Bench:
    def __init__(self, tool, model, folder):
        self.tool, self.model, self.path, self.is_vector = tool, model, folder / "case.npz", "pool(" in model.recipe
        self.recipe = model.recipe
        if self.is_vector:
            self.base = vector_switches(model.recipe)
            self.faults = vector_faults(model, self.base)
            return
        base = score_switches(model.recipe, 0.0)
        scores = sorted(app.score(o, i, model.inputs + model.outputs, base)[0] for i, o in model.frames)
        at = float(f"{(scores[-4] + scores[-5]) / 2:.3g}")
        self.recipe = model.recipe.split("threshold(")[0] + f"threshold({at:g})"
        self.base = base | {"threshold": at}
        self.faults = score_faults(model, self.base, scores)

    def answers(self, changed, frames, broken=None):
        how, out = self.base | changed, []
        for inputs, outputs in frames:
            if self.is_vector:
                mask = inputs[1] if self.model.masked else None
                vector = app.vector(outputs, mask, self.model.outputs, how)
                if broken:
                    rows = app.real(outputs[0], self.model.outputs[0]).reshape(-1, outputs[0].shape[-1])
                    vector = broken(vector.astype(float), rows[: int(mask.sum())] if self.model.masked else rows)
                out.append(np.asarray(vector, F))
            else:
                score, alarm = app.score(outputs, inputs, self.model.inputs + self.model.outputs, how)
                if broken:
                    d = [app.real(a, q) for a, q in zip((inputs[0], outputs[0]), self.model.inputs + self.model.outputs)]
                    score = float(broken(score, (d[1] - d[0]).reshape(len(d[0]), -1)))
                    alarm = score >= how["threshold"]
                out.append((F(score), alarm))
        return out

    def ask(self, answers, frames):
        arrays = {}
        for f, ((inputs, outputs), answer) in enumerate(zip(frames, answers)):
            arrays |= {f"i{f}_{k}": x.astype(np.int32) if x.dtype == np.int64 else x for k, x in enumerate(inputs)} | {f"o{f}_{k}": x for k, x in enumerate(outputs)}
            arrays |= {f"v{f}": answer} if self.is_vector else {f"s{f}": np.array([answer[0]], F), f"a{f}": np.array([answer[1]], F)}
        for kind, all_of in (("i", self.model.inputs), ("o", self.model.outputs)):
            arrays |= {f"q{kind}{k}": np.array(q, F) for k, q in enumerate(all_of) if q[0]}
        np.savez(self.path, **arrays)
        self.tool.stdin.write(f"{self.path} {self.recipe}\n")
        self.tool.stdin.flush()
        line = self.tool.stdout.readline().strip()
        if line.startswith("error") or not line:
            raise SystemExit(f"{self.model.name}: {self.recipe}: {line}")
        head, *explanations = line.split(" | ")
        status, proven, _, microseconds = head.split()
        return status, proven == "1", [[c.strip() for c in e.split(";") if c.strip()] for e in explanations], int(microseconds) / 1e6, line

    def same(self, a, b):
        for x, y in zip(a, b):
            if self.is_vector and (x.shape != y.shape or not np.linalg.norm(x - y) <= 1e-4 * np.linalg.norm(x)):
                return False
            if not self.is_vector and (not abs(x[0] - y[0]) <= 1e-4 * abs(x[0]) or x[1] != y[1]):
                return False
        return True

    def verdict(self, names, frames):
        changed, right = {}, self.answers({}, frames)
        for name in names:
            changed |= self.faults[name][0]
        answers = self.answers(changed, frames)
        status, proven, explanations, took, line = self.ask(answers, frames)
        if self.same(answers, right):
            return ("no effect" if status == "agrees" else "ALARM"), took, line
        # Faults that change nothing in addition to the others.
        needed = []
        for name in names:
            rest = {}
            for other in names:
                rest |= self.faults[other][0] if other != name else {}
            if not self.same(answers, self.answers(rest, frames)):
                needed.append(name)
        exact = status in ("exact", "some_frames")
        fits = [len(e) == len(needed) and all(any(w in c for c in e for w in self.faults[n][1]) for n in needed) for e in explanations]
        known = [all(any(w in c for n in names for w in self.faults[n][1]) for c in e) for e in explanations]
        verdict = ("missed: agrees" if status == "agrees" else status if not exact else "named" if fits[0] else "shared" if any(fits) else
                   "one of two" if known[0] else "one change that does the same" if len(explanations[0]) < len(needed) else "WRONG, CONFIRMED" if proven else "wrong, not confirmed")
        if verdict in ("named", "shared"):
            verdict += " (proven)" if proven else " (likely)"
        return verdict, took, line


def healthy(bench, frames):
    """Right answers in the forms in which apps pass them on."""
    right = bench.answers({}, frames)
    if bench.is_vector:
        yield "as it is", right
        yield "float64", [np.asarray(v, np.float64).astype(F) for v in right]
        yield "float16", [v.astype(np.float16).astype(F) for v in right]
        for digits in (4, 5, 6):
            yield f"{digits} decimals", [np.round(v.astype(float), digits).astype(F) for v in right]
    else:
        yield "as it is", right
        for digits in (1, 2, 3):
            yield f"{digits} decimals", [(F(round(float(s), digits)), a) for s, a in right]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--data", default="")
    parser.add_argument("--pairs", type=int, default=0, help="random pairs for each model; -1: all")
    parser.add_argument("--models", nargs="*", default=[])
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    tool = subprocess.Popen([options.tool], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    seconds, kinds, total = [], set(), collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for model in itertools.chain(recorded.embeddings(ROOT, options.data, folder), recorded.anomalies(ROOT, options.data, folder)):
            if options.models and model.name not in options.models:
                continue
            bench, counts = Bench(tool, model, folder), collections.defaultdict(collections.Counter)
            many, five, one = model.frames, model.frames[:5], model.frames[2:3]
            pairs = [p for p in itertools.combinations(bench.faults, 2) if not set(bench.faults[p[0]][0]) & set(bench.faults[p[1]][0])]
            random.Random(3).shuffle(pairs)
            cases = [("single, all frames", (f,), many) for f in bench.faults] + [("single, five frames", (f,), five) for f in bench.faults] + [("single, one frame", (f,), one) for f in bench.faults]
            cases += [("pair, five frames", p, five) for p in pairs[: len(pairs) if options.pairs < 0 else options.pairs]]
            for group, names, frames in cases:
                verdict, took, line = bench.verdict(names, frames)
                seconds.append(took)
                if verdict not in ("no effect", "ALARM"):
                    kinds.update((bench.is_vector, n) for n in names)
                counts[group][verdict] += 1
                if options.verbose or verdict.split(" (")[0] not in ("named", "shared", "no effect", "one of two"):
                    print(f"  {model.name}, {group}, {' + '.join(names)}: {verdict}: {line[:220]}")
            width = model.frames[0][1][0].shape[-1]
            dice = np.random.default_rng(11)
            foreign = foreign_vectors(dice, width) if bench.is_vector else foreign_scores(dice)
            for group, frames in (("foreign", many), ("foreign, one frame", one)):
                for fault, broken in foreign.items():
                    answers = bench.answers({}, frames, copy.copy(broken))
                    if bench.same(answers, bench.answers({}, frames)):
                        continue
                    status, proven, _, took, line = bench.ask(answers, frames)
                    counts[group]["CONFIRMED" if proven else status] += 1
                    seconds.append(took)
                    if proven or status in ("exact", "some_frames", "agrees"):
                        print(f"  {model.name}, {group} {fault}: {'CONFIRMED' if proven else status}: {line[:220]}")
            for frames in (many, five, one):
                for how, answers in healthy(bench, frames):
                    status, _, _, took, line = bench.ask(answers, frames)
                    counts["healthy"]["silent" if status == "agrees" else "ALARM"] += 1
                    if status != "agrees":
                        print(f"  {model.name}, healthy, {how}: ALARM: {line[:220]}")
            for group, counter in counts.items():
                total[group] += counter
                print(f"{model.name:22} {group:20} {sum(counter.values()):4}: " + ", ".join(f"{v} {k}" for k, v in counter.most_common()))
    tool.stdin.close()
    tool.wait()
    for group, counter in total.items():
        print(f"{'all':22} {group:20} {sum(counter.values()):4}: " + ", ".join(f"{v} {k}" for k, v in counter.most_common()))
    print(f"{len(kinds)} kinds with an effect; seconds a search: median {np.median(seconds):.4f}, largest {max(seconds):.3f}")
    bad = [k for counter in total.values() for k in counter if k in ("ALARM", "CONFIRMED", "WRONG, CONFIRMED")]
    singles = {k: v for k, v in total["single, five frames"].items() if k != "no effect"}
    named = sum(v for k, v in singles.items() if k.startswith(("named", "shared")))
    if bad or named < 0.97 * sum(singles.values()):
        raise SystemExit(f"{bad or 'singles'}: {named} of {sum(singles.values())} named")


if __name__ == "__main__":
    main()
