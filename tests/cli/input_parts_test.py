# SPDX-License-Identifier: Apache-2.0
"""Faults of a model input that no recipe expresses: a channel, a part, other positions, the bytes; and the position of an unknown fault."""
import colorsys

import numpy as np
from PIL import Image

import tool
from tool import MODELS, RECIPE, run, verdict_of
from traces import rewritten

DATA = MODELS / "data" / "test"
NCHW = RECIPE.replace("layout(nhwc)", "layout(nchw)")
# Model, recipe, dtype of the stored values, whether the input has one plane per channel.
SIDES = (("signs_float.tflite", RECIPE, np.float32, False), ("signs_float.onnx", NCHW, np.float32, True), ("signs_int8.tflite", RECIPE + " | quantize(model)", np.int8, False))


def constant_channel(x, before):
    x = x.copy()
    x[..., 2] = x.min()
    return x


def stale_columns(x, before):
    x = x.copy()
    if before is not None:
        x[:, 50:] = before[:, 50:]
    return x


def band(x, before):
    x = x.copy()
    x[52:] = -128 if x.dtype == np.int8 else -1
    return x


def noise_in(x, before):
    x = x.copy()
    rng = np.random.default_rng(int(abs(float(x.astype(np.float64).sum()))) % 1000)
    x[48:] = rng.permutation(x[48:].reshape(-1)).reshape(x[48:].shape)
    return x


def quadrants(x, before):
    y = x.copy()
    y[:32, :32], y[32:, 32:] = x[32:, 32:], x[:32, :32]
    return y


def noise_of(x, luma):
    """Noise of 12 gray steps that preserves the luma (BT.601), or the colour."""
    rng = np.random.default_rng(int(abs(float(x.astype(np.float64).sum()))) % 1000)
    red, blue = rng.normal(0, 12 / 127.5, (2, *x.shape[:2]))
    green = red if luma else -(0.299 * red + 0.114 * blue) / 0.587
    return x + np.stack([red, green, red if luma else blue], -1)


def as_hls(x, before):
    return np.array([colorsys.rgb_to_hls(*pixel) for pixel in ((x + 1) / 2).reshape(-1, 3)]).reshape(x.shape) * 2 - 1


def seed_of(x):
    return int(abs(float(x.astype(np.float64).sum()))) % 1000


def block_that_moves(x, before):
    x = x.copy()
    top, left = np.random.default_rng(seed_of(x)).integers(0, 48, 2)
    x[top : top + 12, left : left + 12] = x.min()
    return x


def sticker(x, before):
    x = x.copy()
    spots = np.random.default_rng(5).integers(-100, 100, (16, 16, 3))
    x[8:24, 30:46] = spots if x.dtype == np.int8 else spots / 128
    return x


def pushed_down(x, before):
    return np.concatenate([np.full_like(x[:7], x.min()), x[:-7]])


def turned_tiles(x, before):
    return np.rot90(x.reshape(4, 16, 4, 16, 3), axes=(1, 3)).reshape(x.shape)


# The injected fault, the kind of the cause, and words of its sentence.
FAULTS = {
    "a channel that is never filled": (constant_channel, "incomplete_input", "the app never fills the blue channel"),
    "one channel twice": (lambda x, before: x[..., [0, 1, 0]], "channel_order", "the app's channels hold R, G, R"),
    "a band that is not written": (band, "incomplete_input", "rows 52 to 63 of 64 of the app's input hold"),
    "a buffer that is used again": (stale_columns, "other_frame", "columns 50 to 63 of 64 of the app's input hold what the frame before left there"),
    "rows that come twice": (lambda x, before: np.repeat(x[::2], 2, 0), "layout", "each row comes 2 times"),
    "blocks in each other's place": (quadrants, "layout", "blocks of 32x32 pixels are in other places"),
    "tiles that are turned": (lambda x, before: x.reshape(8, 8, 8, 8, 3).transpose(0, 3, 2, 1, 4).reshape(x.shape), "layout", "blocks of 8x8 pixels have height and width exchanged"),
    "a block that moves": (block_that_moves, "incomplete_input", "a part that is another one from frame to frame"),
    "the same in each frame": (sticker, "incomplete_input", "hold the same in every frame, whatever the picture"),
    "rows pushed down": (pushed_down, "layout", "moved by 7 rows towards the end, and the lines that become free hold something else"),
    "tiles that are turned by 90 degrees": (turned_tiles, "layout", "blocks of 16x16 pixels are turned counterclockwise by 90 degrees"),
    "rows moved round": (lambda x, before: np.roll(x, 13, 0), "layout", "13 rows too late"),
}


class InputPartsTest(tool.ToolTest):
    def recorded(self, model, recipe, frames=4):
        trace = self.folder / "good.mcap"
        run("run", MODELS / model, "--recipe", recipe, "--data", DATA, "--frames", frames, "--level", "io", "--trace", trace, "--force", expect=0)
        return trace

    def spoilt(self, good, dtype, planar, change):
        """A copy of the trace in which `change` was applied to the model inputs as [row, column, channel]."""
        bad = self.folder / "bad.mcap"
        before = []

        def message(channel, message):
            if not channel.topic.startswith("/model_input/"):
                return message.data
            stored = np.frombuffer(message.data, dtype)
            x = stored.reshape(3, 64, 64).transpose(1, 2, 0) if planar else stored.reshape(64, 64, 3)
            y = change(x, before[-1] if before else None)
            before.append(x)
            return np.ascontiguousarray(y.transpose(2, 0, 1) if planar else y).astype(dtype).tobytes()

        rewritten(good, bad, message)
        return bad

    def verdict(self, trace, model, recipe, *more):
        return verdict_of("diagnose", trace, "--reference", MODELS / model, "--reference-recipe", recipe, "--data", DATA, *more, expect=None)

    def test_what_no_recipe_makes_is_named_exactly(self):
        for model, recipe, dtype, planar in SIDES:
            good = self.recorded(model, recipe)
            # The first side gets all faults; the others have another layout or other codes.
            for name, (change, kind, words) in list(FAULTS.items())[:: 1 if model == SIDES[0][0] else 3]:
                with self.subTest(model=model, fault=name):
                    cause = self.verdict(self.spoilt(good, dtype, planar, change), model, recipe)["causes"][0]
                    self.assertEqual(cause["kind"], kind, cause["detail"])
                    self.assertIn(words, cause["detail"])
                    self.assertIn(cause["status"], ("confirmed", "note"))
                    self.assertTrue(cause["fix"]["code"]["numpy"])

    def test_floats_in_the_other_byte_order(self):
        for model, recipe, dtype, planar in SIDES[:2]:
            with self.subTest(model=model):
                good = self.recorded(model, recipe)
                bad = self.spoilt(good, dtype, planar, lambda x, before: np.ascontiguousarray(x).byteswap())
                cause = self.verdict(bad, model, recipe)["causes"][0]
                # The trace's outputs belong to the correct input.
                self.assertEqual((cause["kind"], cause["status"]), ("byte_order", "note"))
                self.assertIn("the app's floats are big-endian", cause["detail"])
                self.assertIn("nativeOrder", cause["fix"]["code"]["android"])

    def test_an_unknown_difference_says_where(self):
        for model, recipe, dtype, planar in SIDES:
            with self.subTest(model=model):
                good = self.recorded(model, recipe)
                page = self.folder / (model + ".html")
                cause = self.verdict(self.spoilt(good, dtype, planar, noise_in), model, recipe, "--html", page)["causes"][0]
                self.assertEqual(cause["kind"], "unknown")
                shown = page.read_text()
                self.assertLess(shown.index("Where the model inputs differ"), shown.index("<h2>Input pictures"))
                self.assertIn("4 of 4 frames differ", shown)
                # The user gave --html, so there is no advice to give it.
                self.assertTrue(cause["detail"].endswith(f"; see the pictures in {page.name}"), cause["detail"])
                self.assertNotIn("--html", cause["detail"])
                self.assertIn("all of the difference is in rows 48 to 63 of 64", cause["detail"])
                place = [e["values"] for e in cause["evidence_values"] if e["kind"] == "difference_place"][0]
                self.assertEqual(place["rows"], [48, 63])
                self.assertEqual((place["frames"], place["first_frame"]), (4, 0))
                # The distance that remains is not larger than before.
                distance = [e["values"] for e in cause["evidence_values"] if e["kind"] == "input_distance"][0]["distance"]
                stays = float(cause["detail"].split("(")[1].split(" gray steps stay")[0])
                self.assertLessEqual(stays, 1.01 * distance)

    def test_colour_or_brightness_is_said_only_of_what_has_it(self):
        model, recipe, dtype, planar = SIDES[0]
        good = self.recorded(model, recipe)
        colour, brightness = "in colour, not in brightness", "in brightness, not in colour"
        for change, said in (
            (lambda x, before: noise_of(x, luma=False), colour),
            (lambda x, before: noise_of(x, luma=True), brightness),
            (as_hls, None),
        ):
            verdict = self.verdict(self.spoilt(good, dtype, planar, change), model, recipe)
            place = [e["values"]["sentence"] for c in verdict["causes"] for e in c["evidence_values"] if e["kind"] == "difference_place"][0]
            with self.subTest(said=said):
                for words in (colour, brightness):
                    self.assertEqual(words in place, words == said, place)

    def test_bars_that_hold_the_picture_are_named(self):
        """A letterbox whose bars are above and below some pictures, and left and right of others."""
        pictures = self.folder / "pictures"
        pictures.mkdir()
        random = np.random.default_rng(2)
        for i in range(4):
            height, width = (40, 64) if i % 2 else (64, 44)
            Image.fromarray(random.integers(0, 256, (height, width, 3), np.uint8)).save(pictures / f"{i}.png")
        recipe = "letterbox(64x64, bilinear, fill=114) | color(rgb) | scale(-1..1)"
        model, good = MODELS / "signs_float.tflite", self.folder / "good.mcap"
        run("run", model, "--recipe", recipe, "--data", pictures, "--trace", good, "--force", expect=0)
        for mode, words in (("edge", "the last row or column of the picture over and over"), ("symmetric", "the picture mirrored, its last row or column twice"),
                            ("reflect", "the picture mirrored about its last row or column"), ("wrap", "the picture again, from its other side")):
            with self.subTest(mode=mode):

                def framed(x, before, mode=mode):
                    held = np.abs(x - (114 / 127.5 - 1)).max(2) > 1e-3
                    rows, columns = np.flatnonzero(held.any(1)), np.flatnonzero(held.any(0))
                    inner = x[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
                    return np.pad(inner, ((rows[0], 63 - rows[-1]), (columns[0], 63 - columns[-1]), (0, 0)), mode)

                bad = self.spoilt(good, np.float32, False, framed)
                cause = verdict_of("diagnose", bad, "--reference", model, "--reference-recipe", recipe, "--data", pictures, expect=None)["causes"][0]
                self.assertIn("the app fills the bars with " + words + "; the reference fills them with -0.1059", cause["detail"])

    def test_all_over_the_picture_is_said_only_of_that(self):
        model, recipe, dtype, planar = SIDES[0]
        good = self.recorded(model, recipe)
        y, x = np.ogrid[:64, :64]
        outside = (y - 31.5) ** 2 + (x - 31.5) ** 2 > 29**2
        for where, said in ((outside, False), (np.ones((64, 64), bool), True)):

            def spotted(x, before, where=where):
                x = x.copy()
                random = np.random.default_rng(seed_of(x))
                spots = where & (random.random((64, 64)) < 0.7)
                x[spots] = random.uniform(-1, 1, (np.count_nonzero(spots), 3))
                return x

            verdict = self.verdict(self.spoilt(good, dtype, planar, spotted), model, recipe)
            place = [e["values"]["sentence"] for c in verdict["causes"] for e in c["evidence_values"] if e["kind"] == "difference_place"]
            with self.subTest(said=said):
                self.assertEqual("all over the picture" in str(place), said, verdict["headline"])

    def test_a_recipe_without_its_scale_is_told(self):
        """Both sides lack the scale, so they agree."""
        recipe = "resize(64x64, bilinear, like=opencv) | color(rgb) | quantize(model)"
        model = MODELS / "signs_int8.tflite"
        done = run("run", model, "--recipe", recipe, "--data", DATA, "--frames", 2, "--trace", self.folder / "t.mcap", "--force", expect=0)
        self.assertIn("scale(-1..1) is missing before quantize", done.err)
        verdict = verdict_of("check", model, "--recipe", recipe, "--reference", model, "--reference-recipe", recipe, "--data", DATA, "--frames", 2, expect=None)
        self.assertTrue(any("of the pixel values are cut off; scale(-1..1) is missing" in w for w in verdict["warnings"]), verdict["warnings"])
        # The right range, in codes that are too narrow for it: the recipe is not to be changed into itself.
        narrow = recipe.replace("quantize(model)", "scale(-1..1) | quantize(scale=0.003, zero_point=0)")
        done = run("run", model, "--recipe", narrow, "--data", DATA, "--frames", 2, "--trace", self.folder / "n.mcap", "--force", expect=0)
        self.assertIn("cut off; was the model calibrated with other pre-processing?", done.err)
        right = recipe.replace("| quantize", "| scale(-1..1) | quantize")
        verdict = verdict_of("check", model, "--recipe", right, "--reference", model, "--reference-recipe", right, "--data", DATA, "--frames", 2, expect=0)
        self.assertFalse(any("cut off" in w for w in verdict["warnings"]))

    def test_a_range_that_the_codes_cut_off_is_named(self):
        """A missing or repeated scaling leaves few codes, which a fault of frame, buffer or table would fit as well."""
        geometry, end = RECIPE.split("scale(-1..1)")[0], "layout(nhwc) | quantize(model)"
        for scaling, named in (("", "0..255"), ("scale(-1..1) | scale(-1..1) |", "-1..1 applied twice"), ("normalize(mean=128, std=1) |", "x - 128")):
            for colors in ("rgb", "bgr"):
                recipe = f"{geometry.replace('color(rgb)', f'color({colors})')}{scaling} {end}"
                verdict = verdict_of("check", MODELS / "signs_int8.tflite", "--recipe", recipe, "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, "--data", DATA, "--frames", 12, expect=3)
                confirmed = [(c["kind"], c["detail"]) for c in verdict["causes"] if c["status"] == "confirmed"]
                with self.subTest(scaling=scaling, colors=colors):
                    # Applying -1..1 twice may leave the lowest code in all frames, like a black picture.
                    for kind, detail in confirmed:
                        self.assertIn(kind, ("value_range", "empty_input") if colors == "rgb" else ("value_range", "empty_input", "channel_order"))
                        self.assertTrue(kind != "value_range" or named in detail, detail)
                    if named == "x - 128":
                        self.assertEqual({kind for kind, _ in confirmed}, {"value_range"} if colors == "rgb" else {"value_range", "channel_order"}, verdict["headline"])
                    if named == "0..255":
                        self.assertIn("value_range", [kind for kind, _ in confirmed], verdict["headline"])


if __name__ == "__main__":
    tool.main()
