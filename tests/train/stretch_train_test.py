# SPDX-License-Identifier: Apache-2.0
"""`edgeprobe stretch train`: what it refuses before work begins, and with PyTorch what it learns and leaves.

stretch_train_test.py EDGEPROBE. Training runs in each Python of torch_pythons.py."""
import io
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[0:0] = [str(HERE), str(HERE.parent / "cli"), str(HERE.parent.parent / "python")]
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402

import networks  # noqa: E402
import tool  # noqa: E402
import torch_pythons  # noqa: E402
from edgeprobe.family import safetensors  # noqa: E402
from processes import wait_for  # noqa: E402
from tool import ToolTest, run  # noqa: E402

TORCH = torch_pythons.found()
needs_torch = unittest.skipUnless(TORCH, "no Python with PyTorch: install python3-torch, or name one with EDGEPROBE_TORCH_PYTHON")
SIDE = 12
CLASSES = ("circle", "cross", "stripes")


def draw(folder, count, seed=0, classes=CLASSES):
    """Pictures of noise with a circle, a cross or stripes at any place."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:SIDE, :SIDE]
    for name in classes:
        (folder / name).mkdir(parents=True)
        for number in range(count):
            picture = rng.integers(0, 90, (SIDE, SIDE, 3)).astype(np.uint8)
            at_y, at_x = rng.integers(4, 8, 2)
            mark = {"circle": abs(np.hypot(y - at_y, x - at_x) - 3) < 1, "cross": (abs(y - at_y) < 1) | (abs(x - at_x) < 1), "stripes": (y + at_y) % 4 < 1}[name]
            picture[mark] = 255 - picture[mark] // 2
            Image.fromarray(picture).save(folder / name / f"{number}.png")
    return folder


def network(**training):
    return networks.every_kind(SIDE).network("tiny", 3, **{"OPTIM_BASE_LR": .05, "OPTIM_MAX_EPOCH": 6, "TRAIN_BATCH_SIZE": 16, "TRAIN_LABEL_SMOOTHING": .1,
                                                          "OPTIM_WARMUP_EPOCHS": 1, "BN_NUM_SAMPLES_PRECISE": 64, **training})


class Harmless:
    """Pickled, it names a function that a reader would call."""

    def __reduce__(self):
        return (len, ((1, 2),))


class StretchTrainTest(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.data = draw(cls.class_folder(), 40)

    def setUp(self):
        super().setUp()
        self.net = networks.write(self.folder / "net.json", network())
        self.out = self.folder / "net.safetensors"

    def train(self, *args, net=None, data=None, out=None, python=None, expect=0):
        return run("stretch", "train", net or self.net, data or self.data, "--labels", "folders", "--output", out or self.out,
                   "--python", python or (TORCH or [sys.executable])[0], *args, expect=expect)

    def refused(self, words, *args, expect=2, **more):
        done = self.train(*args, expect=expect, **more)
        self.assertIn(words, " ".join(done.err.split()))
        self.assertFalse((more.get("out") or self.out).exists())
        return done

    def record(self, stem="net"):
        return json.loads((self.folder / f"{stem}.training.json").read_text())


class Refusals(StretchTrainTest):
    """None of them needs PyTorch."""

    def fake(self, text):
        """A program in the place of a Python."""
        path = self.folder / "python"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def test_a_python_that_does_not_fit(self):
        self.refused("has no PyTorch: install python3-torch (apt-get install --no-install-recommends python3-torch", python=self.fake("echo 11 0"))
        self.refused("is Python 3.9; expected 3.11 or newer: install python3-torch", python=self.fake("echo 9 1"))
        self.refused("is no Python 3: who are you", python=self.fake("echo who are you >&2; exit 1"))
        self.refused("the Python interpreter '/nowhere/python' cannot be started", python="/nowhere/python", expect=1)

    def test_fetch_torch(self):
        """With an apt-get that brings a package of this test."""
        tools, made = self.folder / "tools", self.folder / "deb"
        tools.mkdir()
        module = made / "usr/lib/python3/dist-packages/torch/__init__.py"
        module.parent.mkdir(parents=True)
        module.write_text("__version__ = '1.13.7'\nclass ones:\n    def __init__(self, *_): pass\n    def __matmul__(self, _): return self\n    def sum(self): return self\n    def item(self): return 8.0\n")
        (made / "DEBIAN").mkdir()
        (made / "DEBIAN/control").write_text("Package: python3-torch\nVersion: 1\nArchitecture: all\nMaintainer: none <none@example.invalid>\nDescription: none\n")
        subprocess.run(["dpkg-deb", "-b", made, self.folder / "t.deb"], check=True, capture_output=True)
        apt = tools / "apt-get"
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(self.folder / "cache")}
        python = self.folder / "cache/edgeprobe/family-torch/bin/python"
        for script, words in (("echo 'E: Failed to fetch: no route' >&2; exit 100", "PyTorch was not fetched: reading the package lists failed: E: Failed to fetch: no route"),
                              ("exit 0", "PyTorch was not fetched: python3-torch is installed")):
            apt.write_text("#!/bin/sh\n" + script + "\n")
            apt.chmod(0o755)
            self.assertIn(words, run("fetch", "torch", expect=1, env=environment).err)
            self.assertFalse(python.parent.parent.exists())
        apt.write_text(f"#!/bin/sh\n[ $1 = update ] || cp {self.folder}/t.deb $(dirname $APT_CONFIG)/archives/\n")
        self.assertIn(f"fetched: {python}", run("fetch", "torch", expect=0, env=environment).out)
        self.assertIn(f"already there: {python}", run("fetch", "torch", expect=0, env=environment).out)
        told = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True)
        self.assertEqual(told.stdout, "1.13.7\n", told.stderr)

    def test_flags(self):
        python = self.fake("echo 11 1")
        for rate in ("-1", "nan"):
            self.refused("--learning-rate", "--learning-rate", rate, python=python)
        self.refused("--checkpoint-every", "--checkpoint-every", -1, python=python)
        self.refused("--device 'tpu': expected cpu or cuda", "--device", "tpu", python=python)
        self.refused("--teacher needs --teacher-weights, its trained weights", "--teacher", self.net, python=python)
        self.refused("--teacher-weights needs --teacher", "--teacher-weights", self.net, python=python)
        self.refused("--weights 'none.safetensors' is not a file", "--weights", "none.safetensors", python=python)
        self.refused("trained weights are written as .safetensors", out=self.folder / "net.pt", python=python)
        self.refused("its folder does not exist", out=self.folder / "none/net.safetensors", python=python)
        self.refused("the data is named twice", "--data", self.folder, python=python)
        config = self.folder / "net.yaml"
        config.write_text("MODEL: {}\n")
        self.refused("net.yaml", net=config, python=python)
        self.refused("none.json' is not a file", net=self.folder / "none.json", python=python)

    def test_data(self):
        python = self.fake("echo 11 1")
        empty = self.folder / "empty"
        (empty / "a").mkdir(parents=True)
        self.refused("contains no .jpg, .png or .bmp file", data=empty, python=python)
        self.refused("the data has 1 class; a classifier needs at least two", data=draw(self.folder / "one", 20, classes=["cross"]), python=python)

    def test_folders_of_parts(self):
        python = self.fake("echo 11 1")
        parts = self.folder / "parts"
        draw(parts / "train", 4)
        (parts / "val").mkdir()
        self.refused("'" + str(parts / "val") + "' has no folders: expected one of pictures for each class", data=parts, python=python)
        draw(parts / "val" / "x", 2)
        (parts / "val" / "x").rename(parts / "moved")
        for name in CLASSES[:2]:
            (parts / "moved" / name).rename(parts / "val" / name)
        (parts / "val" / "zebra").mkdir()
        self.refused("'val' has the class 'zebra', which 'train' lacks (1 such): both need the same folders", data=parts, python=python)
        (parts / "val" / "zebra").rmdir()
        (parts / "train" / "ghost").mkdir()
        self.refused("no training sample is of class 'ghost'", data=parts, python=python)
        self.refused("--frames: '" + str(parts) + "' has folders for its parts", "--frames", 9, data=parts, python=python)


@needs_torch
class Training(StretchTrainTest):
    def test_it_learns_with_each_python(self):
        for python in TORCH:
            with self.subTest(python=python):
                # Each epoch is kept as soon as it is complete.
                done = self.train("--restart", "--checkpoint-every", 10000, "--json", self.folder / "said.json", python=python)
                said, record = json.loads((self.folder / "said.json").read_text()), self.record()
                self.assertGreater(said["test"]["accuracy"], .85)  # by chance .33
                self.assertEqual(len(said["history"]), 6)
                np.testing.assert_allclose([row["learning_rate"] for row in said["history"]], [.005, *(.025 * (1 + np.cos(np.pi * epoch / 6)) for epoch in range(1, 6))])
                self.assertRegex(done.out, r"epoch +phase +loss")
                weights = safetensors.read(self.out)
                begin, end = record["data"]["parts"]["train"]
                steps = [(end - begin) // 16 * epochs for epochs in (5, 6)]
                self.assertEqual(sorted(int(path.stem[5:]) for path in (self.folder / "net-training").glob("step-*.checkpoint")), steps)
                self.assertIn("s1.branches.1.b1.f.b.weight", weights)
                self.assertEqual((self.folder / "net.network.json").read_bytes(), self.net.read_bytes())
                self.assertEqual(record["versions"]["device"], "cpu")
                self.assertEqual((self.folder / "net.labels.txt").read_text().split(), list(CLASSES))

    def test_a_killed_run_continues_to_the_same_weights(self):
        self.train("--checkpoint-every", 0, "--augment", "flip", out=self.folder / "whole.safetensors")
        command = [tool.EXECUTABLE, "stretch", "train", self.net, self.data, "--labels", "folders", "--output", self.out, "--python", TORCH[0], "--checkpoint-every", "0",
                   "--augment", "flip"]
        stopped = 0
        for steps, number in ((3, signal.SIGKILL), (11, signal.SIGINT)):
            process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            wait_for(lambda: process.poll() is not None or any(int(path.stem[5:]) >= steps for path in (self.folder / "net-training").glob("step-*.checkpoint")))
            if process.poll() is None:
                process.send_signal(number)
                stopped += 1
            said = process.communicate(timeout=tool.PATIENCE)[1]
            if number == signal.SIGINT and process.returncode == 130:
                self.assertIn("the same command continues it", said)
        self.assertGreater(stopped, 0)
        self.assertIn("continues at step", self.train("--checkpoint-every", 0, "--augment", "flip").err)
        self.assertEqual(self.out.read_bytes(), (self.folder / "whole.safetensors").read_bytes())
        # Another seed gives other weights, and the folder refuses it.
        self.out.unlink()
        self.refused("holds another run: its seed is 1, now 2", "--augment", "flip", "--seed", 2)
        self.train("--augment", "flip", "--seed", 2, "--logdir", self.folder / "other")
        self.assertNotEqual(self.out.read_bytes(), (self.folder / "whole.safetensors").read_bytes())

    def test_a_loss_that_is_no_number_keeps_the_last_good_weights(self):
        net = networks.write(self.net, network(OPTIM_LR_POLICY="steps", OPTIM_STEPS=[0, 2], OPTIM_LR_MULT=1e30, OPTIM_MAX_EPOCH=4))
        done = self.train(net=net, expect=1)
        self.assertRegex(done.err, r"the loss is (nan|inf) at step \d+ of epoch 3 with learning rate 5e\+28; the weights of epoch [12] are kept")
        self.assertTrue(all(np.isfinite(value).all() for value in safetensors.read(self.out).values()))
        self.assertEqual(len(self.record()["history"]), 2)

    def test_folders_of_parts_are_trained_on(self):
        parts = self.folder / "parts"
        draw(parts / "train", 20)
        draw(parts / "val", 5, seed=1, classes=CLASSES[:2])
        done = self.train("--num-epochs", 1, data=parts)
        self.assertIn("'val' has no pictures of 1 of the classes, such as 'stripes'", done.err)
        self.assertEqual(self.record()["data"]["parts"], {"train": [0, 60], "validation": [60, 70], "test": [70, 70]})
        self.assertIn("val/cross/0.png,validation,cross,", (self.folder / "net.split.csv").read_text())

    def test_weights_to_begin_with_and_a_teacher(self):
        self.train("--num-epochs", 3)
        first = self.folder / "first.safetensors"
        self.out.rename(first)
        done = self.train("--weights", first, "--num-epochs", 1, "--learning-rate", 1e-4, "--logdir", self.folder / "again")
        self.assertIn("tensors from 'first.safetensors'", done.err)
        begin, end = safetensors.read(first), safetensors.read(self.out)
        self.assertLess(max(np.abs(begin[name] - end[name]).max() for name in begin if name.endswith(".weight")), .02)
        self.out.unlink()
        done = self.train("--teacher", self.net, "--teacher-weights", first, "--num-epochs", 3, "--logdir", self.folder / "taught")
        self.assertIn("teacher: ", done.err)
        taught = self.record()
        self.assertEqual(taught["teacher_weights"]["file"], str(first))
        self.assertGreater(taught["best"]["validation_accuracy"], .6)

    def test_what_does_not_fit(self):
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            archive.writestr("model/data.pkl", pickle.dumps({"model_state": Harmless()}, 2))
        (self.folder / "code.pyth").write_bytes(content.getvalue())
        self.refused("'code.pyth' names '__builtin__.len', which would run when it is read", "--weights", self.folder / "code.pyth")
        (self.folder / "half.safetensors").write_bytes(safetensors.packed({"stem.conv.weight": np.zeros((8, 3, 5, 5))}))
        self.refused("tensor 1 of the network, 'stem.conv.weight', is [8, 3, 3, 3]; the file has [8, 3, 5, 5]", "--weights", self.folder / "half.safetensors")
        self.refused("the recipe makes [3, 20, 20], and the network takes [3, 12, 12]", "--recipe", "resize(20x20) | scale(-1..1) | layout(nchw)")
        four = networks.write(self.folder / "four.json", networks.every_kind(SIDE, 4).network("four", 4))
        self.refused("the network has 4 classes, and the data 3", net=four)
        self.refused("OPTIM.LR_POLICY is 'exp3'; expected cos, exp2, exp, lin, steps", net=networks.write(self.folder / "e.json", network(OPTIM_LR_POLICY="exp3")))
        (self.folder / "none.json").write_text("{}")
        self.refused("'none.json': is no network", net=self.folder / "none.json")
        if not self.has_gpu():
            self.refused("--device cuda: PyTorch", "--device", "cuda")

    @staticmethod
    def has_gpu():
        return subprocess.run([TORCH[0], "-c", "import sys, torch; sys.exit(not torch.cuda.is_available())"]).returncode == 0


if __name__ == "__main__":
    tool.main()
