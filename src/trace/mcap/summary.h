// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "trace/mcap/problems.h"

namespace edgeprobe::trace {

/// Facts from the end of a file about the rest. Views point into the file.
struct Summary {
  std::uint64_t data_end = 0;  ///< Upper limit of the data section's end.
  bool has_footer = false;     ///< Followed by the magic.
  bool has_checksum = false;   ///< Present and correct.
  struct Counts {
    std::uint64_t messages = 0, metadata = 0, chunks = 0;
  };
  std::optional<Counts> counts;
  std::vector<ByteView> schemas, channels;  ///< Contents of the Schema and Channel records.
  struct ChunkAt {
    /// Offset and length of the Chunk record, including its header.
    std::uint64_t offset = 0, length = 0;
  };
  std::vector<ChunkAt> chunks;  ///< In ascending order of offset.
  struct MetadataAt {
    std::uint64_t offset = 0;
    std::string_view name;
  };
  std::vector<MetadataAt> metadata;
};

/// Reads the summary of a file that starts with the magic. If it is missing or damaged, returns
/// only what is certain; damage also adds a problem. The offsets in it are not verified yet.
Summary read_summary(ByteView file, Problems& problems);

}  // namespace edgeprobe::trace
