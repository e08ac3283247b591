// SPDX-License-Identifier: Apache-2.0
#include "probe/pending_frame.h"

#include <utility>

namespace edgeprobe::probe {

void PendingFrame::add(const ChannelEntry& known, std::uint64_t time_ns,
                       const trace::StridedBytes& values, bool is_raw) {
  items.push_back({&known, time_ns, bytes.size(), values.size(), is_raw});
  for (std::size_t i = 0; i < values.count; ++i)
    bytes.insert(bytes.end(), values.row(i).begin(), values.row(i).end());
}

void PendingFrame::clear() {
  items.clear();
  bytes.clear();
}

void PendingFrames::keep(PendingFrame& frame) {
  if (most_ == 0) return frame.clear();
  const std::lock_guard lock(mutex_);
  frames_.push_back(std::move(frame));
  frame = PendingFrame();
  if (frames_.size() > most_) {
    frame = std::move(frames_.front());
    frames_.pop_front();
  } else if (!empty_.empty()) {
    frame = std::move(empty_.back());
    empty_.pop_back();
  }
  frame.clear();
}

std::deque<PendingFrame> PendingFrames::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(frames_, {});
}

void PendingFrames::give_back(std::deque<PendingFrame> frames) {
  const std::lock_guard lock(mutex_);
  for (PendingFrame& frame : frames) {
    if (empty_.size() >= most_) return;
    empty_.push_back(std::move(frame));
  }
}

}  // namespace edgeprobe::probe
