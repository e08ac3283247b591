# SPDX-License-Identifier: Apache-2.0
"""Runs the edgeprobe program under test, and finds data."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = ROOT / "models"
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))
RECIPE = (MODELS / "signs.recipe").read_text().strip()
EXECUTABLE = None
# Seconds after which a program counts as hanging. With sixteen other programs on two CPUs, everything takes nine times as long.
PATIENCE = 600
# A user's Python holds back what it prints.
os.environ.pop("PYTHONUNBUFFERED", None)


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(*args, expect=None, timeout=PATIENCE, **more):
    """The finished process and the CPU seconds that it used; with `expect`, its exit code must be that one (or one of a set)."""
    before = cpu_of_children()
    done = subprocess.run([EXECUTABLE, *map(str, args)], capture_output=True, timeout=timeout, stdin=subprocess.DEVNULL, **more)
    done.cpu_s = cpu_of_children() - before
    done.out = done.stdout.decode(errors="replace")
    done.err = done.stderr.decode(errors="replace")
    if expect is not None:
        wanted = expect if isinstance(expect, (set, tuple)) else {expect}
        if done.returncode not in wanted:
            raise AssertionError(f"exit code {done.returncode}, expected {wanted}: {' '.join(map(str, args))}\n{done.out}\n{done.err}")
    return done


def verdict_of(*args, expect):
    """The JSON verdict of check or diagnose."""
    return json.loads(run(*args, "--json", expect=expect).out)


class ToolTest(unittest.TestCase):
    @classmethod
    def class_folder(cls):
        """One folder for all cases of the class."""
        return pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="edgeprobe_test_")))

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="edgeprobe_test_")
        self.folder = pathlib.Path(self._folder.name)

    def tearDown(self):
        self._folder.cleanup()


def main():
    global EXECUTABLE
    EXECUTABLE = os.path.abspath(sys.argv.pop(1))
    import tool  # The module that tests import, not __main__.

    tool.EXECUTABLE = EXECUTABLE
    unittest.main(verbosity=2)
