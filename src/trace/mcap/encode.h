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

/// "none", "zstd" or "lz4" and a level, as a user gives them; no level: the default one. Fails with
/// kUsage, or with kUnsupported when this build is without that library.
Result<Compression> compression_from(std::string_view name, const int* level);

/// `bytes` in the form that decode() takes. Empty when they are better stored plainly: packed they
/// would be no smaller, or so much smaller that decode() takes them for a bomb.
Result<Bytes> encode(const Compression& compression, ByteView bytes);

}  // namespace edgeprobe::trace
