#include "core/clock.h"

#include <time.h>

namespace edgeprobe {
namespace {

std::uint64_t read(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::uint64_t unix_ns() {
  static const std::uint64_t base = read(CLOCK_REALTIME) - read(CLOCK_BOOTTIME);
  return base + read(CLOCK_BOOTTIME);
}

}  // namespace edgeprobe
