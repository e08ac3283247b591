# SPDX-License-Identifier: Apache-2.0
"""Reads a trace with the official reader and prints its contents, one message per line."""
import hashlib
import sys

from mcap.reader import NonSeekingReader, make_reader
from mcap.records import Chunk, DataEnd, Footer, Message
from mcap.stream_reader import StreamReader

path = sys.argv[1]


def lines(messages):
    return [f"{c.topic} {m.sequence} {m.log_time} {m.publish_time} {hashlib.sha256(m.data).hexdigest()}"
            for _, c, m in messages]


with open(path, "rb") as file:
    reader = make_reader(file, validate_crcs=True)
    indexed = sorted(lines(reader.iter_messages()))
    summary = reader.get_summary()
    metadata = list(reader.iter_metadata())
with open(path, "rb") as file:
    streamed = sorted(lines(NonSeekingReader(file, validate_crcs=True).iter_messages()))
assert indexed == streamed, "the index and the records disagree"
with open(path, "rb") as file:
    count = chunks = 0
    seen = []
    for record in StreamReader(file, emit_chunks=True, validate_crcs=True).records:
        seen.append(type(record).__name__)
        chunks += isinstance(record, Chunk)
assert summary.statistics.message_count == len(indexed), "statistics"
assert summary.statistics.chunk_count == chunks == len(summary.chunk_indexes), "chunk indexes"
assert summary.statistics.metadata_count == len(metadata) == seen.count("Metadata"), "metadata"
assert summary.statistics.channel_count == len(summary.channels), "channels"
assert summary.statistics.schema_count == len(summary.schemas), "schemas"
topics = {}
for line in indexed:
    topic = line.rsplit(" ", 4)[0]
    topics[topic] = topics.get(topic, 0) + 1
for id, channel in summary.channels.items():
    assert summary.statistics.channel_message_counts.get(id, 0) == topics.get(channel.topic, 0), channel.topic
    with open(path, "rb") as file:
        by_topic = list(make_reader(file, validate_crcs=True).iter_messages(topics=[channel.topic]))
        assert len(by_topic) == topics.get(channel.topic, 0), "reading by topic"
for line in indexed:
    print(line)
