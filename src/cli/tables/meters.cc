// SPDX-License-Identifier: Apache-2.0
#include "cli/tables/meters.h"

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "report/text/columns.h"

namespace edgeprobe::cli {

std::string meters_text(const std::vector<meter::Group>& groups) {
  std::string text;
  for (const meter::Group& group : groups) {
    text += group.name + "\n";
    for (const meter::Reading& reading : group.readings) {
      const bool bytes = reading.unit == "B";
      const std::string value =
          !reading.value ? "-"
          : bytes        ? bytes_text(*reading.value)
                  : number(*reading.value, 6) + (reading.unit.empty() ? "" : " " + reading.unit);
      text += "  " + report::padded(sanitized(reading.name), 32) + report::padded(value, 18) +
              sanitized(reading.source, 200) +
              (reading.value ? "" : ": " + sanitized(reading.reason, 200)) + "\n";
    }
  }
  return text;
}

std::string meters_json(const std::vector<meter::Group>& groups) {
  nlohmann::ordered_json meters;
  for (const meter::Group& group : groups) {
    auto list = nlohmann::ordered_json::array();
    for (const meter::Reading& reading : group.readings) {
      nlohmann::ordered_json one{{"name", sanitized(reading.name)},
                                 {"value", reading.value ? nlohmann::ordered_json(*reading.value)
                                                         : nlohmann::ordered_json(nullptr)},
                                 {"unit", reading.unit},
                                 {"source", sanitized(reading.source, 200)}};
      if (!reading.value) one["reason"] = sanitized(reading.reason, 200);
      list.push_back(std::move(one));
    }
    meters[group.name] = std::move(list);
  }
  return nlohmann::ordered_json{{"meters", std::move(meters)}}.dump(2);
}

}  // namespace edgeprobe::cli
