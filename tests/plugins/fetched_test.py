# SPDX-License-Identifier: Apache-2.0
"""The environment that 'edgeprobe fetch NAME' makes for an engine plug-in of edgeprobe itself.

fetched_test.py EDGEPROBE"""
import hashlib
import os
import pickle
import sys

import plugin_test  # noqa: F401
import numpy as np
import tool
from tool import ROOT, ToolTest, run

PINS = ROOT / "python" / "edgeprobe" / "engines" / "requirements-sklearn.txt"


class Fetched(ToolTest):
    def setUp(self):
        super().setUp()
        from sklearn.linear_model import LinearRegression

        self.cache = self.folder / "cache"
        self.model, data = self.folder / "line.pkl", self.folder / "x.npz"
        x = np.arange(8, dtype=np.float32).reshape(4, 2) ** 2
        self.model.write_bytes(pickle.dumps(LinearRegression().fit(x, x.sum(axis=1))))
        np.savez(data, features=x[:, None])
        self.arguments = ["run", self.model, "--engine", "sklearn?allow=line.pkl", "--data", data, "--trace", self.folder / "t.mcap"]

    def edgeprobe(self, *arguments, expect, **variables):
        kept = {key: value for key, value in os.environ.items() if key != "EDGEPROBE_PYTHON"}
        return run(*arguments, expect=expect, env={**kept, "XDG_CACHE_HOME": str(self.cache), **variables})

    def planted(self):
        """An environment as fetch leaves it, with the Python of the tests."""
        folder = self.cache / "edgeprobe" / f"engines-sklearn-{hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]}"
        (folder / "bin").mkdir(parents=True, mode=0o755)
        (folder / "bin" / "python").write_text(f"#!/bin/sh\ntouch {self.folder}/used\nexec {sys.executable} \"$@\"\n")
        (folder / "bin" / "python").chmod(0o755)
        (folder / "ready").write_text("ready\n")
        for path in (self.cache, self.cache / "edgeprobe", folder):
            path.chmod(0o755)
        return folder

    def test_it_is_used(self):
        self.planted()
        self.edgeprobe(*self.arguments, expect=0)
        self.assertTrue((self.folder / "used").exists())
        self.assertIn("already there", self.edgeprobe("fetch", "sklearn", expect=0).out)

    def test_a_named_python_comes_first(self):
        self.planted()
        self.edgeprobe(*self.arguments, expect=0, EDGEPROBE_PYTHON=sys.executable)
        self.assertFalse((self.folder / "used").exists())

    def test_one_that_others_can_write_to_is_not(self):
        self.planted().chmod(0o777)
        self.edgeprobe(*self.arguments, expect={0, 1, 2}, PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertFalse((self.folder / "used").exists())

    def test_without_it_the_error_says_how_to_fetch_it(self):
        bare = self.folder / "bin"
        bare.mkdir()
        (bare / "python3").write_text(f"#!/bin/sh\nexec {sys.executable} -S \"$@\"\n")
        (bare / "python3").chmod(0o755)
        done = self.edgeprobe(*self.arguments, expect=2, PATH=f"{bare}:{os.environ['PATH']}")
        self.assertIn("plug-in 'sklearn' needs the package scikit-learn", done.err)
        self.assertIn("run 'edgeprobe fetch sklearn'", done.err)

    def test_without_a_network(self):
        done = self.edgeprobe("fetch", "sklearn", expect=1, PIP_INDEX_URL="http://127.0.0.1:9/", PIP_CONFIG_FILE=os.devnull, PIP_FIND_LINKS="", PIP_TIMEOUT="2",
                              PIP_CACHE_DIR=str(self.folder / "pip"))
        self.assertRegex(done.err, "is there no network|made for Python 3.11")
        self.assertEqual(list(self.cache.rglob("ready")), [])


if __name__ == "__main__":
    tool.main()
