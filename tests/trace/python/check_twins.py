# SPDX-License-Identifier: Apache-2.0
"""Reads the golden traces with the official reader and compares them with their JSON twins."""
import json
import pathlib
import sys

from mcap.exceptions import EndOfFile, McapError
from mcap.reader import make_reader
from mcap.records import Channel, Message, Metadata
from mcap.stream_reader import StreamReader

checked = 0
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.mcap")):
    twin = json.loads(path.with_suffix(".json").read_text())
    channels, messages, metadata = {}, [], {}
    with open(path, "rb") as file:
        try:
            for record in StreamReader(file, validate_crcs=True).records:
                if isinstance(record, Channel):
                    channels[record.id] = record
                elif isinstance(record, Message):
                    messages.append((channels[record.channel_id].topic, record.sequence, record.log_time, record.data.hex()))
                elif isinstance(record, Metadata):
                    metadata.setdefault(record.name, {}).update({k: v for k, v in record.metadata.items() if k != "crc32"})
        except (EndOfFile, McapError):
            assert not twin["finished"], f"{path.name}: the official reader stops"
    if twin["finished"]:
        with open(path, "rb") as file:
            indexed = sum(1 for _ in make_reader(file, validate_crcs=True).iter_messages())
        assert indexed == len(messages), f"{path.name}: the index and the records disagree"
    metadata.pop("edgeprobe.frames", None)
    assert metadata == twin["metadata"], f"{path.name}: metadata"
    tensors = [m for m in messages if m[0] != "/frame"]
    assert tensors == [(m["topic"], m["frame"], m["time_ns"], m["data"]) for m in twin["messages"]], f"{path.name}: messages"
    described = {c.topic: c.metadata for c in channels.values() if c.topic != "/frame"}
    assert described == {c["topic"]: c["metadata"] for c in twin["channels"]}, f"{path.name}: channels"
    labels = {m[1]: json.loads(bytes.fromhex(m[3])) for m in messages if m[0] == "/frame"}
    for frame in twin["frames"]:
        assert labels.get(frame["frame"], {}).get("label") == frame.get("label"), f"{path.name}: labels"
    checked += 1
print(checked)
