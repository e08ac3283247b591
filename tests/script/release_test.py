# SPDX-License-Identifier: Apache-2.0
"""script/release names missing things before it builds anything."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# : A Python 3.12 with headers and pip, or without one of them.
STAND_IN = """#!/bin/sh
case "$*" in
  *version_info*) echo "3.12 $0" ;;
  *Python.h*) exit HEADERS ;;
  *) exit PIP ;;
esac
"""


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def refused(self, word, **environment):
        """The sentence on standard error; checks that nothing was built or made."""
        (self.folder / "script").mkdir(exist_ok=True)
        for name in ("release", "fetch.sh", "version.py"):
            shutil.copy(ROOT / "script" / name, self.folder / "script")
        shutil.copy(ROOT / "CMakeLists.txt", self.folder)
        done = subprocess.run([self.folder / "script" / "release", "--x86_64", word], capture_output=True, text=True,
                              env={**os.environ, **environment}, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertFalse((self.folder / "build-release").exists() or (self.folder / "release").exists())
        return done.stderr

    def python(self, headers, pip):
        path = self.folder / "python"
        path.write_text(STAND_IN.replace("HEADERS", str(headers)).replace("PIP", str(pip)))
        path.chmod(0o755)
        return str(path)

    def test_a_wheel_needs_a_python_with_headers_and_pip(self):
        for word in ("wheel", "sdist"):
            self.assertIn("there is no Python from 3.11 on; apt-get install", self.refused(word, EDGEPROBE_PYTHONS="/no/such/python"))
            self.assertIn("has no Python.h: apt-get install python3-dev", self.refused(word, EDGEPROBE_PYTHONS=self.python(1, 0)))
            self.assertIn("has no pip: apt-get install python3-pip", self.refused(word, EDGEPROBE_PYTHONS=self.python(0, 1)))

    def test_every_tool_that_is_missing_is_named_at_once(self):
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("bash", "dirname", "python3", "sed", "mktemp", "rm"):
            (tools / name).symlink_to(shutil.which(name))
        self.assertIn("these are missing: cmake ninja c++ readelf dpkg-query; script/setup installs them", self.refused("program", PATH=str(tools)))

    def tagged(self, *tags):
        git = ["git", "-C", str(self.folder), "-c", "user.name=a", "-c", "user.email=a@example.org"]
        for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "empty"], *(["tag", tag] for tag in tags)):
            subprocess.run([*git, *command], check=True)

    def test_a_tag_of_another_version_is_refused(self):
        self.tagged("v0.0.1", "v0.0.2")
        self.assertIn("this commit has the tag v0.0.1, v0.0.2, but CMakeLists.txt says ", self.refused("program"))

    def test_the_tag_of_the_version_counts_among_several(self):
        version = subprocess.run(["python3", ROOT / "script" / "version.py"], check=True, capture_output=True, text=True).stdout.strip()
        self.tagged("a-nightly", f"v{version}", "v9.9.9")
        self.assertIn("there is no Python from 3.11 on", self.refused("wheel", EDGEPROBE_PYTHONS="/no/such/python"))

    def test_the_java_module_needs_maven_and_its_jars(self):
        self.assertIn("the Java module needs Maven and the jars in .deps/maven: script/setup --test brings both", self.refused("maven"))


if __name__ == "__main__":
    unittest.main()
