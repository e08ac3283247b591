// SPDX-License-Identifier: Apache-2.0
#include "core/clock.h"

namespace edgeprobe {

std::uint64_t read_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t boot_ns() {
#if defined(CLOCK_BOOTTIME)
  return read_ns(CLOCK_BOOTTIME);
#else
  return read_ns(CLOCK_MONOTONIC);
#endif
}

std::uint64_t unix_ns() {
  static const std::uint64_t base = read_ns(CLOCK_REALTIME) - boot_ns();
  return base + boot_ns();
}

const TimeSource& system_time() {
  struct System final : TimeSource {
    Moment now() const override { return std::chrono::steady_clock::now(); }
    std::uint64_t unix_ns() const override { return edgeprobe::unix_ns(); }
  };
  static const System system;
  return system;
}

}  // namespace edgeprobe
