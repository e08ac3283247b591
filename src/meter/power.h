// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meter/energy.h"
#include "meter/reading.h"

namespace edgeprobe::meter {

/// Current power in W from every source: hwmon power*_input and power*_average, power supplies
/// (power_now, or else current_now times voltage_now; negative for a charging battery).
std::vector<Reading> power_now(const Root& root);

/// Mean power between two samples of the energy counters, in W.
std::vector<Reading> power_between(const EnergySample& before, const EnergySample& after);

/// power_now() and power_between(); a single reading with the reason if both have none.
std::vector<Reading> power(const Root& root, const EnergySample& before, const EnergySample& after);

}  // namespace edgeprobe::meter
