// SPDX-License-Identifier: Apache-2.0
#include "preprocess/decode/image.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::preprocess {

Status check_size(std::int64_t height, std::int64_t width) {
  if (height <= 0 || width <= 0) {
    return Error{ErrorKind::kCorrupt, "the header gives a size of " + std::to_string(height) + "x" +
                                          std::to_string(width) + " pixels (height x width)"};
  }
  // Neither side passes 2^32 in any of the formats, so the product cannot overflow.
  if (height * width > kMostPixels) {
    return Error{ErrorKind::kLimit, "the header gives " + std::to_string(height) + "x" +
                                        std::to_string(width) + " pixels; at most " +
                                        std::to_string(kMostPixels / 1'000'000) +
                                        " megapixels are decoded"};
  }
  return {};
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
