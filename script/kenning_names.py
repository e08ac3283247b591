# SPDX-License-Identifier: Apache-2.0
"""Reads the names of Kenning's classes and of their parameters and flags from its repository: the content of tests/scenario/kenning_names.tsv.

    script/kenning_names.py CLONE > tests/scenario/kenning_names.tsv

CLONE is a git repository of Kenning with its history; nothing of it is run or imported. One row per name: role, owner (a class, or a scenario's
module), its name in a file ("" if it has none), its flag ("" if it has none), and the states that have it, as letters in the order of STATES. A row
with neither name nor flag is the class itself.
"""
import ast
import pathlib
import subprocess
import sys

# The states against which our client and server were tested: the first published code, states between releases, the releases, the newest.
STATES = ["41f5df84", "9e50c241", "9c5189b7", "bf83bdb6", "7b1df1e8", "f85992e2", "a3a1d7fc", "c5ee79ef"]

# Folders of classes, the role of their classes, and the class of core/ that all of them extend.
FOLDERS = {
    "automl": ("automl", "AutoML"),
    "compilers": ("optimizers", "Optimizer ModelCompiler"),
    "converters": ("converters", "ModelConverter"),
    "dataconverters": ("dataconverter", "DataConverter"),
    "dataproviders": ("dataprovider", "DataProvider"),
    "datasets": ("dataset", "Dataset"),
    "inferenceloops": ("inference_loop", "InferenceLoop"),
    "modelwrappers": ("model_wrapper", "ModelWrapper"),
    "onnxconverters": ("onnxconverters", "ONNXConversion"),
    "optimizers": ("optimizers", "Optimizer"),
    "outputcollectors": ("outputcollectors", "OutputCollector"),
    "platforms": ("platform", "Platform"),
    "protocols": ("protocol", "Protocol"),
    "report": ("report", "Report"),
    "runners": ("runner", "Runner"),
    "runtimebuilders": ("runtime_builder", "RuntimeBuilder"),
    "runtimeprotocols": ("protocol", "RuntimeProtocol"),
    "runtimes": ("runtime", "Runtime"),
}


class Class:
    def __init__(self, node, path):
        self.name, self.path = node.name, path
        self.bases = [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases]
        self.told = {}  # Name in a file -> flag; a flag without a name in a file is its own key.
        self.abstract = "ABC" in self.bases
        for part in node.body:
            target = part.targets[0] if isinstance(part, ast.Assign) else getattr(part, "target", None)
            if getattr(target, "id", "") == "arguments_structure" and isinstance(part.value, ast.Dict):
                self.take_structure(part.value)
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "add_argument":
                for flag in flags_of(call):
                    self.told.setdefault(flag, flag)

    def take_structure(self, structure):
        for key, value in zip(structure.keys, structure.values):
            if not isinstance(key, ast.Constant):
                continue  # A structure into which another one is unpacked.
            flag = "--" + key.value.replace("_", "-")
            if isinstance(value, ast.Dict):
                for inner, said in zip(value.keys, value.values):
                    if getattr(inner, "value", "") == "argparse_name" and isinstance(said, ast.Constant):
                        flag = said.value
            # A file names a parameter like its flag; older and handwritten files use the parameter's own name.
            self.told[flag.lstrip("-").replace("-", "_")] = flag
            self.told[key.value] = flag


def flags_of(call):
    return [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.startswith("--")]


def git(clone, *words):
    return subprocess.run(["git", "-C", clone, *words], check=True, capture_output=True, text=True).stdout


def sources(clone, state):
    """Path below the package -> syntax tree."""
    trees = {}
    for line in git(clone, "ls-tree", "-r", state).splitlines():
        about, _, path = line.partition("\t")
        package, _, inner = path.partition("/")
        if about.startswith("100") and package in ("edge_ai_tester", "kenning") and path.endswith(".py") and not inner.startswith("tests/"):
            trees[inner] = ast.parse(git(clone, "show", f"{state}:{path}"))
    return trees


def ancestors(one, classes):
    """The class and all classes that it extends, nearest first."""
    found, queue = [], [one]
    while queue:
        first = queue.pop(0)
        if first in found:
            continue
        found.append(first)
        queue += [classes[base] for base in first.bases if base in classes]
    return found


def rows_of(trees):
    classes = {}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name] = Class(node, path)
    rows = set()
    for one in classes.values():
        folder = one.path.split("/")[0]
        if folder not in FOLDERS or one.abstract or one.name.startswith("_"):
            continue
        role, roots = FOLDERS[folder]
        line = ancestors(one, classes)
        if not any(base.name in roots.split() for base in line):
            continue
        rows.add((role, one.name, "", ""))
        for base in line:
            for name, flag in base.told.items():
                rows.add((role, one.name, "" if name.startswith("--") else name, flag))
    for path, tree in trees.items():
        folder, _, module = path.partition("/")
        if folder == "scenarios" and module != "__init__.py":
            name = pathlib.PurePath(module).stem if "/" not in module else ""
            if not name:
                continue
            rows.add(("scenario", name, "", ""))
            for call in ast.walk(tree):
                if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "add_argument":
                    for flag in flags_of(call):
                        rows.add(("scenario", name, "", flag))
        if path == "cli/command_template.py":
            rows |= {("verb", verb, "", "") for verb in verbs_of(tree)}
            for call in ast.walk(tree):
                if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "add_argument":
                    for flag in flags_of(call):
                        rows.add(("verb", "all", "", flag))
    return rows


def verbs_of(tree):
    """Upper-case constants of the module whose values are words of the command line."""
    for part in tree.body:
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant) and isinstance(part.value.value, str):
            name, value = getattr(part.targets[0], "id", ""), part.value.value
            if name.isupper() and value.replace("-", "_").upper().startswith(name.split("_")[0]) and " " not in value:
                yield value


def main():
    clone, table = sys.argv[1], {}
    for number, state in enumerate(STATES):
        for row in rows_of(sources(clone, state)):
            table.setdefault(row, []).append("abcdefghij"[number])
    print("# Made by script/kenning_names.py of the states " + " ".join(f"{letter}={state}" for letter, state in zip("abcdefghij", STATES)))
    for row in sorted(table):
        print("\t".join([*row, "".join(table[row])]))


main()
