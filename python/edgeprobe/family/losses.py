# SPDX-License-Identifier: Apache-2.0
"""Losses of a batch from class scores before a softmax."""
from __future__ import annotations

import torch
from torch.nn import functional

#: Of the teacher's soft labels, as NN-Stretch trains with one: temperature, and weight beside the true labels.
TEMPERATURE, SOFT_WEIGHT = 2.0, 2.5
#: A teacher that is sure has no loss to divide by.
TINY = 1e-7


def true_labels(scores: torch.Tensor, labels: torch.Tensor, smoothing: float) -> torch.Tensor:
    """Mean cross entropy; ``smoothing``: the share of a label that all classes get alike."""
    return functional.cross_entropy(scores, labels, label_smoothing=smoothing)


def soft_labels(scores: torch.Tensor, taught: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Mean cross entropy with the teacher's answers at TEMPERATURE, times its square. A sample counts 1 - exp(-s / t) with the losses s of the network
    and t of the teacher for the true label (weighted soft labels, H. Zhou et al., ICLR 2021)."""
    with torch.no_grad():
        own, theirs = (functional.cross_entropy(one, labels, reduction="none") for one in (scores, taught))
        weights = 1 - torch.exp(-own / (theirs + TINY))
        targets = functional.softmax(taught / TEMPERATURE, 1)
    each = -(targets * functional.log_softmax(scores / TEMPERATURE, 1)).sum(1)
    return TEMPERATURE ** 2 * (weights * each).mean()
