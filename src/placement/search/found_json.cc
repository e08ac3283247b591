// SPDX-License-Identifier: Apache-2.0
#include "placement/search/found.h"

#include <ctime>
#include <nlohmann/json.hpp>

namespace edgeprobe::placement {
namespace {

using nlohmann::ordered_json;

template <class Value>
ordered_json or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json json_of(const Candidate& candidate) {
  ordered_json processes = ordered_json::array();
  for (const Timing& timing : candidate.processes)
    processes.push_back(ordered_json::parse(to_json(timing)));
  ordered_json json{{"name", candidate.name},
                    {"plain", candidate.is_plain},
                    {"pieces", candidate.plan.pieces.size()},
                    {"predicted", or_null(candidate.predicted)},
                    {"predicted_alone", or_null(candidate.predicted_alone)},
                    {"median", nullptr},
                    {"low", nullptr},
                    {"high", nullptr},
                    {"quiet_processes", 0},
                    {"modes", ordered_json::array()},
                    {"processes", std::move(processes)},
                    {"difference", nullptr},
                    {"refused", candidate.refused.empty() ? ordered_json(nullptr)
                                                          : ordered_json(candidate.refused)}};
  if (const auto& evidence = candidate.evidence) {
    json["median"] = evidence->median;
    json["low"] = or_null(evidence->low);
    json["high"] = or_null(evidence->high);
    json["quiet_processes"] = evidence->quiet_processes;
    for (const Mode& mode : evidence->modes)
      json["modes"].push_back({{"seconds", mode.seconds}, {"processes", mode.processes}});
  }
  if (candidate.difference)
    json["difference"] = ordered_json::parse(to_json(*candidate.difference));
  return json;
}

}  // namespace

std::string moment_text(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm utc{};
  char text[32];
  if (!gmtime_r(&time, &utc) || std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
    return "?";
  return text;
}

std::string to_json(const Found& found) {
  ordered_json json{{"answer", found.answer},
                    {"decided", found.decided},
                    {"branches", found.branches},
                    {"chosen", found.candidates.at(found.chosen).name},
                    {"ratio", or_null(found.ratio)},
                    {"pieces_measured", found.pieces_measured},
                    {"pieces_known", found.pieces_known},
                    {"measured_at", moment_text(found.measured_at)},
                    {"from_cache", found.is_kept},
                    {"candidates", ordered_json::array()}};
  for (const Candidate& candidate : found.candidates)
    json["candidates"].push_back(json_of(candidate));
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace edgeprobe::placement
