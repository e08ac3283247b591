#include "probe/clock.h"

#include <time.h>

namespace edgeprobe::probe {
namespace {

std::uint64_t read(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::uint64_t monotonic_ns() { return read(CLOCK_MONOTONIC); }

Clock::Clock() : base_(read(CLOCK_REALTIME) - monotonic_ns()) {}

std::uint64_t Clock::now_ns() const { return base_ + monotonic_ns(); }

}  // namespace edgeprobe::probe
