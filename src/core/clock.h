// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>

namespace edgeprobe {

/// Reads a system clock, in nanoseconds.
std::uint64_t read_ns(clockid_t clock);
/// Nanoseconds since boot, including sleep where the system counts it.
std::uint64_t boot_ns();

/// Nanoseconds since 1970-01-01 UTC that never jump: the wall clock at the first call in this
/// process, continued by the clock that counts since boot (sleep included). Frames and sensors of
/// one recording share this clock, even if the wall clock is changed meanwhile.
std::uint64_t unix_ns();

/// The time source of a recording; tests set their own by hand. Thread-safe.
class TimeSource {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  virtual ~TimeSource() = default;
  /// Monotonic; for deadlines and durations.
  virtual Moment now() const = 0;
  /// Nanoseconds since 1970-01-01 UTC; for timestamps in files.
  virtual std::uint64_t unix_ns() const = 0;
};

/// The system's clocks.
const TimeSource& system_time();

}  // namespace edgeprobe
