# SPDX-License-Identifier: Apache-2.0
"""The version of CMakeLists.txt, as each kind of package spells a pre-release so that it sorts before the release.

    script/version.py [program|wheel|debian|maven|number]   1.0.0-rc1, 1.0.0rc1 (PEP 440), 1.0.0~rc1, 1.0.0-rc1, 1.0.0
    script/version.py check                                 exit code 1 if a copy states another version
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATED = re.compile(r'^project\(edgeprobe VERSION (\d+\.\d+\.\d+) .*\nset\(EDGEPROBE_PRERELEASE "((?:a|b|rc)\d+|)"\)$', re.M)
BEFORE_THE_WORD = {"program": "-", "wheel": "", "debian": "~", "maven": "-"}
#: Files that no tool fills in: the spelling, and an expression whose matches are versions of ours.
COPIES = {
    "python/edgeprobe/__init__.py": ("wheel", r'^__version__ = "(.*)"$'),
    "bindings/java/pom.xml": ("maven", r"<artifactId>edgeprobe</artifactId>\s*<version>(.*?)</version>"),
    "bindings/java/android/pom.xml": ("maven", r"<artifactId>edgeprobe(?:-android)?</artifactId>\s*<version>(.*?)</version>"),
    "docs/guides/java.md": ("maven", r"<artifactId>edgeprobe</artifactId><version>(.*?)</version>"),
    "CHANGELOG.md": ("program", r"\A(?:.*\n)*?## (\d\S*)"),
}


def version(kind, root=ROOT):
    number, word = STATED.search((root / "CMakeLists.txt").read_text()).groups()
    return number + (BEFORE_THE_WORD[kind] + word if word and kind != "number" else "")


def problems(root=ROOT):
    """Sentences about copies that state another version, or none."""
    wrong = []
    for name, (kind, pattern) in COPIES.items():
        stated, wanted = re.findall(pattern, (root / name).read_text(), re.M), version(kind, root)
        if not stated or set(stated) != {wanted}:
            wrong.append(f"{name}: {', '.join(stated) or 'no version'}, but CMakeLists.txt makes it {wanted}")
    return wrong


def main():
    kind = (sys.argv[1:] or ["program"])[0]
    if kind == "check":
        sys.exit("\n".join(problems()) or None)
    if kind not in (*BEFORE_THE_WORD, "number"):
        print(__doc__)
        sys.exit(0 if kind in ("-h", "--help") else 2)
    print(version(kind))


if __name__ == "__main__":
    main()
