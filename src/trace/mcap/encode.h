// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::trace {

/// How the chunks of a file are stored.
struct Compression {
  std::string codec;  ///< "", "zstd" or "lz4", as in a Chunk record.
  int level = 0;      ///< zstd 1 to 19, lz4 0 to 12; see default_level().
};
int default_level(std::string_view codec);

/// Parses a user's "none", "zstd" or "lz4" with a level; without one, the default level. Fails with
/// kUsage, or with kUnsupported if this build lacks that library.
Result<Compression> compression_from(std::string_view name, const int* level);

/// `bytes` encoded for decode(). Empty if they should be stored uncompressed: because encoding
/// saves nothing, or because the ratio is so large that decode() would reject it as a bomb.
Result<Bytes> encode(const Compression& compression, ByteView bytes);

}  // namespace edgeprobe::trace
