# SPDX-License-Identifier: Apache-2.0
"""The wall clock jumps by hours, or a day in the middle of inferences: a trace's times stay on one clock, and so does everything that waits.

clock_jump_test.py APP SHIM EDGEPROBE; the shim is preloaded, so the application and the library in it see the same wrong time."""
import glob
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from mcap.reader import make_reader

APP, SHIM, TOOL = map(os.path.abspath, sys.argv[1:4])
MODELS = pathlib.Path(__file__).resolve().parent.parent.parent / "models"
MS = 1_000_000
# : Much less than an hour, but more than a busy machine adds to a frame.
FEW_MINUTES = 600_000 * MS


def messages(path):
    """(topic, frame, log time, data) in the order of the file."""
    with open(path, "rb") as file:
        return [(channel.topic, m.sequence, m.log_time, m.data) for _, channel, m in make_reader(file, validate_crcs=True).iter_messages(log_time_order=False)]


class ClockJumpTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="edgeprobe_clock_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "t.mcap"

    def app(self, *options):
        """The application's report on its own clocks and on the file."""
        environment = {**os.environ, "LD_PRELOAD": SHIM, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        done = subprocess.run([APP, self.path, *options], capture_output=True, text=True, timeout=600, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def tool(self, *args):
        done = subprocess.run([TOOL, *map(str, args)], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_times_stay_on_one_clock(self):
        before = time.time_ns()
        said = self.app("frames=400", "jump=100:3600", "jump=300:-7200")
        self.assertEqual(said["off_by"] // 100, -72, "the shim did its work")
        found = messages(self.path)
        records = [(frame, at, json.loads(data)) for topic, frame, at, data in found if topic == "/frame"]
        times = [at for _, at, _ in records]
        self.assertEqual([frame for frame, _, _ in records], list(range(400)))
        self.assertEqual(times, sorted(times))
        lux = [at for topic, _, at, _ in found if topic == "/sensor/lux"]
        self.assertEqual(lux, sorted(lux))
        for _, _, at, _ in found:  # on the wall clock as it was when the recording began
            self.assertGreaterEqual(at, before)
            self.assertLessEqual(at, said["wall"] + said["took"])
        spans = {frame: struct.unpack("<qq", data) for topic, frame, _, data in found if topic == "/span/work"}
        for frame, at, record in records:
            start, duration = spans[frame]
            for name, value in (("latency", record["latency_ns"]), ("span", duration)):
                self.assertTrue(4 * MS <= value < FEW_MINUTES, f"{name} of frame {frame}: {value}")
            self.assertLess(abs(start - at), FEW_MINUTES)
        self.assertLess(sum(record["latency_ns"] for _, _, record in records), said["took"])
        marks = [json.loads(data)["text"] for topic, _, _, data in found if topic == "/mark/clock"]
        self.assertTrue(marks, "the clock is looked at once a second")
        for text in marks:
            self.assertRegex(text, r"^the wall clock jumped \d\S* s (ahead|back); the times of this trace did not$")
        seconds = float(re.search(r"frames    400 in ([\d.]+) s", self.tool("trace", "top", self.path, "--once")).group(1))
        self.assertAlmostEqual(seconds, (times[-1] - times[0]) / 1e9, delta=.006 * seconds)
        self.assertIn("every checksum is right", self.tool("trace", "verify", self.path))

    def test_a_device_that_slept_is_on_the_wall_clock_again(self):
        self.app("frames=600", "sleep=200:3600")
        found = messages(self.path)
        times = {frame: at for topic, frame, at, _ in found if topic == "/frame"}
        self.assertEqual(sorted(times.values()), [times[frame] for frame in range(600)])
        self.assertTrue(3600_000 * MS < times[599] - times[0] < 3600_000 * MS + FEW_MINUTES, times[599] - times[0])
        self.assertLess(times[599] - times[250], FEW_MINUTES)  # it is back within 50 ms
        latencies = [json.loads(data)["latency_ns"] for topic, _, _, data in found if topic == "/frame"]
        self.assertLess(max(latencies), FEW_MINUTES)
        self.assertNotIn("/mark/clock", {topic for topic, *_ in found})

    def test_the_file_is_flushed_by_time(self):
        for jump in ("3600", "-3600"):
            with self.subTest(jump=jump):
                said = self.app("frames=3", f"jump=2:{jump}", "flush_ms=100", "wait_ms=300000")
                self.assertGreater(said["later"], said["written"])
                self.path.unlink()

    def test_a_budget_counts_real_seconds(self):
        # 40 kB per frame of at least 20 ms: at most 2 MB a second. Even a busy machine records three frames in a second.
        for limit, steps in ((4_000_000, 0), (100_000, 1)):
            for jump in ("3600", "-3600"):
                with self.subTest(limit=limit, jump=jump):
                    self.app("frames=40", "floats=10000", "pause_us=10000", f"jump=20:{jump}", f"bytes_per_second={limit}")
                    levels = [json.loads(data) for topic, _, _, data in messages(self.path) if topic == "/level"]
                    self.assertEqual(min(len(levels), 1), steps, levels)
                    self.path.unlink()

    def test_a_share_of_time_is_one_of_real_time(self):
        self.app("frames=60", "jump=30:-3600", "time_share=0.9")
        self.assertNotIn("/level", {topic for topic, *_ in messages(self.path)})
        self.path.unlink()
        self.app("frames=60", "jump=30:3600", "time_share=0.0000001")
        self.assertIn("/level", {topic for topic, *_ in messages(self.path)})

    def test_parts_follow_each_other(self):
        said = self.app("frames=60", "floats=20000", "part_bytes=1000000", "jump=20:3600", "jump=40:-7200")
        parts = sorted(glob.glob(str(self.folder / "t-*.mcap")))
        self.assertGreater(len(parts), 3)
        times = []
        for part in parts:
            self.tool("trace", "info", part)
            times += [at for topic, _, at, _ in messages(part) if topic == "/frame"]
        self.assertEqual(len(times), 60)
        self.assertEqual(times, sorted(times))
        self.assertLess(times[-1] - times[0], said["took"])


    def test_run_has_frames_and_sensors_on_one_clock(self):
        started = time.time_ns()
        done = subprocess.run([TOOL, "run", MODELS / "signs_float.tflite", "--recipe", (MODELS / "signs.recipe").read_text().strip(), "--data",
                               MODELS / "data" / "test", "--frames", "60", "--sensors", "--trace", self.path], capture_output=True, text=True, timeout=600,
                              env={**os.environ, "LD_PRELOAD": SHIM, "CLOCK_SHIM_PERIOD_MS": "7"})
        self.assertEqual(done.returncode, 0, done.stderr)
        found = messages(self.path)
        for pattern in ("/frame", "/sensor/"):
            times = [at for topic, _, at, _ in found if topic.startswith(pattern)]
            self.assertEqual(times, sorted(times), pattern)
        times = [at for _, _, at, _ in found]
        self.assertLess(max(times) - min(times), time.time_ns() - started)


if __name__ == "__main__":
    del sys.argv[1:4]
    unittest.main(verbosity=2)
