// SPDX-License-Identifier: Apache-2.0
#include "trace/mcap/encode.h"

#include "core/text.h"
#include "trace/mcap/decode.h"

#if EDGEPROBE_ZSTD
#include <zstd.h>
#endif
#if EDGEPROBE_LZ4
#include <lz4frame.h>
#endif

namespace edgeprobe::trace {
namespace {

#if EDGEPROBE_ZSTD
Result<std::size_t> encode_zstd(ByteView bytes, int level, Bytes& out) {
  out.resize(ZSTD_compressBound(bytes.size));
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data, bytes.size, level);
  if (ZSTD_isError(size))
    return Error{ErrorKind::kLimit,
                 std::string("cannot compress with zstd: ") + ZSTD_getErrorName(size)};
  return size;
}
#else
Result<std::size_t> encode_zstd(ByteView, int, Bytes&) {
  return Error{ErrorKind::kUnsupported, "this build writes no zstd (libzstd was missing)"};
}
#endif

#if EDGEPROBE_LZ4
Result<std::size_t> encode_lz4(ByteView bytes, int level, Bytes& out) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockSizeID = LZ4F_max1MB;
  preferences.frameInfo.contentSize = bytes.size;
  preferences.compressionLevel = level;
  out.resize(LZ4F_compressFrameBound(bytes.size, &preferences));
  const std::size_t size =
      LZ4F_compressFrame(out.data(), out.size(), bytes.data, bytes.size, &preferences);
  if (LZ4F_isError(size))
    return Error{ErrorKind::kLimit,
                 std::string("cannot compress with lz4: ") + LZ4F_getErrorName(size)};
  return size;
}
#else
Result<std::size_t> encode_lz4(ByteView, int, Bytes&) {
  return Error{ErrorKind::kUnsupported, "this build writes no lz4 (liblz4 was missing)"};
}
#endif

}  // namespace

// Level 3 of zstd saves 6 % more than level 1 at two thirds of its speed (docs/benchmarks.md).
int default_level(std::string_view codec) { return codec == "zstd" ? 1 : 0; }

Result<Compression> compression_from(std::string_view name, const int* level) {
  if (name == "none") {
    if (level) return Error{ErrorKind::kUsage, "--level: there is none without compression"};
    return Compression{};
  }
  if (name != "zstd" && name != "lz4")
    return Error{ErrorKind::kUsage,
                 "compression '" + sanitized(name, 30) + "': expected none, zstd or lz4"};
  const bool is_zstd = name == "zstd";
  if (!(is_zstd ? EDGEPROBE_ZSTD : EDGEPROBE_LZ4))
    return Error{ErrorKind::kUnsupported,
                 "this build writes no " + std::string(name) + " (its library was missing)"};
  const Compression compression{std::string(name), level ? *level : default_level(name)};
  const int least = is_zstd ? 1 : 0, most = is_zstd ? 19 : 12;
  if (compression.level < least || compression.level > most)
    return Error{ErrorKind::kUsage, "level " + std::to_string(compression.level) + ": expected " +
                                        std::to_string(least) + " to " + std::to_string(most) +
                                        " for " + compression.codec};
  return compression;
}

Result<Bytes> encode(const Compression& compression, ByteView bytes) {
  if (compression.codec.empty() || bytes.size > kLargestDecoded) return Bytes();
  Bytes out;
  EP_TRY(const auto size, compression.codec == "zstd" ? encode_zstd(bytes, compression.level, out)
                                                      : encode_lz4(bytes, compression.level, out));
  if (size >= bytes.size || (bytes.size > kSmallDecoded && bytes.size / kLargestRatio > size))
    return Bytes();
  out.resize(size);
  return out;
}

}  // namespace edgeprobe::trace
