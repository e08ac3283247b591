# SPDX-License-Identifier: Apache-2.0
"""Names in topics and frame records: escape rule E of docs/reference/trace-format.md."""
from __future__ import annotations


def unescape(text: str) -> str:
    """Escape rule E of docs/reference/trace-format.md; bytes that are not UTF-8 come back as surrogate escapes."""
    if "%" not in text:
        return text
    raw, out, at = text.encode("utf-8"), bytearray(), 0
    while at < len(raw):
        pair = raw[at + 1:at + 3]
        if raw[at:at + 1] == b"%" and len(pair) == 2 and all(c in b"0123456789ABCDEFabcdef" for c in pair):
            out.append(int(pair, 16))
            at += 3
        else:
            out.append(raw[at])
            at += 1
    return out.decode("utf-8", "surrogateescape")


def escape(text: str) -> str:
    """The inverse: any name as plain UTF-8 without control characters."""
    out = []
    for character in text:
        code = ord(character)
        if 0xDC80 <= code <= 0xDCFF:
            out.append(f"%{code - 0xDC00:02X}")
        elif code < 0x20 or code == 0x7F or character == "%":
            out.append(f"%{code:02X}")
        else:
            out.append(character)
    return "".join(out)
