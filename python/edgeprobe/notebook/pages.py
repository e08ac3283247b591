# SPDX-License-Identifier: Apache-2.0
"""The pages of verdicts in a notebook."""
from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile

from .parts import MOST_BYTES

_folder: str | None = None


def in_notebook() -> bool:
    """Whether IPython runs this program, so that a last expression is displayed."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None


def new_page() -> str | None:
    """In a notebook, a new file for a page, which is deleted with the kernel; else None."""
    global _folder
    if not in_notebook():
        return None
    if _folder is None:
        _folder = tempfile.mkdtemp(prefix="edgeprobe_pages_")
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    number, name = tempfile.mkstemp(suffix=".html", prefix="verdict_", dir=_folder)
    os.close(number)
    return name


def read_page(path: str | os.PathLike[str]) -> str | None:
    """The text of a page, read at once because a later verdict may replace the file. None outside notebooks, and for a page too large for a cell."""
    if not in_notebook() or os.path.getsize(path) > MOST_BYTES:
        return None
    with open(path, encoding="utf-8") as page:
        return page.read()
