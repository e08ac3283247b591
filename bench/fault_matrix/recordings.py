# SPDX-License-Identifier: Apache-2.0
"""Writes camera frames and picture files, and reads them with NumPy and Pillow: correctly, and with the mistakes of apps."""
import dataclasses

import cv2
import numpy as np
from PIL import Image, ImageOps

WEIGHTS = {"bt601": (.299, .114), "bt709": (.2126, .0722)}


@dataclasses.dataclass(frozen=True)
class Frame:
    """The interpretation of a camera frame's bytes; `start`: whether planes begin as in a padded frame although rows are read as unpadded."""
    height: int
    width: int
    layout: str = "nv12"
    stride: int = 0
    matrix: str = "bt601"
    range: str = "limited"
    start: tuple = ()

    def name(self, stem, extra=""):
        words = [stem, "%dx%d" % (self.width, self.height), "stride%d" % self.stride if self.stride else "", self.matrix, self.range, extra]
        return "_".join(w for w in words if w) + "." + self.layout

    def planes(self):
        """((first byte, stride, step between samples) of Y, U, V)."""
        s = self.stride or self.width
        if self.start:
            y, u, v = self.start
        elif self.layout.startswith("nv"):
            y, u = 0, s * self.height
            u, v = (u, u + 1) if self.layout == "nv12" else (u + 1, u)
        else:
            y, u = 0, s * self.height
            v = u + (s + 1) // 2 * (self.height // 2)
            u, v = (u, v) if self.layout == "i420" else (v, u)
        chroma = (s, 2) if self.layout.startswith("nv") else ((s + 1) // 2, 1)
        return (y, s, 1), (u, *chroma), (v, *chroma)


def written(a, frame):
    """The bytes of a frame of the picture (even sides): chroma is the mean of 2 x 2 pixels."""
    kr, kb = WEIGHTS[frame.matrix]
    r, g, b = (a[:, :, k].astype(np.float64) for k in range(3))
    y = kr * r + (1 - kr - kb) * g + kb * b
    u, v = (b - y) / (2 - 2 * kb), (r - y) / (2 - 2 * kr)
    u, v = (p.reshape(p.shape[0] // 2, 2, p.shape[1] // 2, 2).mean((1, 3)) for p in (u, v))
    y, u, v = (y * 219 / 255 + 16, u * 224 / 255 + 128, v * 224 / 255 + 128) if frame.range == "limited" else (y, u + 128, v + 128)
    s = frame.stride or frame.width
    out = np.full(s * frame.height + (s + 1) // 2 * 2 * (frame.height // 2), 90, np.uint8)
    for p, (first, stride, step) in zip((y, u, v), frame.planes()):
        rows, columns = np.indices(p.shape)
        out[first + rows * stride + columns * step] = np.rint(p).clip(0, 255)
    return out


def read(data, frame):
    """The RGB picture that these bytes give under the interpretation `frame`; 2 x 2 pixels share their chroma."""
    def plane(where, h, w):
        first, stride, step = where
        rows, columns = np.indices((h, w))
        return data[first + rows * stride + columns * step].astype(np.float64)
    h, w = frame.height, frame.width
    where = frame.planes()
    y = plane(where[0], h, w)
    u, v = (np.repeat(np.repeat(plane(p, h // 2, w // 2), 2, 0), 2, 1) for p in where[1:])
    y, u, v = ((y - 16) * 255 / 219, (u - 128) * 255 / 224, (v - 128) * 255 / 224) if frame.range == "limited" else (y, u - 128, v - 128)
    kr, kb = WEIGHTS[frame.matrix]
    r, b = y + (2 - 2 * kr) * v, y + (2 - 2 * kb) * u
    return np.rint(np.stack([r, (y - kr * r - kb * b) / (1 - kr - kb), b], 2)).clip(0, 255).astype(np.uint8)


def _frame_case(does, stride=0, extra="", **about):
    """Writes a frame. The app reads its bytes by does(frame), or reads them correctly and then changes the picture by does(picture), depending on
    `extra`."""
    def write(picture, stem, folder):
        a = picture[:picture.shape[0] // 2 * 2, :picture.shape[1] // 2 * 2]
        frame = Frame(a.shape[0], a.shape[1], stride=(a.shape[1] + stride) if stride else 0, **about)
        data = written(a, frame)
        path = folder / frame.name(stem, extra)
        path.write_bytes(data.tobytes())
        right = read(data, frame)
        return path, right, does(right) if extra else read(data, does(frame))
    return write


def _as(**changes):
    return lambda frame: dataclasses.replace(frame, **changes)


def _own_planes(frame):
    """Reads each plane at its right position, but its rows as if they had no padding."""
    return dataclasses.replace(frame, stride=0, start=tuple(first for first, _, _ in frame.planes()))


def _opencv(picture, stem, folder):
    path, right, _ = _frame_case(lambda f: f)(picture, stem, folder)
    h, w = right.shape[:2]
    data = np.frombuffer(path.read_bytes(), np.uint8).reshape(h * 3 // 2, w)
    return path, right, cv2.cvtColor(data, cv2.COLOR_YUV2RGB_NV12)


def _jpeg(does, **save):
    """Writes a JPEG; the app opens it by does(path)."""
    def write(picture, stem, folder):
        path = folder / (stem + ".jpg")
        how = dict(save)
        if "exif" in how:
            exif = Image.Exif()
            exif[0x112] = how.pop("exif")
            how["exif"] = exif
        Image.fromarray(picture).save(path, quality=92, **how)
        return path, np.asarray(Image.open(path).convert("RGB")), np.ascontiguousarray(np.asarray(does(path)))
    return write


def _drafted(scale):
    def opened(path):
        im = Image.open(path)
        im.draft("RGB", (im.width // scale, im.height // scale))
        return im.convert("RGB")
    return opened


def _alpha(background):
    """A PNG whose alpha falls from the left to the right; the app blends it."""
    def write(picture, stem, folder):
        path = folder / (stem + ".png")
        alpha = np.broadcast_to(np.linspace(255, 90, picture.shape[1]).astype(np.uint8)[None, :, None], (*picture.shape[:2], 1))
        Image.fromarray(np.concatenate([picture, alpha], 2)).save(path)
        share = alpha / 255.0
        return path, picture, np.rint(picture * share + background * (1 - share)).astype(np.uint8)
    return write


def _palette(picture, stem, folder):
    path = folder / (stem + ".png")
    Image.fromarray(picture).quantize(200).save(path)
    a = np.asarray(Image.open(path).convert("RGB"))
    return path, a, a


COLOUR = ("color_conversion", "chroma_order", "yuv_matrix", "yuv_range", "chroma_layout", "decoding")
STRIDE = ("layout", "row_stride", "decoding")
# name -> (kinds that are true, none: not a fault; writes (file, right picture, the app's picture))
CASES = {
    "nv12_as_nv21": (COLOUR, _frame_case(_as(layout="nv21"))),
    "nv21_as_nv12": (COLOUR, _frame_case(_as(layout="nv12"), layout="nv21")),
    "i420_as_yv12": (COLOUR, _frame_case(_as(layout="yv12"), layout="i420")),
    "i420_as_nv12": (COLOUR + STRIDE, _frame_case(_as(layout="nv12"), layout="i420")),
    "nv12_as_i420": (COLOUR + STRIDE, _frame_case(_as(layout="i420"))),
    "bt601_as_bt709": (COLOUR, _frame_case(_as(matrix="bt709"))),
    "bt709_as_bt601": (COLOUR, _frame_case(_as(matrix="bt601"), matrix="bt709")),
    "limited_as_full": (COLOUR + ("value_range",), _frame_case(_as(range="full"))),
    "full_as_limited": (COLOUR + ("value_range",), _frame_case(_as(range="limited"), range="full")),
    "stride_ignored": (STRIDE, _frame_case(_as(stride=0), stride=32)),
    "stride_ignored_in_planes": (STRIDE, _frame_case(_own_planes, stride=16)),
    "turned_as_the_camera_says": (("orientation", "stored_orientation"), _frame_case(lambda a: np.ascontiguousarray(np.rot90(a, -1)), extra="rot90")),
    "front_camera_mirrored": (("orientation", "stored_orientation"), _frame_case(lambda a: np.ascontiguousarray(a[:, ::-1]), extra="mirrored")),
    "frame_read_by_opencv": ((), _opencv),
    "frame_padded": ((), _frame_case(lambda f: f, stride=24)),
    "exif_6": (("orientation", "stored_orientation"), _jpeg(lambda p: ImageOps.exif_transpose(Image.open(p)).convert("RGB"), exif=6)),
    "jpeg_half": (("resize", "scaled_decode", "decoding"), _jpeg(_drafted(2))),
    "jpeg_quarter": (("resize", "scaled_decode", "decoding"), _jpeg(_drafted(4))),
    "alpha_on_black": (("alpha", "decoding"), _alpha(0)),
    "alpha_on_white": (("alpha", "decoding"), _alpha(255)),
    "palette": ((), _palette),
}

