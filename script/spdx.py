"""Each source file says its licence in its first lines.

    script/spdx.py         lists files without the line; exit code 1 when there are any
    script/spdx.py --fix   puts it in: first of all, or behind the line that names an interpreter
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINE = "SPDX-License-Identifier: Apache-2.0"
COMMENT = {".cc": "//", ".h": "//", ".c": "//", ".java": "//", ".py": "#", ".pyi": "#", ".cmake": "#", ".sh": "#", ".S": "//", ".s": "@"}


def comment(path):
    """How a comment begins in this file, or None for a file that is no source."""
    if path.name == "CMakeLists.txt":
        return "#"
    if path.suffix in COMMENT:
        return COMMENT[path.suffix]
    if path.suffix == "" and path.parent.name in {"script", ".ci"}:
        return "#"
    return None


def main():
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    missing = []
    count = 0
    for path in (ROOT / name for name in names if name):
        if not path.is_file() or comment(path) is None:
            continue
        count += 1
        text = path.read_text(encoding="utf-8")
        if LINE not in "\n".join(text.split("\n", 3)[:3]):
            missing.append(path)
            if "--fix" in sys.argv:
                first, newline, rest = text.partition("\n")
                line = f"{comment(path)} {LINE}\n"
                path.write_text(first + newline + line + rest if first.startswith("#!") else line + text, encoding="utf-8")
    if "--fix" in sys.argv:
        print(f"{count} files, {len(missing)} put right")
        return 0
    for path in missing[:20]:
        print(f"{path.relative_to(ROOT)}: no '{LINE}' in its first three lines")
    print(f"{count} files, {len(missing)} without a licence line")
    return 1 if missing or not count else 0


if __name__ == "__main__":
    sys.exit(main())
