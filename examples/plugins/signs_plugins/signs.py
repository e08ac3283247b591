# SPDX-License-Identifier: Apache-2.0
import csv
import dataclasses
import pathlib

import numpy as np
from PIL import Image

from edgeprobe.plugins import option


@dataclasses.dataclass
class Signs:
    """Pictures of a folder whose CSV names the class of each, with the columns file and label."""

    root: pathlib.Path = option(help="Folder with labels.csv and the pictures in test/")
    last: bool = option(False, "Leave out all but the last 100 pictures")

    def samples(self):
        with open(self.root / "labels.csv", newline="") as file:
            self.labels = {row["file"]: int(row["label"]) for row in csv.DictReader(file)}
        names = sorted(path.name for path in (self.root / "test").iterdir())
        return names[-100:] if self.last else names

    def load(self, name):
        with Image.open(self.root / "test" / name) as picture:
            return np.asarray(picture.convert("RGB"))

    def annotation(self, name):
        return self.labels[name]
