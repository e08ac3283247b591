# SPDX-License-Identifier: Apache-2.0
"""The state of other processes, from /proc: a test waits for a state. A sleep is too short on a busy machine, and too long on a quiet one."""
import glob
import os
import pathlib
import signal
import time

from tool import PATIENCE


def wait_for(condition, pause=0.01):
    """Returns the first true result of `condition`, or its last one after the time limit."""
    end = time.monotonic() + PATIENCE
    while not (answer := condition()) and time.monotonic() < end:
        time.sleep(pause)
    return answer


def status(pid, name):
    """A field of /proc/PID/status; "" for a process that has ended."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return ""
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(f"{name}:")), "")


def children(pid):
    """The processes that any of its threads started."""
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            found += map(int, pathlib.Path(path).read_text().split())
        except OSError:  # The thread has ended.
            pass
    return found


def cpu_seconds(place):
    """CPU time of a process ("PID") or a thread ("PID/task/TID"); 0 if it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{place}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_busy(place):
    """True if it has computed for a while: a quarter of a second of CPU time."""
    return cpu_seconds(place) > 0.25


def further_threads(pid):
    """The threads other than the first, in the form for cpu_seconds()."""
    return [path.removeprefix("/proc/") for path in glob.glob(f"/proc/{pid}/task/*") if not path.endswith(f"/{pid}")]


def has(mask, number):
    return int(mask or "0", 16) >> (number - 1) & 1 == 1


def interrupt(process, number=signal.SIGINT):
    """Sends a signal to a program once it has its handler, and waits until the handler has run. An earlier signal would end the program without a message;
    two signals sent together count as one."""
    wait_for(lambda: process.poll() is not None or has(status(process.pid, "SigCgt"), number))
    process.send_signal(number)
    wait_for(lambda: process.poll() is not None or not has(status(process.pid, "ShdPnd"), number))
