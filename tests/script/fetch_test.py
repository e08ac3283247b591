# SPDX-License-Identifier: Apache-2.0
"""script/fetch.sh by itself: which cached file it uses for a wheel, and what it refuses before any download."""
import hashlib
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAME = "some_engine-1.0-cp311-cp311-linux_x86_64.whl"


class FetchTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="edgeprobe_fetch_")
        self.deps = pathlib.Path(self._folder.name)
        (self.deps / "cache").mkdir()
        (self.deps / "venv/bin").mkdir(parents=True)

    def tearDown(self):
        self._folder.cleanup()

    def pip(self, *bring):
        """Replaces the environment's Python: "downloads" files with these names and contents, and records its arguments."""
        lines = ["#!/bin/sh", f'echo "$@" >{self.deps}/asked']
        lines += [f"printf %s {text!r} >{self.deps}/cache/{name}" for name, text in bring]
        python = self.deps / "venv/bin/python"
        python.write_text("\n".join(lines) + "\n")
        python.chmod(0o755)

    def shell(self, text, **variables):
        command = f'set -euo pipefail; deps={self.deps}; packages=(a-package another); . script/fetch.sh; {text}'
        return subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, env={**os.environ, **variables})

    def wheel(self, content):
        return self.shell(f"wheel some-engine 1.0 {hashlib.sha256(content.encode()).hexdigest()}")

    def test_a_wheel_of_the_cache_is_the_one_with_the_hash(self):
        self.pip()
        (self.deps / "cache" / ("some_engine-1.0-1-" + NAME[16:])).write_text("planted")
        (self.deps / "cache" / NAME).write_text("right")
        self.assertEqual(self.wheel("right").stdout.strip(), str(self.deps / "cache" / NAME))
        self.assertFalse((self.deps / "asked").exists(), "it was there, and was fetched")

    def test_after_a_download_another_file_of_that_name_is_never_taken(self):
        planted = self.deps / "cache" / "some_engine-1.0-0-cp311-cp311-linux_x86_64.whl"  # This file sorts first.
        planted.write_text("planted")
        self.pip((NAME, "right"))
        done = self.wheel("right")
        self.assertEqual(done.stdout.strip(), str(self.deps / "cache" / NAME), done.stderr)
        asked = (self.deps / "asked").read_text()
        self.assertIn("--require-hashes", asked)
        self.assertIn("--python-version 3.11", asked)

    def test_nothing_is_taken_when_the_hash_did_not_come(self):
        self.pip((NAME, "wrong"))
        done = self.wheel("right")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("does not have the pinned hash", done.stderr)

    def deb(self, content, **archives):
        """Requests p/a.deb with the hash of `content`, from archives that are folders with these names and contents."""
        folders = []
        for name, text in archives.items():
            folders.append(f"copy://{self.deps}/{name}/")
            (self.deps / name / "p").mkdir(parents=True, exist_ok=True)
            if text is not None:
                (self.deps / name / "p/a.deb").write_text(text)
        mirror, *others = folders
        return self.shell(f"debian_mirror() {{ echo {mirror}; }}; debian_archives=({' '.join(others)}); "
                          f"pool_deb p/a.deb {hashlib.sha256(content.encode()).hexdigest()}")

    def test_a_package_that_the_mirror_dropped_or_changed_comes_from_the_next_archive(self):
        for mirror in (None, "another"):
            done = self.deb("right", mirror=mirror, next="right")
            self.assertEqual(done.stdout.strip(), str(self.deps / "cache/a.deb"), done.stderr)
            self.assertEqual((self.deps / "cache/a.deb").read_text(), "right")
            (self.deps / "cache/a.deb").unlink()

    def test_a_package_is_fetched_over_what_stands_in_its_place_and_then_no_more(self):
        (self.deps / "cache/a.deb").write_text("planted")
        (self.deps / "cache/a.deb.part").write_text("half of a download")
        self.assertEqual(self.deb("right", mirror="right").returncode, 0)
        (self.deps / "mirror/p/a.deb").unlink()
        done = self.deb("right", mirror=None)
        self.assertEqual((done.returncode, (self.deps / "cache/a.deb").read_text()), (0, "right"), done.stderr)

    def test_a_package_that_no_archive_has_with_its_hash_is_an_error_that_names_them(self):
        done = self.deb("right", mirror="wrong", next=None)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"cannot fetch a.deb with the pinned hash from copy://{self.deps}/mirror/ copy://{self.deps}/next/", done.stderr)
        self.assertFalse((self.deps / "cache/a.deb").exists())

    def system(self, mode, release, python="import sys; sys.exit(0)"):
        (self.deps / "os-release").write_text(release)
        return self.shell(f"os_release={self.deps}/os-release; debian_python=/none; known_system '{mode}'; echo goes on")

    def test_the_system_is_looked_at_before_anything_is_fetched(self):
        for release, mode, code, said in (
                ("ID=debian\nVERSION_ID=\"12\"\n", "--demo", 0, "goes on"), ("ID=debian\nVERSION_ID=\"13\"\n", "--demo", 0, "goes on"),
                ("ID=debian\nVERSION_ID=\"12\"\n", "--test", 0, "goes on"),
                ("ID=debian\nVERSION_ID=\"13\"\n", "--test", 1, "the tests need Debian 12 (Python 3.11, clang 14); this is debian 13"),
                ("ID=ubuntu\nVERSION_ID=\"24.04\"\n", "--demo", 0, "this is ubuntu 24.04: set-up was tried on Debian 12 and 13"),
                ("ID=ubuntu\nVERSION_ID=\"24.04\"\n", "--test", 1, "the tests need Debian 12")):
            done = self.system(mode, release)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(said, done.stdout + done.stderr)

    def test_without_apt_it_says_what_to_install(self):
        bare = self.deps / "bin"
        bare.mkdir()
        for tool in ("bash", "uname"):
            (bare / tool).symlink_to(subprocess.check_output(["which", tool], text=True).strip())
        (self.deps / "os-release").write_text("ID=fedora\nVERSION_ID=42\n")
        done = self.shell(f"os_release={self.deps}/os-release; known_system --demo", PATH=str(bare))
        self.assertEqual(done.returncode, 1)
        self.assertIn("this system (fedora 42) has no apt", done.stderr)
        self.assertIn("a-package another", done.stderr)

    def test_what_the_demo_prints_can_be_pasted(self):
        demo = (ROOT / "script/demo").read_text()
        words = ["build/edgeprobe", "crop(center, 0.875) | color(bgr)", "", 'x"y$z`', "\\", "a=1,b:/c.d", "two\nlines", "*"]
        quoted = demo[demo.index("quoted() {"):demo.index("# expect ")]
        printed = subprocess.run(["bash", "-c", quoted + 'quoted "$@"', "bash", *words], capture_output=True, text=True, check=True).stdout
        read = subprocess.run(["bash", "-c", "printf '%s\\0'" + printed], capture_output=True, text=True, check=True).stdout
        self.assertEqual(read.split("\0")[:-1], words)
        self.assertIn(' build/edgeprobe "crop(center, 0.875) | color(bgr)"', printed)

    def test_setup_looks_before_it_installs(self):
        text = (ROOT / "script/setup").read_text()
        self.assertLess(text.index("known_system"), text.index("\ninstall_packages "))


if __name__ == "__main__":
    unittest.main(verbosity=2)
