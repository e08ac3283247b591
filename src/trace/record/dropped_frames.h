// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace edgeprobe::trace {

/// Frames with a dropped message: their later messages are dropped too, and each record contains
/// the number. Remembers frames that may still be in progress. Not thread-safe.
class DroppedFrames {
 public:
  bool has(std::uint32_t frame) const { return messages_of(frame) != 0; }
  /// Counts one more dropped message of `frame`; true if it was the first.
  bool add(std::uint32_t frame);
  std::uint64_t messages_of(std::uint32_t frame) const;

 private:
  struct Frame {
    std::uint32_t number = 0;
    std::uint64_t messages = 0;
  };
  std::array<Frame, 64> frames_;  ///< Circular: the newest replaces the oldest.
  std::size_t count_ = 0;         ///< Frames added so far.
};

}  // namespace edgeprobe::trace
