# SPDX-License-Identifier: Apache-2.0
"""Places for the weights of a layer of the backbone."""
from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass
class Slot:
    """One layer. Shapes of weights are those of Keras: kernels are [height, width, in, out], of a depthwise convolution [height, width, in, 1]."""

    name: str
    kind: str  #: "conv", "depthwise", "dense", "norm" or "other"
    roles: "dict[str, tuple[int, ...]]"  #: "kernel", "bias", "gamma", "beta", "mean", "variance" -> shape
    epsilon: float  #: of a norm
    place: Any  #: of the learner
