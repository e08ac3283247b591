# SPDX-License-Identifier: Apache-2.0
"""Two dumps of what a model answered: scores, classes, boxes, features."""
import numpy as np

import planted
from planted import AGREES, DIFFERS, UNDECIDED, tool


class OutputsTest(planted.WhyTest):
    @classmethod
    def setUpClass(cls):
        cls.rng = np.random.default_rng(3)
        cls.logits = cls.rng.normal(0, 3, (1, 100)).astype(np.float32)
        powers = np.exp(cls.logits - cls.logits.max())
        cls.scores = (powers / powers.sum()).astype(np.float32)

    def test_scores(self):
        x, p = self.logits, self.scores
        order = self.rng.permutation(100)
        long = self.rng.normal(0, 1, 5000).astype(np.float32)
        few = np.exp(x[:, :10]) / np.exp(x[:, :10]).sum()
        self.check([
            ("softmax", p, x, DIFFERS, ["postprocessing"], ["the app's tensor is the softmax"]),
            ("no softmax", x, p, DIFFERS, ["postprocessing"], ["the reference's tensor is the softmax"]),
            ("softmax of ten", few.astype(np.float32), x[:, :10], DIFFERS, ["postprocessing"], ["softmax"]),
            ("sigmoid", (1 / (1 + np.exp(-x))).astype(np.float32), x, DIFFERS, ["postprocessing"], ["sigmoid"]),
            ("log of softmax", np.log(p), x, DIFFERS, ["postprocessing"], ["logarithm of the softmax"]),
            ("sorted", np.sort(x)[:, ::-1], x, DIFFERS, ["output_order"], ["descending"]),
            ("other classes", x[:, order], x, DIFFERS, ["output_order"], [", ".join(map(str, order[:8]))]),
            ("reversed", x[:, ::-1], x, DIFFERS, ["output_order"], ["reverse order"]),
            ("one off", np.roll(x, 1, 1), x, DIFFERS, ["output_order"], ["1 place later"]),
            ("5000 turned round", np.roll(long, 7), long, DIFFERS, ["output_order"], ["7 places later"]),
            ("twice", 2 * x, x, DIFFERS, ["value_range"], ["times 2"]),
            ("others", self.rng.normal(0, 3, x.shape).astype(np.float32), x, UNDECIDED, [], []),
            ("two scores", np.float32([[.3, .7]]), np.float32([[.7, .3]]), UNDECIDED, [], []),
            ("the same", x, x, AGREES, [], []),
        ])

    def test_numbers_that_hardly_vary_are_no_function(self):
        noise, logits = self.rng.normal(0, 1, (1, 1000)), self.rng.normal(0, 1, (1, 1000))
        self.check([
            ("near 0.001", (.001 + 3e-7 * noise).astype(np.float32), (1e-4 * logits).astype(np.float32), UNDECIDED, [], []),
            ("near 0.5", (.5 + 5e-7 * noise).astype(np.float32), (1e-6 * logits).astype(np.float32), UNDECIDED, [], []),
            ("all scores 0", np.zeros(10, np.int64), np.zeros((10, 10), np.float32), UNDECIDED, [], []),
        ])

    def test_classes(self):
        x = self.rng.normal(0, 3, (1, 1000)).astype(np.float32)
        best = x.argmax()
        mask = self.rng.normal(0, 1, (1, 16, 16, 21)).astype(np.float32)
        self.check([
            ("argmax", np.array([best]), x, DIFFERS, ["postprocessing"], ["argmax"]),
            ("argmax of 100", np.array([self.logits.argmax()]), self.logits, DIFFERS, ["postprocessing"], ["argmax"]),
            ("of 100, from 1: a guess", np.array([self.logits.argmax() + 1]), self.logits, UNDECIDED, [], []),
            ("argmax from 1", np.array([best + 1]), x, DIFFERS, ["postprocessing"], ["counted from 1"]),
            ("argmax of a mask", mask.argmax(-1), mask, DIFFERS, ["postprocessing"], ["axis 3"]),
            ("background", np.concatenate([[[0]], x], 1).astype(np.float32), x, DIFFERS, ["output_order"], ["one value more in each row, in front (of classes: every label is one off)"]),
            ("labels from 1", np.array([5, 9, 33]), np.array([4, 8, 32]), DIFFERS, ["postprocessing"], ["plus 1"]),
            ("one label", np.array([5]), np.array([4]), UNDECIDED, [], []),
            ("not the best", np.array([(best + 7) % 1000]), x, UNDECIDED, [], []),
        ])

    def test_one_step_in_masks_and_classes_is_no_rounding(self):
        mask = self.rng.integers(0, 2, (1, 64, 64, 1)).astype(np.uint8)
        classes = self.rng.integers(0, 20, (1, 64, 64, 1)).astype(np.uint8)
        wrong = np.where(self.rng.random(classes.shape) < .08, classes + 2, classes).astype(np.uint8)
        few = np.array([3, 7, 1, 0], np.uint8)
        scores = self.rng.integers(-100, 100, (1, 1000)).astype(np.int8)
        best = scores.copy()
        scores[0, 5], scores[0, 9], best[0, 5], best[0, 9] = 101, 100, 100, 101
        for name, app, reference in [("opposite masks", 1 - mask, mask), ("class map plus 1", classes + 1, classes), ("8 % wrong", wrong, classes),
                                     ("labels", np.array([4, 7, 1, 0], np.uint8), few), ("best class", best, scores)]:
            with self.subTest(planted=name):
                code, answer = self.why(app, reference)
                self.assertNotEqual(code, AGREES, answer["headline"])

    def test_what_32_bits_two_shapes_or_a_mask_hide_is_not_equal(self):
        logits = self.rng.normal(size=(1, 1000)).astype(np.float32)
        others = self.rng.normal(size=(1, 1000)).astype(np.float32)
        logits[0, :5] = others[0, :5] = -1e9
        head = self.rng.normal(size=(1, 84, 100)).astype(np.float32)
        for name, app, reference in [("whole numbers", np.array([2**24 + 1]), np.array([2**24], np.int32)), ("beyond float32", np.array([1e300, 1]), np.array([2e300, 1])),
                                     ("reshaped for transposed", head.reshape(1, 100, 84), head), ("masked logits", others, logits)]:
            with self.subTest(planted=name):
                code, answer = self.why(app, reference)
                self.assertNotEqual(code, AGREES, answer["headline"])
        for name, app in [("flat", head.reshape(-1)), ("merged", head.reshape(1, 84, 10, 10)), ("as float64", head.astype(np.float64))]:
            with self.subTest(healthy=name):
                code, answer = self.why(app, head)
                self.assertEqual(code, AGREES, answer["headline"])

    def test_boxes(self):
        corner, size = self.rng.random((60, 2)) * .5, self.rng.random((60, 2)) * .4 + .05
        corners = np.concatenate([corner, corner + size], 1).astype(np.float32)
        centres = np.concatenate([corner + size / 2, size], 1).astype(np.float32)
        pixels = np.float32([640, 480, 640, 480])
        self.check([
            ("y first", corners[:, [1, 0, 3, 2]], corners, DIFFERS, ["postprocessing"], ["x and y exchanged"]),
            ("centres", centres, corners, DIFFERS, ["postprocessing"], ["app's boxes are centres and sizes", "reference's corners (x1"]),
            ("corners", corners, centres, DIFFERS, ["postprocessing"], ["app's boxes are corners (x1", "reference's centres"]),
            ("corner and size", np.concatenate([corner, size], 1).astype(np.float32), corners, DIFFERS, ["postprocessing"], ["a corner and sizes"]),
            ("pixels", corners * pixels, corners, DIFFERS, ["postprocessing"], ["640x480"]),
            ("centres in pixels", centres * pixels, corners, DIFFERS, ["postprocessing"], ["centres and sizes", "640x480"]),
            ("transposed", np.ascontiguousarray(corners.T)[None], corners[None], DIFFERS, ["layout"], ["transposed"]),
        ])

    def test_four_columns_are_boxes_only_with_evidence(self):
        rng = self.rng
        logits, positive = rng.normal(0, 3, (40, 4)).astype(np.float32), rng.random((40, 4)).astype(np.float32)
        turned = rng.normal(0, 1, (40, 4)).astype(np.float32)
        turned /= np.linalg.norm(turned, axis=1, keepdims=True)
        scores = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        faint = rng.random((40, 4)).astype(np.float32) * np.float32([.1, .1, .01, .01])
        for name, x in (("logits", logits), ("positive features", positive), ("quaternions", turned), ("positive quaternions", abs(turned)), ("softmax", scores),
                        ("sorted features", np.sort(positive, 1)), ("faint scores", faint), ("sorted, exchanged", np.sort(positive, 1)[:, [1, 0, 3, 2]]), ("pixels of four channels", np.round(positive * 255)), ("few", positive[:4])):
            for how, app in (("columns exchanged", x[:, [1, 0, 3, 2]]), ("factors", x * np.float32([640, 480, 640, 480])), ("twice", 2 * x)):
                with self.subTest(planted=f"{name}, {how}"):
                    _, answer = self.why(app, x)
                    self.assertNotIn("boxes", answer["headline"])

    def test_padding_at_the_other_end(self):
        rng = self.rng
        front, end = np.zeros((2, 4, 32), np.int64)
        for row, length in enumerate((5, 9, 17, 30)):
            end[row, :length] = front[row, 32 - length:] = rng.integers(5, 3000, length)
        rows, late = np.zeros((2, 1, 100, 40), np.float32)
        rows[0, :90] = late[0, 10:] = rng.normal(size=(90, 40))
        wave, ids = np.zeros((1, 16000), np.float32), np.zeros((1, 64), np.int64)
        wave[0, :15000], ids[0, :60] = rng.normal(size=15000), rng.integers(5, 3000, 60)
        mask = (ids > 0).astype(np.int64)
        self.check([
            ("each row by its own length", front, end, DIFFERS, ["layout"], ["its padding in front, the reference's at the end"]),
            ("the other way", end, front, DIFFERS, ["layout"], ["its padding at the end, the reference's in front"]),
            ("pad id 1", np.where(front, front, 1), np.where(end, end, 1), DIFFERS, ["layout"], ["its padding in front"]),
            ("rows of features", late, rows, DIFFERS, ["layout"], ["its padding in front", "10 rows"]),
            ("sound", np.roll(wave, 1000), wave, DIFFERS, ["layout"], ["its padding in front", "1000 values"]),
            ("a few ids", np.roll(ids, 4), ids, DIFFERS, ["layout"], ["its padding in front"]),
            ("a mask: padding or reversed", mask[:, ::-1], mask, UNDECIDED, ["layout"], ["its padding in front", "reverse order"]),
        ])

    def test_orders_that_coincide_are_all_said(self):
        rising = np.sort(self.rng.normal(size=(1, 50))).astype(np.float32)
        two = rising.copy()
        two[0, [3, 9]] = two[0, [9, 3]]
        four = np.float32([[.3, .1, .9, .4]])
        self.check([
            ("reversed or falling", rising[:, ::-1], rising, UNDECIDED, ["output_order"], ["descending", "reverse order"]),
            ("reversed or rising", rising, rising[:, ::-1], UNDECIDED, ["output_order"], ["ascending", "reverse order"]),
            ("sorted or two exchanged", rising, two, UNDECIDED, ["output_order"], ["ascending", "3 and 9 in each other's place"]),
            ("sorted or turned round", rising, np.roll(rising, 3), UNDECIDED, ["output_order"], ["ascending", "3 places earlier"]),
            ("four scores", np.sort(four), four, UNDECIDED, ["output_order"], ["ascending", "another order"]),
        ])

    def test_values_set_to_0_are_a_part_only_if_they_lie_together(self):
        rng = self.rng
        x, row, tail = (rng.normal(size=shape).astype(np.float32) for shape in ((1, 14, 14, 32), (1, 64), (1, 128)))
        picture, part = rng.normal(size=(2, 32, 32, 3)).astype(np.float32)
        tail[0, :40], tail[0, 40:], part[5:9, 7:20] = abs(tail[0, :40]), -abs(tail[0, 40:]), 0
        drop, rows = np.where(rng.random(x.shape) < .2, 0, x), x.copy()
        rows[0, 3:6] = 0
        relu = ["all negative values set to 0, as by ReLU"]
        self.check([
            ("ReLU", np.maximum(x, 0), x, DIFFERS, ["value_range"], relu),
            ("ReLU of a row", np.maximum(row, 0), row, DIFFERS, ["value_range"], relu),
            ("ReLU of a picture", np.maximum(picture, 0), picture, DIFFERS, ["value_range"], relu),
            ("no ReLU", x, np.maximum(x, 0), DIFFERS, ["value_range"], ["reference's tensor is the app's"] + relu),
            ("ReLU6", np.clip(4 * x, 0, 6), 4 * x, DIFFERS, ["value_range"], ["cut off below 0 and above 6"]),
            ("a threshold of 0.5", np.where(abs(x) < .5, 0, x).astype(np.float32), x, UNDECIDED, [], []),
            ("dropout", drop, x, UNDECIDED, [], []),
            ("dropout of a picture", np.where(rng.random(picture.shape) < .2, 0, picture).astype(np.float32), picture, UNDECIDED, [], []),
            ("all negative ones in one part", np.maximum(tail, 0), tail, UNDECIDED, ["value_range"], relu + ["values 40 to 127", "never written"]),
            ("a part", rows, x, DIFFERS, ["window"], ["is 0 in"]),
        ])

    def test_mostly_equal_values_end_soon(self):
        one, other = np.zeros((2, 1, 400_000), np.float32)
        one[0, 100_000], other[0, 300_000] = 1, 1
        sparse = np.zeros((2, 1, 200_000), np.float32)
        for row in sparse:
            row[0, self.rng.choice(200_000, 200, False)] = self.rng.random(200)
        small, large = np.zeros((1, 320, 320, 3), np.float32), np.zeros((1, 640, 640, 3), np.float32)
        small[0, 200:], large[0, 400:] = .25, .5
        for name, app, reference in (("one-hot", one, other), ("sparse", *sparse), ("black bars", small, large)):
            with self.subTest(planted=name):
                code, answer = self.why(app, reference)
                self.assertEqual((code, answer["causes"]), (UNDECIDED, []))
                self.assertLess(planted.TIMES[-1], 8)

    def test_features(self):
        x = self.rng.normal(0, 1, (49, 40)).astype(np.float32)
        self.check([
            ("transposed by its shape", np.ascontiguousarray(x.T), x, DIFFERS, ["layout"], ["transposed"]),
            ("transposed in memory", np.ascontiguousarray(x.T).reshape(49, 40), x, DIFFERS, ["layout"], ["transposed"]),
            ("time reversed", x[None, ::-1], x[None], DIFFERS, ["orientation"], ["the values, seen as rows and columns"]),
            ("a row late", np.concatenate([x[:1] * 0, x[:-1]]), x, DIFFERS, ["window"], ["1 row"]),
            ("decimal logarithm", np.log10(np.abs(x) + .1).astype(np.float32), np.log(np.abs(x) + .1).astype(np.float32), DIFFERS, ["value_range"], ["times 0.4343"]),
        ])


if __name__ == "__main__":
    tool.main()
