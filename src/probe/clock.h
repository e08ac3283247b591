#pragma once

#include <cstdint>

namespace edgeprobe::probe {

/// Nanoseconds since 1970-01-01 UTC that never jump: the wall clock as it was when this was made, carried on by the
/// monotonic clock. A later change of the wall clock does not show.
class Clock {
 public:
  Clock();
  std::uint64_t now_ns() const;

 private:
  std::uint64_t base_;
};

/// The monotonic clock.
std::uint64_t monotonic_ns();

}  // namespace edgeprobe::probe
