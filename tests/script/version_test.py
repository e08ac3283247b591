# SPDX-License-Identifier: Apache-2.0
"""CMakeLists.txt is the only place that states the version; every kind of package spells it so that its own tool sorts rc1 before the release."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

from packaging.version import Version
from scikit_build_core.metadata.regex import dynamic_metadata

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "script"))
import version  # noqa: E402


class VersionTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in (*version.COPIES, "CMakeLists.txt"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.folder / name)

    def state(self, word):
        lists = self.folder / "CMakeLists.txt"
        lists.write_text(re.sub(r'EDGEPROBE_PRERELEASE ".*"', f'EDGEPROBE_PRERELEASE "{word}"', lists.read_text()))

    def spelled(self, word):
        self.state(word)
        return {kind: version.version(kind, self.folder) for kind in version.BEFORE_THE_WORD}

    def test_no_copy_states_another_version(self):
        self.assertEqual(version.problems(), [])

    def test_each_copy_that_states_another_version_is_named(self):
        self.state("rc77")
        self.assertEqual([line.split(":")[0] for line in version.problems(self.folder)], list(version.COPIES))

    def test_a_pre_release_sorts_before_its_release_in_every_kind_of_package(self):
        before, release = self.spelled("rc2"), self.spelled("")
        self.assertLess(Version(before["wheel"]), Version(release["wheel"]))
        self.assertEqual(str(Version(before["program"])), before["wheel"])
        subprocess.run(["dpkg", "--compare-versions", before["debian"], "lt", release["debian"]], check=True)
        self.assertEqual(set(release.values()), {version.version("number", self.folder)})

    def test_a_wheel_gets_the_version_that_PEP_440_spells(self):
        settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]["metadata"]["version"]
        settings.pop("provider")
        for word in ("rc3", ""):
            self.state(word)
            self.assertEqual(dynamic_metadata("version", {**settings, "input": str(self.folder / settings["input"])}),
                             version.version("wheel", self.folder))

    def test_the_lines_of_the_changelog_are_short(self):
        self.assertEqual([line for line in (ROOT / "CHANGELOG.md").read_text().splitlines() if len(line) > 160], [])


if __name__ == "__main__":
    unittest.main()
