# SPDX-License-Identifier: Apache-2.0
"""On a full disk, `edgeprobe stretch train` keeps its last checkpoint, says so, and goes on.

disk_test.py EDGEPROBE"""
import json
import math
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[0:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "cli"), str(HERE.parent.parent / "python")]
import networks  # noqa: E402
import stretch_train_test as small  # noqa: E402
import tool  # noqa: E402
import torch_pythons  # noqa: E402
from edgeprobe.train.checkpoint import Checkpoints  # noqa: E402
from small_disk import small_disk  # noqa: E402

if not torch_pythons.found():
    print("skipped: no Python with PyTorch; install python3-torch, or name one with EDGEPROBE_TORCH_PYTHON")
    sys.exit(77)
OUTSIDE, DISK = small_disk()


class DiskTest(unittest.TestCase):
    def test_the_last_checkpoint_stays(self):
        data = small.draw(OUTSIDE / "data", 12)
        net = networks.write(OUTSIDE / "net.json", small.network(OPTIM_MAX_EPOCH=3, TRAIN_BATCH_SIZE=8))
        def train(*args):
            return tool.run("stretch", "train", net, data, "--labels", "folders", "--output", OUTSIDE / "net.safetensors", "--logdir", DISK / "log", "--python",
                            torch_pythons.found()[0], "--checkpoint-every", 0, *args, expect=0)
        # Only one checkpoint fits beside this file.
        size = sum(4 * math.prod(shape) for shape in self.parameters(net).values())
        (DISK / "other").write_bytes(b"x" * (1_000_000 - 9 * size))
        done = train()
        self.assertIn("cannot be written (No space left on device); 'step-", done.err)
        self.assertIn("stays the last one", done.err)
        state, _, notes = Checkpoints(DISK / "log").newest()
        self.assertEqual(notes, [])
        self.assertLess(state["steps_done"], 9)
        self.assertEqual(len(json.loads((OUTSIDE / "net.training.json").read_text())["history"]), 3)
        # With space again, the run continues from there to the same result.
        before = (OUTSIDE / "net.safetensors").read_bytes()
        os.unlink(DISK / "other")
        self.assertIn("continues at step", train().err)
        self.assertEqual((OUTSIDE / "net.safetensors").read_bytes(), before)

    @staticmethod
    def parameters(net):
        from edgeprobe.family.description import read_network

        return read_network(net).parameters()


if __name__ == "__main__":
    tool.main()
