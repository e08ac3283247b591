# SPDX-License-Identifier: Apache-2.0
"""Holds the folders of src/ and their rooms to the table in docs/architecture.md, and finds circles of includes inside them.

    script/layers.py            lists what breaks a rule; exit code 1 when anything does
    script/layers.py --circles  lists the circles alone
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"

def table():
    """Folder or room of src/ -> (what it may include, or None for all; whether it builds as C++17)."""
    rules = {}
    for line in (ROOT / "docs/architecture.md").read_text(encoding="utf-8").splitlines():
        row = re.match(r"\| `src/([\w/]+)/` \|.*\| ([^|]*) \|$", line)
        if row:
            folders = re.sub(r"\(.*?\)", "", row[2].split(";")[0])
            everything = folders.strip() == "everything"
            known = set(rules) | {name.split("/")[0] for name in rules}
            rules[row[1]] = (None if everything else set(re.findall(r"[\w/]+", folders)) & known, "C++17" in row[2])
    return rules


def room_of(name, rules):
    """Row of the table for a path under src/: the longest that is a folder of it; None when there is none."""
    folders = [row for row in rules if name.startswith(row + "/")]
    return max(folders, key=len, default=None)


def may_include(room, other, allowed):
    """A folder's name stands for all its rooms, but not for its own rooms to one another."""
    if allowed is None or room == other or other in allowed:
        return True
    house = other.split("/")[0]
    return house in allowed and house != room.split("/")[0]


def included(path):
    for name in re.findall(r'#include [<"]([^>"]+)[>"]', path.read_text(encoding="utf-8")):
        yield name


def broken_layers(rules, files):
    for path in files:
        where = path.relative_to(SRC)
        room = room_of(str(where), rules)
        if room is None:
            yield f"src/{where.parts[0]}/ is not in the table of docs/architecture.md"
            continue
        allowed, is_cxx17 = rules[room]
        for name in included(path):
            other = room_of(name, rules)
            if other is not None and not may_include(room, other, allowed):
                yield f"src/{where} includes {name}: {room}/ must not know {other}/ (docs/architecture.md)"
            if name == "nlohmann/json.hpp" and path.suffix == ".h":
                yield f"src/{where}: {name} belongs in no header"
            if name == "CLI/CLI.hpp" and str(where) != "cli/options/parser.cc":
                yield f"src/{where}: {name} belongs in src/cli/options/parser.cc"
            if name == "span" and is_cxx17:
                yield f"src/{where}: <span> is C++20; {room}/ builds as C++17"


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
