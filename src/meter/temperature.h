// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meter/reading.h"

namespace edgeprobe::meter {

/// Every thermal zone and every hwmon temp*_input, in degrees Celsius. A single reading with the
/// reason if there are none.
std::vector<Reading> temperature(const Root& root);

/// A name for a hwmon channel: "coretemp Core 0", or else "coretemp temp2". `file` is
/// "temp2_input".
std::string hwmon_name(const Root& root, const std::string& device, const std::string& file);
/// Files PREFIX<number>SUFFIX of each hwmon device, as {"sys/class/hwmon/hwmon0", "temp1_input"}.
std::vector<std::pair<std::string, std::string>> hwmon_files(const Root& root,
                                                             const std::string& prefix,
                                                             const std::string& suffix);

}  // namespace edgeprobe::meter
