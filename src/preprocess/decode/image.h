// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "recipe/limits.h"

namespace edgeprobe::preprocess {

/// Decoded pixels: rows top to bottom, [height, width, channels], channels R,G,B (or one: gray).
struct Image {
  int height = 0, width = 0, channels = 3;
  std::vector<std::uint8_t> pixels;
};

/// An image of real values; 0..255 unless a step changed the range.
struct Raster {
  int height = 0, width = 0, channels = 3;
  std::vector<float> values;
};

struct Decoded {
  Image image;
  std::string format;        ///< "jpeg", "png", "bmp".
  int exif_orientation = 1;  ///< As recorded in the file (1..8); pixels are NOT rotated by it.
};

struct ImageHeader {
  std::string format;
  int height = 0, width = 0;
};

/// Largest image that is decoded: 100 megapixels (docs/reference/limits.md).
using recipe::kMostPixels;

/// Checks whether an image of this size may be decoded: kLimit states why not, kCorrupt if it is
/// empty.
Status check_size(std::int64_t height, std::int64_t width);

/// Format and size without decoding. kUnsupported names the format that the bytes resemble.
Result<ImageHeader> read_header(ByteView file);
/// Decodes JPEG (baseline, progressive), PNG (8/16-bit, palette, gray, alpha dropped) and BMP to
/// RGB or gray. A truncated or damaged file fails with kCorrupt; a partial image is never returned.
Result<Decoded> decode(ByteView file);
/// For a PNG whose palette is a list of classes: returns the palette index of each pixel, in one
/// channel. Other PNGs as in decode().
Result<Image> decode_png_numbers(ByteView file);
Result<Bytes> encode_png(const Image& image);

Raster to_raster(const Image& image);
/// Rounds half away from zero and saturates to 0..255.
Image to_image(const Raster& raster);

}  // namespace edgeprobe::preprocess
