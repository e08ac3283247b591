# SPDX-License-Identifier: Apache-2.0
"""Tables, numbers and pages as fragments of HTML. Texts come from models and traces, so every one of them is escaped here."""
from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any

#: Largest page in a cell. The limit is needed because the notebook's file stores the page.
MOST_BYTES = 1_000_000
#: Most characters of a text, and most rows of a table.
LONGEST, MOST_ROWS = 300, 20
_CELL = "text-align:left;padding:1px 12px 1px 0;vertical-align:top"


class Html(str):
    """A fragment of HTML that must not be escaped again."""


def shown(value: Any) -> Html:
    """A value for people: escaped, of bounded length, numbers to four digits, unknown ones as a dash."""
    if isinstance(value, Html):
        return value
    if value is None:
        return Html("–")
    if isinstance(value, float):
        return Html(f"{value:.4g}" if math.isfinite(value) else str(value))
    text = str(value)
    return Html(html.escape(text if len(text) <= LONGEST else text[:LONGEST] + "…"))


def microseconds(seconds: Any) -> Html:
    """A time to four digits, without an exponent."""
    if not isinstance(seconds, (int, float)):
        return Html("–")
    return Html(f"{1e6 * seconds:.4g} µs" if seconds < 1e-2 else f"{1e6 * seconds:.0f} µs")


def share(value: Any) -> Html:
    """A fraction as percent."""
    return Html(f"{100 * value:.1f} %" if isinstance(value, (int, float)) else "–")


def joined(*parts: str) -> Html:
    return Html("".join(shown(part) for part in parts))


def bold(text: Any) -> Html:
    return Html(f"<b>{shown(text)}</b>")


def line(*parts: Any) -> Html:
    return Html(f"<div>{' '.join(shown(part) for part in parts)}</div>")


def code(text: str) -> Html:
    return Html(f"<pre style='margin:0'>{shown(text)}</pre>")


def table(rows: Iterable[Sequence[Any]], head: Sequence[str] = (), *, most: int = MOST_ROWS, of: str = "rows") -> Html:
    """A table of values, with the number of omitted rows."""
    every = list(rows)
    if not every:
        return Html("")
    above = "<tr>" + "".join(f"<th style='{_CELL}'>{shown(name)}</th>" for name in head) + "</tr>" if head else ""
    body = "".join("<tr>" + "".join(f"<td style='{_CELL}'>{shown(value)}</td>" for value in row) + "</tr>" for row in every[:most])
    left = line(f"… and {len(every) - most} more {of}") if len(every) > most else ""
    return Html(f"<table>{above}{body}</table>{left}")


def listed(name: str, sentences: Sequence[str], most: int = 5) -> Html:
    """Sentences under a name; empty if there are no sentences."""
    if not sentences:
        return Html("")
    left = f"<li>… and {len(sentences) - most} more</li>" if len(sentences) > most else ""
    return Html(f"<div>{shown(name)}</div><ul style='margin:0'>" + "".join(f"<li>{shown(one)}</li>" for one in sentences[:most]) + f"{left}</ul>")


def framed(page: str) -> Html | None:
    """A whole page within a cell, None for one that is too large. The frame runs no script and has no origin. Its styles stay inside, and no name in
    it can reach the notebook."""
    escaped = html.escape(page)
    if len(escaped.encode()) > MOST_BYTES:
        return None
    return Html("<details><summary>The whole page</summary><iframe sandbox='' style='width:100%;height:45em;border:1px solid #888;background:#fff' "
                f"srcdoc=\"{escaped}\"></iframe></details>")


def cell(*parts: str) -> str:
    """The content of a cell."""
    return "<div>" + "".join(shown(part) for part in parts) + "</div>"
