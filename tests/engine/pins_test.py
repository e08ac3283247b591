# SPDX-License-Identifier: Apache-2.0
"""The versions that `edgeprobe fetch` pins equal those that script/setup downloads, and those that the engine accepts as tested."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PINS = (ROOT / "src/engine/fetch/pin.cc").read_text()
# : For each pin: machine, package, version, the hash of the archive, the hash of the library.
ROWS = re.findall(r'Pin\{\s*EngineId::k\w+,\s*"(\w+)",\s*k\w+,\s*"([^"]+)",\s*"([^"]+)",\s*"([0-9a-f]{64})",\s*"[^"]+",\s*"([0-9a-f]{64})"', PINS)


class Pins(unittest.TestCase):
    def test_set_up_has_the_same_versions_and_hashes(self):
        setup = (ROOT / "script/setup").read_text()
        here = [row for row in ROWS if row[0] == "x86_64"]
        self.assertEqual(len(here), PINS.count('"x86_64",'))
        self.assertEqual([row[1] for row in here], ["ai-edge-litert", "org.bytedeco:tensorflow-lite:linux-x86_64", "onnxruntime", "apache-tvm", "apache-tvm-ffi"])
        for _, package, version, *hashes in here:
            with self.subTest(package=package):
                name = package.split(":")[1] if ":" in package else package
                self.assertRegex(setup, rf"\b{name}[ :]{re.escape(version)}\b")
                for one in hashes:
                    self.assertIn(one, setup)

    def test_each_has_its_twin_for_arm(self):
        versions = {machine: [(package.split(":")[0], version) for other, package, version, *_ in ROWS if other == machine] for machine in ("x86_64", "aarch64")}
        self.assertEqual(versions["x86_64"], versions["aarch64"])
        hashes = [one for row in ROWS for one in row[3:]]
        self.assertEqual(len(set(hashes)), len(hashes))

    def test_the_engines_know_the_pinned_libraries(self):
        for engine, package in (("litert", "ai-edge-litert"), ("tvm", "apache-tvm")):
            library = next(row[4] for row in ROWS if row[:2] == ("x86_64", package))
            self.assertIn(library, (ROOT / f"src/engine/{engine}/engine.cc").read_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
