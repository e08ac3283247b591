# SPDX-License-Identifier: Apache-2.0
"""Unpacks Debian's PyTorch into a folder, without root: apt fetches the packages that this machine lacks and checks their signatures, nothing is installed.

    fetch_torch.py FOLDER      leaves FOLDER/bin/python, the system's Python with PyTorch"""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

PACKAGE, PYTHON = "python3-torch", "/usr/bin/python3"
#: apt works in the folder, with the sources and keys of the system and its list of installed packages.
SETTINGS = """APT::Sandbox::User "";
Debug::NoLocking "true";
Dir::State "{state}";
Dir::State::status "{status}";
Dir::Cache "{state}";
Acquire::Languages "none";
APT::Install-Recommends "false";
"""
STATUS = "/var/lib/dpkg/status"


class Failed(Exception):
    """A step did not succeed; the sentence says why."""


def run(words: "list[str]", doing: str, state: pathlib.Path) -> str:
    done = subprocess.run(words, env={**os.environ, "APT_CONFIG": str(state / "apt.conf"), "LC_ALL": "C"}, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.startswith("E:")] or done.stderr.splitlines()[-1:]
        raise Failed(f"{doing} failed: {' '.join(lines)[:300]}")
    return done.stdout


def unpack(folder: pathlib.Path, status: str = STATUS) -> None:
    missing = [tool for tool in ("apt-get", "dpkg-deb") if not shutil.which(tool)]
    if missing or not os.path.exists(PYTHON):
        raise Failed(f"this system has no {missing[0] if missing else PYTHON}: only Debian and its relatives have {PACKAGE}")
    state = folder / "apt"
    for part in ("lists/partial", "archives/partial"):
        (state / part).mkdir(parents=True)
    (state / "apt.conf").write_text(SETTINGS.format(state=state, status=status))
    print("reading the package lists", file=sys.stderr, flush=True)
    run(["apt-get", "update", "-qq"], "reading the package lists", state)
    print(f"fetching {PACKAGE} and what it needs", file=sys.stderr, flush=True)
    run(["apt-get", "install", "-qq", "-y", "--download-only", PACKAGE], f"fetching {PACKAGE}", state)
    packages = sorted((state / "archives").glob("*.deb"))
    if not packages:
        raise Failed(f"{PACKAGE} is installed: {PYTHON} has it")
    root = folder / "root"
    for number, package in enumerate(packages):
        if number % 20 == 0:
            print(f"unpacking package {number + 1} of {len(packages)}", file=sys.stderr, flush=True)
        run(["dpkg-deb", "-x", str(package), str(root)], f"unpacking {package.name}", state)
    shutil.rmtree(state)
    _write_python(folder, root)
    print("trying it", file=sys.stderr, flush=True)
    print(run([str(folder / "bin/python"), "-c", "import torch; print(torch.__version__, (torch.ones(2, 2) @ torch.ones(2, 2)).sum().item())"], "importing PyTorch", folder).strip())


def _write_python(folder: pathlib.Path, root: pathlib.Path) -> None:
    # BLAS and LAPACK lie in folders from which an installation links one.
    libraries = sorted({str(path.parent) for path in root.glob("**/*.so.*") if "python3" not in path.parts and re.search(r"/lib(/[^/]+)?(/(blas|lapack|openblas\S*|atlas))?$", str(path.parent))},
                       key=lambda path: (len(path.split("/")), path))
    quoted = ":".join(libraries)
    if re.search(r"[\"$`\\]", str(folder)):
        raise Failed(f"the path '{folder}' has a character that a shell would read")
    (folder / "bin").mkdir()
    program = folder / "bin/python"
    program.write_text(f'''#!/bin/sh
export PYTHONPATH="{root}/usr/lib/python3/dist-packages${{PYTHONPATH:+:$PYTHONPATH}}"
export LD_LIBRARY_PATH="{quoted}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"
exec {PYTHON} "$@"
''')
    program.chmod(0o755)


if __name__ == "__main__":
    try:
        unpack(pathlib.Path(sys.argv[1]), *sys.argv[2:])
    except (Failed, OSError) as failed:
        print(failed, file=sys.stderr)
        sys.exit(1)
