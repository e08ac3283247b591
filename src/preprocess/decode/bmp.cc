// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>

#include "preprocess/decode/codecs.h"

namespace edgeprobe::preprocess {
namespace {

constexpr std::size_t kFileHeader = 14;
constexpr std::uint32_t kUncompressed = 0, kBitFields = 3, kAlphaBitFields = 6;

struct BmpHeader {
  std::int64_t height = 0, width = 0;
  bool top_down = false;
  std::uint32_t bits = 0, compression = 0, colours = 0;
  std::size_t pixels_at = 0, palette_at = 0, palette_entry = 4;
  /// Byte of a 32-bit pixel that holds red, green, blue.
  std::array<unsigned, 3> place{2, 1, 0};
};

Error corrupt(std::string what) { return {ErrorKind::kCorrupt, std::move(what)}; }
Error unsupported(std::string what) { return {ErrorKind::kUnsupported, std::move(what)}; }

/// Parses the size and pixel format; sizes are not checked yet.
Result<BmpHeader> parse(ByteView file) {
  if (file.size < kFileHeader + 12) return corrupt("the file ends within the BMP header");
  BmpHeader header;
  header.pixels_at = little32(file, 10);
  const std::uint32_t info_size = little32(file, kFileHeader);
  header.palette_at = kFileHeader + std::size_t(info_size);
  if (info_size == 12) {
    header.width = little16(file, 18);
    header.height = little16(file, 20);
    header.bits = little16(file, 24);
    header.palette_entry = 3;
    return header;
  }
  if (info_size < 40 || info_size > 1024) {
    return corrupt("the BMP info header at byte 14 claims " + std::to_string(info_size) +
                   " bytes; 12 or 40..124 are known");
  }
  if (file.size < header.palette_at) return corrupt("the file ends within the BMP info header");
  header.width = std::int32_t(little32(file, 18));
  header.height = std::int32_t(little32(file, 22));
  header.top_down = header.height < 0;
  if (header.top_down) header.height = -header.height;
  header.bits = little16(file, 28);
  header.compression = little32(file, 30);
  header.colours = little32(file, 46);
  return header;
}

/// Each mask must be a whole byte; it gives the byte of a channel.
Status read_masks(ByteView file, BmpHeader& header) {
  // Directly after the first 40 bytes of the info header, in every version.
  constexpr std::size_t kMasksAt = kFileHeader + 40;
  if (file.size < kMasksAt + 12) return corrupt("the file ends within the BMP colour masks");
  for (std::size_t c = 0; c < 3; ++c) {
    const std::uint32_t mask = little32(file, kMasksAt + 4 * c);
    const int shift = std::countr_zero(mask);
    if (mask == 0 || shift % 8 != 0 || mask >> shift != 0xFFu) {
      return unsupported("a BMP colour mask that is not one whole byte");
    }
    header.place[c] = unsigned(shift / 8);
  }
  return {};
}

std::size_t row_stride(const BmpHeader& header) {
  return (std::size_t(header.width) * header.bits + 31) / 32 * 4;
}

Status check(ByteView file, BmpHeader& header) {
  const bool masked = header.compression == kBitFields || header.compression == kAlphaBitFields;
  if (header.bits != 8 && header.bits != 24 && header.bits != 32) {
    return unsupported(std::to_string(header.bits) + " bits a pixel; 8, 24 and 32 are decoded");
  }
  if (header.compression != kUncompressed && !(masked && header.bits == 32)) {
    return unsupported("BMP compression " + std::to_string(header.compression) +
                       " (run-length or embedded); only uncompressed pixels are decoded");
  }
  if (masked) {
    EP_CHECK(read_masks(file, header));
  }
  const std::size_t need = row_stride(header) * std::size_t(header.height);
  if (header.pixels_at < kFileHeader || header.pixels_at > file.size ||
      need > file.size - header.pixels_at) {
    return corrupt("the pixels need " + std::to_string(need) + " bytes from byte " +
                   std::to_string(header.pixels_at) + "; the file has " +
                   std::to_string(file.size));
  }
  return {};
}

std::uint8_t byte_at(ByteView file, std::size_t offset) {
  return std::to_integer<std::uint8_t>(file.data[offset]);
}

using Colour = std::array<std::uint8_t, 3>;

Result<std::vector<Colour>> read_palette(ByteView file, const BmpHeader& header) {
  const std::size_t entries = header.colours == 0 ? 256 : header.colours;
  if (entries > 256) return corrupt("a palette of " + std::to_string(entries) + " colours");
  if (header.palette_at + entries * header.palette_entry > header.pixels_at) {
    return corrupt("the palette of " + std::to_string(entries) +
                   " colours reaches into the pixels");
  }
  std::vector<Colour> palette(entries);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = header.palette_at + i * header.palette_entry;
    palette[i] = {byte_at(file, at + 2), byte_at(file, at + 1), byte_at(file, at)};
  }
  return palette;
}

bool is_gray_ramp(const std::vector<Colour>& palette) {
  for (std::size_t i = 0; i < palette.size(); ++i) {
    const auto gray = std::uint8_t(i);
    if (palette[i] != Colour{gray, gray, gray}) return false;
  }
  return true;
}

std::size_t row_offset(const BmpHeader& header, std::int64_t y) {
  const std::int64_t stored = header.top_down ? y : header.height - 1 - y;
  return header.pixels_at + std::size_t(stored) * row_stride(header);
}

Status decode_palette(ByteView file, const BmpHeader& header, Image& image) {
  EP_TRY(auto palette, read_palette(file, header));
  const bool gray = is_gray_ramp(palette);
  image.channels = gray ? 1 : 3;
  image.pixels.resize(std::size_t(image.height) * image.width * image.channels);
  std::uint8_t* out = image.pixels.data();
  for (int y = 0; y < image.height; ++y) {
    const std::size_t row = row_offset(header, y);
    for (int x = 0; x < image.width; ++x) {
      const std::uint8_t index = byte_at(file, row + x);
      if (index >= palette.size()) {
        return corrupt("pixel " + std::to_string(y) + "," + std::to_string(x) + " has colour " +
                       std::to_string(index) + " of a palette of " +
                       std::to_string(palette.size()));
      }
      for (int c = 0; c < image.channels; ++c) *out++ = palette[index][c];
    }
  }
  return {};
}

void decode_colour(ByteView file, const BmpHeader& header, Image& image) {
  image.channels = 3;
  image.pixels.resize(std::size_t(image.height) * image.width * 3);
  const std::size_t step = header.bits / 8;
  std::uint8_t* out = image.pixels.data();
  for (int y = 0; y < image.height; ++y) {
    std::size_t at = row_offset(header, y);
    for (int x = 0; x < image.width; ++x, at += step) {
      for (unsigned place : header.place) *out++ = byte_at(file, at + place);
    }
  }
}

}  // namespace

Result<ImageHeader> read_bmp_header(ByteView file) {
  auto header = parse(file);
  if (!header) return std::move(header).error().during("bmp");
  if (header->width < 0 || header->height > 0x7fffffff) return corrupt("bmp: a negative size");
  return ImageHeader{"bmp", int(header->height), int(header->width)};
}

Result<Decoded> decode_bmp(ByteView file) {
  EP_TRY(auto header, parse(file));
  EP_CHECK(check(file, header));
  Decoded decoded;
  decoded.image.height = int(header.height);
  decoded.image.width = int(header.width);
  if (header.bits == 8) {
    EP_CHECK(decode_palette(file, header, decoded.image));
  } else {
    decode_colour(file, header, decoded.image);
  }
  return decoded;
}

}  // namespace edgeprobe::preprocess
