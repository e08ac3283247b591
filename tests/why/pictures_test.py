# SPDX-License-Identifier: Apache-2.0
"""Two dumps beside the picture that both were made of, by Pillow's and OpenCV's own resizes."""
import cv2
import numpy as np

import planted
from planted import DEVIATION, DIFFERS, MEAN, SIDE, UNDECIDED, Image, imagenet, planes, resized, scene, signed, tool, unit

WIDE, WIDER = SIDE + SIDE // 24, SIDE + SIDE // 7


def by_opencv(picture, how):
    return cv2.resize(picture, (SIDE, SIDE), interpolation=how)


def with_bars(picture, fill, is_centred=True):
    height, width = picture.shape[:2]
    scale = min(SIDE / height, SIDE / width)
    h, w = round(height * scale), round(width * scale)
    out = np.full((SIDE, SIDE, 3), fill, np.uint8)
    top, left = ((SIDE - h) // 2, (SIDE - w) // 2) if is_centred else (0, 0)
    out[top:top + h, left:left + w] = cv2.resize(picture, (w, h), interpolation=cv2.INTER_LINEAR)
    return out


def as_torchvision(picture, shorter, how=Image.BILINEAR):
    """Resize(shorter), CenterCrop(SIDE)."""
    height, width = picture.shape[:2]
    h, w = (int(shorter * height / width), shorter) if width <= height else (shorter, int(shorter * width / height))
    top, left = int(round((h - SIDE) / 2)), int(round((w - SIDE) / 2))
    return np.asarray(Image.fromarray(picture).resize((w, h), how))[top:top + SIDE, left:left + SIDE]


class PicturesTest(planted.WhyTest):
    @classmethod
    def setUpClass(cls):
        cls.picture = scene(2)
        cls.file = cls.class_folder() / "scene.png"
        Image.fromarray(cls.picture).save(cls.file)

    def check_beside(self, cases):
        self.check(cases, "--image", self.file)

    def test_filters(self):
        p = self.picture
        wanted, linear = unit(resized(p)), signed(by_opencv(p, cv2.INTER_LINEAR))
        self.check_beside([
            ("OpenCV's linear", unit(by_opencv(p, cv2.INTER_LINEAR)), wanted, DIFFERS, ["resize"], ["app resizes with bilinear (OpenCV", "reference with bilinear, antialiased (Pillow"]),
            ("nearest", unit(resized(p, Image.NEAREST)), wanted, DIFFERS, ["resize"], ["nearest"]),
            ("Lanczos", unit(resized(p, Image.LANCZOS)), wanted, DIFFERS, ["resize"], ["Lanczos-3, antialiased"]),
            ("area", signed(by_opencv(p, cv2.INTER_AREA)), linear, DIFFERS, ["resize"], ["area"]),
            ("cubic", signed(by_opencv(p, cv2.INTER_CUBIC)), linear, DIFFERS, ["resize"], ["INTER_CUBIC"]),
        ])

    def test_framings(self):
        p = self.picture
        torch, bars = planes(imagenet(as_torchvision(p, WIDER))), unit(with_bars(p, 114))
        self.check_beside([
            ("stretched", planes(imagenet(resized(p))), torch, DIFFERS, ["crop"], ["app stretches the whole picture", f"{WIDER} pixels"]),
            ("another resize before the crop", planes(imagenet(as_torchvision(p, WIDE))), torch, DIFFERS, ["crop"], [f"{WIDE} pixels", f"{WIDER} pixels"]),
            ("bars of another value", unit(with_bars(p, 0)), bars, DIFFERS, ["crop"], ["fills the bars with 0; the reference with 114"]),
            ("no bars", unit(by_opencv(p, cv2.INTER_LINEAR)), bars, DIFFERS, ["crop"], ["stretches", "bars"]),
            ("bars on one side", unit(with_bars(p, 114, False)), bars, DIFFERS, ["crop"], ["below the picture"]),
        ])

    def test_colours_and_ranges(self):
        p = self.picture
        torch, linear = as_torchvision(p, WIDER), by_opencv(p, cv2.INTER_LINEAR)
        self.check_beside([
            ("BGR", planes(((unit(torch[..., ::-1]) - MEAN) / DEVIATION).astype(np.float32)), planes(imagenet(torch)), DIFFERS, ["channel_order"], ["the app feeds BGR; the reference feeds RGB"]),
            ("0..1", planes(unit(torch)), planes(imagenet(torch)), DIFFERS, ["value_range"], ["to 0..1", "ImageNet"]),
            ("no parentheses", planes((unit(torch) - MEAN / DEVIATION).astype(np.float32)), planes(imagenet(torch)), DIFFERS, ["value_range"], ["parentheses"]),
            ("turned", signed(np.rot90(linear)), signed(linear), DIFFERS, ["orientation"], ["270°"]),
            ("int8 and BGR", (linear[..., ::-1].astype(int) - 128).astype(np.int8), signed(linear), DIFFERS, ["channel_order", "input_quantization"], ["BGR"]),
            ("three at once", signed(by_opencv(p, cv2.INTER_AREA))[..., ::-1], unit(resized(p)), DIFFERS, ["channel_order", "resize", "value_range"], ["BGR", "-1..1"]),
        ])

    def test_other_sizes(self):
        p, torch = self.picture, planes(imagenet(as_torchvision(self.picture, WIDER)))
        smaller = SIDE * 3 // 4
        self.check_beside([
            ("smaller", unit(resized(p, side=smaller)), unit(resized(p)), DIFFERS, ["resize"], [f"makes {smaller}x{smaller} of the picture; the reference {SIDE}x{SIDE}"]),
            ("smaller, BGR and -1..1", signed(resized(p, side=smaller))[..., ::-1], unit(resized(p)), DIFFERS, ["channel_order", "resize", "value_range"], ["BGR", "-1..1"]),
            ("smaller, stretched, NHWC", imagenet(resized(p, side=smaller)), torch, DIFFERS, ["crop", "resize"], ["stretches"]),
            ("another picture", unit(resized(scene(6), side=smaller)), unit(resized(p)), UNDECIDED, [], []),
        ])

    def test_channels_that_are_exchanged_after_the_normalisation(self):
        wanted = imagenet(resized(self.picture))
        _, answer = self.why(wanted[..., ::-1], wanted, "--image", self.file)
        self.assertEqual(answer["headline"], "the app feeds BGR; the reference feeds RGB")
        self.assertIn("color(bgr) | normalize(mean=[103.53, 116.28, 123.675]", answer["app_recipe"])
        self.assertGreater(answer["left"]["explained"], .9999)

    def test_codes_of_a_model_with_its_own_scale(self):
        wanted = planes(imagenet(as_torchvision(self.picture, WIDER)))
        codes = np.clip(np.round(imagenet(resized(self.picture))[..., ::-1] / .0186) - 14, -128, 127).astype(np.int8)
        self.check_beside([("int8, stretched, BGR", codes, wanted, DIFFERS, ["channel_order", "crop", "input_quantization"], ["scale 0.0186", "zero point -14", "BGR", "stretches"]),
                           ("both int8: BGR", codes[..., ::-1], codes, DIFFERS, ["channel_order"], []),
                           ("both int8: moved", np.clip(codes.astype(int) + 3, -128, 127).astype(np.int8), codes, DIFFERS, ["input_quantization"], ["3 too high"])])

    def test_the_fix_is_the_references_step(self):
        wanted = signed(by_opencv(self.picture, cv2.INTER_LINEAR))
        _, answer = self.why(wanted[..., ::-1], wanted, "--image", self.file)
        [cause] = answer["causes"]
        self.assertEqual(cause["fix_step"], "color(rgb)")
        self.assertIn("COLOR_BGR2RGB", cause["fix_code"]["opencv"])
        self.assertIn("color(bgr)", answer["app_recipe"])
        self.assertIn(f"resize({SIDE}x{SIDE}, bilinear", answer["reference_recipe"])

    def test_the_fix_has_the_references_type(self):
        codes = (resized(self.picture).astype(int) - 128).astype(np.int8)
        for app, reference, right in ((resized(self.picture)[..., ::-1], codes, "cast(int8)"), (codes[..., ::-1], resized(self.picture), "cast(uint8)")):
            _, answer = self.why(app, reference, "--image", self.file)
            fixes = " ".join(cause["fix_step"] for cause in answer["causes"])
            self.assertIn(right, fixes)
            self.assertEqual(fixes.count("cast("), 1)

    def test_a_file_that_is_not_the_picture(self):
        other = self.folder / "other.png"
        Image.fromarray(scene(5)).save(other)
        wanted = unit(resized(self.picture))
        code, answer = self.why(unit(resized(self.picture, Image.NEAREST)), wanted, "--image", other)
        self.assertEqual((code, answer["causes"]), (UNDECIDED, []))
        self.assertIn("this picture", answer["headline"])
        # What the pair itself shows is told all the same.
        code, answer = self.why(wanted[..., ::-1], wanted, "--image", other)
        self.assertEqual((code, answer["causes"][0]["kind"]), (DIFFERS, "channel_order"))


if __name__ == "__main__":
    tool.main()
