// SPDX-License-Identifier: Apache-2.0
#include "meter/energy_counters.h"

#include <algorithm>
#include <iterator>

#include "core/text.h"
#include "meter/power.h"
#include "meter/power_integral.h"

namespace edgeprobe::meter {
namespace {

bool begins(const std::string& text, const std::string& with) {
  return text.compare(0, with.size(), with) == 0;
}

/// Cores and graphics are parts of a package and would count twice: "package-0 core" is not a
/// package.
bool is_package(const EnergyCounter& counter) {
  return begins(counter.name, "package") && counter.name.find(' ') == std::string::npos;
}

/// Counter of the driver amd_energy.
bool is_socket(const EnergyCounter& counter) {
  return counter.name.find("Esocket") != std::string::npos;
}

/// Folder of a counter: "/sys/class/powercap".
std::string folder_of(const EnergyCounter& counter) {
  for (const char* const folder :
       {"/sys/class/powercap", "/sys/class/hwmon", "/sys/class/power_supply"})
    if (begins(counter.source, folder)) return folder;
  return counter.source;
}

/// The counters that measure the work, out of all available.
std::vector<EnergyCounter> chosen_of(const EnergySample& all, const std::string& wanted) {
  const auto those = [&](const auto& is_one) {
    std::vector<EnergyCounter> found;
    std::copy_if(all.counters.begin(), all.counters.end(), std::back_inserter(found), is_one);
    return found;
  };
  if (!wanted.empty()) return those([&](const EnergyCounter& one) { return one.name == wanted; });
  auto packages = those(is_package);
  if (!packages.empty()) return packages;
  auto sockets = those(is_socket);
  if (!sockets.empty()) return sockets;
  // A gauge is sampled at intervals; a counter misses nothing.
  auto counters = those([](const EnergyCounter& one) { return !is_gauge(one.name); });
  if (!counters.empty()) return counters;
  // Leaves out sources without a value, such as a mains adapter. If none has a value, any reason
  // will do.
  auto told = those([](const EnergyCounter& one) { return one.microjoules.has_value(); });
  return told.empty() ? all.counters : told;
}

std::string names_of(const std::vector<EnergyCounter>& counters, const char* between) {
  std::string names;
  for (const EnergyCounter& one : counters) names += (names.empty() ? "" : between) + one.name;
  return names;
}

}  // namespace

ChosenCounters choose_counters(const EnergySample& all, const std::string& wanted) {
  ChosenCounters chosen;
  chosen.counters = chosen_of(all, wanted);
  if (chosen.counters.empty()) {
    chosen.reason = wanted.empty()
                        ? "no counter of energy and no gauge of power: "
                          "/sys/class/powercap/intel-rapl:*, /sys/class/hwmon/*/energy*_input, "
                          "/sys/class/hwmon/*/power*_input and /sys/class/power_supply/* are "
                          "absent"
                        : "there is no counter of energy '" + sanitized(wanted, 100) + "'";
    return chosen;
  }
  const EnergyCounter& first = chosen.counters.front();
  const std::size_t count = chosen.counters.size();
  if (wanted.empty() && count > 1 && !is_package(first) && !is_socket(first)) {
    chosen.reason = "of " + std::to_string(count) +
                    " counters, none is known to include the others; name one of them: " +
                    sanitized(names_of(chosen.counters, ", "), 300);
    return chosen;
  }
  for (const EnergyCounter& one : chosen.counters)
    if (!one.microjoules) {
      chosen.reason = one.source + ": " + one.reason;
      return chosen;
    }
  chosen.source = names_of(chosen.counters, " + ") + " of " + folder_of(first);
  return chosen;
}

bool is_gauge(const std::string& counter) { return begins(counter, "gauge "); }

Status check_counter(const Root& root, const std::string& counter) {
  if (counter.empty()) return {};
  EnergySample all = energy(root);
  PowerIntegral gauges;
  gauges.look(std::chrono::steady_clock::now(), power_now(root));
  for (EnergyCounter& gauge : gauges.counters()) all.counters.push_back(std::move(gauge));
  if (!chosen_of(all, counter).empty()) return {};
  return Error{
      ErrorKind::kUsage,
      "'" + sanitized(counter, 100) + "' is not an energy counter here: " +
          (all.counters.empty() ? "there is none"
                                : "there are " + sanitized(names_of(all.counters, ", "), 600))};
}

}  // namespace edgeprobe::meter
