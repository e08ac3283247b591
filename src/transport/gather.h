// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "core/bytes.h"

namespace edgeprobe::transport {

/// Groups parts into runs of at least `kRun` bytes, except the last: short parts are joined by
/// copying, long ones stay in place. The parts must outlive it.
template <std::size_t kRun>
class Gather {
 public:
  explicit Gather(std::span<const ByteView> parts) : parts_(parts) {
    for (const ByteView& part : parts) left_ += part.size;
    skip_empty();
  }

  /// Bytes not yet taken.
  std::size_t left() const { return left_; }
  bool is_empty() const { return left_ == 0; }
  /// Not empty unless is_empty(); unchanged until take().
  ByteView front() {
    if (joined_.size() > taken_) return ByteView(joined_).sub(taken_, joined_.size() - taken_);
    if (parts_.empty()) return {};
    if (rest().size >= kRun) return rest();
    joined_.clear();
    taken_ = 0;
    while (!parts_.empty() && joined_.size() < kRun) {
      const ByteView some = rest().sub(0, std::min(rest().size, kRun - joined_.size()));
      joined_.insert(joined_.end(), some.begin(), some.end());
      advance(some.size);
    }
    return joined_;
  }
  /// Marks `size` bytes of front() as done.
  void take(std::size_t size) {
    left_ -= size;
    if (joined_.size() > taken_) taken_ += size;
    else advance(size);
  }

 private:
  ByteView rest() const { return parts_[0].sub(offset_, parts_[0].size - offset_); }
  void advance(std::size_t size) {
    offset_ += size;
    skip_empty();
  }
  void skip_empty() {
    while (!parts_.empty() && offset_ == parts_[0].size) {
      parts_ = parts_.subspan(1);
      offset_ = 0;
    }
  }

  std::span<const ByteView> parts_;
  std::size_t left_ = 0;
  std::size_t offset_ = 0;  ///< In the first part.
  Bytes joined_;
  std::size_t taken_ = 0;  ///< Bytes taken from `joined_`.
};

}  // namespace edgeprobe::transport
