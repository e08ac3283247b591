#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each source file has a licence line within its first two lines; lists the files without it, exit code 1.

    script/spdx.py          lists them
    script/spdx.py --add    writes the line where it is missing
"""

import pathlib
import subprocess
import sys

LINE = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {".cc": "//", ".h": "//", ".c": "//", ".hpp": "//", ".java": "//", ".in": "//",
            ".py": "#", ".sh": "#", ".cmake": "#", ".txt": "#"}


def comment_of(path):
    """Comment mark of a source file; nothing for data, documents and other files."""
    if path.parts[0] == ".ci" or (path.suffix == ".txt" and path.name != "CMakeLists.txt"):
        return None
    if path.suffix in COMMENTS:
        return COMMENTS[path.suffix]
    is_script = path.suffix == "" and path.is_file() and path.read_bytes()[:2] == b"#!"
    return "#" if is_script else None


def add(path, mark):
    lines = path.read_text().split("\n")
    lines.insert(1 if lines[0].startswith("#!") else 0, f"{mark} {LINE}")
    path.write_text("\n".join(lines))


def main(arguments):
    missing = []
    for name in subprocess.check_output(["git", "ls-files", "-z"], text=True).split("\0"):
        path = pathlib.Path(name)
        mark = comment_of(path) if name and path.is_file() else None
        if mark and not any(LINE in line for line in path.read_text().split("\n")[:2]):
            missing.append((path, mark))
    for path, mark in missing:
        if arguments == ["--add"]:
            add(path, mark)
        else:
            print(f"{path}: no line '{mark} {LINE}' at its top (script/spdx.py --add writes it)")
    return 1 if missing and arguments != ["--add"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
