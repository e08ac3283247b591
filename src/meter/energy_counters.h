// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "meter/energy.h"
#include "meter/reading.h"

namespace edgeprobe::meter {

/// The counters chosen for a measurement; each has a value.
struct ChosenCounters {
  std::vector<EnergyCounter> counters;
  std::string source;  ///< "package-0 + package-1 of /sys/class/powercap".
  std::string reason;  ///< Why there are none; "" if there are some.
};
/// `wanted`: the name of one; "": all processor packages (powercap, or else hwmon's sockets), or
/// else the only counter, or else the only gauge.
ChosenCounters choose_counters(const EnergySample& all, const std::string& wanted);

/// True if a counter of this name is a gauge integrated by PowerIntegral.
bool is_gauge(const std::string& counter);

/// kUsage for an unknown counter name, with the known ones.
Status check_counter(const Root& root, const std::string& counter);

}  // namespace edgeprobe::meter
