# SPDX-License-Identifier: Apache-2.0
"""Runs the edgeprobe program from a cell."""
from __future__ import annotations

import subprocess


def call(program: str, words: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", errors="replace")
