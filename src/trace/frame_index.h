// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/mcap/mcap.h"

namespace edgeprobe::trace {

/// Name of the Metadata record that holds it (docs/reference/trace-format.md, section 4).
inline constexpr const char* kFrameIndexName = "edgeprobe.frames";

/// Which frames a file has and which of them each chunk holds: with MCAP's own indexes this is what
/// a reader needs to open a file without walking over every message.
class FrameIndex {
 public:
  using Range = std::pair<std::uint32_t, std::uint32_t>;  ///< First and last, both included.

  /// Adds a frame of the chunk that end_chunk() ends. Frames may come in any order.
  void add(std::uint32_t frame);
  void end_chunk();

  /// Ascending, apart from each other.
  const std::vector<Range>& frames() const { return frames_; }
  /// In the order of the chunks.
  const std::vector<Range>& chunks() const { return chunks_; }
  std::uint64_t frame_count() const;

  /// Keys "frames" ("0-9 12") and "chunks" ("0-3 3-9 12"). Nothing when there are no chunks, or
  /// frames so scattered that the index would be no shorter than the walk.
  std::optional<mcap::TextMap> to_text() const;
  /// Nothing when a text is not of this form.
  static std::optional<FrameIndex> from_text(const mcap::TextMap& values);

 private:
  std::vector<Range> frames_, chunks_;
  std::optional<Range> open_;  ///< Of the chunk that has not ended.
  bool is_scattered_ = false;
};

}  // namespace edgeprobe::trace
