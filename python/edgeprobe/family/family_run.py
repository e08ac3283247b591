# SPDX-License-Identifier: Apache-2.0
"""The run of ``edgeprobe stretch train``."""
from __future__ import annotations

import hashlib
import pathlib
import sys
from typing import Any

from ..train.loop import Plan
from ..train.run import Run
from ..train.talk import Talk, Trouble
from .description import Network, Wrong, read_network
from .family_loop import FamilyLoop
from .training import Training, training_of
from .weights import load_weights

LEAST_TORCH = (1, 13)


class FamilyRun(Run):
    loop_class = FamilyLoop

    def __init__(self, request: "dict[str, Any]", talk: Talk) -> None:
        super().__init__(talk)
        self.network = read_or_trouble(request["network"])
        try:
            self.training: Training = training_of(self.network.training, request["training"])
        except Wrong as wrong:
            raise Trouble("usage", f"the training of '{self.network.name}': {wrong}") from None
        self.device = _device(request["device"])

    def about(self) -> "dict[str, Any]":
        channels, height, width = self.network.input
        color = "color(gray) | " if channels == 1 else "color(rgb) | " if channels == 3 else ""
        return {"name": self.network.name, "input": self.network.input, "classes": self.network.classes, "epochs": self.training.max_epoch,
                "recipe": f"resize({width}x{height}, bicubic, like=pillow) | {color}scale(-1..1) | layout(nchw)", "endings": [".safetensors"]}

    def prepare(self) -> "list[str]":
        # Here, so that all that needs no framework is checked without it.
        from .learner import Learner

        request = self.request
        self._check_fit()
        weights, notes = self._first_weights()
        self.learner = Learner(self.network, self.training, weights, self.device)
        self.teacher: "Network | None" = None
        if request["teacher"]:
            self.teacher = self._teacher(request["teacher"], notes)
        return notes

    def _first_weights(self) -> "tuple[dict[str, Any], list[str]]":
        """Weights to begin with, and sentences for the user."""
        from .network import initial_weights

        request = self.request
        if request["weights"]:
            return load_weights(request["weights"], self.network)
        return initial_weights(self.network, request["settings"]["seed"], self.training.zero_init_final_gamma), []

    def _check_fit(self) -> None:
        shape, classes = tuple(self.request["shape"]), len(self.request["classes"])
        if shape != self.network.input:
            raise Trouble("usage", f"the recipe makes {list(shape)}, and the network takes {list(self.network.input)} (channels, height, width)")
        if classes != self.network.classes:
            raise Trouble("usage", f"the network has {self.network.classes} classes, and the data {classes}: 'edgeprobe stretch generate' makes one with --classes {classes}")

    def _teacher(self, told: "dict[str, str]", notes: "list[str]") -> Network:
        teacher = read_or_trouble(told["network"])
        if (teacher.input, teacher.classes) != (self.network.input, self.network.classes):
            raise Trouble("usage", f"the teacher takes {list(teacher.input)} and has {teacher.classes} classes; the network {list(self.network.input)} and {self.network.classes}")
        weights, more = load_weights(told["weights"], teacher)
        notes.extend("teacher: " + note for note in more)
        self.learner.teach(teacher, weights)
        return teacher

    def settings(self) -> "dict[str, Any]":
        request = self.request
        given = {"network": self.network.sha256, **vars(self.training), "seed": request["settings"]["seed"], "augment": request["settings"]["augment"],
                 "weights": _sha256(request["weights"]), "device": self.device}
        if request["teacher"]:
            given.update({f"teacher_{name}": _sha256(path) for name, path in request["teacher"].items()})
        return given

    def plan(self) -> Plan:
        t, settings = self.training, self.request["settings"]
        return Plan(t.max_epoch, 0, t.batch_size, t.base_lr, settings["seed"], settings["augment"], False, self.request["checkpoint_every"], t.rate)

    def described(self) -> "dict[str, Any]":
        request = self.request
        told: "dict[str, Any]" = {"network": {"name": self.network.name, "sha256": self.network.sha256}, "training": vars(self.training)}
        for name, path in (("weights", request["weights"]), *((f"teacher_{name}", path) for name, path in (request["teacher"] or {}).items())):
            told[name] = {"file": path, "sha256": _sha256(path)} if path else None
        return told

    def more_files(self) -> "dict[str, tuple[str, bytes]]":
        return {"network": (".network.json", self.network.text)}


def read_or_trouble(path: str) -> Network:
    try:
        return read_network(path)
    except Wrong as wrong:
        raise Trouble("usage", f"'{pathlib.Path(path).name}': {wrong}") from None
    except OSError as error:
        raise Trouble("usage", f"'{path}' cannot be read: {error.strerror or error}") from None


def _device(wanted: str) -> str:
    """"cpu" or "cuda"; "": the GPU if PyTorch has one."""
    try:
        import torch
    except ImportError as error:
        raise Trouble("usage", f"{sys.executable} has no {error.name or 'torch'}: install python3-torch (Debian, Ubuntu), or name a Python that has PyTorch with --python") from None
    version = tuple(int(part) if part.isdigit() else 0 for part in torch.__version__.split("+")[0].split(".")[:2])
    if version < LEAST_TORCH:
        raise Trouble("usage", f"{sys.executable} has PyTorch {torch.__version__}; expected 1.13 or newer")
    if wanted == "cuda" and not torch.cuda.is_available():
        raise Trouble("usage", f"--device cuda: PyTorch {torch.__version__} of {sys.executable} sees no GPU")
    return wanted or ("cuda" if torch.cuda.is_available() else "cpu")


def _sha256(path: str) -> str:
    if not path:
        return ""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
