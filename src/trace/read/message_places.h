// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "trace/read/scan.h"

namespace edgeprobe::trace {

/// Where the messages of a run of frames are, found in one walk over the segments that may hold
/// them. For files whose frames or channels are strewn over many chunks: there, looking into every
/// chunk for each message takes quadratic time.
class MessagePlaces {
 public:
  struct Place {
    std::uint32_t frame = 0, channel = 0;  ///< `channel` is an index into Contents::channels.
    std::uint32_t segment = 0;
    std::uint64_t record = 0;  ///< Offset of the message's record within the segment.
  };
  /// The records of a segment; nothing when it cannot be read.
  using Body = std::function<std::optional<ByteView>(std::size_t segment)>;

  /// Whether `frame` is one of those that were walked for.
  bool covers(std::uint32_t frame) const { return first_ <= frame && frame <= last_; }
  /// Walks for frame `at` of contents.frames and as many behind it as fit into `most` places, or
  /// for all when all fit.
  void walk(const Contents& contents, std::size_t at, const Body& body,
            std::size_t most = std::size_t{1} << 20);

  /// The first message of that frame and channel in the file; none: null.
  const Place* find(std::uint32_t frame, std::uint32_t channel) const;
  /// The first segment in the file that could not be read and might hold messages of the frame.
  std::optional<std::size_t> unreadable(std::uint32_t frame) const;

 private:
  void sort_and_cut(std::size_t most);
  void note_unreadable(const Contents& contents, const std::vector<std::size_t>& segments);

  /// Of the frames; they hold all of the file's frames between them.
  std::uint32_t first_ = 1, last_ = 0;
  std::vector<Place> places_;            ///< By frame and channel.
  std::vector<std::uint32_t> frames_;    ///< Of the walk; empty when every segment could be read.
  std::vector<std::size_t> unreadable_;  ///< For each of frames_; segments.size(): none.
  std::size_t segments_ = 0;
};

}  // namespace edgeprobe::trace
