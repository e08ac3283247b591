# SPDX-License-Identifier: Apache-2.0
"""Reads a trace with the official mcap package."""
import json

import numpy as np
from mcap.reader import make_reader


class Trace:
    def __init__(self, path):
        self.tensors, self.records, self.series, self.metadata, self.channels, self.times = {}, {}, {}, {}, {}, {}
        with open(path, "rb") as file:
            reader = make_reader(file, validate_crcs=True)
            for _, channel, message in reader.iter_messages():
                if channel.topic == "/frame":
                    self.records[message.sequence] = json.loads(message.data)
                    self.times[message.sequence] = message.log_time
                elif channel.message_encoding == "json":
                    self.series.setdefault(channel.topic, []).append((message.log_time, json.loads(message.data)))
                else:
                    self.channels[channel.topic] = channel.metadata
                    self.tensors[message.sequence, channel.topic] = self.array(channel.metadata, message.data)
            for record in reader.iter_metadata():
                self.metadata.setdefault(record.name, {}).update(record.metadata)

    @staticmethod
    def array(metadata, data):
        if metadata.get("encoding") in ("utf8", "encoded"):
            return bytes(data)
        shape = [int(n) for n in metadata["shape"].split(",")] if metadata["shape"] else []
        return np.frombuffer(data, metadata["dtype"]).reshape(shape)
