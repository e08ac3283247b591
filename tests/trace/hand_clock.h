// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

#include "core/clock.h"

namespace edgeprobe::trace {

/// A clock that stands still until the test advances it.
class HandClock final : public TimeSource {
 public:
  static constexpr std::uint64_t kStart = 1'700'000'000'000'000'000ull;

  Moment now() const override { return Moment(std::chrono::nanoseconds(unix_ns())); }
  std::uint64_t unix_ns() const override { return ns_.load(); }
  void wind(std::chrono::nanoseconds by) { ns_ += static_cast<std::uint64_t>(by.count()); }

 private:
  std::atomic<std::uint64_t> ns_{kStart};
};

}  // namespace edgeprobe::trace
