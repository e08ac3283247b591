# SPDX-License-Identifier: Apache-2.0
"""The part of training that needs no framework, on a softmax regression in NumPy: curves that continue, checkpoints, changes of inputs, files of weights."""
import io
import json
import pathlib
import pickle
import struct
import sys
import tempfile
import unittest
import zipfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "python"))
from edgeprobe.train.augment import Augment  # noqa: E402
from edgeprobe.train.backbone import load_backbone  # noqa: E402
from edgeprobe.train.checkpoint import Checkpoints  # noqa: E402
from edgeprobe.train.events import Events  # noqa: E402
from edgeprobe.train.loop import Loop, Plan  # noqa: E402
from edgeprobe.train.slots import Slot  # noqa: E402
from edgeprobe.train.store import Store  # noqa: E402
from edgeprobe.train.talk import Stopped, Trouble  # noqa: E402

SHAPE, CLASSES = (6, 5, 3), 4


class Regression:
    """Softmax regression with momentum: a learner whose next step depends on more than its weights."""

    backbone, head = None, None

    def __init__(self):
        self.matrix, self.speed = np.zeros((90, CLASSES)), np.zeros((90, CLASSES))

    def begin(self, _phase, rate):
        self.rate, self.speed = rate, np.zeros_like(self.speed)

    def _scores(self, values, labels):
        logits = values.reshape(len(values), -1).astype(float) @ self.matrix
        share = np.exp(logits - logits.max(1, keepdims=True))
        share /= share.sum(1, keepdims=True)
        return share, -np.log(share[np.arange(len(labels)), labels])

    def step(self, values, labels, _features):
        with np.errstate(all="ignore"):
            share, losses = self._scores(values, labels)
            slope = values.reshape(len(values), -1).T @ (share - np.eye(CLASSES)[labels]) / len(labels)
            self.speed = .9 * self.speed - self.rate * slope
            self.matrix = self.matrix + self.speed
        return float(losses.mean()), int((share.argmax(1) == labels).sum())

    def judge(self, values, labels, _features):
        share, losses = self._scores(values, labels)
        return float(losses.sum()), int((share.argmax(1) == labels).sum()), share.argmax(1)

    def state(self):
        return {"matrix": self.matrix, "speed": self.speed}

    def restore(self, arrays):
        self.matrix, self.speed = arrays["matrix"], arrays["speed"]

    def weights(self):
        return [self.matrix.copy()]


class Said:
    """What a run says; it stops after a number of steps."""

    def __init__(self, steps=None):
        self.steps, self.rows, self.warnings = steps, [], []

    def is_stopped(self):
        return self.steps is not None and self.steps <= 0

    def check(self):
        if self.is_stopped():
            raise Stopped("stopped")

    def progress(self, _done, _all, what):
        if self.steps is not None and "steps" in what:
            self.steps -= 1

    def row(self, row, before=False):
        self.rows.append(row)

    def warning(self, sentence):
        self.warnings.append(sentence)


class LoopTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        rng = np.random.default_rng(1)
        labels = rng.integers(0, CLASSES, 100).astype(np.int32)
        codes = rng.integers(0, 200, (100, *SHAPE)).astype(np.uint8)
        codes[np.arange(100), labels, 0, 0] += 55
        np.save(self.folder / "inputs.npy", codes)
        np.save(self.folder / "labels.npy", labels)
        np.save(self.folder / "table.npy", np.linspace(-1, 1, 256, dtype=np.float32)[None])
        (self.folder / "store.json").write_text(json.dumps(
            {"key": "k", "channel_axis": 2, "parts": {"train": [0, 60], "validation": [60, 80], "test": [80, 100]}, "left_out": []}))
        self.store = Store(self.folder)

    def loop(self, name, steps=None, **changes):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        plan = Plan(**{"epochs": 4, "fine": 0, "batch": 8, "rate": .05, "seed": 3, "augment": "flip,shift=0.2", "frozen": False, "every": 0, **changes})
        return Loop(plan, self.store, Regression(), folder, Said(steps))

    @staticmethod
    def curve(loop):
        return [{key: value for key, value in row.items() if key not in ("seconds", "time")} for row in loop.history]

    def test_a_run_that_stops_at_any_step_continues_to_the_same_curve(self):
        whole = self.loop("whole")
        whole.run()
        self.assertEqual(len(whole.history), 4)
        self.assertLess(whole.history[-1]["loss"], whole.history[0]["loss"])
        for steps in (1, 3, 7):
            name, times = f"stopped{steps}", 0
            while True:
                part = self.loop(name, steps)
                part.resume()
                try:
                    part.run()
                    break
                except Stopped:
                    times += 1
            self.assertGreater(times, 3)
            self.assertEqual(self.curve(part), self.curve(whole))
            self.assertTrue(np.array_equal(part.best_weights[0], whole.best_weights[0]))
        # Another seed gives another curve, so that equal ones mean something.
        other = self.loop("other", seed=4)
        other.run()
        self.assertNotEqual(self.curve(other), self.curve(whole))

    def test_a_damaged_checkpoint_is_not_used(self):
        whole = self.loop("whole")
        whole.run()
        with self.assertRaises(Stopped):
            self.loop("a", 11).run()
        files = Checkpoints(self.folder / "a").files()
        self.assertEqual(len(files), 2)
        for spoil in (lambda data: data[:-1], lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:], lambda data: b""):
            with self.subTest():
                good = files[0].read_bytes()
                files[0].write_bytes(spoil(good))
                again = self.loop("a")
                self.assertTrue(again.resume())
                self.assertIn(f"checkpoint '{files[0].name}' is damaged", again.talk.warnings[0])
                self.assertIn("the one before continues the run", again.talk.warnings[0])
                self.assertLess(again.steps_done, 11)
                files[0].write_bytes(good)
        files[0].write_bytes(b"")
        again = self.loop("a")
        again.resume()
        again.run()
        self.assertEqual(self.curve(again), self.curve(whole))
        for file in Checkpoints(self.folder / "a").files():
            file.write_bytes(b"none")
        anew = self.loop("a")
        self.assertFalse(anew.resume())
        self.assertIn("begins anew", anew.talk.warnings[-1])

    def test_a_full_disk_leaves_the_last_checkpoint(self):
        with self.assertRaises(Stopped):
            self.loop("a", 5).run()
        before = {file.name: file.read_bytes() for file in (self.folder / "a").glob("*.checkpoint")}
        import resource
        loop = self.loop("a", 3)
        loop.resume()
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, limits[1]))  # a write beyond fails, as on a full disk
        try:
            with self.assertRaises(Stopped):
                loop.run()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        self.assertIn("cannot be written (File too large); 'step-000000005.checkpoint' stays the last one", loop.talk.warnings[0])
        self.assertEqual(before, {file.name: file.read_bytes() for file in (self.folder / "a").glob("*.checkpoint*")})

    def test_a_loss_that_is_no_number_names_step_and_rate(self):
        loop = self.loop("a", rate=1e200, epochs=9)
        with self.assertRaisesRegex(Trouble, r"the loss is (nan|inf) at step \d+ of epoch \d+ with learning rate 1e\+200; .*; try a lower --learning-rate") as caught:
            loop.run()
        self.assertEqual(caught.exception.kind, "diverged")
        for file in Checkpoints(self.folder / "a").files():
            with np.load(io.BytesIO(file.read_bytes()[97:])) as content:
                self.assertTrue(all(np.isfinite(content[name]).all() for name in content.files))

    def test_features_of_wrong_augmentation_are_refused(self):
        for text, words in {"flop": "'flop': expected flip", "shift": "expected flip", "shift=0.7": "at most 0.5", "rotate=-3": "above 0", "flip=1": "expected"}.items():
            with self.assertRaisesRegex(ValueError, words):
                Augment(text, SHAPE, 2, 1)
        with self.assertRaisesRegex(ValueError, "'flip' is for pictures"):
            Augment("flip", (40, 3), None, 1)

    def test_changes_move_values_and_make_none(self):
        values = np.random.default_rng(2).integers(0, 256, (9, 8, 3)).astype(np.uint8)
        change = Augment("flip,shift=0.3,rotate=20", values.shape, 2, 1)
        seen = {change(values, row).tobytes() for row in range(20)}
        self.assertGreater(len(seen), 15)
        colours = {bytes(pixel) for pixel in values.reshape(-1, 3)}
        for row in range(20):
            self.assertLessEqual({bytes(pixel) for pixel in change(values, row).reshape(-1, 3)}, colours)
            first = Augment("flip,shift=0.3,rotate=20", (3, 9, 8), 0, 1)(values.transpose(2, 0, 1), row)
            np.testing.assert_array_equal(first.transpose(1, 2, 0), change(values, row))
        flips = [np.array_equal(Augment("flip", values.shape, 2, 1)(values, row), values[:, ::-1]) for row in range(100)]
        self.assertTrue(30 < sum(flips) < 70)
        # A turn is one about the middle: distances from it stay.
        far = np.hypot(*np.meshgrid(np.arange(31) - 15.0, np.arange(31) - 15.0))[..., None].repeat(3, 2)
        turned = Augment("rotate=45", far.shape, 2, 1)
        self.assertGreater(len({turned(np.arange(31 * 31 * 3).reshape(31, 31, 3), row).tobytes() for row in range(5)}), 4)
        for row in range(5):
            np.testing.assert_allclose(turned(far, row)[8:23, 8:23], far[8:23, 8:23], atol=.75)
        signal = np.arange(40.0)[:, None] * np.ones(3)
        moved = Augment("shift=0.2", signal.shape, None, 1)(signal, 0)
        self.assertIn(round(float(moved[20, 0] - 20)), range(-8, 9))

    def test_the_log_is_one_of_tensorboard(self):
        events = Events(self.folder, 5.0)
        events.epoch({"epoch": 300, "time": 6.5, "loss": .25, "accuracy": .5, "validation_loss": None, "validation_accuracy": None, "learning_rate": .1})
        data = events.path.read_bytes()
        records = []
        while data:
            (size,), body = struct.unpack("<Q", data[:8]), data[12:]
            records.append(body[:size])
            data = body[size + 4:]
        self.assertEqual(records[0][9:], b"\x1a\x0dbrain.Event:2")
        self.assertIn(b"train/loss\x15" + struct.pack("<f", .25), records[1])
        self.assertIn(b"\x10\xac\x02", records[1])  # step 300
        self.assertNotIn(b"validation", records[1])
        again = Events(self.folder, 9.0)
        self.assertEqual([again.path], list(self.folder.glob("events*")))


class WeightsTest(unittest.TestCase):
    """Two convolutions with norms, as a backbone of arrays."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.there = {}
        rng = np.random.default_rng(1)
        norm = {"gamma": (4,), "beta": (4,), "mean": (4,), "variance": (4,)}
        self.places = [Slot("a", "conv", {"kernel": (3, 3, 3, 4)}, 0, None), Slot("a_norm", "norm", norm, 1e-3, None),
                       Slot("b", "depthwise", {"kernel": (3, 3, 4, 1)}, 0, None), Slot("b_norm", "norm", norm, 1e-3, None)]
        self.arrays = {f"{slot.name}/{role}": rng.normal(size=shape).astype(np.float32) for slot in self.places for role, shape in slot.roles.items()}

    backbone = "arrays"

    def slots(self):
        return self.places

    def assign(self, slot, role, values):
        self.there[f"{slot.name}/{role}"] = values

    def load(self, arrays, name="w.npz"):
        np.savez(self.folder / name, **arrays)
        return load_backbone(str(self.folder / name), None, "", self)

    def refused(self, words, arrays):
        with self.assertRaisesRegex(Trouble, words):
            self.load(arrays)
        self.assertEqual(self.there, {}, "a weight was set before the refusal")

    def test_by_name_and_by_order(self):
        notes = self.load({"z/extra": np.zeros(3), **self.arrays})
        self.assertIn("10 tensors from 'w.npz', matched by name", notes[0])
        for name, values in self.arrays.items():
            np.testing.assert_array_equal(self.there[name], values)
        self.there = {}
        notes = self.load({f"layer_{'abcd'.index(name[0]) * 2 + ('norm' in name)}/{i}": value.astype(np.float16) for i, (name, value) in enumerate(self.arrays.items())} | {"last/w": np.zeros(3)})
        self.assertIn("matched by order and shape", notes[0])
        self.assertIn("1 layers of 'w.npz' after the backbone are not used", notes[1])
        np.testing.assert_array_equal(self.there["b/kernel"], self.arrays["b/kernel"].astype(np.float16).astype(np.float32))

    def test_the_first_tensor_that_differs_is_named(self):
        self.refused(r"tensor 6 of the backbone, 'b/kernel', is \[3, 3, 4, 1\]; the file has 'b/kernel' \[3, 3, 8, 1\] there", {**self.arrays, "b/kernel": np.zeros((3, 3, 8, 1))})
        self.refused(r"no layer for tensor 7 of the backbone, 'b_norm/gamma' \[4\]: the file's layers end before", {k: v for k, v in self.arrays.items() if "b_norm" not in k})
        self.refused("holds values that are no finite numbers", {**self.arrays, "a/kernel": np.full((3, 3, 3, 4), np.nan)})

    def test_files_that_would_run_code_are_refused(self):
        self.refused("'a/kernel' is a pickled object, which runs code when it is read", {"a/kernel": np.array([{"x": 1}], object)})
        class Evil:
            def __reduce__(self):
                return (sys.exit, (9,))
        (self.folder / "p.npz").write_bytes(pickle.dumps(Evil()))
        with self.assertRaisesRegex(Trouble, "'p.npz' is not an archive of numpy.savez; a pickled file would run code"):
            load_backbone(str(self.folder / "p.npz"), None, "", self)

    def test_folded_norms_add_the_bias(self):
        for name, value in (("k", self.arrays["a/kernel"].transpose(3, 0, 1, 2)), ("kb", np.arange(4.)), ("d", self.arrays["b/kernel"].transpose(3, 0, 1, 2)), ("db", np.ones(4))):
            np.save(self.folder / f"{name}.npy", value)
        given = [{"name": "one", "kind": "conv", "layout": "ohwi", "weights": [["kernel", "k.npy"], ["bias", "kb.npy"]]},
                 {"name": "two", "kind": "depthwise", "layout": "1hwo", "weights": [["kernel", "d.npy"], ["bias", "db.npy"]]}]
        notes = load_backbone("x.tflite", given, str(self.folder), self)
        self.assertIn("2 batch norms", notes[1])
        np.testing.assert_array_equal(self.there["a/kernel"], self.arrays["a/kernel"])
        np.testing.assert_array_equal(self.there["b/kernel"], self.arrays["b/kernel"])
        np.testing.assert_array_equal(self.there["a_norm/beta"], np.arange(4))
        # (x - mean) gamma / sqrt(variance + epsilon) is x.
        norm = {role: self.there[f"b_norm/{role}"] for role in ("gamma", "mean", "variance")}
        np.testing.assert_allclose(norm["gamma"] / np.sqrt(norm["variance"] + np.float32(1e-3)), 1, rtol=1e-7)
        self.assertFalse(norm["mean"].any())


if __name__ == "__main__":
    unittest.main(verbosity=2)
