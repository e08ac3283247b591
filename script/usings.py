# SPDX-License-Identifier: Apache-2.0
"""Finds names that a source takes from another namespace (`using other::name;` at the left margin) and never mentions.

    script/usings.py    lists them; exit code 1 when there are any

clang-tidy's misc-unused-using-decls sees them only in a source that it reads alone, and not in joined units.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
USING = re.compile(r"^using (?:\w+::)+(\w+);", re.M)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
# Those of before the script. Shrink this list.
KNOWN = {
    ("src/diagnose/postprocessing/boxes/predictions.cc", "Numbers"),
    ("src/diagnose/postprocessing/masks/proposed.cc", "Resizing"),
    ("src/diagnose/preprocessing/search/tone_step.cc", "Resampling"),
}


def unused(code):
    """The names that `code` takes and does not mention. Literal operators are called without their name."""
    code = NOISE.sub(" ", re.sub(r'^using [\w:]*operator"".*;$', "", code, flags=re.M))
    mentioned = set(re.findall(r"\w+", USING.sub("", code)))
    return [name for name in USING.findall(code) if name not in mentioned]


def main():
    files = subprocess.run(["git", "ls-files", "*.cc"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    problems = [(file, name) for file in files for name in unused((ROOT / file).read_text(encoding="utf-8")) if (file, name) not in KNOWN]
    for file, name in problems:
        print(f"{file} takes '{name}' by a using that nothing needs: remove the line")
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
