# SPDX-License-Identifier: Apache-2.0
"""Nothing remains of a plug-in's processes when any of them is killed, also inside a call that never returns.

ends_test.py EDGEPROBE"""
import os
import pathlib
import signal
import subprocess
import sys

import plugin_test
import numpy as np
import tool
from processes import wait_for
from tool import PATIENCE, ToolTest

ENGINES = plugin_test.HERE / "engines.py"


def is_running(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


class Ends(ToolTest):
    """The engine starts another process, and then computes for long without giving up the interpreter's lock."""

    def start(self):
        model, data = self.folder / "m.aff", self.folder / "x.npz"
        model.write_text("")
        (self.folder / "m.pids").unlink(missing_ok=True)
        np.savez(data, x=np.ones((1, 1), np.float32))
        program = subprocess.Popen([tool.EXECUTABLE, "run", model, "--engine", f"{ENGINES}:Forks", "--data", data, "--trace", self.folder / "t.mcap",
                                    "--time-limit", str(2 * PATIENCE)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(program.stderr.close)
        pids = self.folder / "m.pids"
        self.assertTrue(wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2))
        return program, [int(word) for word in pids.read_text().split()]

    def test_the_program_is_killed(self):
        for _ in range(5):
            program, pids = self.start()
            program.kill()
            program.wait()
            self.assertTrue(wait_for(lambda: not any(map(is_running, pids))), pids)
            (self.folder / "t.mcap").unlink(missing_ok=True)

    def test_the_plugin_is_killed(self):
        for _ in range(5):
            program, pids = self.start()
            os.kill(pids[0], signal.SIGKILL)
            self.assertIn("its process ended with SIGKILL", program.communicate(timeout=PATIENCE)[1])
            self.assertEqual(program.returncode, 1)
            self.assertTrue(wait_for(lambda: not any(map(is_running, pids))), pids)
            (self.folder / "t.mcap").unlink(missing_ok=True)

    def test_a_second_interrupt_ends_all(self):
        program, pids = self.start()
        # Two signals may arrive as one.
        self.assertTrue(wait_for(lambda: program.poll() is not None or program.send_signal(signal.SIGINT)))
        self.assertEqual(program.returncode, 130)
        self.assertTrue(wait_for(lambda: not any(map(is_running, pids))), pids)


if __name__ == "__main__":
    assert sys.version_info >= (3, 11)
    tool.main()
