# SPDX-License-Identifier: Apache-2.0
"""One run of ``edgeprobe train``: opens the model, trains it, and leaves the results."""
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

from ..plugins.found import chosen, sha256_of
from .backbone import load_backbone
from .checkpoint import write_whole
from .loop import Loop, Plan
from .store import Store
from .talk import Talk, Trouble

RUN = "run.json"
#: Seconds for the process of a killed run to end.
PATIENCE = 10


class Run:
    """The model of a request, and what the program asked for."""

    def __init__(self, text: str, talk: Talk) -> None:
        self.talk, self.text = talk, text
        self.found, values, self.method = chosen("model", text)
        self.object = self.method("__init__", lambda: self.found.plugin(**values))
        self.options = {name: str(value) for name, value in values.items()}
        self.framework = getattr(self.object, "framework", "keras")
        if self.framework not in ("keras", "torch"):
            raise Trouble("usage", f"{self.found.plugin.__name__}.framework is {self.framework!r}; expected 'keras' or 'torch'")

    def about(self) -> "dict[str, Any]":
        """The answer to the first request."""
        return {"class": self.found.plugin.__name__, "framework": self.framework, "recipe": getattr(self.object, "recipe", ""),
                "endings": list(ENDINGS[self.framework]), "has_backbone": callable(getattr(self.object, "backbone", None))}

    def build(self, request: "dict[str, Any]") -> "dict[str, Any]":
        """Makes the model, fills the backbone, and checks the log folder."""
        self.request = request
        self.folder = pathlib.Path(request["logdir"])
        self.learner_class = _learner_of(self.framework)
        backbone = getattr(self.object, "backbone", None)
        shape, classes = tuple(request["shape"]), len(request["classes"])
        try:
            self.learner = self.learner_class(lambda *a: self.method("build", self.object.build, *a),
                                              (lambda model: self.method("backbone", backbone, model)) if callable(backbone) else None,
                                              shape, classes, request["settings"]["seed"])
        except ValueError as error:
            raise Trouble("usage", f"{self.found.plugin.__name__}: {error}") from None
        notes = []
        given = request["backbone"]
        if given:
            notes = load_backbone(given["file"], given["layers"], given["arrays"], self.learner)
        elif request["settings"]["fine_tune"]:
            raise Trouble("usage", "--fine-tune unfreezes blocks of a backbone that --backbone fills, which is not given")
        else:
            notes = ["no --backbone: all weights are trained from random ones"]
        self.identity = self._identity()
        return {"notes": notes, "continues": self._check_folder(), "versions": self.learner_class.versions()}

    def _identity(self) -> "dict[str, Any]":
        """What decides the curve of the run."""
        request = self.request
        settings = dict(request["settings"])
        if not settings["fine_tune"]:
            del settings["num_epochs"]  # more epochs continue the same curve
        own = sha256_of(self.found) if "edgeprobe" not in pathlib.Path(self.found.file).parts[-3:-1] else ""
        return {"model": self.text, "model_code": own, "recipe": request["recipe"], "data": request["key"], "classes": request["classes"],
                "backbone": request["backbone"]["sha256"] if request["backbone"] else "", **settings}

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
        request, settings = self.request, self.request["settings"]
        begin = time.time()
        store = Store(request["store"])
        plan = Plan(settings["num_epochs"], settings["fine_tune"], settings["batch_size"], settings["learning_rate"], settings["seed"], settings["augment"],
                    bool(request["backbone"]), request["checkpoint_every"])
        try:
            self.loop = loop = Loop(plan, store, self.learner, self.folder, self.talk)
        except ValueError as error:
            raise Trouble("usage", f"--augment: {error}") from None
        if request["restart"] or not (self.folder / RUN).exists():
            loop.checkpoints.remove()
        write_whole(self.folder / RUN, json.dumps({"identity": self.identity, "versions": self.learner_class.versions()}, indent=1).encode())
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
        files = {"model": path, "recipe": stem.with_name(stem.name + ".recipe"), "labels": stem.with_name(stem.name + ".labels.txt"),
                 "split": stem.with_name(stem.name + ".split.csv")}
        record = stem.with_name(stem.name + ".training.json")
        try:
            self.learner.save(part)
            os.replace(part, path)
            write_whole(files["recipe"], (request["recipe"] + "\n").encode())
            write_whole(files["labels"], "".join(name + "\n" for name in request["classes"]).encode())
            write_whole(files["split"], (store.folder / "samples.csv").read_bytes())
            answer = {"best": loop.best, "history": loop.history, "test": test, "trouble": trouble, "continued": continues,
                      "seconds": round(time.time() - begin, 3), "files": {name: {"path": str(one), "sha256": _sha256(one)} for name, one in files.items()}}
            whole = {"edgeprobe": request["version"], "command": request["command"], "model": {"text": self.text, "class": self.found.plugin.__name__,
                     "framework": self.framework, "options": self.options, "code": self.identity["model_code"]}, "settings": request["settings"],
                     "recipe": request["recipe"], "backbone": request["backbone"] and {k: request["backbone"][k] for k in ("file", "sha256")},
                     "data": {"key": request["key"], "parts": store.about["parts"], "left_out": store.about["left_out"], "split": request["split"]},
                     "classes": request["classes"], "versions": {"python": platform.python_version(), **self.learner_class.versions()}, **answer}
            write_whole(record, (json.dumps(whole, indent=1) + "\n").encode())
        except OSError as error:
            part.unlink(missing_ok=True)
            raise Trouble("limit", f"the result '{path}' cannot be written: {error.strerror or error}; the checkpoints in '{self.folder}' stay") from None
        answer["files"]["record"] = {"path": str(record), "sha256": _sha256(record)}
        return answer


ENDINGS = {"keras": (".keras", ".h5"), "torch": (".pt2",)}


def _learner_of(framework: str) -> Any:
    try:
        if framework == "keras":
            from .keras_learner import Learner
        else:
            from .torch_learner import Learner
    except ImportError as error:
        raise Trouble("usage", f"this Python has no {error.name or framework}: name one that has it with --python") from None
    return Learner


def _by_class(classes: "list[str]", labels: np.ndarray, answers: np.ndarray) -> "list[dict]":
    return [{"class": name, "samples": int(np.sum(labels == i)), "right": int(np.sum((labels == i) & (answers == i)))} for i, name in enumerate(classes)]


def _sha256(path: pathlib.Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
