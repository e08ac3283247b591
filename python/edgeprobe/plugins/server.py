# SPDX-License-Identifier: Apache-2.0
"""The loop of every plug-in's process."""
from __future__ import annotations

import os
from collections.abc import Callable

from .messages import CLOSE, Channel, Reader, Writer
from .process import TARGET, Refused

#: Answers one request: its body, the descriptor that came with it (-1: none), and the answer to write.
Step = Callable[[Reader, int, Writer], None]


class Server:
    """Answers the program's requests, one at a time, by the functions in ``steps``."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.steps: dict[int, Step] = {}
        self.pid = os.getpid()

    def serve(self) -> None:
        """Returns when the program closes the plug-in; EOFError once the program is gone."""
        while True:
            step, body, descriptor = self.channel.receive()
            if step == CLOSE:
                return
            out = Writer()
            try:
                if step not in self.steps:
                    raise Refused(TARGET, f"the plug-in's process was asked for step {step}, which it does not have")
                self.steps[step](Reader(body), descriptor, out)
            except Refused as error:
                self._only_here()
                self.channel.refuse(error)
            else:
                self._only_here()
                self.channel.answer(out)

    def _only_here(self) -> None:
        """Ends a process that the user's code forked and that came back from the call: only the first one answers."""
        if os.getpid() != self.pid:
            os._exit(1)
