# SPDX-License-Identifier: Apache-2.0
"""Mistakes of apps, each written as in an app. `kinds` are the kinds of causes that name the mistake correctly, `words` the words that the report
must contain."""
import dataclasses
import io

import cv2
import numpy as np
from PIL import Image, ImageFilter

from fronts import LINEAR, by_pillow, letterbox, short_side, whole

IMAGENET_MEAN, IMAGENET_STD = np.array([123.675, 116.28, 103.53]), np.array([58.395, 57.12, 57.375])


@dataclasses.dataclass(frozen=True)
class Bug:
    """`make(front, pictures, k)` returns the tensor of picture k in memory order; `pictures[k - 1]` is the frame before it. `only`: restricted to
    "float" or
    "quantised" inputs. Without `kinds`, no cause can name it today, and unknown or undecided is the right answer."""
    name: str
    group: str
    kinds: tuple
    words: str
    make: object
    only: str = ""


def app(raw=None, frame=None, stretch=None, grid=None, real=None, stored=None, memory=None):
    """The correct app with some of its steps replaced (`frame`, `stretch`, `real`), or followed by a mistake (the other keywords)."""
    def make(front, pictures, k):
        a = np.ascontiguousarray(raw(pictures[k]) if raw else pictures[k])
        g = np.asarray(frame(a, *front.size, stretch or front.stretch) if frame else front.fit(a, stretch), np.float64)
        if grid:
            g = grid(g)
        m = front.memory(front.stored(real(front, g) if real else front.real(g)))
        return np.ascontiguousarray(memory(front, m)).reshape(m.shape).astype(m.dtype) if memory else m
    return make


def clip(a):
    return np.clip(np.rint(a), 0, 255)


def luma(g, weights):
    return np.repeat(clip(g @ np.array(weights))[:, :, None], 3, 2)


def converted(code):
    return lambda g: cv2.cvtColor(clip(g).astype(np.uint8), code).astype(np.float64)


def jpeg(quality):
    def make(a):
        out = io.BytesIO()
        Image.fromarray(a).save(out, "JPEG", quality=quality)
        return np.asarray(Image.open(out).convert("RGB"))
    return make


def affine(mean, std):
    return lambda front, g: (g - mean) / std


def window(top, left, bottom, right):
    """Part of the picture (fractions), stretched."""
    def frame(a, rows, columns, stretch):
        h, w = a.shape[:2]
        return stretch(np.ascontiguousarray(a[int(top * h):int(bottom * h), int(left * w):int(right * w)]), rows, columns)
    return frame


def short_side_and(more):
    """torchvision's framing, the shorter side `more(size)` before the crop."""
    return lambda a, rows, columns, stretch: short_side(more(max(rows, columns)))(a, rows, columns, stretch)


def pixels_off(n):
    return lambda a: a[n:-n, n:-n]


def blurred_first(a, rows, columns):
    """scikit-image's anti_aliasing: a Gaussian of (s - 1) / 2, then linear."""
    s = a.shape[0] / rows, a.shape[1] / columns
    soft = cv2.GaussianBlur(np.asarray(a, np.float32), (0, 0), sigmaX=max(1e-3, (s[1] - 1) / 2), sigmaY=max(1e-3, (s[0] - 1) / 2))
    return np.clip(LINEAR(soft, rows, columns), 0, 255)


def as_uint8(x):
    return (np.asarray(x).astype(np.int64) & 255).astype(np.float64)


def other_frame(front, pictures, k):
    return front.tensor(pictures[k - 1])


def torn(row_share, other):
    def make(front, pictures, k):
        new, old = front.fit(pictures[k]), front.fit(pictures[k - other])
        out, cut = np.array(new), int(row_share * front.size[0])
        out[cut:] = old[cut:]
        return front.memory(front.stored(front.real(out)))
    return make


def each_frame(change):
    """Applies `change(grid, k)`, which differs from frame to frame."""
    def make(front, pictures, k):
        return front.memory(front.stored(front.real(change(np.asarray(front.fit(pictures[k]), np.float64), k))))
    return make


def auto_window(front, pictures, k):
    """A random crop of each frame: training's augmentation left on."""
    a = pictures[k]
    draw = np.random.default_rng(1000 + k)
    h, w = a.shape[:2]
    f = draw.uniform(.6, .9)
    y, x = int(draw.uniform(0, h * (1 - f))), int(draw.uniform(0, w * (1 - f)))
    return front.tensor(np.ascontiguousarray(a[y:y + int(h * f), x:x + int(w * f)]))


def filled(value):
    def make(front, pictures, k):
        return np.full_like(front.tensor(pictures[k]), value)
    return make


def nan_in(where):
    def make(front, pictures, k):
        t = front.tensor(pictures[k])
        hwc = t.transpose(1, 2, 0) if front.planar else t
        if where == "channel":
            hwc[:, :, 2] = np.nan
        else:
            hwc[3:5, 7:9] = np.nan
        return t
    return make


def minmax(g, k=0):
    return (g - g.min()) / (g.max() - g.min()) * 255


def rows_of(front, memory, change):
    """The bytes of each plane or picture as one row of pixels."""
    shape = memory.shape
    return change(memory.reshape(-1)).reshape(shape)


def interlaced(front, memory):
    axis = 1 if front.planar else 0
    n = memory.shape[axis]
    order = np.concatenate([np.arange(0, n, 2), np.arange(1, n, 2)])
    return np.take(memory, order, axis)


def stride_off(front, memory):
    """Rows that are read with a stride four pixels too long."""
    rows, columns = front.size
    planes = memory.reshape(3, rows, columns, 1) if front.planar else memory.reshape(1, rows, columns, 3)
    out = np.zeros_like(planes)
    for p in range(len(planes)):
        flat = planes[p].reshape(rows * columns, -1)
        for r in range(rows):
            at = r * (columns + 4)
            take = flat[at:at + columns]
            out[p, r, :len(take)] = take
    return out


def hw_swapped(front, memory):
    """Columns for rows in memory, read as rows."""
    rows, columns = front.size
    return memory.transpose(0, 2, 1) if front.planar else memory.transpose(1, 0, 2)


def codes_of_bytes(how):
    """Pixels copied unchanged into the model's input, as signed bytes (8-bit models) or as Java reads them (float models)."""
    def make(front, pictures, k):
        g = clip(front.fit(pictures[k]))
        signed = g.astype(np.uint8).view(np.int8).astype(np.float64) if how == "wrap" else np.minimum(g, 127)
        if front.dtype == "float32":
            return front.memory(front.stored(front.real(signed)))
        return front.memory(signed.astype(front.dtype))
    return make


def integer_division(front, g):
    return np.trunc((g - front.mean) / front.std)


def uint8_minus_mean(front, g):
    return as_uint8(clip(g) - np.round(np.mean(front.mean) or 128)) / front.std


def clipped_01(front, g):
    return np.clip(front.real(g), 0, 1)


def blurred(radius):
    return lambda a: np.asarray(Image.fromarray(a).filter(ImageFilter.GaussianBlur(radius)))


def motion(a):
    kernel = np.zeros((9, 9), np.float32)
    kernel[4] = 1 / 9
    return cv2.filter2D(a, -1, kernel)


def clahe(a):
    lab = cv2.cvtColor(a, cv2.COLOR_RGB2LAB)
    lab[:, :, 0] = cv2.createCLAHE(2.0, (8, 8)).apply(np.ascontiguousarray(lab[:, :, 0]))
    return cv2.cvtColor(lab, cv2.COLOR_LAB2RGB)


def dithered(g):
    bayer = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16 - .5
    tile = np.tile(bayer, (g.shape[0] // 4 + 1, g.shape[1] // 4 + 1))[:g.shape[0], :g.shape[1], None]
    return np.clip(np.round((g + tile * 32) / 32) * 32, 0, 255)


def matrix(m):
    return lambda g: clip(g @ np.array(m).T)


def saturated(factor):
    def make(g):
        y = (g @ np.array([.299, .587, .114]))[:, :, None]
        return clip(y + factor * (g - y))
    return make


def timestamp(a):
    a = a.copy()
    cv2.putText(a, "2026-11-22 12:00", (8, a.shape[0] - 12), cv2.FONT_HERSHEY_SIMPLEX, a.shape[0] / 400, (255, 255, 255), 2)
    return a


def premultiplied(a):
    return (a * np.linspace(1, .4, a.shape[1])[None, :, None]).astype(np.uint8)


def posterised_565(g):
    return np.stack([np.floor(g[:, :, c] / q) * q for c, q in enumerate((8, 4, 8))], 2)


def two_steps(a):
    return cv2.resize(a, (160, 120), interpolation=cv2.INTER_LINEAR)


def bt2020_as_601(g):
    encode = np.array([[.2627, .678, .0593], [-.13963, -.36037, .5], [.5, -.459786, -.040214]])
    decode = np.array([[1, 0, 1.402], [1, -.344136, -.714136], [1, 1.772, 0]])
    return clip(g @ (decode @ encode).T)


def shifted_grid(dy, dx):
    return lambda g: np.roll(g, (dy, dx), (0, 1))


def gamma(x):
    return lambda a: clip(255 * (a / 255.0) ** x)


def on_picture(f):
    return lambda a: f(a).astype(np.uint8)


def argb(front, g):
    """A, R, G read as R, G, B."""
    return front.real(np.stack([np.full(g.shape[:2], 255.0), g[:, :, 0], g[:, :, 1]], 2))


def gained(f, limit=True):
    return lambda g: np.clip(g * np.asarray(f), 0, 255) if limit else g * np.asarray(f)


def standardised(front, g):
    return (g - g.mean()) / g.std()


KNOWN, HARD = "nameable", "honestly unknown"
R, T, C, O, G, L = "value_range", "tone", "crop", "orientation", "channel_order", "layout"
TABLE = ("value_table", R, T, "input_quantization")
GAIN = (R, T, "value_table")

BUGS = [
    # Ranges, means, gains.
    Bug("double_normalisation", KNOWN, (R,), "", app(real=lambda f, g: (f.real(g) - f.mean) / f.std)),
    Bug("imagenet_std_bgr", KNOWN, (R,), "", app(real=lambda f, g: (g - IMAGENET_MEAN) / IMAGENET_STD[::-1]), "float"),
    Bug("own_means_reversed", KNOWN, (R,), "", app(real=lambda f, g: (g - IMAGENET_MEAN[::-1]) / IMAGENET_STD), "float"),
    Bug("caffe_bgr_means", KNOWN, (R,), "", app(real=affine(np.array([103.939, 116.779, 123.68]), 1)), "float"),
    Bug("standardised_per_frame", KNOWN, (R,), "", app(real=standardised), "float"),
    Bug("x_over_256", KNOWN, (R,), "", app(real=affine(0, 256)), "float"),
    Bug("range_0_100", KNOWN, (R,), "", app(real=affine(0, 2.55)), "float"),
    Bug("mean_without_std", KNOWN, (R,), "", app(real=lambda f, g: g - (f.mean if np.mean(f.mean) else 127.5)), "float"),
    Bug("std_without_mean", KNOWN, (R,), "", app(real=lambda f, g: g / IMAGENET_STD), "float"),
    Bug("half_brightness", KNOWN, TABLE, "", app(grid=gained(.5))),
    Bug("exposure_0.7", KNOWN, GAIN, "", app(grid=lambda g: clip(g * .7))),
    Bug("exposure_1.4", KNOWN, GAIN, "", app(grid=lambda g: clip(g * 1.4))),
    Bug("twice_clipped", KNOWN, GAIN, "", app(grid=gained(2))),
    Bug("white_balance", KNOWN, GAIN, "", app(grid=lambda g: clip(g * [1.25, 1, .75]))),
    Bug("limited_range_twice", KNOWN, GAIN, "", app(grid=lambda g: clip((g * 219 / 255 + 16) * 219 / 255 + 16))),
    Bug("contrast_saturates", KNOWN, GAIN, "", app(grid=lambda g: clip(1.5 * (g - 128) + 128))),
    Bug("inverted", KNOWN, TABLE, "", app(grid=lambda g: 255 - g)),
    # Tables of stored values.
    Bug("signed_bytes", KNOWN, TABLE, "", codes_of_bytes("wrap")),
    Bug("bytes_saturated", KNOWN, TABLE, "", codes_of_bytes("saturate")),
    Bug("integer_division", KNOWN, (*TABLE, "empty_input"), "", app(real=integer_division), "float"),
    Bug("uint8_minus_mean", KNOWN, TABLE, "", app(real=uint8_minus_mean), "float"),
    Bug("clipped_0_1", KNOWN, TABLE, "", app(real=clipped_01), "float"),
    Bug("brightness_wraps", KNOWN, TABLE, "", app(grid=lambda g: as_uint8(g + 60))),
    Bug("lsb_dropped", KNOWN, TABLE, "", app(grid=lambda g: np.floor(g / 4) * 4)),
    Bug("thresholded", KNOWN, TABLE, "", app(grid=lambda g: np.where(g > 127, 255.0, 0.0))),
    Bug("minmax_per_frame", KNOWN, TABLE, "", each_frame(minmax)),
    Bug("auto_exposure", KNOWN, TABLE, "", each_frame(lambda g, k: clip(g * (110 / g.mean())))),
    # Tones.
    Bug("gamma_1.8", KNOWN, (T, *TABLE), "", app(grid=gamma(1.8))),
    Bug("gamma_on_the_picture", KNOWN, (T, *TABLE), "", app(raw=on_picture(gamma(.6)))),
    Bug("s_curve", KNOWN, (T, *TABLE), "", app(grid=lambda g: clip(255 * (g / 255) ** 2 * (3 - 2 * g / 255)))),
    Bug("square_root", KNOWN, (T, *TABLE), "", app(grid=lambda g: clip(np.sqrt(g * 255)))),
    # Framing and kernels.
    Bug("short_side_256_crop_224", KNOWN, (C,), "", app(frame=short_side_and(lambda n: int(np.floor(n * 256 / 224 + .5))))),
    Bug("short_side_plus_32", KNOWN, (C,), "", app(frame=short_side_and(lambda n: n + 32))),
    Bug("letterbox_mean_colour", KNOWN, (C,), "", app(frame=letterbox(lambda a: a.reshape(-1, 3).mean(0)))),
    Bug("letterbox_top_left", KNOWN, (C,), "", app(frame=letterbox(0, "first"))),
    Bug("letterbox_bottom_right", KNOWN, (C,), "", app(frame=letterbox(128, "last"))),
    Bug("zoom_1.3", KNOWN, (C,), "", app(frame=window(.1154, .1154, .8846, .8846))),
    Bug("crop_4_px", KNOWN, (C,), "", app(raw=pixels_off(4))),
    Bug("crop_1_px", KNOWN, (C,), "", app(raw=pixels_off(1))),
    Bug("top_left_part", KNOWN, (C,), "", app(frame=window(0, 0, .7, .7))),
    Bug("asymmetric_part", KNOWN, (C,), "", app(frame=window(.05, .2, .8, .95))),
    Bug("shift_1_px_of_the_grid", KNOWN, (C, L), "", app(grid=shifted_grid(1, 0))),
    Bug("shift_1_px_of_the_picture", KNOWN, (C, L), "", app(raw=lambda a: np.roll(a, 1, 1))),
    Bug("antialias_of_scikit_image", KNOWN, ("resize",), "", app(stretch=blurred_first)),
    Bug("hamming", KNOWN, ("resize",), "", app(stretch=by_pillow(Image.HAMMING))),
    Bug("nearest", KNOWN, ("resize",), "", app(stretch=by_pillow(Image.NEAREST))),
    Bug("two_step_resize", HARD, ("resize", C), "", app(raw=two_steps)),
    Bug("mirrored", KNOWN, (O,), "", app(raw=lambda a: a[:, ::-1])),
    Bug("upside_down", KNOWN, (O,), "", app(raw=lambda a: a[::-1])),
    # Memory.
    Bug("height_and_width_in_memory", KNOWN, (L, O), "", app(memory=hw_swapped)),
    Bug("planes_for_interleaved", KNOWN, (L,), "", app(memory=lambda f, m: (m.transpose(1, 2, 0) if f.planar else m.transpose(2, 0, 1)))),
    Bug("argb_for_rgb", KNOWN, (G, R), "", app(real=argb)),
    Bug("bgr", KNOWN, (G,), "", app(grid=lambda g: g[:, :, ::-1])),
    Bug("red_and_green_exchanged", KNOWN, (G,), "", app(grid=lambda g: g[:, :, [1, 0, 2]])),
    Bug("interlaced", KNOWN, (L,), "", app(memory=interlaced)),
    Bug("stride_4_px_too_long", KNOWN, (L,), "", app(memory=stride_off)),
    Bug("one_element_late", KNOWN, (L, C), "", app(memory=lambda f, m: rows_of(f, m, lambda v: np.concatenate([v[:1] * 0, v[:-1]])))),
    Bug("one_pixel_late", KNOWN, (L, C), "", app(memory=lambda f, m: rows_of(f, m, lambda v: np.roll(v, 1 if f.planar else 3)))),
    # Colours.
    Bug("gray_bt709", KNOWN, (G, "color_conversion"), "", app(grid=lambda g: luma(g, [.2126, .7152, .0722]))),
    Bug("gray_mean", KNOWN, (G, "color_conversion"), "", app(grid=lambda g: luma(g, [1 / 3, 1 / 3, 1 / 3]))),
    Bug("red_alone", KNOWN, (G, "color_conversion"), "", app(grid=lambda g: np.repeat(g[:, :, :1], 3, 2))),
    Bug("ycrcb", KNOWN, (G, "color_conversion"), "", app(grid=converted(cv2.COLOR_RGB2YCrCb))),
    Bug("yuv", KNOWN, (G, "color_conversion"), "", app(grid=converted(cv2.COLOR_RGB2YUV))),
    Bug("hsv", HARD, (G, "color_conversion"), "", app(grid=converted(cv2.COLOR_RGB2HSV))),
    Bug("lab", HARD, (G, "color_conversion"), "", app(grid=converted(cv2.COLOR_RGB2LAB))),
    Bug("xyz", HARD, (G, "color_conversion"), "", app(grid=converted(cv2.COLOR_RGB2XYZ))),
    Bug("bt2020_as_601", KNOWN, (G, "color_conversion"), "", app(grid=bt2020_as_601)),
    Bug("saturation_1.4", HARD, (G, "color_conversion"), "", app(grid=saturated(1.4))),
    Bug("colour_matrix", HARD, (G, "color_conversion"), "", app(grid=matrix([[.8, .15, .05], [.1, .85, .05], [0, .2, .8]]))),
    Bug("display_p3", HARD, (G, "color_conversion"), "", app(grid=lambda g: clip(255 * np.clip((((g / 255) ** 2.2) @ np.array(
        [[.8225, .1774, 0], [.0332, .9669, 0], [.0171, .0724, .9108]]).T), 0, 1) ** (1 / 2.2)))),
    Bug("rgb565", KNOWN, (*TABLE, "color_depth", "tone"), "", app(grid=posterised_565)),
    # Missing or wrong data.
    Bug("all_zero", KNOWN, ("empty_input",), "", filled(0)),
    Bug("constant_37", KNOWN, ("empty_input",), "", filled(37)),
    Bug("nan_in_blue", KNOWN, ("non_finite_input",), "", nan_in("channel"), "float"),
    Bug("nan_in_a_corner", KNOWN, ("non_finite_input",), "", nan_in("corner"), "float"),
    Bug("frame_before", KNOWN, ("other_frame",), "", other_frame),
    Bug("torn_at_60_percent", KNOWN, ("other_frame",), "", torn(.6, 1)),
    Bug("torn_at_25_percent", KNOWN, ("other_frame",), "", torn(.25, 1)),
    Bug("augmentation_left_on", KNOWN, (C,), "", auto_window),
    # Faults without a name.
    Bug("defocus", HARD, (), "", app(raw=blurred(3))),
    Bug("motion_blur", HARD, (), "", app(raw=motion)),
    Bug("noise", HARD, (), "", app(grid=lambda g: clip(g + np.random.default_rng(int(g.sum()) % 2**31).normal(0, 6, g.shape)))),
    Bug("jpeg_20", HARD, (), "", app(raw=jpeg(20))),
    Bug("jpeg_50", HARD, (), "", app(raw=jpeg(50))),
    Bug("jpeg_90", HARD, (), "", app(raw=jpeg(90))),
    Bug("dithered", HARD, (), "", app(grid=dithered)),
    Bug("clahe", HARD, (), "", app(raw=clahe)),
    Bug("premultiplied_alpha", HARD, (), "", app(raw=premultiplied)),
    Bug("timestamp", HARD, (), "", app(raw=timestamp)),
    Bug("turned_by_3_degrees", HARD, (), "", app(raw=lambda a: cv2.warpAffine(a, cv2.getRotationMatrix2D((a.shape[1] / 2, a.shape[0] / 2), 3, 1), a.shape[1::-1]))),
    Bug("vignette", HARD, (), "", app(grid=lambda g: clip(g * (1 - .3 * np.add.outer(np.linspace(-1, 1, g.shape[0]) ** 2, np.linspace(-1, 1, g.shape[1]) ** 2))[:, :, None]))),
]
