// SPDX-License-Identifier: Apache-2.0
#include "meter/temperature.h"

#include "core/text.h"

namespace edgeprobe::meter {
namespace {

/// Drivers report values below absolute zero or hotter than any silicon if a sensor is missing.
bool plausible(double celsius) { return celsius > -273.15 && celsius < 1000; }

Reading checked(Reading reading) {
  if (!reading.value || plausible(*reading.value)) return reading;
  return unknown(reading.name, reading.unit, reading.source,
                 number(*reading.value) + " degC cannot be");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> hwmon_files(const Root& root,
                                                             const std::string& prefix,
                                                             const std::string& suffix) {
  std::vector<std::pair<std::string, std::string>> files;
  const auto devices = entries(root / "sys/class/hwmon");
  if (!devices) return files;
  for (const std::string& device : *devices) {
    const std::string folder = "sys/class/hwmon/" + device;
    const auto names = entries(root / folder);
    if (!names) continue;
    for (const std::string& name : *names) {
      if (name.size() <= prefix.size() + suffix.size() ||
          name.compare(0, prefix.size(), prefix) != 0 ||
          name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0)
        continue;
      const std::string between =
          name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
      if (whole_number(between)) files.emplace_back(folder, name);
    }
  }
  return files;
}

std::string hwmon_name(const Root& root, const std::string& device, const std::string& file) {
  const std::string channel = file.substr(0, file.find('_'));
  const auto chip = read_text(root / (device + "/name"));
  const auto label = read_text(root / (device + "/" + channel + "_label"));
  return sanitized(chip ? *chip : device.substr(device.rfind('/') + 1), 40) + " " +
         (label ? sanitized(*label, 40) : channel);
}

std::vector<Reading> temperature(const Root& root) {
  std::vector<Reading> readings;
  const std::string folder = "sys/class/thermal";
  const auto zones = entries(root / folder);
  if (zones)
    for (const std::string& zone : *zones) {
      if (zone.compare(0, 12, "thermal_zone") != 0) continue;
      const auto type = read_text(root / (folder + "/" + zone + "/type"));
      readings.push_back(checked(from_file(
          root, folder + "/" + zone + "/temp",
          "temperature " + zone + (type ? " " + sanitized(*type, 40) : ""), "degC", 1e-3)));
    }
  for (const auto& [device, file] : hwmon_files(root, "temp", "_input"))
    readings.push_back(checked(from_file(
        root, device + "/" + file, "temperature " + hwmon_name(root, device, file), "degC", 1e-3)));
  if (readings.empty())
    readings.push_back(unknown(
        "temperature", "degC", "/sys/class/thermal/thermal_zone*, /sys/class/hwmon/*/temp*_input",
        zones || zones.error().kind == ErrorKind::kNotFound ? "absent" : zones.error().what));
  return readings;
}

}  // namespace edgeprobe::meter
