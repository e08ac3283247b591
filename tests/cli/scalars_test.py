# SPDX-License-Identifier: Apache-2.0
"""diagnose names the logged number that goes with the failing frames; figures are compared with NumPy."""
import itertools
import json
import math

import numpy as np
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

import tool
from tool import MODELS, RECIPE, run

START = 1_700_000_000_000_000_000


def copy_with_sensors(source, target, dark, seed, texts=False, marks=()):
    """The trace as an app would have recorded it: frames in `dark` answer another class; it also has light and other sensors."""
    random = np.random.default_rng(seed)
    light = {}
    with open(source, "rb") as file, open(target, "wb") as out:
        reader = make_reader(file)
        writer = Writer(out, compression=CompressionType.NONE)
        writer.start(profile="edgeprobe", library="test")
        ids = {}
        for _, channel, message in reader.iter_messages(log_time_order=False):
            if channel.id not in ids:
                ids[channel.id] = writer.register_channel(channel.topic, channel.message_encoding, 0, channel.metadata)
            data, frame = message.data, message.sequence
            if channel.topic.startswith("/model_output/") and frame in dark:
                data = np.roll(np.frombuffer(data, np.float32), 1).tobytes()
            time = START + frame * 100_000_000
            writer.add_message(ids[channel.id], log_time=time, publish_time=time, sequence=frame, data=data)
        frames = sorted({m.sequence for _, c, m in reader.iter_messages() if c.topic == "/frame"})
        driver = writer.register_channel("/variable/driver", "x-tensor", 0, {"dtype": "uint8", "shape": "-1", "encoding": "utf8"})
        camera = writer.register_channel("/variable/camera", "x-tensor", 0, {"dtype": "uint8", "shape": "-1", "encoding": "utf8"})
        for frame in (frames if texts else ()):
            time = START + frame * 100_000_000
            for channel, text in ((driver, "535.2" if frame in dark and frame % 8 else "5%d" % random.integers(30, 33)), (camera, "cam%d" % random.integers(0, 3))):
                writer.add_message(channel, log_time=time, publish_time=time, sequence=frame, data=text.encode())
        for frame, name, text in marks:
            channel = writer.register_channel("/mark/" + name, "json", 0, {})
            time = START + frame * 100_000_000 - 1
            writer.add_message(channel, log_time=time, publish_time=time, sequence=0, data=json.dumps({"text": text}).encode())
        sensors = {name: writer.register_channel("/sensor/" + name, "json", 0, {}) for name in ("light", "gyroscope")}
        for number, frame in enumerate(frames):
            light[frame] = float(random.uniform(5, 60) if frame in dark else random.uniform(40, 400))
            rates = random.normal(size=3).tolist()
            time = START + frame * 100_000_000 + 20_000_000  # at its own time
            for name, values, unit in (("light", [light[frame]], "lx"), ("gyroscope", rates, "rad/s")):
                writer.add_message(sensors[name], log_time=time, publish_time=time, sequence=number,
                                   data=json.dumps({"values": values, "unit": unit, "frame": frame}).encode())
        writer.finish()
    return frames, light


class ScalarsTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.reference, self.app = self.folder / "reference.mcap", self.folder / "app.mcap"
        data = self.folder / "data"
        data.mkdir()
        for file in itertools.islice(sorted((MODELS / "data" / "test").iterdir()), 80):
            (data / file.name).symlink_to(file)
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", data, "--trace", self.reference, expect=0)

    def test_light_goes_with_the_frames_that_fail(self):
        dark = set(range(0, 80, 4)) | set(range(1, 80, 9))
        frames, light = copy_with_sensors(self.reference, self.app, dark, 1)
        done = run("diagnose", self.app, "--reference-trace", self.reference, "--json", expect={3, 4})
        told = json.loads(done.out)["scalars"]
        self.assertEqual((told["failing"], told["failing_frames"], told["other_frames"]), ("another class than the reference", len(dark), 80 - len(dark)))
        tests = {t["name"]: t for t in told["tests"]}
        for name in ("light", "gyroscope[0]", "gyroscope[1]", "gyroscope[2]", "|gyroscope|"):
            self.assertIn(name, tests)
        found = tests["light"]
        fail, other = ([light[f] for f in frames if (f in dark) == wanted] for wanted in (True, False))
        wins = sum((a > b) + (a == b) / 2 for a in fail for b in other)
        self.assertAlmostEqual(found["effect"], 2 * wins / (len(fail) * len(other)) - 1, places=9)
        self.assertAlmostEqual(found["failing_median"], float(np.median(fail)), places=9)
        self.assertAlmostEqual(found["other_median"], float(np.median(other)), places=9)
        # The normal approximation; ours may only be wider, because successive values depend on each other.
        n, m = len(fail), len(other)
        z = (abs(wins - n * m / 2) - 0.5) / math.sqrt(n * m * (n + m + 1) / 12)
        self.assertGreaterEqual(found["p"], math.erfc(z / math.sqrt(2)) * 0.999)
        self.assertLess(found["p_corrected"], 1e-4)
        self.assertTrue(found["tells"])
        self.assertEqual([t["name"] for t in told["tests"] if t["tells"]], ["light"])
        self.assertIn("have less 'light' than the others", told["sentence"])
        text = " ".join(run("diagnose", self.app, "--reference-trace", self.reference, expect={3, 4}).out.split())
        self.assertIn("have less 'light' than the others", text)

    def test_a_driver_goes_with_the_frames_that_fail(self):
        dark = set(range(0, 80, 4)) | set(range(1, 80, 9))
        copy_with_sensors(self.reference, self.app, dark, 1, texts=True)
        page = self.folder / "page.html"
        done = run("diagnose", self.app, "--reference-trace", self.reference, "--json", "--html", page, expect={3, 4})
        told = json.loads(done.out)["scalars"]
        driver, camera = told["categories"]
        with_driver = sum(frame % 8 > 0 for frame in dark)
        self.assertEqual([driver[key] for key in ("name", "value", "value_failing", "value_frames", "tells", "categories")], ["driver", "535.2", with_driver, with_driver, True, 4])
        self.assertEqual([camera["name"], camera["tells"]], ["camera", False])
        self.assertIn("the text 'driver' goes with the frames that fail", told["sentence"])
        self.assertIn("driver (text of 4 values)", page.read_text())

    def test_marks_are_texts_that_hold_until_the_next(self):
        dark = {frame for frame in range(80) if frame // 5 % 2}
        marks = [(frame, "camera", "night" if frame in dark else "day") for frame in range(0, 80, 5)]
        copy_with_sensors(self.reference, self.app, dark, 1, marks=[*marks[1:], (40, "app", "update")])
        told = json.loads(run("diagnose", self.app, "--reference-trace", self.reference, "--json", expect={3, 4}).out)["scalars"]
        tests = {test["name"]: test for test in told["categories"]}
        self.assertEqual({name: test["categories"] for name, test in tests.items()}, {"mark camera": 3, "mark app": 2})  # "(none yet)" comes first
        night = tests["mark camera"]
        self.assertEqual((night["value"], night["value_failing"], night["value_frames"], night["tells"]), ("night", 40, 40, True))
        self.assertFalse(tests["mark app"]["tells"])

    def test_without_failures_it_says_so_and_without_sensors_nothing(self):
        copy_with_sensors(self.reference, self.app, set(), 2)
        told = json.loads(run("diagnose", self.app, "--reference-trace", self.reference, "--json", expect={0, 4}).out)["scalars"]
        self.assertEqual(told["tests"], [])
        self.assertIn("0 of 80 frames fail", told["skipped"])
        self.assertIsNone(json.loads(run("diagnose", self.reference, "--reference-trace", self.reference, "--json", expect={0, 4}).out)["scalars"])


if __name__ == "__main__":
    tool.main()
