"""`run` on a full disk: exit code 1, which disk and what to do, and what was recorded can be recovered.

disk_full_test.py EDGEPROBE; the small disk is a tmpfs in a mount namespace of its own. Exit code 77: there can be none.
"""
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = ROOT / "models"
RECIPE = (MODELS / "signs.recipe").read_text().strip()
TOOL = os.path.abspath(sys.argv[1])

if "INSIDE" not in os.environ:
    unshare = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-Urm"]
    with tempfile.TemporaryDirectory(prefix="edgeprobe_disk_") as folder:
        done = subprocess.run([*unshare, sys.executable, __file__, TOOL], env={**os.environ, "INSIDE": folder},
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


def run(*args, **more):
    done = subprocess.run([TOOL, *map(str, args)], capture_output=True, text=True, timeout=300, **more)
    print("$", *args, "->", done.returncode, done.stderr.strip())
    return done


def record(trace, **more):
    return run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", MODELS / "data" / "test",
               "--frames", "40", "--level", "layers", "--trace", trace, **more)


# 40 frames take 2.6 MB and are less than one chunk of the writer's: what fits is kept all the same.
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

assert subprocess.run(["mount", "-o", "remount,ro", disk]).returncode == 0
read_only = record(disk / "u.mcap")
assert read_only.returncode == 1 and "mounted read-only" in read_only.stderr


def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))


limited = record(outside / "l.mcap", preexec_fn=limit)
assert limited.returncode == 1 and "ulimit -f" in limited.stderr
assert 250_000 < (outside / "l.mcap").stat().st_size <= 300_000
assert run("trace", "recover", outside / "l.mcap").returncode == 0
