# SPDX-License-Identifier: Apache-2.0
"""Camera frames compared with OpenCV's cvtColor and the ITU-R formula in NumPy."""
import sys

import cv2
import numpy as np

from tool import Refused, Tool

LUMA = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722)}
OPENCV = {"nv12": cv2.COLOR_YUV2RGB_NV12, "nv21": cv2.COLOR_YUV2RGB_NV21, "i420": cv2.COLOR_YUV2RGB_I420,
          "yv12": cv2.COLOR_YUV2RGB_YV12}


def formula(y, u, v, matrix, value_range):
    """ITU-R BT.601 / BT.709 in double precision, before rounding."""
    red, blue = LUMA[matrix]
    green = 1 - red - blue
    light, cb, cr = y.astype(float), u.astype(float) - 128, v.astype(float) - 128
    if value_range == "limited":
        light, cb, cr = (light - 16) * 255 / 219, cb * 255 / 224, cr * 255 / 224
    r = light + 2 * (1 - red) * cr
    b = light + 2 * (1 - blue) * cb
    return np.stack([r, (light - red * r - blue * b) / green, b], axis=-1)


def as_pixels(real):
    return np.floor(np.clip(real, 0, 255) + 0.5).astype(np.uint8)


def planes(y, u, v, layout, stride=0, uv_stride=0, short=False):
    """The bytes of a frame; padding is 77."""
    def rows(plane, length):
        out = np.full((plane.shape[0], max(length, plane.shape[1])), 77, np.uint8)
        out[:, :plane.shape[1]] = plane
        return out.ravel()
    first, second = (u, v) if layout in ("nv12", "i420") else (v, u)
    if layout in ("nv12", "nv21"):
        pairs = np.stack([first, second], axis=-1).reshape(u.shape[0], -1)
        parts = [rows(y, stride), rows(pairs, uv_stride or stride)]
    else:
        length = uv_stride or (stride + 1) // 2
        parts = [rows(y, stride), rows(first, length), rows(second, length)]
    data = np.concatenate(parts)
    return data[:-((uv_stride or stride) - 2 * u.shape[1])] if short else data


def whole(y, u, v):
    """Chroma repeated over 2x2 pixels."""
    big = [np.repeat(np.repeat(c, 2, 0), 2, 1)[:y.shape[0], :y.shape[1]] for c in (u, v)]
    return y, *big


def every_value():
    """A frame of 4096 x 4096 with every combination of Y, U and V exactly once."""
    index = np.arange(4096 * 4096 // 4, dtype=np.uint32).reshape(2048, 2048)
    u, v, base = index & 255, index >> 8 & 255, index >> 16
    y = np.empty((4096, 4096), np.uint8)
    for k, (row, column) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
        y[row::2, column::2] = base * 4 + k
    return y, u.astype(np.uint8), v.astype(np.uint8)


def main():
    tool, failures = Tool(), []

    def check(name, got, wanted, limit=0):
        if got.shape != wanted.shape:
            failures.append(f"{name}: {got.shape} is not {wanted.shape}")
            return
        difference = np.abs(got.astype(np.int16) - wanted)
        print(f"{name:58} largest difference {difference.max()}, {np.mean(difference > 0):.2%} of the values differ")
        if difference.max() > limit:
            failures.append(f"{name}: differs by {difference.max()}, the limit is {limit}")

    def refused(name, word, **options):
        try:
            tool.frame(**options)
            failures.append(f"{name}: was read")
        except Refused as refusal:
            print(f"{name}: {refusal}")
            if not str(refusal).startswith(word):
                failures.append(f"{name}: expected {word}, got {refusal}")

    y, u, v = every_value()
    frame = planes(y, u, v, "nv12")
    theirs = cv2.cvtColor(frame.reshape(6144, 4096), OPENCV["nv12"])
    check("every Y, U, V: arithmetic=opencv, cvtColor", tool.frame(frame, "nv12", 4096, 4096, "decode(arithmetic=opencv)"), theirs)
    # cvtColor treats luma below 16 as 16; in the formula it darkens the colours.
    check("every Y, U, V: bt601 limited, cvtColor", tool.frame(frame, "nv12", 4096, 4096), theirs, 19)
    used = (y >= 16) & (y <= 235)
    check("  the same where Y is 16..235", tool.frame(frame, "nv12", 4096, 4096)[used], theirs[used], 1)

    big = whole(y, u, v)
    shift = [(np.maximum(big[0].astype(np.int32) - 16, 0) * 1192 + part) >> 10 for part in (
        1634 * (big[2].astype(np.int32) - 128), -833 * (big[2].astype(np.int32) - 128) - 400 * (big[1].astype(np.int32) - 128),
        2066 * (big[1].astype(np.int32) - 128))]
    check("every Y, U, V: arithmetic=shift10, NumPy", tool.frame(frame, "nv12", 4096, 4096, "decode(arithmetic=shift10)"),
          np.clip(np.stack(shift, -1), 0, 255).astype(np.uint8))
    del shift
    for matrix in LUMA:
        for value_range in ("limited", "full"):
            # Halves are hit exactly (bt601 full: 1.402, 1.772), and the last bit of a double decides.
            rows = slice(None, None, 5)
            got = tool.frame(frame, "nv12", 4096, 4096, matrix=matrix, value_range=value_range)[rows]
            check(f"{matrix} {value_range}, formula in NumPy", got, as_pixels(formula(*(p[rows] for p in big), matrix, value_range)), 1)
    del big, frame, theirs

    random = np.random.default_rng(3)
    for width, height in ((64, 48), (2, 2), (322, 46), (1, 1), (37, 21), (36, 21), (37, 20)):
        small = [random.integers(0, 256, (height, width), dtype=np.uint8)] + [
            random.integers(0, 256, ((height + 1) // 2, (width + 1) // 2), dtype=np.uint8) for _ in range(2)]
        wanted = as_pixels(formula(*whole(*small), "bt601", "limited"))
        for layout, code in OPENCV.items():
            if width % 2 == 0 and height % 2 == 0:
                data = planes(*small, layout)
                check(f"{width}x{height} {layout}, cvtColor", tool.frame(data, layout, width, height, "decode(arithmetic=opencv)"),
                      cv2.cvtColor(data.reshape(-1, width), code))
            for stride, uv_stride in ((0, 0), (width + 27, 0), (width + 64, width + 40)):
                data = planes(*small, layout, stride, uv_stride)
                check(f"{width}x{height} {layout} rows of {stride or width}, {uv_stride}",
                      tool.frame(data, layout, width, height, stride=stride, uv_stride=uv_stride), wanted)
    check("last row without its padding", tool.frame(planes(*small, "nv12", 64, 64, short=True), "nv12", width, height, stride=64),
          wanted)

    # Wrong interpretations: each compared with the same bytes as the step describes them.
    y, u, v = (random.integers(0, 256, shape, dtype=np.uint8) for shape in ((48, 64), (24, 32), (24, 32)))
    padded, tight = planes(y, u, v, "nv12", 80), 48 * 64
    other = {
        "decode(nv21)": formula(*whole(y, v, u), "bt601", "limited"),
        "decode(matrix=bt709)": formula(*whole(y, u, v), "bt709", "limited"),
        "decode(range=full)": formula(*whole(y, u, v), "bt601", "full"),
        "decode(nv21, matrix=bt709, range=full)": formula(*whole(y, v, u), "bt709", "full"),
        "decode(stride=ignored)": formula(*whole(padded[:tight].reshape(48, 64), padded[tight:tight + 1536:2].reshape(24, 32),
                                                 padded[tight + 1:tight + 1536:2].reshape(24, 32)), "bt601", "limited"),
        "decode(stride=ignored_in_planes)": formula(
            *whole(padded[:tight].reshape(48, 64), padded[3840:3840 + 1536:2].reshape(24, 32),
                   padded[3841:3840 + 1536:2].reshape(24, 32)), "bt601", "limited"),
        "decode(i420)": formula(*whole(y, padded[3840:4800].reshape(24, 40)[:, :32], padded[4800:5760].reshape(24, 40)[:, :32]),
                                "bt601", "limited"),
    }
    for step, real in other.items():
        check(step, tool.frame(padded, "nv12", 64, 48, step, stride=80), as_pixels(real))
    upright = as_pixels(formula(*whole(y, u, v), "bt601", "limited"))
    for rotation in (0, 90, 180, 270):
        for mirrored in (False, True):
            wanted = np.rot90(upright[:, ::-1] if mirrored else upright, -rotation // 90)
            check(f"decode(orientation=applied), rotation {rotation}{', mirrored' * mirrored}",
                  tool.frame(padded, "nv12", 64, 48, "decode(orientation=applied)", stride=80, rotation=rotation, mirrored=mirrored),
                  wanted)

    small = dict(layout="nv12", width=64, height=48)
    refused("one byte short", "corrupt", data=np.zeros(64 * 72 - 1), **small)
    refused("rows of 80 bytes, not said", "corrupt", data=padded, **small)
    refused("two frames", "corrupt", data=np.zeros(64 * 72 * 2), **small)
    refused("stride below the width", "usage", data=padded, stride=60, **small)
    refused("no pixels", "usage", data=padded, layout="nv12", width=0, height=48)
    refused("too large", "limit", data=padded, layout="nv12", width=200000, height=200000)
    refused("JPEG option", "usage", data=padded, stride=80, step="decode(scale=1/2)", **small)
    refused("OpenCV's arithmetic in full range", "usage", data=padded, stride=80, step="decode(range=full, arithmetic=opencv)", **small)
    tool.close()
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
