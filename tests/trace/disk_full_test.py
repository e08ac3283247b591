# SPDX-License-Identifier: Apache-2.0
"""`run` on a full disk: exit code 1, a message that names the disk and the next step, and the recorded data can be recovered.

disk_full_test.py EDGEPROBE; exit code 77: this machine cannot make a small disk (tests/small_disk.py)."""
import os
import pathlib
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tests"))
from small_disk import make_read_only, small_disk

MODELS = ROOT / "models"
RECIPE = (MODELS / "signs.recipe").read_text().strip()
TOOL = os.path.abspath(sys.argv[1])

outside, disk = small_disk()


def run(*args, **more):
    done = subprocess.run([TOOL, *map(str, args)], capture_output=True, text=True, timeout=600, **more)
    print("$", *args, "->", done.returncode, done.stderr.strip())
    return done


def record(trace, **more):
    return run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", MODELS / "data" / "test",
               "--frames", "40", "--level", "layers", "--trace", trace, **more)


# 40 frames take 2.6 MB, less than one chunk of the writer: the part that fits is kept.
full = record(disk / "t.mcap")
assert full.returncode == 1, full.returncode
for words in ("is full", str(disk), "free some space", "trace recover"):
    assert words in full.stderr, f"'{words}' is not in: {full.stderr}"
assert (disk / "t.mcap").stat().st_size > 950_000, "less was kept than the disk had room for"
recovered = run("trace", "recover", disk / "t.mcap", "-o", outside / "r.mcap")
assert recovered.returncode == 0
assert run("trace", "verify", outside / "r.mcap").returncode == 0
assert run("trace", "pack", outside / "r.mcap", "-o", outside / "p.mcap", "--compression", "lz4").returncode == 0
assert run("trace", "recover", outside / "r.mcap", "-o", disk / "again.mcap").returncode == 1, "the disk is full"
assert sorted(os.listdir(disk)) == ["t.mcap"], os.listdir(disk)

# A report that does not fit is not an error in the request, either.
with open(disk / "rest", "wb", buffering=0) as rest:
    try:
        while rest.write(b"x" * 4096):
            pass
    except OSError:
        pass
for flag in ("--json", "--html"):
    report = run("check", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", MODELS / "data" / "test", "--frames", "4", "--level", "io",
                 "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, flag, disk / "report")
    assert report.returncode == 1 and "is full" in report.stderr and str(disk) in report.stderr
assert sorted(os.listdir(disk)) == ["rest", "t.mcap"], os.listdir(disk)

# Traces that are removed with their folder: nothing can be recovered from them, and no file remains.
(disk / "rest").unlink()
(disk / "t.mcap").unlink()
check = run("check", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", MODELS / "data" / "test", "--frames", "40", "--level", "layers",
            "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, env={**os.environ, "TMPDIR": str(disk)})
assert check.returncode == 1 and "is full" in check.stderr and "recover" not in check.stderr
assert "free some space, or set TMPDIR to a folder on another disk" in check.stderr and check.stdout == "", check.stderr
assert os.listdir(disk) == [], os.listdir(disk)

make_read_only(disk)
read_only = record(disk / "u.mcap")
assert read_only.returncode == 1 and "mounted read-only" in read_only.stderr


def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))


limited = record(outside / "l.mcap", preexec_fn=limit)
assert limited.returncode == 1 and "ulimit -f" in limited.stderr
assert 250_000 < (outside / "l.mcap").stat().st_size <= 300_000
assert run("trace", "recover", outside / "l.mcap").returncode == 0
