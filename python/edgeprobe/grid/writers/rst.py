# SPDX-License-Identifier: Apache-2.0
"""reStructuredText, with list-tables as Sphinx and docutils read them."""
from __future__ import annotations

import re

from ..document import Bullets, Code, Heading, Paragraph, Table
from .wrap import wrapped

_LINES = {1: "=", 2: "-"}


def text_of(blocks: list) -> str:
    return "\n".join(part for block in blocks for part in printed(block)).rstrip("\n") + "\n"


def printed(block) -> list[str]:
    if isinstance(block, Heading):
        return [block.text, _LINES[block.level] * len(block.text), ""]
    if isinstance(block, Paragraph):
        return [*wrapped(escaped(block.text)), ""]
    if isinstance(block, Code):
        return ["::", "", *("    " + line for line in block.text.splitlines()), ""]
    if isinstance(block, Bullets):
        return [*(line for first, rest in block.items for line in wrapped(f"**{escaped(first)}** {escaped(rest)}", "* ", "  ")), ""]
    assert isinstance(block, Table)
    lines = [".. list-table::", "    :header-rows: 1", ""]
    for row in [block.header, *block.rows]:
        lines += [("    * - " if i == 0 else "      - ") + escaped(text) for i, text in enumerate(row)]
    return [*lines, ""]


def escaped(text: str) -> str:
    """Nothing in it is markup; `code` becomes a literal."""
    parts = re.split(r"`([^`]*)`", text)
    return "".join(f"``{part}``" if i % 2 and part else re.sub(r"([\\*_|`])", r"\\\1", part) for i, part in enumerate(parts))
