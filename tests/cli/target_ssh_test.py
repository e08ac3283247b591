# SPDX-License-Identifier: Apache-2.0
"""--target ssh://HOST with Debian's sshd: the program is pushed once, the verdict is the local one, no file remains, and each refusal is a sentence.
adb is a stand-in."""
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

import sshd
import tool
from processes import wait_for
from tool import MODELS, PATIENCE, RECIPE, run

FLOAT = MODELS / "signs_float.tflite"
DATA = ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv", "--frames", 20]


def processes_below(folder):
    """The processes that run a program of this folder."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            # In a chroot the path from another mount namespace begins outside of it.
            if str(folder) in os.readlink(process / "exe"):
                found.append(int(process.name))
        except OSError:  # It has ended, or is another user's.
            pass
    return found


class TargetTest(tool.ToolTest):
    def command(self, *flags):
        return ["run", FLOAT, "--recipe", RECIPE, *DATA, "--trace", self.folder / "t.mcap", *flags]

    def nothing_left(self, cache):
        self.assertTrue(wait_for(lambda: not processes_below(cache)), processes_below(cache))
        for path in (cache / "edgeprobe" / "target").glob("*/*"):
            self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), path.parent.name, path)


@unittest.skipIf(sshd.missing(), sshd.missing())
class Ssh(TargetTest):
    def setUp(self):
        super().setUp()
        self.sshd = sshd.Sshd(self.folder)
        self.addCleanup(self.sshd.__exit__)

    def logins(self):
        return (self.sshd.folder / "log").read_text().count("Accepted publickey")

    def pushed(self):
        return sorted(path.name for path in (self.sshd.home / "edgeprobe" / "target").glob("*/*"))

    def refused(self, *flags, code=1, environment=None):
        outcome = run(*self.command(*flags), env=environment or self.sshd.environment, expect=code)
        self.assertFalse((self.folder / "t.mcap").exists())
        return outcome.err

    def test_the_verdict_is_that_of_here_and_files_travel_once(self):
        common = ["check", FLOAT, "--recipe", RECIPE.replace("color(rgb)", "color(bgr)"), "--reference", FLOAT, "--reference-recipe", RECIPE, *DATA]
        here = run(*common, expect=3)
        for logins in (4, 5):  # Logins for the missing files, the program, the library and the run; the next time, only for the run.
            there = run(*common, "--target", self.sshd.target, env=self.sshd.environment, expect=3)
            self.assertEqual(here.out, there.out)
            self.assertEqual(self.logins(), logins)
        self.assertEqual(self.pushed(), ["edgeprobe", "libLiteRt.so"])
        self.nothing_left(self.sshd.home)
        # A file that is incomplete, because of a full disk or a power loss, is sent again.
        with open(next(self.sshd.home.glob("edgeprobe/target/*/libLiteRt.so")), "r+b") as file:
            file.truncate(1000)
        run(*self.command("--target", self.sshd.target), env=self.sshd.environment, expect=0)
        self.nothing_left(self.sshd.home)

    def test_nothing_is_left_when_the_host_is_interrupted_or_killed(self):
        for ending, code in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
            running = subprocess.Popen([tool.EXECUTABLE, "bench", FLOAT, "--target", self.sshd.target, "--duration", str(PATIENCE)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.sshd.environment)
            self.assertTrue(wait_for(lambda: len(processes_below(self.sshd.home)) >= 2))
            time.sleep(0.5)
            running.send_signal(ending)
            self.assertEqual(running.wait(timeout=PATIENCE), code)
            self.nothing_left(self.sshd.home)

    def test_half_of_a_file_is_removed_when_the_host_is_killed(self):
        parts = lambda: list(self.sshd.home.glob("edgeprobe/target/*/.part.*"))
        # An incomplete file exists only for a short time; if the test misses it, the test begins again.
        for _ in range(20):
            running = subprocess.Popen([tool.EXECUTABLE, *map(str, self.command("--target", self.sshd.target, "--force"))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.sshd.environment)
            wait_for(lambda: parts() or running.poll() is not None, pause=0.002)
            if running.poll() is None:
                break
            shutil.rmtree(self.sshd.home / "edgeprobe")
        self.assertIsNone(running.poll(), "no half of a file was seen")
        running.kill()
        running.wait()
        self.assertTrue(wait_for(lambda: not parts()))
        self.nothing_left(self.sshd.home)
        # The remote shell removes the file first and its folder afterwards.
        folders = lambda: len(list(self.sshd.home.glob("edgeprobe/target/*")))
        self.assertTrue(wait_for(lambda: folders() == len(self.pushed())), folders())

    def test_a_connection_that_is_cut_is_made_again(self):
        run(*self.command("--target", self.sshd.target), env=self.sshd.environment, expect=0)
        running = subprocess.Popen([tool.EXECUTABLE, "bench", FLOAT, "--target", self.sshd.target, "--duration", "5"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.sshd.environment)
        self.assertTrue(wait_for(lambda: len(processes_below(self.sshd.home)) >= 2))
        time.sleep(1.5)
        sessions = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.sshd.process.pid)], capture_output=True, text=True).stdout.split()
        self.assertTrue(sessions)
        for pid in sessions:
            os.kill(int(pid), signal.SIGKILL)
        out, err = running.communicate(timeout=PATIENCE)
        self.assertEqual(running.returncode, 0, out + err)
        self.nothing_left(self.sshd.home)

    def test_what_ssh_refuses_is_told_in_its_words(self):
        user, _, port = self.sshd.target.rpartition(":")
        self.assertIn("Connection refused", self.refused("--target", user + ":1"))
        (self.folder / "bin").mkdir()
        self.assertIn("openssh-client", self.refused("--target", self.sshd.target, environment={**os.environ, "PATH": str(self.folder / "bin")}))
        self.sshd.write_client(UserKnownHostsFile="/dev/null")
        self.assertIn("Host key verification failed.; connect once", self.refused("--target", self.sshd.target))
        self.sshd.write_client(IdentityFile=self.sshd.folder / "host")
        self.assertIn("ssh-copy-id", self.refused("--target", self.sshd.target))
        self.assertEqual(self.pushed(), [])

    def test_files_for_another_machine_are_refused_before_they_travel(self):
        other = bytearray(pathlib.Path(tool.EXECUTABLE).read_bytes()[:4096])
        other[18:20] = b"\xb7\0"  # The machine number of aarch64.
        (self.folder / "other").write_bytes(other)
        at = ["--target", self.sshd.target]
        self.assertIn("is built for aarch64, and ssh://", self.refused(*at, "--target-program", self.folder / "other"))
        self.assertIn("name the one for it by --engine litert:FILE", self.refused(*at, "--engine", f"litert:{self.folder / 'other'}"))
        self.assertIn("has no ELF header", self.refused(*at, "--target-program", MODELS / "signs.recipe", code=2))
        self.assertIn("nowhere", self.refused(*at, "--target-program", self.folder / "nowhere"))
        self.assertIn("nowhere.so", self.refused(*at, "--engine", f"litert:{self.folder / 'nowhere.so'}"))
        self.assertIn("more than one file", self.refused(*at, "--engine", "openvino"))
        self.assertIn("does not run there", self.refused(*at, "--target-program", "/bin/false"))
        self.assertIn("--target-program requires --target", self.refused("--target-program", "/bin/false", code=2))
        self.assertIn("expected tcp://HOST:PORT", self.refused("--target", "tcp://127.0.0.1:1", "--target-program", "/bin/false", code=2))
        self.nothing_left(self.sshd.home)


@unittest.skipIf(sshd.missing(), sshd.missing())
class Disk(TargetTest):
    def test_no_place_there_is_told(self):
        with sshd.Sshd(self.folder, environment={"XDG_CACHE_HOME": "/dev/null"}) as server:
            self.assertIn("Not a directory", run(*self.command("--target", server.target), env=server.environment, expect=1).err)

    @unittest.skipUnless(os.getuid() == 0, "a small disk needs root")
    def test_no_room_there_is_told(self):
        with sshd.Sshd(self.folder, small_disk=True) as server:
            outcome = run(*self.command("--target", server.target), env=server.environment, expect=1)
        self.assertIn("No space left on device; make room there", outcome.err)


class Adb(TargetTest):
    def test_a_device_behind_the_stand_in_runs_what_is_pushed(self):
        folder = self.folder / "bin"
        folder.mkdir()
        (folder / "adb").write_text(f"#!/bin/sh\nexec '{sys.executable}' '{pathlib.Path(__file__).with_name('stand_in_adb.py')}' \"$@\"\n")
        (folder / "adb").chmod(0o755)
        cache = self.folder / "cache"
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(cache), "STAND_IN_SERIAL": "emulator-5554"}
        run(*self.command("--target", "adb:emulator-5554"), env=environment, expect=0)
        here = self.folder / "here.mcap"
        run("run", FLOAT, "--recipe", RECIPE, *DATA, "--trace", here, expect=0)
        run("compare", here, self.folder / "t.mcap", expect=0)
        self.nothing_left(cache)
        outcome = run(*self.command("--target", "adb:0123"), env=environment, expect=1)
        self.assertIn("device '0123' not found", outcome.err)


if __name__ == "__main__":
    tool.main()
