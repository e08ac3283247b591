# SPDX-License-Identifier: Apache-2.0
"""The installed package. CMake and pkg-config find it from a project outside of the tree, moved or not, in C and C++, static and shared,
with gcc and clang. Checks the symbols that the shared library exports, and the libraries that it needs.

    install_test.py BUILD-FOLDER"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from mcap.reader import make_reader

HERE = pathlib.Path(__file__).resolve().parent
BUILD = None
COMPILERS = [pair for pair in (("gcc", "g++"), ("clang", "clang++")) if shutil.which(pair[0]) and shutil.which(pair[1])]


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command} returned {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="edgeprobe_install_")
        root = pathlib.Path(cls.folder.name)
        cls.first, cls.prefix = root / "first", root / "moved" / "here"
        run("cmake", "--install", BUILD, "--component", "c", "--prefix", cls.first)
        cls.prefix.parent.mkdir()
        cls.first.rename(cls.prefix)  # Any file that contains the first path fails the tests below.
        cls.library = next(cls.prefix.rglob("libedgeprobe.so"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check_trace(self, program, **more):
        with tempfile.TemporaryDirectory(prefix="edgeprobe_install_") as folder:
            path = pathlib.Path(folder) / "app.mcap"
            run(program, path, **more)
            with open(path, "rb") as file:
                messages = {channel.topic: message.data for _, channel, message in make_reader(file, validate_crcs=True).iter_messages()}
            self.assertEqual(messages["/model_output/scores"], bytes.fromhex("0000803e0000403f"))
            self.assertGreaterEqual(json.loads(messages["/frame"])["latency_ns"], 0)
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)

    def test_find_package(self):
        for c, cxx in COMPILERS:
            for language in ("C", "CXX"):
                for library in ("edgeprobe", "edgeprobe_static"):
                    with self.subTest(compiler=c, language=language, library=library), tempfile.TemporaryDirectory() as build:
                        # A project with only C has no C++ compiler to query.
                        compiler = [f"-DCMAKE_C_COMPILER={c}"] if language == "C" else [f"-DCMAKE_CXX_COMPILER={cxx}"]
                        run("cmake", "-G", "Ninja", "-S", HERE / "user_project", "-B", build, f"-DLANGUAGE={language}", f"-DLIBRARY={library}",
                            f"-DCMAKE_PREFIX_PATH={self.prefix}", *compiler)
                        run("cmake", "--build", build)
                        self.check_trace(pathlib.Path(build) / "user")

    def test_pkg_config(self):
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        found = next(self.prefix.rglob("edgeprobe.pc")).parent
        environment = dict(os.environ, PKG_CONFIG_PATH=str(found))
        for c, cxx in COMPILERS:
            for compiler, source in ((c, "user.c"), (cxx, "user.cc")):
                for package in ("edgeprobe", "edgeprobe-static"):
                    with self.subTest(compiler=compiler, package=package), tempfile.TemporaryDirectory() as folder:
                        flags = run("pkg-config", "--cflags", "--libs", package, env=environment).split()
                        program = pathlib.Path(folder) / "user"
                        run(compiler, "-std=c++17" if source == "user.cc" else "-std=c11", HERE / "user_project" / source, "-o", program, *flags)
                        more = {"env": dict(os.environ, LD_LIBRARY_PATH=str(self.library.parent))} if package == "edgeprobe" else {}
                        self.check_trace(program, **more)
        self.assertEqual(run("pkg-config", "--modversion", "edgeprobe", env=environment).strip(),
                         run(sys.executable, HERE.parents[1] / "script/version.py").strip())

    def test_nothing_names_a_place(self):
        for path in self.prefix.rglob("*"):
            if path.suffix in (".cmake", ".pc", ".h", ".hpp"):
                text = path.read_text()
                for place in (str(self.first), str(BUILD), str(HERE.parents[1])):
                    self.assertNotIn(place, text, path)

    def test_what_is_installed(self):
        folders = [HERE.parents[1] / "bindings" / name / "include" for name in ("c", "plugin")]
        expected = {str(path.relative_to(headers)) for headers in folders for path in headers.rglob("*.h*")}
        self.assertEqual({str(path.relative_to(self.prefix / "include")) for path in (self.prefix / "include").rglob("*.h*")}, expected)
        self.assertLessEqual({"edgeprobe.hpp", "edgeprobe_plugin.h"}, expected)

    def test_only_edgeprobe_functions_are_exported(self):
        symbols = [line.split() for line in run("nm", "-D", "--defined-only", self.library).splitlines()]
        names = {parts[-1].split("@")[0] for parts in symbols if parts[1] != "A"}  # A is the version's own name.
        declared = set(re.findall(r"EDGEPROBE_API [^;(]*?\b(edgeprobe_\w+)\(", (self.prefix / "include/edgeprobe.h").read_text()))
        self.assertEqual(names, declared)

    def test_only_libc_is_needed(self):
        dynamic = run("readelf", "--wide", "--dynamic", self.library)
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
        self.assertEqual({name for name in needed if not re.match(r"(libc|libm|ld-linux[-\w]*)\.so\.\d$", name)}, set())
        self.assertNotRegex(dynamic, r"\((RPATH|RUNPATH)\)")
        self.assertRegex(dynamic, r"\(SONAME\).*\[libedgeprobe\.so\.1\]")
        with tempfile.TemporaryDirectory() as folder:
            run("strip", "-o", f"{folder}/small", self.library.resolve())
            size = pathlib.Path(folder, "small").stat().st_size
        print(f"libedgeprobe.so: {size / 1e6:.2f} MB stripped, needs {', '.join(sorted(needed))}", flush=True)
        self.assertLess(size, 3.7e6)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
