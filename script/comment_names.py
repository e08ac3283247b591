# SPDX-License-Identifier: Apache-2.0
"""Finds names in comments of C and C++ files that the code no longer has.

    script/comment_names.py    lists them with file and line; exit code 1 when there is one

Checked: back-quoted names (`frames`, `SessionOptions::threads`, `is_sound()`) and bare ones with a scope (Replays::after). A parameter, member or
local name must occur in the file, in its other half (.h, .cc) or in a header of ours that it includes; a type, a function with its (), a constant or
a name with a scope anywhere in src/ or bindings/. A word of the product (a verb, a JSON key) counts as known if it occurs in a string literal, except
before a colon, where the comment explains a parameter.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.S)
NAME = re.compile(r"`([A-Za-z_][\w:]*(?:\(\))?)`(:)?|(?<![\w:.`])([A-Z]\w+(?:::\w+)+)")
# Names of others: of C++ itself, and of libraries that nothing here includes.
OTHERS = {"this", "Ort", "AllocatedStringPtr", "Eigen", "half", "longest_first", "tokenizers"}


class Source:
    def __init__(self, text):
        code = TOKEN.sub(lambda token: "\n" if token[0][0] == "/" else token[0], text)
        self.words = set(re.findall(r"\w+", code))
        self.literals = set(re.findall(r'"(\w+)"', code))
        self.included = re.findall(r'#include "([^"]+)"', code)
        self.comments = [(text.count("\n", 0, token.start()) + 1, token[0]) for token in TOKEN.finditer(text) if token[0][0] == "/"]

    def names(self):
        for first, comment in self.comments:
            for named in NAME.finditer(comment):
                yield first + comment.count("\n", 0, named.start()), named[1] or named[3], bool(named[2])


def unknown(sources):
    """Yields path, line and name of each; `sources` maps paths to texts."""
    everywhere = set().union(*(source.words for source in sources.values()))
    literals = set().union(*(source.literals for source in sources.values()))
    for path, source in sorted(sources.items()):
        neighbours = [path.with_suffix(".h"), path.with_suffix(".cc"), *(ROOT / "src" / name for name in source.included)]
        near = source.words.union(*(sources[other].words for other in neighbours if other in sources))
        for line, name, explained in source.names():
            known = everywhere if re.search(r"[A-Z(:]", name) else near if explained else near | literals
            if not all(part in known or part in OTHERS for part in re.findall(r"\w+", name)):
                yield path, line, name


def main():
    paths = [path for folder in ("src", "bindings") for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cc", ".hpp", ".c")]
    found = list(unknown({path: Source(path.read_text(encoding="utf-8")) for path in paths}))
    for path, line, name in found:
        print(f"{path.relative_to(ROOT)}:{line}: no {name} in the code")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
