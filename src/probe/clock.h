// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "core/clock.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace edgeprobe::probe {

/// Monotonic nanoseconds while the device is awake.
std::uint64_t monotonic_ns();

/// Nanoseconds since 1970-01-01 UTC that never jump: the wall clock at construction, continued by a
/// clock that runs while the device sleeps. Later changes of the wall clock have no effect.
///
/// Reading that clock twice a call would cost as much as the call. Between two readings the
/// processor's own counter is used if it runs at one speed, which is measured all the time.
class Clock {
 public:
  /// One moment on both clocks.
  struct Moment {
    std::uint64_t ns = 0, ticks = 0;
  };

  /// `time` replaces the system's clocks; it must outlive this.
  explicit Clock(const TimeSource* time = nullptr);
  std::uint64_t now_ns() const { return time_ ? time_->unix_ns() : base_ + boot_ns(); }
  Moment now() const;
  std::uint64_t ticks() const {
#if defined(__x86_64__)
    if (has_counter_) return __rdtsc();
#elif defined(__aarch64__)
    if (has_counter_) {
      std::uint64_t value;
      asm volatile("mrs %0, cntvct_el0" : "=r"(value));
      return value;
    }
#endif
    return time_ ? time_->unix_ns() : monotonic_ns();
  }
  /// True if `moment` is close enough to `ticks`, a later reading, for ns_at(): 50 milliseconds, at
  /// first a quarter of the time over which the counter's speed was measured.
  bool is_recent(const Moment& moment, std::uint64_t ticks) const {
    return ticks - moment.ticks < recent_.load(std::memory_order_relaxed);
  }
  /// The time of `ticks`, a reading after `moment`.
  std::uint64_t ns_at(const Moment& moment, std::uint64_t ticks) const {
    return moment.ns + ns_of(moment.ticks, ticks);
  }
  /// Nanoseconds between two readings. Whether sleep counts depends on the counter.
  std::uint64_t ns_of(std::uint64_t from, std::uint64_t to) const {
    return to <= from ? 0 : ns_of(to - from);
  }
  std::uint64_t ns_of(std::uint64_t ticks) const {
    // Signed numbers convert with one instruction each way.
    return static_cast<std::uint64_t>(
        static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(ticks)) *
                                  rate_.load(std::memory_order_relaxed)));
  }
  /// How far the wall clock is ahead of this one now.
  std::int64_t wall_ahead_ns() const;
  /// Measures the counter's speed between the last moment and `moment`.
  void measure(const Moment& moment) const;

 private:
  bool has_counter_ = true;
  const TimeSource* time_ = nullptr;
  std::uint64_t base_, quick_ = ~std::uint64_t{0};
  Moment start_;
  mutable std::atomic<double> rate_{1};           ///< Nanoseconds per tick.
  mutable std::atomic<std::uint64_t> recent_{0};  ///< In ticks.
};

}  // namespace edgeprobe::probe
