# SPDX-License-Identifier: Apache-2.0
"""The same application in C++, Python and Java: tests/snippets/snippets_test.py compares the traces tensor by tensor."""
import sys

import edgeprobe
import ml_dtypes
import numpy as np


def count(dtype, size, first):
    return (np.arange(size) + first).astype(dtype)


def bits(dtype, *values):
    return np.array(values, np.uint16).view(dtype)


with edgeprobe.Probe(sys.argv[1], level="layers", raw="all", exclude="variable/secret*") as probe:
    probe.describe(model="snippet.tflite", engine="none")
    for f in range(3):
        with probe.frame(sample=f"pictures/größe {f}.png", label=f) as frame:
            padded = count(np.uint8, 48, f).reshape(3, 16)
            frame.image("camera", np.lib.stride_tricks.as_strided(padded, (3, 4, 3), (16, 3, 1)))
            frame.image("front", count(np.uint8, 24, 7 * f), "nv21", width=4, height=4, rotation=270, mirrored=True,
                        full_range=True, bt709=True)
            frame.image("screen", count(np.uint8, 16, f).reshape(2, 2, 4), "bgra8")
            frame.audio("microphone", count(np.int16, 8, -4).reshape(4, 2), 16000)
            frame.readings("motion", count(np.int16, 6, f).reshape(2, 3), 59.5)
            frame.readings("pressure", count(np.float64, 2, f))
            frame.text("prompt", "größer 😀")
            if f == 1:
                frame.begin_sequence()
            frame.encoded("file", count(np.uint8, 5 + f, 1).tobytes())

            with frame.span("resize"):
                pass
            frame.tensor("resized", count(np.float32, 6, f).reshape(2, 3))
            frame.tensor("image", count(np.int8, 12, -6).reshape(1, 2, 2, 3), "model_input", scale=0.0078125, zero_point=-1, position=0)
            with frame.inference():
                pass
            frame.tensor("conv/1", count(np.float32, 4, f).reshape(1, 4), "layer", position=4, layer_type="CONV_2D")
            frame.tensor("pooled", count(np.float64, 2, f), "embedding", position=7)
            frame.tensor("scores", np.array([[0.25, 0.75]], np.float32), "model_output", position=0)
            frame.tensor("per channel", count(np.int16, 4, f).reshape(2, 2), "variable", scale=[0.5, 0.25], zero_point=[1, 2], axis=1)

            frame.tensor("float16", bits(np.float16, 0x3C00, 0x4000, 0xC200), "variable")
            frame.tensor("bfloat16", bits(ml_dtypes.bfloat16, 0x3F80, 0x4000, 0xC040), "variable")
            for name in ("float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
                frame.tensor(name, count(name, 3, f), "variable")
            frame.tensor("bool", np.array([True, False, True]), "variable")
            frame.tensor("one number", np.array((1 << 40) + f), "variable")

            frame.answer(labels=["größer", "cat"], classes=[3 + f, -1], scores=[0.75, 0.25], boxes=count(np.float32, 8, f).reshape(2, 4))
            frame.answer(name="rest", mask=count(np.uint8, 6, f).reshape(2, 3), points=count(float, 6, f).reshape(2, 3),
                         vector=count(float, 3, f), score=0.5, alarm=f == 1, text="größer 😀")
            frame.answer(name="none", boxes=[])
            frame.variable("threshold", 0.125 * f)
            frame.variable("box", [1.0, 2.0, 3.0, 4.0 + f])
            frame.variable("answer", "größer 😀")
            frame.variable("state", {"frame": f})
            frame.variable("secret key", 1.0)
            frame.assert_that("odd", f % 2 == 1)
    probe.assert_that("labels", True)
    probe.assert_that("size", lambda: "größer")
    probe.mark("camera", "restarted")
    probe.sensor("accelerometer", [0.5, -1.25, 9.75], "m/s^2")
    probe.sensor("light", None, "lx", reason="not permitted")
