# SPDX-License-Identifier: Apache-2.0
"""Two dumps of a picture's tensor without the picture: planted differences are named, healthy pairs agree, what cannot be told is said."""
import numpy as np

import planted
from planted import AGREES, DEVIATION, DIFFERS, MEAN, UNDECIDED, float_resized, imagenet, planes, resized, scene, signed, unit
from planted import tool


class PairsTest(planted.WhyTest):
    @classmethod
    def setUpClass(cls):
        cls.picture = scene(1)
        cls.pixels = resized(cls.picture)
        cls.values = unit(cls.pixels)

    def test_healthy_pairs_agree(self):
        v, f = self.values, float_resized(self.picture)
        self.check([
            ("nothing", v[None], v[None], AGREES, [], ["equal"]),
            ("no batch axis", v, v[None], AGREES, [], ["equal"]),
            ("a plain list", v.ravel(), v[None], AGREES, [], ["equal"]),
            ("another type", v.astype(np.float64), v, AGREES, [], ["equal", "float64"]),
            ("Fortran order", np.asfortranarray(v), v, AGREES, [], ["equal"]),
            ("big-endian", v.astype(">f4"), v, AGREES, [], ["equal"]),
            ("the last bits", v * np.float32(1 + 1e-7), v, AGREES, [], ["rounding"]),
            ("pixels as floats", self.pixels, self.pixels.astype(np.float32), AGREES, [], ["equal"]),
            ("float16", v.astype(np.float16), v, AGREES, [], ["rounding"]),
            ("cut to whole pixels", np.floor(f) / np.float32(255), f / np.float32(255), AGREES, [], ["rounded down to whole pixels"]),
            ("rounded to whole pixels", np.round(f) / np.float32(255), f / np.float32(255), AGREES, [], ["rounded to whole pixels"]),
            ("codes one lower", np.floor(f).astype(np.uint8), np.ceil(f).astype(np.uint8), AGREES, [], ["one lower or the same"]),
        ])

    def test_layouts(self):
        v, side = self.values, planted.SIDE
        self.check([
            ("NCHW by its shape", planes(v)[None], v[None], DIFFERS, ["layout"], ["two layouts"]),
            ("NCHW in NHWC", planes(v).reshape(side, side, 3), v, DIFFERS, ["layout"], ["NCHW memory"]),
            ("NHWC in NCHW", v.reshape(3, side, side), planes(v), DIFFERS, ["layout"], ["NHWC memory"]),
            ("reshaped for transposed", v.reshape(3, side, side)[None], v[None], DIFFERS, ["layout"], ["reshaped where it had to be transposed"]),
            ("the reference is the bad one", v, planes(v).reshape(side, side, 3), DIFFERS, ["layout"], ["the reference feeds NCHW memory"]),
        ])

    def test_channels(self):
        v, f = self.values, float_resized(self.picture) / np.float32(255)
        gray = np.repeat(np.round(self.pixels @ np.float32([.299, .587, .114]))[..., None], 3, -1).astype(np.uint8)
        alpha = np.full_like(self.pixels[..., :1], 255)
        empty = v.copy()
        empty[..., 2] = 0
        self.check([
            ("BGR", v[..., ::-1], v, DIFFERS, ["channel_order"], ["2, 1, 0"]),
            ("BGR, planes", planes(v[..., ::-1])[None], planes(v)[None], DIFFERS, ["channel_order"], ["2, 1, 0"]),
            ("BGR of real numbers", f[..., ::-1], f, DIFFERS, ["channel_order"], ["2, 1, 0"]),
            ("GBR", v[..., [1, 2, 0]], v, DIFFERS, ["channel_order"], ["1, 2, 0"]),
            ("RBG", self.pixels[..., [0, 2, 1]], self.pixels, DIFFERS, ["channel_order"], ["0, 2, 1"]),
            ("gray", unit(gray), v, DIFFERS, ["channel_order"], ["three equal gray channels"]),
            ("RGBA", np.concatenate([self.pixels, alpha], -1), self.pixels, DIFFERS, ["channel_order"], ["RGBA"]),
            ("no blue", empty, v, DIFFERS, ["incomplete_input"], ["never fills channel 2"]),
            ("BGR and -1..1", signed(self.pixels)[..., ::-1], v, DIFFERS, ["channel_order", "value_range"], ["-1..1", "2, 1, 0"]),
            ("BGR and ImageNet of real numbers", ((f[..., ::-1] - MEAN) / DEVIATION).astype(np.float32), f, DIFFERS, ["channel_order", "value_range"], ["2, 1, 0"]),
        ])

    def test_ranges(self):
        u, v = self.pixels, self.values
        wanted = imagenet(u)
        self.check([
            ("-1..1 for 0..1", signed(u), v, DIFFERS, ["value_range"], ["to -1..1", "to 0..1"]),
            ("0..255 for 0..1", u.astype(np.float32), v, DIFFERS, ["value_range"], ["to 0..255", "to 0..1"]),
            ("0..1 for ImageNet", v, wanted, DIFFERS, ["value_range"], ["to 0..1", "ImageNet"]),
            ("not divided by the deviation", v - MEAN, wanted, DIFFERS, ["value_range"], ["ImageNet mean"]),
            ("not divided by 255", ((u - MEAN) / DEVIATION).astype(np.float32), wanted, DIFFERS, ["value_range"], ["without the division by 255"]),
            ("statistics of BGR", ((v - MEAN[::-1]) / DEVIATION[::-1]).astype(np.float32), wanted, DIFFERS, ["value_range"], ["B, G, R"]),
            ("no parentheses", (v - MEAN / DEVIATION).astype(np.float32), wanted, DIFFERS, ["value_range"], ["parentheses"]),
            ("(x - 128)/128", (u.astype(np.float32) - 128) / 128, signed(u), DIFFERS, ["value_range"], ["(x - 128)/128"]),
            ("limited range", unit(np.round(16 + u.astype(float) * 219 / 255).astype(np.uint8)), v, DIFFERS, ["value_range"], ["16..235"]),
            ("standardised", ((v - v.mean()) / v.std()).astype(np.float32), v, DIFFERS, ["value_range"], ["own mean and deviation"]),
        ])

    def test_codes_and_bytes(self):
        u, v = self.pixels, self.values
        codes = np.clip(np.round(imagenet(u) / .0186) - 14, -128, 127).astype(np.int8)
        self.check([
            ("uint8 for 0..1", u, v, DIFFERS, ["input_quantization"], ["scale 0.003922 and zero point 0"]),
            ("int8 for ImageNet", codes, imagenet(u), DIFFERS, ["input_quantization"], ["scale 0.0186 and zero point -14"]),
            ("int8 and BGR", (u[..., ::-1].astype(int) - 128).astype(np.int8), v, DIFFERS, ["channel_order", "input_quantization"], ["zero point -128"]),
            ("minus 128", (u.astype(int) - 128).astype(np.int8), u, DIFFERS, ["input_quantization"], ["minus 128"]),
            ("read as int8", u.view(np.int8), u, DIFFERS, ["input_quantization"], ["bytes are the reference's"]),
            ("read as uint8", u.view(np.int8).view(np.uint8), u.view(np.int8), DIFFERS, ["input_quantization"], ["bytes are the reference's"]),
            ("cut off codes", np.floor(v / np.float32(.01)).astype(np.uint8), v, DIFFERS, ["input_quantization"], ["rounded down"]),
            ("four too high", np.clip(u.astype(int) + 4, 0, 255).astype(np.uint8), u, DIFFERS, ["input_quantization"], ["4 too high"]),
            ("wraps round", (u.astype(int) * 2 % 256).astype(np.uint8), u, DIFFERS, ["value_table"], ["wraps round"]),
            ("byte order", v.byteswap(), v, DIFFERS, ["sample_format"], ["byte order"]),
        ])

    def test_numbers_of_bfloat16(self):
        def cut(x):
            return (x.astype(np.float32).view(np.uint32) & 0xffff0000).view(np.float32)

        def rounded(x):
            bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
            return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)
        u = np.clip(self.pixels, 0, 254)
        white, dark = self.pixels.copy(), unit(u)
        white[0, 0] = 255
        v, n, f = unit(white), imagenet(white), float_resized(self.picture)
        cases = []
        for how, words in ((cut, "cut off to bfloat16"), (rounded, "rounded to bfloat16")):
            cases += [
                (f"0..1, {words}", how(v), v, AGREES, [], ["with all their digits both are one", "0..1, " + words]),
                (f"the reference: 0..1, {words}", v, how(v), AGREES, [], ["the reference scales pixels to 0..1, " + words]),
                (f"-1..1, {words}", how(signed(white)), signed(white), AGREES, [], ["-1..1, " + words]),
                (f"0..1 for ImageNet, {words}", how(v), n, DIFFERS, ["value_range"], ["the app scales pixels to 0..1; the reference by ImageNet"]),
                (f"0..1 for -1..1, {words}", how(v), signed(white), DIFFERS, ["value_range"], ["to 0..1; the reference to -1..1"]),
                (f"BGR, {words}", how(v)[..., ::-1], v, DIFFERS, ["channel_order"], ["2, 1, 0"]),
                (f"features, {words}", how(f[:7, :9, 0]), f[:7, :9, 0], DIFFERS, ["precision"], [words]),
            ]
        self.check(cases + [
            ("x/256 or 0..1 cut off", cut(dark), dark, UNDECIDED, None, ["x/256", "0..1, cut off to bfloat16"]),
            ("x/256", (white / 256).astype(np.float32), v, DIFFERS, ["value_range"], ["x/256"]),
        ])

    def test_remarks_on_rounding_hold_for_every_value(self):
        rng, v = np.random.default_rng(4), self.values
        for reach in (.3, .45):
            _, answer = self.why(v + (rng.uniform(-reach, reach, v.shape) / 255).astype(np.float32) * np.float32(.8), v)
            self.assertNotIn("whole pixels", answer["headline"])
        self.check([("noise of a step", v + (rng.uniform(-1, 1, v.shape) / 255).astype(np.float32), v, UNDECIDED, [], [])])

    def test_no_model_is_known(self):
        v, side = self.values, planted.SIDE
        features = float_resized(self.picture)[:49, :40, 0]
        for app, reference in ((planes(v).reshape(side, side, 3), v), (v.reshape(3, side, side), planes(v)), (np.ascontiguousarray(features.T).reshape(49, 40), features)):
            _, answer = self.why(app, reference)
            self.assertNotIn("the model", answer["headline"])
            self.assertIn("the reference", answer["headline"])

    def test_places(self):
        v, f = self.values, float_resized(self.picture) / np.float32(255)
        side = planted.SIDE
        half, border = v.copy(), v.copy()
        half[side * 5 // 8:] = 0
        border[:, :8] = .5
        self.check([
            ("mirrored", v[:, ::-1], v, DIFFERS, ["orientation"], ["mirrored left-right"]),
            ("upside down", v[::-1], v, DIFFERS, ["orientation"], ["mirrored top-bottom"]),
            ("turned", np.rot90(v), v, DIFFERS, ["orientation"], ["270°"]),
            ("turned by half", v[::-1, ::-1], v, DIFFERS, ["orientation"], ["180°"]),
            ("transposed", v.transpose(1, 0, 2), v, DIFFERS, ["orientation"], ["height and width swapped"]),
            ("mirrored and -1..1 of real numbers", f[:, ::-1] * 2 - 1, f, DIFFERS, ["orientation", "value_range"], ["mirrored", "-1..1"]),
            ("moved right", np.concatenate([v[:, :3] * 0, v[:, :-3]], 1), v, DIFFERS, ["layout"], ["3 columns"]),
            ("rolled down", np.roll(v, 5, 0), v, DIFFERS, ["layout"], ["5 row"]),
            ("lower part not written", half, v, DIFFERS, ["incomplete_input"], [f"rows {side * 5 // 8} to {side - 1}"]),
            ("border", border, v, DIFFERS, ["incomplete_input"], ["columns 0 to 7"]),
            ("the middle", v[8:-8, 8:-8], v, DIFFERS, ["crop"], [f"rows 8 to {side - 9}", "the middle"]),
        ])

    def test_curves_and_broken_values(self):
        u, v = self.pixels, self.values
        nan = v.copy()
        nan[3, 4, 1] = np.nan
        self.check([
            ("gamma", unit(np.round(255 * (u / 255) ** 2.2).astype(np.uint8)), v, DIFFERS, ["tone"], ["gamma 2.2"]),
            ("four bits", unit(u & 240), v, DIFFERS, ["value_table"], ["upper 4 bits"]),
            ("NaN", nan, v, DIFFERS, ["non_finite_input"], ["NaN in 1 of"]),
            ("constant", v * 0, v, DIFFERS, ["empty_input"], ["0 everywhere"]),
            ("negative", 1 - v, v, DIFFERS, ["value_range"], ["times -1 plus 1"]),
        ])

    def test_a_batch_of_pictures(self):
        batch = np.stack([unit(resized(np.roll(self.picture, 30 * k, 0))) for k in range(3)])
        self.check([
            ("BGR", batch[..., ::-1], batch, DIFFERS, ["channel_order"], ["2, 1, 0"]),
            ("NHWC and NCHW", batch, batch.transpose(0, 3, 1, 2), DIFFERS, ["layout"], ["two layouts"]),
            ("-1..1", 2 * batch - 1, batch, DIFFERS, ["value_range"], ["to -1..1"]),
            ("two exchanged", batch[[1, 0, 2]], batch, DIFFERS, ["axis_order"], ["0 and 1 in each other's place"]),
            ("BGR in some", np.concatenate([batch[:1], batch[1:, ..., ::-1]]), batch, UNDECIDED, [], []),
        ])

    def test_without_the_picture_nobody_knows_which_side_is_right(self):
        _, answer = self.why(self.values[..., ::-1], self.values)
        self.assertEqual(answer["causes"][0]["fix_step"], "")
        self.assertIn("--image", " ".join(answer["would_decide"]))

    def test_equal_explanations_are_all_said(self):
        half = self.values[:, :planted.SIDE // 2]
        symmetric = np.concatenate([half, half[:, ::-1]], 1)
        gray = np.repeat(self.values[..., :1], 3, -1)
        ramp = np.linspace(0, 1, planted.SIDE * planted.SIDE).reshape(planted.SIDE, planted.SIDE).astype(np.float32)
        self.check([
            ("symmetric: mirrored", symmetric[:, ::-1], symmetric, AGREES, [], ["equal"]),
            ("symmetric: turned or mirrored", symmetric[::-1, ::-1], symmetric, UNDECIDED, ["orientation"], ["mirrored top-bottom", "180°"]),
            ("gray: BGR", gray[..., ::-1], gray, AGREES, [], ["equal"]),
            ("a slope: reversed or negative", ramp[::-1, ::-1], ramp, UNDECIDED, None, []),
        ])

    def test_what_no_list_holds_has_no_name(self):
        import cv2
        rng, u, v = np.random.default_rng(7), self.pixels, self.values
        hsv = cv2.cvtColor(u, cv2.COLOR_RGB2HSV)
        hsv[..., 0] = (hsv[..., 0].astype(int) + 20) % 180
        self.check([
            ("noise", rng.random(v.shape, np.float32), v, UNDECIDED, [], []),
            ("another picture", unit(resized(scene(9))), v, UNDECIDED, [], []),
            ("another filter", unit(resized(self.picture, planted.Image.BICUBIC)), v, UNDECIDED, [], []),
            ("blurred", unit(cv2.GaussianBlur(u, (5, 5), 1.2)), v, UNDECIDED, [], []),
            ("another hue", unit(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)), v, UNDECIDED, [], []),
            ("white dots", np.where(rng.random((*u.shape[:2], 1)) < .05, 255, u).astype(np.uint8), u, UNDECIDED, [], []),
            ("other sizes", v[:, :50], np.zeros((33, 70, 3), np.float32), UNDECIDED, [], []),
        ])
        dots = [np.zeros((28, 28, 1), np.float32) for _ in range(2)]
        dots[0][5, 7], dots[1][20, 3] = 1, 1
        self.check([("one pixel is any other one", *dots, UNDECIDED, [], []), ("hardly any reach", v * np.float32(1e-30), v, DIFFERS, ["value_range"], ["times 1e+30"])])
        _, answer = self.why(unit(resized(self.picture, planted.Image.BICUBIC)), v)
        facts = {fact["what"]: fact["text"] for fact in answer["facts"]}
        self.assertIn("rougher", facts["Roughness"])
        self.assertIn("--image", " ".join(answer["would_decide"]))


if __name__ == "__main__":
    tool.main()
