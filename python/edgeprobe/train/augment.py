# SPDX-License-Identifier: Apache-2.0
"""Random flips, shifts and turns of prepared inputs. Values are only moved, so that each stays one that the recipe makes."""
from __future__ import annotations

import math

import numpy as np

from .order import generator

KINDS = {"flip": "left and right change places in half of the samples", "shift": "the largest shift, as a share of each side",
         "rotate": "the largest turn in degrees"}


class Augment:
    """``flip,shift=0.1,rotate=10`` for inputs of one shape. ValueError says what does not fit."""

    def __init__(self, text: str, shape: "tuple[int, ...]", channel_axis: "int | None", seed: int) -> None:
        self.seed, self.epoch, self.flip, self.shift, self.rotate = seed, 0, False, 0.0, 0.0
        is_picture = len(shape) == 3 and channel_axis is not None
        for part in filter(None, text.split(",")):
            name, equals, value = part.partition("=")
            if name not in KINDS or (name == "flip") == bool(equals):
                raise ValueError(f"'{part}': expected flip, shift=SHARE or rotate=DEGREES")
            if name != "shift" and not is_picture:
                raise ValueError(f"'{name}' is for pictures, and the recipe makes {list(shape)}; shift=SHARE moves in time")
            if name == "flip":
                self.flip = True
                continue
            number = float(value) if value.replace(".", "", 1).isdigit() else math.nan
            if not 0 < number <= {"shift": 0.5, "rotate": 45}[name]:
                raise ValueError(f"'{part}': expected a number above 0, at most {'0.5' if name == 'shift' else '45'}")
            setattr(self, name, number)
        if is_picture:
            self.channels_first = channel_axis == 0
            self.height, self.width = (shape[1:] if self.channels_first else shape[:2])
            self.rows, self.columns = np.meshgrid(np.arange(self.height), np.arange(self.width), indexing="ij")
        self.is_picture, self.steps = is_picture, shape[0]

    def __bool__(self) -> bool:
        return bool(self.flip or self.shift or self.rotate)

    def __call__(self, values: np.ndarray, row: int) -> np.ndarray:
        """One sample, changed by numbers that depend on the seed, the epoch and the sample only."""
        flip, down, right, turn = generator(self.seed, 2, self.epoch, int(row)).random(4)
        if not self.is_picture:
            moved = round((2 * down - 1) * self.shift * self.steps)
            return values[np.clip(np.arange(self.steps) - moved, 0, self.steps - 1)]
        y, x = self.rows, self.columns
        if self.rotate:
            angle = math.radians((2 * turn - 1) * self.rotate)
            middle_y, middle_x = (self.height - 1) / 2, (self.width - 1) / 2
            dy, dx = y - middle_y, x - middle_x
            y = np.rint(middle_y + math.cos(angle) * dy - math.sin(angle) * dx).astype(np.intp)
            x = np.rint(middle_x + math.sin(angle) * dy + math.cos(angle) * dx).astype(np.intp)
        y = np.clip(y - round((2 * down - 1) * self.shift * self.height), 0, self.height - 1)
        x = np.clip(x - round((2 * right - 1) * self.shift * self.width), 0, self.width - 1)
        if self.flip and flip < 0.5:
            x = self.width - 1 - x
        return values[:, y, x] if self.channels_first else values[y, x]
