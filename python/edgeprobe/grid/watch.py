# SPDX-License-Identifier: Apache-2.0
"""Runs the process of a cell within limits of time, memory and disk."""
from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

#: Seconds between two looks at a process, and between two looks at its folders, which take longer.
LOOK, LOOK_AT_DISK = 0.05, 0.5
#: Seconds that a guard may take to end its processes.
PATIENCE = 20
IS_GUARD = False
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


@dataclass(frozen=True)
class Limits:
    seconds: float
    memory: int  #: bytes of private memory of all processes of the cell
    disk: int  #: bytes in the folders of the cell


@dataclass
class Ended:
    code: int  #: exit code; negative: the signal
    seconds: float
    memory: int  #: the largest sum seen, in bytes
    exceeded: str  #: "time", "memory", "disk" or ""


def run(words: list[str], folders: list[Path], log: Path, environment: dict[str, str], limits: Limits) -> Ended:
    """Runs a cell to its end. All its processes end with it, when it exceeds a limit and when this process is killed (guard())."""
    before = sum(size_of(folder) for folder in folders)
    begin = time.monotonic()
    with open(log, "wb") as printed:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT, cwd=folders[-1],
                                   env=environment, start_new_session=True)
    exceeded, most, next_disk = "", 0, begin + LOOK_AT_DISK
    try:
        while process.poll() is None:
            now = time.monotonic()
            used = memory_of([process.pid, *below(process.pid)])
            most = max(most, used)
            if now - begin > limits.seconds:
                exceeded = "time"
            elif used > limits.memory:
                exceeded = "memory"
            elif now >= next_disk:
                next_disk = now + LOOK_AT_DISK
                if sum(size_of(folder) for folder in folders) - before > limits.disk:
                    exceeded = "disk"
            if exceeded:
                break
            time.sleep(LOOK)
    finally:
        end(process)
    # A process may write quickly and end between two looks.
    if not exceeded and sum(size_of(folder) for folder in folders) - before > limits.disk:
        exceeded = "disk"
    return Ended(process.returncode, time.monotonic() - begin, most, exceeded)


def end(process: subprocess.Popen) -> None:
    """Lets the guard end everything below it and itself."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            kill_below(process.pid)
            process.kill()
            process.wait()


def guard(parent: int) -> None:
    """Returns in a new process. This one waits for it, ends all that it started, and ends like it; also when its parent `parent` is killed."""
    global IS_GUARD
    libc = ctypes.CDLL(None, use_errno=True)
    # What loses its parent becomes a child of this process, so that nothing below can get away.
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def stop(number: int, _: object) -> None:
        kill_below(os.getpid())
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, stop)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        return
    IS_GUARD, pid = True, 0
    while pid != child:
        pid, status = os.wait()
    kill_below(os.getpid())
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def kill_below(top: int) -> None:
    """Kills all descendants, until there is none: one may start another meanwhile."""
    for _ in range(1000):
        reap()
        left = below(top)
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if not left:
            return
        time.sleep(0.01)


def reap() -> None:
    """Takes leave of children that have ended, if there are any. Those of a thread's own subprocess are left to it."""
    if not IS_GUARD:
        return
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def below(top: int) -> list[int]:
    """All living descendants of a process."""
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            with open(f"/proc/{entry.name}/stat", "rb") as file:
                # The name may contain blanks and brackets: state and parent come after the last bracket.
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if state != b"Z":
            children.setdefault(int(parent), []).append(int(entry.name))
    found, next_ones = [], [top]
    while next_ones:
        next_ones = [child for one in next_ones for child in children.get(one, [])]
        found += next_ones
    return found


def memory_of(processes: list[int]) -> int:
    """Bytes of private and shared memory without files, whose pages the kernel can drop."""
    total = 0
    for pid in processes:
        try:
            with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
                for line in file:
                    if line.startswith(("RssAnon:", "RssShmem:")):
                        total += int(line.split()[1]) * 1024
        except (OSError, ValueError, IndexError):
            continue
    return total


def size_of(folder: Path) -> int:
    """Bytes of the files below a folder, as they lie on the disk."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_blocks * 512
            except OSError:
                continue
    return total
