# SPDX-License-Identifier: Apache-2.0
"""Every resize convention compared with the library that it is named after.

ctest runs it: each largest difference must be within its limit, and the table in docs/reference/recipes.md must state these conventions
and limits. `conventions.py --write` measures again and rewrites that table."""
import pathlib
import sys

import cv2
import numpy as np
from PIL import Image

from one_op import engine_resize
from tool import Tool

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference" / "recipes.md"
BEGIN, END = "<!-- conventions: begin -->", "<!-- conventions: end -->"

# (input, output), height x width: down, up, both, odd, whole factors, ties, single pixels, thin.
SIZES = [
    ((64, 48), (32, 24)), ((97, 131), (31, 40)), ((97, 131), (120, 200)), ((1, 1), (5, 7)), ((5, 7), (1, 1)),
    ((200, 300), (224, 224)), ((512, 512), (224, 224)), ((333, 217), (96, 96)), ((50, 300), (100, 100)),
    ((1001, 7), (1000, 7)), ((3, 1024), (3, 171)), ((28, 28), (32, 32)), ((90, 90), (30, 30)), ((17, 1), (9, 1)),
    ((60, 90), (30, 45)), ((60, 90), (30, 90)), ((60, 90), (20, 45)), ((2, 2), (224, 224)), ((640, 480), (320, 240)),
    ((100, 100), (100, 50)), ((7, 7), (7, 7)), ((929, 512), (224, 224)), ((610, 500), (96, 96)), ((2, 900), (300, 3)),
]


def sizes():
    random = np.random.default_rng(2)
    return SIZES + [(tuple(map(int, random.integers(1, 400, 2))), tuple(map(int, random.integers(1, 300, 2))))
                    for _ in range(40)]


class OpenCv:
    def __init__(self, flag, dtype):
        self.flag, self.dtype = flag, dtype

    def __call__(self, image, height, width):
        return cv2.resize(image.astype(self.dtype), (width, height), interpolation=self.flag)


class Pillow:
    def __init__(self, filter_, dtype):
        self.filter, self.dtype = filter_, dtype

    def __call__(self, image, height, width):
        planes = [np.asarray(Image.fromarray(np.ascontiguousarray(image[:, :, c]).astype(self.dtype))
                             .resize((width, height), self.filter)) for c in range(image.shape[2])]
        return np.stack(planes, axis=2)


class Engine:
    def __init__(self, method, reference=False, **options):
        self.method, self.reference, self.options = method, reference, options

    def __call__(self, image, height, width):
        return engine_resize(image, (height, width), self.method, reference=self.reference, **self.options)


U8, F32 = np.uint8, np.float32
R = Image.Resampling
# (reference, arguments after the size, the library, compared as, limit in steps of 0..255)
CONVENTIONS = [
    ("OpenCV INTER_NEAREST", "nearest, like=opencv", OpenCv(cv2.INTER_NEAREST, U8), U8, 0),
    ("OpenCV 5 INTER_NEAREST_EXACT", "nearest, align=half_pixel", OpenCv(cv2.INTER_NEAREST_EXACT, U8), U8, 0),
    ("OpenCV INTER_LINEAR, 8-bit", "bilinear, like=opencv", OpenCv(cv2.INTER_LINEAR, U8), U8, 0),
    ("OpenCV INTER_LINEAR, float", "bilinear", OpenCv(cv2.INTER_LINEAR, F32), F32, 1e-3),
    ("OpenCV INTER_AREA, 8-bit", "area, like=opencv", OpenCv(cv2.INTER_AREA, U8), U8, 0),
    ("OpenCV INTER_AREA, float", "area", OpenCv(cv2.INTER_AREA, F32), F32, 0.3),
    ("OpenCV INTER_CUBIC, 8-bit", "bicubic, like=opencv", OpenCv(cv2.INTER_CUBIC, U8), U8, 1),
    ("OpenCV INTER_CUBIC, float", "bicubic, a=-0.75", OpenCv(cv2.INTER_CUBIC, F32), F32, 0.05),
    ("OpenCV INTER_LANCZOS4, 8-bit", "lanczos4, like=opencv", OpenCv(cv2.INTER_LANCZOS4, U8), U8, 1),
    ("OpenCV INTER_LANCZOS4, float", "lanczos4", OpenCv(cv2.INTER_LANCZOS4, F32), F32, 0.05),
    ("Pillow NEAREST", "nearest, like=pillow", Pillow(R.NEAREST, U8), U8, 0),
    ("Pillow BILINEAR, 8-bit", "bilinear, like=pillow", Pillow(R.BILINEAR, U8), U8, 0),
    ("Pillow BILINEAR, float", "bilinear, antialias=on", Pillow(R.BILINEAR, F32), F32, 1e-3),
    ("Pillow BOX, 8-bit", "box, like=pillow", Pillow(R.BOX, U8), U8, 0),
    ("Pillow BOX, float", "box", Pillow(R.BOX, F32), F32, 1e-3),
    ("Pillow BICUBIC, 8-bit", "bicubic, like=pillow", Pillow(R.BICUBIC, U8), U8, 0),
    ("Pillow BICUBIC, float", "bicubic, antialias=on, a=-0.5", Pillow(R.BICUBIC, F32), F32, 1e-3),
    ("Pillow LANCZOS, 8-bit", "lanczos3, like=pillow", Pillow(R.LANCZOS, U8), U8, 0),
    ("Pillow LANCZOS, float", "lanczos3, antialias=on", Pillow(R.LANCZOS, F32), F32, 1e-3),
]
for _reference, _kernels in ((False, "XNNPACK"), (True, "plain kernels")):
    for _align, _options in (("half_pixel", {"half_pixel": True}), ("corners", {"corners": True}), ("legacy", {})):
        CONVENTIONS.append((f"TFLite RESIZE_BILINEAR {_align}, {_kernels}", f"bilinear, align={_align}",
                            Engine("bilinear", _reference, **_options), F32, 0.05))
for _align, _options in (("half_pixel", {"half_pixel": True}), ("corners", {"corners": True}), ("legacy", {})):
    CONVENTIONS.append((f"TFLite RESIZE_NEAREST_NEIGHBOR {_align}", f"nearest, align={_align}, grid=float32",
                        Engine("nearest", **_options), F32, 0))


def measure(tool, arguments, library, dtype):
    """(largest difference, share of values that differ by over 0.05) over all sizes, on random pixels."""
    random = np.random.default_rng(1)
    largest, differing, total = 0.0, 0, 0
    for (in_height, in_width), (height, width) in sizes():
        image = random.integers(0, 256, (in_height, in_width, 3), dtype=np.uint8)
        step = f"resize({height}x{width}, {arguments})"
        shape = (height, width, 3)
        ours = (tool.tensor(image, shape, "uint8", step) if dtype is U8 else
                tool.resampled(image, step).reshape(shape)).astype(np.float64)
        theirs = library(image, height, width).reshape(shape).astype(np.float64)
        difference = np.abs(ours - theirs)
        largest = max(largest, float(difference.max()))
        differing += int((difference > 0.05).sum())
        total += difference.size
    return largest, differing / total


def table(measured):
    lines = ["| compared with | recipe | largest difference | values that differ | limit in tests |", "|---|---|---|---|---|"]
    for (name, arguments, _, _, limit), (largest, share) in zip(CONVENTIONS, measured):
        lines.append(f"| {name} | `{arguments}` | {largest:.2g} | {share:.2%} | {limit:g} |")
    return "\n".join(lines)


def stated(document):
    """(name, arguments, limit) of each row in the document's table."""
    rows = document.split(BEGIN)[1].split(END)[0].strip().splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return [(row[0], row[1].strip("`"), row[4]) for row in cells]


def main():
    tool = Tool()
    measured = [measure(tool, arguments, library, dtype) for _, arguments, library, dtype, _ in CONVENTIONS]
    tool.close()
    failures = []
    for (name, arguments, _, _, limit), (largest, share) in zip(CONVENTIONS, measured):
        print(f"{name:45} {largest:10.3g} {share:8.3%}  limit {limit:g}")
        if largest > limit:
            failures.append(f"{name}: {largest} is over the limit {limit}")
    text = DOCUMENT.read_text()
    if "--write" in sys.argv:
        before, _, rest = text.partition(BEGIN)
        DOCUMENT.write_text(before + BEGIN + "\n" + table(measured) + "\n" + END + rest.partition(END)[2])
    elif stated(text) != [(name, arguments, f"{limit:g}") for name, arguments, _, _, limit in CONVENTIONS]:
        failures.append("docs/reference/recipes.md states other conventions or limits: run conventions.py --write")
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
