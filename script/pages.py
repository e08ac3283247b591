# SPDX-License-Identifier: Apache-2.0
"""Finds lines of pages that are too long, and flags of the program that no page or no test names.

    script/pages.py    lists them with file and line; exit code 1 when there is one

Checked: no line of a page above 200 characters except in tables and code, none of CHANGELOG.md above 160; each flag that a source
of src/cli declares is named below docs/ or in the README, and in a test, a benchmark or a script.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LONGEST, LONGEST_CHANGE = 200, 160
FENCE = re.compile(r"^ *```")
HEADER = re.compile(r"\A---\n.*?\n---\n", re.S)  # Keys for other programs, one per line.
# parser.option("-o,--out", …), .flag("--json", …); and option("kernels"), which puts a prefix before the name.
FLAG = re.compile(r'(?:\.|\b)(?:option|flag)\(\s*"(?:-\w,)?--([a-z][\w,-]*)"|(?<![.\w])option\("([a-z][a-z-]*)"\)')
CODE = {".py", ".cc", ".h", ".sh", ".yml", ".md", ""}


def long_lines(name, text):
    """Yields the number and length of each line that is too long."""
    longest, code = LONGEST_CHANGE if name == "CHANGELOG.md" else LONGEST, False
    text = HEADER.sub(lambda header: "\n" * header[0].count("\n"), text)
    for number, line in enumerate(text.splitlines(), 1):
        code ^= bool(FENCE.match(line))
        if len(line) > longest and not code and not line.lstrip().startswith("|"):
            yield number, len(line)


def flags_of(source):
    """The flags that a source declares, without their --."""
    return {name for declared, short in FLAG.findall(source) for name in (declared.replace("--", "").split(",") if declared else [short])}


def unnamed(flags, text, as_keyword=False):
    """Flags that the text does not name; Python's verbs spell --by-frame-number as by_frame_number=."""
    words = set(re.findall(r"--([a-z][\w-]*)", text))
    words |= {word.replace("_", "-") for word in re.findall(r"\b([a-z]\w*)=", text)} if as_keyword else set()
    return sorted(flag for flag in flags if flag not in words)


def contents(paths):
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in paths if path.is_file() and path.suffix in CODE)


def main():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    bad = [f"{name}:{number}: {length} characters" for name in listed if name and (ROOT / name).is_file()
           for number, length in long_lines(name, (ROOT / name).read_text(encoding="utf-8"))]
    flags = set().union(*(flags_of(path.read_text(encoding="utf-8")) for path in (ROOT / "src/cli").rglob("*.cc")))
    pages = contents([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
    tests = contents(path for folder in ("tests", "bench", "script") for path in (ROOT / folder).rglob("*"))
    bad += [f"--{flag}: no page below docs/ names it" for flag in unnamed(flags, pages)]
    bad += [f"--{flag}: no test names it" for flag in unnamed(flags, tests, as_keyword=True)]
    print("\n".join(bad) or f"{len([name for name in listed if name])} pages, {len(flags)} flags, 0 problems")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
