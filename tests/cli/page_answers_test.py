# SPDX-License-Identifier: Apache-2.0
"""The answers and frames that a verdict's page counts, compared with NumPy on the traces: page_answers_test.py EDGEPROBE."""
import base64
import collections
import io
import re
import sys

import numpy as np
from PIL import Image
from tool import MODELS, RECIPE, ToolTest, main, run

DATA = MODELS / "data/test"
MODEL = MODELS / "signs_float.tflite"


class PageAnswersTest(ToolTest):
    def recorded(self, name, recipe, *more):
        trace = self.folder / f"{name}.mcap"
        run("run", MODEL, "--recipe", recipe, "--data", self.pictures, "--trace", trace, *more, expect=0)
        return trace

    def arrays(self, trace):
        """Model inputs and probabilities, one row per frame."""
        out = trace.with_suffix(".npz")
        run("trace", "export", trace, "--npz", out, expect=0)
        with np.load(out) as arrays:
            return [arrays[name].reshape(60, -1).astype(float) for name in ("model_input/image", "model_output/probabilities")]

    def setUp(self):
        super().setUp()
        self.pictures = self.folder / "pictures"
        self.pictures.mkdir()
        for file in sorted(DATA.iterdir())[:60]:
            (self.pictures / file.name).write_bytes(file.read_bytes())

    def test_flips_labels_and_frames_are_those_of_the_traces(self):
        target, reference = self.recorded("t", RECIPE.replace("rgb", "bgr")), self.recorded("r", RECIPE)
        page = self.folder / "page.html"
        run("diagnose", target, "--reference", MODEL, "--reference-recipe", RECIPE, "--model", MODEL, "--data", self.pictures, "--html",
            page, expect=3)
        text = page.read_text()
        sides = [self.arrays(trace) for trace in (target, reference)]
        said, wanted = (scores.argmax(1) for _, scores in sides)
        flips = int((said != wanted).sum())
        self.assertGreater(flips, 5)
        self.assertIn(f"The answer to {flips} of 60 frames is not the reference’s.", text)
        became = collections.defaultdict(collections.Counter)
        for a, r in zip(said, wanted):
            became[r][a] += 1
        rows = re.findall(r'<tr><th scope="row">class (\d+)</th><td class="number">(\d+)</td><td class="number medium-only">(\d+)</td><td>([^<]*)</td>', text)
        self.assertEqual({int(r) for r, *_ in rows}, {r for r, c in became.items() if set(c) != {r}})
        for r, count, same, instead in rows:
            counts = became[int(r)]
            self.assertEqual((int(count), int(same)), (sum(counts.values()), counts[int(r)]))
            shown = {int(a): int(n) for a, n in re.findall(r"class (\d+) × (\d+)", instead)}
            self.assertEqual(shown, {a: counts[a] for a in shown})
            rest = re.search(r"others × (\d+)", instead)
            self.assertEqual(sum(shown.values()) + int(rest[1] if rest else 0), int(count) - int(same))
        # The unit is 1/255 of the range of the reference's inputs.
        inputs = [image for image, _ in sides]
        steps = np.sqrt(((inputs[0] - inputs[1]) ** 2).mean(1)) / (inputs[1].max() - inputs[1].min()) * 255
        bars = {int(frame): float(n) for frame, n in re.findall(r"<title>frame (\d+): ([\d.e-]+) gray levels</title>", text)}
        self.assertEqual(len(bars), 60)
        for frame, shown in bars.items():
            self.assertAlmostEqual(shown, steps[frame], delta=0.006 * steps[frame])
        # Flips with a picture: those of the samples whose inputs are shown, and of four more, as photographs.
        cards = re.findall(r'<article class="flip">.*?src="data:image/jpeg;base64,([^"]*)"', text)
        self.assertGreaterEqual(len(cards), 4)
        for card in cards:
            Image.open(io.BytesIO(base64.b64decode(card))).load()
        # The inputs of those four are not shown: four samples have rows.
        self.assertIn("Pictures of 4 of 4 samples", text)

    def test_recordings_without_a_recipe_have_the_same_pictures(self):
        """compare, and diagnose with a second trace, show the recorded inputs in the range of the reference's."""
        target, reference = self.recorded("t", RECIPE.replace("rgb", "bgr")), self.recorded("r", RECIPE)
        sides = [self.arrays(trace) for trace in (target, reference)]
        low, high = sides[1][0].min(), sides[1][0].max()
        wanted = [np.clip(np.round((side[0][0].reshape(64, 64, 3) - low) / (high - low) * 255), 0, 255) for side in sides]
        for verb in (("compare", reference, target), ("diagnose", target, "--reference-trace", reference)):
            with self.subTest(verb=verb[0]):
                page = self.folder / f"{verb[0]}.html"
                run(*verb, "--html", page, expect=3)
                text = page.read_text()
                self.assertLess(text.index('id="difference"'), text.index('id="pictures"'))
                rows = dict(re.findall(r'<img alt="sign_0000.png, ([^"]*)"[^>]*base64,([^"]*)"', text))
                for title, values in zip(("target: what the model saw", "reference"), wanted):
                    shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(rows[title]))))
                    self.assertLessEqual(np.abs(shown - values).max(), 1)
        run("compare", reference, target, "--html", page, "--images", "none", expect=3)
        self.assertNotIn("<img", page.read_text())
        self.assertIn("--images 'some': expected full or none", run("compare", reference, target, "--images", "some", expect=2).err)

    def test_no_flip_is_said(self):
        trace = self.recorded("same", RECIPE)
        page = self.folder / "page.html"
        run("diagnose", trace, "--reference", MODEL, "--reference-recipe", RECIPE, "--data", self.pictures, "--html", page, expect=0)
        self.assertIn("Both sides give the same answer to all 60 frames.", page.read_text())
        self.assertNotIn('id="difference"', page.read_text())


if __name__ == "__main__":
    sys.exit(main())
