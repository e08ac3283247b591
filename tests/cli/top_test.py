# SPDX-License-Identifier: Apache-2.0
"""`trace top` follows a growing file, and reads a file that was truncated at any position."""
import json
import subprocess
import time

from mcap.writer import CompressionType, Writer

import tool
from tool import run

START = 1_700_000_000_000_000_000
FRAMES = 200


def recording(path):
    """200 frames, 10 a second, of a scalar and a sensor, in many chunks."""
    with open(path, "wb") as out:
        w = Writer(out, compression=CompressionType.NONE, chunk_size=1000)
        w.start(profile="edgeprobe", library="test")
        w.add_metadata("edgeprobe.run", {"level": "layers"})
        lux = w.register_channel("/variable/lux", "x-tensor", 0, {"dtype": "float32", "shape": ""})
        record = w.register_channel("/frame", "json", 0, {})
        sensor = w.register_channel("/sensor/gyroscope", "json", 0, {})
        level = w.register_channel("/level", "json", 0, {})
        for frame in range(FRAMES):
            now = START + frame * 100_000_000
            for channel, data in ((lux, b"\0\0\x20\x41"), (record, b'{"latency_ns":%d}' % (1_000_000 + frame * 10_000)), (sensor, b'{"values":[0.25,%d],"unit":"rad/s"}' % frame)):
                w.add_message(channel, log_time=now, publish_time=now, sequence=frame, data=data)
        w.add_message(level, log_time=START, publish_time=START, sequence=0, data=b'{"from":"layers","to":"io","reason":"time"}')
        w.finish()


class TopTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.whole = self.folder / "whole.mcap"
        recording(self.whole)

    def test_once_shows_what_is_there(self):
        out = run("trace", "top", self.whole, "--once", expect=0).out
        self.assertIn("finished, level io", out)
        self.assertIn("frames    200 in 19.9 s, 10 a second", out)
        self.assertIn("median 2 ms, 95 % 2.89 ms, longest 2.99 ms (last 200 frames)", out)
        self.assertIn("lux   10\n", out)
        self.assertIn("gyroscope   0.25 199 rad/s", out)
        self.assertIn("level layers to io: time", out)

    def test_follows_a_file_that_grows(self):
        data, growing = self.whole.read_bytes(), self.folder / "growing.mcap"
        growing.write_bytes(data[:5000])
        process = subprocess.Popen([tool.EXECUTABLE, "trace", "top", growing, "--interval", "0.1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            with open(growing, "ab") as file:
                for at in range(5000, len(data), 3777):  # never at the end of a record
                    file.write(data[at:at + 3777])
                    file.flush()
                    time.sleep(0.02)
            out, err = process.communicate(timeout=tool.PATIENCE)
        finally:
            process.kill()
        self.assertEqual((process.returncode, err), (0, ""))
        self.assertEqual(out, run("trace", "top", self.whole, "--once", expect=0).out.replace(str(self.whole), str(growing)))

    def test_an_unfinished_file_is_shown_as_far_as_it_goes(self):
        cut = self.folder / "cut.mcap"
        cut.write_bytes(self.whole.read_bytes()[:9001])
        out = run("trace", "top", cut, "--once", expect=0).out
        self.assertIn("recording, level layers", out)
        self.assertRegex(out, r"frames    \d+ in")

    def test_a_frame_whose_record_has_not_come_counts_as_in_info(self):
        """The chunk with a frame's tensors exists; the chunk with its record is missing."""
        path, cut = self.folder / "t.mcap", self.folder / "cut.mcap"
        ends = []
        with open(path, "wb") as out:
            w = Writer(out, compression=CompressionType.NONE, chunk_size=100)
            w.start(profile="edgeprobe", library="test")
            channel = w.register_channel("/layer/a", "x-tensor", 0, {"dtype": "uint8", "shape": "200"})
            record = w.register_channel("/frame", "json", 0, {})
            for frame in (0, 1, 3, 2):  # frames may end in another order than they began
                for to, data in ((channel, bytes(200)), (record, b'{"label":0,"sample":"' + b"a" * 200 + b'"}')):
                    w.add_message(to, log_time=START + frame, publish_time=START, sequence=frame, data=data)
                    ends.append(out.tell())
            w.finish()
        data = path.read_bytes()
        for end, frames, unfinished in ((ends[-2], 4, 1), (ends[-3], 3, 0), (ends[2], 2, 1)):
            cut.write_bytes(data[:end])
            said = f"{frames}, 1 unfinished" if unfinished else f"{frames}"
            self.assertRegex(run("trace", "top", cut, "--once", expect=0).out, rf"frames    {said}( in .*)?\n")
            self.assertRegex(run("trace", "info", cut, expect=0).out, rf"frames    {said}(, \d+ with .*)?\n")
            info = json.loads(run("trace", "info", cut, "--json", expect=0).out)
            self.assertEqual((info["frames"], info["unfinished_frames"]), (frames, unfinished))
        self.assertIn("frames    4, 4 with", run("trace", "info", path, expect=0).out)
        self.assertNotIn("unfinished", run("trace", "top", path, "--once", expect=0).out)

    def test_a_damaged_file_is_refused(self):
        data = bytearray(self.whole.read_bytes())
        data[4000] ^= 1
        damaged = self.folder / "damaged.mcap"
        damaged.write_bytes(data)
        self.assertIn("damaged", run("trace", "top", damaged, "--once", expect=1).err)


if __name__ == "__main__":
    tool.main()
