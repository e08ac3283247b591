# SPDX-License-Identifier: Apache-2.0
"""Each public header compiles by itself, without a warning, in every standard and with every compiler that applications use. It exposes no
engine's header and nothing of the C++ library. If an engine's header is missing, an #error names it."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDE = ROOT / "bindings/c/include"
PLUGIN = ROOT / "bindings/plugin/include"
FETCHED = ROOT / ".deps/headers"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-fsyntax-only"]
C = [(compiler, f"-std={standard}") for compiler in ("gcc", "clang") for standard in ("c11", "c17") if shutil.which(compiler)]
CXX = [(compiler, f"-std={standard}") for compiler in ("g++", "clang++") for standard in ("c++17", "c++20") if shutil.which(compiler)]
SOME_CXX = [CXX[0], CXX[-1]]  # Both compilers, both standards, in half the time.

# header: the engine's header that must come first, and its folder.
TFLITE_C = ("tensorflow/lite/c/c_api.h", FETCHED / "tflite_c")
ORT_C = ("onnxruntime_c_api.h", FETCHED / "onnxruntime/usr/include/onnxruntime")
ORT_CXX = ("onnxruntime_cxx_api.h", FETCHED / "onnxruntime/usr/include/onnxruntime")
AFTER = {"edgeprobe/tflite.h": TFLITE_C, "edgeprobe/onnxruntime.h": ORT_C, "edgeprobe/onnxruntime.hpp": ORT_CXX}


def compile_text(compiler, standard, text, *more):
    language = "c" if standard.startswith("-std=c1") else "c++"
    return subprocess.run([compiler, standard, "-x", language, "-", "-I", INCLUDE, "-I", PLUGIN, *map(str, more)], input=text, capture_output=True, text=True)


class Headers(unittest.TestCase):
    def headers(self, suffix):
        found = sorted(str(path.relative_to(INCLUDE)) for path in INCLUDE.rglob("*" + suffix))
        self.assertTrue(found)
        return found

    def check(self, compilers, header):
        first, folder = AFTER.get(header, (None, None))
        if first and not (folder / first).exists():
            return self.skipTest(f"{header}: no {first} here (script/setup --test brings it)")
        text = (f'#include "{first}"\n' if first else "") + f'#include "{header}"\n'
        for compiler, standard in compilers:
            done = compile_text(compiler, standard, text, *WARNINGS, *(["-isystem", folder] if first else []))
            self.assertEqual(done.returncode, 0, f"{header} by {compiler} {standard}\n{done.stderr}")

    def test_each_c_header_alone_as_c_and_as_cxx(self):
        for header in self.headers(".h"):
            with self.subTest(header):
                self.check(C + SOME_CXX, header)

    def test_the_header_of_plugins_as_c_and_as_cxx(self):
        self.check([*C, *CXX, *((compiler, "-std=c++11") for compiler, _ in CXX[::2])], "edgeprobe_plugin.h")

    def test_each_cxx_header_alone(self):
        for header in self.headers(".hpp"):
            with self.subTest(header):
                self.check(CXX if header == "edgeprobe.hpp" else SOME_CXX, header)

    def test_the_cxx_adapter_takes_the_c_api_too(self):
        first, folder = TFLITE_C
        if not (folder / first).exists():
            self.skipTest(f"no {first} here (script/setup --test brings it)")
        text = f'#include "{first}"\n#include "edgeprobe/tflite.hpp"\nvoid f(edgeprobe::Frame& frame, TfLiteInterpreter* i) {{ frame.start(i); frame.stop(i); }}\n'
        for compiler, standard in SOME_CXX:
            done = compile_text(compiler, standard, text, *WARNINGS, "-isystem", folder)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_nothing_of_the_cxx_library_is_in_the_c_header(self):
        for compiler, standard in CXX:
            done = compile_text(compiler, standard, '#include "edgeprobe.h"\n', "-M")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("stdint.h", done.stdout)
            self.assertEqual([name for name in done.stdout.split() if "/c++/" in name], [], compiler)

    def test_no_header_of_an_engine_or_of_ours_is_included(self):
        for header in self.headers(".h") + self.headers(".hpp"):
            for line in (INCLUDE / header).read_text().splitlines():
                if line.startswith("#include \""):
                    self.assertTrue((INCLUDE / line.split('"')[1]).exists(), f"{header}: {line}")

    def test_a_missing_engine_header_is_named(self):
        for header, (first, _) in AFTER.items():
            for compiler, standard in CXX[:1]:
                done = compile_text(compiler, standard, f'#include "{header}"\n', "-fsyntax-only")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(first.split("/")[-1], done.stderr.split("#error", 1)[1].splitlines()[0])

    def test_an_older_standard_is_told_in_a_sentence(self):
        for compiler, _ in CXX[::2]:
            done = compile_text(compiler, "-std=c++14", '#include "edgeprobe.hpp"\n', "-fsyntax-only")
            self.assertIn("edgeprobe.hpp needs C++17", done.stderr)

    def test_an_unknown_engine_is_told_in_a_sentence(self):
        for compiler, standard in CXX[::2]:
            done = compile_text(compiler, standard, '#include "edgeprobe.hpp"\nstruct E {};\nvoid f(edgeprobe::Frame& frame, E e) { frame.start(e); }\n',
                                "-fsyntax-only")
            self.assertIn("include edgeprobe/tflite.hpp", done.stderr)

    def test_two_files_of_one_program_may_include_all_of_them(self):
        includes = "".join(f'#include "{header}"\n' for header in self.headers(".hpp") if header not in AFTER)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a", "b"):
                pathlib.Path(folder, name + ".cc").write_text(includes + f"int {name}(edgeprobe::Frame& f) {{ return int(f.start()); }}\n")
            done = subprocess.run(["g++", "-std=c++17", "-r", "-nostdlib", "-I", INCLUDE, "-o", f"{folder}/both.o", f"{folder}/a.cc", f"{folder}/b.cc"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
