# SPDX-License-Identifier: Apache-2.0
"""Processor time and run delay of this process's threads."""
from __future__ import annotations

import os


class Threads:
    """Sums over the threads, from /proc/self/task/*/schedstat."""

    def __init__(self) -> None:
        self.why = ""

    def read(self) -> "tuple[int, int] | None":
        """Nanoseconds on a processor, and nanoseconds ready but not running."""
        ran = waited = 0
        try:
            for thread in os.listdir("/proc/self/task"):
                with open(f"/proc/self/task/{thread}/schedstat", "rb") as file:
                    on, ready, _ = file.read().split()
                ran += int(on)
                waited += int(ready)
        except (OSError, ValueError) as error:
            self.why = f"the kernel does not report when threads wait ({error})"
            return None
        return ran, waited
