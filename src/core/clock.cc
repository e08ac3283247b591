#include "core/clock.h"

#include <chrono>

namespace edgeprobe {
namespace {

template <class Clock>
std::uint64_t read() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count());
}

}  // namespace

std::uint64_t unix_ns() {
  static const std::uint64_t base = read<std::chrono::system_clock>() - read<std::chrono::steady_clock>();
  return base + read<std::chrono::steady_clock>();
}

}  // namespace edgeprobe
