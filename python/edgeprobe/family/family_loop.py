# SPDX-License-Identifier: Apache-2.0
"""The loop of a network as pycls trains it: whole batches only, statistics of norms computed anew after each epoch, and a moving average of the weights."""
from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from ..train.loop import Loop
from ..train.talk import Stopped


class FamilyLoop(Loop):
    saves_each_epoch = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.steps = max(1, len(self.train) // self.plan.batch)

    def epoch_rows(self) -> np.ndarray:
        """A rest that fills no batch is left out, of other samples in each epoch: statistics of a few samples would be poor."""
        return super().epoch_rows()[:self.steps * self.plan.batch]

    def begin_epoch(self) -> None:
        self.learner.begin_epoch(self.epoch, self.step, self.rate_of(self.phase))

    def end_epoch(self) -> None:
        training = self.learner.training
        if not training.use_precise_stats:
            return
        count = min(max(1, training.num_samples_precise // self.plan.batch), self.steps)
        rows = self.epoch_rows()[:count * self.plan.batch]

        def batches() -> "Any":
            for number, (values, _) in enumerate(self.batches(rows, 0, is_training=True)):
                self.talk.check()
                yield values
                self.talk.progress(number + 1, count, f"batches for the norms' statistics of epoch {self.epoch + 1}/{self.all_epochs}")
        self.learner.settle(batches(), count)

    def _judged_row(self) -> "dict[str, Any]":
        row = super()._judged_row()
        row["weights"] = "trained"
        if self.learner.average is None or not len(self.validation):
            return row
        try:
            with self.learner.averaged():
                loss, accuracy, _ = self.judge(self.validation)
        except Stopped:
            self._pause(time.monotonic())
        row["averaged_loss"], row["averaged_accuracy"] = loss if math.isfinite(loss) else None, accuracy
        if math.isfinite(loss) and (accuracy, -loss) > (row["validation_accuracy"], -row["validation_loss"]):
            row["weights"] = "averaged"
        return row

    def _rank(self, row: "dict[str, Any]") -> "tuple[float, float]":
        names = ("averaged_accuracy", "averaged_loss") if row["weights"] == "averaged" else ("validation_accuracy", "validation_loss")
        return (row[names[0]], -row[names[1]])

    def _keep_if_best(self, row: "dict[str, Any]") -> None:
        """As in Loop, of the trained and the averaged weights the better."""
        if self.best is None or row["validation_loss"] is None or self._rank(row) > self._rank(self.best):
            self.best, self.best_weights = row, self.learner.weights(row["weights"] == "averaged")
