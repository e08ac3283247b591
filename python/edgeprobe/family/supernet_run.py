# SPDX-License-Identifier: Apache-2.0
"""The run of ``edgeprobe stretch train --subnets``: trains a supernet, then ranks its networks on the validation samples."""
from __future__ import annotations

import hashlib
import pathlib
from typing import Any

import numpy as np

from ..train.order import order
from ..train.talk import Talk, Trouble
from . import safetensors
from .description import Network, Wrong
from .family_run import FamilyRun, read_or_trouble

#: Training pictures from which the statistics of a network's norms are computed.
SETTLING = 1000
#: Networks whose weights are written.
BEST = 5


class SupernetRun(FamilyRun):
    """``request["subnets"]``: files of networks, the largest one first, then the smallest one."""

    def __init__(self, request: "dict[str, Any]", talk: Talk) -> None:
        super().__init__(request, talk)
        self.files = request["subnets"]
        self.networks: "list[Network]" = [read_or_trouble(path) for path in self.files]
        self.size = int(self.network.training.get("TRAIN", {}).get("ELASTIC_SIZE", 4))

    def prepare(self) -> "list[str]":
        from .supernet_learner import SupernetLearner

        request = self.request
        self._check_fit()
        if request["teacher"]:
            raise Trouble("usage", "--teacher: the networks of a supernet learn from its largest one")
        weights, notes = self._first_weights()
        try:
            self.learner = SupernetLearner(self.networks, self.training, weights, self.device, request["settings"]["seed"], self.size)
        except Wrong as wrong:
            raise Trouble("usage", f"a network of the supernet: {wrong}") from None
        self.teacher = None
        return notes

    def settings(self) -> "dict[str, Any]":
        whole = hashlib.sha256("".join(network.sha256 for network in self.networks).encode()).hexdigest()
        return {**super().settings(), "subnets": whole, "elastic_size": self.size}

    def train(self) -> "dict[str, Any]":
        answer = super().train()
        answer["ranking"] = self._ranking(pathlib.Path(self.request["model_path"]))
        return answer

    def _ranking(self, path: pathlib.Path) -> "list[dict[str, Any]]":
        """All networks, the most accurate first; equal ones by their loss. Writes the weights of the best ones."""
        loop = self.loop
        if not len(loop.validation):
            raise Trouble("usage", "the networks of a supernet are ranked on validation samples, and there are none")
        count = max(1, min(SETTLING, len(loop.train)) // loop.plan.batch)
        # In the order of an epoch: stored rows may lie in the order of their classes.
        rows = order(loop.train, loop.plan.seed, 0)[:count * loop.plan.batch]
        ranking = []
        for number, network in enumerate(self.networks):
            self.talk.check()
            accuracy, loss, samples = self.learner.judge_subnet(number, (values for values, _ in loop.batches(rows, 0, is_training=False)),
                                                                loop.batches(loop.validation, 0, is_training=False))
            ranking.append({"number": number, "network": network.name, "file": self.files[number], "validation_accuracy": accuracy, "validation_loss": loss, "samples": samples})
            self.talk.progress(number + 1, len(self.networks), "networks of the supernet ranked")
        ranking.sort(key=lambda row: (-row["validation_accuracy"], row["validation_loss"]))
        for row in ranking[:BEST]:
            network = self.networks[row["number"]]
            arrays = self.learner.subnets[row["number"]].arrays()
            out = path.with_name(f"{path.stem}.{row['number']:03}.safetensors")
            try:
                out.write_bytes(safetensors.packed({name: np.ascontiguousarray(arrays[name]) for name in network.parameters()}))
            except OSError as error:
                raise Trouble("limit", f"'{out}' cannot be written: {error.strerror or error}") from None
            row["weights"] = str(out)
        return ranking
