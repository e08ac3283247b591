# SPDX-License-Identifier: Apache-2.0
"""Runs cells as processes and keeps their results, so that a second run does only what is missing or has changed."""
from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
import threading
from pathlib import Path

from .statuses import ERROR, clean
from .watch import Limits, run

HERE = Path(__file__).resolve().parent
#: Kind of cell -> the code that decides its result, besides its framework's or importer's.
_CODE = {"export": ["frameworks/__init__.py", "frameworks/weights.py"], "import": ["numbers.py", "importers/engine.py"],
         "cause": ["cause.py"]}
_QUIET = {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu", "KERAS_BACKEND": "tensorflow", "PYTHONHASHSEED": "0",
          "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


class Runner:
    """Runs the cells of a grid. Its methods may be called from several threads."""

    def __init__(self, folder: Path, request: dict):
        self._folder, self._request = folder, request
        self._lock, self._done, self._total = threading.Lock(), 0, 0
        limits = request["limits"]
        self._limits = Limits(limits["seconds"], limits["memory"], limits["disk"])

    def expect(self, total: int) -> None:
        self._total = total

    def step(self, text: str) -> None:
        """A line that edgeprobe shows as progress."""
        with self._lock:
            self._done += 1
            print(f"progress {self._done} {self._total} {clean(text, 200)}", file=sys.stderr, flush=True)

    def cell(self, place: str, name: str, kind: str, python: str, given: dict, code: list[str]) -> dict:
        """The result of a cell: that of an earlier run if it was made from the same, else that of a new process.

        place: folder of the row below DIR. given: what the cell works on, from which its result follows; `files` in it are read. code: modules that
        decide the result."""
        folder = self._folder / place
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / f"{name}.json"
        key = self._key(kind, given, code)
        old = read_json(kept)
        limits = vars(self._limits)
        if old and old.get("key") == key and not self._request["force"]:
            # With other limits it may come to an end.
            if not old["result"].get("exceeded") or old.get("limits") == limits:
                if all(digest(folder / file) == sha for file, sha in old.get("made", {}).items()):
                    return without_folder(old["result"], folder)
        kept.unlink(missing_ok=True)
        result = self._run(folder, name, kind, python, given)
        made = {file: digest(folder / file) for file in result.get("made", [])}
        write_json(kept, {"key": key, "limits": limits, "made": made, "result": result})
        return without_folder(result, folder)

    def fresh(self, kind: str, python: str, given: dict) -> dict:
        """The result of a cell that is run each time, as it says what is installed now."""
        folder = self._folder / kind
        folder.mkdir(exist_ok=True)
        return self._run(folder, hashlib.sha256(json.dumps([python, given]).encode()).hexdigest()[:12], kind, python, given)

    def _key(self, kind: str, given: dict, code: list[str]) -> str:
        sources = [digest(HERE / file) for file in _CODE[kind] + code]
        files = {name: digest(Path(name)) for name in given.get("files", [])}
        facts = {name: value for name, value in given.items() if name not in ("files", "program")}
        return hashlib.sha256(json.dumps([kind, facts, files, sources], sort_keys=True).encode()).hexdigest()

    def _run(self, folder: Path, name: str, kind: str, python: str, given: dict) -> dict:
        # Its own folder for temporary files, which count, and which go.
        scratch = Path(tempfile.mkdtemp(prefix=".cell-", dir=self._folder))
        try:
            request, answer = scratch / "request.json", scratch / "answer.json"
            write_json(request, {"kind": kind, "folder": str(folder), "disk": self._limits.disk, "program": self._request["program"],
                                 "seconds": self._limits.seconds, "parent": os.getpid(), **given})
            environment = {**os.environ, **_QUIET, "TMPDIR": str(scratch)}
            words = [python, "-P", str(HERE / "main.py"), "cell", str(request), str(answer)]
            ended = run(words, [folder, scratch], folder / f"{name}.log", environment, self._limits)
            result = read_json(answer)
        except OSError as error:
            return {"status": ERROR, "reason": clean(f"'{python}' cannot be started: {error.strerror}")}
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        if ended.exceeded:
            result = {"status": ERROR, "reason": self._excess(ended), "exceeded": ended.exceeded}
        elif not result:
            last = last_words(folder / f"{name}.log")
            how = f"signal {-ended.code}" if ended.code < 0 else f"exit code {ended.code}"
            result = {"status": ERROR, "reason": clean(f"the process ended with {how}" + (f"; it last said: {last}" if last else ""))}
        return {**result, "wall_seconds": round(ended.seconds, 3), "peak_memory": ended.memory}

    def _excess(self, ended) -> str:
        return {"time": f"stopped after {self._limits.seconds:g} s (--time-limit)",
                "memory": f"stopped above {megabytes(self._limits.memory)} of memory (--memory-limit)",
                "disk": f"stopped above {megabytes(self._limits.disk)} on disk (--disk-limit)"}[ended.exceeded]


def without_folder(result: dict, folder: Path) -> dict:
    """Reasons name files by their names: a report may go to others."""
    return {**result, "reason": result["reason"].replace(f"{folder}{os.sep}", "")} if result.get("reason") else result


def megabytes(size: int) -> str:
    return f"{size / 1e6:.4g} MB"


def last_words(log: Path) -> str:
    """The last line of a log that has words."""
    with open(log, "rb") as file:
        file.seek(max(0, log.stat().st_size - 4096))
        lines = file.read().decode("utf-8", "replace").splitlines()
    return next((line.strip() for line in reversed(lines) if any(letter.isalpha() for letter in line)), "")


def digest(file: Path) -> str:
    """SHA-256 of a file, "" if there is none."""
    try:
        with open(file, "rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return ""


def read_json(file: Path) -> dict:
    """A result of before; {} if there is none or it is damaged."""
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json(file: Path, value: dict) -> None:
    """Writes it whole or not at all."""
    part = file.with_name(file.name + ".part")
    part.write_text(json.dumps(value, indent=1) + "\n", "utf-8")
    os.replace(part, file)
