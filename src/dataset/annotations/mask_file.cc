// SPDX-License-Identifier: Apache-2.0
#include "dataset/annotations/readers.h"

#include <utility>

#include "core/file.h"
#include "core/text.h"
#include "preprocess/decode/image.h"

namespace edgeprobe::dataset {
namespace {

constexpr std::size_t kMostMaskBytes = std::size_t{64} << 20;

Result<preprocess::Image> pixels_of(ByteView bytes) {
  EP_TRY(const auto header, preprocess::read_header(bytes));
  if (header.format == "png") return preprocess::decode_png_numbers(bytes);
  if (header.format == "jpeg")
    return Error{ErrorKind::kUnsupported, "a JPEG changes the classes of pixels; save it as PNG"};
  EP_TRY(auto decoded, preprocess::decode(bytes));
  return std::move(decoded.image);
}

}  // namespace

Result<task::TrueMask> read_mask(const std::filesystem::path& file) {
  const std::string title = "mask '" + sanitized(file.string()) + "'";
  const auto bytes = read_file(file, kMostMaskBytes);
  if (!bytes) return Error(bytes.error()).during(title);
  auto image = pixels_of(*bytes);
  if (!image) return std::move(image.error()).during(title);
  auto classes = std::make_shared<std::vector<std::uint8_t>>();
  const auto channels = static_cast<std::size_t>(image->channels);
  classes->reserve(image->pixels.size() / channels);
  for (std::size_t i = 0; i < image->pixels.size(); i += channels) {
    for (std::size_t c = 1; c < channels; ++c)
      if (image->pixels[i + c] != image->pixels[i])
        return Error{ErrorKind::kUnsupported,
                     title +
                         " has colours; save the number of each pixel's class as a gray PNG, or as "
                         "one with a palette"};
    classes->push_back(image->pixels[i]);
  }
  return task::TrueMask{static_cast<std::uint32_t>(image->height),
                        static_cast<std::uint32_t>(image->width), std::move(classes)};
}

}  // namespace edgeprobe::dataset
