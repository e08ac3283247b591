# SPDX-License-Identifier: Apache-2.0
"""Traces for tests, using only the official MCAP package: read, copied with other messages, and with the answers of an app."""
import struct

import numpy as np
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

from tool import run


def tensors(trace, stage="model_output", dtype=None):
    """{frame: {name: values, flat}} of a stage."""
    frames = {}
    with open(trace, "rb") as file:
        for _, channel, message in make_reader(file).iter_messages():
            if channel.topic.startswith(f"/{stage}/"):
                values = np.frombuffer(message.data, dtype or channel.metadata["dtype"])
                frames.setdefault(message.sequence, {})[channel.topic.split("/", 2)[2]] = values
    return frames


def metadata(trace):
    """{group: {key: text}}"""
    with open(trace, "rb") as file:
        return {record.name: record.metadata for record in make_reader(file).iter_metadata()}


def exported(trace):
    """{"stage/name": values of all frames}, from the program's own export to NumPy."""
    arrays = trace.with_suffix(".export.npz")
    run("trace", "export", trace, "--npz", arrays, "--force", expect=0)
    with np.load(arrays) as found:
        return {name: found[name] for name in found.files}


def only(arrays, stage):
    """The values of a stage's only tensor in the exported data."""
    [name] = [name for name in arrays if name.startswith(f"{stage}/") and not name.endswith(".frames")]
    return arrays[name]


class Copy:
    """Rewrites a trace: the metadata of these groups, or of all, without the checksum, and additional messages."""

    def __init__(self, source, target, groups=("edgeprobe.trace", "edgeprobe.run")):
        with open(source, "rb") as file:
            reader = make_reader(file)
            self.groups = [group for group in reader.iter_metadata() if groups is None or group.name in groups]
            self.messages = [(channel, message) for _, channel, message in reader.iter_messages(log_time_order=False)]
        self.target, self.ids = target, {}

    def __enter__(self):
        self.file = open(self.target, "wb")
        self.writer = Writer(self.file, compression=CompressionType.NONE)
        self.writer.start(profile="edgeprobe", library="test")
        for group in self.groups:
            self.writer.add_metadata(group.name, {key: text for key, text in group.metadata.items() if key != "crc32"})
        return self

    def add(self, topic, encoding, metadata, data, like):
        """Adds a message with the time and the frame of another one."""
        key = (topic, tuple(sorted(metadata.items())))
        if key not in self.ids:
            self.ids[key] = self.writer.register_channel(topic, encoding, 0, metadata)
        self.writer.add_message(self.ids[key], log_time=like.log_time, publish_time=like.publish_time, sequence=like.sequence, data=data)

    def __exit__(self, *_):
        self.writer.finish()
        self.file.close()


def rewritten(source, target, change, **groups):
    """A copy of a trace; `change(channel, message)` returns the data of each message, or data and metadata of its channel, or None to omit the message."""
    with Copy(source, target, **groups) as copy:
        for channel, message in copy.messages:
            changed = change(channel, message)
            if changed is not None:
                data, about = changed if isinstance(changed, tuple) else (changed, channel.metadata)
                copy.add(channel.topic, channel.message_encoding, dict(about), data, message)
    return target


def answered(source, target, answer):
    """A copy of a trace in which an app answers: `answer(inputs, outputs, frame)` returns the bytes, or None; tensors are as stored, by position."""
    with Copy(source, target) as copy:
        frames = {}
        for channel, message in copy.messages:
            if channel.topic.startswith("/answer/"):
                continue
            copy.add(channel.topic, channel.message_encoding, dict(channel.metadata), message.data, message)
            for side, stage in enumerate(("/model_input/", "/model_output/")):
                if channel.topic.startswith(stage):
                    shape = [int(size) for size in channel.metadata["shape"].strip("[]").split(",")]
                    values = np.frombuffer(message.data, channel.metadata["dtype"]).reshape(shape)
                    frames.setdefault(message.sequence, ({}, {}, message))[side][int(channel.metadata["position"])] = values
        for frame in sorted(frames):
            inputs, outputs, message = frames[frame]
            data = answer(*([side[at] for at in sorted(side)] for side in (inputs, outputs)), frame)
            if data is not None:
                copy.add("/answer/answer", "x-tensor", {"dtype": "uint8", "shape": "-1", "encoding": "answer"}, data, message)
    return target


def part(kind, dtype, dims, values):
    body = struct.pack(f"<{len(dims)}I", *dims) + values
    return struct.pack("<BBBBI", kind, dtype, len(dims), 0, len(body)) + body


def answer(**parts):
    """The bytes of an answer, according to docs/reference/trace-format.md; omits parts that are None."""
    texts = lambda lines: (255, [len(lines)], b"".join(struct.pack("<I", len(line.encode())) + line.encode() for line in lines))
    values = lambda number, form: lambda given: (number, list(np.shape(given)), np.ascontiguousarray(given, form).tobytes())
    boxes = lambda given: values(0, "<f4")(np.reshape(given, (-1, 4)))
    mask = lambda given: values(*((5, "u1") if given.dtype == np.uint8 else (8, "<i4")))(given)
    forms = {"labels": (1, texts), "scores": (3, values(0, "<f4")), "boxes": (4, boxes), "mask": (5, mask), "points": (6, values(0, "<f4")),
             "vector": (7, values(0, "<f4")), "score": (8, values(0, "<f4")), "alarm": (9, values(5, "u1")), "text": (10, lambda text: texts([text]))}
    return b"\1" + b"".join(part(forms[name][0], *forms[name][1](given)) for name, given in parts.items() if given is not None)
