# SPDX-License-Identifier: Apache-2.0
"""Writes a trace with the official writer, only from docs/reference/trace-format.md, and prints its contents.

write_with_mcap.py OUT none|zstd|lz4 chunked|loose"""
import hashlib
import sys

import numpy as np
from mcap.writer import CompressionType, Writer

path, compression, layout = sys.argv[1:]
kinds = {"none": CompressionType.NONE, "zstd": CompressionType.ZSTD, "lz4": CompressionType.LZ4}
random = np.random.default_rng(7)

with open(path, "wb") as out:
    w = Writer(out, chunk_size=20000, compression=kinds[compression], use_chunking=layout == "chunked")
    w.start(profile="edgeprobe", library="test script")
    raw = w.register_channel("/raw_input/camera", "x-tensor", 0,
                             {"dtype": "uint8", "shape": "24,32,3", "encoding": "pixels"})
    jpeg = w.register_channel("/raw_input/file", "x-tensor", 0,
                              {"dtype": "uint8", "shape": "-1", "encoding": "encoded"})
    inp = w.register_channel("/model_input/input", "x-tensor", 0,
                             {"dtype": "int8", "shape": "1,8,8,3", "scale": repr(1 / 128), "zero_point": "-1",
                              "position": "0", "owner": "somebody"})
    layer = w.register_channel("/layer/net/50%25 conv", "x-tensor", 0,
                               {"dtype": "int8", "shape": "1,4,4,2", "scale": "0.5, 0.25", "zero_point": "0",
                                "axis": "3", "position": "4", "tensor": "17", "layer_type": "CONV_2D"})
    top = w.register_channel("/model_output/scores", "x-tensor", 0, {"dtype": "float32", "shape": "1,10"})
    rec = w.register_channel("/frame", "json", 0, {})
    w.add_metadata("edgeprobe.trace", {"version": "1"})
    w.add_metadata("edgeprobe.run", {"model": "net.tflite", "engine": "tflite"})
    for frame in range(40):
        now = 1_700_000_000_000_000_000 + frame
        for topic, channel, array in (
                ("/raw_input/camera", raw, random.integers(0, 256, (24, 32, 3), np.uint8)),
                ("/raw_input/file", jpeg, random.integers(0, 256, 50 + frame, np.uint8)),
                ("/model_input/input", inp, random.integers(-128, 128, (1, 8, 8, 3), np.int8)),
                ("/layer/net/50%25 conv", layer, random.integers(-128, 128, (1, 4, 4, 2), np.int8)),
                ("/model_output/scores", top, random.normal(size=(1, 10)).astype(np.float32))):
            data = array.tobytes()
            w.add_message(channel, log_time=now, publish_time=now, sequence=frame * 3, data=data)
            print(topic, frame * 3, now, hashlib.sha256(data).hexdigest())
        w.add_message(rec, log_time=now, publish_time=now, sequence=frame * 3,
                      data=b'{"sample": "cat/%04d.png", "label": %d, "latency_ns": 1234}' % (frame, frame % 10))
    w.finish()
