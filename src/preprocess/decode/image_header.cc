// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>

#include "core/text.h"
#include "preprocess/decode/codecs.h"

namespace edgeprobe::preprocess {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view bytes;
  std::string_view what;
};

// Formats that users pass by mistake; a message that names the format spares them a hex editor.
constexpr std::array kOthers{
    Magic{"GIF8"sv, "a GIF"},
    Magic{"II*\0"sv, "a TIFF"},
    Magic{"MM\0*"sv, "a TIFF"},
    Magic{"%PDF"sv, "a PDF"},
    Magic{"PK\x03\x04"sv, "a ZIP archive"},
    Magic{"\x1f\x8b"sv, "a gzip file"},
    Magic{"\x00\x00\x00\x0cjP"sv, "a JPEG 2000"},
    Magic{"\xff\x4f\xff\x51"sv, "a JPEG 2000"},
    Magic{"\x89MCAP"sv, "an MCAP trace"},
    Magic{"\x93NUMPY"sv, "a NumPy array"},
    Magic{"version https://git-lfs"sv, "a Git LFS pointer (run `git lfs pull`)"},
    Magic{"P5"sv, "a PGM"},
    Magic{"P6"sv, "a PPM"},
    Magic{"<"sv, "XML or HTML text"},
    Magic{"{"sv, "JSON text"},
};

std::string looks_like(std::string_view text) {
  for (const Magic& other : kOthers) {
    if (text.substr(0, other.bytes.size()) == other.bytes) return std::string(other.what);
  }
  if (text.size() >= 12 && text.substr(0, 4) == "RIFF" && text.substr(8, 4) == "WEBP")
    return "a WebP";
  if (text.size() > 8 && text.substr(4, 4) == "ftyp") return "a HEIF, AVIF or MP4 file";
  if (text.size() > 8 && text.substr(4, 4) == "TFL3") return "a TFLite model";
  return "something else (it begins with \"" + sanitized(text.substr(0, 8)) + "\")";
}

bool starts_with(ByteView file, std::string_view magic) {
  return file.text().substr(0, magic.size()) == magic;
}

}  // namespace

std::uint32_t little16(ByteView bytes, std::size_t offset) {
  return std::to_integer<std::uint32_t>(bytes.data[offset]) |
         std::to_integer<std::uint32_t>(bytes.data[offset + 1]) << 8;
}
std::uint32_t little32(ByteView bytes, std::size_t offset) {
  return little16(bytes, offset) | little16(bytes, offset + 2) << 16;
}
std::uint32_t big16(ByteView bytes, std::size_t offset) {
  return std::to_integer<std::uint32_t>(bytes.data[offset]) << 8 |
         std::to_integer<std::uint32_t>(bytes.data[offset + 1]);
}
std::uint32_t big32(ByteView bytes, std::size_t offset) {
  return big16(bytes, offset) << 16 | big16(bytes, offset + 2);
}

Result<ImageHeader> read_header(ByteView file) {
  if (file.empty()) return Error{ErrorKind::kCorrupt, "the image file is empty"};
  if (starts_with(file, "\xff\xd8\xff")) return read_jpeg_header(file);
  if (starts_with(file, "\x89PNG\r\n\x1a\n")) return read_png_header(file);
  if (starts_with(file, "BM")) return read_bmp_header(file);
  return Error{ErrorKind::kUnsupported,
               "neither JPEG, PNG nor BMP: it looks like " + looks_like(file.text())};
}

}  // namespace edgeprobe::preprocess
