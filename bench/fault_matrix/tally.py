# SPDX-License-Identifier: Apache-2.0
"""Grades the cases of matrix.py and prints the matrix of kinds: tally.py FILE prints it again from matrix.py --out FILE."""
import collections
import json
import sys

INVISIBLE = 0.62  # In steps of 255: rounding to 8 bits can move a tensor by this much.
DECODER = 2.2     # Two JPEG decoders differ by up to this; an unnamed difference below it need not be found.
BAD = ("WRONG CONFIRMED", "error", "other kind first", "missed", "undecided")


def grade(row):
    """The grade of an answer, in one word."""
    if "error" in row:
        return "error"
    causes = row["causes"]
    confirmed = [c["kind"] for c in causes if c["status"] == "confirmed" and c["kind"] != "unknown"]
    truth = row["kind"]
    true = truth.split("|")  # Some faults have two correct names.
    also = {"value_range", "input_quantization", "empty_input", "value_table"} if row.get("destroyed") else set()
    if any(kind not in true and kind not in also for kind in confirmed):
        return "WRONG CONFIRMED"
    named = [c["kind"] for c in causes if c["kind"] != "unknown" and c["status"] not in ("partial", "nearly")]
    if truth == "none":
        return "right" if not causes else "note" if all(c["status"] == "note" for c in causes) else "other kind first"
    if row.get("destroyed") and set(named) <= also:
        return "right"
    if truth == "unknown":
        if not named:
            return "right" if causes or row["exit"] == 4 else "invisible" if row["moves"] <= DECODER else "missed"
        return "other kind first"
    if causes and causes[0]["kind"] in true:
        return "right"
    if row["moves"] <= INVISIBLE:
        return "invisible"
    if not causes:
        return "missed" if row["exit"] == 0 else "undecided"
    return "undecided" if causes[0]["kind"] == "unknown" else "other kind first"


def line(row, grade_of):
    where = "%-16s %-12s %-26s %d fr %-6s moves %6.2f" % (grade_of, row["model"], row["fault"], row["frames"], row["maker"], row["moves"])
    if "error" in row:
        return where + " | " + row["error"]
    causes = "; ".join("%s %s: %s (explains %s, restored %s)" % (
        c["status"], c["kind"], c["detail"], *("-" if c[k] is None else "%.3f" % c[k] for k in ("explains", "restored"))) for c in row["causes"])
    return "%s | exit %d, outputs %s of %s | %s | %s" % (where, row["exit"], *(
        "-" if row[k] is None else "%.4f" % row[k] for k in ("distance", "floor")), causes or "no cause", ",".join(row["pictures"]))


def _confusion(rows):
    table = collections.Counter()
    for row in rows:
        if "error" in row:
            first = "error"
        elif row["causes"]:
            first = row["causes"][0]["kind"]
        else:
            first = "none" if row["exit"] == 0 else "undecided"
        invisible = row["kind"] not in ("none", "unknown") and row["moves"] <= INVISIBLE
        table[(row["kind"].replace("|", " or ") + (" (invisible)" if invisible else ""), first)] += 1
    columns = sorted({first for _, first in table})
    print("| planted \\ named first | " + " | ".join(columns) + " |\n|---" * 1 + "|---" * len(columns) + "|")
    for kind in sorted({kind for kind, _ in table}):
        print("| %s | %s |" % (kind, " | ".join(str(table[(kind, c)] or "·") for c in columns)))


def _percent(part, whole):
    return "%d of %d (%.1f %%)" % (part, whole, 100 * part / whole) if whole else "none"


def report(rows, seconds, bar):
    """Prints the tables; 1 when the bar of right kinds is missed or a wrong kind is confirmed, else 0."""
    grades = [grade(row) for row in rows]
    print()
    _confusion(rows)
    visible = [(r, g) for r, g in zip(rows, grades) if r["kind"] not in ("none", "unknown") and r["moves"] > INVISIBLE]
    wrong = [r for r, g in zip(rows, grades) if g == "WRONG CONFIRMED"]
    first = sum("error" not in r and bool(r["causes"]) and r["causes"][0]["kind"] in r["kind"].split("|") for r, _ in visible)
    print("\nright kind first: %s of the visible faults" % _percent(first, len(visible)))
    for what, key in (("maker", "maker"), ("frames", "frames"), ("model", "model")):
        for value in sorted({r[key] for r, _ in visible}):
            part = [r for r, _ in visible if r[key] == value]
            hits = sum("error" not in r and bool(r["causes"]) and r["causes"][0]["kind"] in r["kind"].split("|") for r in part)
            print("  %s %s: %s" % (what, value, _percent(hits, len(part))))
    kernels = [r for r, g in visible if r["kind"] == "resize" and g == "right"]
    print("exact kernel in the named class: %s" % _percent(sum(r["named"] for r in kernels), len(kernels)))
    others = [r for r, g in visible if r["kind"] != "resize" and g == "right"]
    print("exact name of the other right kinds: %s" % _percent(sum(r["named"] for r in others), len(others)))
    for r in kernels + others:
        if not r["named"]:
            print("  other name: " + line(r, ""))
    print("confirmed causes of a wrong kind: %d" % len(wrong))
    status = collections.Counter(r["causes"][0]["status"] for r, g in visible if g == "right")
    print("status of the right ones: " + ", ".join("%s %d" % pair for pair in sorted(status.items())))
    print("grades: " + ", ".join("%s %d" % pair for pair in sorted(collections.Counter(grades).items())))
    times = sorted(r["seconds"] for r in rows if "seconds" in r)
    if times:
        print("seconds a diagnosis: median %.2f, 95th percentile %.2f, largest %.2f; %d cases in %.0f s" % (
            times[len(times) // 2], times[int(len(times) * 0.95)], times[-1], len(rows), seconds))
    bad = [(r, g) for r, g in zip(rows, grades) if g in BAD]
    if bad:
        print("\nnot right:")
        for r, g in bad:
            print("  " + line(r, g))
    enough = not visible or first >= bar * len(visible)
    return 0 if enough and not wrong and "error" not in grades else 1


if __name__ == "__main__":
    sys.exit(report(json.load(open(sys.argv[1])), 0, 0.99))
