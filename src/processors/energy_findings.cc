// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "processors/energy_sources.h"

namespace edgeprobe::processors {
namespace {

using Kind = EnergySource::Kind;

const EnergySource* find(const EnergySources& sources, Kind kind, bool works) {
  for (const EnergySource& source : sources.all)
    if (source.kind == kind && source.reason.empty() == works) return &source;
  return nullptr;
}

bool is_fed(const EnergySources& sources) {
  return !sources.chargers.empty() ||
         (!sources.battery.empty() && sources.battery != "Discharging" &&
          sources.battery != "Unknown");
}

Finding unreadable(const Host& host, const EnergySource& source) {
  const std::size_t slash = source.source.rfind('/');
  if (source.reason != "not permitted")
    return {Severity::kProblem,
            "energy_unreadable",
            "The counter " + source.name + " (" + source.source +
                ") reports no energy: " + source.reason + ".",
            "Its driver is at fault; load it again, or measure with an instrument.",
            {}};
  const bool rapl = source.source.find("intel-rapl") != std::string::npos;
  return {Severity::kProblem,
          "energy_not_permitted",
          "The energy counters exist, but " + source.source + " may not be read by this user" +
              (rapl ? ": since 2020, kernels let only root read them, because they reveal to other "
                      "users what is computed."
                    : "."),
          "Until the next start of the system let everybody read them, or run edgeprobe as root:",
          {as_root(host, rapl ? "chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj"
                              : "chmod a+r " + source.source.substr(0, slash) + "/energy*_input")}};
}

Finding fed(const Host& host, const EnergySources& sources) {
  std::string by;
  for (const std::string& one : sources.chargers) by += (by.empty() ? "" : ", ") + one;
  Finding finding{Severity::kProblem,
                  "external_power",
                  "The device is fed from outside (" +
                      (by.empty() ? "the battery is '" + sources.battery + "'" : by) +
                      "): the battery's current then shows how the battery charges, not how much a "
                      "model takes. USB counts as well.",
                  "Unplug it while energy is measured; a device at a USB cable is reached over the "
                  "network in its place:",
                  {}};
  if (host.is_android()) finding.commands = {"adb tcpip 5555 && adb connect DEVICE:5555"};
  else finding.commands = {"edgeprobe bench MODEL --target ssh://DEVICE"};
  return finding;
}

Finding nothing(const EnergySources& sources) {
  if (sources.is_virtual)
    return {Severity::kWarning,
            "no_energy_counters",
            "This is a virtual machine, and its host passes no energy counter through: energy is "
            "unknown here and reported as null.",
            "Measure energy on the device itself; only core-seconds are known here.",
            {}};
  return {
      Severity::kWarning,
      "no_energy_counters",
      "This machine has no source of energy readings: no powercap zone, no hwmon with energy or "
      "power, no battery. Energy is reported as null.",
      "Load the driver of the processor's counters (Intel, AMD), or measure with an instrument at "
      "the supply.",
      {"modprobe intel_rapl_msr"}};
}

}  // namespace

std::vector<Finding> energy_findings(const Host& host, const EnergySources& sources) {
  std::vector<Finding> findings;
  const bool counters = find(sources, Kind::kCounter, true) != nullptr;
  const EnergySource* const bad_counter = find(sources, Kind::kCounter, false);
  const bool rails =
      std::any_of(sources.all.begin(), sources.all.end(), [](const EnergySource& one) {
        return one.kind == Kind::kRail &&
               (one.reason.empty() || one.source.find("/iio/") != std::string::npos);
      });
  if (!counters && bad_counter) findings.push_back(unreadable(host, *bad_counter));
  const EnergySource* const battery = find(sources, Kind::kBattery, true);
  const EnergySource* const mute = find(sources, Kind::kBattery, false);
  if (counters || rails) {
    if (counters && sources.battery == "Discharging")
      findings.push_back({Severity::kNote,
                          "on_battery",
                          "The device runs on its battery, and many then lower their clock rates.",
                          "The counters report energy either way; plug it in to measure latencies.",
                          {}});
    return findings;
  }
  if (battery && is_fed(sources)) findings.push_back(fed(host, sources));
  else if (battery)
    findings.push_back(
        {Severity::kNote,
         "battery_only",
         "Energy comes from the battery's gauge (" + battery->source +
             "): the whole device with its screen and radios, renewed once a second or less often.",
         "Darken the screen, switch radios off, and measure for a minute or more.",
         {}});
  else if (mute)
    findings.push_back({Severity::kWarning,
                        "battery_without_current",
                        "The battery's gauge reports no power (" + mute->source + ": " +
                            mute->reason + "): energy is reported as null.",
                        "Measure with an instrument at the supply.",
                        {}});
  else if (!bad_counter) {
    Finding none = nothing(sources);
    for (std::string& command : none.commands) command = as_root(host, command);
    findings.push_back(std::move(none));
  }
  return findings;
}

}  // namespace edgeprobe::processors
