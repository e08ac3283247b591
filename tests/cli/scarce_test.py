# SPDX-License-Identifier: Apache-2.0
"""A check with little memory, one busy CPU or a low priority is slower, and its verdict the same; without enough memory it says so and keeps its frames."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import processes
import tool
from tool import MODELS, RECIPE, run

PICTURES = sorted((MODELS / "data" / "test").rglob("*.jpg"))
BGR = RECIPE.replace("color(rgb)", "color(bgr)")


def memory_group():
    """A new control group for memory with the name of the file that limits it, or the reason why there is none."""
    for root, limit in (pathlib.Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"), (pathlib.Path("/sys/fs/cgroup"), "memory.max"):
        with contextlib.suppress(OSError):
            group = pathlib.Path(tempfile.mkdtemp(prefix="edgeprobe_test_", dir=root))
            if (group / limit).exists():
                return group, limit
            group.rmdir()
    return None, "no control group for memory can be made here"


class ScarceTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.data.mkdir()
        for i in range(24):
            shutil.copy(PICTURES[i * len(PICTURES) // 24], self.data / f"{i:03}.jpg")

    def check(self, expect=3, **more):
        done = run("check", MODELS / "signs_float.tflite", "--recipe", BGR, "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, "--data",
                   self.data, "--json", expect=expect, **more)
        return json.loads(done.out) if done.out else None, done.err

    def test_a_low_priority_beside_a_busy_neighbour_changes_no_verdict(self):
        cpu = sorted(os.sched_getaffinity(0))[:1]
        busy = subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, cpu))
        try:
            scarce = self.check(preexec_fn=lambda: (os.sched_setaffinity(0, cpu), os.nice(5)))
        finally:
            busy.kill()
            busy.wait()
        self.assertEqual(scarce[0], self.check()[0])

    def in_group(self, limit, **more):
        group, file = memory_group()
        if not group:
            raise unittest.SkipTest(file)
        try:
            (group / file).write_text(str(limit))
            return self.check(preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())), **more)
        finally:
            processes.wait_for(lambda: not (group / "cgroup.procs").read_text())
            group.rmdir()

    def test_little_memory_changes_no_verdict(self):
        self.assertEqual(self.in_group(200 << 20)[0], self.check()[0])

    def test_whatever_the_limit_no_other_verdict(self):
        """With too little memory: an error and the frames before it, or (if the program itself does not fit) nothing."""
        whole = self.check()[0]
        for limit in 18, 32:
            report, err = self.in_group(limit << 20, expect={1, 3, -9})
            if report and report["coverage"]["cut_short"]:
                self.assertIn("edgeprobe: ", err)
            elif report:
                self.assertEqual(report, whole)

    def test_engine_processes_go_first_without_memory(self):
        check = subprocess.Popen([tool.EXECUTABLE, "check", MODELS / "signs_float.tflite", "--recipe", BGR, "--reference", MODELS / "signs_float.tflite",
                                  "--reference-recipe", RECIPE, "--data", self.data], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(check.wait)

        def value_of(process):
            with contextlib.suppress(OSError):
                return pathlib.Path(f"/proc/{process}/oom_score_adj").read_text().strip()

        own = value_of(check.pid)
        seen = processes.wait_for(lambda: "1000" in map(value_of, processes.children(check.pid)) and "1000" or check.poll() is not None and "its end")
        self.assertEqual(seen, "1000")
        self.assertNotEqual(own, "1000")


if __name__ == "__main__":
    tool.main()
