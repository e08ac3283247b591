// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "preprocess/decode/codecs.h"

namespace edgeprobe::preprocess {
namespace {

constexpr std::string_view kExif{"Exif\0\0", 6};

bool is_frame_header(unsigned marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

Error cut_header(std::size_t offset) {
  return {ErrorKind::kCorrupt, "jpeg: the file ends at byte " + std::to_string(offset) +
                                   ", before the frame header (SOF) that gives the size"};
}

/// Passes each segment before the image data to `see` (marker, offset of its contents, length)
/// until that returns true. Success if it did; if not, the reason.
template <class See>
Status walk(ByteView file, See see) {
  std::size_t at = 2;
  for (;;) {
    // Any number of fill bytes 0xFF may precede a marker.
    while (at < file.size && std::to_integer<unsigned>(file.data[at]) != 0xFF) ++at;
    while (at < file.size && std::to_integer<unsigned>(file.data[at]) == 0xFF) ++at;
    if (at >= file.size) return cut_header(file.size);
    const unsigned marker = std::to_integer<unsigned>(file.data[at++]);
    if (marker == 0x00 || marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) continue;
    if (marker == 0xD9 || marker == 0xDA) {
      return Error{ErrorKind::kCorrupt, "jpeg: the image data begins at byte " +
                                            std::to_string(at) +
                                            " without a frame header (SOF) before it"};
    }
    if (at + 2 > file.size) return cut_header(file.size);
    const std::size_t length = big16(file, at);
    if (length < 2 || at + length > file.size) {
      return Error{ErrorKind::kCorrupt, "jpeg: the segment at byte " + std::to_string(at) +
                                            " claims " + std::to_string(length) + " bytes; " +
                                            std::to_string(file.size - at) + " are left"};
    }
    if (see(marker, at + 2, length - 2)) return {};
    at += length;
  }
}

}  // namespace

Result<JpegFacts> read_jpeg_facts(ByteView file) {
  JpegFacts facts;
  std::size_t short_at = 0;
  const auto walked = walk(file, [&](unsigned marker, std::size_t at, std::size_t length) {
    if (!is_frame_header(marker)) return false;
    if (length < 6) {
      short_at = at - 2;
      return true;
    }
    facts.header = {"jpeg", int(big16(file, at + 1)), int(big16(file, at + 3))};
    // The six bytes of the frame header are followed by three bytes for each component: id,
    // sampling factors, table.
    const auto byte = [&](std::size_t offset) {
      return std::to_integer<unsigned>(file.data[at + offset]);
    };
    const std::size_t components = std::min<std::size_t>(byte(5), (length - 6) / 3);
    for (std::size_t c = 1; c < components; ++c)
      facts.subsampled = facts.subsampled || byte(6 + 3 * c + 1) != byte(7);
    return true;
  });
  if (!walked) return walked.error();
  if (short_at)
    return Error{ErrorKind::kCorrupt,
                 "jpeg: the frame header at byte " + std::to_string(short_at) + " is too short"};
  return facts;
}

Result<ImageHeader> read_jpeg_header(ByteView file) {
  EP_TRY(auto facts, read_jpeg_facts(file));
  return std::move(facts.header);
}

int read_jpeg_orientation(ByteView file) {
  int orientation = 1;
  const auto walked = walk(file, [&](unsigned marker, std::size_t at, std::size_t length) {
    if (marker != 0xE1 || length < kExif.size() || file.text().substr(at, kExif.size()) != kExif)
      return false;
    orientation = exif_orientation(file.sub(at + kExif.size(), length - kExif.size()));
    return true;
  });
  return walked ? orientation : 1;
}

}  // namespace edgeprobe::preprocess
