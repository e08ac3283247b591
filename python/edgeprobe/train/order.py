# SPDX-License-Identifier: Apache-2.0
"""Random numbers that depend on their position only, so that a run that continues draws those of an undisturbed one."""
from __future__ import annotations

import numpy as np


def generator(*position: int) -> np.random.Generator:
    """The generator of this position: the seed, a kind of use, and the position in the run."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(position)))


def order(rows: np.ndarray, seed: int, epoch: int) -> np.ndarray:
    """The training samples in the order of this epoch."""
    return generator(seed, 1, epoch).permutation(rows)
