# SPDX-License-Identifier: Apache-2.0
"""Reads a trace from a pipe with the official reader, record by record, and prints the number of messages of each topic."""
import collections
import sys

from mcap.records import Channel, Footer, Message
from mcap.stream_reader import StreamReader

with open(sys.argv[1], "rb") as stream:
    assert not stream.seekable(), "a pipe is wanted"
    topics, counts, last = {}, collections.Counter(), None
    for record in StreamReader(stream, validate_crcs=True).records:
        if isinstance(record, Channel):
            topics[record.id] = record.topic
        elif isinstance(record, Message):
            counts[topics[record.channel_id]] += 1
        last = record
assert isinstance(last, Footer), last
for topic, count in sorted(counts.items()):
    print(topic, count)
print("finished")
