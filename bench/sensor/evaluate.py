# SPDX-License-Identifier: Apache-2.0
"""Plants faults in the pre-processing of apps with sensor models (planted.py) and counts what the search names. All readings are synthetic.

evaluate.py SENSOR_SEARCH [healthy|singles|pairs|foreign ...] [--seed N]
"""
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

import planted
from planted import FRONT_ENDS, RECIPES, app, generated

FRESH = 8  # Windows with which an answer is checked.


class Search:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.folder = tempfile.TemporaryDirectory()

    def line(self, front, readings, file, values, recipe):
        raw = Path(self.folder.name) / "readings.raw"
        np.stack(readings).astype(np.float32).tofile(raw)
        scale, zero = FRONT_ENDS[front].get("codes") or (0, 0)
        size, shape = ",".join(map(str, readings[0].shape)), ",".join(map(str, values.shape))
        rate = 0 if "from=" in RECIPES[front] else FRONT_ENDS[front]["rate"]
        self.process.stdin.write(f"{len(readings)} {raw} {size} {rate} {file} {shape} {values.dtype} {scale} {zero} {recipe}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n").split("\t")

    def is_the_app(self, front, recipe, options, first):
        """Whether the found recipe makes the same inputs as the app, on windows that the search has not seen."""
        fresh = [generated(front, first + k) for k in range(FRESH)]
        wanted = np.stack([app(front, r, **options) for r in fresh])
        file = Path(self.folder.name) / "made.raw"
        if self.line(front, fresh, f">{file}", wanted[0], recipe)[0] != "made":
            return False
        made = np.fromfile(file, wanted.dtype).reshape(wanted.shape)
        if wanted.dtype == np.int8:  # A fitted number may round a value between two codes to the other code.
            return np.mean(np.abs(made.astype(int) - wanted) > 0) < .03
        return np.sqrt(np.mean((made - wanted) ** 2)) < 1e-3 * wanted.std()

    def ask(self, front, readings, inputs):
        file = Path(self.folder.name) / "input.raw"
        np.stack(inputs).tofile(file)
        parts = self.line(front, readings, file, inputs[0], RECIPES[front])
        if parts[0] == "error":
            return dict(status="error", why=parts[1], kinds=set(), seconds=0, equals=[])
        return dict(status=parts[0], kinds=set(filter(None, parts[1].split(","))), before=float(parts[2]), left=float(parts[3]),
                    count=int(parts[4]), seconds=float(parts[5]), recipe=parts[6], equals=[set(e.split(",")) for e in parts[7].split()])


def judged(answer, wanted, holds):
    """wanted: accepted sets of kinds; empty: there is no fault. holds(): whether the answer also matches the app on other windows."""
    if answer["status"] == "equal":
        return "right" if not wanted else "invisible"
    if not wanted:
        return "FALSE ALARM" if answer["status"] == "exact" else "false unknown"
    # One window cannot distinguish a number from a figure of the window itself: it is reported but not confirmed.
    if answer["status"] == "measured":
        return "told, not confirmed" if holds() else "told wrongly, not confirmed"
    if answer["status"] != "exact":
        return answer["status"]
    if answer["kinds"] in wanted:
        return "right" if holds() else "among equals" if answer["equals"] else "WRONG NUMBERS"
    if any(e in wanted for e in answer["equals"]):
        return "among equals"
    # The same app in as many words or fewer: a measured normalisation includes a unit.
    return "same app" if len(answer["kinds"]) <= max(map(len, wanted)) and holds() else "WRONG"


def pairs(front, rng, count=40):
    singles = list(planted.faults(front))
    for _ in range(count):
        a, b = (singles[i] for i in rng.choice(len(singles), 2, replace=False))
        if set(a[2]) & set(b[2]) or a[1].split("|")[0] == b[1].split("|")[0]:
            continue
        # A fault without effect in addition to the other one does not count.
        both, only = [app(front, generated(front, 1), **f) for f in ({**a[2], **b[2]}, a[2])]
        other = app(front, generated(front, 1), **b[2])
        hidden = [np.allclose(both.astype(float), x.astype(float), rtol=1e-5, atol=1e-5) for x in (only, other)]
        if any(hidden):
            continue
        yield f"{a[0]} + {b[0]}", "|".join(f"{p},{q}" for p in a[1].split("|") for q in b[1].split("|")), {**a[2], **b[2]}


def main():
    arguments = sys.argv[1:]
    seed = int(arguments[arguments.index("--seed") + 1]) if "--seed" in arguments else 1
    sets = [a for a in arguments[1:] if a in ("healthy", "singles", "pairs", "foreign")] or ["healthy", "singles", "pairs", "foreign"]
    search = Search(arguments[0])
    for what in sets:
        for windows in (1, 5):
            total, seconds, lines = Counter(), [], []
            for front in FRONT_ENDS:
                tally = Counter()
                first = 100 * seed
                clean = [generated(front, first + k) for k in range(windows)]
                jobs = []
                if what == "healthy":
                    jobs = [("none", [], [generated(front, first + 10 * s + k) for k in range(windows)], None, {}) for s in range(12)]
                elif what == "singles":
                    jobs = [(n, k, clean, None, f) for n, k, f in planted.faults(front)]
                elif what == "pairs":
                    jobs = [(n, k, clean, None, f) for n, k, f in pairs(front, np.random.default_rng([seed, len(front), windows]))]
                else:
                    per_window = [list(planted.foreign(front, c, seed)) for c in clean]
                    jobs = [(per_window[0][i][0], "nothing that is known", clean, [w[i][1] for w in per_window], per_window[0][i][2])
                            for i in range(len(per_window[0]))]
                for title, wanted, readings, had, options in jobs:
                    kinds = [set(k.split(",")) for k in wanted.split("|")] if wanted else []
                    answer = search.ask(front, readings, [app(front, r, **options) for r in (had or readings)])
                    if what == "foreign":  # "exact" would be confirmed; "measured" is only reported as nearest.
                        result = "CONFIRMED" if answer["status"] == "exact" else "invisible" if answer["status"] == "equal" else answer["status"]
                    else:
                        result = judged(answer, kinds, lambda: search.is_the_app(front, answer["recipe"], options, first + 1000))
                    tally[result] += 1
                    seconds.append(answer["seconds"])
                    if result not in ("right", "invisible", "same app", "among equals", "told, not confirmed") and not (what == "foreign" and result in ("unknown", "measured")):
                        lines.append(f"  {front}, {windows} windows: {title}: {result} {sorted(answer['kinds'])} {answer.get('before', 0):.3g} -> "
                                     f"{answer.get('left', 0):.3g} {answer.get('why', '')} {answer.get('recipe', '')}")
                total += tally
            print(f"{what:8s} {windows} windows {dict(total)}; CPU s: median {np.median(seconds):.3f}, most {max(seconds):.3f}")
            print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
