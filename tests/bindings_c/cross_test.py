# SPDX-License-Identifier: Apache-2.0
"""The C library for an ARM board: a C and a C++ program, static and shared, compiled for it and run under qemu; the traces are read here.

    cross_test.py aarch64|armhf BUILD-FOLDER
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from mcap.reader import make_reader

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TRIPLETS = {"aarch64": "aarch64-linux-gnu", "armhf": "arm-linux-gnueabihf"}
ARCHITECTURE = BUILD = None


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600)
    if done.returncode != 0:
        raise AssertionError(f"{command} returned {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Cross(unittest.TestCase):
    def test_programs_record(self):
        triplet = TRIPLETS[ARCHITECTURE]
        archive, library = next(BUILD.rglob("libedgeprobe.a")), next(BUILD.rglob("libedgeprobe.so"))
        source = ROOT / "tests/bindings_c/user_project"
        for name, compiler, standard in (("user.c", "gcc", "-std=c11"), ("user.cc", "g++", "-std=c++17")):
            for kind, flags in (("static", [archive, "-lstdc++", "-lm", "-pthread"]),
                                ("shared", [library, f"-Wl,-rpath,{library.parent}"])):
                with self.subTest(source=name, kind=kind), tempfile.TemporaryDirectory(prefix="edgeprobe_cross_") as folder:
                    program, trace = pathlib.Path(folder) / "user", pathlib.Path(folder) / "app.mcap"
                    run(f"{triplet}-{compiler}", standard, "-Wall", "-Wextra", "-Wconversion", "-Werror", source / name, "-o", program,
                        f"-I{ROOT / 'bindings/c/include'}", *flags)
                    run(ROOT / "script/emulate", ARCHITECTURE, program, trace)
                    with open(trace, "rb") as file:
                        messages = {channel.topic: message.data for _, channel, message in make_reader(file, validate_crcs=True).iter_messages()}
                    self.assertEqual(messages["/model_output/scores"], bytes.fromhex("0000803e0000403f"))
                    self.assertGreaterEqual(json.loads(messages["/frame"])["latency_ns"], 0)

    def test_only_libc_is_needed(self):
        library = next(BUILD.rglob("libedgeprobe.so"))
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--wide", "--dynamic", library))
        print(f"{ARCHITECTURE}: {library.resolve().stat().st_size / 1e6:.2f} MB, needs {', '.join(needed)}", flush=True)
        self.assertEqual([name for name in needed if not re.match(r"(libc|libm|ld-linux[-\w]*)\.so\.\d$", name)], [])

    def test_natives_of_the_java_module(self):
        library = next(BUILD.glob("java/native/*/libedgeprobe_jni.so"), None)
        if library is None:
            self.skipTest("there was no JDK when script/cross ran")
        self.assertEqual(library.parent.name, {"aarch64": "linux-aarch64", "armhf": "linux-arm"}[ARCHITECTURE])  # Java's os.arch
        self.assertRegex(run("readelf", "--wide", "--file-header", library), r"Machine: +" + {"aarch64": "AArch64", "armhf": "ARM"}[ARCHITECTURE])
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--wide", "--dynamic", library))
        self.assertEqual([name for name in needed if not re.match(r"(libc|libm|ld-linux[-\w]*)\.so\.\d$", name)], [])
        symbols = run("readelf", "--wide", "--dyn-syms", library).splitlines()
        defined = [line.split()[-1] for line in symbols if re.search(r"(GLOBAL|WEAK) +DEFAULT +\d", line)]
        self.assertEqual(defined, ["JNI_OnLoad"])
        missing = [line.split()[-1] for line in symbols if re.search(r"GLOBAL +DEFAULT +UND", line) and "@GLIBC_" not in line]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    ARCHITECTURE, BUILD = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
