# SPDX-License-Identifier: Apache-2.0
"""One application in C++, Python and Java writes a trace each: the official MCAP reader finds equal tensors."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "java"))
import maven

PROGRAM, BUILD = sys.argv[1], pathlib.Path(sys.argv[2])
SERIES = ("/sensor/", "/mark/", "/level")
# Facts about the moment or the writing program, not about the application.
OF_ITS_OWN = {"edgeprobe.run": {"started", "tool", "crc32"}}


def read(path):
    """Tensors {(frame, topic): (metadata, bytes)}, frame records, series [(topic, value)] and Metadata records."""
    from mcap.reader import make_reader

    tensors, frames, series, records = {}, {}, [], {}
    with open(path, "rb") as file:
        reader = make_reader(file)
        for _, channel, message in reader.iter_messages(log_time_order=False):
            if channel.topic.startswith(SERIES):
                series.append((channel.topic, json.loads(message.data)))
            elif channel.topic == "/frame":
                frames[message.sequence] = json.loads(message.data)
            else:
                key = message.sequence, channel.topic
                assert key not in tensors, key
                assert channel.message_encoding == "x-tensor", channel
                tensors[key] = dict(channel.metadata), message.data
        for record in reader.iter_metadata():
            kept = {k: v for k, v in record.metadata.items() if k not in OF_ITS_OWN.get(record.name, set())}
            records[record.name] = kept
    return tensors, frames, sorted(series, key=lambda item: item[0]), records


class SnippetsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="edgeprobe_test_")
        folder = pathlib.Path(cls._folder.name)
        maven.javac(BUILD, folder / "classes", HERE / "App.java")
        done = subprocess.run([PROGRAM, folder / "c++.mcap"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        done = maven.java(BUILD, folder / "classes", "App", folder / "java.mcap", options=["-Xcheck:jni"])
        assert done.returncode == 0, done.stderr
        assert done.stdout == "", done.stdout  # Anything that the virtual machine complains about in native code.
        environment = dict(os.environ, PYTHONPATH=str(maven.ROOT / "python"), EDGEPROBE_BUILD=str(BUILD))
        done = subprocess.run([sys.executable, HERE / "app.py", folder / "python.mcap"], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        cls.traces = {name: read(folder / f"{name}.mcap") for name in ("c++", "python", "java")}

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def each(self):
        for name in ("python", "java"):
            with self.subTest(name):
                yield self.traces["c++"], self.traces[name]

    def test_tensors(self):
        topics = {topic for _, topic in self.traces["c++"][0]}
        self.assertEqual(len(topics), 38, sorted(topics))
        self.assertNotIn("/variable/secret key", topics)
        for ours, theirs in self.each():
            self.assertEqual(set(ours[0]), set(theirs[0]))
            for key, (metadata, values) in ours[0].items():
                self.assertEqual(theirs[0][key][0], metadata, key)
                if not key[1].startswith("/span/"):  # Times differ.
                    self.assertEqual(theirs[0][key][1], values, key)
        print(len(self.traces["c++"][0]), "tensors on", len(topics), "topics are equal in C++, Python and Java")

    def test_values_are_those_of_the_application(self):
        for tensors, _, _, _ in self.traces.values():
            camera = b"".join(bytes(range(2 + 16 * row, 14 + 16 * row)) for row in range(3))
            self.assertEqual(tensors[2, "/raw_input/camera"][1], camera)
            self.assertEqual(tensors[1, "/variable/answer"][1].decode(), "größer 😀")
            # No boxes: 0 x 4 of float32.
            self.assertEqual(tensors[1, "/answer/none"][1], bytes([1, 4, 0, 2, 0, 8, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0]))
            self.assertIn("größer".encode(), tensors[0, "/answer/answer"][1])
            self.assertEqual(tensors[0, "/variable/assertion.odd.why"][1], b"it is false")
            self.assertNotIn((1, "/variable/assertion.odd.why"), tensors)
            self.assertEqual(tensors[0, "/raw_input/prompt"][1].decode(), "größer 😀")
            self.assertEqual(tensors[2, "/variable/int64"][1], b"".join(value.to_bytes(8, "little") for value in (2, 3, 4)))
            self.assertEqual(tensors[0, "/model_input/image"][0] | {"scale": "0.0078125", "zero_point": "-1", "dtype": "int8"},
                             tensors[0, "/model_input/image"][0])

    def test_frame_records(self):
        for ours, theirs in self.each():
            self.assertEqual(set(ours[1]), {0, 1, 2})
            for frame, record in ours[1].items():
                self.assertEqual(set(record), set(theirs[1][frame]))
                for key in set(record) - {"latency_ns"}:
                    self.assertEqual(record[key], theirs[1][frame][key])

    def test_series(self):
        for ours, theirs in self.each():
            self.assertEqual([topic for topic, _ in ours[2]], ["/mark/assertion.labels", "/mark/assertion.size", "/mark/camera", "/sensor/accelerometer", "/sensor/light"])
            self.assertEqual(ours[2], theirs[2])
            self.assertEqual([event["text"] for _, event in ours[2][:2]], ["holds", "größer"])

    def test_records_about_the_file(self):
        for ours, theirs in self.each():
            self.assertEqual(set(ours[3]), set(theirs[3]))
            for name in set(ours[3]) - {"edgeprobe.frames"}:  # The frames in a chunk depend on timing.
                self.assertEqual(ours[3][name], theirs[3][name], name)


if __name__ == "__main__":
    maven.require()
    if not (maven.target(BUILD) / "classes").exists():
        maven.skip("java_test has not built the Java module")
    if not list((maven.ROOT / "python/edgeprobe").glob("_native*.so")) and not list((BUILD / "python").rglob("_native*.so")):
        maven.skip("the Python module is not built (script/setup --test)")
    del sys.argv[1:]
    unittest.main(verbosity=2)
