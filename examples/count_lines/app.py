# SPDX-License-Identifier: Apache-2.0
"""The application that the programs in this folder examine: it classifies pictures, and feeds BGR although the model requires RGB. Its own
lines are not counted."""
import pathlib

import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS, PICTURES = ROOT / "models", ROOT / "models/data/test"
RECIPE = (MODELS / "signs.recipe").read_text().strip()
FILES = sorted(PICTURES.iterdir())[:32]
SPREAD = sorted(PICTURES.iterdir())[::30]  # 16 evenly spread pictures


def load(file):
    with Image.open(file) as picture:
        return np.asarray(picture.convert("RGB"))


def preprocess(picture, channels="bgr"):
    height, width = (round(side * 0.875) for side in picture.shape[:2])
    top, left = (picture.shape[0] - height) // 2, (picture.shape[1] - width) // 2
    small = np.asarray(Image.fromarray(picture[top:top + height, left:left + width]).resize((64, 64), Image.Resampling.BILINEAR))
    return ((small[..., ::-1] if channels == "bgr" else small) / np.float32(127.5) - 1)[np.newaxis].astype(np.float32)
