# SPDX-License-Identifier: Apache-2.0
"""A probe on a full disk and on a read-only one: the application continues, and the recorded data can be recovered.

disk_full_test.py LIBRARY EDGEPROBE; exit code 77: this machine cannot make a small disk (tests/small_disk.py)."""
import os
import pathlib
import subprocess
import sys
import time

import numpy as np

import library

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from small_disk import make_read_only, small_disk

LIBRARY, TOOL = map(os.path.abspath, sys.argv[1:3])

outside, disk = small_disk()

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

make_read_only(disk)
try:
    library.Probe(LIBRARY, disk / "u.mcap")
    raise SystemExit("a read-only disk took a file")
except AssertionError as error:
    assert "mounted read-only" in str(error), error
