# SPDX-License-Identifier: Apache-2.0
"""Finds the edgeprobe program and runs it."""
from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import FailedError, NotFoundError, UsageError
from .folders import FOLDERS, build_folder

#: Engines that come as Python packages.
_ENGINES = ("ai_edge_litert", "onnxruntime", "openvino", "tvm")

AGREES, FAILED, USAGE, DIFFERS, UNDECIDED, INTERRUPTED = 0, 1, 2, 3, 4, 130


def executable() -> str:
    """The program that the verbs run: the package's own; in a checkout, the one in the build folder (EDGEPROBE_BUILD, else build/); else the one on
    the PATH. Raises NotFoundError if there is none."""
    candidates = [Path(folder) / "bin" / "edgeprobe" for folder in FOLDERS]
    candidates.append(Path(build_folder()) / "edgeprobe")
    for candidate in candidates:
        if os.access(candidate, os.X_OK) and candidate.is_file():
            return str(candidate)
    # A script of this package on the PATH would only come back here.
    found = shutil.which("edgeprobe")
    if found and not _is_script(found):
        return found
    raise NotFoundError("the program 'edgeprobe' is neither in this package nor in build/ nor on the PATH; build it by script/setup")


def environment(program: str) -> dict[str, str]:
    """The environment of the program: this Python for pipelines in Python, and for the package's own program the engines that are installed next to
    it. Values that the user has set take precedence."""
    found = {"EDGEPROBE_PYTHON": sys.executable}
    if any(Path(program).is_relative_to(folder) for folder in FOLDERS):
        specs = [importlib.util.find_spec(package) for package in _ENGINES]
        # A bare folder of that name is not a package, and a package in the working folder was not installed.
        folders = [str(Path(folder).parent) for spec in specs if spec and spec.origin for folder in spec.submodule_search_locations or []]
        folders = [folder for folder in folders if Path(folder).resolve() != Path.cwd()]
        if folders:
            found["EDGEPROBE_SITE_PACKAGES"] = os.pathsep.join(dict.fromkeys(folders))
    return {**found, **{name: value for name, value in os.environ.items() if value or name not in found}}


@dataclass(frozen=True)
class Done:
    """How a run of the program ended."""

    code: int
    out: str
    err: str


def call(arguments: Sequence[str]) -> Done:
    """Runs the program to its end. A failure is an exception with its sentence; "differs" and "undecided" are not failures.

    Ctrl-C ends the program cleanly, so that its recording is kept, and then raises KeyboardInterrupt.
    """
    program = executable()
    # In a group of its own it receives Ctrl-C only from here: a second one would end it at once.
    with subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, encoding="utf-8", errors="replace", process_group=0, env=environment(program)) as process:
        try:
            out, err = process.communicate()
        except BaseException as reason:
            process.send_signal(signal.SIGINT if isinstance(reason, KeyboardInterrupt) else signal.SIGTERM)
            try:
                process.wait(timeout=30)
            except BaseException:
                process.kill()
                raise
            raise
    if process.returncode in (INTERRUPTED, -signal.SIGINT):
        raise KeyboardInterrupt
    if process.returncode in (AGREES, DIFFERS, UNDECIDED):
        return Done(process.returncode, out, err)
    raise (UsageError if process.returncode == USAGE else FailedError)(sentence(err, process.returncode))


def sentence(said: str, code: int) -> str:
    """The program's own last sentence."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    for line in reversed(lines):
        if line.startswith("edgeprobe: "):
            return line.removeprefix("edgeprobe: ")
    if code < 0:
        return f"the program was ended by {signal.Signals(-code).name}" + (f": {lines[-1]}" if lines else "")
    return lines[-1] if lines else f"the program ended with the code {code} and said nothing"


def _is_script(file: str) -> bool:
    with open(file, "rb") as opened:
        return opened.read(2) == b"#!"


def main() -> None:
    """Becomes the program."""
    program = executable()
    os.execve(program, ["edgeprobe", *sys.argv[1:]], environment(program))
