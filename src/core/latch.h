// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace edgeprobe {

/// A lock for sections of nanoseconds that are nearly always uncontended: one exchange, one store.
/// A contender spins briefly, then sleeps between tries, so that a holder of lower priority can go
/// on.
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
