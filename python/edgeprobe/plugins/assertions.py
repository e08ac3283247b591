# SPDX-License-Identifier: Apache-2.0
"""Serves one assertion of a contract over the frames of a trace, for ``edgeprobe contract check``."""
from __future__ import annotations

import sys
from typing import Any

from .found import load_function
from .messages import OPEN, SAMPLE, Channel, Reader, Writer
from .process import USAGE, Refused, one_line, where
from .server import Server

HOLDS, FAILS, ERROR = range(3)
LONGEST_REASON = 1000


class AssertionServer(Server):
    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self.steps = {OPEN: self.open, SAMPLE: self.frame}

    def open(self, given: Reader, _descriptor: int, out: Writer) -> None:
        try:
            from ..traces.trace import load
        except ImportError as error:
            raise Refused(USAGE, f"{sys.executable} cannot read traces ({one_line(error)}); install numpy and mcap there, or name another interpreter with "
                          "--python or EDGEPROBE_PYTHON") from None
        self.function, self.folder = load_function(given.text(), given.text())
        self.frames = load(given.text()).frames
        out.pack("Q", len(self.frames))

    def frame(self, given: Reader, _descriptor: int, out: Writer) -> None:
        frame = self.frames[given.unpack("Q")]
        state, why = self.judged(frame)
        out.pack("IB", frame.number, state)
        out.text(frame.sample or "")
        out.text(why[:LONGEST_REASON])

    def judged(self, frame: Any) -> tuple[int, str]:
        """State and reason of one frame."""
        try:
            answer = self.function(frame)
        except AssertionError as error:
            return FAILS, " ".join(str(error).split()) or "its assert does not hold" + where(error, self.folder)
        except SystemExit as error:
            return ERROR, f"it ended the program (exit code {error.code})"
        except Exception as error:
            return ERROR, "it raises " + one_line(error) + where(error, self.folder)
        if answer is None:
            return HOLDS, ""
        if isinstance(answer, str):
            return FAILS, answer
        if type(answer).__name__ in ("bool", "bool_"):
            return (HOLDS, "") if answer else (FAILS, "it returned False")
        return ERROR, f"it returned {type(answer).__name__}; expected True, False, None, or a text that says what is wrong"
