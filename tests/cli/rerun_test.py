# SPDX-License-Identifier: Apache-2.0
"""check runs no input again whose outputs the same computation has recorded, after it has tried that this gives the same bits."""
import os
import sys

import tool
from tool import MODELS, verdict_of

os.environ["EDGEPROBE_PYTHON"] = sys.executable
FRAMES, SAMPLED, TRIED = 40, 16, 8
ENGINE = '''
import dataclasses
import numpy as np
from edgeprobe.plugins import Tensor

@dataclasses.dataclass
class Counted:
    """A linear model that writes a line into a file for each run."""
    log: str = ""
    noise: bool = False
    stateful = False

    def load(self, file):
        self.inputs = [Tensor("image", "float32", (1, 8, 8, 3))]
        self.outputs = [Tensor("y", "float32", (1, 5))]
        self.weights = np.random.default_rng(3).normal(size=(192, 5)).astype(np.float32)
        self.count = 0

    def run(self, inputs):
        self.count += 1
        with open(self.log, "a") as log:
            log.write("run\\n")
        y = inputs[0].reshape(1, -1) @ self.weights
        return [y + np.float32(1e-3 * self.count) if self.noise else y]
'''
RECIPE = "resize(8x8, bilinear, antialias=on, align=half_pixel) | color(rgb) | scale(-1..1)"


class RerunTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.engine = self.folder / "counted.py"
        self.engine.write_text(ENGINE)
        self.model = self.folder / "model.txt"
        self.model.write_text("a linear model")
        self.log = self.folder / "runs"

    def check(self, recipe, *more, noise=False, expect):
        """The verdict, and the number of inferences."""
        self.log.write_text("")
        engine = f"{self.engine}:Counted?log={self.log}&noise={'true' if noise else 'false'}"
        verdict = verdict_of("check", self.model, "--engine", engine, "--recipe", recipe, "--reference", self.model, "--reference-engine", engine,
                             "--reference-recipe", RECIPE, "--data", MODELS / "data" / "test", "--frames", FRAMES, "--level", "io", *more, expect=expect)
        return verdict, len(self.log.read_text().splitlines())

    def test_a_replay_of_equal_inputs_runs_only_the_first(self):
        verdict, runs = self.check(RECIPE, expect=0)
        whole, every = self.check(RECIPE, "--exhaustive", expect=0)
        self.assertEqual(every, 3 * FRAMES)  # The target, the reference, and the reference on the target's inputs.
        self.assertEqual(runs, FRAMES + SAMPLED + TRIED)  # Both sides are one computation.
        for key in ("verdict", "causes", "task", "layers"):
            self.assertEqual(verdict[key], whole[key])

    def test_a_fault_is_confirmed_on_the_first_frames(self):
        """With the fault the reference gets the target's inputs, and mended the target gets the reference's: only the first ones run."""
        recipe = RECIPE.replace("rgb", "bgr")
        verdict, runs = self.check(recipe, expect=3)
        whole, every = self.check(recipe, "--exhaustive", expect=3)
        self.assertEqual([cause["kind"] for cause in verdict["causes"]], ["channel_order"])
        self.assertEqual(every, 5 * FRAMES)
        self.assertEqual(runs, 2 * FRAMES + 2 * TRIED)  # The reference with the fault; the target as it was fed, and mended.
        self.assertEqual(verdict["causes"], whole["causes"])

    def test_an_engine_that_gives_other_bits_runs_each_time(self):
        runs = self.check(RECIPE, noise=True, expect={0, 3, 4})[1]
        self.assertEqual(runs, 3 * FRAMES + SAMPLED)  # The sampled frames show that the reference has to run on all.


if __name__ == "__main__":
    tool.main()
