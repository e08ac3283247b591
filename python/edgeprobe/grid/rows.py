# SPDX-License-Identifier: Apache-2.0
"""A framework on this machine, and a row: the export of one model and its imports."""
from __future__ import annotations

import os
import sys
from pathlib import Path

from . import frameworks, importers, pairs
from .cells import Runner
from .frameworks import BUILT_IN, TITLES
from .statuses import DIFFERS, SUPPORTED, UNVERIFIED

SEED = 1


class FrameworkRow:
    """A framework with the Python that has it."""

    def __init__(self, key: str, adapter: str, python: str, why: str, described: dict):
        self.key, self.adapter, self.python = key, adapter, python
        self.name = described.get("name") or BUILT_IN.get(adapter, adapter)
        self.models = described.get("models") or []
        self.packages = described.get("packages") or []
        self.versions = described.get("versions") or {}
        self.importer_versions = described.get("importer_versions") or {}
        self.python_version = described.get("python", "")
        #: Why none of its cells can run; "" if they can.
        missing = described.get("missing") if python else []
        self.wrong = why or described.get("reason", "") or (f"its Python has no {' and no '.join(missing)}" if missing else "")

    @staticmethod
    def of(runner: Runner, one: dict) -> FrameworkRow:
        """Asks its Python, or for a built-in framework that has none, this one: which models there are needs no framework."""
        adapter = one["adapter"]
        python = one["python"] or sys.executable
        given = {"adapter": adapter}
        described = runner.fresh("describe", python, given)
        return FrameworkRow(one["name"], adapter, one["python"], one["why"], described)


class Row:
    def __init__(self, framework: FrameworkRow, model: str, runner: Runner, request: dict, all_frameworks: dict):
        self.framework, self.model = framework, model
        self._runner, self._request, self._all = runner, request, all_frameworks
        self.export: dict = {}
        self.imports: dict[str, dict] = {}
        self.place = os.path.join(framework.key, model)
        self.folder = Path(request["folder"]) / self.place

    @property
    def count(self) -> int:
        return 1 + len(self._request["importers"])

    @property
    def title(self) -> str:
        return TITLES.get(self.model, self.model)

    def run(self) -> None:
        self.export = self._export()
        self._runner.step(f"{self.framework.name} {self.title}: export {self.export['status']}")
        for importer in self._request["importers"]:
            self.imports[importer] = self._import(importer)
            self._runner.step(f"{self.framework.name} {self.title}: {importer} {self.imports[importer]['status']}")
        self._blame_export()
        for importer, result in self.imports.items():
            if result["status"] == DIFFERS:
                result.update(self._cause(importer))

    def _export(self) -> dict:
        one = self.framework
        if one.wrong:
            return {"status": UNVERIFIED, "reason": one.wrong}
        own = [] if one.adapter in BUILT_IN else [one.adapter]
        given = {"adapter": one.adapter, "name": self.model, "seed": SEED, "packages": one.packages, "installed": one.versions, "files": own}
        code = [str(path.relative_to(frameworks_folder().parent)) for path in sorted(frameworks_folder().glob(f"{one.adapter}*.py"))] if not own else []
        result = self._runner.cell(self.place, "export", "export", one.python, given, code)
        return pairs.with_hint(result, one.key)

    def _import(self, importer: str) -> dict:
        title, module, owner = importers.IMPORTERS[importer]
        if self.export["status"] not in (SUPPORTED, DIFFERS):
            return {"status": UNVERIFIED, "reason": "there is no file to import"}
        host = self.framework if owner is None else self._all.get(owner)
        if host is None or not host.python:
            return {"status": UNVERIFIED, "reason": f"no Python with {BUILT_IN[owner]} is here (--python {owner}=PYTHON)"}
        if owner is None:
            versions = {importer: self._request["engines"].get(importer, "")}
            if not versions[importer]:
                return {"status": UNVERIFIED, "reason": f"the engine {importer} is not on this machine (edgeprobe doctor)"}
        else:
            versions = host.importer_versions.get(importer, {})
            if importers.PACKAGES[importer][0] not in versions:
                return {"status": UNVERIFIED, "reason": f"{host.name}'s Python has no {importers.PACKAGES[importer][0]}"}
        given = self._file_facts() | {"importer": importer, "packages": list(importers.PACKAGES.get(importer, ())), "installed": versions,
                                      "found_file": str(self.folder / f"found-{importer}.npz")}
        result = self._runner.cell(self.place, f"import-{importer}", "import", host.python, given, [f"importers/{module}.py"])
        return pairs.with_hint({**result, "versions": result.get("versions") or versions}, importer)

    def _file_facts(self) -> dict:
        """The exported file and its data, as a cell takes them."""
        names = {"model": "model.onnx", "inputs_file": "inputs.npz", "outputs_file": "outputs.npz"}
        paths = {key: str(self.folder / name) for key, name in names.items()}
        return {**paths, "files": [*paths.values(), paths["model"] + ".data"],
                **{key: self.export[key] for key in ("inputs", "outputs", "samples", "own_outputs", "sensitivity")}}

    def _blame_export(self) -> None:
        """If all importers that could be judged differ, and two of them agree, the file itself is wrong."""
        judged = [result for result in self.imports.values() if result["status"] in (SUPPORTED, DIFFERS)]
        if len(judged) > 1 and all(result["status"] == DIFFERS for result in judged):
            self.export = {**self.export, "status": DIFFERS, "reason": "every importer that runs the file gets other outputs than the framework"}

    def _cause(self, importer: str) -> dict:
        """The first node that differs. Of an importer whose layers cannot be seen, only an engine that differs likewise can show it."""
        engines = [name for name, (_, module, _) in importers.IMPORTERS.items() if module == "engine" and name in self.imports]
        good = [name for name in engines if self.imports[name]["status"] == SUPPORTED]
        if importer not in engines:
            return {"cause": "The engines compute the file like the framework, so the importer is wrong"} if good else {}
        host = self.framework
        given = self._file_facts() | {"engine": importer, "reference_engine": good[0] if good else "", "saved": self.export.get("saved") or {},
                                      "engines": self._request["engines"], "reference_python": host.python, "row": str(self.folder)}
        result = self._runner.cell(self.place, f"cause-{importer}", "cause", host.python, given, [])
        return {"cause": result.get("cause", ""), "first_node": result.get("first_node", "")}


def frameworks_folder() -> Path:
    return Path(frameworks.__file__).parent
