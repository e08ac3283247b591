// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "trace/mcap/encode.h"

namespace edgeprobe::trace {

struct CopyOptions {
  bool sync = true;  ///< Flush the target to the disk before it gets its name.
};

struct CopyReport {
  std::uint64_t chunks = 0, messages = 0;  ///< Chunks and messages written.
  /// Chunks left out: wrong checksum, or inconsistent records.
  std::uint64_t damaged_chunks = 0;
  /// Bytes of the source's data outside kept records.
  std::uint64_t lost_bytes = 0;
  std::uint64_t bytes_before = 0, bytes_after = 0;
  bool was_finished = false;  ///< The source has a footer.
  /// One sentence for each problem that did not stop the copy.
  std::vector<std::string> problems;
  bool lost_something() const {
    return !was_finished || damaged_chunks || lost_bytes || !problems.empty();
  }
};

/// Writes a finished file with what can be saved from a truncated or damaged trace: every complete
/// chunk, metadata and attachment with a correct checksum. The metadata "edgeprobe.recovered" list
/// what was lost. Never overwrites; `target` is complete or absent: a stopped copy (kInterrupted)
/// leaves nothing. Progress is in bytes of the source.
Result<CopyReport> recover(const std::filesystem::path& source, const std::filesystem::path& target,
                           const CopyOptions& options = {}, const Control& control = {});

/// Rewrites a trace with its chunks stored differently. Uses memory for at most two chunks. Fails
/// with kCorrupt if the source is damaged or unfinished: use recover() for those.
Result<CopyReport> pack(const std::filesystem::path& source, const std::filesystem::path& target,
                        const Compression& compression, const CopyOptions& options = {},
                        const Control& control = {});

}  // namespace edgeprobe::trace
