// SPDX-License-Identifier: Apache-2.0
#include "fleet/devices.h"

#include <map>
#include <utility>

#include "stats/quantile.h"

namespace edgeprobe::fleet {

std::vector<Device> devices_of(const std::vector<Recording>& recordings) {
  std::vector<Device> devices;
  std::map<std::string, std::size_t> places;
  std::map<std::size_t, std::map<std::string, std::vector<double>>> numbers;
  for (const Recording& recording : recordings) {
    if (!recording.fails) continue;
    const std::string& id = recording.facts.device;
    const auto known = id.empty() ? places.end() : places.find(id);
    const std::size_t place = known == places.end() ? devices.size() : known->second;
    if (known == places.end()) {
      devices.push_back({id.empty() ? recording.file : id, recording.facts, *recording.fails});
      if (!id.empty()) places[id] = place;
    } else {
      Device& device = devices[place];
      device.fails = device.fails || *recording.fails;
      for (const auto& [name, text] : recording.facts.texts)
        if (const auto [at, is_new] = device.facts.texts.emplace(name, text);
            !is_new && at->second != text)
          at->second = "(several)";
      device.facts.numbers.insert(recording.facts.numbers.begin(), recording.facts.numbers.end());
    }
    for (const auto& [name, number] : recording.facts.numbers)
      numbers[place][name].push_back(number.value);
  }
  for (auto& [place, by_name] : numbers)
    for (auto& [name, values] : by_name)
      devices[place].facts.numbers[name].value = stats::median(values);
  return devices;
}

}  // namespace edgeprobe::fleet
