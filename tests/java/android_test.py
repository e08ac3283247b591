# SPDX-License-Identifier: Apache-2.0
"""The Android module: runs its JUnit tests under Robolectric, then reads their recordings with the official reader and with edgeprobe."""
import json
import pathlib
import re
import subprocess
import sys
import unittest

import maven

EDGEPROBE, BUILD = sys.argv[1], pathlib.Path(sys.argv[2])
TARGET = maven.target(BUILD) / "android"


def series(path):
    """{topic: [(time, object)]} by the official reader."""
    from mcap.reader import make_reader

    found = {}
    with open(path, "rb") as file:
        for _, channel, message in make_reader(file).iter_messages(log_time_order=False):
            if channel.message_encoding == "json":
                found.setdefault(channel.topic, []).append((message.log_time, json.loads(message.data)))
    return found


class AndroidTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = maven.android(BUILD, "verify")
        print(done.stdout)
        assert done.returncode == 0, "mvn verify failed"

    def test_tests_ran(self):
        reports = [path.read_text() for path in (TARGET / "surefire-reports").glob("TEST-*.xml")]
        ran = sum(int(re.search(r'<testsuite [^>]*tests="(\d+)"', report)[1]) for report in reports)
        print(f"{ran} JUnit tests under Robolectric")
        self.assertGreaterEqual(ran, 12)
        self.assertFalse([report for report in reports if "<skipped" in report])

    def test_every_trace_is_sound(self):
        traces = sorted((TARGET / "traces").glob("*.mcap"))
        self.assertGreaterEqual(len(traces), 10)
        for path in traces:
            done = subprocess.run([EDGEPROBE, "trace", "verify", path], capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, f"{path.name}: {done.stdout}{done.stderr}")

    def test_names_and_units_are_those_of_linux(self):
        source = (maven.ROOT / "src/meter/iio.cc").read_text()
        linux = dict(re.findall(r'\{"\w+", "([\w ]+)", "([^"]*)", [\d.e-]+\}', source))
        self.assertEqual(linux["accelerometer"], "m/s^2")
        said = series(TARGET / "traces" / "android-all.mcap")
        units = {topic.removeprefix("/sensor/"): moments[0][1]["unit"] for topic, moments in said.items() if topic.startswith("/sensor/")}
        self.assertEqual(units.pop("temperature battery"), "degC")
        self.assertEqual(units.pop("thermal status"), "")
        self.assertEqual(len(units), 7)
        for name, unit in units.items():
            self.assertEqual(unit, linux[name], name)

    def test_absent_is_null_with_a_reason(self):
        said = series(TARGET / "traces" / "android-absent.mcap")
        absent = {topic: moments[0][1] for topic, moments in said.items() if moments[0][1].get("values", 0) is None}
        self.assertEqual(len(absent), 7, said)
        self.assertTrue(all(moment["reason"] for moment in absent.values()))


if __name__ == "__main__":
    maven.require(android=True)
    del sys.argv[1:]
    unittest.main(verbosity=2)
