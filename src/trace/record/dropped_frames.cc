// SPDX-License-Identifier: Apache-2.0
#include "trace/record/dropped_frames.h"

namespace edgeprobe::trace {

bool DroppedFrames::add(std::uint32_t frame) {
  for (Frame& known : frames_)
    if (known.messages && known.number == frame) {
      ++known.messages;
      return false;
    }
  frames_[count_++ % frames_.size()] = {frame, 1};
  return true;
}

std::uint64_t DroppedFrames::messages_of(std::uint32_t frame) const {
  for (const Frame& known : frames_)
    if (known.messages && known.number == frame) return known.messages;
  return 0;
}

}  // namespace edgeprobe::trace
