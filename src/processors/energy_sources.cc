// SPDX-License-Identifier: Apache-2.0
#include "processors/energy_sources.h"

#include <algorithm>

#include "core/text.h"
#include "meter/energy.h"
#include "meter/power.h"

namespace edgeprobe::processors {
namespace {

const std::string kSupplies = "sys/class/power_supply";

std::string text_of(const Host& host, const std::string& inside) {
  const auto text = meter::read_text(host.root / inside);
  return text ? sanitized(*text, 60) : "";
}

bool is_battery(const Host& host, const std::string& supply) {
  // A battery of a mouse or a keyboard has the scope "Device".
  return text_of(host, kSupplies + "/" + supply + "/type") == "Battery" &&
         text_of(host, kSupplies + "/" + supply + "/scope") != "Device";
}

bool runs_in_vm(const Host& host) {
  const auto cpuinfo = meter::read_text(host.root / "proc/cpuinfo");
  if (cpuinfo && cpuinfo->find(" hypervisor") != std::string::npos) return true;
  std::error_code unknown;
  return std::filesystem::exists(host.root / "sys/hypervisor/type", unknown) ||
         std::filesystem::exists(host.root / "proc/device-tree/hypervisor", unknown);
}

void add_supplies(const Host& host, EnergySources& found) {
  const auto supplies = meter::entries(host.root / kSupplies);
  if (!supplies) return;
  for (const std::string& supply : *supplies) {
    const std::string folder = kSupplies + "/" + supply;
    if (is_battery(host, supply)) {
      // Of several batteries, report the one that is in use.
      const std::string status = text_of(host, folder + "/status");
      if (found.battery.empty() || status == "Discharging")
        found.battery = status.empty() ? "Unknown" : status;
    } else if (text_of(host, folder + "/type") != "Battery" &&
               text_of(host, folder + "/online") == "1") {
      found.chargers.push_back(sanitized(supply, 40));
    }
  }
}

/// Power-measuring chips accessible through Linux's Industrial I/O.
void add_iio(const Host& host, EnergySources& found) {
  const std::string folder = "sys/bus/iio/devices";
  const auto devices = meter::entries(host.root / folder);
  if (!devices) return;
  for (const std::string& device : *devices) {
    const auto files = meter::entries(host.root / (folder + "/" + device));
    if (!files) continue;
    const auto at = std::find_if(files->begin(), files->end(), [](const std::string& file) {
      return file == "energy_value" || file.starts_with("in_power") ||
             file.starts_with("in_energy");
    });
    if (at == files->end()) continue;
    const std::string file = folder + "/" + device + "/" + *at;
    const auto text = meter::read_text(host.root / file);
    found.all.push_back(
        {"IIO " + text_of(host, folder + "/" + device + "/name"), EnergySource::Kind::kRail,
         "/" + file, text ? "edgeprobe reads no power from Industrial I/O" : text.error().what});
  }
}

}  // namespace

const char* name(EnergySource::Kind kind) {
  switch (kind) {
    case EnergySource::Kind::kRail: return "rail";
    case EnergySource::Kind::kBattery: return "battery";
    case EnergySource::Kind::kCounter: break;
  }
  return "counter";
}

EnergySources energy_sources(const Host& host) {
  EnergySources found;
  found.is_virtual = runs_in_vm(host);
  for (const meter::EnergyCounter& counter : meter::energy(host.root).counters)
    found.all.push_back(
        {counter.name, EnergySource::Kind::kCounter, counter.source, counter.reason});
  for (const meter::Reading& reading : meter::power_now(host.root)) {
    constexpr std::string_view kSupply = "power supply ";
    const bool supply = reading.name.starts_with(kSupply);
    if (supply && !is_battery(host, reading.name.substr(kSupply.size()))) continue;
    found.all.push_back({reading.name,
                         supply ? EnergySource::Kind::kBattery : EnergySource::Kind::kRail,
                         reading.source, reading.reason});
  }
  add_iio(host, found);
  add_supplies(host, found);
  return found;
}

}  // namespace edgeprobe::processors
