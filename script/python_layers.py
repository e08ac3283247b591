#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks python/edgeprobe against its table in docs/architecture.md, and finds circles of imports inside it.

Every import counts: those at the top, in functions, and under TYPE_CHECKING.

    script/python_layers.py      lists what breaks a rule; exit code 1 when anything does
    script/python_layers.py DIR  of the package in DIR, against the same table
"""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = "edgeprobe"
#: A compiled module, which has no Python source here.
NATIVE = f"{PACKAGE}._native"


def table():
    """Part -> parts that it may import, or None for all. A part is a folder, or a module next to the folders."""
    rules = {}
    for line in (ROOT / "docs/architecture.md").read_text(encoding="utf-8").splitlines():
        row = re.match(r"\| `python/edgeprobe/(\w+)(?:/|\.py)` \|.*\| ([^|]*) \|$", line)
        if row:
            names = re.sub(r"\(.*?\)", "", row[2]).strip()
            rules[row[1]] = None if names == "everything" else set(re.findall(r"\w+", names)) & {*rules, "_native"}
    return rules


def sources(folder):
    """Module name -> its file."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        found[".".join((PACKAGE, *parts)).removesuffix(".__init__")] = path
    return found


def imported(module, path, modules):
    """(line, module of this package) of each import."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    known = {*modules, NATIVE}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[:len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            inside = [f"{base}.{alias.name}" for alias in node.names]
            targets = [name if name in known else base for name in inside]
        else:
            continue
        for target in dict.fromkeys(targets):
            if target.split(".")[0] == PACKAGE:
                yield node.lineno, target


def part_of(module):
    """The part of a file: its folder, or its module name if it is in no folder; "__init__" for the package itself."""
    return (module.split(".") + ["__init__"])[1]


def broken(rules, modules, uses):
    for module, path in modules.items():
        part, is_package = part_of(module), path.name == "__init__.py"
        if part not in rules:
            yield f"{module} is not in the table of docs/architecture.md"
            continue
        for line, target in uses[module]:
            other, at = part_of(target), f"{path}:{line}"
            if target not in modules and target != NATIVE:
                yield f"{at}: {target} is not a module of the package"
            elif is_package and module != PACKAGE:
                yield f"{at}: the __init__ of a folder imports nothing, so that a module costs no other"
            elif other != part and rules[part] is not None and other not in rules[part]:
                yield f"{at}: {part} must not know {other} (docs/architecture.md)"


def circles(uses):
    """Modules that import one another, directly or by others, as sorted tuples."""
    reach = {}
    for start in uses:
        seen, rest = set(), [start]
        while rest:
            for _, other in uses.get(rest.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    rest.append(other)
        reach[start] = seen
    return sorted({tuple(sorted(other for other in reach[start] if start in reach.get(other, ())))
                   for start in uses if start in reach[start]})


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "python" / PACKAGE
    rules, modules = table(), sources(folder)
    uses = {module: list(imported(module, path, modules)) for module, path in modules.items()}
    problems = [*broken(rules, modules, uses)]
    problems += [f"a circle of imports: {' '.join(circle)}" for circle in circles(uses)]
    problems += [f"python/edgeprobe/{part} of docs/architecture.md is not there" for part in rules
                 if part not in map(part_of, modules)]
    print("\n".join(problems + [f"{len(modules)} modules of {len(rules)} parts of python/edgeprobe, {len(problems)} problems"]))
    return 1 if problems or not modules or len(rules) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
