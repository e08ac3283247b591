# SPDX-License-Identifier: Apache-2.0
"""Checks the folders of src/ and their subfolders against the table in docs/architecture.md, and finds circles of includes between units, and between
folders. script/layers.py lists what breaks a rule; exit code 1 when anything does
    script/layers.py --circles  lists the circles alone
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"

# Folders that include each other in a circle, with the reason. This list must only become shorter: break up a new circle instead of adding it here.
# The folders directly below src/ have no circle.
KNOTS = {
    "contract contract/parts":
        "check.cc runs the parts, which read contract.h",
    "engine engine/fetch engine/kenning engine/litert engine/native engine/onnxruntime engine/openvino engine/remote engine/stretch engine/tflite engine/tvm":
        "the table of engines in kinds.cc names each runtime, which implements engine.h",
    "model model/onnx model/tflite":
        "the table of formats in format.cc names each reader, which makes a graph.h",
    "preprocess/decode preprocess/picture preprocess/recipe":
        "a recipe holds options of decoding and kernels, and a picture's steps take the recipe",
}


def table():
    """Folder or subfolder of src/ -> (folders that it may include, or None for all; whether it builds as C++17)."""
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
    """Row of the table for a path under src/: the deepest folder in the table that contains it; None if there is none."""
    folders = [row for row in rules if name.startswith(row + "/")]
    return max(folders, key=len, default=None)


def may_include(room, other, allowed):
    """In the table, a folder's name includes all its subfolders, except in the rows of these subfolders themselves."""
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
            if name == "CLI/CLI.hpp" and str(where) not in ("cli/options/parser.cc", "cli/options/described.cc"):
                yield f"src/{where}: {name} belongs in src/cli/options/parser.cc, or described.cc beside it"
            if name == "span" and is_cxx17:
                yield f"src/{where}: <span> is C++20; {room}/ builds as C++17"


def unit(path):
    """A header and its source."""
    return str(path.relative_to(SRC).with_suffix(""))


def folder(path):
    return str(path.relative_to(SRC).parent)


def top_folder(path):
    return path.relative_to(SRC).parts[0]


def uses(files, part):
    """The other parts of src/ that each part includes; `part` returns the part of a path."""
    found = {part(path): set() for path in files}
    for path in files:
        for name in included(path):
            for other in (SRC / name, path.parent / name):
                if other.is_file():
                    found[part(path)].add(part(other.resolve()))
    return found


def circles(used):
    """Parts that include one another, as sorted lists."""
    reach = {}
    for start in used:
        seen, rest = set(), [start]
        while rest:
            for other in used.get(rest.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    rest.append(other)
        reach[start] = seen
    found = {tuple(sorted({start} | {other for other in reach[start] if start in reach.get(other, ())})) for start in used}
    return sorted(" ".join(circle) for circle in found if len(circle) > 1)


def broken_circles(files):
    for circle in circles(uses(files, unit)):
        yield f"a circle of includes: {circle}"
    for circle in circles(uses(files, top_folder)):
        yield f"a circle of folders: {circle}"
    found = circles(uses(files, folder))
    for circle in found:
        if circle not in KNOTS:
            yield f"a circle of folders that script/layers.py does not list: {circle}"
    for circle in KNOTS:
        if circle not in found:
            yield f"no circle any more, so take it off the list of script/layers.py: {circle}"


def main():
    files = sorted(path for path in SRC.rglob("*") if path.suffix in {".h", ".cc"})
    rules = table()
    if "--circles" in sys.argv:
        print("\n".join(circles(uses(files, unit)) + circles(uses(files, folder))))
        return 0
    problems = [*broken_layers(rules, files), *broken_circles(files)]
    print("\n".join(problems + [f"{len(files)} files of {len(rules)} folders, {len(problems)} problems"]))
    return 1 if problems or not files or len(rules) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
