// SPDX-License-Identifier: Apache-2.0
#include "report/json/node_data.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace edgeprobe::report {
namespace {

using nlohmann::ordered_json;

/// Colour of a node with a value of at most `value`.
struct Threshold {
  double value;
  const char* color;
};
// White for rounding, then from yellow to red. The last one has no upper limit.
constexpr Threshold kThresholds[] = {{1e-5, "#ffffff"}, {1e-3, "#fff3c4"}, {1e-2, "#ffd180"},
                                     {3e-2, "#ffab40"}, {1e-1, "#f4511e"}, {1e300, "#b71c1c"}};
constexpr const char* kNotFinite = "NaN or infinite";
constexpr const char* kNotFiniteColor = "#6a1b9a";
// A file whose `results` has this key is read as data of several graphs.
constexpr const char* kReserved = "results";

bool is_worse(const TensorDrift& one, const TensorDrift& other) {
  if ((one.non_finite > 0) != (other.non_finite > 0)) return one.non_finite > 0;
  return one.nrmse.value_or(0) > other.nrmse.value_or(0);
}

template <class Layer>
TensorDrift drift_of(const Layer& layer) {
  const auto& nrmse = layer.distances.rmse_over_range;
  return {layer.target_name.empty() ? layer.name : layer.target_name,
          nrmse && std::isfinite(*nrmse) ? nrmse : std::nullopt, layer.moments.non_finite_mismatch};
}

}  // namespace

std::vector<TensorDrift> tensor_drifts(const compare::Agreement& agreement) {
  std::vector<TensorDrift> drifts;
  for (const compare::LayerAgreement& layer : agreement.layers)
    if (layer.stage == trace::Stage::kModelInput || layer.stage == trace::Stage::kLayer ||
        layer.stage == trace::Stage::kModelOutput)
      drifts.push_back(drift_of(layer));
  return drifts;
}

std::vector<TensorDrift> tensor_drifts(const diagnose::Verdict& verdict) {
  std::vector<TensorDrift> drifts;
  for (const diagnose::LayerDrift& layer : verdict.layers) drifts.push_back(drift_of(layer));
  return drifts;
}

std::string node_data_text(const std::vector<TensorDrift>& drifts) {
  std::map<std::string, TensorDrift> worst;
  for (const TensorDrift& drift : drifts) {
    if (drift.name == kReserved || (!drift.nrmse && drift.non_finite == 0)) continue;
    const auto [place, is_new] = worst.emplace(drift.name, drift);
    if (!is_new && is_worse(drift, place->second)) place->second = drift;
  }
  ordered_json results = ordered_json::object();
  for (const auto& [name, drift] : worst)
    results[name] = drift.non_finite > 0 ? ordered_json{{"value", kNotFinite},
                                                        {"bgColor", kNotFiniteColor},
                                                        {"textColor", "#ffffff"}}
                                         : ordered_json{{"value", *drift.nrmse}};
  ordered_json thresholds = ordered_json::array();
  for (const Threshold& threshold : kThresholds)
    thresholds.push_back({{"value", threshold.value}, {"bgColor", threshold.color}});
  const ordered_json data = {{"edgeprobe_node_data", 1},
                             {"name", "drift (RMSE over range)"},
                             {"thresholds", std::move(thresholds)},
                             {"results", std::move(results)}};
  return data.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::report
