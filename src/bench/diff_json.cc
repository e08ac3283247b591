// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "bench/json.h"
#include "core/text.h"

namespace edgeprobe::bench {
namespace {

using Json = nlohmann::ordered_json;

Json comparison_json(const Comparison& one) {
  return {{"what", sanitized(one.what, 400)},
          {"layers", one.layers},
          {"a_median", one.a},
          {"b_median", one.b},
          {"a_runs", one.runs_a},
          {"b_runs", one.runs_b},
          {"ratio", one.ratio.value},
          {"ratio_interval", {one.ratio.low, one.ratio.high}},
          {"p", one.p},
          {"p_adjusted", one.adjusted},
          {"superiority", one.probability_of_superiority},
          {"ratios", one.ratios},
          {"change", name(one.change)}};
}

}  // namespace

std::string to_json(const Diff& diff, const DiffOptions& options) {
  Json json{{"edgeprobe_bench_diff", 1},
            {"threshold", options.threshold},
            {"layer_floor", options.layer_floor},
            {"significance", options.significance},
            {"regression", diff.slower > 0},
            {"slower", diff.slower},
            {"undecided", diff.slower == 0 && diff.undecided > 0},
            {"notes", diff.notes}};
  json["configurations"] = Json::array();
  for (const ConfigurationDiff& one : diff.configurations) {
    Json kernels = Json::array();
    for (const Comparison& kernel : one.kernels) kernels.push_back(comparison_json(kernel));
    json["configurations"].push_back(
        {{"name", sanitized(one.name)},
         {"runs", one.quiet ? "quiet" : "all"},
         {"rounds", one.rounds},
         {"inference", comparison_json(one.overall)},
         {"throughput_ratio", one.throughput_ratio ? Json(*one.throughput_ratio) : Json(nullptr)},
         {"kernels", std::move(kernels)},
         {"only_in_a", one.only_in_a},
         {"only_in_b", one.only_in_b}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace edgeprobe::bench
