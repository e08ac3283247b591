// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meter/reading.h"

namespace edgeprobe::meter {

/// An energy counter that grows until it wraps around to 0.
struct EnergyCounter {
  std::string name;  ///< "package-0", "package-0 core", "amd_energy Esocket0".
  std::string source;
  std::optional<std::int64_t> microjoules;
  /// The value at which it wraps around; empty: unknown.
  std::optional<std::int64_t> range;
  std::string reason;  ///< Why the value is missing.
};

/// All counters at one moment.
struct EnergySample {
  std::chrono::steady_clock::time_point when;
  std::vector<EnergyCounter> counters;
};

/// RAPL (the powercap zones intel-rapl:*, which newer AMD processors have too) and hwmon
/// energy*_input.
EnergySample energy(const Root& root);

/// Joules between two samples of the same counters, one reading each. A counter that decreased has
/// wrapped around once if its range is known; with an unknown range there is no value, and the
/// reason states that. Multiple wraps cannot be detected: samples must be closer together than
/// range / power (minutes for a package).
std::vector<Reading> joules_between(const EnergySample& before, const EnergySample& after);

}  // namespace edgeprobe::meter
