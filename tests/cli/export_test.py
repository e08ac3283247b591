# SPDX-License-Identifier: Apache-2.0
"""Exports for viewers, read by the official MCAP reader and by protobuf; no code of ours reads them."""
import io
import json
import struct
import zipfile

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer
from PIL import Image

import tool
from tool import run

START = 1_700_000_000_123_456_789
PIXELS = np.arange(12 * 10 * 3, dtype=np.uint8).reshape(12, 10, 3)
INPUT = np.linspace(-1, 1, 12 * 10 * 3, dtype=np.float32).reshape(1, 12, 10, 3)


def png():
    out = io.BytesIO()
    Image.fromarray(PIXELS).save(out, "PNG")
    return out.getvalue()


def trace(path):
    """Everything that an app may record, written by the official writer."""
    with open(path, "wb") as out:
        w = Writer(out, compression=CompressionType.NONE)
        w.start(profile="edgeprobe", library="test")

        def tensor(topic, dtype, shape, **more):
            return w.register_channel(topic, "x-tensor", 0, {"dtype": dtype, "shape": shape, **more})

        def add(channel, frame, time, data):
            w.add_message(channel, log_time=time, publish_time=time, sequence=frame, data=data)

        encoded = tensor("/raw_input/file", "uint8", "-1", encoding="encoded")
        pixels = tensor("/raw_input/camera", "uint8", "12,10,3", encoding="bgr8")
        given = tensor("/model_input/image", "float32", "1,12,10,3")
        layer = tensor("/layer/conv", "float32", "1,4")
        lux = tensor("/variable/lux", "float64", "")
        note = tensor("/variable/note", "uint8", "-1", encoding="utf8")
        span = tensor("/span/resize", "int64", "2")
        record = w.register_channel("/frame", "json", 0, {})
        sensor = w.register_channel("/sensor/accelerometer", "json", 0, {})
        mark = w.register_channel("/mark/camera", "json", 0, {})
        level = w.register_channel("/level", "json", 0, {})
        for frame in range(3):
            time = START + frame * 40_000_000
            add(encoded, frame, time, png())
            add(pixels, frame, time, PIXELS.tobytes())
            add(given, frame, time, INPUT.tobytes())
            add(layer, frame, time, bytes(16))
            add(lux, frame, time, struct.pack("<d", 100.5 + frame))
            add(note, frame, time, "dämmrig".encode())
            add(span, frame, time, struct.pack("<qq", time - 5_000_000, 2_500_000))
            add(record, frame, time, json.dumps({"sample": "a.png", "label": frame, "latency_ns": 1_500_000}).encode())
            add(sensor, frame, time + 1000, b'{"values":[1.5,-2,9.81],"unit":"m/s^2"}')
        add(sensor, 3, START, b'{"values":null,"unit":"m/s^2","reason":"absent"}')
        add(mark, 0, START, b'{"text":"restarted"}')
        add(level, 0, START, b'{"from":"layers","to":"io","reason":"time share"}')
        w.finish()


def decoded(schema, data):
    """Decodes a protobuf message using only the descriptors in the file."""
    files = descriptor_pb2.FileDescriptorSet.FromString(schema.data)
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(schema.name)).FromString(data)


def joint_state(data):
    """sensor_msgs/msg/JointState in CDR: time, names, positions."""
    at = 4

    def take(form, size):
        nonlocal at
        at += -(at - 4) % size
        at += size
        return struct.unpack_from("<" + form, data, at - size)[0]

    def text():
        nonlocal at
        size = take("I", 4)
        at += size
        return data[at - size:at - 1].decode()

    assert data[:4] == b"\0\1\0\0"
    seconds, nanos, frame_id = take("i", 4), take("I", 4), text()
    names = [text() for _ in range(take("I", 4))]
    positions = [take("d", 8) for _ in range(take("I", 4))]
    assert (take("I", 4), take("I", 4), at) == (0, 0, len(data)), "velocity, effort, and nothing behind"
    return seconds * 1_000_000_000 + nanos, frame_id, names, positions


class ExportTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.trace = self.folder / "app.mcap"
        trace(self.trace)

    def view(self):
        out = self.folder / "view.mcap"
        done = run("trace", "export", self.trace, "--view", out, expect=0)
        messages = {}
        with open(out, "rb") as file:
            for schema, channel, message in make_reader(file, validate_crcs=True).iter_messages():
                messages.setdefault(channel.topic, []).append((schema, channel, message))
        return done, messages

    def test_view_has_pictures_that_a_viewer_knows(self):
        _, messages = self.view()
        schema, channel, message = messages["/raw_input/file"][2]
        self.assertEqual((schema.name, schema.encoding, channel.message_encoding), ("foxglove.CompressedImage", "protobuf", "protobuf"))
        picture = decoded(schema, message.data)
        self.assertEqual((picture.format, picture.data), ("png", png()))
        self.assertEqual(picture.timestamp.seconds * 10**9 + picture.timestamp.nanos, START + 80_000_000)
        schema, _, message = messages["/raw_input/camera"][0]
        picture = decoded(schema, message.data)
        self.assertEqual((schema.name, picture.encoding, picture.width, picture.height, picture.step), ("foxglove.RawImage", "bgr8", 10, 12, 30))
        self.assertEqual(picture.data, PIXELS.tobytes())
        schema, _, message = messages["/model_input/image"][0]
        picture = decoded(schema, message.data)
        self.assertEqual(picture.encoding, "rgb8")
        stretched = np.frombuffer(picture.data, np.uint8).astype(float)
        np.testing.assert_allclose(stretched, (INPUT.ravel().astype(float) + 1) / 2 * 255, atol=0.51)

    def test_view_has_curves_and_marks(self):
        done, messages = self.view()
        self.assertNotIn("/layer/conv", messages)
        schema, channel, message = messages["/sensor/accelerometer"][0]
        self.assertEqual((schema.name, schema.encoding, channel.message_encoding), ("sensor_msgs/msg/JointState", "ros2msg", "cdr"))
        self.assertEqual(joint_state(message.data), (START + 1000, "", ["0", "1", "2"], [1.5, -2, 9.81]))
        self.assertEqual(len(messages["/sensor/accelerometer"]), 3, "what a sensor did not give is no point of its curve")
        for topic, wanted in (("/variable/lux", [100.5, 101.5, 102.5]), ("/latency_ms", [1.5] * 3), ("/label", [0, 1, 2]), ("/span_ms/resize", [2.5] * 3)):
            self.assertEqual([joint_state(m.data)[3] for _, _, m in messages[topic]], [[v] for v in wanted], topic)
        logs = [decoded(schema, m.data) for schema, _, m in messages["/log"]]
        self.assertEqual(sorted((log.name, log.message, log.level) for log in logs),
                         sorted([("note", "dämmrig", 2)] * 3 + [("camera", "restarted", 2), ("level", "layers to io: time share", 3)]))

    def test_perfetto_has_the_time_line(self):
        out = self.folder / "t.json"
        run("trace", "export", self.trace, "--perfetto", out, expect=0)
        events = json.loads(out.read_text())["traceEvents"]
        by_name = {}
        for event in events:
            by_name.setdefault(event["name"], []).append(event)
        self.assertEqual([(e["ph"], e["ts"], e["dur"]) for e in by_name["inference"]], [("X", 0, 1500), ("X", 40000, 1500), ("X", 80000, 1500)])
        self.assertEqual([(e["ts"], e["dur"]) for e in by_name["resize"]], [(-5000, 2500), (35000, 2500), (75000, 2500)])
        self.assertEqual([e["args"] for e in by_name["lux"]], [{"value": 100.5}, {"value": 101.5}, {"value": 102.5}])
        self.assertEqual(by_name["accelerometer"][0]["args"], {"0": 1.5, "1": -2, "2": 9.81})
        self.assertEqual(len(by_name["accelerometer"]), 3)
        self.assertEqual(by_name["camera"][0]["args"], {"text": "restarted"})
        self.assertEqual(by_name["level: layers to io"][0]["args"], {"reason": "time share"})

    def test_verify_says_that_a_view_is_sound_and_no_trace(self):
        self.view()
        out = run("trace", "verify", self.folder / "view.mcap", expect=0).out
        self.assertIn("every checksum is right", out)
        self.assertIn("it is a copy for viewers, made by 'trace export --view'", out)
        data = bytearray((self.folder / "view.mcap").read_bytes())
        data[data.index(PIXELS.tobytes()) + 5] ^= 1
        (self.folder / "bad.mcap").write_bytes(data)
        self.assertIn("is not what its writer wrote: 1 problems", run("trace", "verify", self.folder / "bad.mcap", expect=1).err)

    def test_verify_takes_a_camera_beside_the_tensors_for_sound(self):
        path = self.folder / "camera.mcap"
        with open(path, "wb") as out:
            w = Writer(out)
            w.start(profile="edgeprobe", library="test")
            tensor = w.register_channel("/layer/a", "x-tensor", 0, {"dtype": "uint8", "shape": "1"})
            camera = w.register_channel("/camera", "protobuf", 0, {})
            for channel in (tensor, camera):
                w.add_message(channel, log_time=START, publish_time=START, sequence=0, data=b"a")
            w.finish()
        done = run("trace", "verify", path, expect=0)
        self.assertIn("1 channels are another program's", done.out)
        self.assertEqual(done.err, "")

    def test_notes_call_things_by_their_names(self):
        done = run("trace", "export", self.trace, "--csv", self.folder / "t.csv", "--npz", self.folder / "t.npz", expect=0)
        self.assertIn("note: 3 encoded files and 3 texts were left out (--npz keeps them)", done.err)
        members = zipfile.ZipFile(self.folder / "t.npz")
        self.assertEqual(members.read("variable/note/000001.txt").decode(), "dämmrig")
        self.assertEqual(members.read("raw_input/file/000002.bin"), png())

    def test_info_counts_what_a_sensor_gave(self):
        self.assertRegex(run("trace", "info", self.trace, expect=0).out, r"sensor +4 events  accelerometer")


if __name__ == "__main__":
    tool.main()
