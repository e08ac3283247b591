# SPDX-License-Identifier: Apache-2.0
"""Grades the cases of matrix.py and prints the tables: score.py FILE [FILE...] prints them again from matrix.py --out."""
import collections
import json
import sys

GAP = 0.3  # A fault counts when it moves the logits by more than this share of their standard deviation.
BARS = {"kernel": {"type": 1.0, "first": 0.98, "class": 1.0}, "edited": {"first": 0.95, "class": 0.95}}
QUICK = 0.9
MODEL_KINDS = {"kernel", "quantization", "weights", "other_model"}
SAME = {"SQUEEZE": "RESHAPE"}
BAD = ("WRONG CONFIRMED", "error", "other cause", "unexplained", "no cause", "FALSE ALARM")


def alike(kind):
    return SAME.get(kind, kind)


def judged(row, cause):
    """The correct parts of a cause: the type of the operator, the first faulty layer, the class."""
    layers = cause.get("layers") or []
    first = layers[0] == row["layer"] if layers else cause.get("layer") == row["layer_name"]
    kind = cause.get("op_type")
    return {"type": kind is not None and alike(kind) == alike(row["type"]), "first": first, "class": cause["kind"] == row["class"]}


def model_cause(row):
    """The first reported cause inside the model."""
    return next((c for c in row["causes"] if c["kind"] in MODEL_KINDS or c.get("stage") == "model"), None)


def effective(row):
    return row["class"] != "none" and row.get("gap", 0) > GAP


def wrong_confirmed(row):
    """A confirmed cause that names an operator or a class that is not at fault."""
    confirmed = [c for c in row["causes"] if c["status"] == "confirmed"]
    if row["class"] == "none":
        return confirmed
    return [c for c in confirmed if not (judged(row, c)["first"] and judged(row, c)["class"])]


def grade(row):
    if "error" in row:
        return "error"
    if wrong_confirmed(row):
        return "FALSE ALARM" if row["class"] == "none" else "WRONG CONFIRMED"
    cause = model_cause(row)
    if row["class"] == "none":
        return "right" if not row["causes"] else "note"
    if cause and all(judged(row, cause)[k] for k in ("first", "class")):
        return "right"
    unknown = cause and cause["kind"] == "unknown"
    if not effective(row):
        return "passed over" if not cause else "mild unexplained" if unknown else "other note"
    return "no cause" if not cause else "unexplained" if unknown else "other cause"


def line(row):
    text = "%-15s %s" % (grade(row), row["id"])
    if "error" in row:
        return text + " | " + row["error"]
    causes = "; ".join("%s %s %s at %s %s: %s" % (c["status"], c["kind"], c.get("op_type"), c.get("layers"), c.get("layer"), c["detail"])
                       for c in row["causes"])
    where = "" if row["class"] == "none" else " | truth: %s at %d %s" % (row["class"], row["layer"], row["layer_name"])
    return "%s | gap %.3f%s | %s: %s" % (text, row["gap"], where, row["verdict"], causes or "no cause")


def _count(rows, key):
    return sum(bool(model_cause(r)) and judged(r, model_cause(r))[key] for r in rows)


def _share(part, whole):
    return "%d of %d" % (part, whole) if whole else "–"


def _table(rows, title, key, order=None):
    print("\n| %s | cases | counted | type | first layer | class | milder: right / unexplained / passed over / other note | wrong confirmed |" % title)
    print("|---" * 8 + "|")
    for value in order or sorted({r[key] for r in rows}):
        some = [r for r in rows if r[key] == value and "error" not in r]
        if not some:
            continue
        counted, milder = [r for r in some if effective(r)], collections.Counter(grade(r) for r in some if not effective(r))
        print("| %s | %d | %d | %s | %d / %d / %d / %d | %d |" % (
            value, len(some), len(counted), " | ".join(_share(_count(counted, k), len(counted)) for k in ("type", "first", "class")),
            milder["right"], milder["mild unexplained"], milder["passed over"], milder["other note"], sum(bool(wrong_confirmed(r)) for r in some)))


def _confusion(rows):
    """Prints the counted faults: planted by row, named first by column."""
    table = collections.Counter()
    for row in rows:
        cause = model_cause(row)
        named = "nothing" if not cause else cause["kind"] + ("" if judged(row, cause)["first"] else ", other layer")
        table[(row["class"], named)] += 1
    columns = sorted({named for _, named in table})
    print("\n| planted \\ named first | " + " | ".join(columns) + " |\n|---" + "|---" * len(columns) + "|")
    for kind in sorted({kind for kind, _ in table}):
        print("| %s | %s |" % (kind, " | ".join(str(table[(kind, c)] or "·") for c in columns)))


def report(rows, seconds, quick=False):
    """Prints the tables; 1 when a bar is missed, a wrong cause is confirmed or a case failed, else 0."""
    good = [r for r in rows if "error" not in r]
    healthy, faulty = [r for r in good if r["class"] == "none"], [r for r in good if r["class"] != "none"]
    missed = []
    if faulty:
        order = list(dict.fromkeys(r["fault"] for r in faulty))
        for r in faulty:
            r["whole type or one"] = "all of a type" if r["whole"] and not r["only"] else "one operator"
        _table(faulty, "fault", "fault", order)
        _table(faulty, "operator", "type")
        _table(faulty, "pair", "pair", list(dict.fromkeys(r["pair"] for r in faulty)))
        _table([r for r in faulty if r["class"] == "kernel"], "kernel fault of", "whole type or one")
        _confusion([r for r in faulty if effective(r)])
        print()
    for group, bars in BARS.items():
        some = [r for r in faulty if effective(r) and (r["class"] == "kernel") == (group == "kernel")]
        for key, bar in bars.items():
            reached, needed = _count(some, key), QUICK if quick else bar
            if some:
                ok = reached >= needed * len(some)
                missed += [] if ok else [group + " " + key]
                print("%s faults, %s right: %d of %d (%.1f %%; bar %.0f %%: %s)" % (
                    group, key, reached, len(some), 100 * reached / len(some), 100 * bar, "met" if ok else "missed"))
        scope = [r for r in some if group == "kernel" and model_cause(r) and not r["only"]]
        if scope:
            said = sum((model_cause(r).get("scope") == "type") == r["whole"] for r in scope)
            print("kernel faults, one operator or all of its type told apart: %d of %d" % (said, len(scope)))
        if some:
            confirmed = sum(model_cause(r) is not None and model_cause(r)["status"] == "confirmed" for r in some)
            print("%s faults, confirmed: %d of %d" % (group, confirmed, len(some)))
    wrong = [r for r in good if wrong_confirmed(r)]
    print("wrong causes confirmed: %d of %d cases (%d of them healthy)" % (len(wrong), len(good), sum(r["class"] == "none" for r in wrong)))
    if healthy:
        print("healthy: %d deployments, %s; %d differ" % (len(healthy), dict(collections.Counter(grade(r) for r in healthy)),
                                                          sum(r["verdict"] == "differs" for r in healthy)))
    print("grades: " + ", ".join("%s %d" % pair for pair in sorted(collections.Counter(map(grade, rows)).items())))
    times = sorted(r["seconds"] for r in good)
    if times:
        print("seconds a check: median %.2f, 95th percentile %.2f, largest %.2f; %d cases in %.0f s" % (
            times[len(times) // 2], times[int(len(times) * 0.95)], times[-1], len(rows), seconds))
    bad = [r for r in rows if grade(r) in BAD]
    if bad:
        print("\nnot right:")
        for row in bad:
            print("  %s\n    %s" % (line(row), row["command"]))
    return 1 if missed or wrong or len(good) < len(rows) else 0


if __name__ == "__main__":
    sys.exit(report([row for name in sys.argv[1:] for row in json.load(open(name))], 0))
