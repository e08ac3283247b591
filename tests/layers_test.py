"""Each folder of src/ includes only itself and the folders that docs/architecture.md puts above it."""
import pathlib
import re
import sys

MAY_INCLUDE = {
    "core": [],
    "stats": ["core"],
    "process": ["core"],
    "trace": ["core"],
    "meter": ["core"],
    "probe": ["core", "trace", "meter"],
    "model": ["core"],
    "preprocess": ["core"],
    "task": ["core"],
    "dataset": ["core", "preprocess"],
    "engine": ["core", "process", "meter", "model"],
    "pipeline": ["core", "stats", "process", "trace", "model", "preprocess", "task", "dataset", "engine"],
    "compare": ["core", "stats", "model", "trace", "task"],
    "culprit": ["core", "trace", "model", "engine", "pipeline", "compare"],
    "matrix": ["core", "stats", "model", "engine", "compare", "culprit"],
    "diagnose": ["core", "stats", "trace", "model", "preprocess", "task", "dataset", "engine", "pipeline", "compare", "culprit"],
    "bench": ["core", "stats", "meter", "model", "engine", "pipeline"],
    "report": ["core", "stats", "preprocess", "task", "compare", "matrix", "culprit", "diagnose"],
    "cli": None,  # The composition: everything.
}
C17_FOLDERS = {"core", "trace", "meter", "probe"}

root = pathlib.Path(__file__).resolve().parent.parent / "src"
problems = []
files = sorted(p for p in root.rglob("*") if p.suffix in {".h", ".cc"})
for path in files:
    folder = path.relative_to(root).parts[0]
    if folder not in MAY_INCLUDE:
        problems.append(f"src/{folder}/ is not in the list of folders")
        continue
    for included in re.findall(r'#include [<"]([^>"]+)[>"]', path.read_text()):
        first = included.split("/")[0]
        allowed = MAY_INCLUDE[folder]
        if first in MAY_INCLUDE and allowed is not None and first != folder and first not in allowed:
            problems.append(f"{path.relative_to(root)} includes {included}: {folder}/ must not know {first}/")
        if included == "nlohmann/json.hpp" and path.suffix == ".h":
            problems.append(f"{path.relative_to(root)}: {included} belongs in no header")
        if included == "CLI/CLI.hpp" and not path.name.startswith("parse"):
            problems.append(f"{path.relative_to(root)}: {included} belongs in src/cli/parse*.cc alone")
        if included == "span" and folder in C17_FOLDERS:
            problems.append(f"{path.relative_to(root)}: <span> is C++20; {folder}/ builds as C++17")

for line in problems:
    print(line)
print(f"{len(files)} files, {len(problems)} problems")
sys.exit(1 if problems or not files else 0)
