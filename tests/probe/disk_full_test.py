"""A probe on a full disk and on a read-only one: the application goes on, and what was recorded can be recovered.

disk_full_test.py LIBRARY EDGEPROBE; the small disk is a tmpfs in a mount namespace of its own. Exit code 77: there can be none.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

import library

LIBRARY, TOOL = map(os.path.abspath, sys.argv[1:3])

if "INSIDE" not in os.environ:
    unshare = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-Urm"]
    with tempfile.TemporaryDirectory(prefix="edgeprobe_disk_") as folder:
        done = subprocess.run([*unshare, sys.executable, __file__, LIBRARY, TOOL], env={**os.environ, "INSIDE": folder},
                              capture_output=True, text=True) if shutil.which("unshare") else None
    if done is None or (done.returncode != 0 and "unshare" in done.stderr):
        print("skipped: no mount namespace for a small disk:", done.stderr.strip() if done else "no unshare")
        sys.exit(77)
    print(done.stdout, done.stderr)
    sys.exit(done.returncode)

outside = pathlib.Path(os.environ["INSIDE"])
disk = outside / "disk"
disk.mkdir()
mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, text=True)
if mounted.returncode != 0:
    print("skipped: no tmpfs:", mounted.stderr.strip())
    sys.exit(77)

LIMIT, OFF = 5, 7
probe = library.Probe(LIBRARY, disk / "t.mcap", flush_ms=5)
codes = []
for i in range(300):
    frame = probe.frame()
    codes.append(probe.tensor(frame, library.MODEL_INPUT, "in", np.full(2500, i, np.float32)))
    codes.append(probe.end(frame))
    time.sleep(.001)
assert set(codes) <= {0, LIMIT}, set(codes)
assert codes[0] == 0 and codes[-1] == 0, "once the file has failed a call costs nothing and says nothing"
print("first refusal:", codes.index(LIMIT) // 2 if LIMIT in codes else None)
assert probe.close() == LIMIT
for words in ("is full", str(disk), "trace recover"):
    assert words in probe.error(), probe.error()
assert (disk / "t.mcap").stat().st_size > 900_000
done = subprocess.run([TOOL, "trace", "recover", disk / "t.mcap", "-o", outside / "r.mcap"], capture_output=True, text=True)
assert done.returncode == 0, done.stderr
frames = subprocess.run([TOOL, "trace", "info", outside / "r.mcap"], capture_output=True, text=True).stdout
print(frames)

assert subprocess.run(["mount", "-o", "remount,ro", disk]).returncode == 0
try:
    library.Probe(LIBRARY, disk / "u.mcap")
    raise SystemExit("a read-only disk took a file")
except AssertionError as error:
    assert "mounted read-only" in str(error), error
