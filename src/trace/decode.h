#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::trace {

inline constexpr std::size_t kLargestDecoded = std::size_t{256} << 20;

/// Bytes that were decoded; the allocation is not touched before it is filled.
struct Decoded {
  std::unique_ptr<std::byte[]> memory;
  std::size_t size = 0;
  ByteView bytes() const { return {memory.get(), size}; }
};

/// Decodes the records of a chunk ("zstd" or "lz4") that must give exactly `size` bytes.
/// Fails with kUnsupported for another codec (or one this build is without), kLimit above
/// kLargestDecoded, kCorrupt when the stream is broken or gives another size.
Result<Decoded> decode(std::string_view codec, ByteView stored, std::uint64_t size);

}  // namespace edgeprobe::trace
