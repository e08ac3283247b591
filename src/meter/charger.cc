// SPDX-License-Identifier: Apache-2.0
#include "meter/net_energy.h"

#include "core/text.h"

namespace edgeprobe::meter {

std::string on_charger(const Root& root) {
  const std::string folder = "sys/class/power_supply";
  const auto supplies = entries(root / folder);
  if (!supplies) return "";
  bool battery = false;
  std::string charger;
  for (const std::string& supply : *supplies) {
    const auto tells = [&](const char* what) {
      const auto text = read_text(root / (folder + "/" + supply + "/" + what));
      return text ? *text : std::string();
    };
    if (tells("scope") == "Device") continue;
    const std::string name = "/" + folder + "/" + sanitized(supply, 40);
    const std::string status = tells("status"), type = tells("type");
    if (type == "Battery" || (type.empty() && !status.empty())) {
      battery = true;
      if (status != "" && status != "Discharging" && status != "Unknown")
        return "on a charger (" + name + " says '" + sanitized(status, 40) + "'); unplug it";
    } else if (tells("online") == "1") {
      charger = "on a charger (" + name + " is online); unplug it";
    }
  }
  return battery ? charger : "";
}

}  // namespace edgeprobe::meter
