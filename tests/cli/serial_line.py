# SPDX-License-Identifier: Apache-2.0
"""Serial lines for tests: pseudo-terminals, a pump between two of them, a server on the other side, and Kenning messages with checksums."""
import contextlib
import os
import pty
import select
import signal
import struct
import subprocess
import threading
import time
import tty

import numpy as np

import kenning
import tool
from serve_test import LOGS, recorded
from tool import PATIENCE

HEAD = {"g3": 8, "g4": 12}


def part(generation, number, flags, payload=b"", flow=0):
    """One message of g3 or g4 with its checksum; a second implementation for the test."""
    if generation == "g3":
        head = bytearray(struct.pack("<BBHI", number | flow << 6, 0, flags, len(payload)))
        place = 1
    else:
        head = bytearray(struct.pack("<IBBHI", number, flow << 6, 0, flags, len(payload)))
        place = 5
    checksum = 0x4B
    for byte in bytes(head) + payload:
        checksum ^= byte
    head[place] = checksum
    return bytes(head) + payload


def message(generation, number, payload=b"", flags=0):
    """A request in the form that a client sends on a serial line."""
    if generation == "g2":
        return kenning.frame("g2", number, payload)
    room = 136 - HEAD[generation]
    pieces = [payload[i : i + room] for i in range(0, len(payload), room)] or [b""]
    out = b""
    for i, piece in enumerate(pieces):
        bits = flags | (0x10 if i == 0 else 0) | (0x20 if i == len(pieces) - 1 else 0) | (8 if piece else 0)
        out += part(generation, number, bits, piece)
    return out


class End:
    """A pseudo-terminal; the program under test opens `path`, the test has the other side."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self.path = os.ttyname(self.slave)

    def write(self, data):
        while data:
            data = data[os.write(self.master, data[:1024]) :]

    def read(self, seconds):
        return os.read(self.master, 1 << 16) if select.select([self.master], [], [], seconds)[0] else b""

    def close(self):
        os.close(self.master)
        os.close(self.slave)


class Line:
    """Two pseudo-terminals and a pump between them: `rate` bytes a second, and the changes that it makes in both directions."""

    def __init__(self, rate=None, mangle=None, mangle_back=None):
        self.device, self.host, self.rate, self.mangle, self.stop = End(), End(), rate, mangle, False
        self.threads = [threading.Thread(target=self.pump, args=ends, daemon=True) for ends in ((self.host, self.device, mangle), (self.device, self.host, mangle_back))]
        for thread in self.threads:
            thread.start()

    def pump(self, source, sink, mangle):
        while not self.stop:
            with contextlib.suppress(OSError):
                data = source.read(0.05)
                if data and mangle:
                    data = mangle(data)
                for i in range(0, len(data), 256):
                    # If no process reads, a terminal accepts no more bytes.
                    while not self.stop and not select.select([], [sink.master], [], 0.05)[1]:
                        pass
                    if not self.stop:
                        sink.write(data[i : i + 256])
                    if self.rate:
                        time.sleep(256 / self.rate)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop = True
        for thread in self.threads:
            thread.join()
        self.device.close()
        self.host.close()


class LineServer:
    def __init__(self, path, *flags):
        self.process = subprocess.Popen([tool.EXECUTABLE, "serve", "--listen", f"serial:{path}", *map(str, flags)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on serial:"):
            raise AssertionError(line + self.process.stderr.read())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.log = self.process.communicate(timeout=PATIENCE)[1]
        if self.process.returncode != 0:
            raise AssertionError(f"the server ended with {self.process.returncode}: {self.log}")


def sample(k):
    return (np.arange(192) % 16 / 16 + k).astype("<f4")


def stream_of(path, direction):
    _, events = recorded(path)
    return b"".join(bytes.fromhex(e["hex"]) for e in events if e.get("dir") == direction and "hex" in e)


def recorded_spec(generation):
    """The IO_SPEC of add.bin, as a real client sent it."""
    messages = kenning.split(stream_of(LOGS / generation / "uart-good.jsonl", "c2s"), generation)[0]
    return message(generation, 7, next(m[3] for m in messages if m[0] == 7))


class SerialTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        if not LOGS.exists():
            self.skipTest("no recordings: EDGEPROBE_SHARED_DATA")
