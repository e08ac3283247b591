// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layer_causes/layer_causes.h"

#include <algorithm>

#include "core/index.h"
#include "core/text.h"
#include "layers/pairing/pairing.h"
#include "model/cut.h"
#include "model/dynamic_quantization.h"
#include "model/qdq.h"

namespace edgeprobe::diagnose {
namespace {

void say_operator(const Case& known, const layers::Analysis& analysis,
                  const layers::Finding& finding, const std::string& where, Cause& cause) {
  if (finding.sequence) {
    cause.kind = CauseKind::kOperator;
    cause.detail = "up to " + where + " " + sequence_text(known, *finding.sequence);
    return;
  }
  const OperatorDifference said = operator_difference(known, analysis, analysis.rows[finding.pair]);
  cause.kind = said.text.empty() ? CauseKind::kUnknown : CauseKind::kOperator;
  const model::Graph& target = known.target_model->graph;
  const std::vector<bool> of_another = model::parts_of_operators(target);
  const model::Part part = model::one_op(target, analysis.rows[finding.pair].target_layer);
  const auto along = std::count_if(part.layers.begin(), part.layers.end(),
                                   [&](int layer) { return !of_another[at(layer)]; });
  const auto& constants = analysis.rows[finding.pair].measured.constants;
  const bool same_weights = constants && !constants->differs;
  cause.detail = !said.text.empty() ? where + " " + said.text
                 : along > 1
                     ? where + ", or one of the " + std::to_string(along - 1) +
                           " layers before it that were not recorded, computes something else "
                           "than in the reference"
                     : where + " computes something else than the reference's operator" +
                           (same_weights ? " with the same weights" : "") + " on the same inputs";
  for (const compare::AttributeDifference& one : said.attributes)
    cause.evidence.push_back(
        {EvidenceKind::kAttributeDiffers,
         {{"name", one.name}, {"target", one.target}, {"reference", one.reference}}});
  if (finding.own)
    cause.evidence.push_back(
        {EvidenceKind::kOperatorsApart, {{"distance", finding.own->otherwise}}});
}

void say_while_running(const model::Graph& target, const layers::Row& row, const std::string& where,
                       Cause& cause) {
  cause.detail = where +
                 " cannot be quantised while the model runs: its weights are the "
                 "reference's except for rounding, and 8 bits are too few for what it reads";
  // ONNX Runtime's quantiser adds this to the name of the node to be excluded.
  static constexpr std::string_view kAdded = "_quant";
  for (const model::DynamicOperator& one : model::dynamic_operators(target)) {
    std::string_view node = target.layers[at(one.layer)].name;
    if (one.last != row.target_layer || !node.ends_with(kAdded)) continue;
    node.remove_suffix(kAdded.size());
    cause.fix_code["onnxruntime"] =
        "quantize_dynamic(FLOAT_MODEL, MODEL, nodes_to_exclude=[\"" + sanitized(node, 100) + "\"])";
  }
}

}  // namespace

Cause finding_cause(const Case& known, const layers::Analysis& analysis,
                    const layers::Finding& finding) {
  using layers::Suspicion;
  const layers::Row& row = analysis.rows[finding.pair];
  Cause cause;
  cause.stage = CauseStage::kModel;
  cause.scope = CauseScope::kOp;
  const model::Graph& reference = known.reference_pipeline->graph;
  const bool of_codes = finding.suspicion == Suspicion::kActivation ||
                        finding.suspicion == Suspicion::kCalibration ||
                        finding.suspicion == Suspicion::kUnexplained;
  // The differing option may belong to an operator other than the paired one, such as a Transpose
  // whose output shape has no counterpart.
  const int layer = !finding.options.empty() ? finding.options.front().reference_layer
                    : of_codes               ? row.reference_layer
                                             : row.counterpart;
  cause.op_type = reference.layers[at(layer)].type;
  cause.layers = {layer};
  for (const layers::OtherOption& option : finding.options)
    if (std::count(cause.layers.begin(), cause.layers.end(), option.reference_layer) == 0)
      cause.layers.push_back(option.reference_layer);
  cause.layer = layers::output_name(reference, layer);
  const std::string& node = reference.layers[at(layer)].name;
  const std::string where =
      cause.op_type + " layer " + std::to_string(layer) + " (" +
      (node.empty() ? "'" + sanitized(cause.layer, 60) : "node '" + sanitized(node, 60)) + "')";
  switch (finding.suspicion) {
    case Suspicion::kWeights:
      if (finding.constant) {
        cause.kind = CauseKind::kWeights;
        say_constant(*finding.constant, where, cause);
        break;
      }
      // Constants of an operator without weights define its behaviour: the limits of a Clip.
      if (!row.measured.constants && !operator_difference(known, analysis, row).text.empty()) {
        say_operator(known, analysis, finding, where, cause);
        break;
      }
      cause.kind = CauseKind::kWeights;
      say_weights(row, where, cause);
      break;
    case Suspicion::kPerTensor:
      cause.kind = CauseKind::kQuantization;
      cause.detail =
          "one scale serves all weights of " + where + ", whose channels need very different ones";
      cause.evidence.push_back(
          {EvidenceKind::kStepWidth, {{"times", finding.figures.step_width.value_or(0)}}});
      break;
    case Suspicion::kActivation:
      cause.kind = CauseKind::kQuantization;
      say_activation(known, finding, where, cause);
      if (finding.own)
        cause.evidence.push_back(
            {EvidenceKind::kOwnOperatorError, {{"error", finding.own->error}}});
      break;
    case Suspicion::kCalibration:
      cause.kind = CauseKind::kQuantization;
      say_calibration(analysis, finding, where, cause);
      break;
    case Suspicion::kBias:
      cause.kind = CauseKind::kBias;
      say_biases(analysis, finding, where, cause);
      break;
    case Suspicion::kOperator:
      if (finding.options.empty()) say_operator(known, analysis, finding, where, cause);
      else say_options(known, finding, where, cause);
      break;
    case Suspicion::kWhileRunning:
      cause.kind = CauseKind::kQuantization;
      say_while_running(known.target_model->graph, row, where, cause);
      break;
    case Suspicion::kUnexplained:
      cause.kind = CauseKind::kUnknown;
      cause.detail = "on the same model input the outputs differ; the difference arises in " +
                     where +
                     (known.target_model ? ", for no reason that was found"
                                         : "; with the target's model file (--model) its kernel, "
                                           "its scales and its constants could be distinguished");
      break;
  }
  const auto& local = row.measured.local;
  if (local && local->score > 0 && finding.suspicion != Suspicion::kUnexplained)
    cause.evidence.push_back(
        {EvidenceKind::kLocalError, {{"error", local->relative}, {"times", local->score}}});
  if (finding.figures.share) {
    Evidence arises{EvidenceKind::kGapShare, {{"share", *finding.figures.share}}};
    if (finding.figures.single_layer_error)
      arises.values.emplace("injection", *finding.figures.single_layer_error);
    cause.evidence.push_back(std::move(arises));
  }
  if (finding.after) {
    const char* const how = finding.by_reference                           ? "rest_by_reference"
                            : !finding.options.empty()                     ? "own_attributes"
                            : finding.suspicion == Suspicion::kBias        ? "reference_biases"
                            : finding.suspicion == Suspicion::kActivation  ? "fitting_scale"
                            : finding.suspicion == Suspicion::kCalibration ? "fitting_scales"
                                                                           : "reference_operator";
    Evidence mended{EvidenceKind::kRepaired,
                    {{"how", how}, {"before", finding.before}, {"after", *finding.after}}};
    if (analysis.of_answers) mended.values.emplace("of", "outputs");
    cause.evidence.push_back(std::move(mended));
    if (analysis.logit_nrmse)
      cause.explained_variance = share_of(finding.before, *finding.after, *analysis.logit_nrmse);
  } else if (finding.suspicion == Suspicion::kUnexplained && finding.figures.share) {
    cause.explained_variance = std::clamp(*finding.figures.share, 0.0, 1.0);
  }
  return cause;
}

}  // namespace edgeprobe::diagnose
