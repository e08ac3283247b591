# SPDX-License-Identifier: Apache-2.0
"""Markdown with tables, as GitHub shows it."""
from __future__ import annotations

import re

from ..document import Bullets, Code, Heading, Paragraph, Table
from .wrap import wrapped


def text_of(blocks: list) -> str:
    return "\n".join(part for block in blocks for part in printed(block)).rstrip("\n") + "\n"


def printed(block) -> list[str]:
    if isinstance(block, Heading):
        return ["#" * block.level + " " + escaped(block.text)] + ([""] if block.level == 1 else [])
    if isinstance(block, Paragraph):
        return [*wrapped(escaped(block.text)), ""]
    if isinstance(block, Code):
        return ["```", *block.text.splitlines(), "```", ""]
    if isinstance(block, Bullets):
        return [*(line for first, rest in block.items for line in wrapped(f"**{escaped(first)}** {escaped(rest)}", "- ", "  ")), ""]
    assert isinstance(block, Table)
    return [*(f"| {' | '.join(escaped(text) for text in row)} |" for row in [block.header]), "|---" * len(block.header) + "|",
            *(f"| {' | '.join(escaped(text) for text in row)} |" for row in block.rows), ""]


def escaped(text: str) -> str:
    """Nothing in it is markup but `code`."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part.replace("|", "\\|") if i % 2 else re.sub(r"([\\*_|<>\[\]`])", r"\\\1", part) for i, part in enumerate(parts))
