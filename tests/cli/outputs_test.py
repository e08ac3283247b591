# SPDX-License-Identifier: Apache-2.0
"""Where a report may go: over an older report of ours, through a pipe or a device, never over anything else."""
import json
import os
import resource
import shutil
import subprocess
import threading
import unittest

import tool
from tool import MODELS, RECIPE, run

FLOAT, PICTURES = MODELS / "signs_float.tflite", MODELS / "data" / "test"
ONE = ["--data", PICTURES, "--frames", 2]


class OutputsTest(tool.ToolTest):
    def trace(self, name="t.mcap"):
        path = self.folder / name
        run("run", FLOAT, "--recipe", RECIPE, *ONE, "--trace", path, "--force", expect=0)
        return path

    def every_text(self):
        """Each verb that writes a text, without the flag and the file's name."""
        trace, bench = self.trace(), self.folder / "bench.json"
        quick = ["bench", FLOAT, "--runs", 3, "--warm-up", 0]
        run(*quick, "--json", bench, expect={0, 4})
        reference = ["--reference", FLOAT, "--reference-recipe", RECIPE, "--level", "io"]
        return {
            "inspect": (["inspect", FLOAT], "--json"), "info": (["trace", "info", trace], "--json"),
            "check": (["check", FLOAT, "--recipe", RECIPE, *ONE, *reference], "--json"),
            "check html": (["check", FLOAT, "--recipe", RECIPE, *ONE, *reference], "--html"),
            "compare": (["compare", trace, trace], "--json"), "report": (["report", self.folder], "--json"),
            "report html": (["report", self.folder], "--html"), "recipe": (["recipe", "show", RECIPE], "--json"),
            "doctor": (["doctor", "litert"], "--json"), "meters": (["doctor", "--meters"], "--json"), "processors": (["doctor", "--processors"], "--json"),
            "run": (["run", FLOAT, "--recipe", RECIPE, *ONE, "--trace", self.folder / "o.mcap", "--force"], "--json"),
            "matrix": (["matrix", FLOAT, "--engines", "litert:builtin,litert:xnnpack", "--frames", 1], "--json"),
            "instrument": (["instrument", FLOAT, "-o", self.folder / "i.tflite", "--force"], "--json"),
            "bench": (quick, "--json"), "perfetto": (quick, "--perfetto"), "bench diff": (["bench", "diff", bench, bench], "--json"),
        }

    def test_every_text_replaces_its_older_self(self):
        for name, (args, flag) in self.every_text().items():
            with self.subTest(name):
                out = self.folder / "texts" / (name.replace(" ", "_") + ".out")
                out.parent.mkdir(exist_ok=True)
                first = run(*args, flag, out, expect={0, 3, 4})
                self.assertTrue(out.stat().st_size > 0, first.err)
                run(*args, flag, out, expect={0, 3, 4})

    def test_nothing_else_is_overwritten(self):
        foreign = {
            "other.onnx": b"\x08\x07\x12\x07pytorch", "lib.so": b"\x7fELF\x02\x01\x01", "labels.csv": b"file,label\na.png,1\n", "a.wav": b"RIFF\x00\x00",
            "package.json": b'{\n  "name": "app",\n  "model": 1\n}\n', "page.html": b"<!doctype html>\n<html><body>mine</body></html>\n",
            "list.json": b"[1, 2]\n", "t.parquet": b"PAR1\x15\x04", "frame_4x4.nv12": bytes(24), "openvino.xml": b"<?xml version='1.0'?>\n",
            "keys.txt": b"{", "events.json": b'{"traceEvents":[],"displayTimeUnit":"ms"}',
        }
        shutil.copy(PICTURES / "sign_0000.png", self.folder / "picture.png")
        foreign["picture.png"] = (self.folder / "picture.png").read_bytes()
        for name, content in foreign.items():
            (self.folder / name).write_bytes(content)
        for name, content in foreign.items():
            with self.subTest(name):
                done = run("inspect", FLOAT, "--json", self.folder / name, expect=2)
                self.assertIn("name another file", done.err)
                self.assertEqual((self.folder / name).read_bytes(), content)
        (self.folder / "empty").touch()
        run("inspect", FLOAT, "--json", self.folder / "empty", expect=0)

    def test_a_pipe_and_a_device_are_written_through(self):
        pipe, got = self.folder / "pipe", []
        os.mkfifo(pipe)
        self.assertIn("nobody reads this pipe", run("inspect", FLOAT, "--json", pipe, expect=2).err)
        reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
        reader.start()
        # The reader's opening waits for a writer; until the thread is there, a writer is refused.
        for _ in range(200):
            if run("inspect", FLOAT, "--json", pipe, expect={0, 2}).returncode == 0:
                break
        reader.join(timeout=tool.PATIENCE)
        self.assertEqual(json.loads(got[0])["format"], "tflite")
        self.assertTrue(pipe.is_fifo())
        # By a link: a defect here must not cost the machine its device.
        null = self.folder / "null"
        null.symlink_to("/dev/null")
        run("inspect", FLOAT, "--json", null, expect=0)
        self.assertEqual(os.readlink(null), "/dev/null")

    def test_standard_output_by_its_name(self):
        name = self.folder / "stdout"
        name.symlink_to("/proc/self/fd/1")
        with open(self.folder / "out.txt", "wb") as file:
            for out in (subprocess.PIPE, file):
                done = subprocess.run([tool.EXECUTABLE, "trace", "info", self.trace(), "--json", name], stdout=out, stderr=subprocess.PIPE, timeout=tool.PATIENCE)
                self.assertEqual(done.returncode, 0, done.stderr)
                text = (done.stdout if out is subprocess.PIPE else (self.folder / "out.txt").read_bytes()).decode()
                self.assertIn('"frames": 2', text)
        self.assertTrue(name.is_symlink())

    def test_links_are_refused(self):
        older = self.folder / "older.json"
        run("inspect", FLOAT, "--json", older, expect=0)
        for name, target in (("latest.json", older), ("dangling.json", self.folder / "nowhere")):
            link = self.folder / name
            link.symlink_to(target)
            self.assertIn("a link is not replaced", run("inspect", FLOAT, "--json", link, expect=2).err)
            self.assertIn("a link is not replaced", run("run", FLOAT, "--recipe", RECIPE, *ONE, "--trace", link, "--force", expect=2).err)
            self.assertEqual(os.readlink(link), str(target))
        self.assertIn("folder", run("inspect", FLOAT, "--json", self.folder, expect=2).err)

    def test_pictures_of_a_recipe_replace_pictures_only(self):
        steps = self.folder / "steps"
        explain = ["recipe", "explain", RECIPE, PICTURES / "sign_0000.png", "--model", FLOAT, "--out", steps]
        for _ in range(2):
            run(*explain, expect=0)
        first = sorted(steps.iterdir())[0]
        first.write_text("notes")
        self.assertIn("is no picture", run(*explain, expect=2).err)
        self.assertEqual(first.read_text(), "notes")


class MachineTest(tool.ToolTest):
    def test_a_temporary_folder_that_is_none(self):
        nowhere = self.folder / "nowhere"
        done = run("check", FLOAT, "--recipe", RECIPE, *ONE, "--reference", FLOAT, "--reference-recipe", RECIPE,
                   env={**os.environ, "TMPDIR": str(nowhere)}, expect=2)
        self.assertIn(str(nowhere), done.err)
        self.assertIn("TMPDIR", done.err)
        self.assertNotIn("internal error", done.err)

    def test_no_memory_is_no_mistake_of_the_request(self):
        trace = self.folder / "sparse.mcap"
        with open(trace, "wb") as file:
            file.truncate(64 << 30)
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (32 << 30, 32 << 30))
        done = run("trace", "info", trace, preexec_fn=limit, expect=1)
        self.assertIn("cannot map", done.err)


if __name__ == "__main__":
    tool.main()
