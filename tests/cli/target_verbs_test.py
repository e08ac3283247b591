# SPDX-License-Identifier: Apache-2.0
"""--target of the verbs that make models or compare engines: matrix adds the device to this machine's engines, convert checks its result on the device."""
import json
import os
import signal
import subprocess
import sys
import time

import tool
from serve_test import Server
from tool import MODELS, RECIPE, run

INT8 = MODELS / "signs_int8.tflite"
NCHW = (MODELS / "signs_nchw.recipe").read_text().strip()


def requests_in(log):
    return sum(int(line.split(" requests")[0].split()[-1]) for line in log.splitlines() if " requests" in line)


class TargetVerbsTest(tool.ToolTest):
    def test_a_matrix_has_the_engine_of_the_target_as_columns_of_its_own(self):
        server = Server("--engine", "tflite")
        with server:
            common = ["matrix", INT8, "--target", "tcp://" + server.address, "--engines", "tflite:builtin", "--frames", 2]
            found = json.loads(run(*common, "--reference-engine", "target reference", "--json", expect=0).out)
            text = run(*common, "--outputs", expect=0).out
        names = [column["name"] for column in found["columns"]]
        self.assertEqual(names, ["tflite builtin", "target xnnpack", "target builtin", "target reference"])
        self.assertEqual([column["problem"] for column in found["columns"]], [None] * 4)
        self.assertEqual((found["reference"], found["base"]), ("target reference", "target reference"))
        # The same kernels on both machines: equal distances from the base in every layer.
        self.assertEqual(len(found["rows"]), 19)
        for row in found["rows"]:
            self.assertEqual(row["from_base"]["tflite builtin"], row["from_base"]["target builtin"], row)
        self.assertIn("target builtin", text)
        self.assertGreater(requests_in(server.log), 20)

    def test_a_conversion_is_checked_on_the_target(self):
        def converted(name, *flags):
            return json.loads(run("convert", MODELS / "signs_float.onnx", "--to", "int8", "--recipe", NCHW, "-o", self.folder / name, "--json",
                                  "--data", MODELS / "data/test", "--frames", 6, "--python", sys.executable, *flags, expect=0).out)

        here, server = converted("here.onnx"), Server()
        with server:
            there = converted("there.onnx", "--target", "tcp://" + server.address)
        self.assertEqual(here["sha256"], there["sha256"])
        self.assertEqual(here["verdict"]["headline"], there["verdict"]["headline"])
        self.assertEqual((self.folder / "here.onnx").read_bytes(), (self.folder / "there.onnx").read_bytes())
        self.assertGreaterEqual(requests_in(server.log), 6)


class SilentShellTest(tool.ToolTest):
    """A shell to another machine that prints nothing, or does not end: a stand-in for ssh and adb."""

    def started(self, program, says, *flags):
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        (folder / program).write_text(f"#!/bin/sh\n{says}\n")
        (folder / program).chmod(0o755)
        target = "ssh://user@host" if program == "ssh" else "adb:emulator-5554"
        return subprocess.Popen([tool.EXECUTABLE, "run", MODELS / "signs_float.tflite", "--target", target, "--recipe", RECIPE, "--data", MODELS / "data" / "test", "--frames", "1",
                                 "--trace", self.folder / "t.mcap", "--force", *flags], env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_ctrl_c_is_heard(self):
        for program, says in (("ssh", "exec sleep 6000"), ("adb", "exec sleep 6000"), ("ssh", "exec yes >&2")):
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(program=program, says=says, signal=number):
                    process = self.started(program, says)
                    time.sleep(0.5)
                    process.send_signal(number)
                    error = process.communicate(timeout=tool.PATIENCE)[1]
                    self.assertEqual(process.returncode, 130, error)

    def test_the_time_limit_holds(self):
        process = self.started("ssh", "exec sleep 6000", "--time-limit", "0.5")
        error = process.communicate(timeout=tool.PATIENCE)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn("did not answer in time", error)


if __name__ == "__main__":
    tool.main()
