// SPDX-License-Identifier: Apache-2.0
#include "probe/clock.h"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace edgeprobe::probe {
namespace {

// nanoseconds over which two readings give the counter's speed to a thousandth
constexpr std::uint64_t kLeastSpan = 200'000;
constexpr double kRecent = 50e6;
// relative change of the speed; a larger one means that a clock paused, as while a device sleeps
constexpr double kMostChange = 2e-3;

// True if the counter runs at one speed in every state of the processor.
bool counter_is_invariant() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d >> 8 & 1);
#else
  return true;
#endif
}

}  // namespace

std::uint64_t monotonic_ns() { return read_ns(CLOCK_MONOTONIC); }

Clock::Clock(const TimeSource* time)
    : has_counter_(!time && counter_is_invariant()),
      time_(time),
      base_(read_ns(CLOCK_REALTIME) - boot_ns()) {
  if (time_) return;
  // Duration of a pair of readings without interruption.
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t before = ticks();
    (void)now_ns();
    least = std::min(least, ticks() - before);
  }
  quick_ = 3 * least + 2;
  start_ = now();
  Moment end;
  do end = now();
  while (end.ns - start_.ns < kLeastSpan);
  const double rate = static_cast<double>(end.ns - start_.ns) /
                      static_cast<double>(std::max<std::uint64_t>(1, end.ticks - start_.ticks));
  rate_.store(rate, std::memory_order_relaxed);
  measure(end);
}

// The two readings belong together unless the thread was preempted in between: then read again.
Clock::Moment Clock::now() const {
  Moment moment;
  for (int tries = 0; tries < 4; ++tries) {
    moment.ticks = ticks();
    moment.ns = now_ns();
    if (ticks() - moment.ticks <= quick_) break;
  }
  return moment;
}

std::int64_t Clock::wall_ahead_ns() const {
  return time_ ? 0 : static_cast<std::int64_t>(read_ns(CLOCK_REALTIME) - now_ns());
}

void Clock::measure(const Moment& moment) const {
  if (time_ || moment.ns < start_.ns + kLeastSpan || moment.ticks <= start_.ticks) return;
  const double rate =
      static_cast<double>(moment.ns - start_.ns) / static_cast<double>(moment.ticks - start_.ticks);
  if (std::abs(rate / rate_.load(std::memory_order_relaxed) - 1) > kMostChange) return;
  rate_.store(rate, std::memory_order_relaxed);
  const double recent =
      std::min(kRecent / rate, static_cast<double>(moment.ticks - start_.ticks) / 4);
  recent_.store(static_cast<std::uint64_t>(recent), std::memory_order_relaxed);
}

}  // namespace edgeprobe::probe
