# SPDX-License-Identifier: Apache-2.0
"""A run in a folder: checks that the folder holds no other one, trains, and leaves the results."""
from __future__ import annotations

import fcntl
import hashlib
import json
import os
import pathlib
import platform
import time
from typing import Any

import numpy as np

from .checkpoint import write_whole
from .loop import Loop, Plan
from .store import Store
from .talk import Talk, Trouble

RUN = "run.json"
#: Seconds for the process of a killed run to end.
PATIENCE = 10


class Run:
    """What the program asked for. A subclass has the model."""

    loop_class: "type[Loop]" = Loop
    learner: Any  #: made by ``prepare``

    def __init__(self, talk: Talk) -> None:
        self.talk = talk

    # Of the subclass

    def about(self) -> "dict[str, Any]":
        """The answer to the first request."""
        raise NotImplementedError

    def prepare(self) -> "list[str]":
        """Makes the learner for ``request``; sentences for the user. Trouble for what does not fit."""
        raise NotImplementedError

    def settings(self) -> "dict[str, Any]":
        """What decides the curve of the run, in addition to recipe, data and classes."""
        raise NotImplementedError

    def plan(self) -> Plan:
        raise NotImplementedError

    def described(self) -> "dict[str, Any]":
        """The model in the record of the run."""
        raise NotImplementedError

    def versions(self) -> "dict[str, Any]":
        return self.learner.versions()

    def more_files(self) -> "dict[str, tuple[str, bytes]]":
        """Further results: name, ending and content."""
        return {}

    # The requests

    def build(self, request: "dict[str, Any]") -> "dict[str, Any]":
        """Makes the model, fills the backbone, and checks the log folder."""
        self.request = request
        self.folder = pathlib.Path(request["logdir"])
        notes = self.prepare()
        self.identity = {**self.settings(), "recipe": request["recipe"], "data": request["key"], "classes": request["classes"]}
        return {"notes": notes, "continues": self._check_folder(), "versions": self.versions()}

    def _check_folder(self) -> bool:
        """True if the log folder holds this run. Trouble if it holds another, and while another process trains there."""
        self._lock()
        path = self.folder / RUN
        if self.request["restart"] or not path.exists():
            return False
        try:
            there = json.loads(path.read_text())["identity"]
        except (OSError, ValueError, KeyError, TypeError):
            raise Trouble("usage", f"--logdir '{self.folder}': its {RUN} cannot be read; --restart begins anew there") from None
        if self.identity == there:
            return True
        names = [name for name in {**self.identity, **there} if self.identity.get(name) != there.get(name)]
        before, now = (json.dumps(one.get(names[0]))[:80] for one in (there, self.identity))
        raise Trouble("usage", f"--logdir '{self.folder}' holds another run: its {names[0].replace('_', ' ')} is {before}, now {now}; "
                      "name another folder, or --restart to begin anew there")

    def _lock(self) -> None:
        self.lock = open(self.folder / "lock", "w")
        end = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError:
                if time.monotonic() > end:
                    raise Trouble("usage", f"--logdir '{self.folder}': another run trains there") from None
                self.talk.check()
                time.sleep(0.05)

    def train(self) -> "dict[str, Any]":
        """The whole training; the answer to the last request."""
        request = self.request
        begin = time.time()
        store = Store(request["store"])
        try:
            self.loop = loop = self.loop_class(self.plan(), store, self.learner, self.folder, self.talk)
        except ValueError as error:
            raise Trouble("usage", f"--augment: {error}") from None
        if request["restart"] or not (self.folder / RUN).exists():
            loop.checkpoints.remove()
        write_whole(self.folder / RUN, json.dumps({"identity": self.identity, "versions": self.versions()}, indent=1).encode())
        continues = loop.resume()
        if continues:
            self.talk.note(f"continues at step {loop.step} of epoch {loop.epoch + 1}" if loop.epoch < loop.all_epochs else "all epochs are done")
        try:
            loop.run()
        except Trouble as trouble:
            if trouble.kind != "diverged" or loop.best is None:
                raise
            self._leave(loop, store, begin, continues, str(trouble))
            raise
        return self._leave(loop, store, begin, continues, "")

    def _leave(self, loop: Loop, store: Store, begin: float, continues: bool, trouble: str) -> "dict[str, Any]":
        """Writes the results of the best epoch; the record comes last."""
        request, path = self.request, pathlib.Path(self.request["model_path"])
        self.learner.set_weights(loop.best_weights)
        test = None
        if len(loop.test):
            loss, accuracy, answers = loop.judge_whole(loop.test)
            test = {"loss": loss, "accuracy": accuracy, "samples": len(loop.test), "by_class": _by_class(request["classes"], store.labels[loop.test], answers)}
        part = path.with_name(f".{path.stem}.part{path.suffix}")
        stem = path.with_suffix("")
        more = {"recipe": (".recipe", (request["recipe"] + "\n").encode()), "labels": (".labels.txt", "".join(name + "\n" for name in request["classes"]).encode()),
                "split": (".split.csv", (store.folder / "samples.csv").read_bytes()), **self.more_files()}
        files = {"model": path, **{name: stem.with_name(stem.name + ending) for name, (ending, _) in more.items()}}
        record = stem.with_name(stem.name + ".training.json")
        try:
            self.learner.save(part)
            os.replace(part, path)
            for name, (_, content) in more.items():
                write_whole(files[name], content)
            answer = {"best": loop.best, "history": loop.history, "test": test, "trouble": trouble, "continued": continues,
                      "seconds": round(time.time() - begin, 3), "files": {name: {"path": str(one), "sha256": _sha256(one)} for name, one in files.items()}}
            whole = {"edgeprobe": request["version"], "command": request["command"], **self.described(), "settings": request["settings"], "recipe": request["recipe"],
                     "data": {"key": request["key"], "parts": store.about["parts"], "left_out": store.about["left_out"], "split": request["split"]},
                     "classes": request["classes"], "versions": {"python": platform.python_version(), **self.versions()}, **answer}
            write_whole(record, (json.dumps(whole, indent=1) + "\n").encode())
        except OSError as error:
            part.unlink(missing_ok=True)
            raise Trouble("limit", f"the result '{path}' cannot be written: {error.strerror or error}; the checkpoints in '{self.folder}' stay") from None
        answer["files"]["record"] = {"path": str(record), "sha256": _sha256(record)}
        return answer


def _by_class(classes: "list[str]", labels: np.ndarray, answers: np.ndarray) -> "list[dict]":
    return [{"class": name, "samples": int(np.sum(labels == i)), "right": int(np.sum((labels == i) & (answers == i)))} for i, name in enumerate(classes)]


def _sha256(path: pathlib.Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
