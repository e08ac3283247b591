# SPDX-License-Identifier: Apache-2.0
"""Checks recovered files with the official reader: read_recovered.py ORIGINAL FOLDER

FOLDER contains N.mcap, recovered from the first N bytes of ORIGINAL. Each must be a finished file with exactly the messages
of the original's chunks that end at or before N, in their order, byte for byte."""
import io
import pathlib
import struct
import sys

from mcap.data_stream import ReadDataStream
from mcap.reader import make_reader
from mcap.records import Chunk, Message
from mcap.stream_reader import get_chunk_data_stream

original = pathlib.Path(sys.argv[1]).read_bytes()
chunks = []  # (end offset, messages)
topics = {}
with open(sys.argv[1], "rb") as file:
    for schema, channel, _ in make_reader(file).iter_messages():
        topics[channel.id] = channel.topic
at = 8
while at + 9 <= len(original):
    opcode, length = struct.unpack_from("<BQ", original, at)
    if opcode == 0x0F:
        break
    if opcode == 0x06:
        chunk = Chunk.read(ReadDataStream(io.BytesIO(original[at + 9 : at + 9 + length])))
        stream, size = get_chunk_data_stream(chunk, validate_crc=True)
        data = stream.read(size)
        found, next = [], 0
        while next < len(data):
            op, n = struct.unpack_from("<BQ", data, next)
            if op == 0x05:
                m = Message.read(ReadDataStream(io.BytesIO(data[next + 9 : next + 9 + n])), n)
                found.append((topics[m.channel_id], m.sequence, m.log_time, m.publish_time, m.data))
            next += 9 + n
        chunks.append((at + 9 + length, found))
    at += 9 + length

checked, right = 0, set()
for path in sorted(pathlib.Path(sys.argv[2]).iterdir(), key=lambda p: int(p.stem)):
    cut = int(path.stem)
    expected = [m for end, messages in chunks if end <= cut for m in messages]
    content = path.read_bytes()
    # A file with equal contents and expectations was checked already.
    same = (content, len(expected), cut < len(original))
    if same in right:
        checked += 1
        continue
    with io.BytesIO(content) as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        got = [(c.topic, m.sequence, m.log_time, m.publish_time, m.data)
               for _, c, m in reader.iter_messages(log_time_order=False)]
        names = [m.name for m in reader.iter_metadata()]
    assert summary is not None, f"{cut}: no summary"
    assert summary.statistics.message_count == len(expected), f"{cut}: statistics"
    assert got == expected, f"{cut}: {len(got)} messages, expected {len(expected)}"
    assert ("edgeprobe.recovered" in names) == (cut < len(original)), f"{cut}: {names}"
    right.add(same)
    checked += 1
print(checked, sum(len(m) for _, m in chunks))
