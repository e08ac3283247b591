# SPDX-License-Identifier: Apache-2.0
"""Compares what diagnose_input_tool printed with the truth: score.py OUT ANSWERS.jsonl [--verbose]"""
import collections
import csv
import json
import pathlib
import sys

INVISIBLE = 0.62  # steps


def score(out, answer_file, verbose=False):
    """Prints the remarkable cases and the confusion of kinds; returns the counts by verdict."""
    truth = {row["id"]: row for row in csv.DictReader(open(out / "truth.tsv"), delimiter="\t")}
    answers = {a["id"]: a for a in map(json.loads, open(answer_file))}
    confusion = collections.Counter()
    counts = collections.Counter()
    times = collections.defaultdict(list)
    for case, row in truth.items():
        a = answers.get(case)
        # The correct names of each fault; some have two.
        true = [k.split("|") for k in row["kinds"].split("+") if k != "none"]
        if a is None or a["status"] == "error":
            counts["error"] += 1
            print("ERROR", case, a and a["reason"])
            continue
        got = [f["kind"] for f in a["faults"]]
        moves = float(row["moves"])
        times["healthy" if not true else "pair" if len(true) > 1 else "single"].append(a["ms"])
        first = got[0] if got and a["status"] == "found" else a["status"] if a["status"] != "found" else "found nothing"
        if len(true) <= 1:
            confusion[(" or ".join(true[0]) if true else "none", first)] += 1
        why = ""
        may = {kind for kinds in true for kind in kinds}
        if not true:
            verdict = "right" if a["status"] == "equal" else "false alarm" if a["status"] == "found" else "undecided on healthy"
        elif true == [["unknown"]]:
            verdict = "right" if a["status"] in ("partial", "undecidable") else "invisible" if a["status"] == "equal" and moves <= 2.2 else "WRONG FOUND"
        elif a["status"] == "equal":
            verdict = "invisible" if moves <= INVISIBLE else "missed"
        elif "empty_input" in may and a["status"] == "undecidable" and "one constant value" in a["reason"]:
            verdict = "right"  # The verdict names it, not the search.
        elif a["status"] != "found":
            verdict = "not found (%s)" % a["status"]
        elif set(got) <= may and all(set(got) & set(kinds) for kinds in true):
            verdict = "right"
            said = " ".join(f["detail"] + " " + " ".join(f["alternatives"]) for f in a["faults"])
            if len(true) == 1 and row["named"] and not any(words in said for words in row["named"].split("|")):
                why = "name: " + row["named"]
                counts["right kind, other name"] += 1
        elif set(got) <= may:
            verdict = "one of two"
        else:
            verdict = "WRONG FOUND"
        counts[verdict] += 1
        if (verbose and verdict not in ("right",)) or why or verdict in ("WRONG FOUND", "false alarm", "missed"):
            print("%-14s %-34s moves %6.2f rho0 %6.2f rho %5.2f rep %.3g %s | %s | %s %s" % (
                verdict, case, moves, a["rho0"], a["rho"], a["reproduced"], row["images"],
                "; ".join("%s: %s (%.2f)" % (f["kind"], f["detail"], f["contribution"]) for f in a["faults"]), a["reason"], why))
    print(dict(counts))
    for (wanted, got), n in sorted(confusion.items()):
        print("  %-20s -> %-20s %d" % (wanted, got, n))
    for what, ms in times.items():
        ms.sort()
        print("%s: n %d, ms median %.0f, p95 %.0f, max %.0f" % (what, len(ms), ms[len(ms) // 2], ms[int(len(ms) * .95)], ms[-1]))
    return counts


def main():
    score(pathlib.Path(sys.argv[1]), sys.argv[2], "--verbose" in sys.argv)


if __name__ == "__main__":
    main()
