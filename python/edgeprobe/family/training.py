# SPDX-License-Identifier: Apache-2.0
"""The keys of pycls that decide a training: OPTIM, TRAIN and BN of a network, with pycls' defaults. It needs no framework."""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from .description import Wrong


@dataclasses.dataclass
class Training:
    """Fields are named like their keys."""

    optimizer: str
    base_lr: float
    min_lr: float
    lr_policy: str
    steps: "list[float]"
    step: float
    lr_mult: float
    max_epoch: int
    momentum: float
    dampening: float
    nesterov: bool
    beta1: float
    beta2: float
    weight_decay: float
    bias_use_custom_weight_decay: bool
    bias_custom_weight_decay: float
    warmup_factor: float
    warmup_epochs: int
    ema_alpha: float
    ema_update_period: int
    batch_size: int
    label_smoothing: float
    use_precise_stats: bool
    num_samples_precise: int
    zero_init_final_gamma: bool
    use_custom_weight_decay: bool
    custom_weight_decay: float

    def rate(self, epoch: int) -> float:
        """The learning rate of an epoch, from 0."""
        rate = POLICIES[self.lr_policy](self, epoch) * self.base_lr
        if epoch < self.warmup_epochs:
            share = epoch / self.warmup_epochs
            rate *= self.warmup_factor * (1 - share) + share
        return rate

    def average_share(self, epoch: int, step: int) -> float:
        """The share of the weights that enters their moving average after this step of an epoch, both from 0; 0: the average stays."""
        if not self.ema_update_period or step % self.ema_update_period:
            return 0.0
        if epoch < self.warmup_epochs:
            return 1.0
        return min(1.0, self.ema_alpha * self.batch_size / self.max_epoch * self.ema_update_period)

    def decay_of(self, is_norm: bool, is_bias: bool) -> float:
        """The weight decay of a parameter."""
        if is_norm:
            return self.custom_weight_decay if self.use_custom_weight_decay else self.weight_decay
        return self.bias_custom_weight_decay if is_bias and self.bias_use_custom_weight_decay else self.weight_decay


def _cosine(t: Training, epoch: int) -> float:
    return (1 - t.min_lr) * (1 + math.cos(math.pi * epoch / t.max_epoch)) / 2 + t.min_lr


def _steps(t: Training, epoch: int) -> float:
    return t.lr_mult ** (sum(epoch >= step for step in t.steps) - 1)


#: Shares of the base rate.
POLICIES: "dict[str, Callable[[Training, int], float]]" = {
    "cos": _cosine,
    "exp2": lambda t, epoch: t.lr_mult ** (epoch / t.step),
    "exp": lambda t, epoch: t.min_lr ** (epoch / t.max_epoch),
    "lin": lambda t, epoch: (1 - t.min_lr) * (1 - epoch / t.max_epoch) + t.min_lr,
    "steps": _steps,
}
OPTIMIZERS = ("sgd", "adam", "adamw")

#: Section, key, default, least and most; a text, a flag and a list of numbers are checked below.
KEYS: "tuple[tuple[str, str, Any, float, float], ...]" = (
    ("OPTIM", "OPTIMIZER", "sgd", 0, 0), ("OPTIM", "BASE_LR", 0.1, 0, math.inf), ("OPTIM", "MIN_LR", 0.0, 0, 1), ("OPTIM", "LR_POLICY", "cos", 0, 0),
    ("OPTIM", "STEPS", [], 0, 0), ("OPTIM", "STEP", 1.0, 1e-6, math.inf), ("OPTIM", "LR_MULT", 0.1, 0, math.inf), ("OPTIM", "MAX_EPOCH", 200, 1, 1e6), ("OPTIM", "MOMENTUM", 0.9, 0, 1),
    ("OPTIM", "DAMPENING", 0.0, 0, 1), ("OPTIM", "NESTEROV", True, 0, 0), ("OPTIM", "BETA1", 0.9, 0, 1), ("OPTIM", "BETA2", 0.999, 0, 1),
    ("OPTIM", "WEIGHT_DECAY", 5e-4, 0, math.inf), ("OPTIM", "BIAS_USE_CUSTOM_WEIGHT_DECAY", False, 0, 0), ("OPTIM", "BIAS_CUSTOM_WEIGHT_DECAY", 0.0, 0, math.inf),
    ("OPTIM", "WARMUP_FACTOR", 0.1, 0, math.inf), ("OPTIM", "WARMUP_EPOCHS", 0, 0, 1e6), ("OPTIM", "EMA_ALPHA", 1e-5, 0, math.inf),
    ("OPTIM", "EMA_UPDATE_PERIOD", 32, 0, 1e9), ("TRAIN", "BATCH_SIZE", 128, 1, 65536), ("TRAIN", "LABEL_SMOOTHING", 0.0, 0, 1),
    ("BN", "USE_PRECISE_STATS", True, 0, 0), ("BN", "NUM_SAMPLES_PRECISE", 8192, 1, 1e9), ("BN", "ZERO_INIT_FINAL_GAMMA", False, 0, 0),
    ("BN", "USE_CUSTOM_WEIGHT_DECAY", False, 0, 0), ("BN", "CUSTOM_WEIGHT_DECAY", 0.0, 0, math.inf),
)


def training_of(sections: "dict[str, dict[str, Any]]", given: "dict[str, Any]") -> Training:
    """The keys of a network; ``given`` replaces those by their field's name. Wrong names the key that cannot be."""
    values = {}
    for section, key, default, least, most in KEYS:
        value = given.get(key.lower())
        values[key.lower()] = _value(f"{section}.{key}", sections.get(section, {}).get(key, default) if value is None else value, default, least, most)
    made = Training(**values)
    if made.optimizer not in OPTIMIZERS:
        raise Wrong(f"OPTIM.OPTIMIZER is {made.optimizer!r}; expected {', '.join(OPTIMIZERS)}")
    if made.lr_policy not in POLICIES:
        raise Wrong(f"OPTIM.LR_POLICY is {made.lr_policy!r}; expected {', '.join(POLICIES)}")
    if made.lr_policy == "exp" and not made.min_lr:
        raise Wrong("OPTIM.LR_POLICY exp needs an OPTIM.MIN_LR above 0")
    if made.lr_policy == "steps" and (not made.steps or made.steps[0] != 0 or made.steps != sorted(made.steps)):
        raise Wrong(f"OPTIM.STEPS is {made.steps}; expected epochs that begin with 0 and grow")
    if not made.base_lr:
        raise Wrong("OPTIM.BASE_LR is 0: nothing would be learned")
    if made.optimizer == "sgd" and made.nesterov and (not made.momentum or made.dampening):
        raise Wrong("OPTIM.NESTEROV needs a MOMENTUM above 0 and a DAMPENING of 0; set NESTEROV to False for another")
    if made.optimizer != "sgd" and (made.beta1 == 1 or made.beta2 == 1):
        raise Wrong("OPTIM.BETA1 and BETA2 must be below 1")
    return made


def _value(what: str, value: Any, default: Any, least: float, most: float) -> Any:
    if isinstance(default, (str, bool)):
        if not isinstance(value, type(default)):
            raise Wrong(f"{what} is {value!r}; expected {'a word' if isinstance(default, str) else 'true or false'}")
        return value
    if isinstance(default, list):
        if not isinstance(value, list) or not all(_is_number(one) for one in value):
            raise Wrong(f"{what} is {value!r}; expected a list of numbers")
        return value
    if not _is_number(value) or (isinstance(default, int) and value != int(value)) or not least <= value <= most:
        raise Wrong(f"{what} is {value!r}; expected a {'whole ' if isinstance(default, int) else ''}number"
                    + (f" of {least:g} to {most:g}" if most < math.inf else f", at least {least:g}"))
    return int(value) if isinstance(default, int) else float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
