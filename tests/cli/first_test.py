# SPDX-License-Identifier: Apache-2.0
"""The places where edgeprobe looks for an engine's library."""
import json
import os
import pathlib
import shutil

import tool
from tool import ROOT, run

#: The library that script/setup installed. Tests that must not find it copy the program out of the checkout.
LIBRARY = pathlib.Path(os.environ.get("EDGEPROBE_LITERT_LIB") or ROOT / ".deps/engines/libLiteRt.so")


class LookUpTest(tool.ToolTest):
    """The variable, next to the program, the cache, Python. In a build for a checkout its .deps comes before the last two."""

    def found(self, expect=0, **more):
        environment = {name: value for name, value in os.environ.items() if name != "EDGEPROBE_LITERT_LIB"}
        done = run("doctor", "litert", "--json", expect=expect, env={**environment, "HOME": str(self.folder), **more})
        return json.loads(done.out)["engines"][0]

    def test_the_order(self):
        if not LIBRARY.exists():
            self.skipTest("no LiteRT (script/setup)")
        own = self.folder / "own"
        own.mkdir(mode=0o755)
        program = tool.EXECUTABLE
        try:
            tool.EXECUTABLE = str(own / "edgeprobe")
            shutil.copy2(program, tool.EXECUTABLE)
            named = self.folder / "named.so"
            shutil.copy(LIBRARY, named)
            self.assertEqual(self.found(EDGEPROBE_LITERT_LIB=str(named))["found"], "EDGEPROBE_LITERT_LIB")
            shutil.copy(LIBRARY, own / "libLiteRt.so")
            self.assertEqual(self.found()["found"], "next to the program")
            own.chmod(0o777)  # others could have put it there
            self.assertNotEqual(self.found(expect=(0, 1)).get("found"), "next to the program")
        finally:
            tool.EXECUTABLE = program

    def test_a_known_version_comes_before_one_that_was_never_tried(self):
        """The version that was never tried is in a Python package next to the wheel's program, as pip installs it."""
        if not LIBRARY.exists():
            self.skipTest("no LiteRT (script/setup)")
        cached = self.folder / ".cache/edgeprobe/engines" / "litert-2.3.0-x86_64"
        site = self.folder / "site"
        package = site / "ai_edge_litert"
        for folder in (cached, package):
            folder.mkdir(parents=True, mode=0o700)
        shutil.copy(LIBRARY, package)
        dist = site / "ai_edge_litert-2.3.0.dist-info"
        dist.mkdir()
        own = self.folder / "own"
        own.mkdir(mode=0o777)
        program, tool.EXECUTABLE = tool.EXECUTABLE, str(own / "edgeprobe")
        try:
            shutil.copy2(program, tool.EXECUTABLE)
            self.assertEqual(self.found(EDGEPROBE_SITE_PACKAGES=str(site))["found"], f"package ai_edge_litert in {site}")
            dist.rename(site / "ai_edge_litert-2.9.0.dist-info")
            shutil.copy(LIBRARY, cached)
            said = self.found(EDGEPROBE_SITE_PACKAGES=str(site))["found"]
            self.assertRegex(said, r"^fetched by .*; passed over: package ai_edge_litert in .*, whose version 2\.9\.0 was never tried$")
        finally:
            tool.EXECUTABLE = program


if __name__ == "__main__":
    tool.main()
