// SPDX-License-Identifier: Apache-2.0
#include "meter/energy.h"

#include "core/text.h"
#include "meter/temperature.h"

namespace edgeprobe::meter {
namespace {

EnergyCounter counter(const Root& root, std::string name, const std::string& file,
                      const std::string& range) {
  EnergyCounter counter{std::move(name), "/" + file, std::nullopt, std::nullopt, {}};
  const auto text = read_text(root / file);
  if (!text) {
    counter.reason = text.error().what;
    return counter;
  }
  counter.microjoules = whole_number(*text);
  if (!counter.microjoules || *counter.microjoules < 0) {
    counter.microjoules.reset();
    counter.reason = "'" + sanitized(*text, 40) + "' is not a whole number";
  }
  if (!range.empty())
    if (const auto most = read_text(root / range)) counter.range = whole_number(*most);
  return counter;
}

}  // namespace

EnergySample energy(const Root& root) {
  EnergySample sample;
  sample.when = std::chrono::steady_clock::now();
  const std::string folder = "sys/class/powercap";
  if (const auto zones = entries(root / folder))
    for (const std::string& zone : *zones) {
      // "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it; plain "intel-rapl" contains
      // them, and the same counters through MMIO ("intel-rapl-mmio:0") would count twice.
      if (zone.compare(0, 11, "intel-rapl:") != 0) continue;
      const auto name_of = [&](const std::string& place) {
        const auto text = read_text(root / (folder + "/" + place + "/name"));
        return text ? sanitized(*text, 40) : place;
      };
      const std::size_t part = zone.find(':', 11);
      std::string name = part == std::string::npos
                             ? name_of(zone)
                             : name_of(zone.substr(0, part)) + " " + name_of(zone);
      sample.counters.push_back(counter(root, std::move(name), folder + "/" + zone + "/energy_uj",
                                        folder + "/" + zone + "/max_energy_range_uj"));
    }
  for (const auto& [device, file] : hwmon_files(root, "energy", "_input"))
    sample.counters.push_back(
        counter(root, hwmon_name(root, device, file), device + "/" + file, ""));
  return sample;
}

std::vector<Reading> joules_between(const EnergySample& before, const EnergySample& after) {
  std::vector<Reading> readings;
  for (const EnergyCounter& first : before.counters)
    for (const EnergyCounter& second : after.counters) {
      if (first.source != second.source) continue;
      const std::string name = "energy " + first.name;
      if (!first.microjoules || !second.microjoules) {
        readings.push_back(
            unknown(name, "J", first.source, first.microjoules ? second.reason : first.reason));
        continue;
      }
      std::int64_t used = *second.microjoules - *first.microjoules;
      if (used < 0 && first.range && *first.range >= *first.microjoules) used += *first.range + 1;
      if (used < 0)
        readings.push_back(unknown(name, "J", first.source,
                                   "the counter started again, and its range is unknown"));
      else readings.push_back(known(name, "J", static_cast<double>(used) * 1e-6, first.source));
      break;
    }
  return readings;
}

}  // namespace edgeprobe::meter
