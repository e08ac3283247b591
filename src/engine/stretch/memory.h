// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

#include "stretch/schedule.h"

namespace edgeprobe::engine::stretch {

/// Memory for tensors, aligned for engines.
class Memory {
 public:
  static constexpr std::align_val_t kAlignment{edgeprobe::stretch::Arena::kAlignment};
  /// Readable bytes after the last tensor: kernels load whole vectors.
  static constexpr std::size_t kBehind = 64;

  explicit Memory(std::size_t size)
      : data_(static_cast<std::byte*>(::operator new(size + kBehind, kAlignment))) {
    // Touches each page now: the first access to a page costs more than a thousand inferences'
    // accesses.
    std::memset(data_, 0, size + kBehind);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { ::operator delete(data_, kAlignment); }
  std::byte* data() const { return data_; }

 private:
  std::byte* data_;
};

}  // namespace edgeprobe::engine::stretch
