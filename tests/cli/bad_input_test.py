# SPDX-License-Identifier: Apache-2.0
"""Bad input of any kind gives one sentence that names the file, and exit code 1 or 2; no incomplete file, crash or hang. Invalid files: console/files.md."""
import random
import unittest

import tool
from tool import MODELS, RECIPE, SHARED, run

DATA = ["--data", MODELS / "data" / "test", "--frames", "1"]
NASTY_NAMES = ["\x1b[31mred.png", "<script>alert(1)<script>.png", "=cmd.png", "x" * 240 + ".png", "a\nb.png"]


class BadInputTest(tool.ToolTest):
    def refused(self, *args, names=None, codes=(1, 2)):
        done = run(*args, expect=set(codes))
        self.assertTrue(done.err.startswith("edgeprobe: ") or "\nedgeprobe: " in done.err, done.err)
        self.assertNotIn("\x1b", done.err)
        self.assertNotIn("internal error", done.err)
        if names:
            self.assertIn(names, done.err)
        return done

    @unittest.skipUnless(SHARED.exists(), "the shared data is absent")
    def test_every_shared_invalid_file(self):
        for path in sorted((SHARED / "models" / "invalid").iterdir()):
            if path.suffix == ".onnx":
                self.refused("inspect", path, names=path.name)
                continue
            with self.subTest(path.name):
                trace = self.folder / "t.mcap"
                self.refused("run", path, *DATA, "--time-limit", "5", "--trace", trace)
                self.assertFalse(trace.exists())
        for path in sorted((SHARED / "images" / "invalid").iterdir()):
            with self.subTest(path.name):
                self.refused("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", path, "--trace", self.folder / "i.mcap", names=path.name)

    def flipped(self, content, count, bits, seed, path):
        """`count` files in turn, each the content with `bits` random bits flipped."""
        rng = random.Random(seed)
        for _ in range(count):
            bad = bytearray(content)
            for _ in range(bits):
                bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
            path.write_bytes(bad)
            yield path

    def test_flipped_bits_of_a_model_never_crash(self):
        for path in self.flipped((MODELS / "signs_int8.tflite").read_bytes(), 40, 8, 7, self.folder / "flipped.tflite"):
            run("inspect", path, expect=(0, 1, 2))
            run("run", path, "--recipe", RECIPE + " | quantize(model)", *DATA, "--time-limit", "10", "--trace", self.folder / "f.mcap", "--force", expect=(0, 1, 2))

    def test_flipped_bits_of_a_trace_never_crash(self):
        good = self.folder / "good.mcap"
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", MODELS / "data" / "test", "--frames", 3, "--trace", good, expect=0)
        for path in self.flipped(good.read_bytes(), 30, 4, 3, self.folder / "flipped.mcap"):
            run("trace", "info", path, expect=(0, 1, 2))
            run("diagnose", path, "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, expect=(0, 1, 2, 3, 4))

    def test_file_names_that_attack_a_terminal_or_a_page(self):
        data = self.folder / "data"
        data.mkdir()
        picture = next((MODELS / "data" / "test").glob("*.png")).read_bytes()
        for name in NASTY_NAMES:
            (data / name).write_bytes(picture)
        page = self.folder / "r.html"
        done = run("check", MODELS / "signs_float.tflite", "--recipe", RECIPE.replace("rgb", "bgr"), "--reference", MODELS / "signs_float.tflite",
                   "--reference-recipe", RECIPE, "--data", data, "--html", page, "--level", "io", "--keep-traces", self.folder / "kept", expect={0, 3, 4})
        self.assertNotIn("\x1b", done.out + done.err)
        self.assertNotIn("<script>alert", page.read_text())
        csv = self.folder / "t.csv"
        run("trace", "export", self.folder / "kept" / "target.mcap", "--csv", csv, expect=0)
        for line in csv.read_text().splitlines():
            for cell in line.split(","):
                self.assertFalse(cell.lstrip('"').startswith("="), line)


if __name__ == "__main__":
    tool.main()
