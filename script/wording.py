# SPDX-License-Identifier: Apache-2.0
"""Counts words that make a native reader stop, in pages and in comments of sources; no folder may have more than it had.

    script/wording.py             compares with script/wording_counts.txt; exit code 1 when a folder has more
    script/wording.py FOLDER      lists what it finds there, with file and line
    script/wording.py --update    rewrites the counts after a fix or a move; refused if the total has grown
"""
import collections
import pathlib
import re
import sys

from comment_names import ROOT, TOKEN

COUNTS = ROOT / "script/wording_counts.txt"
WORDS = {
    "told: reported, shown, named": r"\b(?:is|are|was|were|be|been|being) told\b",
    "otherwise: differently": r"(?<![.;,:(?!] )(?<!\bor )(?<!\bsays )(?<!\bsaid )\botherwise\b",
    "behind: after": r"\bbehind\b",
    "alone: only, by itself": r"(?<!let )(?<!stand-)\balone\b",
    "What …, as the subject: name the thing": r"(?:^|(?<=[.!?;] ))What\b[^.?!]*[.!]",
    "nobody: no user, no one; passive": r"\b[Nn]obody\b",
    "whoever: anyone who": r"\b[Ww]hoever\b",
    "mend: fix, repair": r"\bmend(?:s|ed|ing)?\b",
    "of which: a sentence of its own": r"\bof which\b",
    "lies, stands: is": r"\b(?:lies|stands)\b(?! (?:for|out|still))",
    "tell apart, tell from: distinguish": r"\b(?:tells?|told)(?: \w+){0,2} apart\b|\b(?:be|is|are) told from\b",
    "one a line: one per line": r"\b(?:one|a (?:row|line)) an? (?:line|row|frame|file|folder|sample|kind|verb)\b",
    "beside: next to, in addition to": r"\b[Bb]eside\b",
    "in front of: before": r"\b[Ii]n front of\b",
    "so many: this number of": r"\bso many\b",
    "anew: again": r"\banew\b",
    "is no, is none: is not a": r"(?<!\bthere )(?<!\bThere )\b(?:is|are|was|were) (?:no(?! longer| more)|none)\b",
}
PATTERNS = {name: re.compile(pattern) for name, pattern in WORDS.items()}
NO_PROSE = re.compile(r"^```.*?^```|^#[^\n]*|`[^`\n]*`|(?<=\])\([^)\s]*\)", re.M | re.S)


def prose(path, text):
    """Paragraphs of a page, or of a source's comments, each with its first line; code is removed."""
    if path.suffix == ".md":
        text = NO_PROSE.sub(lambda other: "" if other[0][0] in "#(" else "x" + "\n" * other[0].count("\n"), text)
        for paragraph in re.finditer(r"[^|\n#][^|\n]*(?:\n(?![|#\n]| *[-*] | *\d+\. )[^|\n]+)*", text):
            yield text.count("\n", 0, paragraph.start()) + 1, " ".join(paragraph[0].split())
    elif path.suffix in (".h", ".cc", ".hpp", ".c"):
        block, first, end = [], 0, None
        for token in TOKEN.finditer(text):
            if token[0][0] != "/":
                continue
            line, column = text.count("\n", 0, token.start()) + 1, token.start() - text.rfind("\n", 0, token.start())
            if block and end != (line - 1, column):
                yield first, " ".join(block)
                block = []
            first = first if block else line
            end = line + token[0].count("\n"), column
            block += re.sub(r"`[^`]*`", "x", re.sub(r"^\s*(?:/\*+|\*+/|\*|//[/<! ]*)", "", token[0], flags=re.M)).split()
        if block:
            yield first, " ".join(block)


def found(path, text):
    """Yields line, word and context of each hit."""
    for line, paragraph in prose(path, text):
        for name, pattern in PATTERNS.items():
            for hit in pattern.finditer(paragraph):
                yield line, name, paragraph[max(0, hit.start() - 30):hit.start() + 50]


def folder_of(path):
    return "/".join(path.relative_to(ROOT).parent.parts[:2]) or "."


def main(arguments):
    paths = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(path for folder in ("src", "bindings") for path in (ROOT / folder).rglob("*.*"))]
    hits = collections.defaultdict(list)
    for path in sorted(paths):
        if path.suffix in (".md", ".h", ".cc", ".hpp", ".c"):
            hits[folder_of(path)] += [(path, *one) for one in found(path, path.read_text(encoding="utf-8"))]
    counts = {folder: len(ones) for folder, ones in sorted(hits.items()) if ones}
    before = {folder: int(count) for count, folder in (line.split() for line in COUNTS.read_text().splitlines())}
    if arguments == ["--update"]:
        if sum(counts.values()) > sum(before.values()):
            print(f"{sum(counts.values())} in all, {sum(before.values())} before: word the new ones differently first")
            return 1
        COUNTS.write_text("".join(f"{count:4} {folder}\n" for folder, count in counts.items()))
    elif arguments:
        for path, line, name, text in hits[arguments[0].rstrip("/")]:
            print(f"{path.relative_to(ROOT)}:{line}: {name}: …{text}…")
    else:
        worse = {folder: count for folder, count in counts.items() if count > before.get(folder, 0)}
        for folder, count in worse.items():
            print(f"{folder}: {count} words of the list in script/wording.py, {before.get(folder, 0)} before (script/wording.py {folder} shows them)")
        print(f"{sum(counts.values())} words of the list in {len(counts)} folders, {sum(before.values())} allowed")
        return 1 if worse else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
