# SPDX-License-Identifier: Apache-2.0
"""run --sensors: a simulated board with iiod's protocol, read through the real libiio into the series of a trace, on the frames' clock."""
import ctypes
import itertools
import json
import math
import socketserver
import sys
import threading
import time

import tool
from tool import MODELS, RECIPE, run

try:
    ctypes.CDLL("libiio.so.0")
except OSError:
    print("skipped: no libiio.so.0; script/setup --test installs it")
    sys.exit(77)
from mcap.reader import make_reader

ELEMENTS = ("<!ELEMENT context (device | context-attribute)*><!ELEMENT context-attribute EMPTY>"
            "<!ELEMENT device (channel | attribute | debug-attribute | buffer-attribute)*><!ELEMENT channel (scan-element?, attribute*)>"
            "<!ELEMENT attribute EMPTY><!ELEMENT scan-element EMPTY><!ELEMENT debug-attribute EMPTY><!ELEMENT buffer-attribute EMPTY>"
            "<!ATTLIST context name CDATA #REQUIRED description CDATA #IMPLIED><!ATTLIST context-attribute name CDATA #REQUIRED value CDATA #REQUIRED>"
            "<!ATTLIST device id CDATA #REQUIRED name CDATA #IMPLIED><!ATTLIST channel id CDATA #REQUIRED type (input|output) #REQUIRED name CDATA #IMPLIED>"
            "<!ATTLIST scan-element index CDATA #REQUIRED format CDATA #REQUIRED scale CDATA #IMPLIED>"
            "<!ATTLIST attribute name CDATA #REQUIRED filename CDATA #IMPLIED><!ATTLIST debug-attribute name CDATA #REQUIRED>"
            "<!ATTLIST buffer-attribute name CDATA #REQUIRED>")
AXES = "".join(f'<channel id="accel_{a}" type="input"><attribute name="raw" filename="in_accel_{a}_raw"/><attribute name="scale" '
               f'filename="in_accel_scale"/></channel>' for a in "xyz")
XML = (f'<?xml version="1.0" encoding="utf-8"?><!DOCTYPE context [{ELEMENTS}]><context name="local" description="a board">'
       f'<device id="iio:device0" name="bmi160">{AXES}</device><device id="iio:device1" name="tsl2561"><channel id="illuminance" type="input">'
       '<attribute name="input" filename="in_illuminance_input"/></channel><channel id="proximity" type="input">'
       '<attribute name="raw" filename="in_proximity_raw"/></channel></device></context>')


class Board(socketserver.BaseRequestHandler):
    def handle(self):
        for line in self.request.makefile("r"):
            words = line.split()
            if not words:
                continue
            if words[0] == "EXIT":
                return
            if words[0] == "PRINT":
                answer = f"{len(XML)}\n{XML}\n"
            elif words[0] == "TIMEOUT":
                answer = "0\n"
            elif words[0] == "READ" and words[-1] != "raw" or words[-2].startswith("accel"):
                value = {"scale": "0.000598", "input": "312.5"}.get(words[-1], {"accel_x": "0", "accel_y": "-100", "accel_z": "16384"}.get(words[-2])) + "\0"
                answer = f"{len(value)}\n{value}\n"
            else:
                answer = "-19\n"
            self.request.sendall(answer.encode())


class SensorsTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.trace, self.data = self.folder / "t.mcap", self.folder / "data"
        self.data.mkdir()
        for file in itertools.islice(sorted((MODELS / "data" / "test").iterdir()), 8):
            (self.data / file.name).symlink_to(file)

    def record(self, *sensors, expect=0):
        return run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", self.data, "--trace", self.trace, *sensors, expect=expect)

    def series(self):
        found, frames = {}, []
        with open(self.trace, "rb") as file:
            for _, channel, message in make_reader(file).iter_messages():
                if channel.topic.startswith("/sensor/"):
                    found.setdefault(channel.topic[8:], []).append((message.log_time, json.loads(message.data)))
                elif channel.topic == "/frame":
                    frames.append(message.log_time)
        return found, frames

    def test_a_board_s_sensors_stand_beside_the_frames(self):
        with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Board) as board:
            board.daemon_threads = True
            threading.Thread(target=board.serve_forever, daemon=True).start()
            before = time.time_ns()
            self.record("--sensors", f"ip:127.0.0.1:{board.server_address[1]}")
            after = time.time_ns()
            board.shutdown()
        found, frames = self.series()
        moment, data = found["accelerometer"][0]
        self.assertEqual(data["unit"], "m/s^2")
        for value, raw in zip(data["values"], (0, -100, 16384)):
            self.assertTrue(math.isclose(value, raw * 0.000598, abs_tol=1e-12))
        self.assertTrue(before <= moment <= after)
        self.assertTrue(before <= frames[0] <= after)
        self.assertEqual(found["light"][0][1], {"values": [312.5], "unit": "lx"})
        self.assertEqual(len(found["proximity"]), 1, "a sensor that says nothing is told once")
        self.assertIsNone(found["proximity"][0][1]["values"])
        self.assertIn("No such device", found["proximity"][0][1]["reason"])
        self.assertIn("frequency", found)
        self.assertTrue(any(name.startswith("temperature") for name in found))
        run("trace", "verify", self.trace, expect=0)

    def test_without_a_context_reasons_are_recorded_and_one_that_was_asked_for_is_an_error(self):
        self.record("--sensors")
        found, _ = self.series()
        self.assertTrue(found)
        for moments in found.values():
            for _, data in moments:
                self.assertTrue(data["values"] or data["reason"])
        self.trace.unlink()
        self.assertIn("xml:/no/such/file", self.record("--sensors", "xml:/no/such/file", expect=1).err)
        self.assertFalse(self.trace.exists())


if __name__ == "__main__":
    tool.main()
