"""Decoders against Pillow: equal pixels, and damaged files refused."""
import io
import os
import pathlib
import struct
import sys
import tempfile

import numpy as np
from PIL import Image, ImageDraw

from tool import Refused, Tool

SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA",
                                     pathlib.Path(__file__).resolve().parents[3] / "shared" / "data")) / "images"


def picture(width=131, height=97):
    """Something with edges, gradients and noise."""
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
    """name -> bytes of images that must decode like Pillow does."""
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
    yield "rgb.bmp", written(colour, "BMP")
    yield "rgba.bmp", written(Image.merge("RGBA", (*colour.split(), gray)), "BMP")
    yield "gray.bmp", written(gray, "BMP")
    yield "palette.bmp", written(colour.convert("P", palette=Image.Palette.ADAPTIVE), "BMP")
    yield "top_down.bmp", top_down(written(colour, "BMP"))
    for pattern in ("*.jpg", "*.bmp", "mnist/*.png"):
        for path in sorted(SHARED.glob(pattern)):
            yield f"shared_{path.name}", path.read_bytes()


def top_down(bmp):
    """The same bytes with a negative height: rows from the top."""
    height = struct.unpack_from("<i", bmp, 22)[0]
    return bmp[:22] + struct.pack("<i", -height) + bmp[26:]


def expected(data):
    """Pillow's pixels in our terms: alpha dropped, palettes expanded, 16 bits cut to the high byte."""
    image = Image.open(io.BytesIO(data))
    image.load()
    if image.mode.startswith("I"):
        return (np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8)[:, :, None]
    if image.mode in ("1", "LA", "L"):
        return np.asarray(image.convert("L") if image.mode != "LA" else image.split()[0])[:, :, None]
    if image.mode == "RGBA":
        return np.asarray(image)[:, :, :3]
    return np.asarray(image.convert("RGB"))


def damaged(good):
    """(name, bytes, word of the fault) of files that must be refused."""
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
    cmyk = written(picture().convert("CMYK"), "JPEG")
    yield "cmyk jpeg", cmyk, "unsupported"
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
