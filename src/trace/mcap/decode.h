// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::trace {

inline constexpr std::size_t kLargestDecoded = std::size_t{256} << 20;

/// A chunk that is larger than kSmallDecoded when decoded may be at most so many times its stored
/// size.
inline constexpr std::uint64_t kSmallDecoded = std::uint64_t{16} << 20;
inline constexpr std::uint64_t kLargestRatio = 1000;
/// And all chunks of a file together: a small file must not cost hours.
constexpr std::uint64_t most_decoded(std::uint64_t file_size) {
  return (std::uint64_t{4} << 30) + kLargestRatio * file_size;
}

/// Bytes that were decoded; the allocation is not touched before it is filled.
struct Decoded {
  std::unique_ptr<std::byte[]> memory;
  std::size_t size = 0;
  ByteView bytes() const { return {memory.get(), size}; }
};

/// Decodes the records of a chunk ("zstd" or "lz4") that must give exactly `size` bytes.
/// Fails with kUnsupported for another codec (or one this build is without), kLimit above
/// kLargestDecoded or the largest ratio, kCorrupt when the stream is broken or gives another size.
Result<Decoded> decode(std::string_view codec, ByteView stored, std::uint64_t size);

}  // namespace edgeprobe::trace
