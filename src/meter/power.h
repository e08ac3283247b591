// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meter/energy.h"
#include "meter/reading.h"

namespace edgeprobe::meter {

/// Power right now, in W, of everything that tells: hwmon power*_input and power*_average, power
/// supplies (power_now, else current_now times voltage_now; what goes into a battery while it
/// charges is negative).
std::vector<Reading> power_now(const Root& root);

/// Mean power between two samples of the energy counters, in W.
std::vector<Reading> power_between(const EnergySample& before, const EnergySample& after);

/// Both, and one reading with the reason when there is nothing at all.
std::vector<Reading> power(const Root& root, const EnergySample& before, const EnergySample& after);

}  // namespace edgeprobe::meter
