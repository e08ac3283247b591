# SPDX-License-Identifier: Apache-2.0
"""--target of the verbs that make models or compare engines: matrix has the device beside this machine, convert checks its result there."""
import json
import sys

import tool
from serve_test import Server
from tool import MODELS, run

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
        # The same kernels here and there: equal distances from the base in every layer.
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


if __name__ == "__main__":
    tool.main()
