// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "trace/mcap/problems.h"

namespace edgeprobe::trace {

/// What the end of a file says about the rest. Views point into the file.
struct Summary {
  std::uint64_t data_end = 0;  ///< Where the data section ends at the latest.
  bool has_footer = false;     ///< With the magic behind it.
  bool has_checksum = false;   ///< And it was right.
  struct Counts {
    std::uint64_t messages = 0, metadata = 0, chunks = 0;
  };
  std::optional<Counts> counts;
  std::vector<ByteView> schemas, channels;  ///< Contents of their records.
  struct ChunkAt {
    std::uint64_t offset = 0, length = 0;  ///< Of the Chunk record, its head included.
  };
  std::vector<ChunkAt> chunks;  ///< By ascending offset.
  struct MetadataAt {
    std::uint64_t offset = 0;
    std::string_view name;
  };
  std::vector<MetadataAt> metadata;
};

/// Reads the summary of a file that starts with the magic. A missing, broken or damaged one gives
/// what is certain and, but for a missing one, a problem. No offset in it has been believed.
Summary read_summary(ByteView file, Problems& problems);

}  // namespace edgeprobe::trace
