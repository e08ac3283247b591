# SPDX-License-Identifier: Apache-2.0
"""Messages to the program, one JSON value a line on standard output, and its wish to stop (src/cli/train/trainer.h)."""
from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from typing import Any, TextIO


class Trouble(Exception):
    """The run ends with this sentence. ``kind``: "usage", "limit", "target" or "diverged"."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


class Stopped(Exception):
    """The user stopped the run."""


class Talk:
    """The program holds the other end of standard input open: once it is gone, this process ends, too."""

    def __init__(self) -> None:
        # What frameworks and the user's code print must not mix with the messages.
        self._out: TextIO = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        self._lock = threading.Lock()
        self._last = 0.0
        self._stopped = threading.Event()
        signal.signal(signal.SIGINT, lambda *_: self._stopped.set())

        self._requests: "queue.SimpleQueue[bytes]" = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin.buffer:
            self._requests.put(line)
        os._exit(1)

    def request(self) -> "dict[str, Any]":
        """The program's next request."""
        while True:
            try:
                return json.loads(self._requests.get(timeout=0.2))
            except queue.Empty:
                self.check()

    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def check(self) -> None:
        if self.is_stopped():
            raise Stopped("stopped")

    def _say(self, message: "dict[str, Any]") -> None:
        with self._lock:
            self._out.write(json.dumps(message) + "\n")
            self._out.flush()

    def progress(self, done: int, all_steps: int, what: str) -> None:
        now = time.monotonic()
        if done == all_steps or now - self._last >= 0.1:
            self._last = now
            self._say({"progress": [done, all_steps, what]})

    def row(self, row: dict, before: bool = False) -> None:
        """One epoch; ``before``: of a run that continues."""
        self._say({"row": row, "before": before})

    def note(self, sentence: str) -> None:
        self._say({"note": sentence})

    def warning(self, sentence: str) -> None:
        self._say({"warning": sentence})

    def answer(self, answer: "dict[str, Any]") -> None:
        """The answer to the last request."""
        self._say({"answer": answer})

    def failed(self, kind: str, sentence: str) -> None:
        self._say({"error": sentence, "kind": kind})
