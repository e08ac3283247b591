# SPDX-License-Identifier: Apache-2.0
"""Orders the cells of the grid, runs those whose result is not known yet, and writes the tables."""
from __future__ import annotations

import difflib
import fcntl
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .cells import Runner
from .frameworks import BUILT_IN, TITLES
from .importers.engine import versions
from .rows import FrameworkRow, Row
from .statuses import DIFFERS
from .table import table_of
from .writers.files import write


class UsageError(Exception):
    """What was wrong on the command line."""


def main(_: list[str]) -> None:
    """Reads the request; the last line of standard output is {"grid": …, "differs": …}, {"models": …}, {"usage": …} or {"failed": …}."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        answer = made(json.load(sys.stdin))
    except UsageError as error:
        answer = {"usage": str(error)}
    except OSError as error:
        answer = {"failed": f"'{error.filename or 'the folder'}': {error.strerror}"}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def made(request: dict) -> dict:
    folder = Path(request["folder"])
    folder.mkdir(parents=True, exist_ok=True)
    lock = only_run_in(folder)
    runner = Runner(folder, request)
    found = [FrameworkRow.of(runner, one) for one in request["frameworks"]]
    for one in found:
        if one.wrong and one.adapter not in BUILT_IN:
            raise UsageError(f"--frameworks '{one.adapter}': {one.wrong}")
    wanted = chosen(request["models"], found)
    if request["ask"] == "models":
        return {"models": {one.key: models for one, models in zip(found, wanted)}}
    request["engines"] = versions(request["program"])
    pythons = {one.key: one for one in found}
    rows = [Row(one, model, runner, request, pythons) for one, models in zip(found, wanted) for model in models]
    runner.expect(sum(row.count for row in rows))
    with ThreadPoolExecutor(request["jobs"]) as pool:
        for done in [pool.submit(row.run) for row in rows]:
            done.result()
    grid = table_of(request, found, rows)
    for output in request["outputs"]:
        write(grid, Path(output))
    lock.close()
    return {"grid": grid, "differs": sum(cell["status"] == DIFFERS for cell in grid["cells"])}


def only_run_in(folder: Path):
    """A file whose lock this process holds until it is closed or the process ends."""
    lock = open(folder / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(f"another run works in '{folder}'; wait for it, or name another folder") from None
    return lock


def chosen(names: list[str], found: list[FrameworkRow]) -> list[list[str]]:
    """The models of each framework, in its order."""
    known = list(dict.fromkeys([*TITLES, *(model for one in found for model in one.models)]))
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise UsageError(f"--models '{name}': no model has this name" + (f"; did you mean '{near[0]}'?" if near else "; expected some of " +
                                                                             ", ".join(known)))
    chosen_ones = [[model for model in one.models if not names or model in names] for one in found]
    if not any(chosen_ones):
        raise UsageError(f"--models: none of the frameworks has {' or '.join(repr(name) for name in names)}")
    return chosen_ones
