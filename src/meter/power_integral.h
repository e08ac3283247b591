// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "meter/energy.h"
#include "meter/reading.h"

namespace edgeprobe::meter {

/// Gauges of power as counters of energy: what each has shown, added up over time. Where a board or
/// a battery has no counter, its gauge is all there is. Not thread-safe.
class PowerIntegral {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  /// What the gauges (power_now()) show at a moment; moments only go on.
  void look(Moment when, const std::vector<Reading>& gauges);

  /// One a gauge, "gauge NAME". A counter moves when its gauge shows another value, by the value
  /// before times the time that it stood: so a step of the counter is one of the gauge, and a gauge
  /// that is stuck is a counter that stands still. Without a value where the gauge has none, or
  /// shows less than 0 (a battery that is being charged).
  std::vector<EnergyCounter> counters() const;

 private:
  struct Gauge {
    double watts = 0;
    Moment since;
    double joules = 0;
    std::string source, reason;
  };
  std::map<std::string, Gauge> gauges_;
};

/// The same of this machine, looked at in a thread of its own until it is destroyed.
class PowerSampler {
 public:
  PowerSampler(Root root, std::chrono::milliseconds period);
  PowerSampler(const PowerSampler&) = delete;
  PowerSampler& operator=(const PowerSampler&) = delete;
  ~PowerSampler();

  std::vector<EnergyCounter> counters() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace edgeprobe::meter
