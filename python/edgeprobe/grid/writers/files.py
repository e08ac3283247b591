# SPDX-License-Identifier: Apache-2.0
"""Writes the grid in the form that a file's extension names."""
from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from ..document import document_of
from . import html, markdown, rst

_FORMS = {".rst": rst.text_of, ".md": markdown.text_of, ".html": html.text_of}


def text_of(grid: dict, extension: str) -> str:
    if extension == ".json":
        return json.dumps(grid, indent=1) + "\n"
    return _FORMS[extension](document_of(grid))


def write(grid: dict, file: Path) -> None:
    """Writes it whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(prefix=".edgeprobe-", dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(text_of(grid, file.suffix))
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(part, 0o666 & ~mask)
        os.replace(part, file)
    except BaseException:
        os.unlink(part)
        raise
