# SPDX-License-Identifier: Apache-2.0
"""Finds links of pages that lead nowhere, and paths, file names and decisions that do not exist.

    script/links.py    lists them with file and line; exit code 1 when there is one

Checked: relative links of every page and their headings; paths like `src/core/text.h` and names like `text.h` in pages
that describe the present; each path that begins with docs/ and each "decision 10" in any file of the repository, comments
and messages included; and that the index of decisions lists each heading of its pages.
"""
import fnmatch
import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
PATH = re.compile(r"(?<![\w.-])docs/[\w./-]*\w")
SOURCE = re.compile(r"`((?:src|tests|script|bench|bindings|examples|models|cmake|python)/[\w./-]*\w/?)`")
NAME = re.compile(r"`([\w./*{},-]*\w\.(?:cc|h|hpp))`")
DIFF = re.compile(r"^```diff\n(.*?)^```", re.M | re.S)
CHANGED = re.compile(r"(?:^ |, )((?:src|tests|script|bench|bindings|examples|models|cmake|python|docs)/[\w./-]*\w)")
DECISION = re.compile(r"\bdecisions? (\d+)(?:(?:, | and )(\d+))*")
# These pages describe the past. Only file names in decisions must still exist.
HISTORY = {"CHANGELOG.md", "docs/benchmarks.md"}
DECISIONS = ROOT / "docs/decisions"
VENDORS = {"json_fwd.hpp", "tensorflow/lite/c/c_api.h"}
CODE = re.compile(r"^```.*?^```", re.M | re.S)


def without_code(page):
    """The page with the same number of lines; lines of code blocks are empty."""
    return CODE.sub(lambda block: "\n" * block[0].count("\n"), page)


@functools.lru_cache(maxsize=None)
def anchors(page):
    """Anchors of the page's headings, as code hosts generate them."""
    headings = re.findall(r"^#+ +(.*?) *$", without_code(page.read_text(encoding="utf-8")), re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


def broken_links(page, text):
    for number, line in enumerate(without_code(text).splitlines(), 1):
        for target, anchor in LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            goal = (page.parent / target).resolve() if target else page
            if not goal.exists():
                yield number, f"link to {target}"
            elif anchor and goal.suffix == ".md" and anchor not in anchors(goal):
                yield number, f"no heading #{anchor} in {goal.relative_to(ROOT)}"


def broken_paths(text, pattern):
    for number, line in enumerate(text.splitlines(), 1):
        for path in pattern.findall(line):
            if not (ROOT / path).exists():
                yield number, f"no {path}"


def broken_names(text, tracked, anywhere):
    """Names of C and C++ files, globs and {a,b} among them; `anywhere`: in any folder."""
    for number, line in enumerate(text.splitlines(), 1):
        for name in NAME.findall(line):
            for one in alternatives(name.rsplit("/", 1)[-1] if anywhere else name):
                if one not in VENDORS and not SOURCE.fullmatch(f"`{one}`") and not fnmatch.filter(tracked, "*/" + one):
                    yield number, f"no file {one}"


def broken_examples(text):
    """Files that a diff on a page changes; files that it creates are marked "new"."""
    for block in DIFF.finditer(text):
        for offset, line in enumerate(block[1].splitlines(), 1):
            for path in CHANGED.findall(line) if not re.search(r"\s\s+new\b", line) else ():
                if not (ROOT / path).exists():
                    yield text.count("\n", 0, block.start()) + 1 + offset, f"no {path}"


def alternatives(name):
    if not (choice := re.match(r"(.*?)\{([^}]*)\}(.*)", name)):
        return [name]
    return [one for word in choice[2].split(",") for one in alternatives(choice[1] + word + choice[3])]


@functools.lru_cache(maxsize=None)
def decisions():
    """Number and title of each decision, from the headings of its pages."""
    return {int(number): title for page in DECISIONS.glob("*.md")
            for number, title in re.findall(r"^### (\d+) (.*)$", page.read_text(encoding="utf-8"), re.M)}


def broken_decisions(text):
    for number, line in enumerate(text.splitlines(), 1):
        for cited in DECISION.finditer(line):
            for one in re.findall(r"\d+", cited[0]):
                if int(one) not in decisions():
                    yield number, f"no decision {one} in docs/decisions"


def broken_index(text):
    rows = {int(number): title for number, title in re.findall(r"^\| (\d+) \| \[(.*)\]\(", text, re.M)}
    for number in sorted(rows.items() ^ decisions().items()):
        yield 1, f"decision {number[0]}, \"{number[1]}\", is not the same in the index and on the page of its area"


def problems(path, text, tracked):
    """Line and sentence of each; `tracked`: names of the repository's files, each with a slash before it."""
    name = str(path.relative_to(ROOT))
    yield from broken_paths(text, PATH)
    yield from broken_decisions(text)
    if path.suffix != ".md":
        return
    yield from broken_links(path, text)
    if path == DECISIONS / "README.md":
        yield from broken_index(text)
    if name not in HISTORY:
        yield from broken_names(text, tracked, DECISIONS in path.parents)
        if DECISIONS not in path.parents:
            yield from broken_paths(text, SOURCE)
            yield from broken_examples(text)


def main():
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
                           check=True, text=True).stdout.split("\0")
    tracked = ["/" + name for name in set(names) if (ROOT / name).exists()]
    found = 0
    for path in sorted(ROOT / name for name in set(names) if name):
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        for number, what in problems(path, text, tracked):
            print(f"{path.relative_to(ROOT)}:{number}: {what}")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
