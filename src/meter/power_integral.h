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

/// Turns power gauges into energy counters by integrating them over time. If a board or a battery
/// has no counter, its gauge is the only source. Not thread-safe.
class PowerIntegral {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  /// Adds the gauges' values (power_now()) at a moment; moments must not go back.
  void look(Moment when, const std::vector<Reading>& gauges);

  /// One counter for each gauge, "gauge NAME". A counter advances when its gauge changes, by the
  /// previous value times its duration. Each step of the counter is therefore a step of the gauge,
  /// and the counter of a stuck gauge does not advance. No value if the gauge has none, or is below
  /// 0 (a charging battery).
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

/// A PowerIntegral of this machine's gauges, sampled in a separate thread until destruction.
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
