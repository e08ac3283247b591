// SPDX-License-Identifier: Apache-2.0
#include "meter/power.h"

#include <cmath>

#include "core/text.h"
#include "meter/temperature.h"

namespace edgeprobe::meter {

std::vector<Reading> power_now(const Root& root) {
  std::vector<Reading> readings;
  for (const char* const suffix : {"_input", "_average"})
    for (const auto& [device, file] : hwmon_files(root, "power", suffix))
      readings.push_back(from_file(root, device + "/" + file,
                                   "power " + hwmon_name(root, device, file), "W", 1e-6));
  const std::string folder = "sys/class/power_supply";
  const auto supplies = entries(root / folder);
  if (!supplies) return readings;
  for (const std::string& supply : *supplies) {
    const std::string place = folder + "/" + supply;
    const std::string name = "power supply " + sanitized(supply, 40);
    const auto status = read_text(root / (place + "/status"));
    const double sign = status && *status == "Charging" ? -1 : 1;
    Reading direct = from_file(root, place + "/power_now", name, "W", 1e-6);
    if (!direct.value) {
      const Reading current = from_file(root, place + "/current_now", name, "A", 1e-6);
      const Reading voltage = from_file(root, place + "/voltage_now", name, "V", 1e-6);
      const std::string source = "/" + place + "/current_now * voltage_now";
      if (current.value && voltage.value)
        direct = known(name, "W", *current.value * *voltage.value, source);
      else direct = unknown(name, "W", source, current.value ? voltage.reason : current.reason);
    }
    // Drivers disagree about the sign of a current; the status is reliable.
    if (direct.value) direct.value = sign * std::abs(*direct.value);
    readings.push_back(std::move(direct));
  }
  return readings;
}

std::vector<Reading> power_between(const EnergySample& before, const EnergySample& after) {
  const double seconds = std::chrono::duration<double>(after.when - before.when).count();
  std::vector<Reading> readings = joules_between(before, after);
  for (Reading& reading : readings) {
    reading.name.replace(0, 6, "power");
    reading.unit = "W";
    if (!reading.value) continue;
    if (seconds > 0) *reading.value /= seconds;
    else
      reading =
          unknown(reading.name, "W", reading.source, "no time passed between the two readings");
  }
  return readings;
}

std::vector<Reading> power(const Root& root, const EnergySample& before,
                           const EnergySample& after) {
  std::vector<Reading> readings = power_between(before, after);
  for (Reading& reading : power_now(root)) readings.push_back(std::move(reading));
  if (readings.empty())
    readings.push_back(
        unknown("power", "W",
                "/sys/class/powercap/intel-rapl:*, /sys/class/hwmon/*/{power*,energy*}_input, "
                "/sys/class/power_supply/*",
                "absent"));
  return readings;
}

}  // namespace edgeprobe::meter
