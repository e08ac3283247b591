# SPDX-License-Identifier: Apache-2.0
"""Finds links of pages that lead nowhere, and paths that do not exist.

    script/links.py    lists them with file and line; exit code 1 when there is one

Checked: relative links of every page and their headings; paths like `src/core/text.h` in pages, but for those that tell
what was; and each path that begins with docs/ in any file of the repository, comments and messages included.
"""
import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
PATH = re.compile(r"(?<![\w.-])docs/[\w./-]*\w")
SOURCE = re.compile(r"`((?:src|tests|script|bench|bindings|examples|models|cmake|python)/[\w./-]*\w/?)`")
HISTORY = {"CHANGELOG.md", "docs/benchmarks.md", "docs/decisions.md"}
CODE = re.compile(r"^```.*?^```", re.M | re.S)


def without_code(page):
    """The page with as many lines, those of code blocks empty."""
    return CODE.sub(lambda block: "\n" * block[0].count("\n"), page)


@functools.lru_cache(maxsize=None)
def anchors(page):
    """Names of the page's headings, as a repository's web pages make them."""
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


def main():
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
                           check=True, text=True).stdout.split("\0")
    found = 0
    for path in sorted(ROOT / name for name in set(names) if name):
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        wrong = list(broken_paths(text, PATH))
        if path.suffix == ".md":
            wrong += broken_links(path, text)
            if str(path.relative_to(ROOT)) not in HISTORY:
                wrong += broken_paths(text, SOURCE)
        for number, what in wrong:
            print(f"{path.relative_to(ROOT)}:{number}: {what}")
        found += len(wrong)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
