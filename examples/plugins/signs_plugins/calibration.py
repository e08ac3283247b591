# SPDX-License-Identifier: Apache-2.0
import dataclasses

import numpy as np

from edgeprobe.plugins import option


@dataclasses.dataclass
class CalibrationError:
    """Expected calibration error: how far the confidence of a classifier is from its accuracy."""

    name = "calibration error"
    better = "lower"
    bins: int = option(10, "Bins of confidence from 0 to 1", least=1)

    def frame(self, outputs, annotation):
        if annotation is None:
            return None
        scores = next(iter(outputs.values())).ravel()
        return float(scores.max()), int(scores.argmax()) == annotation

    def figure(self, frames):
        confidence, right = np.array(frames, float).T
        place = np.minimum((confidence * self.bins).astype(int), self.bins - 1)
        gaps = np.bincount(place, confidence - right, self.bins)
        return np.abs(gaps).sum() / len(frames)
