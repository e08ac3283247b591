# SPDX-License-Identifier: Apache-2.0
"""The probe in Python, compared with the official MCAP reader and edgeprobe's own."""
import gc
import json
import math
import multiprocessing
import os
import struct
import subprocess
import sys
import threading
import time
import unittest

import support

import ml_dtypes
import numpy as np

import edgeprobe
from edgeprobe.traces.answer import answer_from
from support import ROOT, official


class ProbeTest(support.PackageTest):
    def test_every_dtype_comes_back_bit_for_bit(self):
        rng = np.random.default_rng(1)
        arrays = {kind: (rng.integers(0, 2, 24) if kind == "bool" else rng.integers(-100, 100, 24) if not kind.startswith("u")
                         else rng.integers(0, 200, 24)).astype(kind).reshape(2, 3, 4)
                  for kind in "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()}
        arrays["bfloat16"] = rng.normal(size=(2, 3, 4)).astype(ml_dtypes.bfloat16)
        arrays["scalar"] = np.float32(2.5).reshape(())
        arrays["empty"] = np.zeros((0, 4), np.float32)
        with edgeprobe.Probe(self.path) as probe, probe.frame() as frame:
            for name, array in arrays.items():
                frame.tensor(name, array)
        recorded = official(self.path)
        with edgeprobe.load(self.path) as trace:
            self.assertTrue(trace.finished)
            self.assertEqual(trace.problems, [])
            for name, array in arrays.items():
                metadata, data = recorded[0, f"/intermediate/{name}"]
                self.assertEqual(metadata["dtype"], array.dtype.name)
                self.assertEqual(data, array.tobytes())
                value = trace.frames[0][name]
                self.assertEqual((value.dtype, value.shape), (array.dtype, array.shape))
                np.testing.assert_array_equal(value, array)

    def test_annotations_are_recorded_and_read(self):
        values = {"class_set": [3, 17], "text": "größe", "boxes": [{"box": [0.5, 1e-3], "class": None}]}
        with edgeprobe.Probe(self.path) as probe:
            for kind, value in values.items():
                with probe.frame() as frame:
                    frame.annotation(kind, value)
            with probe.frame(label=1):
                pass
        with edgeprobe.load(self.path) as trace:
            read = [trace.frames[i].annotation for i in range(4)]
        self.assertEqual({one.kind: one.value for one in read[:3]}, values)
        self.assertIsNone(read[3])

    def test_assertions_are_checked_and_recorded(self):
        def raises():
            raise ValueError("no file")

        def asserts():
            assert 1 == 2, "one is not two"

        checks = {"bool": (True, ""), "numpy": (np.bool_(False), "it is false"), "none": (None, "it is false"), "text": ("too dark", "too dark"),
                  "empty": ("", ""), "function": (lambda: True, ""), "nothing": (lambda: None, ""), "why": (lambda: "because", "because"),
                  "raises": (raises, "it raises ValueError: no file"), "asserts": (asserts, "one is not two"),
                  "array": (np.zeros(2), "it raises ValueError")}
        with self.assertLogs("edgeprobe", "WARNING") as log, edgeprobe.Probe(self.path) as probe:
            for name, (check, wrong) in checks.items():
                self.assertIs(probe.assert_that(name, check), not wrong, name)
            with probe.frame() as frame:
                for name, (check, wrong) in checks.items():
                    self.assertIs(frame.assert_that(name, check), not wrong, name)
        said = {name: wrong for name, (_, wrong) in checks.items() if wrong}
        self.assertEqual(len(log.output), len(said))
        recorded = official(self.path)
        for name, (_, wrong) in checks.items():
            self.assertTrue(json.loads(recorded[0, f"/mark/assertion.{name}"][1])["text"].startswith(wrong or "holds"), name)
            self.assertEqual(struct.unpack("<d", recorded[0, f"/variable/assertion.{name}"][1])[0], 0.0 if wrong else 1.0)
            if wrong:
                self.assertTrue(recorded[0, f"/variable/assertion.{name}.why"][1].decode().startswith(wrong))
            else:
                self.assertNotIn((0, f"/variable/assertion.{name}.why"), recorded)

    def test_assertions_without_a_probe_are_checked_too(self):
        probe = edgeprobe.Probe(self.folder / "no" / "such" / "folder.mcap", strict=False)
        self.assertTrue(probe.assert_that("a", True))
        self.assertFalse(probe.assert_that("a", lambda: False))
        with probe.frame() as frame:
            self.assertTrue(frame.assert_that("a", True))
            self.assertFalse(frame.assert_that("a", "wrong"))
        with edgeprobe.Probe(self.path) as probe, self.assertRaisesRegex(edgeprobe.ArgumentError, "name is 3"):
            probe.assert_that(3, True)

    def test_annotations_that_do_not_fit_are_refused(self):
        with edgeprobe.Probe(self.path) as probe, probe.frame() as frame:
            for call, error in ((lambda: frame.annotation(3, [1]), edgeprobe.UsageError),
                                (lambda: frame.annotation("", [1]), edgeprobe.UsageError),
                                (lambda: frame.annotation("text", "x" * 13000), edgeprobe.Error)):
                with self.assertRaises(error):
                    call()
        with edgeprobe.load(self.path) as trace:
            self.assertIsNone(trace.frames[0].annotation)

    def test_answers_are_recorded_and_read(self):
        boxes = np.array([[0, 1, 2, 3], [9, 8, 7, 6]], np.float64)
        mask = np.arange(6).reshape(2, 3)
        with edgeprobe.Probe(self.path) as probe:
            with probe.frame() as frame:
                self.assertTrue(frame.wants("answer"))
                frame.answer(labels=["cat", "Hörnchen"], scores=[0.75, math.nan])
                frame.answer(name="all", labels=np.array(["a", "b"]), classes=np.array([3.0, -1.0]), scores=(0.5, math.inf), boxes=boxes.T.copy().T,
                             mask=mask, points=[[1, 2, 0.5]], vector=boxes, score=np.float32(1.5), alarm=False, text="turn it on")
                frame.text("prompt", "grün\0x")
            with probe.frame() as frame:
                frame.begin_sequence()
                frame.answer(boxes=[], labels=[])
            with probe.frame() as frame:
                frame.answer(mask=np.array([[True, False]]))
            with probe.frame():
                pass
        recorded = official(self.path)
        with edgeprobe.load(self.path) as trace:
            self.assertEqual(trace.problems, [])
            first, second, third, last = trace.frames
            self.assertEqual(first.answer.labels, ["cat", "Hörnchen"])
            np.testing.assert_array_equal(first.answer.scores, np.float32([0.75, math.nan]))
            self.assertIsNone(first.answer.boxes)
            every = first.answers["all"]
            self.assertEqual((every.labels, every.score, every.alarm, every.text), (["a", "b"], 1.5, False, "turn it on"))
            self.assertEqual((every.classes.dtype, every.classes.tolist()), (np.int64, [3, -1]))
            np.testing.assert_array_equal(every.boxes, boxes)
            np.testing.assert_array_equal(every.mask, mask)
            np.testing.assert_array_equal(every.points, [[1, 2, 0.5]])
            np.testing.assert_array_equal(every.vector, boxes.ravel())
            self.assertEqual(first["prompt"], "grün\0x")
            self.assertEqual((second.answer.boxes.shape, second.answer.labels, second.answer.scores), ((0, 4), [], None))
            self.assertEqual([frame.begins_sequence for frame in trace.frames], [False, True, False, False])
            self.assertEqual(third.answer.mask.tolist(), [[1, 0]])
            self.assertIsNone(last.answer)
            self.assertEqual(last.answers, {})
        # The bytes according to the page: version 1; part 1, texts, rank 1, 22 bytes, 2 of them.
        expected = struct.pack("<BBBBBII", 1, 1, 255, 1, 0, 24, 2) + struct.pack("<I", 3) + b"cat" + struct.pack("<I", 9) + "Hörnchen".encode()
        self.assertEqual(recorded[0, "/answer/answer"][1][:len(expected)], expected)

    def test_answers_that_cannot_be_are_refused(self):
        with edgeprobe.Probe(self.path, strict=True) as probe, probe.frame() as frame:
            for what, sentence in (
                    ({}, "the answer is empty"), ({"labels": "cat"}, r"expected a list of str; give \['cat'\]"), ({"labels": [3]}, "labels is"),
                    ({"labels": ["a", "b", "c"], "scores": [1, 2]}, "give one for each"), ({"boxes": [1, 2, 3]}, r"boxes has the shape \(3,\)"),
                    ({"boxes": [[1, 2], [3]]}, "rows of several lengths"), ({"mask": [0.5]}, "mask has the shape"), ({"mask": [[0.5]]}, "mask must be whole numbers that fit"),
                    ({"classes": [math.nan]}, "classes must be whole numbers that fit int64"), ({"scores": ["high"]}, "scores holds"), ({"score": "high"}, "score is"),
                    ({"text": "a\udcff"}, "not UTF-8")):
                with self.subTest(what), self.assertRaisesRegex(edgeprobe.Error, sentence):
                    frame.answer(**what)
            with self.assertRaisesRegex(edgeprobe.UsageError, "not UTF-8"):
                frame.text("prompt", b"\xff")
        with edgeprobe.load(self.path) as trace:
            self.assertEqual(list(trace.frames[0]), [])

    def test_damaged_answers_are_a_sentence(self):
        part = struct.pack("<BBBBII", 3, 0, 1, 0, 8, 1) + struct.pack("<f", 1)
        later = struct.pack("<BBBBI", 77, 9, 9, 0, 3) + b"any"
        with self.assertRaisesRegex(ValueError, "version 2"):
            answer_from(b"\2")
        self.assertEqual(answer_from(b"\1" + later + part).scores.tolist(), [1])
        for message in (b"", b"\1\3", b"\1" + part[:-1], b"\1" + part + part, b"\1" + struct.pack("<BBBBII", 3, 0, 1, 0, 4, 1 << 31),
                        b"\1" + struct.pack("<BBBBIII", 5, 8, 2, 0, 8, (1 << 32) - 1, (1 << 32) - 1), b"\1" + struct.pack("<BBBBIB", 9, 12, 0, 0, 1, 7),
                        b"\1" + struct.pack("<BBBBIII", 1, 255, 1, 0, 8, 1, 9), b"\1" + struct.pack("<BBBBIIIB", 1, 255, 1, 0, 9, 1, 1, 255)):
            with self.subTest(message), self.assertRaises(ValueError):
                answer_from(message)

    def test_arrays_of_any_layout(self):
        base = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
        shown = {"transposed": base.transpose(2, 0, 1), "sliced": base[:, 1:3, ::2], "reversed": base[::-1], "fortran": np.asfortranarray(base),
                 "big_endian": base.astype(">f4"), "list": [[1.5, 2.5], [3.5, 4.5]], "broadcast": np.broadcast_to(np.float32(7), (2, 3))}
        read_only = base.copy()
        read_only.flags.writeable = False
        shown["read_only"] = read_only
        with edgeprobe.Probe(self.path) as probe, probe.frame() as frame:
            for name, array in shown.items():
                frame.tensor(name, array)
            reused = np.full(1000, 1, np.int64)
            frame.tensor("reused", reused)
            reused[:] = 2  # values are copied before the call returns
        with edgeprobe.load(self.path) as trace:
            for name, array in shown.items():
                np.testing.assert_array_equal(trace.frames[0][name], np.asarray(array))
            self.assertEqual(set(trace.frames[0]["reused"]), {1})

    def test_quantisation_position_and_stages(self):
        codes = np.array([[-128, 0, 127]], np.int8)
        with edgeprobe.Probe(self.path, level="layers") as probe, probe.frame(label=np.int64(3)) as frame:
            frame.tensor("in", codes, "model_input", scale=0.5, zero_point=-3, position=0)
            frame.tensor("per_channel", codes, "layer", scale=[0.5, 0.25, 2.0], zero_point=np.array([1, 2, 3]), axis=1, position=4, layer_type="CONV_2D")
            frame.tensor("features", codes, "embedding")
            frame.tensor("out", codes, "model_output", scale=np.float32(0.1))
        with edgeprobe.load(self.path) as trace:
            frame = trace.frames[0]
            self.assertEqual(list(frame), ["model_input/in", "layer/per_channel", "layer/features", "model_output/out"])
            np.testing.assert_array_equal(frame.real("in"), [[-62.5, 1.5, 65.0]])
            np.testing.assert_array_equal(frame.real("per_channel"), [[-64.5, -0.5, 248.0]])
            self.assertEqual(frame.channel("per_channel").metadata["layer_type"], "CONV_2D")
            self.assertEqual((frame.channel("in").metadata["position"], frame.channel("per_channel").metadata["position"]), ("0", "4"))
            self.assertTrue(frame.channel("features").embedding)
            self.assertFalse(frame.channel("per_channel").embedding)

    def test_levels_leave_out_what_they_leave_out(self):
        wanted = {"none": [], "io": ["a", "in", "out"], "embedding": ["a", "in", "e", "out"], "layers": ["a", "in", "l", "e", "out"]}
        for level, names in wanted.items():
            path = self.folder / f"{level}.mcap"
            with edgeprobe.Probe(path, level=level) as probe, probe.frame(sample="s") as frame:
                for name, stage in (("a", "intermediate"), ("in", "model_input"), ("l", "layer"), ("e", "embedding"), ("out", "model_output")):
                    self.assertEqual(frame.wants(stage), name in names)
                    frame.tensor(name, np.zeros(3, np.float32), stage)
            with edgeprobe.load(path) as trace:
                self.assertEqual(sorted(name.partition("/")[2] for name in trace.frames[0]), sorted(names))
                self.assertEqual(trace.frames[0].sample, "s")

    def test_raw_inputs(self):
        rng = np.random.default_rng(2)
        rgb = rng.integers(0, 256, (6, 8, 3), np.uint8)
        wide = rng.integers(0, 256, (6, 20, 3), np.uint8)
        sound = rng.integers(-1000, 1000, (50, 2), np.int16)
        motion = rng.normal(size=(20, 3)).astype(np.float32)
        nv21 = rng.integers(0, 256, 8 * 6 * 3 // 2, np.uint8)
        with edgeprobe.Probe(self.path, raw="all") as probe:
            for name, pixels, more in (("rgb", rgb, {}), ("bgr", rgb[..., ::-1], {"format": "bgr8"}), ("window", wide[:, 5:13], {}),
                                       ("flipped", rgb[:, ::-1], {}), ("gray", rgb[..., 0], {}), ("rgba", np.dstack([rgb, rgb[..., :1]]), {}),
                                       ("turned", rgb, {"rotation": 90, "mirrored": True})):
                with probe.frame(sample=name) as frame:
                    frame.image("camera", pixels, **more)
            with probe.frame(sample="nv21") as frame:
                frame.image("camera", nv21, "nv21", width=8, height=6, bt709=True)
                frame.audio("microphone", sound, 16000)
                frame.audio("float", np.float32([0.5, -0.5]), 8000)
                frame.readings("accelerometer", motion[:, ::-1], 31.25)
                frame.readings("pressure", [1013.25, 1013.5])
                frame.encoded("file", b"\x89PNG...")
        with edgeprobe.load(self.path) as trace:
            frames = {frame.sample: frame for frame in trace.frames}
            for name in ("rgb", "bgr", "rgba", "turned"):
                np.testing.assert_array_equal(frames[name].picture(), rgb, name)
            np.testing.assert_array_equal(frames["window"].picture(), wide[:, 5:13])
            np.testing.assert_array_equal(frames["flipped"].picture(), rgb[:, ::-1])
            np.testing.assert_array_equal(frames["gray"].picture(), np.repeat(rgb[..., :1], 3, axis=2))
            self.assertEqual(frames["turned"].channel("camera").metadata["rotation"], "90")
            self.assertEqual(frames["turned"].channel("camera").metadata["mirrored"], "true")
            frame = frames["nv21"]
            channel = frame.channel("camera")
            self.assertEqual((channel.encoding, channel.metadata["width"], channel.metadata["height"], channel.metadata["matrix"]), ("nv21", "8", "6", "bt709"))
            self.assertEqual(bytes(frame["camera"]), nv21.tobytes())
            np.testing.assert_array_equal(frame["accelerometer"], motion[:, ::-1])
            self.assertEqual((frame.channel("accelerometer").encoding, frame.channel("accelerometer").metadata["sample_rate"]), ("readings", "31.25"))
            np.testing.assert_array_equal(frame["pressure"], [[1013.25], [1013.5]])
            self.assertNotIn("sample_rate", frame.channel("pressure").metadata)
            np.testing.assert_array_equal(frame["microphone"], sound)
            self.assertEqual(frame.channel("microphone").sample_rate, 16000)
            np.testing.assert_array_equal(frame["float"].ravel(), np.float32([0.5, -0.5]))
            self.assertEqual(frame["file"], b"\x89PNG...")

    def test_variables_spans_marks_sensors(self):
        big = 2 ** 60 + 1
        given = {"half": 0.5, "count": 3, "yes": True, "big": big, "numpy": np.float32(0.25), "vector": [1, 2.5], "array": np.arange(6).reshape(2, 3),
                 "text": "straße %", "json": {"a": [1, {"b": None}]}, "nan": {"x": [math.nan, 1.5, np.float32("inf"), np.arange(2)]}, "none": None, "empty": [], "mixed": [1, "x"]}
        before = time.time_ns()
        with edgeprobe.Probe(self.path) as probe:
            probe.mark("start")
            with probe.frame() as frame:
                for name, value in given.items():
                    frame.variable(name, value)
                with frame.span("outer"):
                    with frame.span("inner"):
                        time.sleep(0.01)
                with frame.inference():
                    time.sleep(0.005)
            probe.mark("camera", "restarted")
            probe.sensor("accelerometer", [0.1, 9.8, -0.2], "m/s^2")
            probe.sensor("accelerometer", np.array([0.2, 9.7, -0.1]), "m/s^2")
            probe.sensor("lux", 320, "lx")
            probe.sensor("gyroscope", None, "rad/s", reason="not permitted")
        after = time.time_ns()
        with edgeprobe.load(self.path) as trace:
            self.assertEqual(trace.problems, [])
            frame = trace.frames[0]
            values = frame.variables
            self.assertEqual((values["half"], values["count"], values["yes"], values["big"], values["numpy"]), (0.5, 3.0, 1.0, big, 0.25))
            np.testing.assert_array_equal(values["vector"], [1, 2.5])
            np.testing.assert_array_equal(values["array"], given["array"])
            self.assertEqual(values["nan"], {"x": [None, 1.5, None, [0, 1]]})
            for name in ("text", "json", "none", "empty", "mixed"):
                self.assertEqual(values[name], given[name])
            outer, inner = frame.spans
            self.assertEqual((outer.name, inner.name), ("outer", "inner"))
            self.assertTrue(before <= outer.start_ns <= inner.start_ns <= after)
            self.assertTrue(10_000_000 <= inner.duration_ns <= outer.duration_ns < after - before)
            self.assertTrue(5_000_000 <= frame.latency_ns < after - before)
            self.assertEqual([(m.name, m.text) for m in trace.marks], [("start", ""), ("camera", "restarted")])
            self.assertTrue(before <= trace.marks[0].time_ns <= trace.marks[1].time_ns <= after)
            self.assertEqual(sorted(trace.series_names), ["sensor/accelerometer", "sensor/gyroscope", "sensor/lux"])
            acceleration = trace.series("sensor/accelerometer")
            np.testing.assert_array_equal(acceleration.values, [[0.1, 9.8, -0.2], [0.2, 9.7, -0.1]])
            self.assertEqual((acceleration.unit, list(acceleration.frames)), ("m/s^2", [0, 0]))
            self.assertEqual((len(trace.series("gyroscope")), trace.series("gyroscope").absences[0].reason), (0, "not permitted"))
            with self.assertRaisesRegex(KeyError, "no series 'x'; it has sensor/"):
                trace.series("x")

    def test_tables(self):
        with edgeprobe.Probe(self.path) as probe:
            for i in range(3):
                with probe.frame(sample=f"{i}.png", label=i) as frame:
                    frame.variable("lux", 100.0 * i)
                    frame.tensor("scores", np.full((1, 2), i, np.float32), "model_output")
                    if i:
                        with frame.span("resize"):
                            pass
                probe.sensor("temperature", 40 + i, "degC")
        with edgeprobe.load(self.path) as trace:
            table = trace.to_pandas()
            self.assertEqual(list(table.columns), ["sample", "label", "latency_ns", "lux", "span/resize"])
            self.assertEqual(list(table["lux"]), [0.0, 100.0, 200.0])
            self.assertTrue(table["span/resize"].isna()[0] and (table["span/resize"][1:] >= 0).all())
            np.testing.assert_array_equal(trace.stack("scores"), np.arange(3, dtype=np.float32).reshape(3, 1, 1) * np.ones((1, 1, 2), np.float32))
            sensor = trace.series("sensor/temperature").to_pandas()
            self.assertEqual((list(sensor["temperature"]), list(sensor["frame"]), str(sensor.index.tz)), ([40, 41, 42], [0, 1, 2], "UTC"))

    def test_sketches_hold_what_numpy_computes(self):
        values = np.random.default_rng(3).normal(size=(1, 50, 40, 7)).astype(np.float32)
        values.ravel()[:5] = (np.nan, np.inf, 0, 0, -np.inf)
        small = np.arange(10, dtype=np.int8)
        with edgeprobe.Probe(self.path, level="layers", sketch=True, seed=7) as probe, probe.frame() as frame:
            frame.tensor("wide", values, "layer")
            frame.tensor("small", small, "layer", scale=0.5, zero_point=2)
        with edgeprobe.load(self.path) as trace:
            sketch = trace.frames[0].sketch("wide")
            finite = values[np.isfinite(values)].astype(np.float64)
            self.assertEqual((sketch.shape, sketch.count, sketch.nans, sketch.infinities, sketch.zeros), (values.shape, values.size, 1, 2, 2))
            self.assertEqual((sketch.least, sketch.greatest), (finite.min(), finite.max()))
            self.assertAlmostEqual(sketch.mean, finite.mean(), places=9)
            self.assertAlmostEqual(sketch.standard_deviation, finite.std(), places=6)
            expected, _ = np.histogram(finite, 64, (finite.min(), finite.max()))
            self.assertEqual(sketch.histogram.sum(), finite.size)
            self.assertLessEqual(np.abs(sketch.histogram - expected).sum(), 4)  # values on a border
            np.testing.assert_array_equal(sketch.sample, values.ravel()[sketch.sample_at])
            self.assertEqual(sketch.sample.size, 4096)
            other = trace.frames[0].sketch("layer/small")
            np.testing.assert_array_equal(other.sample, small)
            self.assertEqual((other.least, other.greatest), (-1.0, 3.5))

    def test_what_other_writers_get_wrong_is_a_sentence(self):
        from mcap.writer import CompressionType, Writer

        with open(self.path, "wb") as out:
            writer = Writer(out, compression=CompressionType.NONE)
            writer.start(profile="edgeprobe", library="test")
            add = lambda topic, form, data, frame=0, time=0, **metadata: writer.add_message(
                writer.register_channel(topic, form, 0, metadata), log_time=time, publish_time=0, sequence=frame, data=data)
            for bad in (b"", b"[]", b"{", b"{}", b'{"values": 3}', b'{"values": "12"}', b'{"values": ["x"]}', b'{"values": [1' + b"0" * 400 + b"]}", b"[" * 60_000, b"9" * 70_000):
                add("/sensor/lux", "json", bad)
            add("/sensor/lux", "json", b'{"values": [1]}', time=2**64 - 1)
            add("/sensor/lux", "json", b'{"values": [1, null], "frame": 1' + b"0" * 30 + b', "unit": 5}')
            for bad in (b"[]", b'{"from": "io"}'):
                add("/level", "json", bad)
            add("/mark/m", "json", b'{"text": null, "frame": "x"}')
            for frame, head in enumerate(([np.nan] * 72, [np.inf] + [0] * 71, [-5] + [0] * 71, [1e300] + [0] * 71, [10] + [0] * 7 + [1e300] * 64, [10] + [0] * 71)):
                add("/sketch/layer/x", "x-tensor", np.array(head, np.float64).tobytes(), frame, dtype="float64", shape="72", of_shape="10")
                add("/sketch_sample/layer/x", "x-tensor", np.zeros(3, np.int8).tobytes(), frame, dtype="int8", shape="3", seed="x" if frame == 5 else "0")
            add("/sketch/layer/short", "x-tensor", bytes(16), dtype="float64", shape="2")
            add("/variable/text", "x-tensor", b"\xff\x00", dtype="uint8", shape="-1", encoding="utf8")
            add("/variable/json", "x-tensor", b"{", dtype="uint8", shape="-1", encoding="json")
            add("/span/s", "x-tensor", bytes(8), dtype="int64", shape="1")
            add("/raw_input/camera", "x-tensor", bytes(12), dtype="uint8", shape="2,2,3", encoding="hsv8")
            writer.finish()
        with edgeprobe.load(self.path) as trace:
            self.assertEqual(sum("/sensor/lux" in problem for problem in trace.problems), 11)
            self.assertEqual(sum("/level" in problem for problem in trace.problems), 2)
            lux = trace.series("lux")
            self.assertEqual((lux.values.shape, list(lux.frames), len(lux.times_ns), lux.unit), ((1, 2), [-1], 1, "5"))
            self.assertEqual((trace.marks[0].frame, trace.marks[0].text), (None, ""))
            for frame in trace.frames:
                with self.assertRaises(edgeprobe.TraceError):
                    frame.sketch("x")
            frame = trace.frames[0]
            for wrong in (lambda: frame.sketch("short"), lambda: frame.spans, frame.picture):
                with self.assertRaises(edgeprobe.TraceError):
                    wrong()
            self.assertEqual(frame["text"], "\udcff\0")
            self.assertIsInstance(frame["variable/json"], str)  # not JSON: the text as the application gave it
            self.assertEqual(frame.variables["json"], frame["variable/json"])

    def test_redaction_is_applied_or_nothing_is_kept(self):
        picture = np.full((4, 6, 3), 200, np.uint8)
        seen = []

        def redact(name, values):
            seen.append((name, values.shape, values.dtype.name))
            if name == "broken":
                raise RuntimeError("no face model")
            if name == "returned":
                return values // 2
            values[:, :3] = 0
            return None

        probe = edgeprobe.Probe(self.path, raw="all", redact=redact)
        with probe.frame() as frame:
            frame.image("camera", picture)
            frame.image("returned", picture)
            with self.assertRaisesRegex(RuntimeError, "no face model"):
                frame.image("broken", picture)
        probe.close()
        self.assertEqual(seen, [("camera", (4, 6, 3), "uint8"), ("returned", (4, 6, 3), "uint8"), ("broken", (4, 6, 3), "uint8")])
        self.assertEqual(set(picture.ravel()), {200})  # the application's own picture is unchanged
        with edgeprobe.load(self.path) as trace:
            frame = trace.frames[0]
            camera = frame["raw_input/camera"]
            self.assertTrue((camera[:, :3] == 0).all() and (camera[:, 3:] == 200).all())
            self.assertEqual(set(frame["raw_input/returned"].ravel()), {100})
            if "raw_input/broken" in frame:
                self.assertEqual(set(frame["raw_input/broken"].ravel()), {0})

    def test_strict_raises_one_family(self):
        with self.assertRaises(edgeprobe.NotFoundError) as caught:
            edgeprobe.Probe(self.folder / "no" / "folder" / "t.mcap")
        self.assertIsInstance(caught.exception, FileNotFoundError)
        self.assertIsInstance(caught.exception, edgeprobe.Error)
        probe = edgeprobe.Probe(self.path)
        with self.assertRaises(edgeprobe.Error):
            edgeprobe.Probe(self.path)  # the file already exists
        frame = probe.frame()
        for wrong in (lambda: frame.tensor("x", np.zeros(3, np.complex64)), lambda: frame.tensor("x", np.zeros(3), "nowhere"),
                      lambda: frame.tensor("a\0b", np.zeros(3)), lambda: frame.tensor("x", ["a"]), lambda: frame.image("x", np.zeros((3, 3, 5), np.uint8)),
                      lambda: frame.image("x", np.zeros((3, 3, 3))), lambda: frame.image("x", np.zeros((3, 3, 3), np.uint8), "rgb9"),
                      lambda: frame.tensor("x", np.zeros(3, np.int8), scale=[1, 2], zero_point=[1, 2, 3]), lambda: frame.variable("x", b"raw"),
                      lambda: frame.audio("x", np.zeros(3), 16000), lambda: frame.readings("x", np.zeros((1, 3, 3))), lambda: frame.readings("x", np.zeros(3), -1)):
            with self.assertRaises(edgeprobe.UsageError):
                wrong()
        for bad in ({"level": "all"}, {"raw": "some"}, {"sampling": "often"}):
            with self.assertRaisesRegex(edgeprobe.UsageError, ": expected one of"):
                edgeprobe.Probe(self.folder / "b.mcap", **bad)
        frame.end()
        frame.end()
        with self.assertRaisesRegex(edgeprobe.UsageError, "ended"):
            frame.tensor("late", np.zeros(3))
        late = probe.frame()
        probe.close()
        with self.assertRaisesRegex(edgeprobe.UsageError, "closed"):
            late.tensor("late", np.zeros(3))
        with self.assertRaisesRegex(edgeprobe.UsageError, "closed"):
            probe.mark("late")
        self.assertEqual(probe.close(), probe.statistics())
        self.assertFalse(probe.is_open)

    def test_a_wrong_argument_is_named_in_one_sentence(self):
        pixels, values = np.zeros((4, 4, 3), np.uint8), np.zeros(3, np.int8)
        with edgeprobe.Probe(self.path) as probe, probe.frame() as frame:

            def span(name):
                with frame.span(name):
                    pass

            for call, sentence in (
                    (lambda: frame.tensor(5, values), "frame.tensor(): name is 5 (int), expected a str"),
                    (lambda: frame.tensor("x", values, 3), "stage=3: expected one of 'intermediate', "),
                    (lambda: frame.tensor("x", values, ["layer"]), "frame.tensor(): stage is ['layer'] (list), expected a str"),
                    (lambda: frame.tensor("x", values, scale="fine"), "frame.tensor(): scale is 'fine' (str), expected a number or a list of numbers, or None"),
                    (lambda: frame.tensor("x", values, scale=1, zero_point=["a"]), "frame.tensor(): zero_point is ['a'] (list), expected a number"),
                    (lambda: frame.tensor("x", values, position="first"), "frame.tensor(): position is 'first' (str), expected a whole number from -2147483648"),
                    (lambda: frame.tensor("x", values, axis=None), "frame.tensor(): axis is None, expected a whole number"),
                    (lambda: frame.tensor("x", values, layer_type=7), "frame.tensor(): layer_type is 7 (int), expected a str, or None"),
                    (lambda: frame.tensor("x", object()), "the tensor 'x' has the dtype object"),
                    (lambda: frame.image(None, pixels), "frame.image(): name is None, expected a str"),
                    (lambda: frame.image("x", "picture.png"), "the picture 'x' is a path, and frame.image() takes pixels"),
                    (lambda: frame.image("x", pixels, rotation="90"), "frame.image(): rotation is '90' (str), expected a whole number"),
                    (lambda: frame.image("x", pixels, mirrored="no"), "frame.image(): mirrored is 'no' (str), expected True or False"),
                    (lambda: frame.image("x", pixels, {}), "frame.image(): format is {} (dict), expected a str, or None"),
                    (lambda: frame.image("x", bytes(24), "nv12", width=-4, height=4), "frame.image(): width is -4 (int), expected a whole number from 0"),
                    (lambda: frame.audio("x", np.zeros(3, np.int16), "16k"), "frame.audio(): samples_per_second is '16k' (str), expected a whole"),
                    (lambda: frame.readings("x", np.zeros(3), "50 Hz"), "frame.readings(): steps_per_second is '50 Hz' (str), expected a number"),
                    (lambda: frame.readings("x", np.zeros((3, 65))), "readings have 1 to 64 axes"),
                    (lambda: frame.encoded("x", "text"), "frame.encoded(): data is 'text' (str), expected bytes"),
                    (lambda: frame.sample(b"cat.png"), "frame.sample(): name is b'cat.png' (bytes), expected a str"),
                    (lambda: frame.label("cat"), "frame.label(): label is 'cat' (str), expected a whole number"),
                    (lambda: frame.label(1 << 40), "frame.label(): label is 1099511627776 (int), expected a whole number from -2147483648 to 2147483647"),
                    (lambda: frame.trip(None), "frame.trip(): reason is None, expected a str"),
                    (lambda: frame.variable(1, 2), "frame.variable(): name is 1 (int), expected a str"),
                    (lambda: span(3), "frame.span(): name is 3 (int), expected a str"),
                    (lambda: probe.mark(3), "probe.mark(): name is 3 (int), expected a str"),
                    (lambda: probe.mark("a", 3), "probe.mark(): text is 3 (int), expected a str, or None"),
                    (lambda: probe.sensor("lux", "bright"), "probe.sensor(): values is 'bright' (str), expected a number or a list of numbers, or None"),
                    (lambda: probe.sensor("lux", 3, unit=None), "probe.sensor(): unit is None, expected a str"),
                    (lambda: probe.frame(sample=5), "probe.frame(): sample is 5 (int), expected a str, or None"),
                    (lambda: probe.frame(label="cat"), "probe.frame(): label is 'cat' (str), expected a whole number")):
                with self.assertRaises(edgeprobe.UsageError) as caught:
                    call()
                self.assertTrue(str(caught.exception).startswith(sentence), f"{caught.exception} / {sentence}")
                self.assertNotIn("\n", str(caught.exception))
                if "(): " in sentence:
                    self.assertIsInstance(caught.exception, TypeError)
                    self.assertTrue(caught.exception.__suppress_context__)
        new = self.folder / "new.mcap"
        for options, sentence in (({"every": -1}, "every is -1 (int), expected a whole number from 0 to 4294967295"), ({"every": 1.5}, "every is 1.5 (float)"),
                                  ({"time_share": "1%"}, "time_share is '1%' (str), expected a number"), ({"raw_bytes": "64 MB"}, "raw_bytes is '64 MB' (str)"),
                                  ({"include": 5}, "include is 5 (int), expected a str or a list of them, or None"), ({"exclude": [1]}, "exclude is [1] (list)"),
                                  ({"sketch": "yes"}, "sketch is 'yes' (str), expected True or False"), ({"redact": 3}, "redact is 3 (int), expected a function, or None"),
                                  ({"level": ["io"]}, "level is ['io'] (list), expected a str")):
            with self.assertRaises(edgeprobe.ArgumentError) as caught:
                edgeprobe.Probe(new, **options).close()
            self.assertTrue(str(caught.exception).startswith("Probe(): " + sentence), caught.exception)
            self.assertFalse(new.exists())
        with self.assertRaisesRegex(edgeprobe.ArgumentError, r"^Probe\(\): path is 5 \(int\), expected a str or a path$"):
            edgeprobe.Probe(5)
        quiet = edgeprobe.Probe(new, strict=False)
        with quiet.frame() as frame:
            frame.label("cat")
        self.assertIn("frame.label(): label is 'cat'", quiet.error)

    def test_quiet_raises_nothing_at_all(self):
        with self.assertLogs("edgeprobe", "WARNING") as said:
            off = edgeprobe.Probe(self.folder / "no" / "folder" / "t.mcap", strict=False)
        self.assertEqual(len(said.output), 1)
        self.assertIn("no/folder", off.error)
        self.assertFalse(off.is_open)
        probe = edgeprobe.Probe(self.path, strict=False)
        for one in (off, probe):
            with one.frame(sample=5, label="x") as frame:  # arguments of wrong types, too
                frame.tensor("x", object())
                frame.tensor(None, np.zeros(3))
                frame.tensor("fine", np.zeros(3))
                frame.image("x", "no picture")
                frame.audio("x", None, -1)
                frame.readings("x", None, None)
                frame.encoded("x", 3.5)
                frame.variable("x", object)
                frame.sample(None)
                frame.label("z")
                frame.trip(None)
                self.assertIn(frame.wants("model_input"), (True, False))
                with frame.span(3):
                    pass
                with frame.inference():
                    pass
                self.assertEqual(frame.number, 0)
            frame.tensor("late", np.zeros(3))
            one.mark(1)
            one.sensor("x", "y")
            one.describe(model=3)
            one.flush()
            one.close()
            one.mark("late")
            with one.frame() as frame:
                frame.tensor("late", np.zeros(3))
        self.assertGreater(probe.failures, 5)
        with edgeprobe.load(self.path) as trace:
            self.assertIn("fine", trace.frames[0])

    def test_only_the_library_decides_when_the_application_forgets(self):
        probe = edgeprobe.Probe(self.path)
        probe.frame().tensor("x", np.zeros(3))
        del probe
        gc.collect()
        with edgeprobe.load(self.path) as trace:
            self.assertTrue(trace.finished)
        script = ("import edgeprobe, numpy, sys\np = edgeprobe.Probe(sys.argv[1])\nf = p.frame()\nf.tensor('x', numpy.zeros(3))\n"
                  "with p.frame() as g: g.tensor('x', numpy.ones(3))\n")
        done = subprocess.run([sys.executable, "-c", script, str(self.folder / "end.mcap")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with edgeprobe.load(self.folder / "end.mcap") as trace:
            self.assertTrue(trace.finished)
            np.testing.assert_array_equal(trace.frames[1]["x"], np.ones(3))

    def test_without_the_native_module_the_rest_works_and_says_so(self):
        script = ("import edgeprobe\nprint(edgeprobe.load)\ntry: edgeprobe.Probe('x')\nexcept ImportError as error: print(error)")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ, "EDGEPROBE_BUILD": str(self.folder)})
        self.assertIn("function load", done.stdout, done.stderr)
        self.assertIn("script/setup --test", done.stdout)

    def test_names_of_any_bytes(self):
        names = ["", "a/b c", "%41", "new\nline", "ü", "日本", os.fsdecode(b"\xff\xfe.png"), "x" * 3000]
        with edgeprobe.Probe(self.path) as probe:
            for i, name in enumerate(names):
                with probe.frame(sample=name) as frame:
                    frame.tensor(name, np.array([i]))
                    frame.variable("text", name)
        with edgeprobe.load(self.path) as trace:
            self.assertEqual(trace.problems, [])
            for i, name in enumerate(names):
                frame = trace.frames[i]
                self.assertEqual(frame.sample or "", name)
                self.assertEqual(int(frame[f"intermediate/{name}"][0]), i)
                self.assertEqual(frame.variables["text"], name)

    def test_threads(self):
        picture = np.random.default_rng(4).integers(0, 256, (110, 110, 3), np.uint8)  # 36 kB: beyond the size at which the interpreter's lock is released
        errors = []
        with edgeprobe.Probe(self.path, raw="all", raw_bytes=0, wait_when_full=True) as probe:
            def work(thread):
                try:
                    for i in range(60):
                        with probe.frame(sample=f"{thread}/{i}") as frame:
                            self.assertIs(probe.current, frame)
                            frame.image("camera", picture)
                            frame.tensor("input", np.full((64, 64), thread * 1000 + i, np.float32), "model_input")
                            frame.variable("i", i)
                        probe.sensor("lux", i, "lx")
                except Exception as error:
                    errors.append(error)

            threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
            statistics = probe.close()
        self.assertEqual(errors, [])
        self.assertEqual((statistics.frames, statistics.dropped_frames), (480, 0))
        with edgeprobe.load(self.path) as trace:
            self.assertEqual(len(trace.frames), 480)
            for frame in trace.frames:
                thread, _, i = frame.sample.partition("/")
                self.assertEqual(set(np.unique(frame["input"])), {float(int(thread) * 1000 + int(i))})
                self.assertEqual(frame.variables["i"], float(i))
                np.testing.assert_array_equal(frame["camera"], picture)

    def test_tasks_of_asyncio_have_frames_of_their_own(self):
        import asyncio

        with edgeprobe.Probe(self.path) as probe:
            model = probe.wrap(lambda x: x + 1)

            async def work(i):
                with probe.frame(sample=str(i)):
                    await asyncio.sleep(0.001 * (5 - i))
                    model(np.full(3, i))
                    await asyncio.sleep(0.001)
                self.assertIsNone(probe.current)

            async def all_of_them():
                await asyncio.gather(*(work(i) for i in range(5)))

            asyncio.run(all_of_them())
        with edgeprobe.load(self.path) as trace:
            self.assertEqual(sorted((int(f.sample), int(f["x"][0]), int(f["output"][0])) for f in trace.frames), [(i, i, i + 1) for i in range(5)])

    def test_a_hook_that_refers_to_its_probe_keeps_nothing_alive(self):
        import weakref

        class App:
            def __init__(self, path):
                self.probe = edgeprobe.Probe(path, redact=self.hide)

            def hide(self, name, values):
                self.probe.mark("hidden", name)
                for wrong in (self.probe.close, lambda: self.probe.current.variable("x", 1)):
                    try:
                        wrong()
                    except edgeprobe.UsageError:
                        continue
                    raise AssertionError("a hook called back into the frame")

        app = App(self.path)
        with app.probe.frame() as frame:
            frame.image("camera", np.zeros((4, 4, 3), np.uint8))
        app.probe.close()
        gone = weakref.ref(app)
        del app, frame
        gc.collect()
        self.assertIsNone(gone())

    def test_closing_while_others_record(self):
        for _ in range(6):
            path = self.folder / f"{_}.mcap"
            probe = edgeprobe.Probe(path, strict=False, raw="all")
            stop = threading.Event()

            def work():
                values = np.zeros(40_000, np.uint8)
                while not stop.is_set():
                    with probe.frame() as frame:
                        frame.tensor("x", values)

            threads = [threading.Thread(target=work) for _ in range(3)]
            for one in threads:
                one.start()
            time.sleep(0.005)
            probe.close()
            stop.set()
            for one in threads:
                one.join()
            with edgeprobe.load(path) as trace:
                self.assertTrue(trace.finished)

    def test_a_forked_child_does_nothing(self):
        with edgeprobe.Probe(self.path) as probe:
            with probe.frame() as frame:
                frame.tensor("x", np.zeros(3))
            child = multiprocessing.get_context("fork").Process(target=record, args=(probe,))
            child.start()
            child.join(600)
            self.assertEqual(child.exitcode, 0)
            with probe.frame() as frame:
                frame.tensor("x", np.ones(3))
        with edgeprobe.load(self.path) as trace:
            self.assertTrue(trace.finished)
            self.assertEqual(trace.problems, [])
            self.assertEqual([float(frame["x"][0]) for frame in trace.frames], [0.0, 1.0])

    def test_sampling_triggers_and_marks(self):
        with edgeprobe.Probe(self.path, every=3) as probe:
            for i in range(9):
                with probe.frame() as frame:
                    frame.tensor("x", np.array([i]))
                    if i == 4:
                        frame.trip("odd")
        with edgeprobe.load(self.path) as trace:
            self.assertEqual(len(trace.frames), 9)
            recorded = [frame.number for frame in trace.frames if "x" in frame]
            self.assertTrue(set(recorded) >= {0, 3, 6}, recorded)
            self.assertTrue(any(mark.text.startswith("odd") for mark in trace.marks), trace.marks)
        low = self.folder / "low.mcap"
        with edgeprobe.Probe(low, sampling="trigger", before=1, below_confidence=0.5) as probe:
            for i, confidence in enumerate((0.9, 0.8, 0.3, 0.9, 0.9)):
                with probe.frame() as frame:
                    frame.tensor("in", np.array([i], np.float32), "model_input")
                    frame.tensor("scores", np.array([confidence, 0.1], np.float32), "model_output", position=0)
        with edgeprobe.load(low) as trace:
            self.assertEqual([frame.number for frame in trace.frames if "in" in frame], [1, 2])

    def test_defaults_are_those_of_the_header(self):
        import inspect

        from edgeprobe import _native
        from edgeprobe.recording import probe

        shown = {name: p.default for name, p in inspect.signature(edgeprobe.Probe.__init__).parameters.items() if name not in ("self", "path", "strict", "redact", "include", "exclude")}
        table = {"level": probe._LEVELS, "raw": probe._RAW, "sampling": probe._SAMPLING}
        self.assertEqual({name: table[name][value] if name in table else value for name, value in shown.items()}, _native.default_options())
        self.assertEqual(_native.abi_version() // 1000, 1)
        self.assertEqual(_native.version().replace("-", ""), edgeprobe.__version__)  # as PEP 440 spells it

    def test_every_status_has_its_exception(self):
        from edgeprobe import _native, errors

        kinds = {"USAGE": edgeprobe.UsageError, "NOT_FOUND": edgeprobe.NotFoundError, "CORRUPT": edgeprobe.CorruptError, "UNSUPPORTED": edgeprobe.UnsupportedError,
                 "LIMIT": edgeprobe.LimitError, "FAILED": edgeprobe.FailedError, "OFF": edgeprobe.OffError}
        self.assertEqual({getattr(_native, name): kind for name, kind in kinds.items()}, errors.OF_STATUS)
        header = (ROOT / "bindings" / "c" / "include" / "edgeprobe.h").read_text()
        listed = header.split("typedef enum edgeprobe_status {")[1].split("}")[0].count("EDGEPROBE_")
        self.assertEqual(len(kinds) + 1, listed)
        error = errors.error_of_status(5, "the disk is full")
        self.assertEqual((str(error), isinstance(error, edgeprobe.Error)), ("the disk is full", True))


def record(probe):
    with probe.frame() as frame:
        frame.tensor("x", np.full(3, 9.0))
    probe.mark("child")
    probe.close()


if __name__ == "__main__":
    support.main()
