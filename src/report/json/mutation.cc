// SPDX-License-Identifier: Apache-2.0
#include "report/json/contract.h"

#include <nlohmann/json.hpp>

namespace edgeprobe::report {

std::string mutation_json(const contract::MutationReport& report) {
  using contract::Effect;
  using nlohmann::ordered_json;
  const std::size_t matters = report.count(Effect::kMatters),
                    caught = report.caught(Effect::kMatters);
  const auto score = matters > 0
                         ? ordered_json(static_cast<double>(caught) / static_cast<double>(matters))
                         : ordered_json(nullptr);
  ordered_json root{{"schema_version", 1},
                    {"outcome", matters == 0        ? "undecided"
                                : caught == matters ? "agrees"
                                                    : "differs"},
                    {"frames", report.frames},
                    {"floor", report.floor},
                    {"matters", matters},
                    {"caught", caught},
                    {"score", score},
                    {"broken", ordered_json::array()},
                    {"faults", ordered_json::array()}};
  for (const contract::Finding& one : report.broken) root["broken"].push_back(one.id);
  for (const contract::Mutant& one : report.mutants)
    root["faults"].push_back(
        {{"kind", one.kind},
         {"what", one.what},
         {"recipe", one.recipe},
         {"failure", one.failure.empty() ? ordered_json(nullptr) : ordered_json(one.failure)},
         {"effect",
          one.failure.empty() ? ordered_json(contract::name(one.effect)) : ordered_json(nullptr)},
         {"answers_changed", one.answers_changed},
         {"frames", one.frames},
         {"output_distance", one.distance ? ordered_json(*one.distance) : ordered_json(nullptr)},
         {"caught_by", one.caught_by}});
  root["not_planted"] = ordered_json::array();
  for (const contract::Unplanted& one : report.unplanted)
    root["not_planted"].push_back({{"kind", one.kind}, {"what", one.what}, {"why", one.why}});
  return root.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::report
