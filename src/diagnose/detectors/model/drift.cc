// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/model/drift.h"

#include <algorithm>

#include "core/text.h"
#include "diagnose/detectors/model/constant_inputs.h"

namespace edgeprobe::diagnose {
namespace {

std::string type_of(const compare::LayerAgreement& layer) {
  switch (layer.stage) {
    case trace::Stage::kModelInput: return "model input";
    case trace::Stage::kModelOutput: return "model output";
    case trace::Stage::kIntermediate: return "pipeline stage";
    default: return layer.type;
  }
}

}  // namespace

std::vector<LayerDrift> layer_drifts(const compare::Agreement& agreement) {
  std::vector<LayerDrift> layers;
  for (const compare::LayerAgreement& layer : agreement.layers) {
    LayerDrift drift;
    drift.index = layer.stage == trace::Stage::kLayer ? layer.position : -1;
    drift.name = layer.name;
    drift.target_name = layer.target_name;
    drift.type = type_of(layer);
    drift.distances = layer.distances;
    drift.moments = layer.moments;
    drift.reference_kinds = layer.reference_kinds;
    drift.target_kinds = layer.target_kinds;
    drift.worst_channel = layer.worst_channel;
    drift.frames = layer.frames;
    layers.push_back(std::move(drift));
  }
  return layers;
}

Coverage coverage_of(const compare::Agreement& agreement) {
  Coverage coverage;
  coverage.frames = agreement.frames_target;
  coverage.frames_compared = agreement.frames.size();
  for (const compare::LayerAgreement& layer : agreement.layers)
    if (layer.stage == trace::Stage::kLayer)
      coverage.frames_with_layers = std::max(coverage.frames_with_layers, layer.frames);
  coverage.layers_reference = agreement.tensors_reference;
  coverage.layers_target = agreement.tensors_target;
  coverage.layers_matched = agreement.tensors_matched;
  coverage.unmatched = agreement.unmatched_reference;
  coverage.unmatched.insert(coverage.unmatched.end(), agreement.unmatched_target.begin(),
                            agreement.unmatched_target.end());
  return coverage;
}

Result<Findings> find_drift(const Examination& examined, const Control&) {
  const compare::Agreement& agreement = examined.study.agreement;
  Findings found;
  found.layers = layer_drifts(agreement);
  found.coverage = coverage_of(agreement);
  for (const std::string& problem : agreement.problems)
    found.warnings.push_back("comparison: " + sanitized(problem, 400));
  const Case& known = examined.study.known;
  if (known.target && known.reference && has_constant_inputs(*known.target) &&
      has_constant_inputs(*known.reference))
    found.warnings.push_back(
        "every model input that was examined is constant (one value in all of its elements): what "
        "only varied inputs show, such as the order of rows or channels, a padding, or which layer "
        "is wrong, cannot be determined from these frames");
  // Only compared if the reference was not replayed: a replay reads the target's own raw inputs, in
  // their recorded type.
  if (!known.reference_replayed && agreement.raw_compared > agreement.raw_equal)
    found.warnings.push_back(std::to_string(agreement.raw_compared - agreement.raw_equal) + " of " +
                             std::to_string(agreement.raw_compared) +
                             " raw inputs differ between the two traces");
  return found;
}

}  // namespace edgeprobe::diagnose
