// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "trace/read/scan.h"

namespace edgeprobe::trace {

/// Positions of the messages of a range of frames, found in one walk over the segments that may
/// hold them. For files whose frames or channels are scattered over many chunks: searching every
/// chunk for each message would take quadratic time.
class MessagePlaces {
 public:
  struct Place {
    std::uint32_t frame = 0, channel = 0;  ///< `channel` is an index into Contents::channels.
    std::uint32_t segment = 0;
    std::uint64_t record = 0;  ///< Offset of the message's record within the segment.
  };
  /// Returns the records of a segment; nothing if it cannot be read.
  using Body = std::function<std::optional<ByteView>(std::size_t segment)>;

  /// True if the walk covered `frame`.
  bool covers(std::uint32_t frame) const { return first_ <= frame && frame <= last_; }
  /// Walks for frame `at` of contents.frames and as many following frames as fit into `most`
  /// places.
  void walk(const Contents& contents, std::size_t at, const Body& body,
            std::size_t most = std::size_t{1} << 20);

  /// The file's first message of that frame and channel; null if there is none.
  const Place* find(std::uint32_t frame, std::uint32_t channel) const;
  /// The file's first unreadable segment that might hold messages of the frame.
  std::optional<std::size_t> unreadable(std::uint32_t frame) const;

 private:
  void sort_and_cut(std::size_t most);
  void note_unreadable(const Contents& contents, const std::vector<std::size_t>& segments);

  /// First and last frame covered.
  std::uint32_t first_ = 1, last_ = 0;
  std::vector<Place> places_;  ///< Sorted by frame and channel.
  /// Frames of the walk; empty if every segment could be read.
  std::vector<std::uint32_t> frames_;
  /// Unreadable segment for each of frames_; segments.size() if none.
  std::vector<std::size_t> unreadable_;
  std::size_t segments_ = 0;
};

}  // namespace edgeprobe::trace
