// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "probe/channels.h"
#include "trace/record/strided_bytes.h"

namespace edgeprobe::probe {

/// Tensors of a frame that wait in memory until it is known whether they are recorded.
struct PendingFrame {
  struct Item {
    const ChannelEntry* known = nullptr;
    std::uint64_t time_ns = 0;
    std::size_t offset = 0, size = 0;  ///< Of its values in `bytes`.
    bool is_raw = false;
  };
  std::uint32_t frame = 0;
  std::vector<Item> items;
  Bytes bytes;

  void add(const ChannelEntry& known, std::uint64_t time_ns, const trace::StridedBytes& values,
           bool is_raw);
  ByteView values(const Item& item) const { return ByteView(bytes).sub(item.offset, item.size); }
  /// Keeps its memory.
  void clear();
};

/// The newest frames that were not recorded, for a trigger that comes after them. Thread-safe.
class PendingFrames {
 public:
  explicit PendingFrames(std::size_t most) : most_(most) {}
  /// Takes the frame in, and gives back an empty one with the memory of the oldest.
  void keep(PendingFrame& frame);
  /// All of them, oldest first; none are left.
  std::deque<PendingFrame> take();
  /// Memory for keep() to give back.
  void give_back(std::deque<PendingFrame> frames);

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::deque<PendingFrame> frames_, empty_;
};

}  // namespace edgeprobe::probe
