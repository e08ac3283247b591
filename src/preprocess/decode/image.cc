// SPDX-License-Identifier: Apache-2.0
#include "preprocess/decode/image.h"

#include <algorithm>
#include <cmath>

#include "preprocess/decode/codecs.h"

namespace edgeprobe::preprocess {

Result<Decoded> decode(ByteView file) { return decode_file(file, {}); }

Result<Decoded> decode_file(ByteView file, const Decode& how) {
  // The header is read first, so that no decoder is started on a size that is refused.
  auto header = read_header(file);
  if (!header) return std::move(header).error();
  if (auto fits = check_size(header->height, header->width); !fits) {
    return std::move(fits).error().during(header->format);
  }
  if (how.scale != 1 && header->format != "jpeg")
    return Error{Fault::kUsage,
                 header->format + ": only a JPEG is decoded at a part of its size (scale=)"};
  auto decoded = header->format == "jpeg"  ? decode_jpeg(file, how)
                 : header->format == "png" ? decode_png(file, how)
                                           : decode_bmp(file);
  if (!decoded) return std::move(decoded).error().during(header->format);
  decoded->format = header->format;
  return decoded;
}

Raster to_raster(const Image& image) {
  Raster raster{image.height, image.width, image.channels, {}};
  raster.values.assign(image.pixels.begin(), image.pixels.end());
  return raster;
}

Image to_image(const Raster& raster) {
  Image image{raster.height, raster.width, raster.channels, {}};
  image.pixels.resize(raster.values.size());
  for (std::size_t i = 0; i < raster.values.size(); ++i) {
    // Written so that a NaN becomes 0.
    const float value = raster.values[i];
    image.pixels[i] = value > 0.0f ? std::uint8_t(std::min(value + 0.5f, 255.0f)) : std::uint8_t{0};
  }
  return image;
}

}  // namespace edgeprobe::preprocess
