# SPDX-License-Identifier: Apache-2.0
"""The executable's requirements on the target machine: libc, libm and the loader, of a glibc that boards have.

dynamic_section_test.py [--any-size] EXECUTABLE...      --any-size: compiled without optimisation, as for tests"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "script"))
import manylinux
from manylinux import ALLOWED, NEWEST_GLIBC, needed, newest_glibc, readelf

EXECUTABLES = []
ANY_SIZE = "--any-size" in sys.argv
LARGEST = 30e6  # bytes, stripped; measured: 27.6e6 without unity builds, 4.4e6 of it OpenSSL


class DynamicSection(unittest.TestCase):
    def test_only_glibc_is_needed(self):
        for path in EXECUTABLES:
            libraries = needed(path)
            self.assertTrue(libraries, f"{path} opens nothing at run time, so it can open no engine")
            self.assertEqual([name for name in libraries if not ALLOWED.fullmatch(name)], [], path)
            self.assertNotRegex(readelf("--dynamic", path), r"\((RPATH|RUNPATH)\)", path)

    def test_its_glibc_is_old_enough(self):
        for path in EXECUTABLES:
            version, symbol = newest_glibc(path)
            self.assertLessEqual(version, NEWEST_GLIBC, f"{path} asks for {symbol} of glibc {version[0]}.{version[1]}")

    def test_its_size(self):
        for path in EXECUTABLES:
            with tempfile.TemporaryDirectory() as folder:
                small = pathlib.Path(folder) / "stripped"
                machine = re.search(r"Machine:\s+(.*)", readelf("--file-header", path)).group(1)
                strip = "aarch64-linux-gnu-strip" if machine == "AArch64" else "strip"
                subprocess.run([strip, "-o", small, path], check=True)
                size = small.stat().st_size
                version, symbol = newest_glibc(path)
                print(f"{path}: {machine}, {size / 1e6:.1f} MB stripped, needs {', '.join(needed(path))}, "
                      f"glibc {version[0]}.{version[1]} ({symbol})", flush=True)
                if ANY_SIZE:
                    print("its size is not judged: compiled without optimisation", flush=True)
                else:
                    self.assertLess(size, LARGEST, path)

    def test_a_wheel_gets_the_tag_that_its_programs_allow(self):
        with tempfile.TemporaryDirectory() as folder:
            wheel = pathlib.Path(folder) / "made-1.0-cp311-cp311-linux_x86_64.whl"
            licence = pathlib.Path(folder) / "NOTICES"
            licence.write_text("a licence\n")
            for program, right in ((EXECUTABLES[0], True), (shutil.which("cmake"), False)):
                with zipfile.ZipFile(wheel, "w") as archive:
                    archive.writestr("made-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n")
                    archive.write(program, "made/bin/program")
                if not right:
                    with self.assertRaisesRegex(SystemExit, "needs libstdc"):
                        manylinux.retag(wheel, folder, [licence])
                    continue
                made = manylinux.retag(wheel, folder, [licence])
                tag = f"cp311-cp311-manylinux_2_35_{manylinux.machine(program)}"
                self.assertEqual(made.name, f"made-1.0-{tag}.whl")
                with zipfile.ZipFile(made) as archive:
                    self.assertIn(f"Tag: {tag}\n", archive.read("made-1.0.dist-info/WHEEL").decode())
                    self.assertIn("made-1.0.dist-info/licenses/NOTICES", archive.namelist())
                    record = archive.read("made-1.0.dist-info/RECORD").decode().splitlines()
                    self.assertEqual([line.split(",")[0] for line in record], archive.namelist())
                    self.assertTrue(archive.getinfo("made/bin/program").external_attr >> 16 & 0o100, "not executable")

    def test_another_program_is_found_out(self):
        """Tests the test: a program that links the C++ library at run time does not pass."""
        cmake = shutil.which("cmake")
        self.assertIn("libstdc++.so.6", [name for name in needed(cmake) if not ALLOWED.fullmatch(name)])


if __name__ == "__main__":
    EXECUTABLES[:] = [argument for argument in sys.argv[1:] if argument != "--any-size"]
    unittest.main(argv=sys.argv[:1], verbosity=2)
