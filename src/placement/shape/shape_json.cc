// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "placement/shape/shape.h"
#include "stats/quantile.h"

namespace edgeprobe::placement::shape {
namespace {

using nlohmann::ordered_json;

ordered_json figure_json(const std::optional<Figure>& figure) {
  if (!figure) return nullptr;
  return {{"median_s", figure->median},     {"low_s", figure->low},
          {"high_s", figure->high},         {"quiet_processes", figure->quiet},
          {"processes", figure->processes}, {"known", is_known(figure)}};
}

ordered_json stages_json(const std::vector<StageShape>& stages,
                         const std::vector<std::string>& names) {
  ordered_json list = ordered_json::array();
  for (const StageShape& stage : stages) {
    ordered_json branches = ordered_json::array();
    for (const BranchShape& one : stage)
      branches.push_back(
          {{"processor", names[one.processor]}, {"depth", one.depth}, {"width", one.width}});
    list.push_back(std::move(branches));
  }
  return list;
}

}  // namespace

std::string to_json(const Found& found, const Options& options) {
  ordered_json json = {
      {"schema_version", 1},
      {"answer", found.answer.text},
      {"decided", found.answer.is_decided},
      {"branch", found.answer.branches},
      {"bounds",
       {{"main_share", options.bounds.main},
        {"sum_share", options.bounds.sum},
        {"depth_share", options.bounds.depth},
        {"field_share", options.bounds.field},
        {"grid", options.grid}}},
      {"points",
       {{"measured", found.measured}, {"from_cache", found.known}, {"noisy", found.noisy}}}};
  json["widths"] = found.widths;
  json["held_out"] = {{"points", found.errors.size()}};
  if (!found.errors.empty()) {
    json["held_out"]["median_error"] = stats::quantile(found.errors, 0.5);
    json["held_out"]["largest_error"] = found.errors.back();
  }
  json["processors"] = ordered_json::array();
  for (std::size_t i = 0; i < options.names.size(); ++i) {
    const stretch::Processor& one = options.processors[i];
    json["processors"].push_back({{"name", options.names[i]},
                                  {"engine", one.engine},
                                  {"cpus", one.cpus},
                                  {"delegate", one.delegate},
                                  {"emulated_slowdown", one.emulated_slowdown}});
  }
  json["candidates"] = ordered_json::array();
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    const Candidate& one = found.candidates[i];
    ordered_json row = {{"name", one.name},
                        {"kind", name(one.role)},
                        {"configuration", one.stem + ".yml"},
                        {"plan", one.plan_stem + ".json"}};
    row["predicted_s"] = one.predicted ? ordered_json(*one.predicted) : ordered_json(nullptr);
    row["measured"] = figure_json(figure_of(one.processes));
    row["macs"] = static_cast<std::uint64_t>(one.macs);
    row["longest_way_macs"] = static_cast<std::uint64_t>(one.longest_way);
    row["parameters"] = static_cast<std::uint64_t>(one.parameters);
    row["receptive_field"] = one.field;
    if (!one.stages.empty()) row["stages"] = stages_json(one.stages, options.names);
    row["chosen"] = found.answer.chosen == i;
    row["refused"] = one.refused;
    json["candidates"].push_back(std::move(row));
  }
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace edgeprobe::placement::shape
