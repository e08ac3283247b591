// SPDX-License-Identifier: Apache-2.0
#include "preprocess/decode/codecs.h"

namespace edgeprobe::preprocess {

int exif_orientation(ByteView tiff) {
  constexpr std::uint32_t kOrientationTag = 0x0112, kShort = 3;
  constexpr std::size_t kEntrySize = 12;
  if (tiff.size < 8) return 1;
  const bool big = tiff.text().substr(0, 2) == "MM";
  if (!big && tiff.text().substr(0, 2) != "II") return 1;
  const auto read16 = big ? big16 : little16;
  const auto read32 = big ? big32 : little32;
  const std::size_t directory = read32(tiff, 4);
  if (directory > tiff.size - 2) return 1;
  const std::size_t entries = read16(tiff, directory);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntrySize;
    if (entry + kEntrySize > tiff.size) return 1;
    if (read16(tiff, entry) != kOrientationTag) continue;
    const std::uint32_t value = read16(tiff, entry + 8);
    return read16(tiff, entry + 2) == kShort && value >= 1 && value <= 8 ? int(value) : 1;
  }
  return 1;
}

}  // namespace edgeprobe::preprocess
