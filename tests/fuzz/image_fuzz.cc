// Any bytes: no crash, and an image has exactly the size that its header gave.
#include <cstdint>
#include <cstdlib>

#include "preprocess/image.h"

using namespace edgeprobe;
using namespace edgeprobe::preprocess;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file(reinterpret_cast<const std::byte*>(data), size);
  const auto header = read_header(file);
  if (!header) {
    if (header.error().what.empty()) std::abort();
    return 0;
  }
  // Larger pictures only cost time; their limit has a test of its own.
  if (std::int64_t(header->height) * header->width > 1 << 16) return 0;
  const auto decoded = decode(file);
  if (!decoded) {
    if (decoded.error().what.empty()) std::abort();
    return 0;
  }
  const Image& image = decoded->image;
  if (image.height != header->height || image.width != header->width) std::abort();
  if (image.pixels.size() != std::size_t(image.height) * image.width * image.channels) std::abort();
  if (decoded->exif_orientation < 1 || decoded->exif_orientation > 8) std::abort();
  return 0;
}
