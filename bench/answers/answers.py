# SPDX-License-Identifier: Apache-2.0
"""Plants faults in the post-processing of real models, and counts which of them the search names.

    python bench/answers/answers.py build/bench/search_answers [--data DIR] [--pairs] [--list]

DIR holds models, label files and pictures (see docs/benchmarks.md); without it the project's own two models are used."""
import argparse
import collections
import itertools
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

import apps
import recorded

ROOT = Path(__file__).resolve().parents[2]


class Tool:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, case):
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def base_of(model):
    """Switches of an app that matches the reference's recipe."""
    act = (apps.exp_norm,) if "softmax" in model.recipe else ()
    k = re.search(r"topk\((\d+)\)", model.recipe)
    least = re.search(r"threshold\(([\d.]+)\)", model.recipe)
    return {"act": act, "k": int(k[1]) if k else None, "least": float(least[1]) if least else None, "names": model.labels}


def plain(value):
    return None if not math.isfinite(value) else float(value)


def case_of(model, answers, frames, label_only=False):
    shown = []
    for place, answer in zip(frames, answers):
        outputs = []
        for values, scale, zero in model.outputs[place]:
            one = {"dtype": str(values.dtype), "shape": list(values.shape), "values": values.reshape(-1).tolist()}
            if scale:
                one |= {"scale": float(scale), "zero_point": int(zero)}
            outputs.append(one)
        frame = {"outputs": outputs, "labels": [text for text, _ in answer]}
        if not label_only:
            frame["scores"] = [plain(float(score)) for _, score in answer]
        shown.append(frame)
    other = ", other=other.txt" if model.other else ""
    case = {"recipe": f"{model.recipe} | labels(labels.txt{other})", "labels": model.labels, "frames": shown}
    if model.other:
        case["other"] = model.other
    return case


def answers_of(model, switches, frames):
    app = apps.App(**switches)
    with np.errstate(all="ignore"):
        return [app.answer(model.outputs[place]) for place in frames]


def unlike(a, b, label_only):
    """Whether two apps' answers differ by more than rounding, by this file's own measure."""
    for one, other in zip(a, b):
        if len(one) != len(other):
            return True
        for (text, score), (text2, score2) in zip(one, other):
            if text != text2 and abs(float(score) - float(score2)) > 1e-6 or text != text2 and label_only:
                return True
            if text != text2 and not ties(one, other):
                return True
            if not label_only and not abs(float(score) - float(score2)) <= 3e-4 * max(1, abs(float(score))):
                return True
    return False


def repeats(wrong, right):
    classes = [text for answer in right for text, _ in answer]
    return len(classes) - len(set(classes))


def ties(one, other):
    return sorted(t for t, _ in one) == sorted(t for t, _ in other)


def fits(expected, change):
    if isinstance(expected, str):
        return change == expected or (expected == "table=own_table" and change == expected)
    word, value = expected
    if not change.startswith(word):
        return False
    if word.startswith("table=line"):
        low, high = map(int, change.split(":")[1].split(".."))
        return low <= value <= high + 1
    return True


def names_it(expected, changes):
    """Whether the found changes are exactly the planted ones."""
    return len(expected) == len(changes) and any(all(fits(e, c) for e, c in zip(expected, order))
                                                 for order in itertools.permutations(changes))


def judge(expected, found):
    """Returns a grade (named, among equals, a part of it, another exact one, partial, unknown, agrees), and whether a wrong cause was confirmed."""
    explanations = found.get("explanations", []) if found["status"] in ("exact", "some_frames") else []
    first = explanations[0] if explanations else None
    if first is None:
        return found["status"], False
    if names_it(expected, first["changes"]):
        return "named", False
    if any(names_it(expected, one["changes"]) for one in explanations):
        return "among equals", False
    # Equal descriptions: two changes of labels together are one new table, and with names by rank an omitted class looks like "skip=1".
    label_words = ("table", "shift", "skip", "left_out")
    words = [e if isinstance(e, str) else e[0] for e in expected]
    if len(expected) > 1 and all(w.startswith(label_words) for w in words) and \
            any(one["changes"] == ["table=own_table"] for one in explanations):
        return "among equals", False
    if "pairing=rank_for_class" in words and "left_out=1" in words and \
            any(set(one["changes"]) == {"pairing=rank_for_class", "skip=1"} for one in explanations):
        return "among equals", False
    # One change by itself gives the same answers, so the other one has no effect in addition to it.
    if len(expected) > 1 and any(names_it([e], first["changes"]) for e in expected):
        return "a part", False
    if len(expected) > 1 and any(names_it([e], one["changes"]) for e in expected for one in explanations):
        return "a part among equals", False
    return "another", first["proven"]


def run(tool, model, planted, frames, label_only, tally, kind, listing):
    base = base_of(model)
    right = answers_of(model, base, frames)
    for name, (switches, expected) in planted.items():
        wrong = answers_of(model, base | switches, frames)
        if not unlike(right, wrong, label_only):
            tally[kind]["no effect"] += 1
            continue
        found = tool.ask(case_of(model, wrong, frames, label_only))
        verdict, is_wrong = judge(expected, found)
        # An app's own table cannot be recognised until classes occur repeatedly.
        if "table=own_table" in expected and verdict not in ("named", "among equals") and not is_wrong and repeats(wrong, right) < 3:
            tally[kind]["not seen again"] += 1
            continue
        first = (found.get("explanations") or [{}])[0]
        tally[kind][verdict] += 1
        tally[kind]["confirmed"] += bool(first.get("proven")) and verdict in ("named", "among equals", "a part", "a part among equals", "another")
        tally[kind]["wrongly confirmed"] += is_wrong
        tally["cost"]["searches"] += 1
        tally["cost"]["seconds"] += found["seconds"]
        tally["cost"]["most"] = max(tally["cost"]["most"], found["seconds"])
        if listing and verdict not in ("named", "among equals"):
            print(f"  {kind}: {model.name}, {len(frames)} frames: {name}: {verdict} {found['status']} "
                  f"{[one['changes'] for one in found.get('explanations', [])][:3]} bits {first.get('bits')} proven {first.get('proven')}")


def pairs_of(singles, rng, most):
    names = [n for n in singles]
    out = {}
    classes = {"drop_first", "ignore_first", "move"}  # Two of these are one fault of another size.
    tried = [(a, b) for a in names for b in names if a < b and not set(singles[a][0]) & set(singles[b][0]) and
             len(classes & (set(singles[a][0]) | set(singles[b][0]))) < 2]
    for at in rng.permutation(len(tried))[:most]:
        a, b = tried[at]
        out[f"{a} + {b}"] = (singles[a][0] | singles[b][0], [singles[a][1], singles[b][1]])
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--data", default="")
    parser.add_argument("--pairs", type=int, default=40, help="pairs for each model")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    tool = Tool(args.program)
    tally = collections.defaultdict(collections.Counter)
    kinds = set()
    rng = np.random.default_rng(11)
    models = recorded.classifiers(ROOT, args.data)
    for model in models:
        base = base_of(model)
        five = np.linspace(0, len(model.outputs) - 1, 5).astype(int).tolist()
        singles = {name: (switches, [expected]) for name, (switches, expected) in apps.faults(model, base).items()}
        kinds |= {re.sub(r"line \d+", "line", name) for name in singles}
        for frames in (five, five[1:2]):
            for label_only in (False, True):
                group = ("labels and scores" if not label_only else "labels alone") + f", {len(frames)} frames"
                run(tool, model, singles, frames, label_only, tally, "single, " + group, args.list)
        pairs = pairs_of({n: (s, e[0]) for n, (s, e) in singles.items()}, rng, args.pairs)
        run(tool, model, pairs, five, False, tally, "pair", args.list)
        # Faults that are in no list: nothing may be confirmed.
        for frames in (five, five[1:2], list(range(len(model.outputs)))):
            right = answers_of(model, base, frames)
            for name, switches in apps.foreign(model, base, rng).items():
                for label_only in (False, True):
                    # Without scores this fault equals "smallest first".
                    if label_only and name == "one minus":
                        continue
                    wrong = answers_of(model, base | switches, frames)
                    if not unlike(right, wrong, label_only):
                        tally["foreign"]["no effect"] += 1
                        continue
                    found = tool.ask(case_of(model, wrong, frames, label_only))
                    first = (found.get("explanations") or [{}])[0]
                    proven = found["status"] in ("exact", "some_frames") and first.get("proven")
                    tally["foreign"][found["status"]] += 1
                    tally["foreign"]["wrongly confirmed"] += bool(proven)
                    if args.list and (proven or found["status"] == "exact"):
                        print(f"  foreign: {model.name}, {len(frames)} frames, labels {label_only}: {name}: {found['status']} "
                              f"proven {proven} bits {first.get('bits')} {first.get('text')}")
        # Correct apps: several numbers of frames, rounding, only labels, other settings on both sides.
        for frames in (five, five[:1], five[1:3], list(range(len(model.outputs)))):
            for digits in (None, 2, 3):
                for label_only in (False, True):
                    healthy = answers_of(model, base | {"digits": digits}, frames)
                    found = tool.ask(case_of(model, healthy, frames, label_only))
                    tally["healthy"][found["status"]] += 1
                    if args.list and found["status"] != "agrees":
                        print(f"  healthy: {model.name} {digits} {len(frames)}: {found}")
    print(f"{len(models)} models, {len(kinds)} kinds of faults, {len(apps.foreign(models[0], base_of(models[0]), rng))} foreign ones")
    for kind, counts in tally.items():
        if kind == "cost":
            continue
        visible = sum(v for k, v in counts.items() if k in ("named", "among equals", "a part", "a part among equals", "another", "partial", "unknown", "agrees", "exact", "some_frames"))
        right = counts["named"] + counts["among equals"] + counts["a part"] + counts["a part among equals"]
        share = f"; {100 * right / visible:.1f} % right" if kind not in ("foreign", "healthy") and visible else ""
        print(f"{kind}: {visible} visible{share}; {dict(counts)}")
    cost = tally["cost"]
    print(f"CPU seconds a search: mean {cost['seconds'] / max(1, cost['searches']):.3f}, most {cost['most']:.3f}")
    failed = sum(counts["wrongly confirmed"] for counts in tally.values()) + sum(v for k, v in tally["healthy"].items() if k != "agrees")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
