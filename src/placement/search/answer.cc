// SPDX-License-Identifier: Apache-2.0
#include "placement/search/answer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "stretch/schedule.h"

namespace edgeprobe::placement {
namespace {

using nlohmann::ordered_json;

/// JSON has no infinity, which is the distance of outputs with a value that is not a number.
ordered_json distance_json(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}
double distance_from(const ordered_json& json) {
  return json.is_null() ? HUGE_VAL : json.get<double>();
}

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json json_of(const Candidate& candidate) {
  ordered_json processes = ordered_json::array();
  for (const Timing& timing : candidate.processes)
    processes.push_back(ordered_json::parse(to_json(timing)));
  ordered_json json{{"name", candidate.name},
                    {"plain", candidate.is_plain},
                    {"plan", to_json(candidate.plan)},
                    {"predicted", or_null(candidate.predicted)},
                    {"predicted_alone", or_null(candidate.predicted_alone)},
                    {"processes", std::move(processes)},
                    {"difference", nullptr},
                    {"refused", candidate.refused}};
  if (const auto& difference = candidate.difference)
    json["difference"] = {{"relative", distance_json(difference->relative)},
                          {"absolute", distance_json(difference->absolute)},
                          {"inputs", difference->inputs},
                          {"other_answer", difference->other_answer},
                          {"bit_equal", difference->bit_equal},
                          {"excess", distance_json(difference->excess)},
                          {"own", difference->own},
                          {"worst", difference->worst}};
  return json;
}

/// Throws like nlohmann's at() and get() for another text; `graph` decides whether a plan fits this
/// model.
std::optional<Candidate> candidate_from(const ordered_json& json, const model::Graph& graph) {
  Candidate candidate;
  candidate.name = json.at("name").get<std::string>();
  candidate.is_plain = json.at("plain").get<bool>();
  auto plan = stretch::read_plan(json.at("plan").get<std::string>());
  // The pieces of a plan with splits refer to another graph; the hash already shows that the text
  // is intact.
  if (!plan || !stretch::check_model(*plan, graph)) return std::nullopt;
  if (plan->splits.empty() && !stretch::schedule_of(*plan, graph)) return std::nullopt;
  candidate.plan = *std::move(plan);
  if (!json.at("predicted").is_null()) candidate.predicted = json.at("predicted").get<double>();
  if (!json.at("predicted_alone").is_null())
    candidate.predicted_alone = json.at("predicted_alone").get<double>();
  for (const ordered_json& one : json.at("processes")) {
    const auto timing = timing_from_json(one.dump());
    if (!timing) return std::nullopt;
    candidate.processes.push_back(*timing);
  }
  candidate.evidence = evidence_of(way_of(candidate));
  candidate.refused = json.at("refused").get<std::string>();
  const ordered_json& difference = json.at("difference");
  if (difference.is_null()) return candidate;
  candidate.difference = Difference{
      distance_from(difference.at("relative")),   distance_from(difference.at("absolute")),
      difference.at("inputs").get<std::size_t>(), difference.at("other_answer").get<std::size_t>(),
      difference.at("bit_equal").get<bool>(),     difference.at("worst").get<std::string>(),
      distance_from(difference.at("excess")),     difference.at("own").get<double>()};
  return candidate;
}

}  // namespace

std::string answer_text(const Found& found) {
  ordered_json json{{"measured_at", found.measured_at},
                    {"otherwise", found.otherwise},
                    {"pieces", found.pieces_measured + found.pieces_known},
                    {"candidates", ordered_json::array()}};
  for (const Candidate& candidate : found.candidates)
    json["candidates"].push_back(json_of(candidate));
  const std::string text = json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  // A hash, because a changed digit would go unnoticed.
  return sha256(view_of(text)) + "\n" + text;
}

std::optional<Found> answer_from_text(std::string_view text, const model::Graph& graph,
                                      std::int64_t now) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view body = text.substr(end + 1);
  if (text.substr(0, end) != sha256(view_of(body))) return std::nullopt;
  Found found;
  found.is_kept = true;
  try {
    const auto json = ordered_json::parse(body);
    found.measured_at = json.at("measured_at").get<std::int64_t>();
    found.otherwise = json.at("otherwise").get<std::string>();
    found.pieces_known = json.at("pieces").get<std::size_t>();
    for (const ordered_json& one : json.at("candidates")) {
      auto candidate = candidate_from(one, graph);
      if (!candidate) return std::nullopt;
      found.candidates.push_back(*std::move(candidate));
    }
  } catch (const ordered_json::exception&) {
    return std::nullopt;
  }
  if (found.measured_at > now || now - found.measured_at > kLongestKept) return std::nullopt;
  if (std::none_of(found.candidates.begin(), found.candidates.end(), [](const Candidate& one) {
        return one.is_plain && one.refused.empty() && one.evidence;
      }))
    return std::nullopt;
  decide(found, found.otherwise);
  if (!found.decided) return std::nullopt;
  return found;
}

bool is_lasting(const Found& found) {
  return found.decided &&
         std::all_of(found.candidates.begin(), found.candidates.end(), [](const Candidate& one) {
           return one.refused.empty() || (one.difference && !is_same(*one.difference));
         });
}

}  // namespace edgeprobe::placement
