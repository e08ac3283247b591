// SPDX-License-Identifier: Apache-2.0
// Any bytes: no crash, and an image has exactly the size that its header gave; so has every other
// reading of it.
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "preprocess/decode/source.h"

using namespace edgeprobe;
using namespace edgeprobe::preprocess;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

// Corrects the checksums of a changed PNG's chunks, so that the decoder reads their contents.
void mend_png(std::uint8_t* data, std::size_t size) {
  if (size < 8 || std::memcmp(data, "\x89PNG\r\n\x1a\n", 8) != 0) return;
  const auto big_endian = [](std::uint32_t value) { return __builtin_bswap32(value); };
  for (std::size_t at = 8; size - at >= 12;) {
    std::uint32_t length;
    std::memcpy(&length, data + at, 4);
    length = big_endian(length);
    if (length > size - at - 12) return;
    const std::uint32_t checksum = big_endian(
        static_cast<std::uint32_t>(::crc32_z(0, data + at + 4, length + std::size_t{4})));
    std::memcpy(data + at + 8 + length, &checksum, 4);
    at += length + std::size_t{12};
  }
}

void check_readings(const Source& source, const Image& plain) {
  for (const Reading& reading : alternative_readings(source)) {
    const auto decoded = read(source, reading.how);
    if (!decoded) {
      if (decoded.error().what.empty()) std::abort();
      continue;
    }
    const Image& image = decoded->image;
    const int scale = reading.how.scale;
    const int height = (plain.height + scale - 1) / scale,
              width = (plain.width + scale - 1) / scale;
    const bool same = image.height == height && image.width == width;
    const bool turned = reading.how.oriented && image.height == width && image.width == height;
    if (!same && !turned) std::abort();
    if (image.channels != plain.channels) std::abort();
    if (image.pixels.size() != std::size_t(height) * width * image.channels) std::abort();
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, most);
  if (seed % 4) mend_png(data, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file(reinterpret_cast<const std::byte*>(data), size);
  const auto header = read_header(file);
  if (!header) {
    if (header.error().what.empty()) std::abort();
    if (!alternative_readings({file, {}}).empty()) std::abort();
    return 0;
  }
  // Larger pictures only cost time; another test covers their limit.
  if (std::int64_t(header->height) * header->width > 1 << 16) return 0;
  const auto decoded = decode(file);
  if (!decoded) {
    if (decoded.error().what.empty()) std::abort();
    for (const Reading& reading : alternative_readings({file, {}}))
      (void)read({file, {}}, reading.how).has_value();
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
