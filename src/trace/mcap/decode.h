// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::trace {

inline constexpr std::size_t kLargestDecoded = std::size_t{256} << 20;

/// Largest ratio of decoded to stored size, for chunks whose decoded size exceeds kSmallDecoded.
inline constexpr std::uint64_t kSmallDecoded = std::uint64_t{16} << 20;
inline constexpr std::uint64_t kLargestRatio = 1000;
/// Limit on the decoded size of all chunks of a file together: a small file must not cost hours.
constexpr std::uint64_t most_decoded(std::uint64_t file_size) {
  return (std::uint64_t{4} << 30) + kLargestRatio * file_size;
}

/// Decoded bytes; the allocation is not touched before it is filled.
struct Decoded {
  std::unique_ptr<std::byte[]> memory;
  std::size_t size = 0;
  ByteView bytes() const { return {memory.get(), size}; }
};

/// Decodes the records of a chunk ("zstd" or "lz4"), which must yield exactly `size` bytes. Fails
/// with kUnsupported for a codec that is unknown or not in this build, with kLimit above
/// kLargestDecoded or the largest ratio, with kCorrupt if the stream is damaged or has another
/// size.
Result<Decoded> decode(std::string_view codec, ByteView stored, std::uint64_t size);

}  // namespace edgeprobe::trace
