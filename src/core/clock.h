// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>

namespace edgeprobe {

/// What a clock of the system shows, in nanoseconds.
std::uint64_t read_ns(clockid_t clock);
/// Nanoseconds since the machine was started, its sleep included where the system counts it.
std::uint64_t boot_ns();

/// Nanoseconds since 1970-01-01 UTC that never jump: the wall clock as it was at the first call in
/// this process, carried on by the clock that counts since the machine was started, its sleep
/// included. Frames and sensors of one recording are on this one clock, whatever is done to the
/// wall clock meanwhile.
std::uint64_t unix_ns();

/// Time as a recording sees it; a test winds its own by hand. Thread-safe.
class TimeSource {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  virtual ~TimeSource() = default;
  /// Never jumps; for deadlines and durations.
  virtual Moment now() const = 0;
  /// Nanoseconds since 1970-01-01 UTC; for what is written.
  virtual std::uint64_t unix_ns() const = 0;
};

/// The clocks of the system.
const TimeSource& system_time();

}  // namespace edgeprobe
