# SPDX-License-Identifier: Apache-2.0
"""The protocol of docs/guides/microcontroller.md, written only from that page: an encoder, and packets extracted from a recording."""
import struct
import zlib

PART = 228


def cobs(data):
    out, start = bytearray(), 0
    for zero in [i for i, b in enumerate(data) if b == 0] + [len(data)]:
        out += bytes([zero - start + 1]) + data[start:zero]
        start = zero + 1
    return bytes(out)


def uncobs(piece):
    out, at = bytearray(), 0
    while at < len(piece):
        code = piece[at]
        out += piece[at + 1:at + code]
        at += code
        if at < len(piece):
            out.append(0)
    return bytes(out)


class Device:
    """Packs messages; `line` contains the transmitted bytes."""

    def __init__(self):
        self.line, self.number = b"", 0

    def send(self, kind, body=b""):
        message = bytes([kind]) + body
        if len(message) > PART:
            message += struct.pack("<I", zlib.crc32(message))
        parts = [message[i:i + PART] for i in range(0, len(message), PART)]
        for i, part in enumerate(parts):
            packet = struct.pack("<IB", self.number, (i == 0) | (i == len(parts) - 1) << 1) + part
            self.line += b"\0" + cobs(packet + struct.pack("<I", zlib.crc32(packet))) + b"\0"
            self.number += 1
        return message

    def hello(self, frame=0, dropped=0, run=0):
        self.send(1, struct.pack("<BIII", 1, run, frame, dropped))

    def channel(self, number, name, stage, dtype, shape, scale=(), zero=(), axis=0, position=-1, fmt=0):
        """The checksum that its tensors carry."""
        body = struct.pack("<HBBBBBBhHHH", number, stage, dtype, fmt, len(shape), 0, axis, position, 0, len(scale), len(zero))
        body += struct.pack(f"<{len(shape)}i{len(scale)}f{len(zero)}i", *shape, *scale, *zero) + name.encode() + b"\0\0"
        return zlib.crc32(bytes([3]) + body) if self.send(3, body) else None

    def frame(self, number, time_ns=0, dropped=0):
        self.send(4, struct.pack("<IQI", number, time_ns, dropped))

    def tensor(self, frame, channel, check, values):
        self.send(5, struct.pack("<IHI", frame, channel, check) + values)

    def answer(self, frame, name, message):
        """`message`: docs/reference/trace-format.md, "Answers"."""
        self.send(12, struct.pack("<I", frame) + name.encode() + b"\0" + message)

    def frame_end(self, number, messages, label=None, latency=None, sample=""):
        flags = (label is not None) | (latency is not None) << 1
        self.send(8, struct.pack("<IIBiQ", number, messages, flags, label or 0, latency or 0) + sample.encode())

    def goodbye(self, frames, dropped=0):
        self.send(9 + 2, struct.pack("<II", frames, dropped))


def packets(line):
    """(offset, bytes on the wire, packet) of each packet of a clean recording."""
    at = 0
    while at < len(line):
        end = line.index(b"\0", at + 1) + 1
        yield at, line[at:end], uncobs(line[at + 1:end - 1])
        at = end


def small_recording():
    """Three frames of a model with one input and one output."""
    device = Device()
    device.hello()
    image = device.channel(0, "image", 2, 4, (1, 4, 4, 1), scale=(0.5,), zero=(-1,), position=0)
    scores = device.channel(1, "scores", 4, 0, (1, 3), position=0)
    for number in range(3):
        device.frame(number, time_ns=1 + number * 1_000_000)
        device.tensor(number, 0, image, bytes(range(number, number + 16)))
        device.tensor(number, 1, scores, struct.pack("<3f", number, 0.5, -1))
        device.frame_end(number, 2, label=number, latency=1234, sample=f"s{number}.png")
    device.goodbye(3)
    return device.line


if __name__ == "__main__":
    import sys
    sys.stdout.buffer.write(small_recording())
