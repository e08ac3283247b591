# SPDX-License-Identifier: Apache-2.0
"""The Python package, compared with the official MCAP reader, Pillow and the command line."""
import inspect
import io
import json
import pathlib
import random
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "cli")]

import numpy as np
from mcap.reader import make_reader
from PIL import Image

import edgeprobe
import tool
from tool import MODELS, RECIPE, run

FRAMES = 6
DATA = ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv", "--frames", FRAMES]


def official(path):
    """{(frame, topic): (metadata, bytes)} by the official reader."""
    with open(path, "rb") as file:
        return {(m.sequence, c.topic): (dict(c.metadata), m.data) for _, c, m in make_reader(file).iter_messages()}


def stages(image):
    resized = np.asarray(Image.fromarray(image).resize((64, 64), Image.Resampling.BILINEAR))
    return {"resized": resized, "input": (resized / np.float32(127.5) - 1)[np.newaxis].astype(np.float32)}


class PackageTest(tool.ToolTest):
    def trace(self, name="t.mcap", model="signs_int8", *more):
        path = self.folder / name
        recipe = RECIPE + (" | quantize(model)" if model == "signs_int8" else "")
        run("run", MODELS / f"{model}.tflite", "--recipe", recipe, *DATA, "--trace", path, *more, expect=0)
        return path

    def assert_same(self, path):
        expected = official(path)
        seen = set()
        with edgeprobe.load(path) as trace:
            self.assertTrue(trace.finished)
            self.assertEqual(trace.problems, [])
            for frame in trace.frames:
                for name in frame:
                    metadata, data = expected[frame.number, "/" + name]
                    seen.add((frame.number, "/" + name))
                    value = frame[name]
                    if metadata.get("encoding") == "encoded":
                        self.assertEqual(value, data)
                        continue
                    wanted = np.frombuffer(data, metadata["dtype"]).reshape([int(d) for d in metadata["shape"].split(",")])
                    self.assertEqual(value.dtype, wanted.dtype)
                    np.testing.assert_array_equal(value, wanted)
                    if "scale" in metadata:
                        scale, zero = (np.array(metadata[k].split(","), np.float64) for k in ("scale", "zero_point"))
                        if scale.size == 1:
                            np.testing.assert_allclose(frame.real(name), (wanted.astype(np.float64) - zero) * scale, rtol=1e-6)
                record = json.loads(expected[frame.number, "/frame"][1])
                self.assertEqual((frame.sample, frame.label), (record["sample"], record["label"]))
        self.assertEqual(seen, {key for key in expected if key[1] != "/frame"})

    def test_a_trace_says_what_it_lacks(self):
        from mcap.writer import Writer

        path = self.folder / "d.mcap"
        with open(path, "wb") as out:
            w = Writer(out, chunk_size=50)
            w.start(profile="edgeprobe", library="test")
            channel = w.register_channel("/layer/a", "x-tensor", 0, {"dtype": "uint8", "shape": "1"})
            for frame in range(20):
                w.add_message(channel, log_time=1, publish_time=1, sequence=frame, data=b"a")
            w.add_metadata("edgeprobe.dropped", {"frames": "3", "messages": "7"})
            w.finish()
        with edgeprobe.load(path) as trace:
            self.assertEqual((trace.dropped_frames, trace.dropped_tensors), (3, 7))
            self.assertEqual(repr(trace), f"<Trace {str(path)!r}: 20 frames, 3 dropped, 1 tensors>")
        for said, found in (({"frames": "many"}, 0), ({"frames": "-1"}, 0), ({}, 0)):
            with open(path, "wb") as out:
                w = Writer(out)
                w.start(profile="edgeprobe", library="test")
                w.add_metadata("edgeprobe.dropped", said)
                w.finish()
            with edgeprobe.load(path) as trace:
                self.assertEqual((trace.dropped_frames, trace.dropped_tensors), (found, 0))
                self.assertIn(": 0 frames, 0 tensors>", repr(trace))
        path.write_bytes(path.read_bytes()[:-20])
        with edgeprobe.load(path) as trace:
            self.assertIn("0 frames, not finished,", repr(trace))

    def test_every_number_is_the_official_readers(self):
        path = self.trace("t.mcap", "signs_int8", "--level", "layers")
        self.assert_same(path)
        for codec in ("zstd", "lz4"):
            packed = self.folder / f"{codec}.mcap"
            run("trace", "pack", path, "--out", packed, "--compression", codec, expect=0)
            self.assert_same(packed)

    def test_names_and_errors(self):
        with edgeprobe.load(self.trace()) as trace:
            frame = trace.frames[0]
            self.assertEqual(frame["image"].shape, (1, 64, 64, 3))  # the model input comes before the raw one
            self.assertIsInstance(frame["raw_input/image"], bytes)
            self.assertEqual(frame.channel("probabilities").dtype, "int8")
            np.testing.assert_array_equal(frame.picture(), np.asarray(Image.open(io.BytesIO(frame["raw_input/image"])).convert("RGB")))
            self.assertEqual(len(trace.frames[1:3]), 2)
            with self.assertRaisesRegex(KeyError, "no tensor 'absent'; it has .*model_input/image"):
                frame["absent"]
            with self.assertRaises(TypeError):
                frame.real("raw_input/image")
            with self.assertRaises(ValueError):  # views of the file's bytes
                frame["image"][...] = 0
            self.assertEqual(trace.metadata["edgeprobe.run"]["model"], "signs_int8.tflite")

    def test_files_that_are_damaged_or_none(self):
        none = self.folder / "none.mcap"
        for content in (b"", b"no trace at all", b"\x89MCAP1\r\n"):
            none.write_bytes(content)
            with self.assertRaisesRegex(edgeprobe.TraceError, "none.mcap' is not a trace: ."):
                edgeprobe.load(none)
        with self.assertRaises(FileNotFoundError):
            edgeprobe.load(self.folder / "absent.mcap")
        whole = self.trace("t.mcap", "signs_float", "--level", "layers").read_bytes()
        cut = self.folder / "cut.mcap"
        first = whole.index(b"\x06", 8)
        for end in (*range(first - 20, first + 20), *range(len(whole) - 40, len(whole) - 8), *range(100, len(whole), len(whole) // 40)):
            cut.write_bytes(whole[:end])
            with edgeprobe.load(cut) as trace:
                self.assertFalse(trace.finished)
                self.assertTrue(trace.problems)
                for frame in trace.frames:
                    self.assertEqual(len([frame[name] for name in frame]), len(frame))
        flipped = bytearray(whole)
        flipped[len(whole) // 3] ^= 0x40
        cut.write_bytes(flipped)
        with edgeprobe.load(cut) as trace:
            self.assertIn("damaged", " ".join(trace.problems))
        rng = random.Random(1)
        small = self.trace("small.mcap", "signs_float", "--no-raw").read_bytes()
        read = 0
        for _ in range(150):
            broken = bytearray(small)
            for _ in range(rng.choice((1, 1, 4))):
                broken[rng.randrange(len(broken)) if rng.random() < 0.3 else rng.randrange(3000)] = rng.randrange(256)
            cut.write_bytes(broken)
            try:
                with edgeprobe.load(cut) as trace:
                    read += sum(1 for frame in trace.frames for name in frame if frame[name] is not None)
            except edgeprobe.TraceError:
                pass  # the only error that a file's bytes can cause
        self.assertGreater(read, 150)

    def test_replay_writes_what_the_command_line_reads(self):
        source, out = self.trace("t.mcap", "signs_float"), self.folder / "r.mcap"
        self.assertEqual(edgeprobe.replay(source, stages, out), FRAMES)
        with edgeprobe.load(source) as recorded, edgeprobe.load(out) as replayed:
            self.assertEqual(len(replayed.frames), FRAMES)
            for before, after in zip(recorded.frames, replayed.frames):
                self.assertEqual((before.number, before.sample, before.label), (after.number, after.sample, after.label))
                for name, array in stages(before.picture()).items():
                    np.testing.assert_array_equal(after[name], array)
        script = self.folder / "prep.py"
        script.write_text("import numpy as np\nfrom PIL import Image\n\n\n" + inspect.getsource(stages))
        by_tool = self.folder / "c.mcap"
        run("replay", source, "--pipeline", f"{script}:stages", "--python", sys.executable, "--trace", by_tool, expect=0)
        layers = json.loads(run("compare", out, by_tool, "--json", expect=0).out)["layers"]
        self.assertEqual({layer["name"] for layer in layers}, {"resized", "input"})
        for layer in layers:  # JPEG decoders may differ by a step of 255
            self.assertLess(layer["rmse_over_range"], 0.004)

    def test_replay_says_what_is_wrong_and_leaves_nothing_behind(self):
        source, out = self.trace(), self.folder / "r.mcap"
        for function, sentence in ((lambda image: None, "None was returned"), (lambda image: {"a": image.astype(complex)}, "complex128"),
                                   (lambda image: [[1], [2, 3]], "cannot be made an array"), (lambda image: {"": image}, "not empty")):
            with self.assertRaisesRegex(ValueError, f"frame 0 .*{sentence}"):
                edgeprobe.replay(source, function, out)
        with self.assertRaises(ZeroDivisionError):
            edgeprobe.replay(source, lambda image: 1 / 0, out)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["t.mcap"])
        out.write_bytes(b"kept")
        with self.assertRaises(FileExistsError):
            edgeprobe.replay(source, stages, out)
        self.assertEqual(out.read_bytes(), b"kept")

    def test_replay_of_traces_without_pictures(self):
        source, out = self.trace("t.mcap", "signs_float", "--no-raw"), self.folder / "r.mcap"
        with self.assertRaisesRegex(ValueError, "no raw inputs"):
            edgeprobe.replay(source, stages, out)
        self.assertEqual(edgeprobe.replay(source, stages, out, data=MODELS / "data" / "test"), FRAMES)

        def encoded(data: bytes):
            return np.frombuffer(data, np.uint8)[:16]

        edgeprobe.replay(source, encoded, out, data=MODELS / "data" / "test", replace=True)
        with edgeprobe.load(out) as replayed:
            first = replayed.frames[0]
            self.assertEqual(bytes(first["input"]), (MODELS / "data" / "test" / first.sample).read_bytes()[:16])


if __name__ == "__main__":
    tool.main()
