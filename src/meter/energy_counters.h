// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "meter/energy.h"
#include "meter/reading.h"

namespace edgeprobe::meter {

/// The counters that stand for some work, of all that there are; each has a value.
struct ChosenCounters {
  std::vector<EnergyCounter> counters;
  std::string source;  ///< "package-0 + package-1 of /sys/class/powercap".
  std::string reason;  ///< Why there are none; "" when there are.
};
/// `wanted`: the name of one; "": all packages of processors (powercap, else hwmon's sockets), else
/// the only counter there is, else the only gauge.
ChosenCounters choose_counters(const EnergySample& all, const std::string& wanted);

/// Whether a counter of this name is a gauge that PowerIntegral adds up.
bool is_gauge(const std::string& counter);

/// kUsage for a counter's name that is none here, with those that are.
Status check_counter(const Root& root, const std::string& counter);

}  // namespace edgeprobe::meter
