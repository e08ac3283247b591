# SPDX-License-Identifier: Apache-2.0
"""Flags that contradict each other or belong to nothing, and outputs that would destroy what is read: refused with a sentence."""
import json
import shutil
import subprocess
import sys
import unittest

import tool
from tool import MODELS, RECIPE, run

FLOAT, PICTURES, LABELS = MODELS / "signs_float.tflite", MODELS / "data" / "test", MODELS / "data" / "labels.csv"
ONE = ["--data", PICTURES, "--frames", 4]


class MisuseTest(tool.ToolTest):
    def trace(self, name="t.mcap", *more):
        path = self.folder / name
        run("run", FLOAT, "--recipe", RECIPE, *ONE, *more, "--trace", path, "--force", expect=0)
        return path

    def refused(self, *args, says, code=2):
        done = run(*args, expect=code)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, done.err)
        return done

    def script(self, text):
        path = self.folder / "prep.py"
        path.write_text(text)
        return f"{path}:preprocess"

    def test_two_sources_of_the_reference_input(self):
        trace, own = self.trace(), self.script("def preprocess(pixels):\n    return pixels\n")
        both = ["--reference-recipe", RECIPE, "--reference-pipeline", own]
        self.refused("check", FLOAT, "--recipe", RECIPE, *ONE, "--reference", FLOAT, *both, says="leave one of them out")
        self.refused("diagnose", trace, "--reference", FLOAT, *both, says="leave one of them out")
        self.refused("diagnose", trace, "--golden", trace, "--reference-recipe", RECIPE, says="leave --reference-recipe out")
        self.refused("diagnose", trace, "--reference-trace", trace, "--reference-recipe", RECIPE, says="leave it out")
        for more in (["--reference", FLOAT], []):
            self.refused("diagnose", trace, "--reference-trace", trace, *more, *both[2:], says="leave one of them out")
            self.refused("diagnose", trace, "--golden", trace, *more, *both[2:], says=["--golden", "leave one of them out"])

    def test_delegates_that_are_none(self):
        start = ["run", FLOAT, "--recipe", RECIPE, *ONE, "--trace", self.folder / "d.mcap"]
        self.refused(*start, "--delegate", "gpx", says="'gpx': expected gpu, nnapi, or external:LIB.so")
        self.refused(*start, "--delegate", "external:", says="names no library after the colon")
        self.refused(*start, "--delegate", "gpu:", says="names no library after the colon")
        self.refused(*start, "--engine", "openvino", "--delegate", "gpu", says="engine openvino takes no delegates such as 'gpu'; --delegate is for litert, tflite and onnxruntime", code=1)
        if (MODELS.parent / ".deps/engines/libjnitensorflowlite.so").exists():
            self.refused(*start, "--engine", "tflite", "--delegate", "gpu", says=["lacks TfLiteGpuDelegateV2Create", "tensorflowlite"], code=1)
            self.refused(*start, "--engine", "tflite", "--delegate", "nnapi", says="lacks TfLiteNnapiDelegateCreate", code=1)
            self.refused(*start, "--engine", "tflite", "--delegate", "external:/nowhere.so?a=b", says="does not exist", code=1)

    def test_no_output_takes_the_place_of_an_input(self):
        trace, model = self.trace(), self.folder / "m.tflite"
        shutil.copy(FLOAT, model)
        recipe = self.folder / "r.recipe"
        recipe.write_text(RECIPE)
        linked = self.folder / "linked.mcap"
        linked.symlink_to(trace)
        before = {path: path.read_bytes() for path in (trace, model, recipe)}
        other = self.trace("other.mcap")
        cases = [["compare", other, trace, "--json", trace], ["compare", other, trace, "--json", linked], ["report", self.folder, "--html", trace],
                 ["report", self.folder, "--json", model], ["run", model, "--recipe", RECIPE, *ONE, "--trace", model, "--force"],
                 ["run", model, "--recipe", recipe, *ONE, "--trace", recipe, "--force"],
                 ["replay", trace, model, "--recipe", RECIPE, "--trace", trace, "--force"],
                 ["replay", trace, model, "--recipe", RECIPE, "--trace", self.folder / "new.mcap", "--json", model],
                 ["trace", "export", trace, "--npz", trace, "--force"], ["trace", "info", trace, "--json", trace],
                 ["inspect", model, "--json", model], ["recipe", "show", recipe, "--json", recipe],
                 ["check", model, "--recipe", RECIPE, *ONE, "--reference", FLOAT, "--reference-recipe", recipe, "--html", recipe],
                 ["diagnose", trace, "--reference", model, "--reference-recipe", RECIPE, "--json", trace]]
        for args in cases:
            with self.subTest(args=args[:2]):
                self.refused(*args, says="name another file")
                for path, content in before.items():
                    self.assertEqual(path.read_bytes(), content)
        report = self.folder / "report.json"
        for _ in range(2):  # A report replaces an older one, as before.
            run("compare", other, trace, "--json", report, expect=0)
        self.assertEqual(json.loads(report.read_text())["frames"]["joined"], 4)

    def test_a_function_that_is_not_deterministic_ends_the_capture(self):
        own = self.script("import numpy as np\nimport itertools\ncount = itertools.count()\n\ndef preprocess(pixels):\n"
                          "    return np.full((1, 64, 64, 3), next(count) % 7 / 7, np.float32)\n")
        done = self.refused("run", FLOAT, "--pipeline", own, "--python", sys.executable, *ONE, "--level", "layers", "--trace", self.folder / "n.mcap",
                            says=["prep.py:preprocess", "not deterministic"])
        self.assertNotIn("engine computes", done.err)

    def test_frames_are_counted_or_refused(self):
        trace = self.trace()
        for bad in ("0", "-3", "1e20", "99999999999", "2.5"):
            self.refused("run", FLOAT, "--recipe", RECIPE, "--data", PICTURES, f"--frames={bad}", "--trace", self.folder / "x.mcap", says="--frames")
        out = self.folder / "r.mcap"
        run("replay", trace, FLOAT, "--recipe", RECIPE, "--frames", 2, "--trace", out, expect=0)
        self.assertEqual(json.loads(run("trace", "info", out, "--json", expect=0).out)["frames"], 2)
        verdict = tool.verdict_of("diagnose", trace, "--reference", FLOAT, "--reference-recipe", RECIPE, "--frames", 2, expect={0, 4})
        self.assertEqual(verdict["coverage"]["frames_compared"], 2)

    def test_labels_that_belong_to_nothing(self):
        trace, csv = self.trace(), self.folder / "labels.csv"
        self.refused("diagnose", trace, "--reference", FLOAT, "--reference-recipe", RECIPE, "--labels", self.folder / "none.csv", says="--data")
        ran = ["run", FLOAT, "--recipe", RECIPE, *ONE, "--trace", self.folder / "x.mcap", "--force", "--labels"]
        csv.write_text("file,label\nnobody.png,1\n")
        self.refused(*ran, csv, says=["nobody.png", "names none"])
        self.refused(*ran, "folders", says="lies in a folder")
        (self.folder / "data" / "stop").mkdir(parents=True)
        shutil.copy(PICTURES / sorted(path.name for path in PICTURES.iterdir())[0], self.folder / "data" / "stop" / "a.png")
        of_folders = ["run", FLOAT, "--recipe", RECIPE, "--data", self.folder / "data", "--trace", self.folder / "x.mcap", "--force", "--labels", "folders"]
        self.assertIn("up to 0 for 'stop', and the model has 12 classes", run(*of_folders, expect=0).err)
        names = self.folder / "classes.txt"
        names.write_text("".join(f"{i}\n" for i in range(11)) + "stop\n")
        self.assertNotIn("warning", run(*of_folders, "--classes", names, expect=0).err)
        name = sorted(path.name for path in PICTURES.iterdir())[0]
        csv.write_text(f"file,label\n{name},99\n")
        self.refused(*ran, csv, says=["class 99", "0 to 11"])
        csv.write_text("file,label\nnobody.png,1\n")
        self.refused("report", self.folder, "--labels", csv, says="fits no frame")
        csv.write_bytes(b"\xef\xbb\xbf" + LABELS.read_bytes())
        run(*ran, csv, expect=0)

    def test_a_pattern_of_layers_that_fits_nothing(self):
        a, b = self.trace("a.mcap", "--level", "layers"), self.trace("b.mcap", "--level", "layers")
        name = next(t["name"] for t in json.loads(run("trace", "info", a, "--json", expect=0).out)["tensors"] if t["stage"] == "layer")
        run("compare", a, b, "--layers", name, expect=0)
        self.refused("compare", a, b, "--layers", name, "--layers", "nope", says="nope")

    def test_names_of_camera_frames(self):
        for name, says in (("f_320x240_stride99999999.nv12", "stride"), ("c_320x240_strid400.nv12", "strid400"), ("stride0_32x24.nv12", "stride0")):
            folder = self.folder / name.partition(".")[0]
            folder.mkdir()
            (folder / name).write_bytes(bytes(320 * 240 * 3 // 2))
            done = run("run", FLOAT, "--recipe", RECIPE, "--data", folder, "--trace", self.folder / "x.mcap", expect=1)
            self.assertIn(says, done.err)
        folder = self.folder / "good"
        folder.mkdir()
        (folder / "my-frame_of_1_320x240_bt709_0001.nv12").write_bytes(bytes(320 * 240 * 3 // 2))
        run("run", FLOAT, "--recipe", RECIPE, "--data", folder, "--trace", self.folder / "x.mcap", expect=0)

    def test_no_recipe_and_an_empty_one(self):
        self.refused("run", FLOAT, "--recipe", "", *ONE, "--trace", self.folder / "x.mcap", says="the recipe is empty")
        verdict = tool.verdict_of("check", FLOAT, *ONE, "--reference", FLOAT, "--level", "io", expect={0, 4})
        for flag in ("--recipe", "--reference-recipe"):
            self.assertTrue(any(f"no {flag} was given" in warning and "scale(0..1)" in warning for warning in verdict["warnings"]), verdict["warnings"])

    def test_a_reader_that_leaves_is_no_error(self):
        trace = self.trace()
        done = subprocess.run(["bash", "-c", 'set -o pipefail; "$0" trace cat "$1" --values 0 | head -c 10', tool.EXECUTABLE, str(trace)],
                              capture_output=True, timeout=tool.PATIENCE)
        self.assertEqual(len(done.stdout), 10)
        self.assertEqual(done.stderr, b"")
        self.assertEqual(done.returncode, 128 + 13)

    def test_unknown_words_are_named(self):
        self.refused("foo", says=["'foo'", "check", "replay", "doctor"])
        self.refused("trace", "foo", says=["'foo'", "recover"])
        trace = self.trace()
        self.refused("trace", "cat", trace, "--tensor", "nope", says="model_input/", code=1)
        whole = trace.read_bytes()
        broken = self.folder / "broken.mcap"
        broken.write_bytes(whole[: len(whole) * 3 // 4])
        self.assertIn("trace recover", run("compare", trace, broken).err)

    def test_pack_says_what_it_does(self):
        trace = self.trace()
        done = run("trace", "pack", trace, "-o", trace, expect=2)
        self.assertIn("remove that one first", done.err)
        self.assertNotIn("when asked", done.err)


if __name__ == "__main__":
    tool.main()
