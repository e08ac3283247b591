// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/detectors.h"

#include "compare/align/constants.h"
#include "core/text.h"
#include "diagnose/detectors/app/answers.h"
#include "diagnose/detectors/app/recorded_outputs.h"
#include "diagnose/detectors/app/scalars.h"
#include "diagnose/detectors/app/stages.h"
#include "diagnose/detectors/input/inner_state.h"
#include "diagnose/detectors/input/input.h"
#include "diagnose/detectors/input/input_scale_cause.h"
#include "diagnose/detectors/input/states_cause.h"
#include "diagnose/detectors/model/drift.h"
#include "diagnose/detectors/model/first_layer.h"
#include "diagnose/detectors/model/precision_cause.h"
#include "diagnose/detectors/model/recorded_fault.h"
#include "diagnose/examination/causes.h"
#include "diagnose/layer_causes/analysis.h"
#include "layers/pairing/pairing.h"

namespace edgeprobe::diagnose {
namespace {

// The input's scale, if its codes cannot hold the values the recipe makes.
Result<Findings> find_input_scale(const Examination& examined, const Control&) {
  Findings found;
  if (examined.input.scale)
    found.causes.push_back(
        input_scale_cause(*examined.input.scale, examined.study, examined.replays, examined.floor));
  return found;
}

// Faults of kernels, scales, constants and operators that the layer analysis names.
Result<Findings> find_layers(const Examination& examined, const Control&) {
  Findings found;
  if (!examined.layers) return found;
  found.causes = examined.suspected_layers;
  found.repaired_layers =
      judge_by_repair(found.causes, examined.study, examined.replays, examined.floor);
  found.layer_faults = summary_of(examined.study.known, *examined.layers);
  found.layer_figures = figures_of(examined.study.known, *examined.layers);
  return found;
}

// True if all compared outputs are equal bit for bit or are within the floor.
bool outputs_agree(const Examination& examined) {
  const compare::Agreement& agreement = examined.study.agreement;
  return agreement.exact ||
         (agreement.output_distance && *agreement.output_distance <= examined.floor);
}

// Finds two model files whose weights are not the same weights in two forms; needs both files.
Result<Findings> find_other_model(const Examination& examined, const Control&) {
  Findings found;
  const Case& known = examined.study.known;
  if (!known.target_model || !known.reference_pipeline) return found;
  const pipeline::Pipeline& target = *known.target_model;
  const pipeline::Pipeline& reference = *known.reference_pipeline;
  if (target.graph.sha256 == reference.graph.sha256) return found;
  auto constants = compare::compare_constants(reference.graph, reference.file, target.graph,
                                              target.file, mapping_of(known));
  if (!constants) return std::move(constants.error()).during("constants of the two models");
  if (!constants->other_model) return found;
  const bool agrees = outputs_agree(examined);
  // Few matching constants prove little if the layers' outputs do have partners.
  if (constants->few_pairs &&
      (agrees || !layers::pair_up(reference.graph, target.graph).is_poor())) {
    found.warnings.push_back("the weights of the two models were not compared: " +
                             constants->sentence);
    return found;
  }
  // Two files with the same answers may be two forms of one model, after folding or equalisation.
  if (agrees) {
    found.warnings.push_back(constants->sentence +
                             "; on these data the outputs agree within the floor all the same");
    return found;
  }
  Cause cause;
  cause.kind = CauseKind::kOtherModel;
  cause.status = CauseStatus::kConfirmed;
  cause.stage = CauseStage::kModel;
  cause.detail = "the target runs another model than the reference: " + constants->sentence;
  cause.restored_unavailable = Unavailable{UnavailableKind::kOnlyReferenceWeights};
  found.causes.push_back(std::move(cause));
  return found;
}

// Exchanged outputs: a fault, or only listed in another order.
Result<Findings> find_output_order(const Examination& examined, const Control&) {
  Findings found;
  if (examined.exchanged) found.causes.push_back(examined.exchanged->cause);
  for (const compare::SwappedOutputs& swapped : examined.study.agreement.swapped)
    if (!swapped.mistake)
      found.warnings.push_back(
          "the target lists its outputs in another order: '" + sanitized(swapped.first, 60) +
          "' is its '" + sanitized(swapped.first_target, 60) + "', '" +
          sanitized(swapped.second, 60) + "' its '" + sanitized(swapped.second_target, 60) +
          "'; an app that reads them by number gets the other one");
  return found;
}

// Causes are reported in this order, which follows the data: an earlier step can explain a later
// observation. A stage that the app itself logged and the scale of the input come before the faults
// that the search infers from the model input. Then follow layers in execution order, their model
// file, carried state, the outputs, and the app's answers. Causes of one detector are sorted by
// contribution. The first two detectors and the last name no cause: they measure the layers and the
// numbers that the app logged.
constexpr Detector kDetectors[] = {
    {"drift", find_drift},
    {"first_layer", find_first_layer},
    {"pipeline_stage", find_stages},
    {"input_scale", find_input_scale},
    {"input", find_input},
    {"precision", find_precision},
    {"layers", find_layers},
    {"recorded_fault", find_recorded_fault},
    {"other_model", find_other_model},
    {"states", find_states},
    {"inner_state", find_inner_state},
    {"output_order", find_output_order},
    {"recorded_outputs", find_recorded_outputs},
    {"postprocessing", find_answers},
    {"scalars", find_scalars},
};

}  // namespace

std::span<const Detector> detectors() { return kDetectors; }

}  // namespace edgeprobe::diagnose
