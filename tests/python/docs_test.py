# SPDX-License-Identifier: Apache-2.0
"""The Python code of docs/guides/python.md runs in order, and the page's statements about it are true."""
import os
import re
import subprocess
import sys

import support

import edgeprobe
from support import ROOT


class DocsTest(support.PackageTest):
    def test_the_page_runs(self):
        try:
            import ai_edge_litert  # noqa: F401
            import pandas  # noqa: F401
        except ImportError as error:
            self.skipTest(str(error))
        page = (ROOT / "docs" / "guides" / "python.md").read_text()
        code = "\n".join(re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S))
        (self.folder / "models").symlink_to(ROOT / "models")
        (self.folder / "page.py").write_text(code)
        done = subprocess.run([sys.executable, "page.py"], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "EDGEPROBE_BUILD": os.environ.get("EDGEPROBE_BUILD", str(ROOT / "build"))})
        self.assertEqual(done.returncode, 0, done.stderr)
        for said in ("Statistics(level='io', frames=1", "False 'no/such/folder", "lux", "True 24", "the app feeds BGR", "channel_order"):
            self.assertIn(said, done.stdout)
        with edgeprobe.load(self.folder / "app.mcap") as trace:
            self.assertEqual(len(trace.frames), 3)
            self.assertIn("raw_input/camera", trace.frames[0])
            self.assertIn("model_output/probabilities", trace.frames[0])
        with edgeprobe.load(self.folder / "redacted.mcap") as trace:
            self.assertFalse(trace.frames[0]["camera"][10:30, 10:30].any())
            self.assertTrue(trace.frames[0]["camera"].any())


if __name__ == "__main__":
    support.main()
