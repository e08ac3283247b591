# SPDX-License-Identifier: Apache-2.0
"""Files that `why` reads and refuses, the forms of its answer, and the same from Python."""
import json
import signal
import subprocess
import sys
import time

import numpy as np

import planted
from planted import DIFFERS, Image, resized, scene, tool, unit

SCHEMA = tool.ROOT / "docs" / "reference" / "why.schema.json"


class FilesTest(planted.WhyTest):
    def setUp(self):
        super().setUp()
        self.picture = scene(3)
        self.values = unit(resized(self.picture))[None]
        np.save(self.folder / "good.npy", self.values)

    def refused(self, *words):
        done = tool.run("why", *words, expect={1, 2})
        self.assertEqual(done.out, "")
        return done.err

    def test_arrays_of_an_archive_by_name(self):
        np.savez(self.folder / "one.npz", image=self.values[..., ::-1])
        np.savez_compressed(self.folder / "two.npz", image=self.values[..., ::-1], mask=np.ones(3))
        for name in ("one.npz", "one.npz:image", "two.npz:image"):
            done = tool.run("why", self.folder / name, self.folder / "good.npy", expect=DIFFERS)
            self.assertIn("RGB and BGR exchanged", done.out)
        self.assertIn("several arrays ('image', 'mask'): say which", self.refused(self.folder / "two.npz", self.folder / "good.npy"))
        self.assertIn("no array 'imag'; it holds 'image', 'mask'", self.refused(self.folder / "two.npz:imag", self.folder / "good.npy"))

    def test_onnx_tensor(self):
        import onnx.numpy_helper
        (self.folder / "input_0.pb").write_bytes(onnx.numpy_helper.from_array(self.values[..., ::-1].copy()).SerializeToString())
        self.assertIn("2, 1, 0", tool.run("why", self.folder / "input_0.pb", self.folder / "good.npy", expect=DIFFERS).out)

    def test_bad_files_are_refused_in_a_sentence(self):
        good, folder = self.folder / "good.npy", self.folder
        (folder / "text.txt").write_text("1 2 3")
        (folder / "cut.npy").write_bytes(good.read_bytes()[:-5])
        np.save(folder / "empty.npy", np.zeros((0, 3)))
        np.save(folder / "objects.npy", np.array([{}], object), allow_pickle=True)
        np.save(folder / "complex.npy", np.zeros(3, complex))
        for name, words in (("text.txt", "not a NumPy array"), ("cut.npy", "do not fit its shape"), ("empty.npy", "no value"), ("objects.npy", "never loaded"),
                            ("complex.npy", "expected numbers"), ("missing.npy", "missing.npy")):
            for sides in ((folder / name, good), (good, folder / name)):
                with self.subTest(file=name):
                    error = self.refused(*sides)
                    self.assertIn(words, error)
                    self.assertIn("app" if sides[0] != good else "reference", error)
        self.assertIn("--image", self.refused(good, good, "--image", folder / "text.txt"))

    def test_an_interrupted_search_ends_at_once(self):
        rng = np.random.default_rng(2)
        for name in ("app.npy", "reference.npy"):
            np.save(self.folder / name, rng.integers(0, 256, (1280, 1280, 3)).astype(np.uint8))
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([tool.EXECUTABLE, "why", self.folder / "app.npy", self.folder / "reference.npy"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as search:
                time.sleep(.3)
                self.assertIsNone(search.poll(), "the search ended before the signal")
                search.send_signal(number)
                start = time.monotonic()
                out, error = search.communicate(timeout=20)
                self.assertLess(time.monotonic() - start, .3)
                self.assertEqual((search.returncode, out), (130, b""))
                self.assertIn(b"stopped by the user", error)

    def test_every_answer_keeps_the_schema(self):
        import jsonschema
        schema = json.loads(SCHEMA.read_text())
        file = self.folder / "scene.png"
        Image.fromarray(self.picture).save(file)
        half = self.values.copy()
        half[0, 50:] = 0
        for app in (self.values, self.values[..., ::-1], half, self.values * np.nan, self.values[:, 8:-8], 1 / (1 + self.values), np.zeros(7)):
            for flags in ((), ("--image", file)):
                jsonschema.validate(self.why(app.astype(np.float32), self.values, *flags)[1], schema)

    def test_the_text_says_cause_evidence_fix_and_what_decides(self):
        file = self.folder / "scene.png"
        Image.fromarray(self.picture).save(file)
        np.save(self.folder / "app.npy", self.values[..., ::-1])
        out = tool.run("why", self.folder / "app.npy", self.folder / "good.npy", "--image", file, expect=DIFFERS).out
        self.assertTrue(out.startswith("The app feeds BGR; the reference feeds RGB\n"), out)
        for row in ("Answer       differs (exit code 3)", f"App          1x{planted.SIDE}x{planted.SIDE}x3 float32", "Checked      explains 100.00 %", "Cause        channel order", "Fix          recipe step  color(rgb)"):
            self.assertIn("\n" + row, out)
        out = tool.run("why", self.folder / "app.npy", self.folder / "good.npy", expect=DIFFERS).out
        self.assertIn("\nDecides      which of the two is right", out)
        answer = self.folder / "answer.json"
        tool.run("why", self.folder / "app.npy", self.folder / "good.npy", "--json", answer, expect=DIFFERS)
        self.assertEqual(json.loads(answer.read_text())["version"], 1)


class PythonTest(planted.WhyTest):
    def test_arrays_and_files(self):
        sys.path.insert(0, str(tool.ROOT / "python"))
        import edgeprobe
        picture = scene(3)
        values = unit(resized(picture))[None]
        found = edgeprobe.why(values[..., ::-1], values)
        self.assertTrue(found.differs)
        self.assertEqual(found.causes[0].kind, "channel_order")
        # An array of pixels, a file of the tensor, one of the picture.
        np.save(self.folder / "app.npy", values[..., ::-1])
        Image.fromarray(picture).save(self.folder / "scene.png")
        for image in (picture, self.folder / "scene.png"):
            found = edgeprobe.why(self.folder / "app.npy", values, image=image)
            self.assertEqual(found.headline, "the app feeds BGR; the reference feeds RGB")
        self.assertTrue(edgeprobe.why(values, values).agrees)
        self.assertTrue(edgeprobe.why(np.random.default_rng(1).random(values.shape), values).undecided)
        with self.assertRaises(edgeprobe.UsageError):
            edgeprobe.why(self.folder / "scene.png", values)
        with self.assertRaises(TypeError):
            edgeprobe.why(values, values, picture=picture)
        with self.assertRaisesRegex(ValueError, "3 channels"):
            edgeprobe.why(values, values, image=np.zeros((4, 4, 2), np.uint8))


if __name__ == "__main__":
    tool.main()
