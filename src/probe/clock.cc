#include "probe/clock.h"

#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace edgeprobe::probe {
namespace {

constexpr std::uint64_t kLeastSpan = 200'000;  // nanoseconds over which two readings give the speed to a thousandth

std::uint64_t read(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

// Whether the counter runs at one speed in every state of the processor.
bool counter_is_invariant() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d >> 8 & 1);
#else
  return true;
#endif
}

}  // namespace

std::uint64_t monotonic_ns() { return read(CLOCK_MONOTONIC); }

Clock::Clock() : has_counter_(counter_is_invariant()), base_(read(CLOCK_REALTIME) - monotonic_ns()) {
  start_ = now();
  while (monotonic_ns() + base_ - start_.ns < kLeastSpan) {
  }
  measure(now());
}

Clock::Moment Clock::now() const {
  const std::uint64_t before = ticks();
  return {now_ns(), before};
}

void Clock::measure(const Moment& moment) const {
  if (moment.ns < start_.ns + kLeastSpan || moment.ticks <= start_.ticks) return;
  rate_.store(static_cast<double>(moment.ns - start_.ns) / static_cast<double>(moment.ticks - start_.ticks), std::memory_order_relaxed);
}

}  // namespace edgeprobe::probe
