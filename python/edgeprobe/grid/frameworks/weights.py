# SPDX-License-Identifier: Apache-2.0
"""Random weights, every one different: exporters merge equal constants, and importers then fail for a reason that trained models do not have."""
from __future__ import annotations

import numpy


class Weights:
    def __init__(self, seed: int):
        self._random = numpy.random.default_rng(seed)

    def kernel(self, shape, inputs: int):
        """Weights that keep the variance of `inputs` values that went through a ReLU (He et al. 2015)."""
        return (self._random.standard_normal(shape, dtype=numpy.float32) * numpy.float32((2 / max(inputs, 1)) ** 0.5)).astype(numpy.float32)

    def offset(self, shape):
        return (self._random.standard_normal(shape, dtype=numpy.float32) * numpy.float32(0.1)).astype(numpy.float32)

    def scale(self, shape):
        """Around 1 and positive, for factors and variances."""
        return self._random.uniform(0.5, 1.5, shape).astype(numpy.float32)
