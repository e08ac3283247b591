# SPDX-License-Identifier: Apache-2.0
"""The training itself: epochs, checkpoints, and the best epoch. It needs no framework."""
from __future__ import annotations

import concurrent.futures
import dataclasses
import hashlib
import math
import pathlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .augment import Augment
from .checkpoint import Checkpoints
from .events import Events
from .order import order
from .store import Store
from .talk import Stopped, Talk, Trouble

#: Fine-tuning uses a tenth of the rate: the backbone is nearly right.
FINE_SHARE = 0.1


@dataclasses.dataclass
class Plan:
    """What decides the curve of a run; ``epochs`` does only if fine-tuning follows them."""

    epochs: int
    fine: int
    batch: int
    rate: float
    seed: int
    augment: str
    frozen: bool
    every: float  #: seconds between checkpoints
    schedule: "Callable[[int], float] | None" = None  #: the rate of each epoch, from 0; None: ``rate``


class Loop:
    """One run over a store. ``history`` has a row for each epoch that is complete."""

    #: False: an epoch that is complete is saved once ``Plan.every`` has passed.
    saves_each_epoch = False

    def __init__(self, plan: Plan, store: Store, learner: Any, folder: pathlib.Path, talk: Talk) -> None:
        self.plan, self.store, self.learner, self.talk, self.folder = plan, store, learner, talk, folder
        self.change = Augment(plan.augment, store.shape, store.channel_axis, plan.seed)
        self.train, self.validation, self.test = (store.rows(part) for part in ("train", "validation", "test"))
        self.checkpoints = Checkpoints(folder)
        self.history: "list[dict]" = []
        self.best: "dict | None" = None
        self.best_weights: "list[np.ndarray]" = []
        self.epoch, self.step, self.steps_done = 0, 0, 0
        self.sums = {"loss": 0.0, "right": 0, "seen": 0, "seconds": 0.0}
        self.features: "np.ndarray | None" = None
        self.phase = ""
        self.saved_at = time.monotonic()
        self.steps = math.ceil(len(self.train) / plan.batch)
        self.all_epochs = plan.epochs + plan.fine

    # Phases

    def phase_of(self, epoch: int) -> str:
        if epoch < self.plan.epochs:
            return "frozen" if self.plan.frozen else "all"
        return "fine"

    def rate_of(self, phase: str) -> float:
        if self.plan.schedule is not None:
            return self.plan.schedule(self.epoch)
        return self.plan.rate * (FINE_SHARE if phase == "fine" else 1)

    def enter(self, phase: str) -> None:
        self.phase = phase
        self.learner.begin(phase, self.rate_of(phase))
        self.features = None
        if phase == "frozen" and not self.change and self.learner.head is not None:
            self.features = self._features()

    def _features(self) -> np.ndarray:
        """The frozen backbone's features of all samples: they do not change between epochs, so they are computed once and kept in a file."""
        told = hashlib.sha256(f"{self.store.about['key']} {self.plan.batch}".encode())
        for value in self.learner.backbone_weights():
            told.update(np.ascontiguousarray(value).tobytes())
        path = self.store.folder / f"features-{told.hexdigest()[:16]}.npy"
        count = len(self.store.labels)
        if path.exists():
            try:
                found = np.load(path, mmap_mode="r")
                if len(found) == count:
                    return found
            except (OSError, ValueError):
                pass
        for old in self.store.folder.glob("features-*"):
            old.unlink()
        part = path.with_suffix(".part")
        out = None
        try:
            for begin in range(0, count, self.plan.batch):
                self.talk.check()
                rows = np.arange(begin, min(begin + self.plan.batch, count))
                values = self.learner.embed(self.store.batch(rows))
                if out is None:
                    out = np.lib.format.open_memmap(part, "w+", np.float32, (count, *values.shape[1:]))
                out[rows] = values
                self.talk.progress(int(rows[-1]) + 1, count, "pictures through the frozen backbone")
            out.flush()
        except OSError as error:
            part.unlink(missing_ok=True)
            raise Trouble("limit", f"the backbone's features cannot be kept in '{path.parent}': {error.strerror or error}") from None
        part.rename(path)
        return np.load(path, mmap_mode="r")

    # Of an epoch: a loop of other networks changes these

    def epoch_rows(self) -> np.ndarray:
        """The training samples of this epoch, in their order."""
        return order(self.train, self.plan.seed, self.epoch)

    def begin_epoch(self) -> None:
        """Called before the first step, also of the rest of an epoch."""

    def end_epoch(self) -> None:
        """Called after the last step. If the user stops the run in it, it is called again when the run continues."""

    # Batches

    def _values(self, rows: np.ndarray, is_training: bool) -> np.ndarray:
        if self.features is not None:
            return np.ascontiguousarray(self.features[rows])
        return self.store.batch(rows, self.change if is_training and self.change else None)

    def batches(self, rows: np.ndarray, first: int, is_training: bool) -> "Iterator[tuple[np.ndarray, np.ndarray]]":
        """Values and labels from batch ``first`` on. The next batch is made while one is used."""
        groups = [rows[at:at + self.plan.batch] for at in range(first * self.plan.batch, len(rows), self.plan.batch)]
        with concurrent.futures.ThreadPoolExecutor(1) as ahead:
            coming = [ahead.submit(self._values, group, is_training) for group in groups[:1]]
            for number, group in enumerate(groups):
                values = coming.pop(0).result()
                if number + 1 < len(groups):
                    coming.append(ahead.submit(self._values, groups[number + 1], is_training))
                yield values, self.store.labels[group]

    # State

    def resume(self) -> bool:
        """Continues from the newest sound checkpoint."""
        found = self.checkpoints.newest()
        if found is None:
            return False
        state, arrays, notes = found
        for note in notes:
            self.talk.warning(note + ("; the one before continues the run" if state else "; the run begins anew"))
        if not state:
            self.checkpoints.remove()
            return False
        self.epoch, self.step, self.steps_done, self.sums = state["epoch"], state["step"], state["steps_done"], state["sums"]
        self.history, self.best = state["history"], state["best"]
        self.enter(state["phase"])
        self.learner.restore(arrays)
        self.best_weights = [arrays[f"best/{i}"] for i in range(state["best_weights"])]
        return True

    def save(self) -> bool:
        """Writes a checkpoint. False if the disk does not take it, or if weights are no numbers: those before stay."""
        state = {"epoch": self.epoch, "step": self.step, "steps_done": self.steps_done, "sums": self.sums, "history": self.history, "best": self.best,
                 "phase": self.phase, "best_weights": len(self.best_weights)}
        now = self.learner.state()
        self.saved_at = time.monotonic()
        if not all(np.isfinite(value).all() for value in now.values()):
            return False  # the next step stops the run
        arrays = {**now, **{f"best/{i}": value for i, value in enumerate(self.best_weights)}}
        try:
            self.checkpoints.write(self.steps_done, state, arrays)
        except OSError as error:
            kept = self.checkpoints.files()
            self.talk.warning(f"the checkpoint of step {self.steps_done} cannot be written ({error.strerror or error}); "
                              + (f"'{kept[0].name}' stays the last one" if kept else "there is none before it"))
            return False
        return True

    # Work

    def run(self) -> None:
        """All epochs that are left. Stopped after a checkpoint if the user stops it; Trouble for a loss that is no number."""
        events = Events(self.folder, time.time())
        for row in self.history:
            events.epoch(row)
            self.talk.row(row, before=True)
        while self.epoch < self.all_epochs:
            if self.phase != self.phase_of(self.epoch):
                self.enter(self.phase_of(self.epoch))
            self._train_epoch()
            row = self._judged_row()
            self.history.append(row)
            self._keep_if_best(row)
            self.epoch, self.step = self.epoch + 1, 0
            self.sums = {"loss": 0.0, "right": 0, "seen": 0, "seconds": 0.0}
            events.epoch(row)
            self.talk.row(row)
            if self.saves_each_epoch or self.epoch == self.all_epochs or time.monotonic() - self.saved_at >= self.plan.every:
                self.save()

    def _train_epoch(self) -> None:
        self.change.epoch = self.epoch
        rows = self.epoch_rows()
        self.begin_epoch()
        begin = time.monotonic()
        for values, labels in self.batches(rows, self.step, is_training=True):
            if self.talk.is_stopped():
                self._pause(begin)
            loss, right = self.learner.step(values, labels, self.features is not None)
            if not math.isfinite(loss):
                self._not_a_number(loss)
            self.sums["loss"] += loss * len(labels)
            self.sums["right"] += right
            self.sums["seen"] += len(labels)
            self.step += 1
            self.steps_done += 1
            self.talk.progress(self.step, self.steps, f"steps of epoch {self.epoch + 1}/{self.all_epochs}")
            if time.monotonic() - self.saved_at >= self.plan.every:
                self.sums["seconds"] += time.monotonic() - begin
                begin = time.monotonic()
                self.save()
        try:
            self.end_epoch()
        except Stopped:
            self._pause(begin)
        self.sums["seconds"] += time.monotonic() - begin

    def _pause(self, begin: float) -> None:
        self.sums["seconds"] += time.monotonic() - begin
        saved = self.save()
        raise Stopped(f"stopped at step {self.step} of epoch {self.epoch + 1}" + ("; the same command continues it" if saved else ""))

    def _not_a_number(self, loss: float) -> None:
        rate, step = self.rate_of(self.phase), min(self.step + 1, self.steps)
        kept = (f"the weights of epoch {self.best['epoch']} are kept" if self.best else "no epoch was complete before, so that no weights are kept")
        raise Trouble("diverged", f"the loss is {loss} at step {step} of epoch {self.epoch + 1} with learning rate {rate:g}; {kept}; "
                      "try a lower --learning-rate")

    def judge_whole(self, rows: np.ndarray) -> "tuple[float, float, np.ndarray]":
        """The same through the whole model, as it is deployed."""
        self.features = None
        return self.judge(rows)

    def judge(self, rows: np.ndarray) -> "tuple[float, float, np.ndarray]":
        """Mean loss, accuracy and answers for these samples."""
        loss, right, answers = 0.0, 0, []
        for values, labels in self.batches(rows, 0, is_training=False):
            self.talk.check()
            one, hits, said = self.learner.judge(values, labels, self.features is not None)
            loss, right = loss + one, right + hits
            answers.append(said)
        return loss / len(rows), right / len(rows), np.concatenate(answers)

    def _judged_row(self) -> dict:
        row = {"epoch": self.epoch + 1, "phase": self.phase, "loss": self.sums["loss"] / self.sums["seen"], "accuracy": self.sums["right"] / self.sums["seen"],
               "validation_loss": None, "validation_accuracy": None, "learning_rate": self.rate_of(self.phase)}
        if len(self.validation):
            try:
                row["validation_loss"], row["validation_accuracy"], _ = self.judge(self.validation)
            except Stopped:
                self._pause(time.monotonic())
            if not math.isfinite(row["validation_loss"]):
                self._not_a_number(row["validation_loss"])
        return {**row, "seconds": round(self.sums["seconds"], 3), "time": time.time()}

    def _keep_if_best(self, row: dict) -> None:
        """The best epoch has the highest accuracy of the validation, of equal ones the lowest loss; without validation it is the last one."""
        def rank(one: dict) -> "tuple[float, float]":
            return (one["validation_accuracy"], -one["validation_loss"])
        if self.best is None or row["validation_loss"] is None or rank(row) > rank(self.best):
            self.best, self.best_weights = row, self.learner.weights()
