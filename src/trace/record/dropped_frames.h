// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace edgeprobe::trace {

/// Frames of which a message was dropped: what comes of them later goes too, and each record says
/// how much. Remembers those that may still be under way. Not thread-safe.
class DroppedFrames {
 public:
  bool has(std::uint32_t frame) const { return messages_of(frame) != 0; }
  /// One more message of `frame`; true when it was the first.
  bool add(std::uint32_t frame);
  std::uint64_t messages_of(std::uint32_t frame) const;

 private:
  struct Frame {
    std::uint32_t number = 0;
    std::uint64_t messages = 0;
  };
  std::array<Frame, 64> frames_;  ///< The newest takes the place of the oldest.
  std::size_t count_ = 0;         ///< That were added so far.
};

}  // namespace edgeprobe::trace
