// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/model/first_layer.h"

#include <algorithm>

#include "core/index.h"
#include "layers/pairing/pairing.h"

namespace edgeprobe::diagnose {
namespace {

// Distances of layers on the same model input, in execution order, with their descriptions.
struct Line {
  std::vector<compare::LayerDistance> distances;
  std::vector<FirstLayer> layers;
  bool integers = false;
};

bool any_codes(const Case& known) {
  return (known.reference_pipeline && layers::rounds_to_codes(known.reference_pipeline->graph)) ||
         (known.target_model && layers::rounds_to_codes(known.target_model->graph));
}

Line replayed(const Case& known, const layers::Analysis& analysis) {
  Line line;
  const model::Graph& reference = known.reference_pipeline->graph;
  line.integers = any_codes(known);
  for (const layers::Row& row : analysis.rows) {
    if (row.reference_layer < 0 || !row.nse) continue;
    line.distances.push_back({*row.nse, row.rmse_over_range, row.measured.error_gain.value_or(0)});
    line.layers.push_back({row.reference_layer,
                           layers::output_name(reference, row.reference_layer),
                           row.type,
                           0,
                           {}});
  }
  return line;
}

Line recorded(bool integers, const compare::Agreement& agreement) {
  Line line;
  line.integers = integers;
  double largest = 0;
  for (const compare::LayerAgreement& layer : agreement.layers) {
    if (layer.stage != trace::Stage::kLayer && layer.stage != trace::Stage::kModelOutput) continue;
    line.integers =
        line.integers || !is_float(layer.reference_dtype) || !is_float(layer.target_dtype);
    // A constant reference has no variance: without equality, the layer cannot be judged.
    if (!layer.distances.exact && !layer.distances.nse_error) continue;
    const double nse = layer.distances.exact ? 0 : *layer.distances.nse_error;
    const double floor = line.integers ? layers::kIntegerGainFloor : layers::kRealGainFloor;
    line.distances.push_back({nse, layer.distances.rmse_over_range, nse / (largest + floor)});
    largest = std::max(largest, nse);
    line.layers.push_back({layer.stage == trace::Stage::kLayer ? layer.position : -1,
                           layer.name,
                           layer.stage == trace::Stage::kLayer ? layer.type : "model output",
                           0,
                           {}});
  }
  return line;
}

std::optional<FirstLayer> first_of(const Line& line, std::optional<double> above) {
  const auto first = compare::first_difference(line.distances, line.integers, above);
  if (!first) return std::nullopt;
  FirstLayer layer = line.layers[first->layer];
  layer.before = first->layer;
  layer.difference = *first;
  return layer;
}

}  // namespace

std::optional<FirstLayer> first_recorded_layer(const compare::Agreement& agreement,
                                               std::optional<double> above) {
  if (!has_equal_inputs(agreement)) return std::nullopt;
  return first_of(recorded(false, agreement), above);
}

Result<Findings> find_first_layer(const Examination& examined, const Control&) {
  Findings found;
  const Case& known = examined.study.known;
  const bool replays = examined.layers && known.reference_pipeline &&
                       std::any_of(examined.layers->rows.begin(), examined.layers->rows.end(),
                                   [](const layers::Row& row) { return row.nse.has_value(); });
  if (!replays && !has_equal_inputs(examined.study.agreement)) return found;
  const Line line = replays ? replayed(known, *examined.layers)
                            : recorded(any_codes(known), examined.study.agreement);
  found.first_layer = first_of(line, known.first_above);
  return found;
}

}  // namespace edgeprobe::diagnose
