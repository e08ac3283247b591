// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace edgeprobe {

/// A lock for what takes nanoseconds and is taken by one thread at a time nearly always: one
/// exchange, one store. Who does not get it at once tries again for a moment, then sleeps in
/// between, so that a holder of lower priority can go on.
class Latch {
 public:
  void lock() {
    if (taken_.exchange(true, std::memory_order_acquire)) wait();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  void wait();
  std::atomic<bool> taken_{false};
};

}  // namespace edgeprobe
