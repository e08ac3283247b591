// Any bytes: no crash, and an image has exactly the size that its header gave; so has every other reading of it.
#include <cstdint>
#include <cstdlib>

#include "preprocess/source.h"

using namespace edgeprobe;
using namespace edgeprobe::preprocess;

namespace {

void check_readings(const Source& source, const Image& plain) {
  for (const Reading& reading : alternative_readings(source)) {
    const auto decoded = read(source, reading.how);
    if (!decoded) {
      if (decoded.error().what.empty()) std::abort();
      continue;
    }
    const Image& image = decoded->image;
    const int scale = reading.how.scale;
    const int height = (plain.height + scale - 1) / scale, width = (plain.width + scale - 1) / scale;
    const bool same = image.height == height && image.width == width;
    const bool turned = reading.how.oriented && image.height == width && image.width == height;
    if (!same && !turned) std::abort();
    if (image.channels != plain.channels) std::abort();
    if (image.pixels.size() != std::size_t(height) * width * image.channels) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file(reinterpret_cast<const std::byte*>(data), size);
  const auto header = read_header(file);
  if (!header) {
    if (header.error().what.empty()) std::abort();
    if (!alternative_readings({file, {}}).empty()) std::abort();
    return 0;
  }
  // Larger pictures only cost time; their limit has a test of its own.
  if (std::int64_t(header->height) * header->width > 1 << 16) return 0;
  const auto decoded = decode(file);
  if (!decoded) {
    if (decoded.error().what.empty()) std::abort();
    for (const Reading& reading : alternative_readings({file, {}})) (void)read({file, {}}, reading.how).has_value();
    return 0;
  }
  const Image& image = decoded->image;
  if (image.height != header->height || image.width != header->width) std::abort();
  if (image.channels != 1 && image.channels != 3) std::abort();
  if (image.pixels.size() != std::size_t(image.height) * image.width * image.channels) std::abort();
  if (decoded->exif_orientation < 1 || decoded->exif_orientation > 8) std::abort();
  check_readings({file, {}}, image);
  return 0;
}
