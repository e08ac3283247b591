# SPDX-License-Identifier: Apache-2.0
"""A Debian package of a program: the program, completions of three shells, the manual page and the licences, made by dpkg-deb.

    script/deb.py PROGRAM NOTICES FOLDER [--texts PROGRAM2] [--plain]

--texts names a program of the same version that runs here and prints completions and the page, where PROGRAM is for another processor.
--plain compresses nothing, which is quicker.
"""
import argparse
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import manylinux
import version

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "arm": "armhf"}
COMPLETIONS = {"bash": "bash-completion/completions/edgeprobe", "zsh": "zsh/vendor-completions/_edgeprobe",
               "fish": "fish/vendor_completions.d/edgeprobe.fish"}
WHEN = 1767225600  # 2026-01-01, the time of every member, so that equal files make an equal package.


def control(architecture, kilobytes):
    return f"""Package: edgeprobe
Version: {version.version("debian")}
Architecture: {architecture}
Maintainer: The authors of edgeprobe
Section: science
Priority: optional
Installed-Size: {kilobytes}
Depends: libc6 (>= {manylinux.NEWEST_GLIBC[0]}.{manylinux.NEWEST_GLIBC[1]})
Suggests: curl | wget | python3
Description: what a machine-learning model really does on its device
 Compares a model inside an application with its reference, layer by layer, and
 names the cause of a difference. 'edgeprobe fetch' brings an engine.
"""


def tree(program, texts, notices, folder):
    """Lays out the files of the package below `folder`."""
    def put(path, data, mode=0o644):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(mode)

    def said(*words):
        return subprocess.run([texts, *words], check=True, capture_output=True).stdout

    put("usr/bin/edgeprobe", pathlib.Path(program).read_bytes(), 0o755)
    for shell, path in COMPLETIONS.items():
        put("usr/share/" + path, said("completion", shell))
    put("usr/share/man/man1/edgeprobe.1.gz", gzip.compress(said("man"), 9, mtime=0))
    put("usr/share/doc/edgeprobe/copyright", (ROOT / "LICENSE").read_bytes() + b"\n" + pathlib.Path(notices).read_bytes())
    put("usr/share/doc/edgeprobe/changelog.gz", gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), 9, mtime=0))
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    put("DEBIAN/control", control(ARCHITECTURES[manylinux.machine(program)], -(-size // 1024)).encode())
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("notices")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--texts")
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args()
    wrong = manylinux.problems(options.program)
    if not shutil.which("dpkg-deb"):
        wrong.append("there is no dpkg-deb: apt-get install dpkg")
    if wrong:
        sys.exit("deb: " + "\n".join(wrong))
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "edgeprobe"
        tree(options.program, os.path.abspath(options.texts or options.program), options.notices, folder)
        architecture = ARCHITECTURES[manylinux.machine(options.program)]
        made = options.folder / f"edgeprobe_{version.version('debian')}_{architecture}.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone" if options.plain else "-Zxz", "--build", folder, made], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(WHEN)})
    print(made)


if __name__ == "__main__":
    main()
