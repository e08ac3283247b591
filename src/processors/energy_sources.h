// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "processors/finding.h"
#include "processors/host.h"

namespace edgeprobe::processors {

/// An actual or possible source of energy or power readings.
struct EnergySource {
  enum class Kind { kCounter, kRail, kBattery };

  std::string name;  ///< "energy package-0", "power supply BAT0".
  Kind kind = Kind::kCounter;
  std::string source;  ///< The file to read.
  std::string reason;  ///< Why it reports nothing: "not permitted"; "" if it does.
};
/// "counter", "rail", "battery".
const char* name(EnergySource::Kind kind);

struct EnergySources {
  std::vector<EnergySource> all;
  std::vector<std::string> chargers;  ///< Supplies that currently feed the device: "AC", "usb".
  std::string battery;                ///< "Discharging", "Charging", …; "" without a battery.
  bool is_virtual = false;            ///< True in a virtual machine.
};

EnergySources energy_sources(const Host& host);
std::vector<Finding> energy_findings(const Host& host, const EnergySources& sources);

}  // namespace edgeprobe::processors
