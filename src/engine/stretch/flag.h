// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace edgeprobe::engine::stretch {

/// Shows other threads how far one thread has come: it holds the number of the last inference for
/// which it was set, so nothing is reset between inferences. One cache line.
class alignas(64) Flag {
 public:
  /// Sets it for this inference and wakes sleeping threads, which observe this thread's earlier
  /// writes.
  void set(std::uint32_t inference);
  /// Returns once it is set for this inference or a later one: spins for `spin`, then sleeps.
  void wait(std::uint32_t inference, std::chrono::nanoseconds spin);
  bool is_set(std::uint32_t inference) const {
    return reached(value_.load(std::memory_order_acquire), inference);
  }

 private:
  /// Numbers may wrap around.
  static bool reached(std::uint32_t value, std::uint32_t inference) {
    return static_cast<std::int32_t>(value - inference) >= 0;
  }

  std::atomic<std::uint32_t> value_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace edgeprobe::engine::stretch
