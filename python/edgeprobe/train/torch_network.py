# SPDX-License-Identifier: Apache-2.0
"""MobileNetV2 for PyTorch. It pads as Keras' does, so that weights of either give the same features."""
from __future__ import annotations

import torch
from torch import nn

#: Expansion, channels, blocks and first stride, as in the paper (Sandler and others, 2018, table 2).
BLOCKS = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
EPSILON, MOMENTUM = 1e-3, 0.1


def channels(number: float) -> int:
    """The multiple of 8 next to the number, at least nine tenths of it."""
    near = max(8, int(number + 4) // 8 * 8)
    return near + 8 if near < 0.9 * number else near


class Padded(nn.Module):
    """Pads 1 row and column; with stride 2 and even sides only below and right."""

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        height, width = values.shape[-2:]
        return nn.functional.pad(values, (width % 2, 1, height % 2, 1))


def conv(before: int, after: int, size: int = 1, stride: int = 1, groups: int = 1, relu: bool = True) -> nn.Sequential:
    layers: "list[nn.Module]" = [Padded()] if stride == 2 else []
    layers += [nn.Conv2d(before, after, size, stride, 0 if stride == 2 else size // 2, groups=groups, bias=False), nn.BatchNorm2d(after, EPSILON, MOMENTUM)]
    return nn.Sequential(*layers, *([nn.ReLU6()] if relu else []))


class Block(nn.Module):
    def __init__(self, before: int, after: int, expansion: int, stride: int) -> None:
        super().__init__()
        inner = before * expansion
        parts = [conv(before, inner)] if expansion > 1 else []
        self.parts = nn.Sequential(*parts, conv(inner, inner, 3, stride, inner), conv(inner, after, relu=False))
        self.adds = stride == 1 and before == after

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return values + self.parts(values) if self.adds else self.parts(values)


class Backbone(nn.Module):
    def __init__(self, alpha: float) -> None:
        super().__init__()
        before = channels(32 * alpha)
        parts = [conv(3, before, 3, 2)]
        for expansion, width, blocks, stride in BLOCKS:
            for number in range(blocks):
                parts.append(Block(before, channels(width * alpha), expansion, stride if number == 0 else 1))
                before = channels(width * alpha)
        self.features = channels(1280 * alpha) if alpha > 1 else 1280
        self.parts = nn.Sequential(*parts, conv(before, self.features))

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return self.parts(values).mean((2, 3))


class Network(nn.Module):
    """The backbone, the head, and a softmax. ``logits()`` and ``head()`` serve training."""

    def __init__(self, alpha: float, classes: int, units: "tuple[int, ...]", dropout: float) -> None:
        super().__init__()
        self.backbone = Backbone(alpha)
        layers: "list[nn.Module]" = []
        before = self.backbone.features
        for size in units:
            layers += [nn.Linear(before, size), nn.ReLU(), nn.Dropout(dropout)]
            before = size
        self.head = nn.Sequential(*layers, nn.Linear(before, classes))

    def logits(self, values: torch.Tensor) -> torch.Tensor:
        return self.head(self.backbone(values))

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return self.logits(values).softmax(1)
