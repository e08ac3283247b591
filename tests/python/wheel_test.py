# SPDX-License-Identifier: Apache-2.0
"""The wheel of this build: checks its contents, and that it works outside of the checkout. `wheel_test.py BUILD_FOLDER`"""
import email
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import support

from support import MODELS, ROOT

BUILD = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else ROOT / "build"
APP = """
import sys
import numpy as np
from ai_edge_litert.interpreter import Interpreter
import edgeprobe

models = sys.argv[1]
with edgeprobe.Probe("app.mcap") as probe:
    interpreter = edgeprobe.wrap(Interpreter(models + "/signs_float.tflite"), probe)
    interpreter.allocate_tensors()
    interpreter.invoke()
run = edgeprobe.run(models + "/signs_float.tflite", models + "/data/test", recipe=models + "/signs.recipe", trace="run.mcap", frames=2)
replayed = edgeprobe.replay("run.mcap", None, "replayed.mcap", pipeline="prep.py:preprocess")
print(edgeprobe.__file__, edgeprobe._native.__file__, edgeprobe.executable(), run.frames, replayed.frames, sep="\\n")
"""


class WheelTest(support.PackageTest):
    def pip(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "EDGEPROBE_BUILD")}
        done = subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)], cwd=ROOT, capture_output=True,
                              text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_wheel_works_alone(self):
        try:
            import scikit_build_core  # noqa: F401
        except ImportError as error:
            self.skipTest(str(error))
        self.pip("wheel", ".", "--no-deps", "--no-build-isolation", "--wheel-dir", self.folder, f"--config-settings=cmake.define.EDGEPROBE_PREBUILT={BUILD}",
                 f"--config-settings=build-dir={self.folder}/build")
        (wheel,) = self.folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            about = email.message_from_bytes(archive.read(next(n for n in names if n.endswith("METADATA"))))
        self.assertTrue({"edgeprobe/py.typed", "edgeprobe/_native.pyi", "edgeprobe/bin/edgeprobe", "edgeprobe/plugins/serve.py", "edgeprobe/convert/main.py", "edgeprobe/schemas/report.schema.json"} <= set(names))
        tracked = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT / "python", capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(set(tracked) - set(names), set())
        self.assertFalse([n for n in names if not n.startswith(("edgeprobe/", f"edgeprobe-{about['Version']}"))])
        self.assertEqual((about["Name"], about["Version"], about["Requires-Python"]), ("edgeprobe", support.edgeprobe.__version__, ">=3.11"))

        installed, work = self.folder / "installed", self.folder / "work"
        work.mkdir()
        self.pip("install", "--no-deps", "--no-index", "--target", installed, wheel)
        (work / "app.py").write_text(APP)
        (work / "prep.py").write_text("def preprocess(image):\n    return image[:64, :64] / 255.0\n")
        environment = {**os.environ, "PYTHONPATH": str(installed)}
        environment.pop("EDGEPROBE_BUILD", None)
        done = subprocess.run([sys.executable, "app.py", MODELS], cwd=work, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        *files, ran, replayed = done.stdout.split()
        self.assertTrue(all(pathlib.Path(file).is_relative_to(installed) for file in files), files)
        self.assertEqual((ran, replayed), ("2", "2"))
        # pytest finds an installed package's plug-in by itself.
        (work / "test_app.py").write_text("def test_app(assert_deploys):\n    assert callable(assert_deploys)\n")
        tested = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "test_app.py"], cwd=work, capture_output=True, text=True, env=environment)
        self.assertEqual(tested.returncode, 0, tested.stdout + tested.stderr)
        console = subprocess.run([sys.executable, installed / "bin" / "edgeprobe", "trace", "verify", "app.mcap"], cwd=work, capture_output=True, text=True, env=environment)
        self.assertEqual(console.returncode, 0, console.stderr)
        hello = [{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
                 {"method": "notifications/initialized"}, {"id": 2, "method": "resources/read", "params": {"uri": "edgeprobe://schema/report"}}]
        served = subprocess.Popen([sys.executable, installed / "bin" / "edgeprobe", "mcp"], cwd=work, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        served.stdin.write("".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in hello))
        served.stdin.flush()
        answers = [json.loads(served.stdout.readline()) for _ in range(2)]
        served.communicate(timeout=60)
        self.assertIn("urn:edgeprobe:report:1", answers[1]["result"]["contents"][0]["text"])

    def test_the_source_archive_holds_what_a_build_needs(self):
        try:
            from scikit_build_core.build import build_sdist
        except ImportError as error:
            self.skipTest(str(error))
        before = os.getcwd()
        os.chdir(ROOT)
        try:
            name = build_sdist(str(self.folder))
        finally:
            os.chdir(before)
        with tarfile.open(self.folder / name) as archive:
            inside = {member.partition("/")[2] for member in archive.getnames()}
        tracked = set(subprocess.run(["git", "ls-files", "src", "cmake", "bindings/c", "bindings/python", "python"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split())
        self.assertEqual(tracked - inside, set())
        self.assertTrue({"CMakeLists.txt", "pyproject.toml", "LICENSE", "PKG-INFO", "docs/reference/report.schema.json"} <= inside)
        # The files of models/ that the program needs for its demo.
        self.assertTrue({"models/signs_float.tflite", "models/signs_int8.tflite", "models/signs.recipe", "models/data/labels.csv"} <= inside)
        self.assertFalse([one for one in inside if one.startswith(("tests/", ".deps/", "build")) or one.startswith("models/") and one.endswith((".py", ".onnx"))])


if __name__ == "__main__":
    support.main()
