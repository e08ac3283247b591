# SPDX-License-Identifier: Apache-2.0
"""trace receive: its sources, endings, warnings and exit codes, with a device written in Python from the page only."""
import fcntl
import json
import os
import pathlib
import pty
import socket
import subprocess
import sys
import termios
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]
try:
    import numpy as np
    import mcap.reader  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}; script/setup --test installs it")
    sys.exit(77)
import tool
import wire
from processes import interrupt, wait_for
from received import Trace
from tool import run

LINE = wire.small_recording()


class ReceiveVerb(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out.mcap"
        self.file = self.folder / "uart.bin"
        self.file.write_bytes(LINE)

    def check_trace(self, frames=3):
        trace = Trace(self.out)
        self.assertEqual(sorted(trace.records), list(range(frames)))
        for n in range(frames):
            self.assertEqual(trace.records[n], {"sample": f"s{n}.png", "label": n, "latency_ns": 1234})
            np.testing.assert_array_equal(trace.tensors[n, "/model_input/image"].ravel(), np.arange(n, n + 16))
            np.testing.assert_array_equal(trace.tensors[n, "/model_output/scores"], np.float32([[n, 0.5, -1]]))
        self.assertEqual(trace.channels["/model_input/image"]["scale"], "0.5")
        self.assertEqual(trace.channels["/model_input/image"]["zero_point"], "-1")
        self.assertEqual(trace.times[1] - trace.times[0], 1_000_000)
        self.assertNotIn("edgeprobe.dropped", trace.metadata)
        run("trace", "verify", self.out, expect=0)

    def test_a_file(self):
        done = run("trace", "receive", self.file, "-o", self.out, "--json", expect=0)
        told = json.loads(done.out)
        self.assertEqual((told["frames"], told["ended"], told["lost_packets"], told["warnings"]), (3, "goodbye", 0, []))
        self.assertEqual(done.err, "")
        self.check_trace()

    def test_standard_input(self):
        done = subprocess.run([tool.EXECUTABLE, "trace", "receive", "-", "-o", self.out], input=LINE, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"3 frames on 2 channels", done.stdout)
        self.check_trace()

    def serve(self, server):
        def work():
            client, _ = server.accept()
            for at in range(0, len(LINE), 100):
                client.sendall(LINE[at:at + 100])
            received.wait()  # the sender does not close the line: its goodbye ends the reception
            client.close()

        received = threading.Event()
        self.addCleanup(received.set)
        threading.Thread(target=work, daemon=True).start()

    def test_tcp(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.serve(server)
            run("trace", "receive", f"tcp:127.0.0.1:{server.getsockname()[1]}", "-o", self.out, expect=0)
        self.check_trace()

    def test_unix_socket(self):
        path = self.folder / "line"
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
            server.listen()
            self.serve(server)
            run("trace", "receive", f"unix:{path}", "-o", self.out, expect=0)
            self.assertIn(f"unix:{path}", run("trace", "receive", path, "-o", self.folder / "b.mcap", expect=2).err)
        self.check_trace()

    def test_a_serial_device_is_made_raw_and_set_back(self):
        ours, theirs = pty.openpty()
        before = termios.tcgetattr(theirs)
        self.assertTrue(before[3] & termios.ICANON)
        process = subprocess.Popen([tool.EXECUTABLE, "trace", "receive", os.ttyname(theirs), "--baud", "921600", "-o", self.out],
                                   stderr=subprocess.PIPE)
        wait_for(lambda: not termios.tcgetattr(theirs)[3] & termios.ICANON)
        self.assertEqual(termios.tcgetattr(theirs)[4:6], [termios.B921600] * 2)
        os.write(ours, LINE)
        self.assertEqual(process.wait(tool.PATIENCE), 0, process.stderr.read())
        self.assertTrue(termios.tcgetattr(theirs)[3] & termios.ICANON)
        process.stderr.close()
        self.check_trace()
        self.assertIn("--baud 12345 is not supported", run("trace", "receive", os.ttyname(theirs), "--baud", 12345, "-o", self.folder / "b", expect=2).err)
        os.close(ours), os.close(theirs)

    def test_interrupt_finishes_the_trace(self):
        reader, writer = os.pipe()
        process = subprocess.Popen([tool.EXECUTABLE, "trace", "receive", "-", "-o", self.out], stdin=reader, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        last = list(wire.packets(LINE))[-1]
        os.write(writer, LINE[:last[0]])
        # The program has read everything from the pipe.
        waiting = lambda: int.from_bytes(fcntl.ioctl(reader, termios.FIONREAD, bytes(4)), sys.byteorder)
        self.assertTrue(wait_for(lambda: not waiting()))
        interrupt(process)
        out, err = process.communicate(timeout=tool.PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn(b"3 frames", out)
        self.check_trace()
        os.close(reader), os.close(writer)

    def test_frames_and_timeout_end_it(self):
        run("trace", "receive", self.file, "-o", self.out, "--frames", 2, expect=0)
        self.check_trace(2)
        reader, writer = os.pipe()
        os.write(writer, LINE[:-20])
        done = subprocess.run([tool.EXECUTABLE, "trace", "receive", "-", "-o", self.out, "--timeout", "0.5", "--force", "--json"], stdin=reader,
                              capture_output=True, timeout=tool.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["ended"], "timeout")
        self.check_trace()
        os.close(reader), os.close(writer)

    def test_a_lost_packet_is_told_and_costs_one_tensor(self):
        pieces = list(wire.packets(LINE))
        lost = next(i for i, (_, _, packet) in enumerate(pieces) if packet[5] == 5)  # the first tensor
        self.file.write_bytes(b"".join(p[1] for i, p in enumerate(pieces) if i != lost))
        done = run("trace", "receive", self.file, "-o", self.out, "--json", expect=0)
        told = json.loads(done.out)
        self.assertEqual((told["lost_packets"], told["incomplete_frames"], told["missing_messages"]), (1, 1, 1))
        self.assertIn("1 packet was lost", done.err)
        self.assertIn("frame 0: 1 of 2", done.err)
        trace = Trace(self.out)
        self.assertEqual(trace.records[0]["dropped"], 1)
        self.assertNotIn((0, "/model_input/image"), trace.tensors)
        self.assertIn((0, "/model_output/scores"), trace.tensors)
        self.assertEqual({k: v for k, v in trace.metadata["edgeprobe.dropped"].items() if k != "crc32"}, {"frames": "0", "messages": "1"})

    def test_no_frame_is_a_failure_and_leaves_no_file(self):
        for data, word in ((b"", "not a single byte"), (b"\0hello\0world\0" * 50, "baud"), (LINE[:30], "no frame")):
            self.file.write_bytes(data)
            self.assertIn(word, run("trace", "receive", self.file, "-o", self.out, expect=1).err)
            self.assertFalse(self.out.exists())

    def test_wrong_use(self):
        self.out.write_bytes(b"mine")
        self.assertIn("exists", run("trace", "receive", self.file, "-o", self.out, expect=2).err)
        self.assertEqual(self.out.read_bytes(), b"mine")
        other = self.folder / "b.mcap"
        for source, code in ((self.folder, 2), (self.folder / "no", 1), ("tcp:nowhere", 2), ("tcp:127.0.0.1:1", 1), ("unix:", 2),
                             ("unix:" + "x" * 200, 2), (f"unix:{self.folder}/no", 1)):
            self.assertIn("edgeprobe: '", run("trace", "receive", source, "-o", other, expect=code).err)
        run("trace", "receive", self.file, "-o", other, "--frames", 0, expect=2)
        run("trace", "receive", self.file, "-o", other, "--timeout", "-1", expect=2)
        run("trace", "receive", self.file, "-o", self.file, "--force", expect=2)
        run("trace", "receive", self.file, "-o", self.folder / "no" / "b.mcap", expect=1)
        self.assertEqual(self.file.read_bytes(), LINE)

    def test_other_verbs_read_it(self):
        run("trace", "receive", self.file, "-o", self.out, expect=0)
        self.assertIn("model_input", run("trace", "info", self.out, expect=0).out)
        self.assertIn("0 0.5 -1", run("trace", "cat", self.out, "--frame", 0, "--tensor", "scores", expect=0).out)
        run("trace", "export", self.out, "--npz", self.folder / "o.npz", expect=0)


if __name__ == "__main__":
    tool.main()
