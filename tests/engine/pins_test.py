# SPDX-License-Identifier: Apache-2.0
"""What `edgeprobe fetch` pins is what script/setup fetches, and what the engine accepts as tried."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PINS = (ROOT / "src/engine/fetch/pin.cc").read_text()
HASHES = re.findall(r'"([0-9a-f]{64})"', PINS)


class Pins(unittest.TestCase):
    def test_set_up_has_the_same_version_and_hashes(self):
        setup = (ROOT / "script/setup").read_text()
        wheel = re.search(r"^litert_wheel\(\) \{(.*)\}$", setup, re.M)[1]
        library = re.search(r"^fetch_litert\(\) \{\n(.*?)^\}", setup, re.M | re.S)[1]
        self.assertEqual(re.findall(r"\b[0-9a-f]{64}\b", wheel + library), HASHES[:2])
        self.assertEqual(set(re.findall(r'"ai-edge-litert", "([0-9.]+)"', PINS)), {re.search(r"wheel ai-edge-litert (\S+)", wheel)[1]})

    def test_the_engine_takes_the_pinned_library(self):
        """That for aarch64 was never tried; there --force-engine-version is needed."""
        self.assertEqual(len(HASHES), 4)
        self.assertIn(HASHES[1], (ROOT / "src/engine/litert/engine.cc").read_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
