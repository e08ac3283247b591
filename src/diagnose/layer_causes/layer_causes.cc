// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layer_causes/layer_causes.h"

#include <algorithm>

#include "core/index.h"
#include "core/text.h"
#include "layers/pairing/pairing.h"
#include "pipeline/carry.h"

namespace edgeprobe::diagnose {
namespace {

// A kernel is a cause if its repair removes this fraction of the squared logit NRMSE.
constexpr double kTakesPart = 0.05;
// All kernels are repaired at once: next to one that is ten times further off, a kernel's own
// contribution is unknown.
constexpr double kLouder = 10;

// Here the reference is at fault: the target does what the reference would do with another scale.
// That is not a cause in the target, so the status stays as without it.
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

// Both run one file and the target's layers are right: the reference's engine does not compute the
// layer as the file defines it.
Cause reference_kernel_cause(const Case& known, const layers::KernelFault& fault) {
  const model::Graph& reference = known.reference_pipeline->graph;
  Cause cause;
  cause.kind = CauseKind::kUnknown;
  cause.stage = CauseStage::kModel;
  cause.scope = fault.whole_type ? CauseScope::kType : CauseScope::kOp;
  cause.op_type = fault.type;
  cause.layers = fault.layers;
  cause.layer = layers::output_name(reference, fault.layers.front());
  cause.detail =
      "the reference itself is the bad side: its engine does not compute what the file "
      "says of " +
      fault.type + " in " + layers_text(fault.layers) + " ('" + sanitized(cause.layer, 60) + "'" +
      (fault.layers.size() > 1 ? " first" : "") + "), while every layer of the target does";
  return cause;
}

bool has_state(const Case& known) {
  return (known.reference_pipeline && pipeline::keeps_state(*known.reference_pipeline)) ||
         (known.target_model && pipeline::keeps_state(*known.target_model));
}

}  // namespace

std::vector<Cause> model_causes(const Case& known, const layers::Analysis& analysis, bool severe,
                                bool outputs_off) {
  std::vector<Cause> causes;
  const double limit = analysis.limits.severe;
  const bool moved = analysis.logit_nrmse && *analysis.logit_nrmse > limit;
  // Below the loss that changes answers, differences between real numbers matter only if the
  // outputs differ.
  const auto is_severe = [&](double logit_nrmse) {
    return logit_nrmse > limit && (outputs_off || logit_nrmse > layers::kIntegerLimits.severe);
  };
  // Layers of a stateful model are judged at the beginning of a sequence. A fault without effect
  // there may matter later, so its effect is not reported.
  const bool is_untold = outputs_off && !moved && has_state(known);
  const auto add = [&](Cause cause, bool matters, bool restores) {
    cause.status = cause.kind == CauseKind::kUnknown ? CauseStatus::kPartial
                   : matters && restores             ? CauseStatus::kConfirmed
                   : is_untold                       ? CauseStatus::kPartial
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
  for (const layers::KernelFault& fault : analysis.reference_kernels) {
    Cause cause = reference_kernel_cause(known, fault);
    cause.restored_unavailable = Unavailable{UnavailableKind::kNoRepairHelps};
    add(std::move(cause), true, false);
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
    // The difference left after all earlier repairs must matter.
    add(std::move(cause), (severe && analysis.kernels.empty()) || is_severe(finding.before),
        finding.restores);
  }
  return causes;
}

}  // namespace edgeprobe::diagnose
