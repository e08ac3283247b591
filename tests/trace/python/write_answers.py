# SPDX-License-Identifier: Apache-2.0
"""Writes a trace with answers, using only the official MCAP package and struct, according to docs/reference/trace-format.md.

write_answers.py OUT"""
import struct
import sys

import numpy as np
from mcap.writer import CompressionType, Writer


def part(kind, dtype, dims, values):
    body = struct.pack(f"<{len(dims)}I", *dims) + values
    return struct.pack("<BBBBI", kind, dtype, len(dims), 0, len(body)) + body


def texts(kind, values):
    encoded = [v.encode() for v in values]
    return part(kind, 255, [len(values)], b"".join(struct.pack("<I", len(e)) + e for e in encoded))


def reals(kind, array):
    array = np.asarray(array, "<f4")
    return part(kind, 0, array.shape, array.tobytes())


FRAMES = {
    # Labels and scores, with a part of a later version between them.
    0: texts(1, ["cat", "Hörnchen", ""]) + part(99, 77, [1, 2, 3], b"later") + reals(3, [0.75, 0.25, np.nan]),
    # Boxes of two classes, one with its corners exchanged; int16 classes.
    1: part(2, 6, [2], np.array([3, -1], "<i2").tobytes()) + reals(4, [[0, 1, 2, 3], [9, 8, 7, 6]]) + reals(3, [0.5, np.inf]),
    # An empty answer.
    2: texts(1, []) + reals(4, np.zeros((0, 4))) + reals(3, []),
    3: part(5, 5, [2, 3], bytes([0, 1, 2, 3, 4, 255])) + reals(6, [[1, 2, 0.5], [np.nan, np.nan, 0]]),
    4: reals(7, [0.25, -0.5]) + reals(8, 1.5) + part(9, 12, [], b"\1") + texts(10, ["turn it on"]),
    # Two scores for three labels.
    5: texts(1, ["a", "b", "c"]) + reals(3, [0.5, 0.5]),
}

with open(sys.argv[1], "wb") as out:
    writer = Writer(out, compression=CompressionType.NONE)
    writer.start(profile="edgeprobe", library="write_answers.py")
    answers = writer.register_channel("/answer/answer", "x-tensor", 0, {"dtype": "uint8", "shape": "-1", "encoding": "answer"})
    top = writer.register_channel("/model_output/top", "x-tensor", 0, {"dtype": "float32", "shape": "1", "position": "0"})
    for frame in range(7):  # the last one has no answer
        if frame in FRAMES:
            writer.add_message(answers, log_time=frame, publish_time=frame, sequence=frame, data=b"\1" + FRAMES[frame])
        writer.add_message(top, log_time=frame, publish_time=frame, sequence=frame, data=struct.pack("<f", frame))
    writer.finish()
