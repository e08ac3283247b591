// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "bench/result.h"
#include "meter/energy.h"

namespace edgeprobe::bench {

/// Observes the machine between inferences: at most twice a second, and on request.
class Watch {
 public:
  explicit Watch(meter::Root root = {});
  void look(bool now = false);
  std::vector<Moment> moments() && { return std::move(moments_); }
  /// Seconds since the start of this watch.
  double elapsed() const;

 private:
  meter::Root root_;
  std::chrono::steady_clock::time_point start_, last_;
  std::vector<meter::CpuTicks> ticks_;
  meter::EnergySample energy_;
  std::vector<Moment> moments_;
};

}  // namespace edgeprobe::bench
