# SPDX-License-Identifier: Apache-2.0
"""The description of a tensor, without its values."""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence

#: Names of element types as in NumPy, in the order of their numbers in messages (src/core/dtype.h).
DTYPES = ("float32", "float16", "bfloat16", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool")


@dataclasses.dataclass(frozen=True)
class Tensor:
    """An input, an output or a layer of a model.

    ``dtype`` is NumPy's name, such as ``"float32"``. A dimension of -1 is open: each run decides it. Quantised tensors have ``scale`` and
    ``zero_point``, one number for the whole tensor or one for each index along ``axis``. ``layer_type`` is the framework's name of the operator
    that computes a layer.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    scale: tuple[float, ...] = ()
    zero_point: tuple[int, ...] = ()
    axis: int = 0
    layer_type: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"a tensor's name is {self.name!r}, expected a text")
        if self.dtype not in DTYPES:
            raise ValueError(f"tensor {self.name!r}: dtype {self.dtype!r} is unknown; expected one of {', '.join(DTYPES)}")
        shape = self.shape
        if not isinstance(shape, Sequence) or not all(isinstance(d, int) and not isinstance(d, bool) and d >= -1 for d in shape):
            raise ValueError(f"tensor {self.name!r}: shape {shape!r} is not a tuple of whole numbers; -1 stands for an open dimension")
        object.__setattr__(self, "shape", tuple(shape))
        object.__setattr__(self, "scale", tuple(self.scale))
        object.__setattr__(self, "zero_point", tuple(self.zero_point))

    def takes(self, shape: Sequence[int]) -> bool:
        """True for a shape that this tensor may have."""
        return len(shape) == len(self.shape) and all(d in (-1, s) for d, s in zip(self.shape, shape))
