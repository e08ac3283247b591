# SPDX-License-Identifier: Apache-2.0
"""Finds failures that are passed on by hand although EP_TRY or EP_CHECK (src/core/try.h) does it in one line.

    script/propagation.py    lists them; exit code 1 when there are any

Only in the folders of DONE, a list that grows and never shrinks. A handwritten `if` is allowed with `.during(...)`, with another name for the
failure, with an `else`, for a Result that is assigned again, and for a lambda of statements.
"""
import pathlib
import re
import sys

MACROS = "try.h"
ROOT = pathlib.Path(__file__).resolve().parent.parent
DONE = (
    "archive", "audio", "bench", "bisect", "check", "cli", "compare", "contract",
    "core", "dataset", "diagnose", "engine", "evidence", "fleet", "kinds", "layers", "lint", "logged",
    "matrix", "measurements", "meter", "model", "pipeline", "placement", "postprocess", "precision", "preprocess",
    "probe", "process", "processors", "protocol", "recipe", "report", "scenario", "search", "sensor", "serve",
    "stats", "stretch", "task", "text", "trace", "transport",
)
EXPRESSION = r"[^;]+"
FAILURE = r"(?:std::move\()?(?P=name)\)?\.error\(\)\)?"
DECLARED = re.compile(
    rf"^(?P<indent> *)(?:const )?(?:auto|Status|Result<[^;=]*>) (?P<name>\w+) =(?P<made>{EXPRESSION});[^\n;]*\n"
    rf" *if \(!(?P=name)\) (?:\{{\s*)?return {FAILURE};(?!\s*\}}?\s*else)", re.M)
WITHIN = re.compile(
    rf"if \((?:const )?(?:auto|Status|Result<[^;=]*>) (?P<name>\w+) =(?P<made>{EXPRESSION});\s*!(?P=name)\)\s*(?:\{{\s*)?"
    rf"return (?:{FAILURE}|(?P=name));(?!\s*\}}?\s*else)")


def is_assigned_again(found):
    """Whether the block (the following lines with at least this indentation) assigns another value to the Result."""
    for line in found.string[found.end():].splitlines()[1:]:
        if line.strip() and len(line) - len(line.lstrip()) < len(found["indent"]):
            return False
        if re.match(rf" *{found['name']} = ", line):
            return True
    return False


def by_hand(text):
    """Lines of a file that a macro could replace, with the replacement."""
    for found in DECLARED.finditer(text):
        if "," in re.sub(r"\([^()]*\)|\{[^{}]*\}", "", found["made"]) or is_assigned_again(found):
            continue
        yield found.start(), "EP_TRY (EP_CHECK when nobody needs the value)"
    for found in WITHIN.finditer(text):
        yield found.start(), "EP_CHECK"


def main():
    count = problems = 0
    for folder in DONE:
        for path in sorted(path for path in (ROOT / "src" / folder).rglob("*") if path.suffix in (".h", ".cc")):
            if path.name == MACROS:
                continue
            text = path.read_text(encoding="utf-8")
            count += 1
            for place, instead in by_hand(text):
                problems += 1
                print(f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, place) + 1}: handed on by hand; write {instead}")
    print(f"{count} files, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
