# SPDX-License-Identifier: Apache-2.0
"""A trace's description of a tensor (docs/reference/trace-format.md, section 2)."""
from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .names import unescape

STAGES = ("raw_input", "intermediate", "model_input", "layer", "model_output", "kernel_time", "variable", "span", "sketch",
          "sketch_sample", "answer")


@dataclass(frozen=True)
class Channel:
    """One tensor of every frame."""

    stage: str
    name: str
    dtype: str
    shape: tuple[int, ...]
    scale: np.ndarray | None = None       #: quantisation: real = scale * (stored - zero_point)
    zero_point: np.ndarray | None = None
    axis: int = 0                         #: dimension of the scales
    metadata: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def encoding(self) -> str:
        """"encoded", "bgr8", "audio", "utf8", … (docs/reference/trace-format.md); empty for plain tensors."""
        return self.metadata.get("encoding", "")

    @property
    def encoded(self) -> bool:
        """Whether messages are whole files or texts instead of arrays."""
        return self.encoding in ("encoded", "utf8", "json", "answer") or self.shape == (-1,)

    @property
    def embedding(self) -> bool:
        """Whether the application logged this layer as the model's embedding."""
        return self.metadata.get("embedding") == "true"

    @property
    def sample_rate(self) -> int | None:
        """For sound: samples per second."""
        rate = self.metadata.get("sample_rate", "")
        return int(rate) if rate.isdecimal() else None

    def array(self, data: bytes) -> np.ndarray:
        """The values of one message, read-only. Raises ValueError if they do not fit the shape."""
        if self.dtype == "int4":
            return np.frombuffer(data, np.uint8)
        values = np.frombuffer(data, dtype_of(self.dtype))
        if values.size != int(np.prod(self.shape, dtype=np.int64)):
            raise ValueError(f"{self.stage}/{self.name} has {values.size} values, which do not fit its shape {self.shape}")
        return values.reshape(self.shape)

    def real(self, stored: np.ndarray) -> np.ndarray:
        """Stored values as float32 real numbers."""
        if self.dtype == "bfloat16" and stored.dtype == np.uint16:  # without ml_dtypes
            stored = (stored.astype(np.uint32) << 16).view(np.float32)
        elif self.dtype == "int4":  # two values per byte, low nibble first
            nibbles = np.stack([stored.ravel() & 15, stored.ravel() >> 4], axis=1).ravel().astype(np.int8)
            count = int(np.prod(self.shape, dtype=np.int64))
            stored = np.where(nibbles > 7, nibbles - 16, nibbles)[:count].reshape(self.shape)
        if self.scale is None:
            return stored.astype(np.float32)
        zero = self.zero_point if self.zero_point is not None else np.zeros(1, np.int64)
        if self.scale.size > 1:
            along = [1] * stored.ndim
            along[self.axis] = -1
            scale, zero = self.scale.reshape(along), (zero.reshape(along) if zero.size > 1 else zero)
        else:
            scale = self.scale
        return (scale * (stored.astype(np.float64) - zero)).astype(np.float32)


def channel_from(topic: str, metadata: Mapping[str, str]) -> Channel | None:
    """The channel that a topic and its metadata describe; None if the topic does not belong to a stage. Raises ValueError, KeyError or TypeError if
    the description is invalid."""
    stage, _, name = topic.removeprefix("/").partition("/")
    if stage not in STAGES:
        return None
    shape = tuple(int(d) for d in metadata["shape"].split(",")) if metadata["shape"] else ()
    dtype_of(metadata["dtype"])
    return Channel(stage, unescape(name), metadata["dtype"], shape, _numbers(metadata.get("scale"), np.float32),
                   _numbers(metadata.get("zero_point"), np.int64), int(metadata.get("axis", 0)), dict(metadata))


def dtype_of(name: str) -> np.dtype[Any]:
    if name == "bfloat16":
        try:
            bfloat16: np.dtype[Any] = np.dtype(importlib.import_module("ml_dtypes").bfloat16)
        except ImportError:
            return np.dtype(np.uint16)
        return bfloat16
    if name == "int4":
        return np.dtype(np.uint8)
    dtype: np.dtype[Any] = np.dtype(name)
    little: np.dtype[Any] = dtype.newbyteorder("<")
    return little


def _numbers(text: str | None, kind: type) -> np.ndarray | None:
    return np.array([kind(part) for part in text.split(",")], kind) if text else None
