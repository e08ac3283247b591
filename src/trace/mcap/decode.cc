// SPDX-License-Identifier: Apache-2.0
#include "trace/mcap/decode.h"

#include <new>
#include <string>

#include "core/text.h"

#if EDGEPROBE_ZSTD
#include <zstd.h>
#endif
#if EDGEPROBE_LZ4
#include <lz4frame.h>
#endif

namespace edgeprobe::trace {
namespace {

Error wrong_size(std::string_view codec, std::size_t got, std::uint64_t expected) {
  return {ErrorKind::kCorrupt, std::string(codec) + " data decode to " + std::to_string(got) +
                                   " bytes, the chunk claims " + std::to_string(expected)};
}

#if EDGEPROBE_ZSTD
Status decode_zstd(ByteView stored, Decoded& out) {
  const std::size_t got = ZSTD_decompress(out.memory.get(), out.size, stored.data, stored.size);
  if (ZSTD_isError(got))
    return Error{ErrorKind::kCorrupt,
                 std::string("zstd data are broken: ") + ZSTD_getErrorName(got)};
  if (got != out.size) return wrong_size("zstd", got, out.size);
  return {};
}
#else
Status decode_zstd(ByteView, Decoded&) {
  return Error{ErrorKind::kUnsupported, "this build reads no zstd chunks (libzstd was missing)"};
}
#endif

#if EDGEPROBE_LZ4
Status decode_lz4(ByteView stored, Decoded& out) {
  LZ4F_dctx* raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)))
    return Error{ErrorKind::kLimit, "no memory to decode lz4"};
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(
      raw, &LZ4F_freeDecompressionContext);
  std::size_t written = 0;
  while (!stored.empty()) {
    std::size_t room = out.size - written, taken = stored.size;
    const std::size_t hint = LZ4F_decompress(context.get(), out.memory.get() + written, &room,
                                             stored.data, &taken, nullptr);
    if (LZ4F_isError(hint))
      return Error{ErrorKind::kCorrupt,
                   std::string("lz4 data are broken: ") + LZ4F_getErrorName(hint)};
    written += room;
    stored = stored.sub(taken, stored.size - taken);
    if (hint == 0) break;
    if (room == 0 && taken == 0)
      return Error{ErrorKind::kCorrupt, "lz4 data are longer than the chunk claims"};
  }
  if (written != out.size) return wrong_size("lz4", written, out.size);
  return {};
}
#else
Status decode_lz4(ByteView, Decoded&) {
  return Error{ErrorKind::kUnsupported, "this build reads no lz4 chunks (liblz4 was missing)"};
}
#endif

}  // namespace

Result<Decoded> decode(std::string_view codec, ByteView stored, std::uint64_t size) {
  if (codec != "zstd" && codec != "lz4")
    return Error{ErrorKind::kUnsupported,
                 "compression '" + sanitized(codec, 30) + "' is not known (none, zstd, lz4 are)"};
  if (size > kLargestDecoded)
    return Error{ErrorKind::kLimit, "the chunk claims " + std::to_string(size) +
                                        " bytes when decoded, at most " +
                                        std::to_string(kLargestDecoded) + " are read"};
  if (size > kSmallDecoded && size / kLargestRatio > stored.size)
    return Error{ErrorKind::kLimit, "the chunk claims " + std::to_string(size) +
                                        " bytes when decoded from " + std::to_string(stored.size) +
                                        ", more than " + std::to_string(kLargestRatio) +
                                        " times as many: a decompression bomb is not read"};
  Decoded out;
  // At least one byte, so that the codecs get a valid address.
  out.memory.reset(new (std::nothrow) std::byte[size + 1]);
  out.size = static_cast<std::size_t>(size);
  if (!out.memory)
    return Error{ErrorKind::kLimit, "no memory for a chunk of " + std::to_string(size) + " bytes"};
  EP_CHECK(codec == "zstd" ? decode_zstd(stored, out) : decode_lz4(stored, out));
  return out;
}

}  // namespace edgeprobe::trace
