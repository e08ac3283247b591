# SPDX-License-Identifier: Apache-2.0
"""The systemd unit: systemd's own checker reports nothing, and the program accepts the command in it.

service_test.py EXECUTABLE"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

UNIT = pathlib.Path(__file__).resolve().parent.parent.parent / "deploy" / "edgeprobe-serve.service"
EXECUTABLE = None


class Service(unittest.TestCase):
    def test_systemd_finds_nothing(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze (Debian package systemd)")
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / UNIT.name
            unit.write_text(UNIT.read_text().replace("/usr/local/bin/edgeprobe", EXECUTABLE))
            verified = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
            said = [line for line in (verified.stdout + verified.stderr).splitlines() if UNIT.name in line]
            self.assertEqual((verified.returncode, said), (0, []))
            exposure = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--threshold=20", "--no-pager", unit], capture_output=True, text=True)
            self.assertEqual(exposure.returncode, 0, exposure.stdout[-2000:])  # At most 2.0 of 10.

    def test_its_command_is_understood(self):
        command = re.search(r"^ExecStart=(.*?[^\\])$", UNIT.read_text(), re.M | re.S).group(1).replace("\\\n", " ").split()
        self.assertEqual(command[:2], ["/usr/local/bin/edgeprobe", "serve"])
        with tempfile.TemporaryDirectory() as folder:
            words = [word.replace("%d", folder) for word in command[1:]]
            done = subprocess.run([EXECUTABLE, *words], capture_output=True, text=True, timeout=600)
        # The program gets as far as the files, which do not exist.
        self.assertEqual(done.returncode, 2)
        self.assertIn("ca.pem': No such file", done.stderr)


if __name__ == "__main__":
    EXECUTABLE = sys.argv.pop(1)
    unittest.main(verbosity=2)
