// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layer_causes/layer_causes.h"

#include <algorithm>
#include <limits>

#include "core/text.h"
#include "layers/pairing/pairing.h"

namespace edgeprobe::diagnose {
namespace {

// Up to this the logits are equal: the difference arises after them.
constexpr double kNoGap = 1e-3;

// The reference's indices of these target layers; leaves out layers without a partner.
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

}  // namespace

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

}  // namespace edgeprobe::diagnose
