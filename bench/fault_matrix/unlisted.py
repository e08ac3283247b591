# SPDX-License-Identifier: Apache-2.0
"""Faults that are not in faults.tsv, made by NumPy, Pillow and OpenCV: further mistakes of apps, and effects of cameras."""
import dataclasses
import io

import cv2
import numpy as np
from PIL import Image, ImageEnhance

from pictures import IMAGENET


@dataclasses.dataclass(frozen=True)
class Unlisted:
    """`where`: "picture" (decoded, uint8), "grid" (resized, 0..255), "app" (a change of the App) or "others" (gets the other pictures).
    `true`: kinds that name it truly, by other words or in part; anything else but `unknown` is wrong."""
    name: str
    where: str
    true: tuple
    does: object
    what: str


def _clip(a):
    return np.clip(np.rint(a), 0, 255)


def _jpeg(a, rng, quality):
    out = io.BytesIO()
    Image.fromarray(a).save(out, "JPEG", quality=quality)
    return np.asarray(Image.open(out).convert("RGB"))


def _shift(a, dy, dx):
    """Moved down and right; the border repeats."""
    h, w = a.shape[:2]
    return a[np.clip(np.arange(h) - dy, 0, h - 1)][:, np.clip(np.arange(w) - dx, 0, w - 1)]


def _bt709_for_601(g, rng):
    encode = np.array([[.299, .587, .114], [-.168736, -.331264, .5], [.5, -.418688, -.081312]])
    decode = np.array([[1, 0, 1.5748], [1, -.187324, -.468124], [1, 1.8556, 0]])
    return _clip(_clip(g @ encode.T + [0, 128, 128]) @ decode.T - [128 * 1.5748, -128 * .655448, 128 * 1.8556])


def _chroma_420(a, rng):
    yuv = cv2.cvtColor(a[:a.shape[0] // 2 * 2, :a.shape[1] // 2 * 2], cv2.COLOR_RGB2YUV_I420)
    out = a.copy()
    out[:a.shape[0] // 2 * 2, :a.shape[1] // 2 * 2] = cv2.cvtColor(yuv, cv2.COLOR_YUV2RGB_I420)
    return out


def _vignette(g, rng):
    h, w = g.shape[:2]
    y, x = np.mgrid[-1:1:h * 1j, -1:1:w * 1j]
    return _clip(g * (1 - .35 * (x * x + y * y))[:, :, None])


def _premultiplied(a, rng):
    """An alpha that falls from the left to the right."""
    alpha = np.linspace(1, rng.uniform(.2, .5), a.shape[1])[None, :, None]
    return (a * alpha).astype(np.uint8)


def _skewed(a, rng):
    """Rows of width w read with a stride of w + 4."""
    h, w = a.shape[:2]
    flat = np.concatenate([a.reshape(-1, 3), np.zeros((4 * h, 3), np.uint8)])
    return np.stack([flat[r * (w + 4):r * (w + 4) + w] if (r + 1) * (w + 4) <= len(flat) else np.zeros((w, 3), np.uint8) for r in range(h)])


def _turned_a_little(a, rng):
    h, w = a.shape[:2]
    m = cv2.getRotationMatrix2D((w / 2, h / 2), rng.choice((-4, 3, 5)), 1)
    return cv2.warpAffine(a, m, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def _barrel(a, rng):
    h, w = a.shape[:2]
    y, x = np.mgrid[-1:1:h * 1j, -1:1:w * 1j].astype(np.float32)
    k = 1 + .12 * (x * x + y * y)
    return cv2.remap(a, ((x * k + 1) * (w - 1) / 2).astype(np.float32), ((y * k + 1) * (h - 1) / 2).astype(np.float32), cv2.INTER_LINEAR,
                     borderMode=cv2.BORDER_REPLICATE)


def _cropped_and_padded(a, rng):
    """A tenth of the rows lost at the top, black at the bottom."""
    lost = a.shape[0] // 10
    return np.concatenate([a[lost:], np.zeros_like(a[:lost])])


def _smaller(a, rng):
    h, w = a.shape[:2]
    m = min(h, w) / 120
    return cv2.resize(a, (max(1, round(w / m)), max(1, round(h / m))), interpolation=cv2.INTER_AREA)


def _torn(others, raw, rng):
    """The lower part still contains the previous picture."""
    before = cv2.resize(others[0], raw.shape[1::-1])
    out, line = raw.copy(), raw.shape[0] * 3 // 5
    out[line:] = before[line:]
    return out


def _equalised(a, rng):
    yuv = cv2.cvtColor(a, cv2.COLOR_RGB2YCrCb)
    yuv[:, :, 0] = cv2.equalizeHist(yuv[:, :, 0])
    return cv2.cvtColor(yuv, cv2.COLOR_YCrCb2RGB)


def _mixed_means(app, rng):
    """Mean of red where blue's belongs, deviations in place; or means and deviations exchanged."""
    mean, std = IMAGENET
    if app.quant != "float":
        mean, std = np.array([104.0, 117.0, 124.0]), np.array([127.5, 118.0, 135.0])
    elif rng.random() < .3:
        mean, std = std, mean
    else:
        mean = mean[[[2, 0, 1], [1, 0, 2], [1, 2, 0]][rng.randrange(3)]]
    return dataclasses.replace(app, range="lines:%s:%s" % (",".join("%.9g" % v for v in 1 / std), ",".join("%.9g" % v for v in -mean / std)))


def _zeroed(g, rng):
    g = g.copy()
    g[:, :, rng.randrange(3)] = 0
    return g


def _noise(g, rng):
    return _clip(g + np.random.default_rng(rng.randrange(1 << 30)).normal(0, 4, g.shape))


def _posterised(g, rng):
    r, gr, b = (np.floor(g[:, :, k].clip(0, 255) / q) * q for k, q in ((0, 8), (1, 4), (2, 8)))
    return np.stack([r, gr, b], 2)


def _s_curve(g, rng):
    x = g.clip(0, 255) / 255
    return _clip(255 * (x * x * (3 - 2 * x)))


def _on_gray(g, rng, factor):
    luma = g @ np.array([.299, .587, .114])
    return _clip(luma[:, :, None] + factor * (g - luma[:, :, None]))


def _solarised(g, rng):
    return np.where(g > 160, 255 - g, g)


FAULTS = [
    Unlisted("gamma_1.3", "grid", ("tone",), lambda g, r: _clip(255 * (g.clip(0, 255) / 255) ** 1.3), "x^1.3"),
    Unlisted("gamma_0.8", "grid", ("tone",), lambda g, r: _clip(255 * (g.clip(0, 255) / 255) ** 0.8), "x^0.8"),
    Unlisted("s_curve", "grid", ("tone", "value_table"), _s_curve, "a camera's contrast curve"),
    Unlisted("solarised", "grid", ("value_table",), _solarised, "levels above 160 turned over"),
    Unlisted("equalised", "picture", (), _equalised, "luma histogram equalised"),
    Unlisted("bt709_for_601", "grid", ("color_conversion",), _bt709_for_601, "BT.601 encoded, BT.709 decoded"),
    Unlisted("chroma_420", "picture", ("color_conversion",), _chroma_420, "through I420 and back"),
    Unlisted("saturation_1.3", "grid", (), lambda g, r: _on_gray(g, r, 1.3), "colours 1.3 times as strong"),
    Unlisted("white_balance", "grid", ("value_range", "value_table"), lambda g, r: _clip(g * [1.12, 1, .8]), "gains of the channels"),
    Unlisted("mixed_means", "app", ("value_range",), _mixed_means, "means and deviations of the channels mixed up"),
    Unlisted("channel_zeroed", "grid", ("incomplete_input",), _zeroed, "one channel 0"),
    Unlisted("brightness_20", "grid", ("value_range", "value_table"), lambda g, r: _clip(g + 20), "x + 20, clipped"),
    Unlisted("contrast_1.2", "grid", ("value_range", "value_table"), lambda g, r: _clip(1.2 * (g - 128) + 128), "1.2 (x - 128) + 128, clipped"),
    Unlisted("inverted", "grid", ("value_range",), lambda g, r: 255 - g, "255 - x"),
    Unlisted("posterised_565", "grid", ("value_table", "tone"), _posterised, "5, 6 and 5 bits"),
    Unlisted("signed_bytes", "grid", ("value_table",), lambda g, r: np.where(np.rint(g) > 127, g - 256, g), "bytes above 127 taken for negative numbers"),
    Unlisted("wrapped_less", "grid", ("value_table",), lambda g, r: (np.rint(g) - 100) % 256, "x - 100 in 8 bits"),
    Unlisted("wrapped_more", "grid", ("value_table",), lambda g, r: (np.rint(g) + 40) % 256, "x + 40 in 8 bits"),
    Unlisted("threshold", "grid", ("value_table",), lambda g, r: np.where(g > 100, 255.0, 0.0), "black and white"),
    Unlisted("bits_dropped", "grid", ("value_table",), lambda g, r: np.floor(np.rint(g) / 8) * 8, "5 bits of 8"),
    Unlisted("interlaced", "grid", ("layout",), lambda g, r: np.concatenate([g[0::2], g[1::2]]), "rows field by field"),
    Unlisted("value_late", "grid", ("layout",), lambda g, r: np.roll(g.ravel(), 1).reshape(g.shape), "one value too late"),
    Unlisted("rows_apart", "grid", ("layout",), lambda g, r: np.concatenate([g, np.zeros_like(g[:, :4])], 1).ravel()[:g.size].reshape(g.shape), "four pixels of padding behind each row"),
    Unlisted("shift_1", "grid", ("crop", "layout"), lambda g, r: _shift(g, *r.choice(((1, 0), (0, 1), (1, 1), (-1, 0), (0, -1)))), "one pixel of the input"),
    Unlisted("shift_1_picture", "picture", ("crop",), lambda a, r: _shift(a, *r.choice(((1, 0), (0, 1), (1, 1), (-1, 0), (0, -1)))), "one pixel of the picture"),
    Unlisted("roll_row", "grid", ("crop", "layout"), lambda g, r: np.roll(g, 1, 0), "rows begin one too late, the last comes first"),
    Unlisted("crop_and_pad", "picture", ("crop",), _cropped_and_padded, "a tenth lost at the top, black below"),
    Unlisted("rot90_then_flip", "picture", ("orientation",), lambda a, r: np.ascontiguousarray(np.rot90(a, -1)[:, ::-1]), "90 degrees, then mirrored"),
    Unlisted("rotated_3_degrees", "picture", (), _turned_a_little, "3 to 5 degrees"),
    Unlisted("barrel", "picture", (), _barrel, "a lens"),
    Unlisted("skewed_stride", "picture", ("layout",), _skewed, "rows read with a stride 4 pixels too long"),
    Unlisted("jpeg_10", "picture", (), lambda a, r: _jpeg(a, r, 10), "JPEG of quality 10"),
    Unlisted("jpeg_50", "picture", (), lambda a, r: _jpeg(a, r, 50), "JPEG of quality 50"),
    Unlisted("noise_4", "grid", (), _noise, "deviation 4"),
    Unlisted("sharpened", "grid", (), lambda g, r: _clip(cv2.filter2D(g, -1, np.array([[0, -.5, 0], [-.5, 3, -.5], [0, -.5, 0]]))), "an unsharp mask"),
    Unlisted("blur_3", "grid", (), lambda g, r: _clip(cv2.blur(g, (3, 3))), "mean of 3 x 3 of the input"),
    Unlisted("blur_3_picture", "picture", (), lambda a, r: cv2.GaussianBlur(a, (3, 3), 0), "binomial 3 x 3 of the picture"),
    Unlisted("resized_twice", "picture", ("resize",), _smaller, "first to 120 of the shorter side"),
    Unlisted("squeezed_first", "picture", ("resize", "crop"), lambda a, r: cv2.resize(a, (160, 120), interpolation=cv2.INTER_AREA), "first to 160 x 120"),
    Unlisted("vignette", "grid", (), _vignette, "darker corners"),
    Unlisted("premultiplied", "picture", (), _premultiplied, "an alpha multiplied in"),
    Unlisted("frame_before", "others", ("other_frame",), lambda others, raw, r: cv2.resize(others[0], raw.shape[1::-1]), "another picture"),
    Unlisted("torn", "others", ("other_frame",), _torn, "the lower part is another picture's"),
]
