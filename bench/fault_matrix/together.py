# SPDX-License-Identifier: Apache-2.0
"""Grades the cases of pairs.py and prints the tables: together.py FILE… prints them again from pairs.py --out FILE."""
import collections
import json
import sys

from case import says

RIGHT = ("exact", "one invisible", "equivalent")
BAD = ("WRONG CONFIRMED", "wrong", "only some", "unknown", "missed", "error")
GRADES = RIGHT + BAD
BARS = {(2, 1): 0.92, (2, 5): 0.97, (3, 1): 0.8, (3, 5): 0.8}


def named(row):
    """The causes in the pre-processing that the program reports with certainty."""
    return [c for c in row["causes"] if c["kind"] != "unknown" and c["status"] not in ("partial", "nearly") and c["stage"] == "preprocessing"]


def _expected(row):
    """Returns (kinds that may be named; for each fault that must be named, its correct kinds)."""
    may = {kind for t in row["truth"] for kind in t["kind"].split("|")}
    if row["destroyed"]:
        return may | {"value_range", "input_quantization", "empty_input", "value_table"}, []
    return may, [t["kind"].split("|") for t in row["truth"] if t["visible"]]


def grade(row):
    """The grade of an answer, in one word."""
    if "error" in row:
        return "error"
    causes = named(row)
    may, must = _expected(row)
    kinds = {c["kind"] for c in causes}
    if kinds - may:
        confirmed = any(c["status"] == "confirmed" and c["kind"] not in may for c in causes)
        return "equivalent" if row["same_tensor"] else "WRONG CONFIRMED" if confirmed else "wrong"
    if all(kinds & set(true) for true in must):
        return "exact" if all(kinds & set(t["kind"].split("|")) for t in row["truth"]) else "one invisible"
    if row["same_tensor"]:
        return "equivalent"
    if kinds:
        return "only some"
    return "missed" if row["exit"] == 0 else "unknown"


def other_words(row):
    """Correct kinds whose words differ from the planted fault's and describe another tensor."""
    if row["same_tensor"] or grade(row) not in RIGHT:
        return []
    truth = {kind: t for t in row["truth"] for kind in t["kind"].split("|")}
    return [c for c in named(row) if c["kind"] in truth and truth[c["kind"]]["visible"] and not says(c, truth[c["kind"]]["named"])]


def line(row):
    parts = " ".join("%s %.2f/%.2f%s" % (t["id"], t["alone"], t["within"], "" if t["visible"] else " (invisible)") for t in row["truth"])
    where = "%-15s %-12s %d fr %-6s %s" % (grade(row), row["model"], row["frames"], row["maker"], parts)
    if "error" in row:
        return where + " | " + row["error"]
    causes = "; ".join("%s %s: %s" % (c["status"], c["kind"], c["detail"].split("; the reference")[0]) for c in row["causes"]) or "no cause"
    return "%s | exit %d | %s | %s" % (where, row["exit"], causes, ",".join(row["pictures"]))


def _percent(part, whole):
    return "%d of %d (%.1f %%)" % (part, whole, 100 * part / whole) if whole else "none"


def _right(rows):
    return sum(grade(row) in RIGHT for row in rows), len(rows)


def report(rows, seconds, bar=None):
    """Prints the tables; 1 when a bar is missed (`bar` for all, or BARS) or a wrong kind is confirmed, else 0."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[(row["faults"], row["frames"] if row["frames"] == 1 else 5)].append(row)
    print("\n| faults | frames | n | %s | all named |\n|%s" % (" | ".join(GRADES), "---|" * (len(GRADES) + 4)))
    failed = False
    for key in sorted(groups):
        count = collections.Counter(map(grade, groups[key]))
        right = sum(count[g] for g in RIGHT)
        failed |= right < (bar or BARS.get(key, 0)) * len(groups[key])
        print("| %d | %d | %d | %s | %s |" % (*key, len(groups[key]), " | ".join(str(count[g]) for g in GRADES), _percent(right, len(groups[key]))))
    kinds = sorted({t["kind"].replace("|", " or ") for row in rows for t in row["truth"]})
    print("\nall named, of the cases with this kind: " + "; ".join(
        "%s %s" % (kind, _percent(*_right([r for r in rows if any(t["kind"].replace("|", " or ") == kind for t in r["truth"])]))) for kind in kinds))
    print("all named, by the axes together:")
    axes = collections.defaultdict(list)
    for row in rows:
        axes[" + ".join(sorted(t["axis"] for t in row["truth"]))].append(grade(row) in RIGHT)
    for name, right in sorted(axes.items(), key=lambda item: sum(item[1]) / len(item[1])):
        if not all(right):
            print("  %-50s %s" % (name, _percent(sum(right), len(right))))
    for what in ("maker", "model"):
        print("; ".join("%s %s" % (value, _percent(*_right([r for r in rows if r[what] == value]))) for value in sorted({r[what] for r in rows})))
    first = [r for r in rows if "error" not in r and any(t["visible"] for t in r["truth"])]
    hits = sum(bool(r["causes"]) and r["causes"][0]["kind"] in _expected(r)[0] for r in first)
    print("first-named kind is one of the planted: " + _percent(hits, len(first)))
    words = [(row, c) for row in rows if "error" not in row for c in other_words(row)]
    print("right kinds with other words that make another tensor: %d" % len(words))
    for row, c in words:
        print("  %s: %s | %s" % (c["kind"], c["detail"], line(row)))
    wrong = [row for row in rows if grade(row) == "WRONG CONFIRMED"]
    print("wrong kinds confirmed: %d" % len(wrong))
    times = sorted(r["seconds"] for r in rows if "seconds" in r)
    if times:
        print("seconds a diagnosis: median %.2f, 95th percentile %.2f, largest %.2f; %d cases in %.0f s" % (
            times[len(times) // 2], times[int(len(times) * 0.95)], times[-1], len(rows), seconds))
    bad = [row for row in rows if grade(row) in BAD]
    if bad:
        print("\nnot right:")
        for row in bad:
            print("  " + line(row))
    return 1 if failed or wrong or any("error" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(report([row for file in sys.argv[1:] for row in json.load(open(file))], 0))
