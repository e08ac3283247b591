// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "probe/channels.h"
#include "trace/record/strided_bytes.h"

namespace edgeprobe::probe {

/// Tensors of a frame that wait in memory until the decision whether to record them.
struct PendingFrame {
  struct Item {
    const ChannelEntry* known = nullptr;
    std::uint64_t time_ns = 0;
    std::size_t offset = 0, size = 0;  ///< Position of its values in `bytes`.
    bool is_raw = false;
  };
  std::uint32_t frame = 0;
  std::vector<Item> items;
  Bytes bytes;

  void add(const ChannelEntry& known, std::uint64_t time_ns, const trace::StridedBytes& values,
           bool is_raw);
  ByteView values(const Item& item) const { return ByteView(bytes).sub(item.offset, item.size); }
  /// Keeps the allocated memory.
  void clear();
};

/// The newest frames that were not recorded, kept for a later trigger. Thread-safe.
class PendingFrames {
 public:
  explicit PendingFrames(std::size_t most) : most_(most) {}
  /// Stores the frame and returns an empty one with the memory of the oldest.
  void keep(PendingFrame& frame);
  /// Removes and returns all frames, oldest first.
  std::deque<PendingFrame> take();
  /// Returns memory for keep() to reuse.
  void give_back(std::deque<PendingFrame> frames);

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::deque<PendingFrame> frames_, empty_;
};

}  // namespace edgeprobe::probe
