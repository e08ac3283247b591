# SPDX-License-Identifier: Apache-2.0
"""`demo` and `fetch`, and where an engine's library is looked for."""
import json
import os
import pathlib
import shutil

import tool
from tool import ROOT, run

#: Where set-up has put the library; the program is copied away from the checkout for what must not find it there.
LIBRARY = pathlib.Path(os.environ.get("EDGEPROBE_LITERT_LIB") or ROOT / ".deps/engines/libLiteRt.so")


def lines_of(text, start):
    return [line for line in text.splitlines() if line.startswith(start)]


class DemoTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        if not LIBRARY.exists():
            self.skipTest("no LiteRT (script/setup)")

    def test_it_finds_the_planted_fault_and_keeps_what_is_asked_for(self):
        out = self.folder / "kept"
        done = run("demo", "--out", out, expect=0)
        verdict = json.loads((out / "report.json").read_text())
        self.assertEqual((verdict["verdict"], [cause["kind"] for cause in verdict["causes"]]), ("differs", ["channel_order"]))
        self.assertIn("BGR", done.out)
        self.assertIn("(exit code 3)", done.out)
        self.assertTrue((out / "report.html").stat().st_size > 10000)
        self.assertEqual(len(list((out / "test").iterdir())), 96)
        # The commands that it shows do the same again.
        shown = lines_of(done.out, "$ edgeprobe ")
        self.assertEqual(len(shown), 2)
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "edgeprobe").symlink_to(tool.EXECUTABLE)
        again = tool.subprocess.run(["bash", "-c", shown[1][2:]], env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
                                    capture_output=True, timeout=tool.PATIENCE)
        self.assertEqual(again.returncode, 3, again.stderr)
        self.assertIn("not an empty folder", run("demo", "--out", out, expect=2).err)

    def test_without_a_folder_nothing_stays(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        run("demo", expect=0, env={**os.environ, "TMPDIR": str(scratch)}, cwd=self.folder)
        self.assertEqual(list(scratch.iterdir()), [])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["scratch"])


class LookUpTest(tool.ToolTest):
    """The variable, beside the program, the cache, Python. In a build for a checkout its .deps comes before the last two."""

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
            self.assertEqual(self.found()["found"], "beside the program")
            own.chmod(0o777)  # others could have put it there
            self.assertNotEqual(self.found(expect=(0, 1)).get("found"), "beside the program")
        finally:
            tool.EXECUTABLE = program


if __name__ == "__main__":
    tool.main()
