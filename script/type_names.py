# SPDX-License-Identifier: Apache-2.0
"""Finds types with the same name and namespace that two files of src/ define: a linker keeps one of their destructors for both.

    script/type_names.py    lists them; exit code 1 when there are any
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TYPE = re.compile(r"(?:template.*> )?(?:struct|class|union|enum class) (\w+)(?: final)?(?: : [^;]*)? ?\{")


def types_of(path):
    """The types of a file with their namespaces; names in an unnamed namespace belong to the file."""
    inside = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if begin := re.match(r"namespace ([\w:]*) ?\{$", line):
            inside.append(begin[1])
        elif line.startswith("}  // namespace"):
            inside.pop()
        elif (named := TYPE.match(line)) and inside and "" not in inside:
            yield "::".join([*inside, named[1]])


def main():
    found = collections.defaultdict(list)
    files = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in (".h", ".cc"))
    for path in files:
        for name in types_of(path):
            found[name].append(str(path.relative_to(ROOT)))
    twice = {name: places for name, places in found.items() if len(places) > 1}
    for name, places in sorted(twice.items()):
        print(f"{name} is defined in {' and '.join(places)}: give one of them another name")
    print(f"{len(found)} types of {len(files)} files, {len(twice)} problems")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
