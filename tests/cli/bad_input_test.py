# SPDX-License-Identifier: Apache-2.0
"""Whatever is thrown at it: one sentence that names the file, exit code 1 or 2, nothing half-written, no crash, no hang."""
import os
import random
import struct
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

    def model_refused(self, path):
        self.refused("inspect", path, names=os.path.basename(path))
        trace = self.folder / "t.mcap"
        self.refused("run", path, "--recipe", RECIPE, *DATA, "--time-limit", "5", "--trace", trace)
        self.assertFalse(trace.exists())

    def test_models_that_are_none(self):
        good = (MODELS / "signs_float.tflite").read_bytes()
        cases = {
            "empty.tflite": b"",
            "text.tflite": b"this is no model",
            "lfs.tflite": b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n",
            "half.tflite": good[: len(good) // 2],
            "id.tflite": good[:4] + b"XXXX" + good[8:],
            "zip.tflite": b"PK\x03\x04" + bytes(100),
        }
        for name, content in cases.items():
            with self.subTest(name):
                path = self.folder / name
                path.write_bytes(content)
                self.model_refused(path)
        self.refused("inspect", self.folder / "missing.tflite", names="missing.tflite")
        self.refused("inspect", self.folder, names=self.folder.name)

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

    def test_flipped_bits_of_a_model_never_crash(self):
        good = bytearray((MODELS / "signs_int8.tflite").read_bytes())
        rng = random.Random(7)
        path = self.folder / "flipped.tflite"
        for _ in range(40):
            bad = bytearray(good)
            for _ in range(8):
                at = rng.randrange(len(bad))
                bad[at] ^= 1 << rng.randrange(8)
            path.write_bytes(bad)
            done = run("inspect", path)
            self.assertIn(done.returncode, (0, 1, 2), done.err)
            done = run("run", path, "--recipe", RECIPE + " | quantize(model)", *DATA, "--time-limit", "10", "--trace", self.folder / "f.mcap", "--force")
            self.assertIn(done.returncode, (0, 1, 2), done.err)

    def test_pictures_that_are_none(self):
        huge = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">IIBBBBB", 65535, 65535, 8, 6, 0, 0, 0) + bytes(4)
        for name, content in {"huge.png": huge, "empty.jpg": b"", "text.bmp": b"hello", "cut.png": huge[:20]}.items():
            with self.subTest(name):
                path = self.folder / name
                path.write_bytes(content)
                trace = self.folder / "t.mcap"
                self.refused("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", path, "--trace", trace, names=name)
                self.assertFalse(trace.exists())

    def test_recipes_that_make_no_sense(self):
        for recipe, word in {
            "resize(1000000x1000000)": "resize",
            "resize(64x64, biliner)": "bilinear",
            "rezise(64x64)": "resize",
            "resize(64x64": "bracket",
            "": "",
            "crop(center, nan)": "crop",
            "|" * 1000: "",
            "scale(-1..1" + ")" * 10000: "",
        }.items():
            with self.subTest(recipe[:40]):
                if recipe:
                    done = self.refused("run", MODELS / "signs_float.tflite", "--recipe", recipe, *DATA, "--trace", self.folder / "t.mcap", codes=(2,))
                    self.assertIn(word, done.err)
        # A recipe that is fine but makes another shape than the model takes.
        self.refused("run", MODELS / "signs_float.tflite", "--recipe", "resize(32x32, nearest) | scale(-1..1)", *DATA, "--trace", self.folder / "s.mcap")

    def test_traces_that_are_none(self):
        good = self.folder / "good.mcap"
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", MODELS / "data" / "test", "--frames", 3, "--trace", good, expect=0)
        content = good.read_bytes()
        cases = {"empty.mcap": b"", "text.mcap": b"hello", "magic.mcap": content[:8], "model.mcap": (MODELS / "signs_float.tflite").read_bytes()}
        for name, bad in cases.items():
            with self.subTest(name):
                path = self.folder / name
                path.write_bytes(bad)
                self.refused("diagnose", path, "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, names=name)
        rng = random.Random(3)
        path = self.folder / "flipped.mcap"
        for _ in range(30):
            bad = bytearray(content)
            for _ in range(4):
                bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
            path.write_bytes(bad)
            done = run("trace", "info", path)
            self.assertIn(done.returncode, (0, 1, 2), done.err)
            done = run("diagnose", path, "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE)
            self.assertIn(done.returncode, (0, 1, 2, 3, 4), done.err)

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

    def test_usage_errors(self):
        for args in (["check"], ["nonsense"], ["run", "x.tflite"], ["check", "a", "--nope"], []):
            with self.subTest(args):
                done = run(*args, expect={1, 2})
                self.assertTrue(done.err)
        for verb in ("run", "replay", "compare", "diagnose", "check", "inspect", "recipe", "trace", "doctor"):
            done = run(verb, "--help", expect=0)
            self.assertIn("xample", done.out, verb)


if __name__ == "__main__":
    tool.main()
