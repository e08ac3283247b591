# SPDX-License-Identifier: Apache-2.0
"""Draws pictures of the signs task for training, as folders train/CLASS and val/CLASS: draw.py FOLDER --per-class 400.

The 480 test pictures of models/data are drawn from another seed, and no training reads them."""
import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "models"))
import generate  # noqa: E402
import signs  # noqa: E402

SEEDS = {"train": 7, "val": 11}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--per-class", type=int, default=400, help="training pictures of each class; a tenth of it for validation")
    args = parser.parse_args()
    for part, seed in SEEDS.items():
        count = args.per_class if part == "train" else max(1, args.per_class // 10)
        for index, (picture, label) in enumerate(generate.draw_many(seed, count)):
            folder = args.folder / part / signs.CLASSES[label]
            folder.mkdir(parents=True, exist_ok=True)
            suffix, data = generate.encode(picture, index)
            (folder / f"{index:05}{suffix}").write_bytes(data)


if __name__ == "__main__":
    main()
