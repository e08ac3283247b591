# SPDX-License-Identifier: Apache-2.0
"""Tests the judges of bench/fault_matrix: the faults that they inject, the differences that they see, and their grades."""
import dataclasses
import pathlib
import random
import sys
import tempfile
import unittest

import cv2
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench" / "fault_matrix"))
import blind  # noqa: E402
import combine  # noqa: E402
import deployments  # noqa: E402
import recordings  # noqa: E402
import together  # noqa: E402
from pictures import camera_frame, made  # noqa: E402
from unlisted import FAULTS  # noqa: E402

SIGNS = deployments.chosen("signs_float")[0]
SIGNS_INT8 = deployments.chosen("signs_int8")[0]
PICTURE = combine.cached_picture(SIGNS.pictures()[0])


def cause(kind, detail, status="confirmed", **more):
    return {"kind": kind, "status": status, "detail": detail, "stage": "preprocessing", "explains": 1.0, **more}


def row(truth, causes, **more):
    truth = [{"id": i, "kind": k, "axis": k, "named": n, "alone": 9, "within": 9, "visible": v} for i, k, n, v in truth]
    return {"truth": truth, "causes": causes, "destroyed": False, "same_tensor": False, "exit": 3, **more}


class Planting(unittest.TestCase):
    def test_every_fault_of_the_list_exists_somewhere(self):
        for fault in combine.faults():
            apps = [combine.planted(d.app, [fault["change"]]) for d in deployments.chosen("")]
            self.assertTrue(any(apps), fault["id"])

    def test_combinations_have_different_axes_and_change_the_app(self):
        rng = random.Random(5)
        for count in (2, 3):
            chosen, app = combine.draw(SIGNS_INT8, count, list(combine.SIX), rng)
            self.assertEqual(len({f["axis"] for f in chosen}), count)
            self.assertNotEqual(app, SIGNS_INT8.app)

    def test_swapped_chroma_and_back_is_the_picture_within_rounding(self):
        twice = camera_frame(camera_frame(PICTURE, "uv_swapped"), "uv_swapped").astype(int)
        inside = (camera_frame(PICTURE, "uv_swapped") % 255 != 0).all(2)
        self.assertGreater(inside.sum(), 100)
        self.assertLessEqual(np.abs(twice - PICTURE)[inside].max(), 5)

    def test_unlisted_faults_change_the_tensor(self):
        others = [combine.cached_picture(SIGNS.pictures()[7])]
        healthy = made(PICTURE, SIGNS.app)
        for fault in FAULTS:
            tensor = blind.tensor_of(fault, SIGNS.app, PICTURE, others, random.Random(1))
            self.assertEqual(tensor.shape, healthy.shape)
            self.assertTrue(np.isfinite(tensor).all(), fault.name)
            self.assertGreater(combine.apart(tensor, healthy, 1 / 127.5), 0.3, fault.name)


class Seeing(unittest.TestCase):
    def test_a_fault_is_invisible_when_another_hides_it(self):
        rows = {f["id"]: f for f in combine.faults()}
        chosen = [rows["gray3"], rows["turn_1"]]
        app = combine.planted(SIGNS.app, [f["change"] for f in chosen])
        flat = np.repeat(PICTURE[:, :, :1], 3, 2)  # The picture is already gray.
        (alone, within), (_, turned) = combine.visibility(SIGNS, chosen, app, [flat], [made(flat, app)])
        self.assertLess(alone, combine.INVISIBLE)
        self.assertLess(within, combine.INVISIBLE)
        self.assertGreater(turned, combine.INVISIBLE)

    def test_words_are_checked_by_making_their_tensor(self):
        app = dataclasses.replace(SIGNS.app, range="lines:0.004,0.004,0.004:-0.5,-0.5,-0.5")
        target = [made(PICTURE, app)]
        numbers = "the app scales pixels by x*0.004 - 0.5, x*0.004 - 0.5, x*0.004 - 0.5; the reference to -1..1"
        self.assertTrue(combine.same_tensor(SIGNS, [cause("value_range", numbers)], [PICTURE], target))
        self.assertFalse(combine.same_tensor(SIGNS, [cause("value_range", numbers.replace("0.5", "0.51"))], [PICTURE], target))
        self.assertFalse(combine.same_tensor(SIGNS, [], [PICTURE], target))


class Grading(unittest.TestCase):
    TURN, BGR = ("turn_1", "orientation", "rotated by 90", True), ("bgr", "channel_order", "feeds BGR", True)

    def test_grades_of_combinations(self):
        turn, bgr = cause("orientation", "rotated by 90"), cause("channel_order", "feeds BGR")
        unseen = (*self.BGR[:3], False)
        self.assertEqual(together.grade(row([self.TURN, self.BGR], [turn, bgr])), "exact")
        self.assertEqual(together.grade(row([self.TURN, unseen], [turn])), "one invisible")
        self.assertEqual(together.grade(row([self.TURN, self.BGR], [turn])), "only some")
        self.assertEqual(together.grade(row([self.TURN], [turn, bgr])), "WRONG CONFIRMED")
        self.assertEqual(together.grade(row([self.TURN], [turn, {**bgr, "status": "note"}])), "wrong")
        self.assertEqual(together.grade(row([self.TURN], [bgr], same_tensor=True)), "equivalent")
        self.assertEqual(together.grade(row([self.TURN], [cause("unknown", "", "partial")])), "unknown")
        self.assertEqual(together.grade(row([self.TURN], [], exit=0)), "missed")

    def test_grades_of_the_blind_set(self):
        def graded(causes, true=("crop",), listed=(), moves=9.0, exit=3, same=False):
            return blind.grade({"causes": causes, "true": list(true), "listed": list(listed), "moves": moves, "exit": exit, "same_tensor": same})
        unknown, crop = cause("unknown", "", "partial"), cause("crop", "")
        self.assertEqual(graded([crop]), "named")
        self.assertEqual(graded([crop], true=()), "WRONG CONFIRMED")
        self.assertEqual(graded([crop], true=(), same=True), "equivalent")
        self.assertEqual(graded([crop], true=(), listed=("crop",)), "in part")
        self.assertEqual(graded([unknown]), "unknown")
        self.assertEqual(graded([{**unknown, "explains": None}]), "no figures")
        self.assertEqual(graded([], exit=0), "missed")
        self.assertEqual(graded([], exit=0, moves=1.0), "small")


class Recordings(unittest.TestCase):
    def test_frames_come_back_as_they_were_written(self):
        ramp = np.repeat(np.add.outer(np.arange(0, 120, 2), np.arange(0, 80)).astype(np.uint8)[:, :, None], 3, 2)
        with tempfile.TemporaryDirectory() as folder:
            for name, (_, write) in recordings.CASES.items():
                path, right, _ = write(ramp, "ramp", pathlib.Path(folder))
                if path.suffix in (".nv12", ".nv21", ".i420"):
                    self.assertLessEqual(np.abs(right.astype(int) - ramp).max(), 1, name)

    def test_the_reader_is_opencvs(self):
        even = PICTURE[:PICTURE.shape[0] // 2 * 2, :PICTURE.shape[1] // 2 * 2]
        for layout, code in (("nv12", cv2.COLOR_YUV2RGB_NV12), ("nv21", cv2.COLOR_YUV2RGB_NV21), ("i420", cv2.COLOR_YUV2RGB_I420), ("yv12", cv2.COLOR_YUV2RGB_YV12)):
            frame = recordings.Frame(even.shape[0], even.shape[1], layout)
            data = recordings.written(even, frame)
            theirs = cv2.cvtColor(data.reshape(even.shape[0] * 3 // 2, even.shape[1]), code)
            self.assertLessEqual(np.abs(theirs.astype(int) - recordings.read(data, frame)).max(), 3)


if __name__ == "__main__":
    unittest.main()
