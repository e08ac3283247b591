# SPDX-License-Identifier: Apache-2.0
"""The JDK that a build finds without JAVA_HOME: the one to which `javac` on the PATH links."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
CMAKE = sys.argv.pop(1)


class JdkTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name).resolve()
        self.bin = self.folder / "bin"
        self.bin.mkdir()

    def installed(self, *files):
        """A JDK as Debian installs it: in its own folder, reached through two links."""
        for name in ("bin/javac", *files):
            file = self.folder / "jvm/java-17-openjdk-some" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(0o755)
        (self.folder / "alternative").symlink_to(self.folder / "jvm/java-17-openjdk-some/bin/javac")
        (self.bin / "javac").symlink_to(self.folder / "alternative")

    def found(self):
        script = self.folder / "find.cmake"
        script.write_text(f'include({ROOT}/cmake/jdk.cmake)\nset(CMAKE_SYSTEM_PREFIX_PATH)\nset(CMAKE_SYSTEM_PROGRAM_PATH)\nedgeprobe_jdk_on_path(jdk)\nmessage("jdk=${{jdk}}")\n')
        done = subprocess.run([CMAKE, "-P", script], capture_output=True, text=True, timeout=60, env={**os.environ, "PATH": str(self.bin)})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.strip().removeprefix("jdk=")

    def test_links_are_followed_to_the_folder(self):
        self.installed("include/jni.h")
        self.assertEqual(self.found(), str(self.folder / "jvm/java-17-openjdk-some"))

    def test_a_compiler_without_headers_is_none(self):
        self.installed()
        self.assertEqual(self.found(), "")

    def test_no_compiler(self):
        self.assertEqual(self.found(), "")


if __name__ == "__main__":
    unittest.main()
