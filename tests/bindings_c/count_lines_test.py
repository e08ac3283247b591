# SPDX-License-Identifier: Apache-2.0
"""examples/count_lines.py: every program that it counts runs; the programs with and without edgeprobe find the same; the table equals the
one in docs/guides/probe.md. Exits with 77 without the Python package's native part."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

try:
    import edgeprobe._native  # noqa: F401
except ImportError as error:
    print(f"skipped: the native part of the Python package is not built ({error})")
    raise SystemExit(77) from None


class CountLines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([sys.executable, ROOT / "examples/count_lines.py", "--run"], capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        cls.table = done.stdout.split("\n\n")[0]
        cls.said = {name: text for name, text in re.findall(r"^(\w+)\.py:\n(.*?)(?=\n\n\w+\.py:|\Z)", done.stdout, re.M | re.S)}

    def test_all_of_them_ran(self):
        self.assertEqual(len(self.said), 8)

    def test_both_find_the_wrong_channel_order(self):
        self.assertIn("feeds BGR", self.said["preprocessing_with"])
        self.assertIn("BGR instead of RGB (0 away", self.said["preprocessing_without"])

    def test_both_find_the_same_drift_of_the_layers(self):
        with_it, without = (dict(re.findall(r"^(\S+) ([\d.e-]+)$", self.said[f"quantisation_{kind}"], re.M)) for kind in ("with", "without"))
        common = sorted(set(with_it) & set(without))
        self.assertGreaterEqual(len(common), 15)
        for name in common:
            # The sixteen pictures differ, and so do the digits; after the softmax, a single uncertain picture decides.
            least, most = (1 / 4, 4) if name == "probabilities" else (1 / 1.25, 1.25)
            self.assertTrue(least < float(with_it[name]) / float(without[name]) < most, (name, with_it[name], without[name]))

    def test_both_give_latency_and_memory(self):
        for kind in ("with", "without"):
            latency, memory = re.findall(r"([\d.]+)", self.said[f"latency_memory_{kind}"])[:2]
            self.assertTrue(0.001 < float(latency) < 1000 and 10 < float(memory) < 10_000)

    def test_the_table_is_the_one_in_the_documentation(self):
        self.assertIn(self.table.strip(), (ROOT / "docs/guides/probe.md").read_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
