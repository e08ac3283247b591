// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "bench/result.h"
#include "meter/energy.h"

namespace edgeprobe::bench {

/// Looks at the machine between inferences: at most twice a second, and when it is told to.
class Watch {
 public:
  explicit Watch(meter::Root root = {});
  void look(bool now = false);
  std::vector<Moment> moments() && { return std::move(moments_); }
  /// Seconds since this watch began.
  double elapsed() const;

 private:
  meter::Root root_;
  std::chrono::steady_clock::time_point start_, last_;
  std::vector<meter::CpuTicks> ticks_;
  meter::EnergySample energy_;
  std::vector<Moment> moments_;
};

}  // namespace edgeprobe::bench
