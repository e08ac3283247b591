// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/mcap/mcap.h"

namespace edgeprobe::trace {

/// Name of the Metadata record that holds the index (docs/reference/trace-format.md, section 4).
inline constexpr const char* kFrameIndexName = "edgeprobe.frames";

/// The frames of a file and the frames in each chunk. With it and MCAP's own indexes, a reader can
/// open a file without visiting every message.
class FrameIndex {
 public:
  using Range = std::pair<std::uint32_t, std::uint32_t>;  ///< First and last, both included.

  /// Adds a frame to the current chunk, which end_chunk() closes. Frames may come in any order.
  void add(std::uint32_t frame);
  void end_chunk();

  /// Ascending and disjoint.
  const std::vector<Range>& frames() const { return frames_; }
  /// In chunk order.
  const std::vector<Range>& chunks() const { return chunks_; }
  std::uint64_t frame_count() const;

  /// Keys "frames" ("0-9 12") and "chunks" ("0-3 3-9 12"). Nothing if there are no chunks, or if
  /// the frames are so scattered that the index would not be shorter than a scan.
  std::optional<mcap::TextMap> to_text() const;
  /// Returns nothing if a text does not have this form.
  static std::optional<FrameIndex> from_text(const mcap::TextMap& values);

 private:
  std::vector<Range> frames_, chunks_;
  std::optional<Range> open_;  ///< Range of the current chunk.
  bool is_scattered_ = false;
};

}  // namespace edgeprobe::trace
