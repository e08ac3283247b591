# SPDX-License-Identifier: Apache-2.0
"""Lines of a limited width, none of which begins like a list, a heading or a quotation."""
from __future__ import annotations

import re

WIDTH = 140
#: Words that may not begin a line: Markdown or reStructuredText would read markup there.
_MARKUP = re.compile(r"([-+*#>=~|:.`]|\\[*]|\d+[.)]|\(?\w[.)]$)")


def wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    """The lines of a text; the first begins with `first`, the others with `rest`."""
    lines, line = [], first
    for i, word in enumerate(text.split(" ")):
        if i == 0:
            line += word
        elif len(line) + 1 + len(word) > WIDTH and not _MARKUP.match(word):
            lines.append(line)
            line = rest + word
        else:
            line += " " + word
    return [*lines, line]
