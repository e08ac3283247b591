// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layer_causes/layer_causes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/index.h"
#include "core/text.h"
#include "diagnose/layer_causes/operator_difference.h"
#include "diagnose/layer_causes/option_cause.h"
#include "diagnose/layers/pairing/pairing.h"
#include "model/cut.h"
#include "model/dynamic_quantization.h"
#include "model/qdq.h"

namespace edgeprobe::diagnose {
namespace {

// A kernel is to blame for the logit NRMSE when its repair takes away this much of its square.
constexpr double kTakesPart = 0.05;
// All kernels are repaired at once: beside one that is off by ten times as much, a kernel's own
// part in that is unknown.
constexpr double kLouder = 10;
// The logits are the same: what is to be explained lies behind them.
constexpr double kNoGap = 1e-3;
constexpr double kWide = 3, kClips = 0.1, kRoundedSteps = 1.02, kBiasShare = 0.05;

double share_of(double before, double after, double all) {
  return std::clamp((before * before - after * after) / std::max(all * all, 1e-12), 0.0, 1.0);
}

// Layers of the target in the reference's numbers; those without a partner are left out.
std::vector<int> in_reference(const layers::Analysis& analysis,
                              const std::vector<int>& target_layers) {
  std::vector<int> layers;
  for (const layers::Row& row : analysis.rows)
    if (row.reference_layer >= 0 &&
        std::count(target_layers.begin(), target_layers.end(), row.target_layer))
      layers.push_back(row.reference_layer);
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  return layers;
}

const layers::KernelError* kernel_error_of(const layers::Analysis& analysis, int target_layer) {
  for (const layers::Row& row : analysis.rows)
    if (row.target_layer == target_layer && row.kernel_error) return &*row.kernel_error;
  return nullptr;
}

std::string layers_text(const std::vector<int>& layers) {
  std::string text = layers.size() == 1 ? "layer " : "layers ";
  const std::size_t shown = std::min<std::size_t>(layers.size(), 8);
  for (std::size_t i = 0; i < shown; ++i) text += (i ? ", " : "") + std::to_string(layers[i]);
  return layers.size() > shown ? text + " and " + std::to_string(layers.size() - shown) + " more"
                               : text;
}

Evidence evidence_of(const layers::KernelError& kernel_error, std::size_t layers) {
  Evidence seen{EvidenceKind::kKernelResidue, {{"layers", layers}, {"layer", kernel_error.layer}}};
  if (kernel_error.not_finite > 0) {
    seen.values.emplace("not_finite", kernel_error.not_finite);
    return seen;
  }
  seen.values.emplace(
      "unit", name(kernel_error.integer ? KernelErrorUnit::kLsb : KernelErrorUnit::kRelative));
  seen.values.emplace("largest", kernel_error.largest);
  if (!kernel_error.integer) return seen;
  seen.values.emplace("mean", kernel_error.mean);
  seen.values.emplace("differing", kernel_error.differing);
  return seen;
}

// How far the worst layer of a faulty kernel is off, relative to its output.
double loudness(const layers::Analysis& analysis, const layers::KernelFault& fault) {
  double most = 0;
  for (const int layer : fault.layers)
    if (const layers::KernelError* kernel_error = kernel_error_of(analysis, layer))
      most = std::max(most, kernel_error->not_finite > 0 ? std::numeric_limits<double>::infinity()
                                                         : kernel_error->relative_l2);
  return most;
}

Cause kernel_cause(const Case& known, const layers::Analysis& analysis,
                   const layers::KernelFault& fault) {
  const model::Graph& target = known.target_model->graph;
  Cause cause;
  cause.kind = CauseKind::kKernel;
  cause.stage = CauseStage::kModel;
  cause.op_type = fault.type;
  cause.scope = fault.whole_type ? CauseScope::kType : CauseScope::kOp;
  cause.layers = in_reference(analysis, fault.layers);
  const int first = fault.layers.front();
  cause.layer = !cause.layers.empty() && known.reference_pipeline
                    ? layers::output_name(known.reference_pipeline->graph, cause.layers.front())
                    : layers::output_name(target, first);
  const std::string some =
      std::to_string(fault.layers.size()) + " of " + std::to_string(fault.checked);
  cause.detail = fault.whole_type
                     ? "the target's " + fault.type + " kernel miscomputes: " + some +
                           " layers of that type differ from the same operator on the host, given "
                           "the same inputs"
                     : "the target miscomputes " + fault.type + " in " + layers_text(fault.layers) +
                           " ('" + sanitized(layers::output_name(target, first), 60) + "'" +
                           (fault.layers.size() > 1 ? " first" : "") + "), given the same inputs";
  const layers::KernelError* worst = nullptr;
  for (const int layer : fault.layers) {
    const layers::KernelError* kernel_error = kernel_error_of(analysis, layer);
    if (kernel_error && (!worst || kernel_error->largest > worst->largest)) worst = kernel_error;
  }
  if (worst) cause.evidence.push_back(evidence_of(*worst, fault.layers.size()));
  if (analysis.logit_nrmse && analysis.host_logit_nrmse)
    cause.evidence.push_back(
        {EvidenceKind::kKernelsReplaced,
         {{"before", *analysis.logit_nrmse}, {"after", *analysis.host_logit_nrmse}}});
  if (analysis.logit_nrmse && analysis.host_logit_nrmse && *analysis.logit_nrmse > kNoGap)
    cause.explained_variance =
        share_of(*analysis.logit_nrmse, *analysis.host_logit_nrmse, *analysis.logit_nrmse);
  if (fault.checked > fault.layers.size())
    cause.evidence.push_back(
        {EvidenceKind::kOtherLayersRight,
         {{"layers", fault.checked - fault.layers.size()}, {"type", fault.type}}});
  cause.repaired_by = 0;
  return cause;
}

struct Span {
  double low, high;
};
Span representable(const TensorSpec& spec) {
  const bool is_signed = spec.dtype == DType::kInt8;
  const double scale = spec.quantization.scale[0],
               zero = static_cast<double>(spec.quantization.zero_point_at(0));
  return {((is_signed ? -128 : 0) - zero) * scale, ((is_signed ? 127 : 255) - zero) * scale};
}

// What is wrong with the activation, in one clause, and its numbers.
void say_activation(const Case& known, const layers::Finding& finding, const std::string& where,
                    Cause& cause) {
  const layers::Figures& f = finding.figures;
  const std::string scale = f.scale_ratio ? number(*f.scale_ratio, 3) : "";
  const std::string& type = cause.op_type;
  if (f.clip.value_or(0) > kClips)
    cause.detail =
        "the quantised range of " + where + " is too narrow: it clips what the layer computes";
  else if (f.scale_ratio.value_or(0) > kWide)
    cause.detail =
        "the quantisation step of " + where + " is " + scale + " times as wide as its values need";
  else cause.detail = "the quantisation of " + where + " costs far more than rounding has to";
  if (finding.tied)
    cause.detail +=
        " (" + type +
        " shares the scale of its input: keep it in float, or requantise in front of it)";
  if (known.target_model && !finding.repairs.empty()) {
    const layers::Repair& repair = finding.repairs.front();
    const TensorSpec& spec = known.target_model->graph.tensors[at(repair.pair.target)].spec;
    if (spec.quantization.scale.size() == 1 && size_of(spec.dtype) == 1) {
      const Span span = representable(spec);
      Evidence codes{EvidenceKind::kActivationCodes,
                     {{"least", span.low}, {"most", span.high}, {"cut_off", f.clip.value_or(0)}}};
      if (f.scale_ratio) codes.values.emplace("step_ratio", *f.scale_ratio);
      cause.evidence.push_back(std::move(codes));
      if (repair.stored)
        cause.evidence.push_back({EvidenceKind::kFittingScale,
                                  {{"scale", repair.stored->scale},
                                   {"zero_point", repair.stored->zero_point},
                                   {"scale_in_file", spec.quantization.scale[0]},
                                   {"zero_point_in_file", spec.quantization.zero_point_at(0)}}});
    }
  }
}

void say_weights(const layers::Row& row, const std::string& where, Cause& cause) {
  const auto& c = row.measured.constants;
  const bool weights = c && (!c->same_shape || c->weight_steps.value_or(0) > kRoundedSteps);
  const bool bias = c && c->bias_share.value_or(0) > kBiasShare;
  cause.detail = "the " +
                 std::string(weights && bias ? "weights and the bias"
                             : bias          ? "bias"
                                             : "weights") +
                 " of " + where + (bias && !weights ? " is" : " are") + " not the reference's";
  if (weights && c->same_shape)
    cause.evidence.push_back({EvidenceKind::kWeightsDiffer, {{"steps", *c->weight_steps}}});
  if (weights && !c->same_shape) cause.evidence.push_back({EvidenceKind::kWeightsShape});
  if (bias) cause.evidence.push_back({EvidenceKind::kBiasDiffers, {{"share", *c->bias_share}}});
}

// The biases of a group of layers, and what mends them.
void say_biases(const layers::Analysis& analysis, const layers::Finding& finding,
                const std::string& where, Cause& cause) {
  std::size_t channels = 0;
  std::vector<int> cut_off, unscaled;
  double ratio = 1;
  for (const std::size_t i : finding.group) {
    const layers::Row& row = analysis.rows[i];
    channels += row.measured.constants->cut_off;
    if (row.measured.constants->cut_off > 0) cut_off.push_back(row.counterpart);
    if (row.measured.constants->bias_scale_ratio == 1) continue;
    if (unscaled.empty()) ratio = row.measured.constants->bias_scale_ratio;
    unscaled.push_back(row.counterpart);
  }
  cause.layers = cut_off;
  cause.layers.insert(cause.layers.end(), unscaled.begin(), unscaled.end());
  std::sort(cause.layers.begin(), cause.layers.end());
  cause.layers.erase(std::unique(cause.layers.begin(), cause.layers.end()), cause.layers.end());
  const std::string first = cause.layers.size() == 1 ? "" : ", first in " + where;
  if (!unscaled.empty()) {
    cause.detail =
        "the int32 biases of " + (cause.layers.size() == 1 ? where : layers_text(unscaled)) +
        " were not rescaled with the scale of their input" + first + ": they are added in steps " +
        number(ratio, 3) + " times as wide as they were made for";
    cause.evidence.push_back({EvidenceKind::kRescaleBiases});
  }
  if (!cut_off.empty()) {
    cause.detail += (unscaled.empty() ? "" : "; and ") + std::string("the int32 biases of ") +
                    std::to_string(channels) + (channels == 1 ? " channel in " : " channels in ") +
                    (cause.layers.size() == 1 ? where : layers_text(cut_off)) +
                    " are cut off at the end of their 32 bits" + (unscaled.empty() ? first : "");
    cause.evidence.push_back({EvidenceKind::kWidenWeightScale});
  }
}

// Ranges of many layers, in the words of who calibrated them.
void say_calibration(const layers::Analysis& analysis, const layers::Finding& finding,
                     const std::string& where, Cause& cause) {
  std::size_t of = 0;
  for (const std::size_t i : finding.group)
    if (i != finding.pair) cause.layers.push_back(analysis.rows[i].reference_layer);
  for (const layers::Row& row : analysis.rows)
    of += row.measured.local && row.measured.local->scale_ratio > 0;
  // The group has one direction, which its worst layer shows.
  const bool narrow = finding.figures.clip.value_or(0) > layers::kSlightClip;
  const std::string some = std::to_string(finding.group.size()) + " of " + std::to_string(of);
  cause.detail =
      narrow ? "the quantised ranges of " + some +
                   " layers are too narrow for what these pictures make, as after a calibration "
                   "with too few pictures or with others; the most in " +
                   where
             : "the quantisation steps of " + some +
                   " layers are wider than these pictures need, as after a calibration with inputs "
                   "of another range or with outliers; the most in " +
                   where;
  Evidence seen{EvidenceKind::kCalibratedRanges, {{"layers", finding.group.size()}, {"of", of}}};
  if (narrow) seen.values.emplace("cut_off", finding.figures.clip.value_or(0));
  else seen.values.emplace("step_ratio", finding.figures.scale_ratio.value_or(0));
  cause.evidence.push_back(std::move(seen));
  cause.fix_code["edgeprobe"] =
      "edgeprobe convert FLOAT_MODEL --to int8 --recipe RECIPE --data PICTURES -o MODEL  # a "
      "hundred typical pictures, through the app's own recipe";
}

void say_operator(const Case& known, const layers::Analysis& analysis,
                  const layers::Finding& finding, const std::string& where, Cause& cause) {
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
                           " layers in front of it that were not recorded, computes something else "
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
                 " does not bear to be quantised while the model runs: its weights are the "
                 "reference's but for rounding, and 8 bits are too few for what it reads";
  // ONNX Runtime's quantiser adds to the name of the node that it is to leave alone.
  static constexpr std::string_view kAdded = "_quant";
  for (const model::DynamicOperator& one : model::dynamic_operators(target)) {
    std::string_view node = target.layers[at(one.layer)].name;
    if (one.last != row.target_layer || !node.ends_with(kAdded)) continue;
    node.remove_suffix(kAdded.size());
    cause.fix_code["onnxruntime"] =
        "quantize_dynamic(FLOAT_MODEL, MODEL, nodes_to_exclude=[\"" + sanitized(node, 100) + "\"])";
  }
}

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
  const int layer = of_codes ? row.reference_layer : row.counterpart;
  cause.op_type = reference.layers[at(layer)].type;
  cause.layers = {layer};
  if (!finding.options.empty())
    for (const std::size_t i : finding.group)
      if (const int one = analysis.rows[i].counterpart; one >= 0 && one != layer)
        cause.layers.push_back(one);
  cause.layer = layers::output_name(reference, layer);
  const std::string& node = reference.layers[at(layer)].name;
  const std::string where =
      cause.op_type + " layer " + std::to_string(layer) + " (" +
      (node.empty() ? "'" + sanitized(cause.layer, 60) : "node '" + sanitized(node, 60)) + "')";
  switch (finding.suspicion) {
    case Suspicion::kWeights:
      // Numbers of an operator without weights say how it computes: the limits of a Clip.
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
                                           "its scales and its constants could be told apart");
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

// The other way round: the target does what the reference would do with another scale. That the
// target is not to blame is no cause of its own, so the status stays what it is without one.
Cause reference_cause(const Case& known, const layers::ReferenceFault& fault) {
  const model::Graph& reference = known.reference_pipeline->graph;
  const model::Layer& layer = reference.layers[at(fault.layer)];
  Cause cause;
  cause.kind = CauseKind::kUnknown;
  cause.stage = CauseStage::kModel;
  cause.scope = CauseScope::kOp;
  cause.op_type = layer.type;
  cause.layers = {fault.layer};
  cause.layer = layers::output_name(reference, fault.layer);
  cause.detail =
      "the reference itself is the bad side: " +
      std::string(fault.figures.clip.value_or(0) > kClips         ? "the quantised range"
                  : fault.figures.scale_ratio.value_or(0) > kWide ? "the quantisation step"
                                                                  : "the quantisation") +
      " of its " + layer.type + " layer " + std::to_string(fault.layer) + " ('" +
      sanitized(layer.name.empty() ? cause.layer : layer.name, 60) + "') " +
      (fault.figures.clip.value_or(0) > kClips ? "is too narrow for what the target computes there"
       : fault.figures.scale_ratio.value_or(0) > kWide
           ? "is " + number(*fault.figures.scale_ratio, 3) + " times as wide as its values need"
           : "costs far more than rounding has to");
  cause.evidence.push_back(
      {EvidenceKind::kRepaired,
       {{"how", "scale_in_reference"}, {"before", fault.before}, {"after", fault.after}}});
  return cause;
}

}  // namespace

std::vector<Cause> model_causes(const Case& known, const layers::Analysis& analysis, bool severe,
                                bool outputs_off) {
  std::vector<Cause> causes;
  const double limit = analysis.limits.severe;
  const bool moved = analysis.logit_nrmse && *analysis.logit_nrmse > limit;
  // Below what costs answers it is the outputs that say whether real numbers are off.
  const auto is_severe = [&](double logit_nrmse) {
    return logit_nrmse > limit && (outputs_off || logit_nrmse > layers::kIntegerLimits.severe);
  };
  const auto add = [&](Cause cause, bool matters, bool restores) {
    cause.status = cause.kind == CauseKind::kUnknown ? CauseStatus::kPartial
                   : matters && restores             ? CauseStatus::kConfirmed
                                                     : CauseStatus::kNote;
    if (cause.status == CauseStatus::kNote && analysis.logit_nrmse && !moved)
      cause.evidence.push_back(
          {EvidenceKind::kGapBelowLimit, {{"gap", *analysis.logit_nrmse}, {"limit", limit}}});
    causes.push_back(std::move(cause));
  };
  const bool by_kernels = !analysis.logit_nrmse || !analysis.host_logit_nrmse ||
                          share_of(*analysis.logit_nrmse, *analysis.host_logit_nrmse,
                                   *analysis.logit_nrmse) >= kTakesPart;
  double loudest = 0;
  for (const layers::KernelFault& fault : analysis.kernels)
    loudest = std::max(loudest, loudness(analysis, fault));
  for (const layers::KernelFault& fault : analysis.kernels) {
    Cause cause = kernel_cause(known, analysis, fault);
    const double own = loudness(analysis, fault);
    const bool drowned = own < loudest && own * kLouder <= loudest;
    if (drowned) {
      cause.explained_variance.reset();
      cause.repaired_by = -1;
      cause.restored_unavailable = Unavailable{UnavailableKind::kLouderKernel};
    }
    add(std::move(cause),
        (severe || (analysis.logit_nrmse && is_severe(*analysis.logit_nrmse))) && !drowned,
        by_kernels);
  }
  int step = analysis.kernels.empty() ? 0 : 1;
  if (analysis.of_reference) {
    Cause cause = reference_cause(known, *analysis.of_reference);
    cause.restored_unavailable = Unavailable{UnavailableKind::kNoRepairHelps};
    add(std::move(cause), true, false);
  }
  for (const layers::Finding& finding : analysis.findings) {
    if (analysis.of_reference && finding.suspicion == layers::Suspicion::kUnexplained) continue;
    Cause cause = finding_cause(known, analysis, finding);
    if (finding.restores && !finding.repairs.empty()) cause.repaired_by = step++;
    else if (finding.not_repaired.empty())
      cause.restored_unavailable = Unavailable{UnavailableKind::kNoRepairHelps};
    else
      cause.restored_unavailable =
          Unavailable{UnavailableKind::kNotRepaired, {{"why", finding.not_repaired}}};
    if (moved && finding.before <= limit)
      cause.evidence.push_back(
          {EvidenceKind::kRestBelowLimit, {{"gap", finding.before}, {"limit", limit}}});
    // What is left when all that was found before it is repaired has to matter.
    add(std::move(cause), (severe && analysis.kernels.empty()) || is_severe(finding.before),
        finding.restores);
  }
  return causes;
}

}  // namespace edgeprobe::diagnose
