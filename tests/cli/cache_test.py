# SPDX-License-Identifier: Apache-2.0
"""The Python environment that `convert` keeps: it is run only from a folder that no other user can write to."""
import hashlib
import os
import re
import unittest

import tool
from tool import MODELS, RECIPE, ROOT, run

PINS = ROOT / "python" / "edgeprobe" / "convert" / "requirements-quantizer.txt"


class CacheTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.proof = self.folder / "proof"

    def planted(self, cache):
        """A prepared environment below `cache`; its interpreter leaves a proof that it ran."""
        environment = cache / "edgeprobe" / f"convert-quantizer-{hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]}"
        (environment / "bin").mkdir(parents=True)
        (environment / "ready").touch()
        python = environment / "bin" / "python"
        python.write_text(f"#!/bin/sh\nid >'{self.proof}'\n")
        python.chmod(0o755)
        cache.chmod(0o755)
        (cache / "edgeprobe").chmod(0o755)
        environment.chmod(0o755)
        return environment

    def convert(self, **variables):
        environment = {key: value for key, value in os.environ.items() if key not in ("HOME", "XDG_CACHE_HOME")}
        return run("convert", MODELS / "signs_float.tflite", "--to", "int8", "--data", MODELS / "data" / "test", "--frames", 2, "--recipe", RECIPE,
                   "-o", self.folder / "x.tflite", env={**environment, **{key: str(value) for key, value in variables.items()}})

    def test_the_callers_own_environment_is_used(self):
        self.planted(self.folder / "own")
        self.assertEqual(self.convert(XDG_CACHE_HOME=self.folder / "own").returncode, 1)
        self.assertTrue(self.proof.exists())

    def test_nothing_is_run_without_a_home(self):
        for variables in ({}, {"HOME": "", "XDG_CACHE_HOME": "relative"}):
            done = self.convert(**variables)
            self.assertEqual(done.returncode, 2, done.err)
            self.assertIn("neither HOME nor XDG_CACHE_HOME", done.err)

    def test_a_folder_that_others_can_write_to(self):
        cache = self.folder / "shared"
        environment = self.planted(cache)
        for open_to_all in (environment, cache / "edgeprobe", cache):
            with self.subTest(open_to_all.name):
                open_to_all.chmod(0o777)
                done = self.convert(XDG_CACHE_HOME=cache)
                self.assertEqual(done.returncode, 2, done.err)
                self.assertIn("others may write to", done.err)
                self.assertIn("--python", done.err)
                open_to_all.chmod(0o755)
        if os.geteuid() == 0:
            for of_another in (environment, cache / "edgeprobe", cache):
                os.chown(of_another, 65534, 65534)
                done = self.convert(XDG_CACHE_HOME=cache)
                self.assertEqual(done.returncode, 2, done.err)
                self.assertIn("belongs to another user", done.err)
                os.chown(of_another, 0, 0)
        self.assertFalse(self.proof.exists())

    def test_a_link_in_place_of_the_lock(self):
        cache, precious = self.folder / "own", self.folder / "precious"
        environment = self.planted(cache)
        os.symlink(precious, f"{environment}.lock")
        self.assertIn("cannot be locked", self.convert(XDG_CACHE_HOME=cache).err)
        self.assertFalse(precious.exists())
        self.assertFalse(self.proof.exists())


class SecurityPage(unittest.TestCase):
    def test_names_every_variable_that_names_code(self):
        text = (ROOT / "SECURITY.md").read_text()
        found = set()
        for path in [path for path in (ROOT / "src").rglob("*") if path.suffix in (".cc", ".h")]:
            found |= set(re.findall(r'"(EDGEPROBE_\w+(?:_LIB|_PLUGIN|_PYTHON|_LAUNCHER))"', path.read_text()))
        self.assertTrue({"EDGEPROBE_LITERT_LIB", "EDGEPROBE_WORKER_LAUNCHER"} <= found, found)
        for name in found | {"EDGEPROBE_PYTHON"}:
            self.assertIn(f"`{name}`", text)


if __name__ == "__main__":
    tool.main()
