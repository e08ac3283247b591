# SPDX-License-Identifier: Apache-2.0
"""Six deployments whose front ends are written with OpenCV, Pillow and NumPy, as an app would write them.

Three models are of EDGEPROBE_SHARED_DATA, three are taken out of a wheel of mediapipe. Neither those three nor scikit-image's photographs, which
`script/setup --demo` installs, were used to develop a rule of the search.
"""
import dataclasses
import os
import pathlib
import zipfile

import cv2
import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))
PHOTOGRAPHS = ["astronaut.png", "chelsea.png", "coffee.png", "motorcycle_left.png", "rocket.jpg", "retina.jpg", "hubble_deep_field.jpg", "ihc.png"]
FALLBACK = ["cat.bmp", "grace_hopper.bmp", "hot_dog.jpg", "owl.jpg", "parrot.jpg", "pets.jpg"]


@dataclasses.dataclass(frozen=True)
class Front:
    """The correct app of one model. `frame(picture, rows, columns, stretch)` crops or pads a uint8 picture and resizes it by `stretch(part, rows,
    columns)`, whose result is also in 0..255."""
    name: str
    model: str
    recipe: str
    size: tuple                     # rows, columns
    frame: object
    stretch: object
    mean: object = 0.0              # for pixels 0..255: one number, or one per channel
    std: object = 1.0
    dtype: str = "float32"
    scale: float = 1.0              # for stored codes of 8-bit inputs: real = scale * (code - zero_point)
    zero_point: int = 0
    planar: bool = False

    def fit(self, picture, stretch=None):
        """Pixels of the model's size, by the app's own kernel unless another is given."""
        return self.frame(picture, *self.size, stretch or self.stretch)

    def real(self, grid):
        return (np.asarray(grid, np.float64) - self.mean) / self.std

    def stored(self, real):
        if self.dtype == "float32":
            return np.asarray(real, np.float32)
        info = np.iinfo(self.dtype)
        codes = np.floor(np.asarray(real) / self.scale + 0.5) + self.zero_point
        return np.clip(codes, info.min, info.max).astype(self.dtype)

    def memory(self, stored):
        return np.ascontiguousarray(stored.transpose(2, 0, 1) if self.planar else stored)

    def tensor(self, raw):
        return self.memory(self.stored(self.real(self.fit(raw))))

    def steps(self, memory):
        """A tensor in memory order as gray steps, for distances."""
        values = memory.astype(np.float64)
        if self.dtype != "float32":
            values = (values - self.zero_point) * self.scale
        return values * np.mean(self.std)


def by_opencv(how):
    return lambda a, rows, columns: cv2.resize(a, (columns, rows), interpolation=how)


def by_pillow(how):
    return lambda a, rows, columns: np.asarray(Image.fromarray(a).resize((columns, rows), how))


def whole(a, rows, columns, stretch):
    return stretch(a, rows, columns)


def square(a, rows, columns, stretch):
    m = min(a.shape[:2])
    y, x = (a.shape[0] - m) // 2, (a.shape[1] - m) // 2
    return stretch(np.ascontiguousarray(a[y:y + m, x:x + m]), rows, columns)


def centre(a, rows, columns):
    """torchvision's CenterCrop."""
    y, x = int(round((a.shape[0] - rows) / 2.0)), int(round((a.shape[1] - columns) / 2.0))
    return np.ascontiguousarray(a[y:y + rows, x:x + columns])


def short_side(short):
    """torchvision's Resize(short) and CenterCrop."""
    def frame(a, rows, columns, stretch):
        h, w = a.shape[:2]
        return centre(stretch(a, *((int(short * h / w), short) if w <= h else (short, int(short * w / h)))), rows, columns)
    return frame


def letterbox(fill=0, place="centre"):
    """Bars of `fill`, a level or a function of the picture."""
    def frame(a, rows, columns, stretch):
        s = min(rows / a.shape[0], columns / a.shape[1])
        h, w = (max(1, int(np.floor(v * s + 0.5))) for v in a.shape[:2])
        out = np.empty((rows, columns, 3))
        out[:] = fill(a) if callable(fill) else fill
        y, x = {"centre": ((rows - h) // 2, (columns - w) // 2), "first": (0, 0), "last": (rows - h, columns - w)}[place]
        out[y:y + h, x:x + w] = stretch(a, h, w)
        return out
    return frame


LINEAR, AREA = by_opencv(cv2.INTER_LINEAR), by_opencv(cv2.INTER_AREA)

FRONTS = [
    Front("blazeface", "wheel:mediapipe/modules/face_detection/face_detection_short_range.tflite",
          "letterbox(128x128, bilinear, like=opencv) | scale(-1..1)", (128, 128), letterbox(), LINEAR, 127.5, 127.5),
    Front("selfie", "wheel:mediapipe/modules/selfie_segmentation/selfie_segmentation.tflite",
          "resize(256x256, bilinear, like=opencv) | scale(0..1)", (256, 256), whole, LINEAR, 0, 255),
    Front("palm", "wheel:mediapipe/modules/palm_detection/palm_detection_lite.tflite",
          "crop(square) | resize(192x192, bicubic, like=pillow) | scale(0..1)", (192, 192),
          square, by_pillow(Image.BICUBIC), 0, 255),
    Front("ultraface_onnx", "ultraface/version-RFB-320_without_postprocessing.onnx",
          "resize(240x320, bilinear, like=opencv) | normalize(mean=127, std=128) | layout(nchw)", (240, 320), whole, LINEAR, 127, 128, planar=True),
    Front("mobilenet_torchvision", "tflite_support/mobilenet_v1_0.25_224_1_default_1.tflite",
          "resize(short=256, bilinear, like=pillow) | crop(center, 224x224) | scale(-1..1)", (224, 224),
          short_side(256), by_pillow(Image.BILINEAR), 127.5, 127.5),
    Front("vww_int8", "mlperf_tiny/vww_96_int8.tflite", "crop(square) | resize(96x96, area, like=opencv) | scale(0..1) | quantize(model)", (96, 96),
          square, AREA, 0, 255, "int8", 0.003921568859368563, -128),
]


def photographs(folder):
    """Scikit-image's photographs in `folder`, else those of EDGEPROBE_SHARED_DATA; an empty list if neither exists."""
    for base, names in ((pathlib.Path(folder), PHOTOGRAPHS), (SHARED / "images", FALLBACK)):
        if all((base / name).exists() for name in names):
            return [base / name for name in names]
    return []


def model_file(front, folder, wheel):
    """The path of the model; models of the wheel are unpacked into `folder`. None if the source is missing."""
    if not front.model.startswith("wheel:"):
        path = SHARED / "models" / front.model
        return path if path.exists() else None
    if not wheel:
        return None
    path = pathlib.Path(folder) / front.model.rsplit("/", 1)[1]
    if not path.exists():
        with zipfile.ZipFile(wheel) as archive:
            path.write_bytes(archive.read(front.model.removeprefix("wheel:")))
    return path
