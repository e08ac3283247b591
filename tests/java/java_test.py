# SPDX-License-Identifier: Apache-2.0
"""The Java module: runs `mvn verify` with its JUnit tests, then compares their recordings with other programs."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

import maven

EDGEPROBE, BUILD = sys.argv[1], pathlib.Path(sys.argv[2])
TRACES = maven.target(BUILD) / "traces"


def edgeprobe(*arguments):
    return subprocess.run([EDGEPROBE, *map(str, arguments)], capture_output=True, text=True, timeout=600)


def messages(path):
    """{(topic, frame): data} by the official reader."""
    from mcap.reader import make_reader

    with open(path, "rb") as file:
        return {(channel.topic, message.sequence): message.data for _, channel, message in make_reader(file).iter_messages()}


class JavaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = maven.mvn(BUILD, "verify")
        print(done.stdout)
        assert done.returncode == 0, "mvn verify failed"

    def test_tests_ran(self):
        reports = [path.read_text() for path in (maven.target(BUILD) / "surefire-reports").glob("TEST-*.xml")]
        ran = sum(int(re.search(r'<testsuite [^>]*tests="(\d+)"', report)[1]) for report in reports)
        skipped = [re.findall(r"<skipped[^>]*message=\"([^\"]*)", report) for report in reports if "<skipped" in report]
        print(f"{ran} JUnit tests in {len(reports)} classes; skipped: {skipped or 'none'}")
        self.assertGreater(ran, 25)

    def test_every_finished_trace_is_sound(self):
        checked = 0
        for path in sorted(TRACES.glob("*.mcap")):
            done = edgeprobe("trace", "verify", path)
            self.assertEqual(done.returncode, 0, f"{path.name}: {done.stdout}{done.stderr}")
            messages(path)
            checked += 1
        self.assertGreater(checked, 10)

    def test_the_folder_of_the_natives_may_be_written_in_any_way(self):
        native = BUILD / "java" / "native"
        with tempfile.TemporaryDirectory() as folder:
            link = pathlib.Path(folder) / "link"
            link.symlink_to(native)
            for place in (native, native / ".." / "native", link):
                done = maven.validate(f"-Dedgeprobe.native={place}")
                self.assertEqual(done.returncode, 0, f"{place}: {done.stdout}")
            done = maven.validate(f"-Dedgeprobe.native={folder}/none")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"No natives in {folder}/none: build the CMake target edgeprobe_jni", done.stdout)

    def test_the_usual_build_folder_needs_no_option(self):
        if BUILD.resolve() != maven.ROOT / "build":
            self.skipTest("this build is not in the folder that the module looks into by itself")
        done = maven.validate()
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_limits_are_those_of_the_header(self):
        header = (maven.ROOT / "bindings/c/include/edgeprobe.h").read_text()
        java = (maven.ROOT / "bindings/java/src/main/java/dev/edgeprobe/Probe.java").read_text()
        wanted = re.search(r"([\d,]+), which means\b[^;]*;[^;]*\*/\s+uint64_t total_bytes;", header)[1].replace(",", "")
        self.assertEqual(re.search(r"long totalBytes = ([\d_]+)L;", java)[1].replace("_", ""), wanted)

    def test_outputs_equal_pythons(self):
        """Runs Java's recorded inputs in Python's ONNX Runtime, which is another release."""
        import numpy as np
        import onnxruntime

        recorded = messages(TRACES / "onnxruntime.mcap")
        (output,) = {topic for topic, _ in recorded if topic.startswith("/model_output/")}
        session = onnxruntime.InferenceSession(str(maven.ROOT / "models/signs_float.onnx"))
        equal = 0
        for frame in range(3):
            values = np.frombuffer(recorded["/model_input/image", frame], np.float32).reshape(1, 3, 64, 64)
            answer = np.frombuffer(recorded[output, frame], np.float32)
            (direct,) = session.run(None, {"image": values})
            np.testing.assert_allclose(answer, direct[0], atol=2e-6)
            equal += np.array_equal(answer, direct[0])
        print(f"{equal} of 3 frames equal bit for bit in ONNX Runtime {onnxruntime.__version__}")

    def test_only_libc_is_needed_and_one_symbol_shown(self):
        (library,) = (BUILD / "java" / "native").glob("linux-*/libedgeprobe_jni.so")
        dynamic = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True).stdout
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
        self.assertLessEqual(needed, {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})
        shown = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
        self.assertEqual([line.split()[-1] for line in shown.splitlines()], ["JNI_OnLoad"])
        print(f"{library.name}: {library.stat().st_size} bytes, needs {sorted(needed)}")

    def test_the_jar_holds_the_natives(self):
        (jar,) = maven.target(BUILD).glob("edgeprobe-*.jar")
        names = zipfile.ZipFile(jar).namelist()
        self.assertTrue(any(re.fullmatch(r"META-INF/native/linux-\w+/libedgeprobe_jni.so", name) for name in names), names)
        self.assertFalse([name for name in names if name.startswith(("org/tensorflow", "ai/onnxruntime")) or "Test" in name])
        print(f"{jar.name}: {jar.stat().st_size} bytes")


if __name__ == "__main__":
    maven.require()
    del sys.argv[1:]
    unittest.main(verbosity=2)
