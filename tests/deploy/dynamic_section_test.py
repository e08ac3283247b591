# SPDX-License-Identifier: Apache-2.0
"""What the executable asks of the machine it is carried to: libc, libm and the loader, of a glibc that boards have.

    dynamic_section_test.py EXECUTABLE...
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

EXECUTABLES = []
# libdl and libpthread are empty since glibc 2.34, and still named by what was linked against an older one.
ALLOWED = re.compile(r"(libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|ld-linux[-a-z0-9]*\.so\.[0-9])")
NEWEST_GLIBC = (2, 35)  # Ubuntu 22.04; of libgcc's _dl_find_object. Debian 12 has 2.36.
LARGEST = 16e6  # bytes, stripped


def readelf(*args):
    return subprocess.run(["readelf", "--wide", *map(str, args)], check=True, capture_output=True, text=True).stdout


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("--dynamic", path))


def newest_glibc(path):
    """The highest version that a symbol asks for, and one such symbol."""
    symbols = re.findall(r"(\S+)@GLIBC_(\d+)\.(\d+)", readelf("--dyn-syms", path))
    name, major, minor = max(symbols, key=lambda symbol: (int(symbol[1]), int(symbol[2])))
    return (int(major), int(minor)), name


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
                self.assertLess(size, LARGEST, path)

    def test_another_program_is_found_out(self):
        """The test itself: a program that links the C++ library at run time does not pass."""
        cmake = shutil.which("cmake")
        self.assertIn("libstdc++.so.6", [name for name in needed(cmake) if not ALLOWED.fullmatch(name)])


if __name__ == "__main__":
    EXECUTABLES[:] = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
