# SPDX-License-Identifier: Apache-2.0
"""A process that serves a plug-in: its descriptors, its end, and sentences about errors in the user's code."""
from __future__ import annotations

import faulthandler
import inspect
import io
import os
import signal
import socket
import sys
import traceback
import types
from collections.abc import Callable
from typing import Any, NoReturn

#: Descriptors that the program opens for this process (src/process/python.h).
SOCKET, LIFELINE = 3, 4

#: Numbers of error kinds in messages (src/core/result.h).
USAGE, NOT_FOUND, CORRUPT, UNSUPPORTED, LIMIT, TARGET = range(6)


#: Characters of an exception's text in a sentence.
LONGEST = 1000


class Refused(Exception):
    """A request fails with this sentence."""

    def __init__(self, kind: int, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


def one_line(error: BaseException) -> str:
    try:
        said = " ".join(str(error).split())[:LONGEST]
    except Exception:
        said = "(its text cannot be made)"
    return type(error).__name__ + (": " + said if said else "")


def place_in(frames: "list[tuple[str, int]]", folder: str) -> str:
    """The place of the last of these frames whose file is below ``folder``, as " (file.py line 12)"."""
    for name, line in reversed(frames):
        if os.path.abspath(name).startswith(folder + os.sep) and "site-packages" not in name[len(folder):]:
            return f" ({os.path.basename(name)} line {line})"
    return ""


def where(error: BaseException, folder: str) -> str:
    """The place of the deepest line in the user's own code."""
    if isinstance(error, SyntaxError):  # it states its own line
        return ""
    return place_in([(f.filename, f.lineno or 0) for f in traceback.extract_tb(error.__traceback__)], folder)


def end_with_program() -> None:
    """Lets the kernel kill this process and all that it starts once the program is gone, even inside a call that never returns.

    The program holds the other end of a pipe that nothing is ever written to. A signal to this process's group reports its closing.
    """
    import fcntl

    set_signal = 10  # F_SETSIG, which the module does not name
    fcntl.fcntl(LIFELINE, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(LIFELINE, set_signal, signal.SIGKILL)
    fcntl.fcntl(LIFELINE, fcntl.F_SETFL, fcntl.fcntl(LIFELINE, fcntl.F_GETFL) | os.O_ASYNC)
    if not _is_open(LIFELINE):  # the program ended before
        os.killpg(0, signal.SIGKILL)


def _is_open(pipe: int) -> bool:
    import select

    polled = select.poll()
    polled.register(pipe, 0)
    return not polled.poll(0)


def take_over() -> socket.socket:
    """The socket to the program. Output of the user's code goes to the error stream, which the program reads."""
    link = socket.socket(fileno=SOCKET)
    os.set_inheritable(SOCKET, False)
    os.set_inheritable(LIFELINE, False)
    os.dup2(2, 1)
    if isinstance(sys.stdout, io.TextIOWrapper):  # None if the descriptor is closed
        sys.stdout.reconfigure(line_buffering=True)
    sys.dont_write_bytecode = True
    faulthandler.enable(all_threads=False)  # the program reads the place of a crash from its report
    end_with_program()
    return link


class Method:
    """Calls methods of a user's object; an exception becomes a sentence that names class, method and line."""

    def __init__(self, name: str, folder: str) -> None:
        self.name, self.folder = name, folder
        self.running = ""
        self.pid = os.getpid()
        signal.signal(signal.SIGUSR1, self._tell)

    def __call__(self, method: str, call: Callable[..., Any], *arguments: Any) -> Any:
        self.running = method
        try:
            return call(*arguments)
        except Refused:
            raise
        except SystemExit as error:
            raise Refused(TARGET, f"{self.name}.{method} ended the program (exit code {error.code}){where(error, self.folder)}") from None
        except BaseException as error:
            show(error)
            raise Refused(TARGET, f"{self.name}.{method} raises {one_line(error)}{where(error, self.folder)}") from None
        finally:
            self.running = ""
            if os.getpid() != self.pid:  # a process that the user's code forked must not write into the shared memory
                os._exit(1)

    @staticmethod
    def takes(call: Callable[..., Any], parameter: str) -> bool:
        """True if a method of the user's object has this parameter."""
        try:
            return parameter in inspect.signature(call).parameters
        except (TypeError, ValueError):
            return False

    def fail(self, method: str, what: str, kind: int = TARGET) -> NoReturn:
        raise Refused(kind, f"{self.name}.{method} {what}")

    def _tell(self, _number: int, frame: "types.FrameType | None") -> None:
        """Prints the running line, for a process that is about to be stopped."""
        frames = []
        while frame:
            frames.append((frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back
        method = f".{self.running}" if self.running else ""
        print(f"{self.name}{method} is running{place_in(frames[::-1], self.folder)}", file=sys.stderr, flush=True)


def show(error: BaseException) -> None:
    try:
        traceback.print_exception(type(error), error, error.__traceback__)
        sys.stderr.flush()
    except Exception:  # of the exception's own text
        pass
