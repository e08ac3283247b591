# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of the Python package. Importing it finds the package of this build."""
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = ROOT / "models"
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "cli")]
os.environ["PYTHONPATH"] = str(ROOT / "python")

try:
    import edgeprobe._native  # noqa: F401
except ImportError as error:
    print(f"skipped: the native module is not built for this Python ({error}); script/setup --test brings nanobind")
    raise SystemExit(77) from None


def official(path):
    """{(frame, topic): (metadata, bytes)} by the official MCAP reader."""
    from mcap.reader import make_reader

    with open(path, "rb") as file:
        return {(m.sequence, c.topic): (dict(c.metadata), m.data) for _, c, m in make_reader(file).iter_messages()}


class PackageTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="edgeprobe_test_")
        self.folder = pathlib.Path(self._folder.name)
        self.path = self.folder / "t.mcap"

    def tearDown(self):
        self._folder.cleanup()


def main():
    unittest.main(verbosity=2)
