# SPDX-License-Identifier: Apache-2.0
"""--target over a cable of 20 ms that is cut: the run finishes with every answer, in order, even if frames were in flight."""
import json
import subprocess
import time
import unittest

from mcap.reader import make_reader

import cable
import tool
from processes import interrupt, wait_for
from tool import MODELS, PATIENCE, RECIPE, run

INT8 = MODELS / "signs_int8.tflite"
FRAMES = 120
PICTURE = 64 * 64 * 3  # Bytes.
PORT = 12345


def recording(trace, *flags):
    return ["run", INT8, "--recipe", RECIPE + " | quantize(model)", "--data", MODELS / "data" / "test", "--frames", FRAMES, "--trace", trace, *flags]


@unittest.skipIf(cable.missing(), cable.missing())
class Link(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.cable = cable.Cable(delay_s=0.010, bits_per_s=10e6)
        self.addCleanup(self.cable.__exit__)
        self.serve()
        self.target = f"tcp://{cable.DEVICE}:{PORT}"

    def serve(self):
        self.server = subprocess.Popen([*self.cable.inside, tool.EXECUTABLE, "serve", "--listen", f"{cable.DEVICE}:{PORT}", "--insecure", "--quiet"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end_server, self.server)
        self.assertIn("listening", self.server.stdout.readline())

    @staticmethod
    def end_server(server):
        server.kill()
        server.wait()
        server.stdout.close()

    def start(self, trace):
        """A run with frames in flight."""
        running = subprocess.Popen([tool.EXECUTABLE, *map(str, recording(trace, "--target", self.target))], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(running.kill)
        # The model and a fifth of the pictures have been sent.
        sent = INT8.stat().st_size + FRAMES // 5 * PICTURE
        wait_for(lambda: running.poll() is not None or trace.exists() and self.cable.bytes_to_device > sent)
        self.assertIsNone(running.poll(), "the run was over before anything was cut")
        return running

    def equal_to_here(self, trace):
        here = self.folder / "here.mcap"
        run(*recording(here), expect=0)
        compared = json.loads(run("compare", here, trace, "--json", "-", expect=0).out)
        self.assertEqual({layer["rmse"] for layer in compared["layers"]}, {0.0})
        self.assertEqual(compared["frames"]["joined"], FRAMES)

    def test_a_short_cut_and_a_server_that_is_killed_lose_no_frame(self):
        trace = self.folder / "there.mcap"
        running = self.start(trace)
        self.cable.cut(1)
        time.sleep(0.3)
        self.end_server(self.server)
        self.serve()
        out = running.communicate(timeout=PATIENCE)[0]
        self.assertEqual(running.returncode, 0, out)
        self.equal_to_here(trace)

    def test_frames_that_are_finished_are_kept_when_the_host_is_interrupted(self):
        trace = self.folder / "there.mcap"
        running = self.start(trace)
        interrupt(running)
        running.communicate(timeout=PATIENCE)
        self.assertEqual(running.returncode, 130)
        with open(trace, "rb") as file:
            frames = sum(1 for _ in make_reader(file).iter_messages(topics=["/frame"]))
        self.assertGreater(frames, 3)
        self.assertLess(frames, FRAMES)


if __name__ == "__main__":
    cable.enter_own_network()
    tool.main()
