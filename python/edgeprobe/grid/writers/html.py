# SPDX-License-Identifier: Apache-2.0
"""One self-contained page."""
from __future__ import annotations

import html
import re

from ..document import Bullets, Code, Heading, Paragraph, Table

_START = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>ONNX conversion</title><style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto }
th, td { border: 1px solid #bbb; padding: .25em .6em; text-align: left; vertical-align: top }
th { background: #eee } pre { background: #f4f4f4; padding: .6em; overflow-x: auto }
</style></head><body>
"""


def text_of(blocks: list) -> str:
    *body, last = blocks
    return _START + "\n".join(printed(block) for block in body) + f"\n<footer>{escaped(last.text)}</footer>\n</body></html>\n"


def printed(block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{escaped(block.text)}</h{block.level}>"
    if isinstance(block, Paragraph):
        return f"<p>{escaped(block.text)}</p>"
    if isinstance(block, Code):
        return f"<pre>{html.escape(block.text)}</pre>"
    if isinstance(block, Bullets):
        return "<ul>\n" + "\n".join(f"<li><b>{escaped(first)}</b> {escaped(rest)}</li>" for first, rest in block.items) + "\n</ul>"
    assert isinstance(block, Table)
    head = "".join(f"<th>{escaped(text)}</th>" for text in block.header)
    rows = "\n".join("<tr>" + "".join(f"<td>{escaped(text)}</td>" for text in row) + "</tr>" for row in block.rows)
    return f"<table>\n<tr>{head}</tr>\n{rows}\n</table>"


def escaped(text: str) -> str:
    parts = re.split(r"`([^`]*)`", text)
    return "".join(f"<code>{html.escape(part)}</code>" if i % 2 else html.escape(part) for i, part in enumerate(parts))
