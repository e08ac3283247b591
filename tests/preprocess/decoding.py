# SPDX-License-Identifier: Apache-2.0
"""Decoders compared with Pillow: equal pixels, and damaged files are refused."""
import io
import os
import pathlib
import struct
import sys
import tempfile
import zlib

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageOps

from tool import Refused, Tool

SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA",
                                     pathlib.Path(__file__).resolve().parents[3] / "shared" / "data")) / "images"


def picture(width=131, height=97):
    """A picture with edges, gradients and noise."""
    random = np.random.default_rng(5)
    image = Image.fromarray(random.integers(0, 256, (height, width, 3), dtype=np.uint8)).resize((width, height))
    draw = ImageDraw.Draw(image)
    for i in range(0, width, 9):
        draw.ellipse((i, i // 2, i + 40, i // 2 + 30), fill=(i * 2 % 256, 255 - i % 256, 90))
    return image


def written(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def files():
    """name -> bytes of images that must decode as in Pillow."""
    colour, gray = picture(), picture().convert("L")
    random = np.random.default_rng(6)
    yield "baseline.jpg", written(colour, "JPEG", quality=85)
    for subsampling in (0, 1, 2):
        yield f"subsampling{subsampling}.jpg", written(colour, "JPEG", subsampling=subsampling)
        yield f"progressive{subsampling}.jpg", written(colour, "JPEG", subsampling=subsampling, progressive=True)
    yield "gray.jpg", written(gray, "JPEG")
    yield "one_pixel.jpg", written(colour.resize((1, 1)), "JPEG")
    yield "rgb.png", written(colour, "PNG")
    yield "rgba.png", written(Image.merge("RGBA", (*colour.split(), gray)), "PNG")
    yield "la.png", written(Image.merge("LA", (gray, gray.transpose(Image.Transpose.FLIP_LEFT_RIGHT))), "PNG")
    yield "gray.png", written(gray, "PNG")
    yield "one_bit.png", written(gray.convert("1"), "PNG")
    yield "palette.png", written(colour.convert("P", palette=Image.Palette.ADAPTIVE, colors=40), "PNG")
    yield "palette_transparent.png", written(colour.convert("P", palette=Image.Palette.ADAPTIVE), "PNG", transparency=3)
    yield "gray16.png", written(Image.fromarray(random.integers(0, 65536, (40, 30), dtype=np.uint16)), "PNG")
    cmyk = Image.merge("CMYK", (*colour.split(), gray))
    yield "cmyk.jpg", written(cmyk, "JPEG", quality=90)
    yield "cmyk_progressive.jpg", written(cmyk, "JPEG", quality=90, progressive=True)
    yield "ycck.jpg", as_ycck(written(cmyk, "JPEG", quality=90))
    yield "rgb_in_jpeg.jpg", written(colour, "JPEG", keep_rgb=True)
    yield from png_files()
    yield "rgb.bmp", written(colour, "BMP")
    yield "rgba.bmp", written(Image.merge("RGBA", (*colour.split(), gray)), "BMP")
    yield "gray.bmp", written(gray, "BMP")
    yield "palette.bmp", written(colour.convert("P", palette=Image.Palette.ADAPTIVE), "BMP")
    yield "top_down.bmp", top_down(written(colour, "BMP"))
    for pattern in ("*.jpg", "*.bmp", "mnist/*.png"):
        for path in sorted(SHARED.glob(pattern)):
            yield f"shared_{path.name}", path.read_bytes()


def as_ycck(jpeg):
    """The same bytes with Adobe's mark for YCCK: other colours, but still a valid file."""
    at = jpeg.index(b"Adobe")
    return jpeg[:at + 11] + b"\x02" + jpeg[at + 12:]


def png_files():
    """Kinds of PNG that Pillow does not write, from our own writer."""
    random = np.random.default_rng(7)
    for bits in (1, 2, 4, 8, 16):
        samples = random.integers(0, 2**bits, (13, 19, 1))
        yield f"gray_{bits}.png", made_png(samples, bits, 0)
        yield f"gray_{bits}_interlaced.png", made_png(samples, bits, 0, interlaced=True)
        key = struct.pack(">H", int(samples[3, 3, 0]))
        yield f"gray_{bits}_key.png", made_png(samples, bits, 0, chunks=[(b"tRNS", key)])
    for bits in (1, 2, 4, 8):
        colours = random.integers(0, 256, (2**bits, 3)).astype(np.uint8)
        chunks = [(b"PLTE", colours.tobytes()), (b"tRNS", random.integers(0, 256, 2**bits).astype(np.uint8).tobytes())]
        samples = random.integers(0, 2**bits, (13, 19, 1))
        yield f"palette_{bits}.png", made_png(samples, bits, 3, chunks=chunks[:1])
        yield f"palette_{bits}_transparent_interlaced.png", made_png(samples, bits, 3, interlaced=True, chunks=chunks)
    for bits in (8, 16):
        for kind, channels in ((2, 3), (4, 2), (6, 4)):
            samples = random.integers(0, 2**bits, (13, 19, channels))
            for interlaced in (False, True):
                yield f"type{kind}_{bits}{'_interlaced' * interlaced}.png", made_png(samples, bits, kind, interlaced)
    samples = random.integers(0, 256, (9, 9, 3))
    key = struct.pack(">HHH", *(int(v) for v in samples[2, 2]))
    yield "rgb_key.png", made_png(samples, 8, 2, chunks=[(b"tRNS", key)])
    yield "gamma.png", made_png(samples, 8, 2, chunks=[(b"gAMA", struct.pack(">I", 100000))])
    yield "srgb.png", made_png(samples, 8, 2, chunks=[(b"sRGB", b"\0")])


def made_png(samples, bits, kind, interlaced=False, chunks=()):
    """A PNG of samples [H, W, C]; filter 0 on every row."""
    def packed(part):
        rows = part.reshape(part.shape[0], -1)
        if bits == 16:
            body = [row.astype(">u2").tobytes() for row in rows]
        elif bits == 8:
            body = [row.astype(np.uint8).tobytes() for row in rows]
        else:
            digits = ["".join(format(int(v), f"0{bits}b") for v in row) for row in rows]
            body = [int(d.ljust(-(-len(d) // 8) * 8, "0"), 2).to_bytes(-(-len(d) // 8), "big") for d in digits]
        return b"".join(b"\0" + row for row in body)

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    passes = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))
    parts = [samples[y::dy, x::dx] for y, x, dy, dx in passes] if interlaced else [samples]
    height, width = samples.shape[:2]
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, interlaced)) +
            b"".join(chunk(*c) for c in chunks) +
            chunk(b"IDAT", zlib.compress(b"".join(packed(p) for p in parts if p.size))) + chunk(b"IEND", b""))


def top_down(bmp):
    """The same bytes with a negative height: rows from the top down."""
    height = struct.unpack_from("<i", bmp, 22)[0]
    return bmp[:22] + struct.pack("<i", -height) + bmp[26:]


def expected(data):
    """Pillow's pixels in our format: alpha dropped, palettes expanded, 16 bits reduced to the high byte."""
    image = Image.open(io.BytesIO(data))
    image.load()
    if image.mode.startswith("I"):
        return (np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8)[:, :, None]
    if image.mode in ("1", "LA", "L"):
        return np.asarray(image.convert("L") if image.mode != "LA" else image.split()[0])[:, :, None]
    if image.mode == "RGBA" and data[25] == 4:
        return np.asarray(image)[:, :, :1]  # Pillow expands 16-bit gray with alpha to three channels.
    if image.mode == "RGBA":
        return np.asarray(image)[:, :, :3]
    return np.asarray(image.convert("RGB"))


def as_bgr_by_opencv(data):
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)[:, :, ::-1]


def scaled(data, scale):
    """Pillow's draft mode: the decoder itself scales down."""
    image = Image.open(io.BytesIO(data))
    image.draft(image.mode, (image.width // scale, image.height // scale))
    return np.asarray(image)


def plainly_upsampled(data, shape):
    """Chroma planes at their own size, from a half-size decode in YCbCr, then repeated; then JFIF's formula."""
    def planes(scale):
        image = Image.open(io.BytesIO(data))
        image.draft("YCbCr", (image.width // scale, image.height // scale))
        image.load()
        return np.asarray(image).astype(float)
    light = planes(1)[:, :, 0]
    cb, cr = (np.repeat(np.repeat(planes(2)[:, :, c], 2, 0), 2, 1)[:shape[0], :shape[1]] - 128 for c in (1, 2))
    rgb = [light + 1.402 * cr, light - 0.344136286 * cb - 0.714136286 * cr, light + 1.772 * cb]
    return np.clip(np.round(np.stack(rgb, -1)), 0, 255).astype(np.uint8)


def blended(data, ground):
    """Pillow's paste onto one colour, with the alpha that Pillow reads."""
    image = Image.open(io.BytesIO(data)).convert("RGBA")
    under = Image.new("RGB", image.size, (ground,) * 3)
    under.paste(image, mask=image.getchannel("A"))
    return np.asarray(under)


def clipped(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))[:, :, :1]


def rounded(data):
    """16-bit samples read by OpenCV: v / 257, rounded to nearest."""
    samples = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    samples = samples[:, :, None] if samples.ndim == 2 else samples[:, :, 2::-1]
    return np.floor(samples / 257 + 0.5).astype(np.uint8)


def readings(good):
    """(name, file, step, expected pixels, largest allowed difference)."""
    for name in ("baseline.jpg", "progressive2.jpg", "subsampling0.jpg", "subsampling1.jpg", "gray.jpg"):
        for scale in (2, 4, 8):
            wanted = scaled(good[name], scale)
            yield name, good[name], f"decode(scale=1/{scale})", wanted if wanted.ndim == 3 else wanted[:, :, None], 0
    even = written(picture(128, 96), "JPEG", subsampling=2)
    yield "4:2:0", even, "decode(upsampling=plain)", plainly_upsampled(even, (96, 128)), 1
    yield "4:4:4", good["subsampling0.jpg"], "decode(upsampling=plain)", expected(good["subsampling0.jpg"]), 0
    for name in ("rgba.png", "type6_8.png", "type6_8_interlaced.png", "palette_transparent.png", "palette_4_transparent_interlaced.png",
                 "rgb_key.png", "rgb.png"):
        for word, ground in (("black", 0), ("white", 255)):
            yield name, good[name], f"decode(alpha={word})", blended(good[name], ground), 1
    for word, ground in (("black", 0), ("white", 255)):
        yield "la.png", good["la.png"], f"decode(alpha={word})", blended(good["la.png"], ground)[:, :, :1], 1
    for name in ("gray_16.png", "type2_16.png", "type2_16_interlaced.png", "type6_16.png"):
        yield name, good[name], "decode(depth=rounded)", rounded(good[name]), 0
    for name in ("gray_16.png", "gray_16_interlaced.png", "gray_16_key.png"):
        yield name, good[name], "decode(depth=clipped)", clipped(good[name]), 0
    yield "type2_16.png", good["type2_16.png"], "decode(depth=clipped)", expected(good["type2_16.png"]), 0
    yield "cmyk.jpg, OpenCV", good["cmyk.jpg"], "decode", as_bgr_by_opencv(good["cmyk.jpg"]), 2
    for orientation in range(1, 9):
        for kind in ("JPEG", "PNG"):
            data = written(picture(), kind, exif=exif(orientation))
            turned = np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data))))
            yield f"orientation {orientation} of {kind}", data, "decode(orientation=applied)", turned, 0
            if kind == "JPEG":
                yield f"orientation {orientation}, OpenCV", data, "decode(orientation=applied)", as_bgr_by_opencv(data), 0


def refused_readings(good):
    yield "baseline.jpg", "decode(nv21)"
    yield "baseline.jpg", "decode(matrix=bt709)"
    yield "rgb.png", "decode(scale=1/2)"


def damaged(good):
    """(name, bytes, a word of the error) for files that must be refused."""
    jpeg, progressive, png, bmp = good["baseline.jpg"], good["progressive2.jpg"], good["rgb.png"], good["rgb.bmp"]
    for name, data in (("jpeg", jpeg), ("progressive", progressive), ("png", png), ("bmp", bmp)):
        for share in (0.02, 0.3, 0.6, 0.95, 0.999):
            yield f"{name} cut to {share:.1%}", data[:int(len(data) * share)], "corrupt"
    yield "empty file", b"", "corrupt"
    yield "gif", b"GIF89a" + bytes(40), "unsupported"
    yield "lfs pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "unsupported"
    huge = bytearray(png)
    struct.pack_into(">II", huge, 16, 65535, 65535)
    yield "png of 65535 x 65535", bytes(huge), "limit"
    struct.pack_into(">II", huge, 16, 0, 10)
    yield "png of no width", bytes(huge), "corrupt"
    flipped = bytearray(png)
    flipped[len(png) // 2] ^= 0x10
    yield "png with a flipped bit", bytes(flipped), "corrupt"
    twelve_bits, lossless = bytearray(jpeg), bytearray(jpeg)
    frame = jpeg.index(b"\xff\xc0")
    twelve_bits[frame + 4] = 12
    yield "jpeg of 12 bits", bytes(twelve_bits), "unsupported"
    lossless[frame + 1] = 0xC3
    yield "lossless jpeg", bytes(lossless), "unsupported"
    bad = bytearray(bmp)
    struct.pack_into("<i", bad, 18, 2**31 - 1)
    yield "bmp of 2^31 - 1 columns", bytes(bad), "limit"
    bad = bytearray(bmp)
    struct.pack_into("<I", bad, 10, 2**32 - 1)
    yield "bmp whose pixels lie past the end", bytes(bad), "corrupt"
    for path in sorted((SHARED / "invalid").glob("*")):
        yield f"shared {path.name}", path.read_bytes(), "corrupt"


def exif(orientation):
    values = Image.Exif()
    values[0x0112] = orientation
    return values


def main():
    if not SHARED.exists():
        print("skipping the photographs: no EDGEPROBE_SHARED_DATA")
    tool, failures, good = Tool(), [], {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "image"

        def decode(data):
            path.write_bytes(data)
            return tool.decoded(path)

        def check(name, fine, what):
            if not fine:
                failures.append(f"{name}: {what}")

        for name, data in files():
            good[name] = data
            try:
                pixels = decode(data)[0]
                wanted = expected(data)
                check(name, pixels.shape == wanted.shape, f"{pixels.shape} is not {wanted.shape}")
                check(name, pixels.shape != wanted.shape or np.array_equal(pixels, wanted), "other pixels than Pillow")
            except Refused as refusal:
                failures.append(f"{name}: {refusal}")
        for orientation in range(1, 9):
            for kind in ("JPEG", "PNG"):
                read = decode(written(picture(), kind, exif=exif(orientation)))[2]
                check(f"orientation {orientation} of {kind}", read == orientation, f"read as {read}")
        for name, data, step, wanted, limit in readings(good):
            path.write_bytes(data)
            pixels, left = tool.read(path, step)
            difference = np.abs(pixels.astype(int) - wanted).max() if pixels.shape == wanted.shape else pixels.shape
            print(f"{name:34} {step:30} largest difference {difference}")
            check(f"{name} {step}", pixels.shape == wanted.shape and difference <= limit and left == 1, f"{difference}, {wanted.shape}")
        path.write_bytes(good["baseline.jpg"])
        fast = tool.read(path, "decode(dct=fast)")[0].astype(int) - expected(good["baseline.jpg"])
        check("dct=fast", 0.2 < np.sqrt(np.mean(fast ** 2)) < 2.5, f"RMS {np.sqrt(np.mean(fast ** 2))} from the exact transform")
        for name, step in refused_readings(good):
            path.write_bytes(good[name])
            try:
                tool.read(path, step)
                failures.append(f"{name} {step}: was decoded")
            except Refused as refusal:
                check(f"{name} {step}", str(refusal).startswith("usage"), str(refusal))
        count = 0
        for name, data, word in damaged(good):
            count += 1
            try:
                decode(data)
                failures.append(f"{name}: was decoded")
            except Refused as refusal:
                check(name, str(refusal).startswith(word), f"expected {word}, got {refusal}")
                print(f"{name:40} {refusal}")
    tool.close()
    print(f"{len(good)} images equal to Pillow's, {count} damaged ones refused")
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
