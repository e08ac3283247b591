# SPDX-License-Identifier: Apache-2.0
"""Checks the files of killed writers with the official reader: read_killed.py FOLDER

FOLDER/KILL-FLUSHED/ contains the parts PART and PART.recovered of one run whose frames 1..FLUSHED were flushed. Each recovered part must be a
finished file with exactly the messages that the official reader finds in the part before it stops, and all parts together must have
every flushed frame."""
import pathlib
import struct
import sys

from mcap.exceptions import EndOfFile, McapError
from mcap.reader import make_reader
from mcap.records import Channel, Message
from mcap.stream_reader import StreamReader

files = flushed_frames = 0
for run in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    flushed = int(run.name.split("-")[1])
    found = {}
    for recovered in sorted(run.glob("*.recovered")):
        topics, before = {}, []
        with open(recovered.with_suffix(""), "rb") as file:
            try:
                for record in StreamReader(file, validate_crcs=True).records:
                    if isinstance(record, Channel):
                        topics[record.id] = record.topic
                    elif isinstance(record, Message):
                        before.append((topics[record.channel_id], record.sequence, record.data))
            except (EndOfFile, McapError, struct.error):  # struct.error: the last record was cut in the middle of a number.
                pass
        with open(recovered, "rb") as file:
            reader = make_reader(file, validate_crcs=True)
            assert reader.get_summary().statistics.message_count == len(before), f"{recovered}: statistics"
            after = [(c.topic, m.sequence, m.data) for _, c, m in reader.iter_messages(log_time_order=False)]
        assert after == before, f"{recovered}: {len(after)} messages, {len(before)} before"
        for topic, frame, _ in after:
            found.setdefault(frame, set()).add(topic)
        files += 1
    for frame in range(1, flushed + 1):
        assert len(found.get(frame, ())) == 4, f"{run.name}: frame {frame} has only {found.get(frame)}"
    flushed_frames += flushed
print(files, flushed_frames)
