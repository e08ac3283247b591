# SPDX-License-Identifier: Apache-2.0
"""Pre-processing as in an app, by OpenCV, Pillow and NumPy, without code of edgeprobe."""
import dataclasses

import cv2
import numpy as np
from PIL import Image

CV = {"cv_nearest": cv2.INTER_NEAREST, "cv_nearest_exact": cv2.INTER_NEAREST_EXACT, "cv_linear": cv2.INTER_LINEAR,
      "cv_area": cv2.INTER_AREA, "cv_cubic": cv2.INTER_CUBIC, "cv_lanczos4": cv2.INTER_LANCZOS4}
PILLOW = {"pil_nearest": Image.NEAREST, "pil_bilinear": Image.BILINEAR, "pil_bicubic": Image.BICUBIC,
          "pil_lanczos": Image.LANCZOS, "pil_box": Image.BOX}
IMAGENET = (np.array([0.485, 0.456, 0.406]) * 255, np.array([0.229, 0.224, 0.225]) * 255)
RANGES = {  # name -> (mean, std) on pixels 0..255
    "u255": (0, 1), "01": (0, 255), "m11": (127.5, 127.5), "m11_128": (128, 128), "half": (127.5, 255),
    "imagenet": IMAGENET, "caffe": (np.array([123.68, 116.779, 103.939]), 1), "double01": (0, 255 * 255.0),
    "double11": (127.5 + 127.5**2, 127.5**2), "m11of01": (127.5 * 255, 127.5 * 255), "01of11": (127.5, 127.5 * 255),
    "imagenet_no255": (IMAGENET[0] / 255, IMAGENET[1] / 255), "i8": (128, 1), "mnist": (0.1307 * 255, 0.3081 * 255)}


def lines(name):
    """(gain, offset) by channel of a range "lines:a,b,c:d,e,f", which stores a x + d and so on."""
    return tuple(np.array([float(v) for v in part.split(",")]) for part in name.split(":")[1:])


@dataclasses.dataclass(frozen=True)
class App:
    """One app's way from a decoded picture to the model's input."""
    size: int = 224
    channels: int = 3
    fit: str = "stretch"
    turn: int = 0
    kernel: str = "pil_bilinear"
    round: str = "uint8"
    color: str = "rgb"
    camera: str = "none"      # mistake with a camera frame before all other steps, see camera_frame()
    tone: str = "none"
    range: str = "m11"
    limited: bool = False     # levels 16..235
    quant: str = "float"      # float, or ok / xor / zp0 / cast of an 8-bit input
    scale: float = 1 / 127.5
    zero_point: int = 128
    dtype: str = "float32"
    layout: str = "hwc"       # memory order of the stored values
    decode: str = "default"


def turned(a, turn):
    """1, 2, 3: clockwise quarter turns; 4: mirrored left-right first, then turned."""
    if turn & 4:
        a = a[:, ::-1]
    return np.ascontiguousarray(np.rot90(a, -(turn & 3)))


def window(fit, h, w):
    if fit == "stretch" or fit.startswith("letterbox"):
        return 0, 0, h, w
    m = min(h, w)
    half_up = lambda v: int(np.floor(v + 0.5))
    if fit == "square":
        return (h - m) // 2, (w - m) // 2, m, m
    if fit.startswith("crop:") or fit == "crop875":
        f = 0.875 if fit == "crop875" else float(fit[5:])
        a, b = half_up(h * f), half_up(w * f)
        return (h - a) // 2, (w - b) // 2, a, b
    if fit == "square875":
        a = half_up(m * 0.875)
        return (h - a) // 2, (w - a) // 2, a, a
    if fit.startswith("offset:"):
        _, base, dy, dx = fit.split(":")
        y, x, a, b = window(base, h, w)
        if dy.endswith("px"):
            return int(np.clip(y + int(dy[:-2]), 0, h - a)), int(np.clip(x + int(dx[:-2]), 0, w - b)), a, b
        return (int(np.clip(y + round(float(dy) * a), 0, h - a)), int(np.clip(x + round(float(dx) * b), 0, w - b)), a, b)
    if fit.startswith("window:"):
        y, x, a, b = map(int, fit.split(":")[1:])
        if y + a > h or x + b > w:
            raise ValueError("the window does not fit into %d x %d" % (h, w))
        return y, x, a, b
    raise KeyError(fit)


def weights(kind, n_in, n_out):
    """Kernels that neither library has, implemented from their definitions."""
    scale = n_in / n_out
    i = np.arange(n_out)
    if kind.endswith("corners"):
        centre = i * ((n_in - 1) / max(1, n_out - 1))
    elif kind.endswith("legacy"):
        centre = i * scale
    else:
        centre = (i + 0.5) * scale - 0.5
    m = np.zeros((n_out, n_in))
    if kind == "np_nearest_corners":
        m[i, np.floor(centre + 0.5).astype(int).clip(0, n_in - 1)] = 1
        return m
    if kind.startswith("np_bilinear"):
        reach, f = 1, lambda d: np.maximum(0, 1 - np.abs(d))
    elif kind.startswith("np_bicubic"):
        def f(d, a=-int(kind[10:12]) / 100):
            d = np.abs(d)
            return np.where(d < 1, ((a + 2) * d - (a + 3)) * d * d + 1, np.where(d < 2, ((d - 5) * d + 8) * a * d - 4 * a, 0))
        reach = 2
    elif kind.startswith("np_lanczos3"):
        reach, f = 3, lambda d: np.where(np.abs(d) < 3, np.sinc(d) * np.sinc(d / 3), 0)
    else:
        raise KeyError(kind)
    for j in i:
        k = np.arange(int(np.floor(centre[j])) - reach, int(np.floor(centre[j])) + reach + 2)
        w = f(k - centre[j])
        np.add.at(m[j], k.clip(0, n_in - 1), w / w.sum())
    return m


def resized(a, kernel, h, w, rounding):
    c = a.shape[2]
    if kernel in CV:
        source = a if rounding == "uint8" else a.astype(np.float32)
        if kernel == "cv_nearest_exact":
            source = a
        return cv2.resize(source, (w, h), interpolation=CV[kernel]).reshape(h, w, c).astype(np.float32)
    if kernel in PILLOW:
        if rounding == "uint8" or kernel == "pil_nearest":
            im = Image.fromarray(a if c == 3 else a[:, :, 0])
            return np.asarray(im.resize((w, h), PILLOW[kernel])).reshape(h, w, c).astype(np.float32)
        planes = [Image.fromarray(a[:, :, k].astype(np.float32)).resize((w, h), PILLOW[kernel]) for k in range(c)]
        return np.stack([np.asarray(p) for p in planes], 2)
    rows, columns = weights(kernel, a.shape[0], h), weights(kernel, a.shape[1], w)
    out = np.einsum("ij,jkc->ikc", rows, a.astype(np.float64))
    out = np.einsum("ikc,lk->ilc", out, columns)
    return (np.floor(out.clip(0, 255) + 0.5) if rounding == "uint8" else out).astype(np.float32)


def fill_of(fit):
    """The level of the bars: letterbox, letterbox114, letterbox_tl, …"""
    digits = fit.removeprefix("letterbox").removesuffix("_tl")
    return int(digits) if digits else 0


def camera_frame(a, how):
    """The picture as a YUV frame (8 bits, chroma for each pixel), encoded by one convention and decoded by another."""
    names = {"709_as_601": (709, 1, 601, 1, 0), "601_as_709": (601, 1, 709, 1, 0), "full_as_limited": (601, 0, 601, 1, 0),
             "limited_as_full": (601, 1, 601, 0, 0), "uv_swapped": (601, 1, 601, 1, 1)}
    encode, limited_in, decode, limited_out, swapped = names[how]

    def weights_of(standard):
        return (.299, .114) if standard == 601 else (.2126, .0722)

    kr, kb = weights_of(encode)
    r, g, b = (a[:, :, k].astype(np.float64) for k in range(3))
    y = kr * r + (1 - kr - kb) * g + kb * b
    u, v = (b - y) / (2 - 2 * kb), (r - y) / (2 - 2 * kr)
    y, u, v = (y * 219 / 255 + 16, u * 224 / 255 + 128, v * 224 / 255 + 128) if limited_in else (y, u + 128, v + 128)
    y, u, v = (np.rint(p).clip(0, 255) for p in (y, u, v))
    if swapped:
        u, v = v, u
    kr, kb = weights_of(decode)
    y, u, v = ((y - 16) * 255 / 219, (u - 128) * 255 / 224, (v - 128) * 255 / 224) if limited_out else (y, u - 128, v - 128)
    r, b = y + (2 - 2 * kr) * v, y + (2 - 2 * kb) * u
    g = (y - kr * r - kb * b) / (1 - kr - kb)
    return np.rint(np.stack([r, g, b], 2)).clip(0, 255).astype(np.uint8)


def fitted(a, app):
    y, x, h, w = window(app.fit, *a.shape[:2])
    part = np.ascontiguousarray(a[y:y + h, x:x + w])
    n = app.size
    if not app.fit.startswith("letterbox"):
        return resized(part, app.kernel, n, n, app.round)
    s = n / max(h, w)
    ih, iw = max(1, int(np.floor(h * s + 0.5))), max(1, int(np.floor(w * s + 0.5)))
    out = np.full((n, n, a.shape[2]), fill_of(app.fit), np.float32)
    top, left = (0, 0) if app.fit.endswith("_tl") else ((n - ih) // 2, (n - iw) // 2)
    out[top:top + ih, left:left + iw] = resized(part, app.kernel, ih, iw, app.round)
    return out


def colored(g, color):
    if g.shape[2] == 1 or color == "rgb":
        return g
    if color == "bgr":
        return g[:, :, ::-1]
    if color == "rbg":
        return g[:, :, [0, 2, 1]]
    if color == "gray":
        return np.repeat(cv2.cvtColor(np.rint(g.clip(0, 255)).astype(np.uint8), cv2.COLOR_RGB2GRAY)[:, :, None], 3, 2).astype(np.float32)
    if color == "yuv709":
        encode = np.array([[.299, .587, .114], [-.168736, -.331264, .5], [.5, -.418688, -.081312]])
        decode = np.array([[1, 0, 1.5748], [1, -.187324, -.468124], [1, 1.8556, 0]])
        return np.rint((g @ (decode @ encode).T).clip(0, 255)).astype(np.float32)
    raise KeyError(color)


def toned(g, tone):
    x = g.clip(0, 255) / 255
    return {"none": lambda: g, "g2.2": lambda: np.rint(255 * x**2.2), "g0.45": lambda: np.rint(255 * x**(1 / 2.2)),
            "to_linear": lambda: np.rint(255 * np.where(x <= .04045, x / 12.92, ((x + .055) / 1.055)**2.4)),
            "to_srgb": lambda: np.rint(255 * np.where(x <= .0031308, 12.92 * x, 1.055 * x**(1 / 2.4) - .055))}[tone]()


def made(picture, app, on_grid=None):
    """The tensor in memory order, as the app stores it. `on_grid` is done to the resized picture, pixels 0..255 as floats."""
    a = picture
    if app.channels == 1 and a.shape[2] == 3:
        a = np.asarray(Image.fromarray(a).convert("L"))[:, :, None]
    if app.camera != "none":
        a = camera_frame(a, app.camera)
    g = fitted(turned(a, app.turn), app)
    g = toned(colored(g, app.color), app.tone).astype(np.float64)
    if on_grid:
        g = np.asarray(on_grid(g), np.float64)
    if app.range == "standardize":
        real = (g - g.mean()) / max(g.std(), 1 / np.sqrt(g.size))
    else:
        if app.limited:
            g = g * (219 / 255) + 16
        if app.range.startswith("lines:"):
            gain, offset = lines(app.range)
            real = g * gain + offset
        else:
            mean, std = RANGES[app.range]
            if g.shape[2] == 1:
                mean, std = np.mean(mean), np.mean(std)
            real = (g - mean) / std
    low, high = (-128, 127) if app.dtype == "int8" else (0, 255)
    if app.quant == "float":
        out = real.astype(np.float32)
    elif app.quant == "cast":
        out = np.trunc(real).clip(low, high)
    else:
        zero = 0 if app.quant == "zp0" else app.zero_point
        out = (np.floor(np.abs(real / app.scale) + 0.5) * np.sign(real) + zero).clip(low, high)
        if app.quant == "xor":
            middle = low + 128
            out = np.where(out < middle, out + 128, out - 128)
    out = {"hwc": out, "chw": out.transpose(2, 0, 1), "hcw": out.transpose(0, 2, 1)}[app.layout]
    return np.ascontiguousarray(out).astype(app.dtype)
