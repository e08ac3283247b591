# SPDX-License-Identifier: Apache-2.0
"""Faults in only some frames: named, counted, and never averaged away."""
import sys

from PIL import Image

import tool
from tool import MODELS, RECIPE, ToolTest, run, verdict_of

MODEL = MODELS / "signs_float.tflite"


class SomeFrames(ToolTest):
    def pictures(self, n, turned):
        """n JPEGs; in those of `turned`, EXIF requests a rotation."""
        folder = self.folder / "pictures"
        folder.mkdir()
        files = sorted((MODELS / "data" / "test").rglob("*.*"))[:n]
        self.assertEqual(len(files), n)
        for i, file in enumerate(files):
            exif = Image.Exif()
            exif[0x0112] = 6 if i in turned else 1
            Image.open(file).convert("RGB").save(folder / f"{i:03}.jpg", quality=95, exif=exif)
        return folder

    def check(self, folder, expect):
        return verdict_of("check", MODEL, "--recipe", RECIPE, "--reference", MODEL, "--reference-recipe", "decode(orientation=applied) | " + RECIPE,
                          "--data", folder, expect=expect)

    def test_a_turn_of_every_fourth_picture(self):
        # A few evenly spaced frames would include all of the rotated ones, or none.
        for first in (0, 1):
            with self.subTest(first=first):
                folder = self.pictures(20, set(range(first, 20, 4)))
                verdict = self.check(folder, 3)
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["status"]), ("orientation", "confirmed"))
                self.assertTrue(cause["detail"].startswith("in 5 of 20 frames the app feeds the picture rotated"), cause["detail"])
                self.assertAlmostEqual(cause["restored"], 1, places=3)
                for file in folder.iterdir():
                    file.unlink()
                folder.rmdir()

    def test_all_or_none_is_said_of_no_frame(self):
        verdict = self.check(self.pictures(8, set(range(8))), 3)
        self.assertTrue(verdict["causes"][0]["detail"].startswith("the app feeds"), verdict["causes"][0]["detail"])

    def test_black_frames(self):
        """A camera that sometimes delivers nothing: recorded with a function, searched with a recipe."""
        function = self.folder / "prep.py"
        function.write_text(
            "import numpy as np\nfrom PIL import Image\ncount = -1\n"
            "def preprocess(raw):\n    global count\n    count += 1\n"
            "    return np.zeros((1, 64, 64, 3), np.float32) - 1 if count % 6 == 2 else good(raw)\n"
            "def good(raw):\n    import io\n    image = raw if isinstance(raw, np.ndarray) else np.asarray(Image.open(io.BytesIO(raw)).convert('RGB'))\n"
            "    h, w = image.shape[:2]\n    side = lambda n: int(n * 0.875 + 0.5)\n"
            "    top, left = (h - side(h)) // 2, (w - side(w)) // 2\n"
            "    box = Image.fromarray(image[top:top + side(h), left:left + side(w)]).resize((64, 64), Image.BILINEAR)\n"
            "    return (np.asarray(box, np.float32) / 127.5 - 1)[None]\n")
        folder = self.pictures(18, set())
        trace = self.folder / "app.mcap"
        run("run", MODEL, "--pipeline", f"{function}:preprocess", "--data", folder, "--trace", trace,
            "--python", sys.executable, expect=0)
        verdict = verdict_of("diagnose", trace, "--reference", MODEL, "--reference-recipe", RECIPE, "--data", folder, expect=3)
        cause = verdict["causes"][0]
        self.assertEqual((cause["kind"], cause["status"]), ("empty_input", "confirmed"))
        self.assertIn("the model input is -1 everywhere in 3 of 18 frames", verdict["headline"])
        self.assertEqual(len(verdict["causes"]), 1)


if __name__ == "__main__":
    tool.main()
