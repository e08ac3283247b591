// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meter/reading.h"

namespace edgeprobe::meter {

/// Why a battery of this machine is on a charger: "/sys/class/power_supply/BAT0 is charging"; ""
/// where it is not, and where the machine has none. Batteries of mice and the like do not count.
std::string on_charger(const Root& root);

}  // namespace edgeprobe::meter
