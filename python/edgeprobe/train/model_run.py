# SPDX-License-Identifier: Apache-2.0
"""The run of ``edgeprobe train``: a model that edgeprobe contains, or a class of the user."""
from __future__ import annotations

import pathlib
from typing import Any

from ..plugins.found import chosen, sha256_of
from .backbone import load_backbone
from .loop import Plan
from .run import Run
from .talk import Talk, Trouble

ENDINGS = {"keras": (".keras", ".h5"), "torch": (".pt2",)}


class ModelRun(Run):
    def __init__(self, text: str, talk: Talk) -> None:
        super().__init__(talk)
        self.text = text
        self.found, values, self.method = chosen("model", text)
        self.object = self.method("__init__", lambda: self.found.plugin(**values))
        self.options = {name: str(value) for name, value in values.items()}
        self.framework = getattr(self.object, "framework", "keras")
        if self.framework not in ("keras", "torch"):
            raise Trouble("usage", f"{self.found.plugin.__name__}.framework is {self.framework!r}; expected 'keras' or 'torch'")

    def about(self) -> "dict[str, Any]":
        return {"class": self.found.plugin.__name__, "framework": self.framework, "recipe": getattr(self.object, "recipe", ""),
                "endings": list(ENDINGS[self.framework]), "has_backbone": callable(getattr(self.object, "backbone", None))}

    def prepare(self) -> "list[str]":
        request = self.request
        learner_class = _learner_of(self.framework)
        backbone = getattr(self.object, "backbone", None)
        shape, classes = tuple(request["shape"]), len(request["classes"])
        try:
            self.learner = learner_class(lambda *a: self.method("build", self.object.build, *a),
                                         (lambda model: self.method("backbone", backbone, model)) if callable(backbone) else None,
                                         shape, classes, request["settings"]["seed"])
        except ValueError as error:
            raise Trouble("usage", f"{self.found.plugin.__name__}: {error}") from None
        given = request["backbone"]
        if given:
            return load_backbone(given["file"], given["layers"], given["arrays"], self.learner)
        if request["settings"]["fine_tune"]:
            raise Trouble("usage", "--fine-tune unfreezes blocks of a backbone that --backbone fills, which is not given")
        return ["no --backbone: all weights are trained from random ones"]

    def settings(self) -> "dict[str, Any]":
        request = self.request
        settings = dict(request["settings"])
        if not settings["fine_tune"]:
            del settings["num_epochs"]  # more epochs continue the same curve
        self.code = sha256_of(self.found) if "edgeprobe" not in pathlib.Path(self.found.file).parts[-3:-1] else ""
        return {"model": self.text, "model_code": self.code, "backbone": request["backbone"]["sha256"] if request["backbone"] else "", **settings}

    def plan(self) -> Plan:
        settings = self.request["settings"]
        return Plan(settings["num_epochs"], settings["fine_tune"], settings["batch_size"], settings["learning_rate"], settings["seed"], settings["augment"],
                    bool(self.request["backbone"]), self.request["checkpoint_every"])

    def described(self) -> "dict[str, Any]":
        backbone = self.request["backbone"]
        return {"model": {"text": self.text, "class": self.found.plugin.__name__, "framework": self.framework, "options": self.options, "code": self.code},
                "backbone": backbone and {key: backbone[key] for key in ("file", "sha256")}}


def _learner_of(framework: str) -> Any:
    try:
        if framework == "keras":
            from .keras_learner import Learner
        else:
            from .torch_learner import Learner
    except ImportError as error:
        raise Trouble("usage", f"this Python has no {error.name or framework}: name one that has it with --python") from None
    return Learner
