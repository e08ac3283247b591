// SPDX-License-Identifier: Apache-2.0
#include "probe/held.h"

#include <utility>

namespace edgeprobe::probe {

void Held::add(const Known& known, std::uint64_t time_ns, const trace::Rows& values, bool is_raw) {
  items.push_back({&known, time_ns, bytes.size(), values.size(), is_raw});
  for (std::size_t i = 0; i < values.count; ++i)
    bytes.insert(bytes.end(), values.row(i).begin(), values.row(i).end());
}

void Held::clear() {
  items.clear();
  bytes.clear();
}

void HeldFrames::keep(Held& frame) {
  if (most_ == 0) return frame.clear();
  const std::lock_guard lock(mutex_);
  frames_.push_back(std::move(frame));
  frame = Held();
  if (frames_.size() > most_) {
    frame = std::move(frames_.front());
    frames_.pop_front();
  } else if (!empty_.empty()) {
    frame = std::move(empty_.back());
    empty_.pop_back();
  }
  frame.clear();
}

std::deque<Held> HeldFrames::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(frames_, {});
}

void HeldFrames::give_back(std::deque<Held> frames) {
  const std::lock_guard lock(mutex_);
  for (Held& frame : frames) {
    if (empty_.size() >= most_) return;
    empty_.push_back(std::move(frame));
  }
}

}  // namespace edgeprobe::probe
