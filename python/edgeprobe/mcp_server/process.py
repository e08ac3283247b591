# SPDX-License-Identifier: Apache-2.0
"""Runs the program for one call, in a process group of its own that ends with the call."""
from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import anyio.abc

from ..command_line import Done, environment, executable
from ..errors import LimitError

#: Most bytes of standard output, and of standard error.
_MOST_BYTES = 256 << 20
#: Seconds that a program gets to finish its files after SIGTERM. A client kills its server after two.
_GRACE_S = 1.5
_running: set[int] = set()


async def run_program(words: Sequence[str], folder: Path, on_line: Callable[[str], None]) -> Done:
    """Runs the program to its end. If the call is cancelled, the program and its engine processes end. `on_line` receives each line of standard
    error."""
    program = executable()
    # Shielded: a call that is cancelled while its program starts would otherwise lose track of the program.
    with anyio.CancelScope(shield=True):
        process = await anyio.open_process([program, *words], cwd=folder, env=environment(program), start_new_session=True)
    _running.add(process.pid)
    out, err = bytearray(), bytearray()
    try:
        async with anyio.create_task_group() as readers:
            readers.start_soon(_read, process.stdout, out, lambda: None)
            readers.start_soon(_read, process.stderr, err, lambda: on_line(_last_line(err)))
        await process.wait()
    except BaseExceptionGroup as group:
        if group.subgroup(LimitError):
            raise LimitError(f"the program answered more than {_MOST_BYTES >> 20} MB; take fewer frames or a shorter duration") from None
        raise
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
        _running.discard(process.pid)
    return Done(process.returncode or 0, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


def end_all() -> None:
    """Ends the programs of all calls; for a server that is ended by a signal."""
    for wanted in (signal.SIGTERM, signal.SIGKILL):
        programs = _running | _children()
        for program in programs:
            _signal(program, wanted)
        until = time.monotonic() + _GRACE_S
        while time.monotonic() < until and any(map(_is_there, programs)):
            time.sleep(0.02)


def _children() -> set[int]:
    """All child processes of this process, including one that is just starting."""
    found: set[int] = set()
    for thread in Path("/proc/self/task").glob("*/children"):
        try:
            found |= set(map(int, thread.read_text().split()))
        except OSError:  # the thread has ended, or the kernel has no such file
            pass
    return found


async def _read(stream: anyio.abc.ByteReceiveStream | None, into: bytearray, then: Callable[[], None]) -> None:
    assert stream is not None
    async for piece in stream:
        into += piece
        if len(into) > _MOST_BYTES:
            raise LimitError
        then()


async def _end(process: anyio.abc.Process) -> None:
    if process.returncode is None:
        _signal(process.pid, signal.SIGTERM)
        with anyio.move_on_after(_GRACE_S):
            await process.wait()
    if process.returncode is None:
        _signal(process.pid, signal.SIGKILL)
        await process.wait()
    await process.aclose()


def _signal(program: int, number: signal.Signals) -> None:
    """Sends a signal to the program's group, or to the program if it has no group yet."""
    for send in (os.killpg, os.kill):
        try:
            return send(program, number)
        except ProcessLookupError:
            pass


def _is_there(pid: int) -> bool:
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False


def _last_line(said: bytearray) -> str:
    end = said.rfind(b"\n")
    return said[said.rfind(b"\n", 0, max(end, 0)) + 1:end].decode("utf-8", "replace") if end >= 0 else ""
