# SPDX-License-Identifier: Apache-2.0
"""A disk of one megabyte for a test: a tmpfs in a separate mount namespace."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def small_disk():
    """Returns (a folder outside, the disk's folder). Restarts the program inside the namespace; if this machine cannot have one, ends it
    with exit code 77 and the reason."""
    inside = os.environ.get("EDGEPROBE_TEST_INSIDE")
    if inside is None:
        _run_inside()
    disk = pathlib.Path(inside) / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode != 0:
        _skip("no tmpfs: " + mounted.stderr.strip())
    return disk.parent, disk


def make_read_only(disk):
    assert subprocess.run(["mount", "-o", "remount,ro", disk]).returncode == 0


def _run_inside():
    if not shutil.which("unshare"):
        _skip("no mount namespace for a small disk: no unshare")
    unshare = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-Urm"]
    with tempfile.TemporaryDirectory(prefix="edgeprobe_disk_") as folder:
        done = subprocess.run([*unshare, sys.executable, *sys.argv], env={**os.environ, "EDGEPROBE_TEST_INSIDE": folder}, capture_output=True, text=True)
    if done.returncode != 0 and "unshare" in done.stderr:
        _skip("no mount namespace for a small disk: " + done.stderr.strip())
    print(done.stdout, done.stderr)
    sys.exit(done.returncode)


def _skip(reason):
    print("skipped:", reason)
    sys.exit(77)
