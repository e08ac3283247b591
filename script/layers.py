# SPDX-License-Identifier: Apache-2.0
"""Holds the folders of src/ to the table in docs/architecture.md, and finds circles of includes inside them.

    script/layers.py            lists what breaks a rule; exit code 1 when anything does
    script/layers.py --circles  lists the circles alone
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"

# Rooms of a folder whose order holds as the table's does: each includes only those before it.
ROOMS = {"diagnose/preprocessing": ["model", "search", "answer"]}


def table():
    """Folder -> (folders that it may include, or None for all; whether it builds as C++17)."""
    rules = {}
    for line in (ROOT / "docs/architecture.md").read_text(encoding="utf-8").splitlines():
        row = re.match(r"\| `src/(\w+)/` \|.*\| ([^|]*) \|$", line)
        if row:
            folders = re.sub(r"\(.*?\)", "", row[2].split(";")[0])
            everything = folders.strip() == "everything"
            rules[row[1]] = (None if everything else set(re.findall(r"\w+", folders)) & set(rules), "C++17" in row[2])
    return rules


def included(path):
    for name in re.findall(r'#include [<"]([^>"]+)[>"]', path.read_text(encoding="utf-8")):
        yield name


def broken_layers(rules, files):
    for path in files:
        where = path.relative_to(SRC)
        folder = where.parts[0]
        if folder not in rules:
            yield f"src/{folder}/ is not in the table of docs/architecture.md"
            continue
        allowed, is_cxx17 = rules[folder]
        for name in included(path):
            other = name.split("/")[0]
            if other in rules and allowed is not None and other != folder and other not in allowed:
                yield f"src/{where} includes {name}: {folder}/ must not know {other}/ (docs/architecture.md)"
            if name == "nlohmann/json.hpp" and path.suffix == ".h":
                yield f"src/{where}: {name} belongs in no header"
            if name == "CLI/CLI.hpp" and not path.name.startswith("parse"):
                yield f"src/{where}: {name} belongs in src/cli/options/parse*.cc alone"
            for house, rooms in ROOMS.items():
                if str(where).startswith(house + "/") and name.startswith(house + "/"):
                    own, its = str(where).split("/")[house.count("/") + 1], name.split("/")[house.count("/") + 1]
                    if own in rooms and its in rooms and rooms.index(its) > rooms.index(own):
                        yield f"src/{where} includes {name}: {own}/ must not know {its}/ (ROOMS in script/layers.py)"
            if name == "span" and is_cxx17:
                yield f"src/{where}: <span> is C++20; {folder}/ builds as C++17"


def unit(path):
    return str(path.relative_to(SRC).with_suffix(""))


def circles(files):
    """Units (a header and its source) of one folder that include one another, as sorted lists."""
    uses = {unit(path): set() for path in files}
    for path in files:
        for name in included(path):
            for found in (SRC / name, path.parent / name):
                if found.is_file() and found.relative_to(SRC).parts[0] == path.relative_to(SRC).parts[0]:
                    uses[unit(path)].add(unit(found.resolve()))
    reach = {}
    for start in uses:
        seen, rest = set(), [start]
        while rest:
            for other in uses.get(rest.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    rest.append(other)
        reach[start] = seen
    found = {tuple(sorted({start} | {other for other in reach[start] if start in reach.get(other, ())})) for start in uses}
    return sorted(" ".join(circle) for circle in found if len(circle) > 1)


def main():
    files = sorted(path for path in SRC.rglob("*") if path.suffix in {".h", ".cc"})
    rules = table()
    found = circles(files)
    if "--circles" in sys.argv:
        print("\n".join(found))
        return 0
    problems = [*broken_layers(rules, files)]
    problems += [f"a circle of includes: {circle}" for circle in found]
    print("\n".join(problems + [f"{len(files)} files of {len(rules)} folders, {len(problems)} problems"]))
    return 1 if problems or not files or len(rules) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
